"""Values that look like shell, options or placeholders arrive as they are, as one argument."""

import json

from faults.programs import python, shell
from faults.study import Study

VALUES = [
    "; rm -rf canary",
    "$(rm canary)",
    "`rm canary`",
    "&& rm canary",
    "| tee canary",
    "> canary",
    "$HOME",
    "*",
    "~",
    "it's",
    'say "hi"',
    "back\\slash\\",
    "two\nlines\n",
    "tab\tand  spaces ",
    "",
    "-rf",
    "--help",
    "-",
    "--",
    "{x}",
    "{{x}}",
    "{nothing}",
    "%s %(x)s $x ${x}",
    "é ü 漢字 🙂 \u202e",
    "\x1b[31mred\x1b[0m",
    "a" * 10_000,
    "[bold]markup[/bold]",
    "1e3",
    "true",
    "null",
]
ECHO = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ['VALUE']]), file=open('seen', 'a')); print(1)"


def test_values_that_look_like_shell_arrive_verbatim_as_one_argument_each(scene):
    (scene.folder / "canary").touch()
    run = python(ECHO, "{x}", "--x={x}", "a{x}b{x}c", "{{x}}")
    space = {"x": {"type": "categorical", "choices": VALUES}}
    study = Study.write(scene.folder, run, space, trials=len(VALUES), command={"environment": {"VALUE": "<{x}>"}})
    scene.run("tune", study.path)
    seen = [json.loads(line) for line in (scene.folder / "seen").read_text().splitlines()]
    expected = [[[x, f"--x={x}", f"a{x}b{x}c", "{x}"], f"<{x}>"] for x in VALUES]
    assert sorted(seen) == sorted(expected)
    assert (scene.folder / "canary").exists()
    assert sorted(trial.params["x"] for trial in study.complete()) == sorted(VALUES)


def test_a_value_too_long_for_any_argument_fails_its_trial_alone(scene):
    space = {"x": {"type": "categorical", "choices": ["a" * 200_000, "b"]}}  # Linux: 128 KiB an argument
    study = Study.write(scene.folder, shell("echo 1", "{x}"), space, trials=2)
    scene.run("tune", study.path)
    assert {trial.params["x"][0]: trial.state.name for trial in study.trials()} == {"a": "FAIL", "b": "COMPLETE"}

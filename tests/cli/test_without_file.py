"""`auger tune` without a study file: parameters as options, and a program after --."""

import json
import re

import pytest
from support.command_line import auger, inside, write_study

from auger.errors import StudyError
from auger.studies.definition.study_file import tomllib

PROGRAM = "import sys; x, n, kind = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]; print('loss', x + n + len(kind))"
SPACE = ("--float", "x=0.01:1:log", "--int", "n=1:9", "--choice", "kind=a,bb")
COMMAND = ("--", "python", "loss.py", "{x}", "{n}", "{kind}")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "loss.py").write_text(PROGRAM)
    return tmp_path


def test_a_program_is_tuned_and_the_study_goes_on_in_every_command(folder):
    run = auger("tune", *SPACE, "--trials", 3, "--seed", 0, *COMMAND, cwd=folder)
    assert run.returncode == 0 and set(tomllib.loads(run.stdout)) == {"x", "n", "kind"}
    assert "The study loss is stored in loss.journal. The same command continues it" in run.stderr
    assert "auger tune loss.journal" in run.stderr and "Next: auger report loss.journal" in run.stderr
    again = inside("tune", *SPACE, "--trials", 4, *COMMAND, cwd=folder)
    assert "[4/4] trial 3" in again.stderr
    more = inside("tune", "loss.journal", "--trials", 6, cwd=folder)
    assert "[5/6]" in more.stderr and "[6/6]" in more.stderr
    status = json.loads(inside("status", "loss.journal", "--json", cwd=folder).stdout)
    assert (status["study"], status["finished"], status["direction"]) == ("loss", 6, "minimize")
    assert inside("best", "loss.journal", "--command", cwd=folder).stdout.startswith("python loss.py ")
    assert inside("worker", "loss.journal", cwd=folder).exit_code == 0
    assert inside("report", "loss.journal", cwd=folder).exit_code == 0


def test_the_name_the_direction_and_the_rule_of_the_value_are_options(folder):
    options = (
        "--name",
        "mine",
        "--maximize",
        "--value-pattern",
        "loss (.*)",
        "--ordinal",
        "n=1,2,4",
        "--float",
        "x=0:1",
    )
    command = ("--", "python", "loss.py", "{x}", "{n}", "k")
    run = inside("tune", *options, "--trials", 2, *command, cwd=folder)
    assert run.exit_code == 0 and (folder / "mine.journal").exists()
    assert json.loads(inside("status", "mine.journal", "--json", cwd=folder).stdout)["direction"] == "maximize"


def test_a_value_in_json_and_a_function_need_no_file_either(folder):
    run = inside("tune", "--int", "n=1:9", "--value-key", "a", "--trials", 1, "--", "echo", '{{"a": {n}}}', cwd=folder)
    assert run.exit_code == 0 and "trial 0  " in run.stderr
    (folder / "model.py").write_text("def badness(config):\n    return config['n']\n")
    run = inside("tune", "--int", "n=1:9", "--trials", 1, "--", "model:badness", cwd=folder)
    assert run.exit_code == 0 and (folder / "badness.journal").exists()


def test_several_studies_share_a_storage(folder):
    for name in ("one", "two"):
        options = ("--storage", "both.log", "--name", name, "--trials", 1)
        run = inside("tune", *SPACE, *options, *COMMAND, cwd=folder)
        assert (
            f"auger tune both.log --name {name}." in run.stderr and f"Next: auger report both.log {name}" in run.stderr
        )
    assert "[2/2]" in inside("tune", "both.log", "--name", "one", "--trials", 2, cwd=folder).stderr
    assert inside("try", "both.log", "--name", "two", cwd=folder).exit_code == 0
    with pytest.raises(StudyError, match="Add the name of one: 'one', 'two'"):
        inside("tune", "both.log", cwd=folder)


def test_an_endless_study_is_announced(folder):
    command = ("--", "sh", "-c", 'kill -INT "$PPID"; echo "$0"', "{x}")
    run = auger("tune", "--float", "x=0:1", *command, cwd=folder)
    assert run.returncode == 130 and "It runs until Ctrl-C, because there is no --trials and no --time." in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [*SPACE, "--", "python", "loss.py", "--x", "0.1", "{n}", "{kind}"],
            r"^The command does not use the parameter 'x'\. Write \{x\} where its value belongs, such as: "
            r"python loss\.py --x \{x\} \{n\} \{kind\}$",
        ),
        ([*SPACE, "--", "a", "--x=x", "{n}", "{kind}"], r"such as: a --x=\{x\} \{n\} \{kind\}$"),
        ([*SPACE, "--", "a", "{n}", "{kind}"], r"such as: a \{n\} \{kind\} --x=\{x\}$"),
        (
            [*SPACE, "--", "a", "{X}", "{x}", "{n}", "{kind}"],
            r"^The command: '\{X\}' mentions \{X\}, which is not a par",
        ),
        ([*SPACE, "--", "a", "{x}", "{n}", "{kind}", "{"], r"^The command: '\{' has a '\{' without its partner"),
        (["--", "python", "loss.py"], r"^Say what to tune, with --float.*`auger init -- python loss\.py`"),
        (["--float", "x=0:1", "python", "loss.py", "{x}"], r"^Write -- between the options and the program"),
        (
            ["s.toml", "--float", "x=0:1", "--", "a", "{x}"],
            r"^Before the -- there must be options only\. Got 's\.toml'",
        ),
        (["--float", "x=0:1", "--int", "x=0:1", "--", "a", "{x}"], r"^--int x=0:1: there is another parameter 'x'"),
        (["--float", "x", "--", "a", "{x}"], r"^--float must be NAME=LOW:HIGH.* Got 'x'\.$"),
        (["--float", "x=1", "--", "a", "{x}"], r"^--float x=1: there must be a lowest and a highest value"),
        (["--float", "x=a:1", "--", "a", "{x}"], r"^--float x=a:1: each part must be a number"),
        (["--float", "x=2:1", "--", "a", "{x}"], r"^--float x=2:1: the lowest value must be below the highest"),
        (
            ["--float", "x=0:1:log", "--", "a", "{x}"],
            r"^--float x=0:1:log: with 'log', the lowest value must be above 0",
        ),
        (["--int", "x=0.5:1", "--", "a", "{x}"], r"^--int x=0\.5:1: each part must be a whole number"),
        (["--choice", "x=a", "--", "a", "{x}"], r"^--choice x=a: there must be at least two choices"),
        (["--choice", "x=a,a", "--", "a", "{x}"], r"^--choice x=a,a: "),
        (["--float", "x=0:1", "--name", "a/b", "--", "a", "{x}"], r"^--name: must be printable text without a slash"),
        (["--float", "x=0:1", "--value-pattern", "(", "--", "a", "{x}"], r"^--value-pattern: must be a valid regular"),
        (["--float", "x=0:1", "--value-key", "a", "--value-pattern", "(a)", "--", "a", "{x}"], r"^--value-key and --v"),
        (["--name", "a", "s.toml"], r"^--name: only for a program after --"),
        (["--maximize", "s.toml"], r"^--maximize and --minimize: only for a program after --"),
        (["m:f"], r"^A function needs its space: auger tune m:f --space FILE, or auger tune --float x=0:1 -- m:f"),
        ([], r"^Name a study file \(`auger init` writes one\), or a program after --\.$"),
        (["loss.py"], r"^loss\.py is a program, not a study file\. `auger init -- python loss\.py` proposes"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(folder, arguments, message):
    with pytest.raises(StudyError) as caught:
        inside("tune", *arguments, cwd=folder)
    assert re.search(message, str(caught.value)), caught.value
    assert [path.name for path in folder.iterdir()] == ["loss.py"]


def test_another_space_under_the_same_name_is_refused_with_the_way_out(folder):
    inside("tune", *SPACE, "--trials", 1, *COMMAND, cwd=folder)
    with pytest.raises(StudyError, match="--fresh begins anew and keeps the trials so far as another study"):
        inside("tune", *SPACE[:-1], "kind=a,ccc", "--trials", 1, *COMMAND, cwd=folder)


def test_another_rule_for_the_value_is_refused_once_there_are_values_and_fresh_takes_it(folder):
    inside("tune", *SPACE, "--trials", 2, *COMMAND, cwd=folder)
    pattern = ("--value-pattern", "([0-9.]+)")
    with pytest.raises(StudyError, match="the values of 2 trials were read with the old one.*--fresh begins anew"):
        inside("tune", *SPACE, *pattern, "--trials", 4, *COMMAND, cwd=folder)
    run = inside("tune", *SPACE, *pattern, "--trials", 3, "--fresh", *COMMAND, cwd=folder)
    assert "kept as loss-1" in run.stderr and "Done: 3 trials" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tune", "python", "train.py", "--lr", "{lr}"), "Write -- before the program: auger tune -- python train.py"),
        (("tune", "--trials", "3", "python", "train.py"), "auger tune --trials 3 -- python train.py"),
        (("tune", "s.toml", "--float", "lr=1:2"), "s.toml has a space of its own"),
    ],
)
def test_a_forgotten_dash_dash_is_named(folder, arguments, message):
    with pytest.raises(StudyError, match=re.escape(message)):
        inside(*arguments, cwd=folder)


def test_a_study_that_is_done_says_that_there_is_nothing_to_run(folder):
    inside("tune", *SPACE, "--trials", 2, *COMMAND, cwd=folder)
    again = inside("tune", *SPACE, "--trials", 2, *COMMAND, cwd=folder)
    assert "Nothing to run: 2 of 2 trials were done before. For more, raise --trials." in again.stderr


@pytest.mark.parametrize(
    ("word", "meant"), [("small", "small.toml"), ("smal.toml", "small.toml"), ("old", "old.journal")]
)
def test_a_name_without_its_ending_is_answered_with_the_file(tmp_path, word, meant):
    write_study(tmp_path)
    (tmp_path / "old.journal").touch()
    with pytest.raises(StudyError, match=f"Did you mean '{meant}'"):
        inside("tune", word, cwd=tmp_path)

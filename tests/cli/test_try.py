"""`auger try`: one run of the program, shown and not recorded."""

import os
import pty
import subprocess
import sys
from contextlib import suppress

import pytest
from support.command_line import auger, inside
from support.programs import write

from auger.errors import StudyError

STUDY = """\
[study]
name = "small"
direction = "maximize"
[command]
run = ["sh", "-c", {script}, "sh", "{{x}}", "{{kind}}"]
[space]
x = {{ type = "float", low = 0.01, high = 1, log = true }}
kind = {{ type = "categorical", choices = ["a", "b"] }}
deep = {{ type = "int", low = 1, high = 9, when = {{ kind = ["b"] }} }}
"""
DEFAULTS = '[defaults]\nx = 0.25\nkind = "a"\n'


def study(folder, script, more=DEFAULTS, head=""):
    text = STUDY.format(script=f"'''{script}'''").replace('"{kind}"]', '"{kind}", "{deep}"]')
    return write(folder, text.replace("[command]", f"{head}[command]") + more, "small.toml")


def tried(folder, *arguments):
    """The output of `auger try`, title -> lines, and its exit code."""
    result = inside("try", *(arguments or ["small.toml"]), cwd=folder)
    sections, title = {}, ""
    for line in result.stdout.splitlines():
        title = line[:10].strip() or title
        sections.setdefault(title, []).append(line[10:])
    return sections, result


def test_the_command_the_exit_code_the_line_of_the_value_and_what_is_tuned_are_shown(tmp_path):
    study(tmp_path, "echo begin; echo score $1; echo bye")
    sections, result = tried(tmp_path)
    assert result.exit_code == 0
    assert sections["settings"] == ["x=0.25 kind=a", "those under [defaults]"]
    assert sections["command"] == ["sh -c 'echo begin; echo score $1; echo bye' sh 0.25 a"]
    assert sections["ended"][0].startswith("exit code 0, after ")
    assert sections["value"] == ["0.25, to be maximized", "line 2 of stdout: 'score 0.25'"]
    assert [line.split() for line in sections["to tune"]] == [
        ["parameter", "type", "tried", "values"],
        ["x", "float", "0.25", "0.01", "to", "1,", "log"],
        ["kind", "categorical", "a", "a,", "b"],
        ["deep", "int", "inactive", "1", "to", "9", "if", "kind", "is", "b"],
    ]


def test_no_trial_is_recorded_and_the_output_is_kept(tmp_path):
    study(tmp_path, "echo score $1")
    sections, _ = tried(tmp_path)
    assert sections["output"] == ["small.trials/try/0/ (no trial was recorded)"]
    assert (tmp_path / "small.trials/try/0/stdout").read_text() == "score 0.25\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.toml", "small.trials"]
    tuned = inside("tune", "small.toml", "--trials", 2, cwd=tmp_path)
    assert tuned.exit_code == 0 and "2 trials" in tuned.stderr


@pytest.mark.parametrize(
    ("more", "head", "settings"),
    [
        ("", "", ["x=0.1 kind=a", "no [defaults]: the middle of every range, the first of"]),
        (
            "",
            'initial = [{ x = 0.5, kind = "b", deep = 3 }]\n',
            ["x=0.5 kind=b deep=3", "no [defaults]: the first of `init"],
        ),
        ("", 'constraints = ["x > 0.5"]\n', ["x=0.", "no [defaults]: drawn at random"]),
    ],
)
def test_without_defaults_it_is_said_which_settings_were_tried(tmp_path, more, head, settings):
    study(tmp_path, "echo $1", more, head)
    lines = tried(tmp_path)[0]["settings"]
    assert [line.startswith(begin) for line, begin in zip(lines, settings, strict=True)] == [True, True], lines


@pytest.mark.parametrize(
    ("rule", "script", "source"),
    [
        ('read = "json"\nkey = "loss"', 'echo "{{\\"loss\\": 2}}"', "line 1 of stdout: '{\"loss\": 2}'"),
        ("read = 'regex'\npattern = 'loss=(.*)'\nstream = 'stderr'", "echo a >&2; echo loss=2 >&2", "line 2 of stderr"),
        ('read = "file"\npath = "out"', 'printf "a\\n2 b\\n" > $AUGER_FOLDER/out', "line 2 of out: '2 b'"),
        (
            'read = "file"\npath = "o.json"\nkey = "a"',
            'printf "{{\\n\\"a\\": 2}}" > $AUGER_FOLDER/o.json',
            "'a' in the JSON",
        ),
    ],
)
def test_every_rule_says_where_it_has_read(tmp_path, rule, script, source):
    study(tmp_path, script, f"{DEFAULTS}[value]\n{rule}\n")
    value, line = tried(tmp_path)[0]["value"]
    assert value == "2, to be maximized" and line.startswith(source)


def test_intermediate_values_are_listed_or_missed(tmp_path):
    report = "[report]\nread = 'regex'\npattern = 'epoch (?P<step>.) (?P<value>.*)'\n"
    study(tmp_path, "for i in 1 2 3 4 5 6 7; do echo epoch $i 0.$i; done", DEFAULTS + report)
    (line,) = tried(tmp_path)[0]["reports"]
    assert line == "7 intermediate values: step 1: 0.1, step 2: 0.2, step 3: 0.3, and 4 more"
    study(tmp_path, "echo 1", DEFAULTS + report)
    assert tried(tmp_path)[0]["reports"] == ["no intermediate value: no line matches [report]"]
    study(tmp_path, "echo epoch 1 0,5; echo 1", DEFAULTS + report)
    (line,) = tried(tmp_path)[0]["reports"]
    problem = "the line 'epoch 1 0,5' is ignored: it matches [report], but holds no plain number"
    assert line == f"no intermediate value: {problem}"


def test_a_function_can_be_tried(tmp_path):
    write(tmp_path, "def loss(config):\n    print(3)\n    return config['x'] * 2\n", "model.py")
    write(
        tmp_path, '[command]\nfunction = "model:loss"\n[space]\nx = { type = "float", low = 0, high = 1 }\n', "f.toml"
    )
    sections, result = tried(tmp_path, "f.toml")
    assert result.exit_code == 0 and sections["command"] == ["model:loss(settings)"]
    assert sections["value"] == ["1, to be minimized", "returned by the function"]


def test_a_program_that_fails_is_exit_code_1_with_the_last_lines_and_their_file(tmp_path):
    study(tmp_path, "echo out; for i in 1 2 3 4; do echo line $i >&2; done; exit 3")
    run = auger("try", "small.toml", cwd=tmp_path)
    assert run.returncode == 1
    assert "value     none: exit code 3: line 4\n" in run.stdout
    assert "stderr    line 2\n          line 3\n          line 4\n" in run.stdout
    assert "(the last lines of small.trials/try/0/stderr)" in run.stdout


@pytest.mark.parametrize("printed", ["loss 1,5", "loss 1 000", "loss \N{MINUS SIGN}5"])
def test_a_number_that_can_be_read_in_two_ways_is_an_error_that_quotes_the_line(tmp_path, printed):
    study(tmp_path, f"echo '{printed}'".replace("'", '"'))
    sections, result = tried(tmp_path)
    assert result.exit_code == 1
    assert f"in the line '{printed}'. Print plain numbers" in sections["value"][0]


def test_a_last_number_that_is_probably_not_the_loss_is_doubted_with_both_lines_and_a_remedy(tmp_path):
    path = study(tmp_path, "echo loss 0.2; echo Done in 3.2 s")
    _, result = tried(tmp_path)
    doubt = result.stdout.partition("\n\n")[2]
    assert "Is 3.2 the value?" in doubt and "'Done in 3.2 s'" in doubt and "'loss 0.2'" in doubt
    remedy = doubt.partition("write:\n")[2]
    path.write_text(path.read_text() + "\n".join(line.strip() for line in remedy.splitlines()))
    sections, result = tried(tmp_path)
    assert sections["value"] == ["0.2, to be maximized", "line 1 of stdout: 'loss 0.2'"]
    assert "Is " not in result.stdout


def test_a_program_can_be_tried_without_a_file(tmp_path):
    words = ["--float", "x=0:1", "--choice", "kind=a,b", "--", "sh", "-c", "echo loss $1; echo took 5 s", "sh"]
    sections, result = tried(tmp_path, *words, "{x}", "{kind}")
    assert sections["value"][0] == "5, to be minimized"
    assert "  --value-pattern 'loss (\\S+)'" in result.stdout
    sections, _ = tried(tmp_path, "--value-pattern", "loss (\\S+)", *words, "{x}", "{kind}")
    assert sections["value"] == ["0.5, to be minimized", "line 1 of stdout: 'loss 0.5'"]


def test_a_study_that_is_stored_can_be_tried(tmp_path):
    study(tmp_path, "echo score $1")
    inside("tune", "small.toml", "--trials", 1, cwd=tmp_path)
    sections, _ = tried(tmp_path, "small.journal")
    assert sections["value"] == ["0.25, to be maximized", "line 1 of stdout: 'score 0.25'"]


def test_a_narrow_terminal_breaks_lines_between_words_and_leaves_the_command_whole(tmp_path):
    study(tmp_path, "echo score $1 which is the value of this program, in a line that is long")
    reader, writer = pty.openpty()
    environment = {**os.environ, "COLUMNS": "50"}
    command = [sys.executable, "-m", "auger", "try", "small.toml"]
    subprocess.run(command, stdout=writer, stderr=writer, cwd=tmp_path, env=environment, check=True)
    os.close(writer)
    printed = b""
    with suppress(OSError):  # the end, on Linux
        while data := os.read(reader, 4096):
            printed += data
    os.close(reader)
    lines = printed.decode().splitlines()
    assert any(line.startswith("command   sh -c 'echo score") and line.endswith(" sh 0.25 a") for line in lines)
    assert all(len(line) <= 50 for line in lines if not line.startswith("command")), lines
    place = lines.index("          line 1 of stdout: 'score 0.25 which is")
    assert lines[place + 1 : place + 3] == [
        "            the value of this program, in a line",
        "            that is long'",
    ]


def test_a_program_that_does_not_exist_is_bad_input(tmp_path):
    study(tmp_path, "true")
    (tmp_path / "small.toml").write_text((tmp_path / "small.toml").read_text().replace('"sh", "-c"', '"nosuch", "-c"'))
    with pytest.raises(StudyError, match="there is no program 'nosuch'"):
        tried(tmp_path)

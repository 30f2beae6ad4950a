import json
import os
import pty
import re
import select
import signal
import subprocess
import sys

import pytest
from support.command_line import auger, inside, write_study

from auger.errors import AugerError
from auger.studies.definition.study_file import tomllib


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study that was run."""
    folder = tmp_path_factory.mktemp("done")
    write_study(folder)
    return folder, auger("tune", "small.toml", cwd=folder)


def test_the_settings_go_to_stdout_and_the_talk_to_stderr(done):
    _, run = done
    assert run.returncode == 0
    settings = tomllib.loads(run.stdout)
    assert set(settings) == {"x", "kind"} and settings["x"] < 0.75
    lines = run.stderr.splitlines()
    assert lines[0].startswith("study small in") and lines[1].startswith("[1/6] trial 0  0.75 ")
    assert "Done: 6 trials" in run.stderr and "% better than the defaults (0.75, trial 0)" in run.stderr
    assert "small.trials/<number>/" in run.stderr
    assert [line for line in lines if line.startswith("Next: ")] == [lines[-1]] == ["Next: auger report small.toml"]


def test_every_trial_has_its_output_in_files(done):
    folder, _ = done
    assert sorted(path.name for path in (folder / "small.trials").iterdir()) == list("012345")
    assert (folder / "small.trials" / "0" / "stdout").read_text() == "0.75\n"


def test_a_finished_study_is_not_run_again_and_a_bigger_budget_goes_on(tmp_path):
    write_study(tmp_path, trials=3)
    assert "Done: 3 trials" in auger("tune", "small.toml", cwd=tmp_path).stderr
    again = auger("tune", "small.toml", cwd=tmp_path)
    assert "[" not in again.stderr.partition("\n")[2].partition("Done")[0]
    more = auger("tune", "small.toml", "--trials", 5, "--workers", 2, cwd=tmp_path)
    assert "[4/5]" in more.stderr and "[5/5]" in more.stderr and "Done: 5 trials" in more.stderr


def test_a_recipe_with_options_comes_from_the_file_or_the_command_line(tmp_path):
    write_study(tmp_path, trials=4)
    file = tmp_path / "small.toml"
    file.write_text(file.read_text().replace("[study]", '[study]\nrecipe = "tpe n_initial=2 gamma=0.25"'))
    said = auger("tune", "small.toml", "--json", cwd=tmp_path).stdout
    other = ("--trials", 6, "--recipe", "bore-rf n_initial=3 ensemble=2")
    said += auger("tune", "small.toml", *other, "--json", cwd=tmp_path).stdout
    events = [event for event in map(json.loads, said.splitlines()) if event["event"] == "trial_started"]
    models = [event["reason"].partition(": score")[0] for event in events]
    assert models[2:] == [*["tpe gamma=0.25 n_initial=2"] * 2, *["bore-rf ensemble=2 n_initial=3"] * 2]
    wrong = auger("tune", "small.toml", "--recipe", "bore-rf gama=0.2", cwd=tmp_path)
    assert wrong.returncode == 2 and "[study] recipe: " in wrong.stderr and "Did you mean 'gamma'?" in wrong.stderr


def test_json_is_an_event_a_line_on_stdout(tmp_path):
    write_study(tmp_path, trials=2)
    run = auger("tune", "small.toml", "--json", cwd=tmp_path)
    events = [json.loads(line) for line in run.stdout.splitlines()]
    kinds = ["started", "trial_started", "trial_finished", "trial_started", "trial_finished", "finished"]
    assert [event["event"] for event in events] == kinds
    assert events[2]["value"] == 0.75 and events[2]["config"] == {"x": 0.75, "kind": "a b"}
    assert run.stderr == ""


def test_no_success_is_exit_code_1_with_the_last_error_and_where_its_output_is(tmp_path):
    write_study(tmp_path, trials=2, script="echo oh no >&2; exit 4")
    run = auger("tune", "small.toml", "--keep-going", cwd=tmp_path)
    assert run.returncode == 1 and run.stdout == ""
    assert "of trial 1: exit code 4: oh no" in run.stderr and "small.trials/1/" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["small.toml", "--time", "soon"], "--time"),
        (["small.toml", "--storage", "mysql://me:secret@host/db"], "must be a path, sqlite:///"),
        (["small.toml", "--storage", "small.toml"], "must be a journal file"),
        (["small.toml", "--storage", "nowhere/a.journal"], "does not exist"),
        (["package.module:function"], "--space"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_made(tmp_path, arguments, words):
    write_study(tmp_path)
    with pytest.raises(AugerError, match=words) as caught:
        inside("tune", *arguments, cwd=tmp_path)
    assert "secret" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tune", "missing.toml"], "auger: There is no study file missing.toml."),
        (["tune", "small.toml", "--trails", "3"], "--trials"),
        (["import", "missing.csv", "small.toml"], "auger: missing.csv: no such file or directory\n"),
        (["import", ".", "small.toml"], "auger: .: is a directory\n"),
    ],
)
def test_bad_input_is_exit_code_2_and_one_message(tmp_path, arguments, words):
    write_study(tmp_path)
    run = auger(*arguments, cwd=tmp_path)
    assert run.returncode == 2 and words in run.stderr and "Traceback" not in run.stderr and "Errno" not in run.stderr


def test_a_storage_that_cannot_be_reached_is_exit_code_3(tmp_path):
    write_study(tmp_path)
    run = auger("tune", "small.toml", "--storage", "postgresql://me:secret@127.0.0.1:1/db", cwd=tmp_path)
    assert run.returncode == 3 and "secret" not in run.stderr
    assert run.stderr.startswith("auger: The storage postgresql://me:***@127.0.0.1:1/db cannot be reached")


def test_a_changed_space_is_refused_and_a_wider_one_taken_when_it_is_meant(tmp_path):
    write_study(tmp_path, trials=2)
    auger("tune", "small.toml", cwd=tmp_path)
    write_study(tmp_path, trials=3, high=2)
    run = auger("tune", "small.toml", cwd=tmp_path)
    assert run.returncode == 2 and "x: high was 1.0, is 2.0" in run.stderr and "--widen" in run.stderr
    assert auger("tune", "small.toml", "--widen", cwd=tmp_path).returncode == 0
    write_study(tmp_path, trials=4, high=1)
    with pytest.raises(AugerError, match="another name"):
        inside("tune", "small.toml", "--widen", cwd=tmp_path)


def test_a_function_is_tuned_with_its_space_in_a_file(tmp_path):
    (tmp_path / "objective.py").write_text("def loss(config):\n    print('hello')\n    return config['x'] + 1\n")
    (tmp_path / "space.toml").write_text('[space]\nx = { type = "float", low = 0, high = 1 }\n')
    run = auger("tune", "objective:loss", "--space", "space.toml", "--trials", 2, "--seed", 3, cwd=tmp_path)
    assert run.returncode == 0 and "Next: auger report loss.journal loss" in run.stderr
    assert (tmp_path / "loss.trials" / "1" / "stdout").read_text() == "hello\n"


def test_the_same_seed_gives_the_same_study_in_another_process(tmp_path):
    outputs = []
    for name, hash_seed in (("a", "1"), ("b", "2")):
        (tmp_path / name).mkdir()
        write_study(tmp_path / name, trials=12)
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        auger("tune", "small.toml", cwd=tmp_path / name, env=environment)
        outputs.append(inside("trials", "small.toml", "--csv", cwd=tmp_path / name).stdout)
    outputs = [[line.split(",")[-2:] for line in output.splitlines()] for output in outputs]
    assert outputs[0] == outputs[1]


def test_a_cut_journal_is_mentioned_and_goes_on(tmp_path):
    write_study(tmp_path, trials=2)
    auger("tune", "small.toml", cwd=tmp_path)
    with (tmp_path / "small.journal").open("ab") as file:
        file.write(b'{"op_code":4,"study')
    run = auger("tune", "small.toml", "--trials", 3, cwd=tmp_path)
    assert run.returncode == 0 and "was cut after 19 bytes" in run.stderr and "Done: 3 trials" in run.stderr
    assert (tmp_path / "small.journal.torn").exists()


def test_a_worker_helps_with_a_study_and_says_less(tmp_path):
    write_study(tmp_path, trials=2)
    auger("tune", "small.toml", cwd=tmp_path)
    run = auger("worker", "small.journal", "small", cwd=tmp_path)
    assert run.returncode == 0 and run.stdout == "" and "Done" in run.stderr
    with pytest.raises(AugerError, match="Did you mean 'small'"):
        inside("worker", "small.journal", "smal", cwd=tmp_path)


def test_a_worker_without_the_folder_of_the_study_asks_for_one(tmp_path):
    (tmp_path / "old").mkdir()
    write_study(tmp_path / "old", trials=2)
    auger("tune", "small.toml", cwd=tmp_path / "old")
    (tmp_path / "old").rename(tmp_path / "new")
    with pytest.raises(AugerError, match="--home"):
        inside("worker", "new/small.journal", cwd=tmp_path)
    assert auger("worker", "new/small.journal", "--home", "new", cwd=tmp_path).returncode == 0


WAIT = "touch there.$(basename $AUGER_FOLDER); while ! test -e go; do sleep 0.01; done; echo $1"


def wait_for(folder, pattern):
    import time

    end = time.monotonic() + 60
    while not list(folder.glob(pattern)):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_ctrl_c_once_lets_the_trial_finish_and_is_exit_code_130(tmp_path):
    write_study(tmp_path, trials=3, script=WAIT)
    command = [sys.executable, "-m", "auger", "tune", "small.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        wait_for(tmp_path, "there.0")
        run.send_signal(signal.SIGINT)
        line = next(line for line in run.stderr if "No new trials" in line)
        assert "waiting for 1 running trial." in line
        (tmp_path / "go").touch()
        rest = run.stderr.read()
    assert run.returncode == 130
    assert "Interrupted after 1 of 3 trials" in rest and rest.endswith("Next: the same command goes on from here.\n")


def test_in_a_terminal_the_picture_has_a_bar_the_best_and_the_failures(tmp_path):
    """A terminal of 80 columns: nothing is wider, and the cursor and the echo are as before at the end."""
    import fcntl
    import struct
    import termios

    write_study(tmp_path, trials=8, script='test "$2" = "a b" || exit 3; sleep 0.3; echo $1')
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(theirs)
    command = [sys.executable, "-m", "auger", "tune", "small.toml"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, env=environment) as run:
        seen = b""
        while run.poll() is None or select.select([ours], [], [], 0)[0]:
            if select.select([ours], [], [], 0.1)[0]:
                seen += os.read(ours, 65536)
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    assert run.returncode == 0
    assert "/8" in text and "━" in text and "lowest" in text and "failed" in text and "exit code 3" in text
    assert seen.rstrip().endswith(b"auger report small.toml") and b"\x1b[?25h" in seen
    assert max(len(line) for line in re.split(r"[\r\n]+", text)) <= 80

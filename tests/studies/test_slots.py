"""A running trial has a slot to itself, on one machine."""

import json
import subprocess
import sys
import threading

import pytest
from support.command_line import auger, inside
from support.processes import wait_until
from support.programs import HEAD, outcome, printed, shell, write
from support.studies import definition

from auger.errors import StudyError
from auger.studies.definition import Definition, read_study_file
from auger.studies.pool.slots import LOCKS, Slots
from auger.studies.results import command_line
from auger.studies.storage import open_storage
from auger.studies.study import open_study

# A trial that finds the folder of its slot has company, and fails.
ALONE = 'mkdir "busy-$AUGER_SLOT" || exit 9; sleep 0.1; rmdir "busy-$AUGER_SLOT"; echo "$AUGER_SLOT" >>used; echo 1'
FILE = f"""\
[study]
name = "small"
trials = 8
slots = ["one", "two"]
[command]
run = ["sh", "-c", '{ALONE}', "sh", "{{x}}"]
[space]
x = {{ type = "float", low = 0, high = 1 }}
"""


def read(folder, lines):
    return read_study_file(write(folder, HEAD.replace('name = "small"', f'name = "small"\n{lines}')))


def complete(folder):
    return json.loads(inside("status", "study.toml", "--json", cwd=folder).stdout)["complete"]


def test_trials_of_one_process_share_no_slot_and_there_are_as_many_workers_as_slots(tmp_path):
    write(tmp_path, FILE)
    run = inside("tune", "study.toml", "--json", cwd=tmp_path)
    assert json.loads(run.stdout.splitlines()[0])["workers"] == 2
    assert complete(tmp_path) == 8
    assert set((tmp_path / "used").read_text().split()) == {"one", "two"}


def test_processes_of_one_machine_share_no_slot(tmp_path):
    """Two processes with one worker each take different slots, and a third waits for one that is free."""
    write(tmp_path, FILE.replace("sleep 0.1", "while [ ! -e go ]; do sleep 0.05; done"))

    def start(*arguments):
        command = [sys.executable, "-m", "auger", *arguments, "--workers", "1"]
        return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    processes = [start("tune", "study.toml")]
    wait_until((tmp_path / "busy-one").exists)
    processes += [start("worker", "small.journal"), start("worker", "small.journal")]
    wait_until((tmp_path / "busy-two").exists)
    (tmp_path / "go").touch()
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert complete(tmp_path) == 8


def test_a_slot_is_free_again_when_its_block_ends_and_waiting_can_be_given_up(tmp_path):
    slots, others, give_up = Slots(["a"], tmp_path), Slots(["a"], tmp_path), threading.Event()
    with slots.take(give_up) as slot:
        assert slot == "a"
        give_up.set()
        with others.take(give_up) as other, slots.take(give_up) as third:
            assert (other, third) == (None, None)
    with others.take(threading.Event()) as slot:
        assert slot == "a"


def test_without_slots_there_is_nothing_to_wait_for(tmp_path):
    with Slots([], tmp_path).take(threading.Event()) as slot:
        assert slot is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "slot", "seen"),
    [
        ({"slots": ("cuda:0", "cuda:1")}, "cuda:1", "cuda:1 7\n"),
        ({"gpus": (2, 3)}, "3", "3 3\n"),
        ({"gpus": (2, 3)}, None, "2 2\n"),
        ({"gpus": ("GPU-5ebe9f43", "MIG-1c4a")}, "MIG-1c4a", "MIG-1c4a MIG-1c4a\n"),
        ({}, None, "none 7\n"),
    ],
)
def test_a_program_finds_its_slot_in_variables(tmp_path, monkeypatch, settings, slot, seen):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    monkeypatch.delenv("AUGER_SLOT", raising=False)
    study = shell(tmp_path, 'echo "${AUGER_SLOT-none} $CUDA_VISIBLE_DEVICES"', **settings)
    outcome(study, slot=slot)
    assert printed(study) == seen


def test_a_function_finds_its_slot_as_well(tmp_path):
    (tmp_path / "place.py").write_text(
        "import os\ndef gpu(config):\n    return int(os.environ['CUDA_VISIBLE_DEVICES'])\n"
    )
    (tmp_path / "space.toml").write_text(
        '[study]\ntrials = 4\ngpus = [5, 6]\n[space]\nx = { type = "float", low = 0, high = 1 }\n'
    )
    run = inside("tune", "place:gpu", "--space", "space.toml", "--json", cwd=tmp_path)
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert {event["value"] for event in events if event["event"] == "trial_finished"} == {5.0, 6.0}


def test_a_slot_is_a_placeholder_too_and_the_command_of_the_best_names_the_first(tmp_path):
    text = HEAD.replace('"{x}"]', '"{x}", "--device={AUGER_SLOT}"]').replace("[study]", '[study]\nslots = ["a", "b"]')
    made = read_study_file(write(tmp_path, text))
    study = open_study(made, open_storage(made.storage))
    assert command_line(study, 0, {"x": 0.5}) == "true 0.5 --device=a"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('slots = "cuda:0"', r"slots: must be a list of different texts such as .* Got 'cuda:0'"),
        ("slots = [0, 1]", r"slots: must be a list of different texts .* Got \[0, 1\]"),
        ('slots = ["a", "a"]', r"slots: must be a list of different texts"),
        ("gpus = 2", r"gpus: must be a list of different GPUs such as \[0, 1\]. Got 2"),
        ("gpus = [0, -1]", r"gpus: must be a list of different GPUs"),
        ("gpus = [0, true]", r"gpus: must be a list of different GPUs"),
        ('gpus = [0, "0"]', r"gpus: must be a list of different GPUs"),
        ('gpus = ["0,1"]', r"gpus: must be a list of different GPUs"),
        ('gpus = [0]\nslots = ["a"]', r"gpus: must be left out with `slots`"),
        (
            "gpus = [0, 1]\nworkers = 3",
            r"line 4: .*workers: must be at most 2: each running trial takes one of .* Got 3",
        ),
    ],
)
def test_wrong_slots_are_refused_with_their_line(tmp_path, lines, words):
    with pytest.raises(StudyError, match=words):
        read(tmp_path, lines)


def test_a_slot_that_does_not_exist_is_no_placeholder(tmp_path):
    with pytest.raises(StudyError, match="neither `slots` nor `gpus`"):
        read_study_file(write(tmp_path, HEAD.replace('"{x}"', '"{x}", "{AUGER_SLOT}"')))


def test_more_workers_than_slots_are_refused_on_the_command_line(tmp_path):
    write(tmp_path, FILE)
    with pytest.raises(StudyError, match="at most 2"):
        inside("tune", "study.toml", "--workers", 3, cwd=tmp_path)
    assert not (tmp_path / "small.journal").exists()
    inside("tune", "study.toml", "--trials", 1, cwd=tmp_path)
    with pytest.raises(StudyError, match="at most 2"):
        inside("worker", "small.journal", "--workers", 3, cwd=tmp_path)


def test_slots_are_refused_by_name_on_a_ray_cluster(tmp_path):
    write(tmp_path, FILE)
    run = auger("tune", "study.toml", "--engine", "ray", cwd=tmp_path)
    assert run.returncode == 2 and "[study] slots: is for trials on this machine" in run.stderr
    assert not (tmp_path / "small.journal").exists()


def test_a_definition_of_an_earlier_version_has_no_slots(tmp_path):
    stored = definition(tmp_path, gpus=(0, 1)).to_json()
    assert Definition.from_json(stored, storage="x").gpus == (0, 1)
    del stored["slots"], stored["gpus"]
    assert Definition.from_json(stored, storage="x").slot_names == ()


def test_a_lock_file_that_leads_elsewhere_is_not_followed(tmp_path):
    slots = Slots(["one"], tmp_path)
    with slots.take(threading.Event()):
        pass
    (path,) = (tmp_path / LOCKS).iterdir()
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with slots.take(threading.Event()) as slot:
        assert slot == "one" and not (tmp_path / "elsewhere").exists()

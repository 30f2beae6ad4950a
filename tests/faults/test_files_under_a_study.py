"""Files of a study that are removed or replaced while it runs: the user is told, and nothing goes on without them."""

import shutil

import pytest
from faults.programs import GATED, ended, started, starts
from faults.study import Study, check_finished

INTERRUPTED = 130
STORAGES = {"journal": "study.journal", "sqlite": "sqlite:///study.db"}
FILES = {"journal": "study.journal", "sqlite": "study.db"}


@pytest.fixture(params=STORAGES)
def kind(request):
    return request.param


def running(scene, kind, **settings):
    """A study whose first trial has ended and whose second runs; and the file that holds it."""
    study = Study.write(scene.folder, GATED, storage=STORAGES[kind], trials=3, **settings)
    (scene.folder / "gate").touch()
    scene.run("tune", study.path, "--trials", 1)
    (scene.folder / "gate").unlink()
    auger = scene.start("tune", study.path, "--trials", 3)
    auger.wait_for(lambda: len(started(scene.folder)) == 2, "a trial starts")
    return study, auger, scene.folder / FILES[kind]


def wait_until_told(auger, *words):
    auger.wait_for(lambda: all(word in auger.stderr for word in ("does not answer", *words)), f"it is told: {words}")


def stop(auger):
    """Ctrl-C twice."""
    auger.interrupt()
    auger.wait_for(lambda: "Ctrl-C again" in auger.stderr, "it has heard the first")
    auger.interrupt()
    auger.wait(INTERRUPTED)


def test_a_storage_that_is_removed_ends_no_run_well(scene, kind):
    _study, auger, file = running(scene, kind)
    file.unlink()
    (scene.folder / "gate").touch()
    wait_until_told(auger, file.name)
    stop(auger)
    assert not file.exists(), "an empty one would look like the study"


OTHERS = {"an empty file": b"", "another journal": b'{"op_code":0,"a":1}\n' * 100}


@pytest.mark.parametrize("other", OTHERS)
def test_another_file_in_the_position_of_a_storage_is_left_alone_until_the_storage_is_back(scene, kind, other):
    study, auger, file = running(scene, kind)
    away = file.rename(scene.folder / "away")
    file.write_bytes(OTHERS[other])
    (scene.folder / "gate").touch()
    wait_until_told(auger, "another file has taken the position", file.name)
    assert file.read_bytes() == OTHERS[other]
    away.rename(file)
    auger.wait()
    check_finished(study, 3)
    assert set(starts(scene.folder).values()) == {1}


OVERWRITINGS = {
    "nothing": lambda _: b"",
    "half of it": lambda content: content[: len(content) // 2],
    "something else": lambda content: b"\x5a" * 2 * len(content),
}


@pytest.mark.parametrize("overwriting", OVERWRITINGS)
def test_a_storage_that_is_written_over_where_it_is_ends_no_run_well(scene, kind, overwriting):
    study, auger, file = running(scene, kind)
    content = file.read_bytes()
    file.write_bytes(OVERWRITINGS[overwriting](content))
    (scene.folder / "gate").touch()
    wait_until_told(auger, file.name)
    file.write_bytes(content)
    auger.wait()
    check_finished(study, 3)
    assert set(starts(scene.folder).values()) == {1}


def test_a_journal_that_was_restored_from_a_copy_is_gone_on_with(scene):
    study, auger, file = running(scene, "journal")
    shutil.copy(file, scene.folder / "copy")
    (scene.folder / "copy").rename(file)
    (scene.folder / "gate").touch()
    auger.wait()
    check_finished(study, 3)
    assert "does not answer" not in auger.stderr


def test_a_copy_is_not_taken_for_the_database_that_sqlite_has_open(scene):
    study, auger, file = running(scene, "sqlite")
    shutil.copy(file, scene.folder / "copy")
    away = file.rename(scene.folder / "away")
    (scene.folder / "copy").rename(file)
    (scene.folder / "gate").touch()
    wait_until_told(auger, "another file has taken the position", file.name)
    away.rename(file)
    auger.wait()
    check_finished(study, 3)


def test_without_the_log_of_a_database_nothing_is_written_and_what_was_stays(scene):
    study, auger, _file = running(scene, "sqlite")
    (scene.folder / "study.db-wal").unlink()
    (scene.folder / "gate").touch()
    wait_until_told(auger, "study.db-wal")
    stop(auger)
    assert len(study.complete()) == 1
    scene.run("tune", study.path)
    check_finished(study, 3)
    assert len(starts(scene.folder)) == 3, "the second trial had left its result in its folder"


def test_the_file_of_the_turns_may_be_removed_at_any_time(scene, kind):
    study, auger, file = running(scene, kind)
    file.with_name(f"{file.name}.turn").unlink()
    (scene.folder / "gate").touch()
    auger.wait()
    check_finished(study, 3)


def test_a_study_file_and_trial_folders_that_are_removed_take_no_trial_with_them(scene):
    study, auger, _file = running(scene, "journal")
    study.path.unlink()
    shutil.rmtree(scene.folder / "study.trials")
    (scene.folder / "gate").touch()
    auger.wait()
    check_finished(study, 3)
    assert len(ended(scene.folder)) == 3
    assert (scene.folder / "study.trials" / "2" / "result.json").exists()

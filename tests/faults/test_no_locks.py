"""Studies on a file system without locks, such as Lustre mounted without `flock`: one process at a time may work."""

import pytest
from faults.preload import preload
from faults.programs import GATED, started
from faults.study import Study, check_finished

REFUSED = 2
WORDS = ("no file locks", "PostgreSQL", "another file system")


@pytest.fixture(scope="module")
def without_locks(tmp_path_factory):
    """The environment of a process in which no file can be locked."""
    return preload("no_locks", tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize("storage", ["journal", "sqlite"], indirect=True)
def test_without_file_locks_one_process_works_with_a_warning_and_a_second_is_refused(scene, storage, without_locks):
    study = Study.write(scene.folder, GATED, storage=storage, trials=3, workers=2)
    first = scene.start("tune", study.path, **without_locks)
    first.wait_for(lambda: len(started(scene.folder)) == 2, "two trials start")
    assert "no file locks" in first.stderr
    for command in (("tune", study.path), ("worker", study.address, study.name)):
        second = scene.run(*command, code=REFUSED, **without_locks)
        assert all(word in second.stderr for word in WORDS), str(second)
        assert str(first.pid) in second.stderr
    (scene.folder / "gate").touch()
    first.wait()
    check_finished(study, 3)
    assert len(started(scene.folder)) == 3


def test_without_file_locks_a_study_goes_on_after_a_kill(scene, without_locks):
    study = Study.write(scene.folder, GATED, trials=3, workers=2)
    first = scene.start("tune", study.path, **without_locks)
    first.wait_for(lambda: len(started(scene.folder)) == 2, "two trials start")
    first.kill()
    (scene.folder / "gate").touch()
    scene.run("tune", study.path, **without_locks)
    check_finished(study, 3)

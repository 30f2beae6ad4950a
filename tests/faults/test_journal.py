"""The journal file: cut in the middle of a line, and on a full disk."""

import json

import pytest
from faults.disk import Disk
from faults.programs import GATED, QUICK, started, starts
from faults.study import Study, check_finished

TAILS = {
    "without its last line end": lambda whole: whole[:-1],
    "in the middle of its last line": lambda whole: whole[: whole.rindex(b"\n", 0, -1) + 20],
    "after its last line, with a piece of another": lambda whole: whole + b'{"op_code":',
    "with the zeros that a crashed machine leaves": lambda whole: whole + bytes(300),
}


@pytest.mark.parametrize("tail", TAILS)
def test_of_a_journal_cut_in_the_middle_of_a_line_everything_before_is_read_and_the_user_is_told(scene, tail):
    study = Study.write(scene.folder, QUICK, trials=4)
    scene.run("tune", study.path)
    whole = study.journal.read_bytes()
    study.journal.write_bytes(TAILS[tail](whole))
    Study.write(scene.folder, QUICK, trials=6)
    auger = scene.run("tune", study.path)
    assert study.journal.name in auger.stderr, str(auger)
    check_finished(study, 6)
    assert set(starts(scene.folder).values()) == {1}, "the cut trial had left its result in its folder"


def test_a_journal_that_is_moved_away_is_waited_for(scene):
    study = Study.write(scene.folder, GATED, trials=3)
    auger = scene.start("tune", study.path)
    auger.wait_for(lambda: started(scene.folder), "a trial starts")
    away = study.journal.rename(scene.folder / "away")
    (scene.folder / "gate").touch()
    auger.wait_for(lambda: "does not answer" in auger.stderr, "the user is told")
    away.rename(study.journal)
    auger.wait()
    check_finished(study, 3)
    assert set(starts(scene.folder).values()) == {1}


def test_a_journal_on_a_full_disk_loses_nothing_and_goes_on_when_there_is_space(scene):
    (scene.folder / "disk").mkdir()
    with Disk(scene.folder / "disk", "4m") as disk:
        study = Study.write(scene.folder, GATED, storage="disk/study.journal", trials=5, workers=2)
        auger = scene.start("tune", study.path, prefix=disk.prefix)
        auger.wait_for(lambda: len(started(scene.folder)) == 2, "two trials start")
        disk.fill()
        before = (disk.path / "study.journal").read_bytes()
        (scene.folder / "gate").touch()
        auger.wait_for(lambda: "space" in auger.stderr, "the user is told")
        assert (disk.path / "study.journal").read_bytes().startswith(before)
        disk.free()
        auger.wait()
        after = (disk.path / "study.journal").read_bytes()
        assert after.startswith(before)
        assert all(json.loads(line) for line in after.splitlines())
        (scene.folder / "copy.journal").write_bytes(after)
    check_finished(Study(study.path, study.name, "copy.journal"), 5)
    assert set(starts(scene.folder).values()) == {1}

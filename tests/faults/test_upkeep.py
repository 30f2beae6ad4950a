"""Failures forgotten, a study begun anew, and one removed, on PostgreSQL as on files."""

import json

import pytest
from faults.programs import QUICK, shell
from faults.study import Study
from faults.terminal import InTerminal
from optuna.trial import TrialState


@pytest.mark.parametrize("storage", ["postgres"], indirect=True)
def test_a_mended_program_begins_anew_is_set_aside_and_removed(scene, storage):
    study = Study.write(scene.folder, shell('[ -e mended ] || exit 3; echo "$1"', "{x}"), storage=storage, trials=6)
    broken = scene.run("tune", study.path, code=1)
    assert "The first 5 trials failed alike" in broken.stderr and study.states() == {TrialState.FAIL: 5}
    (scene.folder / "mended").touch()
    assert "Forgot 5 failures" in scene.run("tune", study.path).stderr
    assert study.states() == {TrialState.FAIL: 5, TrialState.COMPLETE: 6}
    assert "kept as study-1" in scene.run("tune", study.path, "--fresh").stderr
    assert study.states() == {TrialState.COMPLETE: 6}
    status = json.loads(scene.run("status", storage, "study-1", "--json").stdout)
    assert (status["finished"], status["complete"], status["forgotten"]) == (6, 6, 5)
    scene.run("rm", study.path, "--yes")
    assert "There is no study 'study'" in scene.run("status", study.path, code=2).stderr
    assert not (scene.folder / "study.trials").exists() and (scene.folder / "study.trials-1").is_dir()


def test_in_a_terminal_a_study_is_removed_only_after_a_yes(scene):
    study = Study.write(scene.folder, QUICK, trials=2)
    scene.run("tune", study.path)
    scene.run("try", study.path)
    assert (scene.folder / "study.trials" / "try" / "0").is_dir()
    for answer, code in ((b"n\r", 1), (b"y\r", 0)):
        assert len(study.trials()) == 2 and (scene.folder / "study.trials").is_dir()
        auger = scene.start("rm", study.path, make=InTerminal)
        auger.wait_for(lambda auger=auger: "[y/N]" in auger.stdout, "a question")
        assert "2 trials" in auger.stdout and "study.journal" in auger.stdout
        auger.type(answer)
        auger.wait(code)
    assert not study.journal.exists() and not (scene.folder / "study.trials").exists()

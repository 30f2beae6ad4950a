"""Sixteen workers on one study."""

from faults.programs import GATE, diary, started, starts
from faults.study import Study, check_finished

SIXTEEN = 16
SPACE = {"x": {"type": "int", "low": 1, "high": 25}, "y": {"type": "int", "low": 1, "high": 20}}  # 500 configurations


def test_sixteen_workers_run_every_configuration_of_a_space_of_500_exactly_once(scene, storage, figures):
    study = Study.write(scene.folder, diary(f'{GATE}; echo "$1"', "{x}.{y}"), SPACE, storage=storage, trials=500)
    workers = [scene.start("tune", study.path)]
    workers[0].wait_for(lambda: started(scene.folder), "the study is there")
    workers += [scene.start("worker", study.address, study.name) for _ in range(SIXTEEN - 1)]
    scene.wait_for(lambda: len(started(scene.folder)) == SIXTEEN, "each of them has a trial")
    (scene.folder / "gate").touch()
    for worker in workers:
        worker.wait()
    check_finished(study, 500)
    assert set(starts(scene.folder).values()) == {1}
    assert len(starts(scene.folder)) == 500
    figures(study, 500, f"16 workers on {study.kind}")

"""PostgreSQL stopped, killed and restarted in the middle of a run."""

import pytest
from faults.postgres import Postgres
from faults.programs import GATED, QUICK, diary, ended, started, starts
from faults.study import Study, check_finished

UNREACHABLE = 3
WAYS = {"stopped": Postgres.stop, "killed": Postgres.kill, "disconnected": Postgres.disconnect}


@pytest.mark.parametrize("way", ["stopped", "killed"])
def test_a_trial_that_ends_while_postgresql_is_away_is_told_when_it_is_back(scene, postgres, way):
    study = Study.write(scene.folder, GATED, storage=postgres.database(), trials=5, workers=2)
    auger = scene.start("tune", study.path)
    auger.wait_for(lambda: len(started(scene.folder)) == 2, "two trials start")
    WAYS[way](postgres)
    (scene.folder / "gate").touch()
    auger.wait_for(lambda: len(ended(scene.folder)) == 2, "both end")
    auger.wait_for(lambda: "storage" in auger.stderr, "the user is told")
    postgres.start()
    auger.wait()
    check_finished(study, 5)
    assert set(starts(scene.folder).values()) == {1}


@pytest.mark.parametrize("way", WAYS)
def test_restarts_of_postgresql_in_full_flight_lose_nothing(scene, postgres, way, figures):
    study = Study.write(scene.folder, QUICK, storage=postgres.database(), trials=60, workers=2)
    workers = [scene.start("tune", study.path)]
    workers[0].wait_for(lambda: ended(scene.folder), "the study is there")
    workers.append(scene.start("worker", study.address, study.name, "--json"))
    workers[1].wait_for(lambda: workers[1].events, "it has begun")  # to begin with, a storage has to be there
    for goal in (24, 32, 40, 48):
        scene.wait_for(lambda: len(ended(scene.folder)) >= goal, f"{goal} trials have ended")
        WAYS[way](postgres)
        if not postgres.is_running():
            postgres.start()
    for worker in workers:
        worker.wait()
    check_finished(study, 60)
    assert set(starts(scene.folder).values()) == {1}
    figures(study, 60, f"PostgreSQL {way} 4 times")


NAMES = {"größe": {"type": "int", "low": 0, "high": 99}, "λ": {"type": "categorical", "choices": ["é", "→"]}}
SAY = 'echo "$1"'


def test_a_database_of_the_encoding_sql_ascii_holds_a_study_like_any_other(scene, postgres):
    storage = postgres.database("SQL_ASCII")
    study = Study.write(scene.folder, diary(SAY, "{größe}", "{λ}"), NAMES, storage=storage, trials=4, workers=2)
    scene.run("tune", study.path)
    check_finished(Study(study.path, study.name, f"{storage}?client_encoding=utf8"), 4)


def test_a_name_that_a_database_cannot_hold_is_told_in_a_line_before_anything_runs(scene, postgres):
    storage = postgres.database("LATIN1")
    study = Study.write(scene.folder, diary(SAY, "{größe}", "{λ}"), NAMES, storage=storage, trials=4)
    auger = scene.run("tune", study.path, code=2)
    assert 'has no equivalent in encoding "LATIN1"' in auger.stderr
    assert "Traceback" not in auger.stderr
    assert not started(scene.folder)


def test_a_name_of_a_study_that_a_database_cannot_hold_is_told_in_a_line(scene, postgres):
    study = Study.write(scene.folder, QUICK, storage=postgres.database("LATIN1"), name="λ", trials=4)
    for command in ("tune", "status", "trials"):
        auger = scene.run(command, study.path, code=2)
        assert 'has no equivalent in encoding "LATIN1"' in auger.stderr
        assert "Traceback" not in auger.stderr
    assert not started(scene.folder)


def test_a_database_that_may_only_be_read_is_told_in_a_line_before_anything_runs(scene, postgres):
    storage = postgres.database()
    postgres.forbid_writing(storage)
    study = Study.write(scene.folder, QUICK, storage=storage, trials=4)
    auger = scene.run("tune", study.path, code=2)
    assert "cannot be used as a storage" in auger.stderr and "read-only" in auger.stderr
    assert "Traceback" not in auger.stderr
    assert not started(scene.folder)


def test_a_study_whose_postgresql_is_not_there_says_so_and_where(scene, postgres):
    study = Study.write(scene.folder, QUICK, storage=postgres.database(), trials=2)
    postgres.stop()
    auger = scene.run("tune", study.path, code=UNREACHABLE)
    assert f"127.0.0.1:{postgres.port}" in auger.stderr

"""Failures of a program that was changed or mended count no longer."""

import pytest
from support.studies import complete, definition, failed

from auger import Int, Space
from auger.studies.definition import Command, Limits
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.storage import open_storage
from auger.studies.study import load_study, open_study
from auger.studies.view import view_of

SPACE = Space({"n": Int(0, 5)})
OLD, NEW = Command(("old", "{n}")), Command(("new", "{n}"))


@pytest.fixture(params=["study.journal", "sqlite:///study.db"])
def storage(request, tmp_path):
    return request.param


def opened(folder, storage, *, forget=False, keep_going=True, **changes):
    settings = {"space": SPACE, "command": OLD, "defaults": {"n": 3}, "trials": 6, "storage": storage, **changes}
    made = definition(folder, **settings)
    return open_study(made, open_storage(storage, folder=folder), forget=forget, keep_going=keep_going)


def run(study, outcome):
    """Run the study to its budget. Returns the configurations."""
    coordinator, configs = Coordinator(study, new_owner()), []
    while (assignment := coordinator.ask(str(len(study.trials())))) is not None:
        n = assignment.trial.config["n"]
        coordinator.tell(assignment, outcome(n))
        configs.append(n)
    return configs


@pytest.mark.parametrize(
    "change", [{"command": NEW}, {"limits": Limits(time=60.0)}, {"forget": True}], ids=["command", "limit", "asked"]
)
def test_a_changed_command_tries_everything_again_that_failed(tmp_path, storage, change):
    assert sorted(run(opened(tmp_path, storage), lambda n: failed())) == [0, 1, 2, 3, 4, 5]
    study = opened(tmp_path, storage, **change)
    assert "Forgot 6 failures" in study.notes[-1]
    configs = run(study, lambda n: complete(float(n)))
    assert configs[0] == 3 and sorted(configs) == [0, 1, 2, 3, 4, 5]  # the defaults first, and nothing twice
    standing = view_of(study).standing
    assert (standing.finished, standing.complete, standing.forgotten) == (6, 6, 6)
    assert len(study.trials()) == 12  # the record is whole


def test_values_are_kept_and_their_configurations_not_tried_again(tmp_path, storage):
    run(opened(tmp_path, storage), lambda n: failed() if n % 2 else complete(float(n)))
    study = opened(tmp_path, storage, command=NEW)
    assert sorted(run(study, lambda n: complete(float(n)))) == [1, 3, 5]
    assert sorted(view_of(study).numbers.tolist()) == [
        trial.number for trial in study.trials() if trial.value is not None
    ]


def test_a_failure_of_the_new_command_counts_and_the_old_ones_are_forgotten_once(tmp_path, storage):
    run(opened(tmp_path, storage), lambda n: failed())
    run(opened(tmp_path, storage, command=NEW), lambda n: failed())
    again = opened(tmp_path, storage, command=NEW)
    assert again.notes == () and again.forgotten == 6 and run(again, failed) == []
    assert load_study(again.storage, "study").forgotten == 6
    third = opened(tmp_path, storage, forget=True)
    assert third.forgotten == 12 and "Forgot 6 failures" in third.notes[-1]


def test_without_a_change_nothing_is_forgotten_unless_nothing_has_worked(tmp_path, storage):
    run(opened(tmp_path, storage), lambda n: failed())
    assert opened(tmp_path, storage).forgotten == 0
    assert opened(tmp_path, storage, keep_going=False).forgotten == 6  # the defaults were among them


def test_one_success_shows_that_the_program_works(tmp_path, storage):
    run(opened(tmp_path, storage), lambda n: complete(1.0) if n == 0 else failed())
    assert opened(tmp_path, storage, keep_going=False).forgotten == 0


def test_a_study_that_somebody_works_on_forgets_nothing_by_itself(tmp_path, storage):
    study = opened(tmp_path, storage)
    coordinator = Coordinator(study, new_owner())
    coordinator.tell(coordinator.ask("defaults"), failed())
    coordinator.ask("running")
    assert opened(tmp_path, storage, keep_going=False).forgotten == 0


def test_a_coordinator_without_keep_going_stops_at_the_fifth_failure_that_is_alike(tmp_path, storage):
    study = opened(tmp_path, storage, defaults=None)
    coordinator = Coordinator(study, new_owner(), keep_going=False)
    for i in range(5):
        assert coordinator.breakdown is None
        coordinator.tell(coordinator.ask(str(i)), failed(f"exit code 1: no file /data/{i}"))
    assert coordinator.ask("sixth") is None
    assert (coordinator.breakdown.n_failed, coordinator.breakdown.exit_code) == (5, 1)

import dataclasses
from collections import Counter
from datetime import datetime, timedelta

import optuna
import pytest
from optuna.trial import TrialState, create_trial
from support.studies import STOPPED, complete, failed, new_study

from auger import Int, Space
from auger.provenance import Origin
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.events import Leader
from auger.studies.pool.owners import new_owner, owner_of
from auger.studies.storage import turns
from auger.studies.study import load_study
from auger.studies.trial import write_result
from auger.trial import State


def coordinator(study, **changes):
    return Coordinator(study, dataclasses.replace(new_owner(), **changes))


def gone(study):
    """The coordinator of a process that has ended since."""
    return coordinator(study, started="long ago")


def begin(study, assignment):
    """What a worker does first with a trial."""
    (study.definition.trials_folder / str(assignment.trial.number)).mkdir(parents=True)
    return assignment


@pytest.fixture(params=["study.journal", "sqlite:///study.db"])
def study(request, tmp_path):
    return new_study(tmp_path, storage=request.param)


def attributes(study, number):
    return study.trials()[number].user_attrs


def test_a_trial_is_ours_and_whole_from_the_moment_it_exists(study):
    mine = coordinator(study)
    assigned = mine.ask("token")
    (trial,) = study.trials()
    assert trial.state is TrialState.RUNNING and trial.params == study.params(assigned.trial.config)
    assert owner_of(trial.user_attrs).token == "token"
    assert (trial.system_attrs["auger:origin"], assigned.trial.origin) == ("initial", Origin.INITIAL)
    assert trial.system_attrs["auger:provenance"] == assigned.trial.provenance.to_json()
    assert {"auger:origin", "auger:provenance", "auger:reason"}.isdisjoint(trial.user_attrs)


def test_the_budget_is_kept_to_the_trial_by_several_coordinators(study):
    coordinators = [coordinator(study), coordinator(load_study(study.storage, "study"))]
    asked = [each.ask(f"{i}{j}") for i in range(4) for j, each in enumerate(coordinators)]
    assert [assignment is not None for assignment in asked] == [True] * 4 + [False] * 4
    assert [assignment.trial.number for assignment in asked[:4]] == [0, 1, 2, 3]


def test_what_is_proposed_in_a_turn_that_was_lost_meanwhile_is_never_visible(study, monkeypatch):
    monkeypatch.setattr(turns, "_SIGN_EVERY", 1e6)
    monkeypatch.setattr("auger.studies.pool.coordinator.PATIENCE", 0.1)
    suspended, other, asked = coordinator(study), coordinator(load_study(study.storage, "study")), []
    propose = suspended._propose

    def propose_late(frozen_trials):
        if not asked:
            asked.extend(other.ask(str(i)) for i in range(4))
        return propose(frozen_trials)

    monkeypatch.setattr(suspended, "_propose", propose_late)
    assert suspended.ask("token") is None
    assert [assignment.trial.number for assignment in asked] == [0, 1, 2, 3] and len(study.trials()) == 4


def test_failed_and_pruned_trials_count_and_stopped_ones_are_run_again(study):
    mine = coordinator(study)
    first, second, third = (mine.ask(str(i)) for i in range(3))
    for assignment, outcome in ((first, complete(0.5)), (second, failed()), (third, STOPPED)):
        assert mine.tell(assignment, outcome)
    again = mine.ask("again")
    assert (again.trial.config, again.retry_of, again.trial.number) == (third.trial.config, 2, 3)
    assert again.trial.provenance == third.trial.provenance
    assert mine.ask("more").trial.number == 4
    assert mine.ask("too many") is None
    assert attributes(study, 1)["auger:failed"]["error"] == "exit code 1"
    assert "auger:stopped" in attributes(study, 2)


def test_what_was_made_for_a_question_whose_answer_was_lost_is_taken_back(study):
    mine = coordinator(study)
    lost, again = mine.ask("token"), mine.ask("token")
    assert (lost.trial.number, again.trial.number) == (0, 1)
    assert "auger:surplus" in attributes(study, 0) and study.trials()[0].state is TrialState.FAIL
    assert [mine.ask(str(i)) is not None for i in range(4)] == [True] * 3 + [False]  # it took no place in the budget


def test_telling_twice_is_telling_once(study):
    mine = coordinator(study)
    assignment = mine.ask("token")
    assert mine.tell(assignment, complete(0.5)) and mine.tell(assignment, complete(0.5))
    assert study.trials()[0].value == 0.5


def test_a_trial_whose_process_is_gone_is_run_again_with_the_same_configuration(study):
    lost = begin(study, gone(study).ask("token"))
    mine = coordinator(study)
    again = mine.ask("mine")
    assert (again.trial.config, again.retry_of) == (lost.trial.config, lost.trial.number)
    assert study.trials()[0].state is TrialState.FAIL
    assert attributes(study, 0)["auger:died"]["error"] == "its worker died"
    assert [(number, state) for number, _, state in mine.given_up] == [(0, "died")]


def test_a_trial_that_loses_its_worker_again_is_not_tried_a_third_time(study):
    for token in "ab":
        begin(study, gone(study).ask(token))
    assert coordinator(study).ask("c").retry_of is None


def test_a_trial_whose_process_is_gone_before_it_began_is_taken_back(study):
    gone(study).ask("token")
    mine = coordinator(study)
    assert mine.ask("mine").retry_of is None
    assert "auger:surplus" in attributes(study, 0) and mine.given_up == []
    assert [mine.ask(str(i)) is not None for i in range(4)] == [True] * 3 + [False]


def test_a_configuration_that_was_named_is_run_even_if_its_worker_died_before_it_began(tmp_path):
    study = new_study(tmp_path, initial=({"x": 0.5, "kind": "a"},))
    lost = gone(study).ask("token")
    again = coordinator(study).ask("mine")
    assert (again.trial.config, again.retry_of) == (lost.trial.config, 0)


def test_the_result_of_a_dead_worker_that_had_finished_is_taken(study):
    lost = begin(study, gone(study).ask("token"))
    write_result(study.definition.trials_folder / "0", lost.trial.config, complete(0.125))
    mine = coordinator(study)
    assert mine.ask("mine").retry_of is None
    assert study.trials()[0].value == 0.125
    assert [state for _, _, state in mine.given_up] == ["complete"]


def test_whoever_was_thought_dead_is_told_that_the_trial_is_lost(study):
    dead = gone(study)
    lost = begin(study, dead.ask("token"))
    coordinator(study).ask("mine")
    assert not dead.beat(lost, 1)
    assert not dead.tell(lost, complete(0.5))
    assert study.trials()[0].state is TrialState.FAIL


def test_a_beat_is_seen_by_others(study):
    mine = coordinator(study)
    assignment = mine.ask("token")
    assert mine.beat(assignment, 1) and mine.beat(assignment, 2)
    assert attributes(study, 0)["auger:beat"] == 2


def test_trials_of_living_processes_are_looked_after_and_left_alone(study):
    other = coordinator(study, worker="other", machine="elsewhere")
    other.ask("token")
    mine = coordinator(study)
    assert mine.look_after_others()
    assert study.trials()[0].state is TrialState.RUNNING
    assert not other.look_after_others()


def test_the_defaults_and_initial_configurations_come_first(tmp_path):
    defaults, initial = {"x": 0.5, "kind": "b"}, ({"x": 0.25, "kind": "a"}, {"x": 0.5, "kind": "b"})
    mine = coordinator(new_study(tmp_path, defaults=defaults, initial=initial))
    asked = [mine.ask(str(i)) for i in range(3)]
    assert [assignment.trial.config for assignment in asked[:2]] == [defaults, initial[0]]
    assert [assignment.trial.origin for assignment in asked] == [Origin.GIVEN, Origin.GIVEN, Origin.INITIAL]
    assert [assignment.trial.reason for assignment in asked[:2]] == ["named in the study file"] * 2


def test_a_trial_that_was_enqueued_with_optuna_comes_first(study):
    study.optuna.enqueue_trial({"x": 0.125})
    config = coordinator(study).ask("token").trial.config
    assert config["x"] == 0.125 and config["kind"] in {"a", "b"}
    assert owner_of(attributes(study, 0)) is not None


def test_a_finite_space_is_tried_without_repetition_by_several_coordinators(tmp_path):
    study = new_study(tmp_path, space=Space({"n": Int(0, 11)}), trials=12)
    coordinators = [coordinator(study), coordinator(load_study(study.storage, "study"))]
    for i in range(12):
        assignment = coordinators[i % 2].ask(str(i))
        if i % 3:
            coordinators[i % 2].tell(assignment, complete(assignment.trial.config["n"]))
    assert Counter(trial.params["n"] for trial in study.trials()) == Counter(range(12))


def test_a_time_budget_ends_a_study(tmp_path):
    study = new_study(tmp_path, trials=None, time=3600.0)
    mine = coordinator(study)
    assert mine.ask("a") is not None
    hour = optuna.trial.create_trial(value=1.0)
    hour.datetime_start = hour.datetime_start.replace(year=2020)
    study.storage.optuna.create_new_trial(study.key, template_trial=hour)
    assert mine.ask("b") is None


def test_a_clock_that_was_set_back_does_not_end_a_study(tmp_path):
    """Two trials of one second each; between them, the clock of the machine was set back by 40 seconds."""
    study, owner, now = new_study(tmp_path, trials=None, time=30.0), new_owner(), datetime.now()
    params = study.params({"x": 0.5, "kind": "a"})
    for at_work, start in ((0.0, now + timedelta(seconds=38)), (1.0, now - timedelta(seconds=1))):
        attributes = {"auger:worker": owner.to_json(), "auger:at_work": at_work}
        frozen = create_trial(
            value=1.0, params=params, distributions=study.distributions(params), user_attrs=attributes
        )
        frozen.datetime_start, frozen.datetime_complete = start, start + timedelta(seconds=1)
        study.storage.optuna.create_new_trial(study.key, template_trial=frozen)
    mine = coordinator(study)
    assert mine.ask("token") is not None
    assert 2.0 <= mine.seconds_spent() < 30.0


def test_a_report_is_stored_and_pruned_by_the_rest_of_the_study(tmp_path):
    from auger.studies.definition import ReportRule

    study = new_study(tmp_path, trials=9, pruner="median", report=ReportRule("json", key="loss"))
    mine = coordinator(study)
    for i in range(6):
        assignment = mine.ask(str(i))
        is_pruned = [mine.report(assignment, step, float(i == 5)) for step in range(3)]
        assert any(is_pruned) == (i == 5)
        mine.tell(assignment, dataclasses.replace(complete(0.0), state=State.PRUNED if i == 5 else State.COMPLETE))
    assert study.trials()[5].state is TrialState.PRUNED and study.trials()[5].value == 1.0


def test_counts_follow_what_was_asked_and_told_before_it_is_read_again(study):
    mine = coordinator(study)
    assignments = [mine.ask(str(i)) for i in range(3)]
    assert (mine.counts().running, mine.counts().finished, mine.counts().best) == (3, 0, None)
    mine.tell(assignments[0], complete(0.75))
    mine.tell(assignments[1], failed())
    now = mine.counts()
    assert (now.running, now.finished, now.complete, now.failed) == (1, 2, 1, 1)
    assert now.best == Leader(0, 0.75, assignments[0].trial.config)
    mine.look_after_others()
    assert mine.counts() == now


@pytest.mark.parametrize(("direction", "best"), [("minimize", 1), ("maximize", 2)])
def test_the_leader_is_the_best_of_what_was_read_and_what_was_told_since(tmp_path, direction, best):
    mine = coordinator(new_study(tmp_path, direction=direction))
    values = [2.0, 1.0, 3.0, 1.0]
    for i, value in enumerate(values):
        mine.tell(mine.ask(str(i)), complete(value))
    assert (mine.counts().best.number, mine.counts().best.value) == (best, values[best])


def test_a_retry_of_a_trial_of_version_0_1_has_its_provenance(study):
    dead = gone(study)
    lost = begin(study, dead.ask("token"))
    storage, sentence = study.storage.optuna, "auto, trees: score 0.5 from 7 answers; a note"
    old = optuna.trial.create_trial(
        state=TrialState.FAIL,
        params=study.params(lost.trial.config),
        distributions=study.distributions(lost.trial.config),
        user_attrs={"auger:origin": "model", "auger:reason": sentence, "auger:stopped": {"error": "stopped"}},
    )
    storage.create_new_trial(study.key, template_trial=old)
    mine = coordinator(study)
    mine.ask("first")  # of the lost one
    again = mine.ask("second")
    assert (again.retry_of, again.trial.model, again.trial.score, again.trial.reason) == (
        1,
        "auto, trees",
        0.5,
        sentence,
    )

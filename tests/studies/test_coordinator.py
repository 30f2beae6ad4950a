import dataclasses
from collections import Counter

import optuna
import pytest
from optuna.trial import TrialState
from support.stored_studies import STOPPED, complete, failed, new_study

from auger import Int, Space
from auger.studies.pool.coordinator import Desk
from auger.studies.pool.events import Leader
from auger.studies.pool.owners import claim_of, new_claim
from auger.studies.study import load_study
from auger.studies.trial import write_result


def desk(study, **changes):
    return Desk(study, dataclasses.replace(new_claim(), **changes))


def gone(study):
    """The desk of a process that has ended since."""
    return desk(study, started="long ago")


def begin(study, trial):
    """What a worker does first with a trial."""
    (study.definition.trials_folder / str(trial.number)).mkdir(parents=True)
    return trial


@pytest.fixture(params=["study.journal", "sqlite:///study.db"])
def study(request, tmp_path):
    return new_study(tmp_path, storage=request.param)


def attributes(study, number):
    return study.trials()[number].user_attrs


def test_a_trial_is_ours_and_whole_from_the_moment_it_exists(study):
    mine = desk(study)
    assigned = mine.ask("token")
    (trial,) = study.trials()
    assert trial.state is TrialState.RUNNING and trial.params == study.params(assigned.config)
    assert claim_of(trial.user_attrs).token == "token"
    assert (trial.user_attrs["auger:origin"], assigned.origin) == ("initial", "initial")
    assert trial.user_attrs["auger:reason"] == assigned.reason


def test_the_budget_is_kept_to_the_trial_by_several_desks(study):
    desks = [desk(study), desk(load_study(study.storage, "study"))]
    asked = [each.ask(f"{i}{j}") for i in range(4) for j, each in enumerate(desks)]
    assert [trial is not None for trial in asked] == [True] * 4 + [False] * 4
    assert [trial.number for trial in asked[:4]] == [0, 1, 2, 3]


def test_failed_and_pruned_trials_count_and_stopped_ones_are_run_again(study):
    mine = desk(study)
    first, second, third = (mine.ask(str(i)) for i in range(3))
    for trial, outcome in ((first, complete(0.5)), (second, failed()), (third, STOPPED)):
        assert mine.tell(trial, outcome)
    again = mine.ask("again")
    assert (again.config, again.retry_of, again.number) == (third.config, 2, 3)
    assert mine.ask("more").number == 4
    assert mine.ask("too many") is None
    assert attributes(study, 1)["auger:failed"]["error"] == "exit code 1"
    assert "auger:stopped" in attributes(study, 2)


def test_what_was_made_for_a_question_whose_answer_was_lost_is_taken_back(study):
    mine = desk(study)
    lost, again = mine.ask("token"), mine.ask("token")
    assert (lost.number, again.number) == (0, 1)
    assert "auger:surplus" in attributes(study, 0) and study.trials()[0].state is TrialState.FAIL
    assert [mine.ask(str(i)) is not None for i in range(4)] == [True] * 3 + [False]  # it took no place in the budget


def test_telling_twice_is_telling_once(study):
    mine = desk(study)
    trial = mine.ask("token")
    assert mine.tell(trial, complete(0.5)) and mine.tell(trial, complete(0.5))
    assert study.trials()[0].value == 0.5


def test_a_trial_whose_process_is_gone_is_run_again_with_the_same_configuration(study):
    lost = begin(study, gone(study).ask("token"))
    mine = desk(study)
    again = mine.ask("mine")
    assert (again.config, again.retry_of) == (lost.config, lost.number)
    assert study.trials()[0].state is TrialState.FAIL
    assert attributes(study, 0)["auger:died"]["error"] == "its worker died"
    assert [(number, state) for number, _, state in mine.given_up] == [(0, "died")]


def test_a_trial_that_loses_its_worker_again_is_not_tried_a_third_time(study):
    for token in "ab":
        begin(study, gone(study).ask(token))
    assert desk(study).ask("c").retry_of is None


def test_a_trial_whose_process_is_gone_before_it_began_is_taken_back(study):
    gone(study).ask("token")
    mine = desk(study)
    assert mine.ask("mine").retry_of is None
    assert "auger:surplus" in attributes(study, 0) and mine.given_up == []
    assert [mine.ask(str(i)) is not None for i in range(4)] == [True] * 3 + [False]


def test_a_configuration_that_was_named_is_run_even_if_its_worker_died_before_it_began(tmp_path):
    study = new_study(tmp_path, initial=({"x": 0.5, "kind": "a"},))
    lost = gone(study).ask("token")
    again = desk(study).ask("mine")
    assert (again.config, again.retry_of) == (lost.config, 0)


def test_the_result_of_a_dead_worker_that_had_finished_is_taken(study):
    lost = begin(study, gone(study).ask("token"))
    write_result(study.definition.trials_folder / "0", lost.config, complete(0.125))
    mine = desk(study)
    assert mine.ask("mine").retry_of is None
    assert study.trials()[0].value == 0.125
    assert [state for _, _, state in mine.given_up] == ["complete"]


def test_whoever_was_thought_dead_is_told_that_the_trial_is_lost(study):
    dead = gone(study)
    lost = begin(study, dead.ask("token"))
    desk(study).ask("mine")
    assert not dead.beat(lost, 1)
    assert not dead.tell(lost, complete(0.5))
    assert study.trials()[0].state is TrialState.FAIL


def test_a_beat_is_seen_by_others(study):
    mine = desk(study)
    trial = mine.ask("token")
    assert mine.beat(trial, 1) and mine.beat(trial, 2)
    assert attributes(study, 0)["auger:beat"] == 2


def test_trials_of_living_processes_are_looked_after_and_left_alone(study):
    other = desk(study, worker="other", machine="elsewhere")
    other.ask("token")
    mine = desk(study)
    assert mine.look_after_others()
    assert study.trials()[0].state is TrialState.RUNNING
    assert not other.look_after_others()


def test_the_defaults_and_initial_configurations_come_first(tmp_path):
    defaults, initial = {"x": 0.5, "kind": "b"}, ({"x": 0.25, "kind": "a"}, {"x": 0.5, "kind": "b"})
    mine = desk(new_study(tmp_path, defaults=defaults, initial=initial))
    asked = [mine.ask(str(i)) for i in range(3)]
    assert [trial.config for trial in asked[:2]] == [defaults, initial[0]]
    assert [trial.origin for trial in asked] == ["given", "given", "initial"]


def test_a_trial_that_was_enqueued_with_optuna_comes_first(study):
    study.optuna.enqueue_trial({"x": 0.125})
    trial = desk(study).ask("token")
    assert trial.config["x"] == 0.125 and trial.config["kind"] in {"a", "b"}
    assert claim_of(attributes(study, 0)) is not None


def test_a_finite_space_is_tried_without_repetition_by_several_desks(tmp_path):
    study = new_study(tmp_path, space=Space({"n": Int(0, 11)}), trials=12)
    desks = [desk(study), desk(load_study(study.storage, "study"))]
    for i in range(12):
        trial = desks[i % 2].ask(str(i))
        if i % 3:
            desks[i % 2].tell(trial, complete(trial.config["n"]))
    assert Counter(trial.params["n"] for trial in study.trials()) == Counter(range(12))


def test_a_time_budget_ends_a_study(tmp_path):
    study = new_study(tmp_path, trials=None, time=3600.0)
    mine = desk(study)
    assert mine.ask("a") is not None
    hour = optuna.trial.create_trial(value=1.0)
    hour.datetime_start = hour.datetime_start.replace(year=2020)
    study.storage.optuna.create_new_trial(study.key, template_trial=hour)
    assert mine.ask("b") is None


def test_a_report_is_stored_and_pruned_by_the_rest_of_the_study(tmp_path):
    from auger.studies.definition import ReportRule

    study = new_study(tmp_path, trials=9, pruner="median", report=ReportRule("json", key="loss"))
    mine = desk(study)
    for i in range(6):
        trial = mine.ask(str(i))
        is_pruned = [mine.report(trial, step, float(i == 5)) for step in range(3)]
        assert any(is_pruned) == (i == 5)
        mine.tell(trial, dataclasses.replace(complete(0.0), state="pruned" if i == 5 else "complete"))
    assert study.trials()[5].state is TrialState.PRUNED and study.trials()[5].value == 1.0


def test_counts_follow_what_was_asked_and_told_before_it_is_read_again(study):
    mine = desk(study)
    trials = [mine.ask(str(i)) for i in range(3)]
    assert (mine.counts().running, mine.counts().finished, mine.counts().best) == (3, 0, None)
    mine.tell(trials[0], complete(0.75))
    mine.tell(trials[1], failed())
    now = mine.counts()
    assert (now.running, now.finished, now.complete, now.failed) == (1, 2, 1, 1)
    assert now.best == Leader(0, 0.75, trials[0].config)
    mine.look_after_others()
    assert mine.counts() == now

import datetime

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from auger.history import History
from auger.hosts.optuna.search_space import declared_search_space
from auger.hosts.optuna.study_history import StudyHistory
from auger.objectives import Direction, Objectives
from auger.space import Float, Space
from auger.trial import State

X, N = FloatDistribution(0, 10), IntDistribution(1, 5)
KIND = CategoricalDistribution(["a", "b"])
MINIMIZE = Objectives()
START = datetime.datetime(2026, 1, 1)


def trial(number, params, value=None, state=TrialState.COMPLETE, *, x=X, minute=None, **more):
    """A trial as a storage would give it; it completes at ``minute``, by default in the order of the numbers."""
    distributions = {name: {"x": x, "n": N, "kind": KIND}[name] for name in params}
    made = create_trial(params=params, distributions=distributions, value=value, state=state, **more)
    made.number = made._trial_id = number
    if state.is_finished():
        made.datetime_complete = START + datetime.timedelta(minutes=number if minute is None else minute)
    return made


def test_each_answer_is_encoded_once():
    known = StudyHistory(None, MINIMIZE)
    trials = [trial(0, {"x": 5.0}, 1.0)]
    assert known.update(trials) == []
    first = known.history
    trials.append(trial(1, {"x": 2.5}, 2.0))
    known.update(trials)
    known.update(trials)
    assert known.history is first
    np.testing.assert_array_equal(known.history.X, [[0.5], [0.25]])
    np.testing.assert_array_equal(known.history.y, [1.0, 2.0])


def test_many_answers_are_taken_in_at_once(monkeypatch):
    sizes, append = [], History._append
    monkeypatch.setattr(
        History, "_append", lambda self, trials, X: (sizes.append(len(trials)), append(self, trials, X))
    )
    known = StudyHistory(None, MINIMIZE)
    known.update([trial(i, {"x": 10 * i / 300}, float(i)) for i in range(300)])
    assert len(sizes) <= 3  # and not once for each of them: the history, and again when its conditions are inferred
    assert known.history.marks == list(range(1, 301))


def test_answers_come_in_the_order_they_were_given():
    known = StudyHistory(None, MINIMIZE)
    running = trial(0, {"x": 1.0}, state=TrialState.RUNNING)
    later = [trial(1, {"x": 2.0}, 2.0, minute=9), trial(2, {"x": 3.0}, 3.0, minute=5)]
    assert known.update([running, *later]) == [running]
    assert known.update([trial(0, {"x": 1.0}, 1.0, minute=20), *later]) == []
    assert known.history.y.tolist() == [3.0, 2.0, 1.0]
    assert known.history.marks == [1, 2, 3]


def test_a_resumed_run_sees_the_same_rows_in_the_same_order():
    trials = [
        trial(i, {"x": float(i), **({"n": 2} if i % 3 else {})}, float(i), minute=(7 * i) % 10) for i in range(10)
    ]
    by_time = sorted(range(10), key=lambda i: (7 * i) % 10)
    live, resumed = StudyHistory(None, MINIMIZE), StudyHistory(None, MINIMIZE)
    for n in range(11):
        done = by_time[:n]
        live.update([t if t.number in done else trial(t.number, {}, state=TrialState.RUNNING) for t in trials])
    resumed.update(trials)
    np.testing.assert_array_equal(live.history.X, resumed.history.X)
    assert live.history.y.tolist() == resumed.history.y.tolist()
    assert live.search_space.space.to_json() == resumed.search_space.space.to_json()


def test_values_are_minimized_inside():
    known = StudyHistory(None, Objectives((Direction.MAXIMIZE,)))
    known.update([trial(0, {"x": 5.0}, 3.0)])
    assert known.history.y.tolist() == [-3.0]


def test_failed_and_pruned_trials_are_answers():
    known = StudyHistory(None, Objectives((Direction.MAXIMIZE,)))
    known.update(
        [
            trial(0, {"x": 5.0}, state=TrialState.FAIL),
            trial(1, {"x": 4.0}, state=TrialState.PRUNED, intermediate_values={1: 0.5, 7: 0.75}),
            trial(2, {"x": 3.0}, 0.25, TrialState.PRUNED),
            trial(3, {"x": 2.0}, state=TrialState.PRUNED),
        ]
    )
    assert [each.state for each in known.history] == [State.FAILED, State.PRUNED, State.PRUNED, State.PRUNED]
    np.testing.assert_array_equal(known.history.y, [np.nan, -0.75, -0.25, np.nan])


@pytest.mark.parametrize("mark", ["auger:surplus", "auger:stopped", "auger:died"])
def test_trials_that_were_never_run_to_an_end_are_not(mark):
    known = StudyHistory(None, MINIMIZE)
    known.update([trial(0, {"x": 5.0}, state=TrialState.FAIL, user_attrs={mark: {}}), trial(1, {"x": 4.0}, 1.0)])
    assert len(known.history) == 1


def test_trials_without_parameters_and_waiting_ones_are_passed_over():
    known = StudyHistory(None, MINIMIZE)
    waiting = trial(2, {}, state=TrialState.WAITING)
    assert known.update([trial(0, {}, 1.0), trial(1, {}, state=TrialState.FAIL), waiting]) == []
    assert known.search_space is None
    known.update([trial(0, {}, 1.0), trial(1, {}, state=TrialState.FAIL), trial(2, {"x": 1.0}, 1.0)])
    assert len(known.history) == 1


def test_constraints_are_kept_and_nan_is_the_worst():
    known = StudyHistory(None, MINIMIZE)
    for number, constraints in enumerate([(-1.0, 2.0, 3.0), (-1.0,), (float("nan"),)]):
        made = trial(number, {"x": 1.0 + number}, 1.0, system_attrs={"constraints": constraints})
        known.update([*(known.answers), made])
    assert known.history.violation.tolist() == [5.0, 0.0, float("inf")]


def test_a_new_parameter_is_a_column_that_older_trials_do_not_have():
    known = StudyHistory(None, MINIMIZE)
    trials = [trial(0, {"x": 5.0}, 1.0), trial(1, {"x": 10.0, "n": 3}, 2.0)]
    known.update(trials[:1])
    known.update(trials)
    assert list(known.search_space.columns) == ["n", "x"]
    np.testing.assert_array_equal(known.history.X, [[np.nan, 0.5], [0.5, 1.0]])


def test_a_wider_range_is_encoded_anew_and_nothing_is_lost():
    known = StudyHistory(None, MINIMIZE)
    trials = [trial(0, {"x": 5.0, "n": 1}, 1.0), trial(1, {"x": 15.0, "n": 5}, 2.0, x=FloatDistribution(10, 20))]
    known.update(trials[:1])
    assert known.history.X.tolist() == [[0.0, 0.5]]
    known.update(trials)
    assert known.history.X.tolist() == [[0.0, 0.25], [1.0, 0.75]]
    assert known.history.y.tolist() == [1.0, 2.0]
    known.update(trials, {"x": FloatDistribution(0, 30)})  # asked for, by no trial yet
    np.testing.assert_allclose(known.history.X[:, 1], [1 / 6, 1 / 2], rtol=1e-12)


def test_a_constant_that_becomes_a_range_brings_its_results_along():
    known = StudyHistory(None, MINIMIZE)
    trials = [trial(0, {"x": 5.0}, 1.0, x=FloatDistribution(5, 5)), trial(1, {"x": 10.0}, 2.0)]
    known.update(trials[:1])
    assert known.search_space is None
    known.update(trials)
    assert known.history.X.tolist() == [[0.5], [1.0]]


def test_parameters_of_running_trials_are_known():
    known = StudyHistory(None, MINIMIZE)
    running = trial(0, {"x": 5.0}, state=TrialState.RUNNING)
    assert known.update([running]) == [running]
    assert list(known.search_space.columns) == ["x"]
    assert known.pending([running], number=1).tolist() == [[0.5]]
    assert known.pending([running], number=0).tolist() == []


def test_conditions_are_found_and_followed():
    known = StudyHistory(None, MINIMIZE)
    trials = [trial(i, {"kind": "a", "n": 1} if i % 2 else {"kind": "b"}, float(i)) for i in range(4)]
    known.update(trials)
    assert known.search_space.space.parameters["n"].when == {"kind": [0]}
    np.testing.assert_array_equal(np.isnan(known.history.X[:, 1]), [True, False, True, False])
    trials.append(trial(4, {"kind": "b", "n": 2}, 4.0))
    known.update(trials)
    assert known.search_space.space.parameters["n"].when == {}
    assert known.history.y.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_given_space_takes_whatever_trials_there_are():
    known = StudyHistory(declared_search_space(Space({"x": Float(0.0, 4.0), "z": Float(0.0, 1.0)})), MINIMIZE)
    known.update([trial(0, {"x": 2.0}, 1.0), trial(1, {"x": 9.0, "n": 1}, 2.0)])
    np.testing.assert_array_equal(known.history.X, [[0.5, np.nan], [1.0, np.nan]])


def test_several_objectives_are_ranked_anew_with_each_answer():
    known = StudyHistory(None, Objectives((Direction.MINIMIZE, Direction.MAXIMIZE)))
    trials = []
    for number, values in enumerate([[2.0, 2.0], [1.0, 3.0], [0.5, 1.0]]):
        trials.append(trial(number, {"x": 1.0 + number}, values=values))
        known.update(trials)
    assert np.floor(known.history.y).tolist() == [1.0, 0.0, 0.0]
    trials.append(trial(3, {"x": 9.0}, values=[0.0, 9.0], system_attrs={"constraints": (1.0,)}))
    trials.append(trial(4, {"x": 8.0}, state=TrialState.FAIL))
    known.update(trials)
    assert np.floor(known.history.y[:3]).tolist() == [1.0, 0.0, 0.0]  # who breaks a constraint beats nobody


def test_a_study_that_took_the_number_of_another_is_noticed():
    storage = optuna.storages.InMemoryStorage()
    first = optuna.create_study(storage=storage, study_name="s")
    first.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    known = StudyHistory(None, MINIMIZE)
    known.update(first.get_trials())
    assert known.is_of(first.get_trials())
    optuna.delete_study(study_name="s", storage=storage)
    second = optuna.create_study(storage=storage, study_name="s")
    assert not known.is_of(second.get_trials())
    second.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    assert not known.is_of(second.get_trials())


def test_a_constraint_has_a_column_of_its_own_whatever_the_order_and_number_of_names():
    known = StudyHistory(None, MINIMIZE)
    constraints = [{"b": 1.0, "c": -1.0}, {"c": 2.0, "b": -2.0}, {}, {"a": 3.0}, {"c": 4.0}]
    for number, named in enumerate(constraints):
        attributes = {f"constraints:{name}": value for name, value in named.items()}
        known.update([*known.answers, trial(number, {"x": number + 0.5}, 1.0, system_attrs=attributes)])
    inf, nan = np.inf, np.nan
    np.testing.assert_array_equal(
        known.history.constraints,
        [[-inf, 1.0, -1.0], [-inf, -2.0, 2.0], [nan, nan, nan], [3.0, -inf, -inf], [-inf, -inf, 4.0]],
    )
    assert known.history.violation.tolist() == [1.0, 2.0, 0.0, 3.0, 4.0]
    assert known.history.marks == [1, 2, 3, 4, 5] and known.history.finished == [0, 1, 2, 3, 4]


def test_constraints_of_a_function_are_in_its_order():
    known = StudyHistory(None, MINIMIZE)
    attributes = {"constraints": [float(i) for i in range(12)], "constraints:z": 12.0}
    known.update([trial(0, {"x": 0.5}, 1.0, system_attrs=attributes)])
    assert known.history.constraints.tolist() == [[float(i) for i in range(13)]]

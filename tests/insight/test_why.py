from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from support.histories import history_of

from auger import Categorical, Float, Optimizer, minimize
from auger.errors import TrialError
from auger.insight import report_card, view, why
from auger.insight.why import distances
from auger.space import Space
from auger.trial import Trial


@pytest.fixture(scope="module")
def result():
    return minimize(lambda c: (c["x"] - 0.3) ** 2 + c["y"], {"x": (0.0, 1.0), "y": (0.0, 1.0)}, n_trials=25, seed=1)


@pytest.mark.parametrize(("number", "model"), [(11, "auto, trees"), (21, "auto, Gaussian process")])
def test_a_trial_of_a_model_says_what_it_was_expected_to_be(result, number, model):
    """The process took the turn of the trees in trial 21."""
    found = why(result, number)
    trial = result.trials[number]
    assert found.model == model and found.reason == trial.reason
    assert f"score {found.score:.4g} from {number} answers" in trial.reason
    assert found.text.startswith(f"Trial {number} was proposed by a model: {model}: score")
    card = report_card(result)
    assert found.p == pytest.approx(card.raw[card.numbers.tolist().index(number)])


def test_the_nearest_are_of_trials_known_before(result):
    found = why(result, 20)
    assert all(number < 20 for number, _, _ in found.nearest)
    gaps = [gap for _, gap, _ in found.nearest]
    X = result.optimizer.history.X
    assert gaps == sorted(gaps) and gaps[0] == pytest.approx(np.abs(X[:20] - X[20]).mean(axis=1).min())
    assert [value for _, _, value in found.nearest] == [result.trials[number].value for number, _, _ in found.nearest]


def test_the_start_has_no_model_to_ask(result):
    assert why(result, 0).nearest == [] and why(result, 3).p is None and why(result, 3).model == ""
    assert len(why(result, 3).nearest) == 3


def test_a_running_trial_can_be_explained_too():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    for trial in optimizer.ask(10):
        optimizer.tell(trial, trial.config["x"])
    waiting = optimizer.ask()
    found = why(optimizer, waiting.number)
    assert found.p is not None and found.nearest and 0 <= found.p <= 1


def test_a_running_trial_knows_only_what_had_come_when_it_began():
    run = view(history_of(Space({"x": (0.0, 1.0)}), [{"x": i / 20} for i in range(20)], range(20)))
    noon = datetime(2024, 1, 1, 12)
    trials = [replace(trial, started=noon, finished=noon + timedelta(minutes=trial.number)) for trial in run.trials]
    new = Trial(77, trials[0].config, started=noon + timedelta(minutes=12.5))
    found = why(replace(run, trials=(*trials, new)), 77)
    assert {number for number, _, _ in found.nearest} <= set(range(13)) and found.p is not None


def test_distances_count_choices_and_inactive_parameters_as_1():
    is_ordered = np.array([True, False, True])
    X = np.array([[0.5, 1.0, np.nan], [0.5, 0.0, np.nan], [0.25, 1.0, 0.5], [0.5, 1.0, 0.0]])
    np.testing.assert_allclose(distances(X, np.array([0.5, 1.0, np.nan]), is_ordered), [0, 1 / 2, 1.25 / 3, 1 / 3])


def test_a_config_that_is_not_of_the_space_has_no_neighbours():
    space = Space({"c": Categorical(["a", "b"]), "x": Float(0.0, 1.0, when={"c": "a"})})
    run = view(history_of(space, [{"c": "b"}, {"c": "a", "x": 0.5}], [1.0, 2.0]))
    odd = Trial(9, {"c": "z"})
    assert why(replace(run, trials=(*run.trials, odd)), 9).nearest == []


@pytest.mark.parametrize("number", [25, -1, None])
def test_a_trial_that_is_none_of_the_runs_is_refused(result, number):
    with pytest.raises(TrialError, match="must be that of a trial of this run \\(0 to 24\\). Got"):
        why(result, number)

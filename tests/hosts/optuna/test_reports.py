"""Pruning in studies of several objectives, whose intermediate values Optuna itself does not take."""

import math

import optuna
import pytest
from optuna.trial import TrialState

from auger import Optimizer
from auger.errors import ObjectiveError, TrialError
from auger.hosts.optuna import AugerPruner, AugerSampler, report, should_prune
from auger.hosts.optuna.trials import objectives_of, trial_of
from auger.trial import State


def values_at(x, bad, epoch):
    return x**2 + bad + 1 / epoch, -((x - 1) ** 2) - bad - 1 / epoch


def objective(trial):
    x, bad = trial.suggest_float("x", 0, 1), trial.suggest_float("bad", 0, 1)
    for epoch in range(1, 9):
        report(trial, values_at(x, bad, epoch), epoch)
        if should_prune(trial):
            raise optuna.TrialPruned
    return values_at(x, bad, epoch)


def study_of(directions=("minimize", "maximize"), **settings):
    settings = {"sampler": AugerSampler("bore-rf", seed=0), "pruner": AugerPruner(), **settings}
    return optuna.create_study(directions=directions, **settings)


def test_a_study_stops_the_trials_that_the_optimizer_would_stop(tmp_path):
    study = study_of(storage=f"sqlite:///{tmp_path / 'study.db'}")
    study.optimize(objective, n_trials=25)
    optimizer = Optimizer({"x": (0.0, 1.0), "bad": (0.0, 1.0)}, directions=["minimize", "maximize"], seed=0)
    for frozen in study.trials:
        (trial,) = optimizer.enqueue(frozen.params) or [optimizer.ask()]
        for epoch in range(1, 9):
            optimizer.report(trial, epoch, values_at(frozen.params["x"], frozen.params["bad"], epoch))
            if optimizer.should_prune(trial):
                break
        told = optimizer.tell(trial, values_at(frozen.params["x"], frozen.params["bad"], epoch), pruned=epoch < 8)
        ours = trial_of(frozen, objectives_of(study))
        assert (ours.state, len(ours.intermediate_values)) == (told.state, epoch)
        assert objectives_of(study).original(ours.values) == pytest.approx(told.values)
    assert sum(trial.state is TrialState.PRUNED for trial in study.trials) >= 3


def test_with_one_objective_they_are_the_trials_own():
    study = study_of(["minimize"])
    trial = study.ask({"x": optuna.distributions.FloatDistribution(0, 1)})
    report(trial, 0.5, 3)
    assert study.trials[0].intermediate_values == {3: 0.5}
    assert should_prune(trial) is False


def test_values_may_be_named_as_in_the_study_and_need_not_be_finite():
    study = study_of()
    trial = study.ask({"x": optuna.distributions.FloatDistribution(0, 1)})
    report(trial, [1, 2.5], 10)
    report(trial, [math.nan, -math.inf], 2)
    ours = trial_of(study.trials[0], objectives_of(study))
    assert str(ours.intermediate_values) == "((2.0, nan, inf), (10.0, 1.0, -2.5))"
    assert not should_prune(trial)  # nothing to compare with
    study.tell(trial, state=TrialState.PRUNED)
    ours = trial_of(study.trials[0], objectives_of(study))
    assert (ours.state, ours.values) == (State.PRUNED, (1.0, -2.5))


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_reports_may_have_the_names_of_the_study():
    study = study_of()
    study.set_metric_names(["error", "speed"])
    trial = study.ask()
    report(trial, {"speed": 2.5, "error": 1.0}, 1)
    assert trial_of(study.trials[0], objectives_of(study)).intermediate_values == ((1.0, 1.0, -2.5),)
    with pytest.raises(ObjectiveError, match="There is no objective 'sped'. Did you mean 'speed'"):
        report(trial, {"sped": 2.5, "error": 1.0}, 2)


@pytest.mark.parametrize("step", [-1, 1.0, "1", True, 2**31])
def test_a_step_that_is_none_is_refused(step):
    with pytest.raises(TrialError, match="A step must be a whole number from 0 to 2147483647. Got "):
        report(study_of().ask(), [1.0, 2.0], step)


def test_wrong_values_and_another_pruner_are_refused():
    study = study_of(pruner=optuna.pruners.MedianPruner())
    trial = study.ask()
    with pytest.raises(ObjectiveError, match="The intermediate values of trial 0 must be 2 numbers, one per objective"):
        report(trial, [1.0], 1)
    with pytest.raises(
        TrialError, match="With several objectives, the pruner of the study must be an AugerPruner. Got"
    ):
        should_prune(trial)


def test_what_another_program_stored_under_our_names_is_left_out():
    study = study_of()
    trial = study.ask()
    for name, values in {
        "auger:step:x": [1, 2],
        "auger:step:1": "high",
        "auger:step:2": [1],
        "auger:step:3": [1, 2],
    }.items():
        study._storage.set_trial_system_attr(trial._trial_id, name, values)
    assert trial_of(study.trials[0], objectives_of(study)).intermediate_values == ((3.0, 1.0, -2.0),)

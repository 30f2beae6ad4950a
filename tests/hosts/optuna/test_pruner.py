"""AugerPruner in studies: what it prunes, what it never does, and what it depends on."""

import math
import pickle

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from auger.errors import RecipeError
from auger.hosts.optuna import AugerPruner, AugerSampler

NAN = math.nan
X = FloatDistribution(0, 1)
EPOCHS = 16


def finished(x, values, state=TrialState.COMPLETE, steps=None):
    steps = range(1, len(values) + 1) if steps is None else steps
    reports = dict(zip(steps, values, strict=True))
    value = None
    if state is TrialState.COMPLETE:
        value = values[-1] if values and not math.isnan(values[-1]) else 0.5
    return create_trial(params={"x": x}, distributions={"x": X}, value=value, state=state, intermediate_values=reports)


def falling(x, n=EPOCHS):
    """A curve that is the lower the lower x, all the way."""
    return [x + 1 / epoch for epoch in range(1, n + 1)]


def study_with(trials, direction="minimize", pruner=None):
    study = optuna.create_study(direction=direction, pruner=pruner or AugerPruner())
    study.add_trials(trials)
    return study


def reporting(study, x, values, steps=None):
    """A running trial with these reports."""
    study.enqueue_trial({"x": x})
    trial = study.ask({"x": X})
    for step, value in zip(steps or range(1, len(values) + 1), values, strict=True):
        trial.report(value, step)
    return study._storage.get_trial(trial._trial_id)


def seen(study, x, values, steps=None):
    """Whether a trial with these reports would be pruned at the last of them."""
    return study.pruner.prune(study, reporting(study, x, values, steps))


GRID = np.linspace(0.05, 0.95, 10).tolist()


@pytest.fixture
def study():
    return study_with([finished(x, falling(x)) for x in GRID])


def test_what_is_behind_is_pruned_and_what_is_ahead_is_not(study):
    assert seen(study, 0.9, falling(0.9, 4))
    assert not seen(study, 0.01, falling(0.01, 4))


def test_to_maximize_is_the_same_upside_down():
    made = [finished(x, [-value for value in falling(x)]) for x in GRID]
    study = study_with(made, direction="maximize")
    assert seen(study, 0.9, [-value for value in falling(0.9, 4)])
    assert not seen(study, 0.01, [-value for value in falling(0.01, 4)])


def test_nothing_is_pruned_before_enough_trials_are_complete():
    stopped = [finished(x, falling(x, 3), TrialState.PRUNED) for x in GRID]
    for n_complete, is_pruned in ((0, False), (1, False), (10, True)):
        study = study_with([*stopped, *(finished(x, falling(x)) for x in GRID[:n_complete])])
        assert seen(study, 0.99, falling(0.99, 4)) == is_pruned, n_complete
    study = study_with([finished(x, falling(x)) for x in GRID[:4]], pruner=AugerPruner(n_startup=5))
    assert not seen(study, 0.99, falling(0.99, 4))


@pytest.mark.parametrize(("every", "looks"), [(1, [1, 2, 3, 4, 6, 8, 12]), (5, [5, 10, 15]), (6, [6, 12])])
def test_a_trial_is_looked_at_once_in_each_stage_however_often_that_is_asked_for(study, every, looks):
    study.enqueue_trial({"x": 0.9})
    trial = study.ask({"x": X})
    found = []
    for step, value in enumerate(falling(0.9, EPOCHS - 1), start=1):
        trial.report(value, step)
        frozen = study._storage.get_trial(trial._trial_id)
        if step % every == 0 and study.pruner.prospect(study, frozen) is not None:
            found.append(step)
            assert study.pruner.prune(study, frozen)  # and as often as one likes at the same step
    assert found == looks


def test_a_best_that_misses_a_constraint_is_none_to_beat():
    """Values below 1/2 are out of reach: what would become the best of the feasible goes on."""
    made = [finished(x, falling(x)) for x in GRID]
    for trial in made:
        trial.system_attrs["constraints"] = [0.5 - trial.params["x"]]
    study = study_with(made)
    assert not seen(study, 0.51, falling(0.51, 4))
    assert seen(study, 0.9, falling(0.9, 4))


def test_where_all_complete_values_are_infinite_nothing_is_pruned():
    ends = {"distributions": {"x": X}, "value": -math.inf}
    made = [optuna.trial.create_trial(params={"x": x}, **ends) for x in GRID]
    assert not seen(study_with(made), 0.5, falling(0.5, 4))


def test_complete_trials_without_a_usable_value_are_not_enough():
    study = study_with([finished(x, falling(x), TrialState.FAIL) for x in GRID])
    assert not seen(study, 0.99, falling(0.99, 4))


def test_a_trial_without_reports_or_without_parameters_goes_on(study):
    trial = study.ask()
    assert not trial.should_prune()
    trial.report(99.0, 4)
    assert not trial.should_prune()


def test_a_nan_is_as_bad_as_can_be(study):
    assert seen(study, 0.5, [NAN, NAN, NAN, NAN])


def test_reports_that_are_nan_or_infinite_in_other_trials_do_no_harm():
    odd = [[NAN] * EPOCHS, [math.inf] * 4, [1.0, NAN, 1.0, NAN], [-math.inf, 2.0, 3.0, 4.0]]
    states = [TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED, TrialState.PRUNED]
    made = [finished(0.5, values, state) for values, state in zip(odd, states, strict=True)]
    study = study_with([*made, *(finished(x, falling(x)) for x in GRID)])
    assert seen(study, 0.9, falling(0.9, 4))
    assert not seen(study, 0.01, falling(0.01, 4))


def test_trials_that_never_report_are_no_help_and_no_harm():
    study = study_with([finished(x, []) for x in GRID])
    assert not seen(study, 0.99, falling(0.99, 4))


def test_a_trial_that_is_as_far_as_any_other_was_goes_on(study):
    assert not seen(study, 0.99, falling(0.99))
    assert not seen(study, 0.99, falling(0.99, EPOCHS + 9))


def test_with_one_report_a_trial_there_is_nothing_to_save():
    study = study_with([finished(x, [x]) for x in GRID])
    assert not seen(study, 0.99, [0.99])


def test_steps_may_differ_from_trial_to_trial():
    made = []
    for i, x in enumerate(GRID):
        steps = [1 + i / 7, 3 + i / 11, 9 - i / 13, 27]
        made.append(finished(x, [x + 1 / step for step in steps], steps=[round(100 * step) for step in steps]))
    study = study_with(made)
    assert seen(study, 0.9, [0.9 + 1 / 3, 0.9 + 1 / 8], [333, 877])
    assert not seen(study, 0.01, [0.01 + 1 / 3, 0.01 + 1 / 8], [333, 877])


def test_steps_may_be_counted_from_0(study):
    study = study_with([finished(x, falling(x), steps=range(EPOCHS)) for x in GRID])
    assert seen(study, 0.9, falling(0.9, 1), [0])
    assert not seen(study, 0.01, falling(0.01, 1), [0])


def test_a_slow_start_is_forgiven_where_complete_trials_say_so():
    """Trials with x below 1/2 begin far behind, and end ahead of all others."""

    def crossing(x):
        return [(3 - 3 * epoch / EPOCHS + x) if x < 0.5 else (1 + x) for epoch in range(1, EPOCHS + 1)]

    grid = np.linspace(0.1, 0.98, 40).tolist()
    study = study_with([finished(x, crossing(x)) for x in grid])
    for n in (1, 4, 8, 12):
        assert not seen(study, 0.05, crossing(0.05)[:n]), n
        assert seen(study, 0.9, crossing(0.9)[:n]), n


def objective(trial):
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    for epoch, value in enumerate(falling(abs(x - 0.3) + abs(y - 0.6)), start=1):
        trial.report(value, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return abs(x - 0.3) + abs(y - 0.6)


def states(study):
    return [(trial.state, trial.last_step) for trial in study.trials]


def run(n_trials, study=None, **settings):
    study = study or optuna.create_study(sampler=AugerSampler(seed=1), pruner=AugerPruner(), **settings)
    study.optimize(objective, n_trials=n_trials)
    return study


def test_the_same_study_is_pruned_in_the_same_way_and_a_resumed_one_as_if_it_had_not_stopped(tmp_path):
    whole = run(30)
    assert TrialState.PRUNED in {state for state, _ in states(whole)}
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal")))
    run(13, storage=storage, study_name="a")
    settings = {"sampler": AugerSampler(seed=1), "pruner": AugerPruner()}
    resumed = optuna.load_study(study_name="a", storage=storage, **settings)
    assert states(run(17, resumed)) == states(whole)


def test_two_threads_at_work_do_no_harm():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0), pruner=AugerPruner())
    study.optimize(objective, n_trials=40, n_jobs=2)
    assert {state for state, _ in states(study)} == {TrialState.COMPLETE, TrialState.PRUNED}


def test_a_copy_of_a_pruner_says_the_same(study):
    assert seen(study, 0.9, falling(0.9, 4))
    study.pruner = pickle.loads(pickle.dumps(study.pruner))
    assert seen(study, 0.9, falling(0.9, 4))


def test_one_pruner_serves_several_studies(study):
    other = study_with([finished(x, falling(1 - x)) for x in GRID], pruner=study.pruner)
    assert seen(study, 0.9, falling(0.9, 4))
    assert not seen(other, 0.99, falling(0.01, 4))
    assert not seen(study, 0.01, falling(0.01, 4))


def test_the_prospect_of_a_trial_can_be_looked_at(study):
    assert study.pruner.prospect(study, reporting(study, 0.9, [])) is None
    prospect = study.pruner.prospect(study, reporting(study, 0.9, falling(0.9, 4)))
    assert prospect.chance < 1e-6 and not prospect.is_worth_it
    assert prospect.price == 0.75 / 11  # three quarters to go, after ten complete trials


@pytest.mark.parametrize("n_startup", [0, 1.5, "2"])
def test_a_number_of_trials_to_begin_with_that_is_none_is_refused(n_startup):
    with pytest.raises(RecipeError) as caught:
        AugerPruner(n_startup=n_startup)
    expected = f"`n_startup` of an AugerPruner must be a whole number of at least 1. Got {n_startup!r}."
    assert str(caught.value) == expected


@pytest.mark.slow
def test_pruning_saves_cost_and_loses_nothing():
    """As many trials cost less than half, and at the cost of 25 complete ones the best is better."""

    def best(seed, pruner, cost):
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed), pruner=pruner)
        while cost > 0:
            study.optimize(objective, n_trials=1)
            cost -= (study.trials[-1].last_step or 0) / EPOCHS
        return study.best_value, len(study.trials)

    pruned = np.array([best(seed, AugerPruner(), 25) for seed in range(20)])
    whole = np.array([best(seed, optuna.pruners.NopPruner(), 25) for seed in range(20)])
    assert np.median(pruned[:, 1]) > 2 * 25
    assert np.sum(pruned[:, 0] < whole[:, 0]) >= 15
    assert np.median(pruned[:, 0]) < 0.7 * np.median(whole[:, 0])

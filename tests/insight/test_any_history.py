"""Nothing in insight raises, whatever the history."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.strategies import configs, spaces

from auger import AugerError, Recipe
from auger.classifiers import KDE, ExtraTrees, GaussianProcess
from auger.history import History
from auger.insight import (
    forecast,
    importance,
    interactions,
    one_slice,
    report_card,
    rules,
    two_slice,
    view,
    why,
)
from auger.maximizers import RandomSearch
from auger.space import Space
from auger.trial import State, Trial

LINE = History(Space({"x": (0.0, 1.0)}))

values = st.one_of(
    st.sampled_from([0.0, 1.0, math.nan, math.inf, -math.inf, 1e308, -1e308]), st.floats(-10, 10, allow_nan=False)
)


@st.composite
def histories(draw):
    """Trials of any kind, in any space, most often a few more than the ten that a model needs."""
    space = draw(spaces(max_size=3))
    trials = []
    same = draw(st.booleans())
    config, value = draw(configs(space)), draw(values)
    for number in range(draw(st.sampled_from([0, 1, 2, 3, 12, 14]))):
        state = draw(st.sampled_from([State.COMPLETE] * 4 + list(State)))
        has_value = state is State.COMPLETE or (state is State.PRUNED and draw(st.booleans()))
        own = value if same else draw(values)
        constraints = draw(st.sampled_from([(), (), (-1.0,), (2.0, -1.0)]))
        trials.append(
            Trial(number, config if same else draw(configs(space)), state, own if has_value else None, constraints)
        )
    return History(space, trials)


classifiers = st.sampled_from([ExtraTrees(n_trees=5), KDE(), GaussianProcess(max_points=8)])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(histories(), classifiers)
def test_every_look_at_any_history_has_an_answer(history, classifier):
    look_at_everything(replace(view(history), recipe=Recipe("mine", classifier, RandomSearch(), gamma=0.25)))


def look_at_everything(run):
    card = report_card(run, max_fits=3)
    assert card.n or card.note
    assert ((card.p > 0) & (card.p < 1)).all() and ((card.raw >= 0) & (card.raw <= 1)).all()
    assert all(0 <= each.share <= 1 for each in card.reliability()) and len(card.by_model()) <= 1
    card.over_time(), card.log_loss, card.brier, card.auc, card.skill
    found = importance(run)
    assert np.isfinite(found.permutation).all() and np.isfinite(found.error).all()
    names = run.history.space.names
    for name in names:
        along = one_slice(run, name)
        assert len(along.values) == len(along.p) == len(along.low) == len(along.high)
        assert along.note or np.nanmax(along.p, initial=0.0) <= 1
    if len(names) > 1:
        over = two_slice(run, *names[:2])
        assert over.p.shape == (len(over.first_values), len(over.second_values))
    assert all(each.strength > 0 for each in interactions(run))
    assert all(0 < each.p < 1 and 0 < each.n_good <= each.n_trials and each.text for each in rules(run))
    ahead = forecast(run, k=2)
    assert 0 < ahead.p < 1 or ahead.note
    for trial in run.trials[-2:]:
        assert why(run, trial.number).text.startswith(f"Trial {trial.number} ")


def test_a_study_without_parameters_has_notes():
    import optuna

    study = optuna.create_study()
    study.add_trial(optuna.create_trial(value=1.0))
    assert report_card(study).note and importance(study).note and one_slice(study, "x").note
    assert two_slice(study, "x", "y").note and interactions(study) == [] and rules(study) == []
    assert forecast(study).note and why(study, 0).text == "Trial 0 was proposed by another program."


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_several_objectives_are_ranked_and_the_card_says_so():
    import optuna

    study = optuna.create_study(directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)), n_trials=30)
    card = report_card(study)
    assert card.n == 25 and "With several objectives" in card.note
    assert importance(study).permutation.shape == (2,) and 0 < forecast(study, k=3).p < 1
    assert why(study, 29).nearest[0][2] is None


def test_ten_thousand_trials_are_looked_at_in_part():
    space = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)})
    rng = np.random.default_rng(0)
    X = space.sample(10_000, rng)
    y = ((X - 0.3) ** 2).sum(axis=1)
    history = History(
        space,
        [Trial(i, c, State.COMPLETE, v) for i, (c, v) in enumerate(zip(space.decode(X), y.tolist(), strict=True))],
    )
    card = report_card(history, max_fits=20)
    assert card.n == 9_995 and card.skill > 0.8 and "fewer on average" in card.note
    assert importance(history).permutation.min() > 0.1
    assert rules(history) and interactions(history) and len(one_slice(history, "x").values) == 41


@pytest.mark.parametrize("value", [0, -1, 2.5, "3", True])
@pytest.mark.parametrize(
    "ask",
    [
        lambda n: forecast(LINE, k=n),
        lambda n: report_card(LINE, max_fits=n),
        lambda n: report_card(LINE).over_time(window=n),
        lambda n: report_card(LINE).reliability(n_bins=n),
        lambda n: rules(LINE, n=n),
        lambda n: interactions(LINE, n=n),
    ],
)
def test_a_count_is_a_whole_number_from_one_on(ask, value):
    with pytest.raises(AugerError, match="must be a whole number of at least 1. Got"):
        ask(value)

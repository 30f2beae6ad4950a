import importlib
import sys
from pathlib import Path

import numpy as np
import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma
from support.histories import history_of

from auger.insight import forecast, view
from auger.insight.forecast import chance, improvements
from auger.space import Space
from auger.trial import State

ROOT = Path(__file__).resolve().parents[2]
LINE = Space({"x": (0.0, 1.0)})


def run(values, states=None):
    return history_of(LINE, [{"x": (i * 0.37) % 1} for i in range(len(values))], values, states)


def test_improvements_are_what_is_better_than_all_before():
    nan, inf = float("nan"), float("inf")
    values = [nan, 3.0, 3.0, 2.0, 5.0, inf, 1.0, 0.0, -inf]
    states = {6: State.FAILED, 7: State.PRUNED}
    expected = [False, True, False, True, False, False, False, False, False]
    assert improvements(view(run(values, states))).tolist() == expected


def test_with_several_objectives_it_is_not_being_beaten_in_all():
    study = optuna.create_study(directions=["minimize", "maximize"])
    made = {"x": optuna.distributions.FloatDistribution(0, 1)}
    for values in [(1.0, 1.0), (2.0, 0.0), (0.0, 0.0), (1.0, 1.0), (1.0, 2.0), (0.5, 0.5)]:
        study.add_trial(optuna.create_trial(params={"x": 0.5}, distributions=made, values=values))
    assert improvements(view(study)).tolist() == [True, False, True, False, True, True]


def test_the_formula_is_the_mean_over_paces():
    # 12 trials of which 10 are the start; of the other two the first improved
    improved = np.array([True] + [False] * 9 + [True, False])
    t = np.array([11.0, 12.0])
    weight, exposure = (t / 12) ** 2.1, t**-1.3
    pace = gamma(0.66 + weight[0], scale=1 / (0.023 + weight @ exposure))
    ahead = (np.arange(13.0, 18.0) ** -1.3).sum()
    draws = pace.rvs(400_000, random_state=0)
    assert chance(improved, 5, start=10) == pytest.approx(1 - np.exp(-draws * ahead).mean(), abs=2e-3)


@given(st.lists(st.booleans(), min_size=1, max_size=80), st.integers(1, 50))
def test_it_is_a_probability_that_grows_with_the_trials_ahead_and_with_recent_success(improved, k):
    improved = np.array(improved)
    p = chance(improved, k, start=10)
    assert 0 < p < 1 and p < chance(improved, k + 1, start=10)
    if len(improved) > 10:
        last = np.append(improved[:-1], not improved[-1])
        assert (chance(last, k, start=10) > p) == last[-1]


def test_the_past_is_what_would_have_been_said_then():
    values = np.random.default_rng(0).normal(size=40).tolist()
    found = forecast(run(values), k=8)
    assert len(found.past) == len(range(5, 33, 2)) and found.note == ""
    improved = improvements(view(run(values)))
    for n, (p, happened) in zip(range(5, 33, 2), found.past, strict=True):
        assert p == forecast(run(values[:n]), k=8).p
        assert happened == improved[n : n + 8].any()
    assert found.record.startswith("14 earlier forecasts said ")


def test_a_long_past_is_looked_at_now_and_then():
    found = forecast(run(np.random.default_rng(0).normal(size=3000).tolist()), k=1)
    assert len(found.past) == 200
    said, came = (np.mean(each) for each in zip(*found.past, strict=True))
    assert abs(said - came) < 0.05


@pytest.mark.parametrize("n", [100, 1000, 10_000])
def test_of_answers_in_random_order_it_does_not_expect_much_more_than_records(n):
    rng = np.random.default_rng(0)
    said = np.mean([chance(_records(rng.normal(size=n)), 20, start=10) for _ in range(100)])
    records = 20 / (n + 20)  # the best of n + 20 is one of the last 20
    assert records < said < 2 * records


def _records(values):
    return values < np.concatenate([[np.inf], np.minimum.accumulate(values)[:-1]])


@pytest.mark.parametrize(
    ("values", "states", "note"),
    [
        ([], {}, "No trial has an answer yet"),
        ([0.0, 0.0], {0: State.FAILED, 1: State.FAILED}, "No trial has a value yet"),
        ([float("nan")], {}, "No trial has a value yet"),
    ],
)
def test_without_values_there_is_no_forecast(values, states, note):
    found = forecast(run(values, states))
    assert np.isnan(found.p) and note in found.note and found.past == [] and found.record == ""


def test_a_short_run_has_a_forecast_without_a_past():
    found = forecast(run([1.0, 2.0, 3.0]))
    assert 0.5 < found.p < 1 and found.past == [] and "20 trials must have followed" in found.note


@pytest.fixture(scope="module")
def bench():
    """The script benchmarks/forecast.py, which belongs to no package."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    yield importlib.import_module("forecast")
    sys.path.remove(str(ROOT / "benchmarks"))


def test_it_is_calibrated_over_200_stored_studies(bench):
    said = [each for run in bench.read() for each in bench.forecasts_of(run)]
    trees = [each for each in said if each.recipe == "trees"]
    assert len({each.study for each in trees}) == 200
    error, by_chance, _ = bench.errors_by_chance(trees)
    assert error < by_chance < 0.03
    assert bench.table(said) in (ROOT / "docs" / "measurements" / "forecast.md").read_text()


@pytest.mark.slow
def test_it_is_calibrated_over_new_studies(bench):
    """A smaller version of the bench: what it says is right on average, and the calibration error that of chance."""
    seeds = range(5000, 5040)
    said = [each for seed in seeds for each in bench.forecasts_of(bench.run("trees", seed))]
    misses = np.array([np.mean([each.p - each.improved for each in said if each.study == seed]) for seed in seeds])
    assert abs(misses.mean()) < 3 * misses.std(ddof=1) / np.sqrt(len(misses))
    error, by_chance, spread = bench.errors_by_chance(said)
    assert error < by_chance + 2 * spread

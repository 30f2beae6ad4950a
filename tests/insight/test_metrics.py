import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from auger.insight import metrics

forecasts = st.integers(1, 40).flatmap(
    lambda m: st.tuples(
        # few decimals, so that there are ties; not beyond where log losses are cut
        arrays(float, m, elements=st.integers(1, 99).map(lambda i: i / 100)),
        arrays(bool, m),
    )
)


def test_a_table_worked_by_hand():
    p, z = np.array([0.9, 0.6, 0.5, 0.2]), np.array([True, False, True, False])
    # -(log 0.9 + log 0.4 + log 0.5 + log 0.8) / 4
    assert metrics.log_loss(p, z) == pytest.approx((0.105361 + 0.916291 + 0.693147 + 0.223144) / 4, abs=1e-6)
    assert metrics.brier(p, z) == pytest.approx((0.01 + 0.36 + 0.25 + 0.04) / 4)
    assert metrics.auc(p, z) == 3 / 4  # of the four pairs only (0.5, 0.6) is the wrong way round
    # a base rate of one half has log loss log 2
    assert metrics.skill(p, np.full(4, 0.5), z) == pytest.approx(1 - 0.484486 / np.log(2), abs=1e-6)


@given(forecasts)
def test_they_agree_with_scikit_learn(case):
    p, z = case
    assert metrics.log_loss(p, z) == pytest.approx(log_loss(z, p, labels=[False, True]))
    assert metrics.brier(p, z) == pytest.approx(brier_score_loss(z, p, pos_label=True))
    if z.all() or not z.any():
        assert np.isnan(metrics.auc(p, z))
    else:
        assert metrics.auc(p, z) == pytest.approx(roc_auc_score(z, p))


@given(forecasts)
def test_perfect_forecasts_have_skill_1_and_the_base_rate_has_0(case):
    p, z = case
    assert metrics.skill(z.astype(float), p, z) > 0.85  # not 1: certainty is cut at 0.999
    assert metrics.skill(p, p, z) == 0


def test_the_error_of_the_skill_is_that_of_new_draws():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=(2000, 150))
    z = rng.random(p.shape) < p
    base = np.full(150, 0.5)
    skills = [metrics.skill(each, base, outcome) for each, outcome in zip(p, z, strict=True)]
    errors = [metrics.skill_error(each, base, outcome) for each, outcome in zip(p, z, strict=True)]
    assert np.mean(errors) == pytest.approx(np.std(skills), rel=0.05)
    assert np.isnan(metrics.skill_error(p[0, :1], base[:1], z[0, :1]))


def test_none_is_nan():
    p, z = np.empty(0), np.empty(0, dtype=bool)
    assert np.isnan([metrics.log_loss(p, z), metrics.brier(p, z), metrics.auc(p, z), metrics.skill(p, p, z)]).all()
    assert metrics.wilson(0, 0) == (0.0, 1.0)


# From Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
@pytest.mark.parametrize(
    ("n_yes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_that_of_newcombes_table(n_yes, n, low, high):
    assert metrics.wilson(n_yes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 50), st.integers(1, 50))
def test_wilsons_interval_holds_the_share(n_yes, n):
    assume(n_yes <= n)
    low, high = metrics.wilson(n_yes, n)
    assert 0 <= low <= n_yes / n + 1e-12 and n_yes / n - 1e-12 <= high <= 1

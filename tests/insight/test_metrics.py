import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from auger.insight import ReportCard

forecasts = st.integers(1, 40).flatmap(
    lambda m: st.tuples(
        # few decimals, so that there are ties; not beyond where log losses are cut
        arrays(float, m, elements=st.integers(1, 99).map(lambda i: i / 100)),
        arrays(bool, m),
    )
)


def card(p, z, base=None):
    return ReportCard(np.arange(len(p)), p, z, p if base is None else base)


def test_a_table_worked_by_hand():
    p, z = np.array([0.9, 0.6, 0.5, 0.2]), np.array([True, False, True, False])
    # -(log 0.9 + log 0.4 + log 0.5 + log 0.8) / 4
    assert card(p, z).log_loss == pytest.approx((0.105361 + 0.916291 + 0.693147 + 0.223144) / 4, abs=1e-6)
    assert card(p, z).brier == pytest.approx((0.01 + 0.36 + 0.25 + 0.04) / 4)
    assert card(p, z).auc == 3 / 4  # of the four pairs only (0.5, 0.6) is the wrong way round
    # a base rate of one half has log loss log 2
    assert card(p, z, np.full(4, 0.5)).skill == pytest.approx(1 - 0.484486 / np.log(2), abs=1e-6)


@given(forecasts)
def test_they_agree_with_scikit_learn(case):
    p, z = case
    assert card(p, z).log_loss == pytest.approx(log_loss(z, p, labels=[False, True]))
    assert card(p, z).brier == pytest.approx(brier_score_loss(z, p, pos_label=True))
    if z.all() or not z.any():
        assert np.isnan(card(p, z).auc)
    else:
        assert card(p, z).auc == pytest.approx(roc_auc_score(z, p))


@given(forecasts)
def test_perfect_forecasts_have_skill_1_and_the_base_rate_has_0(case):
    p, z = case
    assert card(z.astype(float), z, p).skill > 0.85  # not 1: certainty is cut at 0.999
    assert card(p, z).skill == 0


def test_the_error_of_the_skill_is_that_of_new_draws():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=(2000, 150))
    z = rng.random(p.shape) < p
    base = np.full(150, 0.5)
    skills = [card(each, outcome, base).skill for each, outcome in zip(p, z, strict=True)]
    errors = [card(each, outcome, base).skill_error for each, outcome in zip(p, z, strict=True)]
    assert np.mean(errors) == pytest.approx(np.std(skills), rel=0.05)
    assert np.isnan(card(p[0, :1], z[0, :1], base[:1]).skill_error)


def test_none_is_nan():
    p, z = np.empty(0), np.empty(0, dtype=bool)
    assert np.isnan([card(p, z).log_loss, card(p, z).brier, card(p, z).auc, card(p, z).skill]).all()


def interval(n_yes, n):
    [only] = card(np.full(n, 0.5), np.arange(n) < n_yes).reliability(1)
    return only.error_low, only.error_high


# From Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
@pytest.mark.parametrize(
    ("n_yes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_that_of_newcombes_table(n_yes, n, low, high):
    assert interval(n_yes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 50), st.integers(1, 50))
def test_wilsons_interval_holds_the_share(n_yes, n):
    assume(n_yes <= n)
    low, high = interval(n_yes, n)
    assert 0 <= low <= n_yes / n + 1e-12 and n_yes / n - 1e-12 <= high <= 1

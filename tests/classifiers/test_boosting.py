import sys

import numpy as np
import pytest
from support.labels import KERNEL, LINE, good_first, labels_of, plain

from auger.classifiers.boosting import Boosting
from auger.errors import ClassifierError

xgboost = pytest.importorskip("xgboost")


def fit(X, labels, space=LINE, seed=0, **settings):
    return Boosting(**settings).fit(X, labels, space=space, rng=np.random.default_rng(seed))


def reference(view, z, weight=None):
    """The paper's settings (appendix J.2) through XGBoost's other front door."""
    model = xgboost.XGBClassifier(n_estimators=100, learning_rate=0.3, min_child_weight=1, max_depth=6, n_jobs=1)
    return model.fit(view, z, sample_weight=weight).predict_proba(view)[:, 1]


def test_the_defaults_are_the_papers():
    X, z = good_first(60, 20)
    np.testing.assert_allclose(fit(X, plain(z))(X), reference(X, z), rtol=1e-5)


@pytest.mark.parametrize(
    "setting", [{"n_rounds": 3}, {"learning_rate": 0.1}, {"min_child_weight": 5.0}, {"max_depth": 1}]
)
def test_each_setting_reaches_xgboost(setting):
    X, z = good_first(60, 20)
    assert (fit(X, plain(z), **setting)(X) != fit(X, plain(z))(X)).any()


def test_masses_reach_xgboost():
    X, z = good_first(60, 20)
    mass = np.random.default_rng(1).uniform(0.5, 4.0, 60)
    score = fit(X, labels_of(np.where(z, mass, 0.0), np.where(z, 0.0, mass)))
    np.testing.assert_allclose(score(X), reference(X, z, mass), rtol=1e-5)


def test_a_row_may_be_an_example_of_both_classes():
    X = np.full((40, 1), 0.5)
    labels = labels_of(np.where(np.arange(40) < 10, 8.0, 0.0), np.full(40, 2.0))
    assert fit(X, labels)(X[:1])[0] == pytest.approx(0.5, abs=0.01)


def test_inactive_entries_reach_xgboost_as_nan():
    X = KERNEL.sample(60, np.random.default_rng(1))
    X = X[np.argsort(np.where(np.isnan(X[:, 1]), 0.5, X[:, 1]))]
    z = np.arange(60) < 20
    view = np.column_stack([X[:, 0] == 0, X[:, 0] == 1, X[:, 1]])
    assert np.isnan(view).any()
    np.testing.assert_allclose(fit(X, plain(z), KERNEL)(X), reference(view, z), rtol=1e-5)


def test_the_same_generator_gives_the_same_scores():
    X, z = good_first(60, 20)
    np.testing.assert_array_equal(fit(X, plain(z), seed=1)(X), fit(X, plain(z), seed=1)(X))


def test_scores_are_probabilities_in_double_precision():
    X, z = good_first(60, 20)
    score = fit(X, plain(z))(X)
    assert score.dtype == np.float64
    assert ((score > 0) & (score < 1)).all()


def test_one_row_of_each_class_is_enough():
    # min_child_weight 1 forbids the split, as it would in the paper: the score is level
    X = np.array([[0.2], [0.8]])
    np.testing.assert_allclose(fit(X, plain(np.array([True, False])))(X), 0.5)


def test_without_xgboost_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ClassifierError, match=r'pip install "auger\[xgboost\]"'):
        fit(np.array([[0.2], [0.8]]), plain(np.array([True, False])))


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("n_rounds", 0, "a whole number of at least 1"),
        ("min_child_weight", -1, "a number of at least 0"),
        ("max_depth", 2.5, "a whole number of at least 1"),
        ("learning_rate", 0.0, r"in \(0, 1\]"),
        ("learning_rate", 2.0, r"in \(0, 1\]"),
    ],
)
def test_settings_out_of_range_are_refused(name, value, wanted):
    with pytest.raises(ClassifierError, match=f"`{name}` of a Boosting must be {wanted}. Got {value}"):
        Boosting(**{name: value})

import math

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC

from auger.classifiers import calibrated
from auger.classifiers.svm import SVM
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Float, Space

SPACE = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})


def labels_of(z, mass=1.0):
    return Labels(z, np.where(z, 0.0, 1.0), 0.5, np.where(z, mass, 0.0), np.where(z, 0.0, mass))


def noisy(n, n_good, seed=0):
    """Rows with the good ones first, the order in which labels hand out examples."""
    rng = np.random.default_rng(seed)
    X = SPACE.sample(n, rng)
    return X[np.argsort(X[:, 0] + rng.normal(0, 0.2, n))], np.arange(n) < n_good


def fit(X, labels, **settings):
    return SVM(**settings).fit(X, labels, space=SPACE, rng=np.random.default_rng(0))


@pytest.mark.parametrize("mass", [None, 3.0])
def test_it_agrees_with_scikit_learns_platt_scaling_over_the_same_folds(monkeypatch, mass):
    X, z = noisy(60, 20)
    fold = np.arange(60) % 5
    monkeypatch.setattr(calibrated, "_folds", lambda labels, n_folds, rng: fold)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    weight = np.ones(60) if mass is None else np.where(z, mass, 1.0)
    reference = CalibratedClassifierCV(SVC(), method="sigmoid", cv=splits, ensemble=False)
    expected = reference.fit(X, z, sample_weight=weight).predict_proba(X)[:, 1]
    np.testing.assert_allclose(fit(X, labels_of(z, weight))(X), expected, atol=1e-4)


def test_scores_are_probabilities_and_follow_the_good_rows():
    X, z = noisy(60, 20)
    score = fit(X, labels_of(z))
    assert score.note == ""
    assert ((score(X) > 0) & (score(X) < 1)).all()
    assert score(np.array([[0.05, 0.5]])) > score(np.array([[0.95, 0.5]]))


def test_with_few_rows_of_a_class_it_squashes_the_decision_value_and_says_so():
    X, z = noisy(12, 3)
    score = fit(X, labels_of(z))
    decision = SVC().fit(X, z).decision_function(X)
    np.testing.assert_allclose(score(X), 1 / (1 + np.exp(-decision)), atol=1e-6)
    assert score.note == "no Platt scaling: 3 good and 9 other rows, where 5 folds need 5 of each"


def test_two_rows_are_enough():
    X, z = np.array([[0.1, 0.1], [0.9, 0.9]]), np.array([True, False])
    score = fit(X, labels_of(z))
    assert score(X)[0] > score(X)[1]


def test_rows_that_are_all_the_same_score_the_same():
    score = fit(np.full((12, 2), 0.5), labels_of(np.arange(12) < 6))
    assert np.ptp(score(SPACE.sample(5, np.random.default_rng(0)))) == 0
    assert "do not tell good from rest" in score.note


def test_the_best_score_is_the_largest_margin_also_where_platt_scaling_is_flat():
    rng = np.random.default_rng(5)
    X, z = SPACE.sample(40, rng), np.arange(40) < 12  # no relation between the two
    score = fit(X, labels_of(z))
    at = SPACE.sample(500, rng)
    margin = SVC().fit(X, z).decision_function(at)
    assert np.ptp(score.probability(at)) == 0
    np.testing.assert_array_equal(np.argsort(score(at)), np.argsort(margin))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": 0.0}, "`C` of SVM must be a positive number. Got 0.0"),
        ({"C": math.nan}, "`C` of SVM must be a positive number. Got nan"),
        ({"kernel": "gauss"}, "`kernel` of SVM must be one of rbf, linear, poly, sigmoid. Got 'gauss'"),
        ({"n_folds": 1}, "`n_folds` of an SVM must be a whole number of at least 2. Got 1"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ClassifierError, match=message):
        SVM(**settings)

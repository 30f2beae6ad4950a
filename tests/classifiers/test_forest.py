import numpy as np
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from support.labels import KERNEL, LINE, good_first, labels_of, plain

from auger.classifiers.forest import Forest
from auger.classifiers.interface import seed_from
from auger.errors import ClassifierError


def fit(X, labels, space=LINE, seed=0, **settings):
    return Forest(**settings).fit(X, labels, space=space, rng=np.random.default_rng(seed))


def reference(view, z, **settings):
    """The same forest by scikit-learn's own front door."""
    return RandomForestClassifier(random_state=seed_from(np.random.default_rng(0)), **settings).fit(view, z)


def test_the_defaults_are_the_papers_which_are_scikit_learns():
    X, z = good_first(60, 20)
    grid = np.linspace(0, 1, 200)[:, None]
    paper = reference(X, z, n_estimators=100, min_samples_split=2, min_samples_leaf=1, max_depth=None)
    np.testing.assert_allclose(fit(X, plain(z))(grid), paper.predict_proba(grid)[:, 1], rtol=1e-12)
    np.testing.assert_array_equal(paper.predict_proba(grid), reference(X, z).predict_proba(grid))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"n_trees": 7}, {"n_estimators": 7}),
        ({"min_samples_split": 20}, {"min_samples_split": 20}),
        ({"min_samples_leaf": 3}, {"min_samples_leaf": 3}),
        ({"max_depth": 2}, {"max_depth": 2}),
    ],
)
def test_each_setting_reaches_the_forest(ours, theirs):
    X, z = good_first(60, 20)
    settings = {"n_trees": 5, **ours}
    expected = reference(X, z, **{"n_estimators": 5, **theirs}).predict_proba(X)[:, 1]
    np.testing.assert_allclose(fit(X, plain(z), **settings)(X), expected, rtol=1e-12)
    assert (expected != reference(X, z, n_estimators=5).predict_proba(X)[:, 1]).any()


def test_weighted_trees_are_those_of_scikit_learn_before_it_drew_rows_by_weight():
    X, z = good_first(60, 20)
    weight = np.random.default_rng(3).uniform(0.1, 5.0, 60)
    labels = labels_of(np.where(z, weight, 0.0), np.where(z, 0.0, weight))
    index, target, masses = labels.rows()
    model = RandomForestClassifier(random_state=seed_from(np.random.default_rng(0)))
    expected = model.fit(X[index], target, sample_weight=masses).predict_proba(X)[:, 1]
    multiplies = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)
    assert np.allclose(fit(X, labels)(X), expected, rtol=1e-12) == multiplies


def test_masses_reach_the_leaves():
    # equal rows cannot be told apart: the leaves hold shares of mass, and bootstraps average out around 3 / 4
    X = np.full((40, 1), 0.5)
    z = np.arange(40) < 20
    score = fit(X, labels_of(np.where(z, 3.0, 0.0), np.where(z, 0.0, 1.0)), n_trees=400)
    assert score(X[:1])[0] == pytest.approx(0.75, abs=0.02)


def test_a_row_may_be_an_example_of_both_classes():
    X = np.full((40, 1), 0.5)
    labels = labels_of(np.where(np.arange(40) < 10, 8.0, 0.0), np.full(40, 2.0))
    assert fit(X, labels, n_trees=400)(X[:1])[0] == pytest.approx(0.5, abs=0.02)


def test_inactive_entries_reach_the_trees_as_nan():
    rng = np.random.default_rng(1)
    X = KERNEL.sample(60, rng)
    X = X[np.argsort(np.where(np.isnan(X[:, 1]), 0.5, X[:, 1]))]
    z = np.arange(60) < 20
    view = np.column_stack([X[:, 0] == 0, X[:, 0] == 1, X[:, 1]])
    assert np.isnan(view).any()
    expected = reference(view, z).predict_proba(view)[:, 1]
    np.testing.assert_allclose(fit(X, plain(z), KERNEL)(X), expected, rtol=1e-12)


def test_the_same_generator_gives_the_same_forest_and_another_another():
    X, z = good_first(60, 20)
    grid = np.linspace(0, 1, 200)[:, None]
    np.testing.assert_array_equal(fit(X, plain(z), seed=1)(grid), fit(X, plain(z), seed=1)(grid))
    assert (fit(X, plain(z), seed=1)(grid) != fit(X, plain(z), seed=2)(grid)).any()


def test_one_row_of_each_class_is_enough():
    score = fit(np.array([[0.2], [0.8]]), plain(np.array([True, False])))
    assert score(np.array([[0.0]])) > score(np.array([[1.0]]))


def test_fitting_changes_neither_the_rows_nor_the_labels():
    X, z = good_first(30, 10)
    labels = plain(z)
    before = X.copy(), labels.positive.copy(), labels.negative.copy()
    fit(X, labels, n_trees=5)
    for array, copy in zip((X, labels.positive, labels.negative), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [("n_trees", 0, 1), ("min_samples_split", 1, 2), ("min_samples_leaf", 0, 1), ("max_depth", 0, 1)],
)
def test_settings_out_of_range_are_refused(name, value, least):
    with pytest.raises(
        ClassifierError, match=f"`{name}` of a Forest must be a whole number of at least {least}. Got {value}"
    ):
        Forest(**{name: value})

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from support.labels import KERNEL, good_first, plain

from auger.classifiers import Forest, OnlineForest
from auger.errors import ClassifierError
from auger.space import Categorical, Space

SQUARE = Space({"a": (0.0, 1.0), "b": (0.0, 1.0)})
SMALL = OnlineForest(Forest(n_trees=20), rows_per_tree=30)


def fit(X, z, classifier=SMALL, space=SQUARE, previous=None, seed=0):
    return classifier.fit(X, plain(z), space=space, rng=np.random.default_rng(seed), previous=previous)


def kept(score, previous):
    """How many trees were taken over."""
    return sum(any(each.tree is old.tree for old in previous.trees) for each in score.trees)


def same(one, other):
    """How many trees of two forests were grown from the same sample."""
    return sum(first.content == second.content for first, second in zip(one.trees, other.trees, strict=True))


def disc(n, seed=0):
    """Rows of the square, good in a disc around its middle."""
    X = np.random.default_rng(seed).random((n, 2))
    return X, np.hypot(*(X - 0.5).T) < 0.35


# -- what is kept -----------------------------------------------------------------------------------------


def test_the_same_rows_keep_every_tree():
    X, z = disc(200)
    first = fit(X, z)
    assert kept(fit(X, z, previous=first), first) == 20


@pytest.mark.parametrize("share", [1 / 2, 1 / 3, 1 / 4, 1 / 10])
def test_a_new_row_keeps_the_trees_whose_samples_do_not_hold_it(share):
    # a sample holds 30 of 2,000 rows: a new one is in 0.3 of 20 samples on the average, and pushes another one out
    X, _ = disc(2001)
    y, n_kept = np.hypot(*(X - 0.5).T), []
    for n in range(1980, 2001):
        before, after = (fit(X[:m], y[:m] <= np.quantile(y[:m], share), previous=None) for m in (n, n + 1))
        n_kept.append(kept(fit(X[: n + 1], y[: n + 1] <= np.quantile(y[: n + 1], share), previous=before), before))
        assert n_kept[-1] == same(before, after)
    assert np.mean(n_kept) > 18
    assert min(n_kept) < 20


def test_a_label_that_flips_keeps_the_trees_whose_samples_do_not_hold_it():
    X, z = disc(2000)
    before = fit(X, z)
    n_kept = []
    for i in range(40):
        flipped = z.copy()
        flipped[i] = not z[i]
        n_kept.append(kept(fit(X, flipped, previous=before), before))
    assert np.mean(n_kept) > 18
    assert min(n_kept) < 20


def test_of_many_rows_a_sample_holds_the_given_number_and_of_few_as_many_as_a_bootstrap():
    for n, expected in ((2000, 30), (20, 12)):
        X, z = good_first(n, n // 4)
        score = fit(X, z, space=Space({"x": (0.0, 1.0)}))
        assert {int(each.tree.n_node_samples[0]) for each in score.trees} == {expected}


@given(seed=st.integers(0, 10_000), n=st.integers(2, 60))
def test_the_order_of_the_rows_makes_no_difference(seed, n):
    rng = np.random.default_rng(seed)
    X, z = disc(n, seed)
    z[:2] = True, False
    order = rng.permutation(n)
    grid = rng.random((50, 2))
    np.testing.assert_array_equal(fit(X, z)(grid), fit(X[order], z[order])(grid))


def test_the_generator_makes_no_difference():
    X, z = disc(100)
    np.testing.assert_array_equal(fit(X, z, seed=1)(X), fit(X, z, seed=2)(X))


@pytest.mark.parametrize(
    "other",
    [OnlineForest(Forest(n_trees=20), rows_per_tree=31), OnlineForest(Forest(n_trees=20, max_depth=3), 30)],
    ids=["samples", "depth"],
)
def test_trees_of_other_settings_are_not_taken_over(other):
    X, z = disc(200)
    before = fit(X, z, other)
    assert kept(fit(X, z, previous=before), before) == 0
    assert kept(fit(X, z, other, previous=before), before) == 20


def test_trees_of_another_view_are_not_taken_over():
    # of a wide choice, columns come and go with the codes that occur: 0 goes and 1,000 comes, and all others move
    space = Space({"c": Categorical(tuple(range(2000)))})
    X = np.arange(50.0)[:, np.newaxis]
    z = X[:, 0] >= 40
    before = fit(X, z, space=space)
    other = np.where(X == 0, 1000.0, X)
    after, alone = fit(other, z, space=space, previous=before), fit(other, z, space=space)
    assert same(before, alone) > 0  # samples that hold neither
    np.testing.assert_array_equal(after(X), alone(X))


def test_a_score_of_another_classifier_is_ignored():
    X, z = disc(50)
    other = Forest(n_trees=3).fit(X, plain(z), space=SQUARE, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(fit(X, z, previous=other)(X), fit(X, z)(X))


# -- what is learned --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [60, 1000])
def test_it_learns_as_well_as_a_forest_of_all_rows(n):
    X, z = disc(n)
    unseen, truth = disc(2000, seed=1)
    scores = [fit(X, z, classifier)(unseen) for classifier in (OnlineForest(), Forest())]
    quality = [roc_auc_score(truth, score) for score in scores]
    assert quality[0] > quality[1] - 0.01 > 0.9


def test_every_tree_sees_both_classes():
    X, z = good_first(500, 1)
    score = fit(X, z, space=Space({"x": (0.0, 1.0)}))
    assert all(each.tree.value[0, 0].min() > 0 for each in score.trees)


def test_equal_rows_are_no_trouble():
    X = np.full((400, 2), 0.5)
    z = np.arange(400) < 100
    assert fit(X, z)(X[:1])[0] == pytest.approx(0.25, abs=0.01)


def test_inactive_entries_are_learned_from():
    X = KERNEL.sample(300, np.random.default_rng(1))
    z = np.isnan(X[:, 1])
    score = fit(X, z, space=KERNEL)
    assert score(X[z]).min() > 0.9 and score(X[~z]).max() < 0.1


# -- settings ---------------------------------------------------------------------------------------------


def test_settings_out_of_range_are_refused():
    with pytest.raises(
        ClassifierError, match="`rows_per_tree` of an OnlineForest must be a whole number of at least 2"
    ):
        OnlineForest(rows_per_tree=1)
    with pytest.raises(ClassifierError, match="`forest` of an OnlineForest must be a Forest. Got 100"):
        OnlineForest(100)

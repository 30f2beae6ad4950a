import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from support.labels import plain

from auger.classifiers import Boosting, Forest, OnlineBoosting
from auger.errors import ClassifierError
from auger.space import Categorical, Space

pytest.importorskip("xgboost")

SQUARE = Space({"a": (0.0, 1.0), "b": (0.0, 1.0)})
FEW = OnlineBoosting(Boosting(n_rounds=20), n_more_rounds=8)


def fit(X, z, classifier=FEW, space=SQUARE, previous=None):
    return classifier.fit(X, plain(z), space=space, rng=np.random.default_rng(0), previous=previous)


def n_trees(score):
    return score.model.num_boosted_rounds()


def disc(n, seed=0):
    """Rows of the square, good in a disc around its middle."""
    X = np.random.default_rng(seed).random((n, 2))
    return X, np.hypot(*(X - 0.5).T) < 0.35


def test_each_fit_adds_trees_until_there_are_twice_as_many_and_then_begins_anew():
    X, z = disc(40)
    score, numbers = None, []
    for _ in range(7):
        score = fit(X, z, previous=score)
        numbers.append(n_trees(score))
    assert numbers == [20, 28, 36, 20, 28, 36, 20]


@pytest.mark.parametrize("loss", ["log", "kliep"])
def test_more_trees_on_the_same_rows_are_those_of_a_longer_fit(loss):
    X, z = disc(60)
    one = fit(X, z, OnlineBoosting(Boosting(n_rounds=20, loss=loss), n_more_rounds=8))
    more = fit(X, z, OnlineBoosting(Boosting(n_rounds=20, loss=loss), n_more_rounds=8), previous=one)
    at_once = fit(X, z, Boosting(n_rounds=28, loss=loss))
    np.testing.assert_allclose(more(X), at_once(X), rtol=1e-4)


def test_the_first_fit_is_that_of_boosting():
    X, z = disc(60)
    np.testing.assert_array_equal(fit(X, z, OnlineBoosting())(X), fit(X, z, Boosting())(X))


def test_what_is_new_is_learned_and_the_previous_score_stays_as_it_was():
    X, z = disc(200)
    half = X[:, 0] < 0.5  # the first fit knows one half of the square only
    first = fit(X[half], z[half])
    before = first(X)
    second = fit(X, z, previous=first)
    assert roc_auc_score(z[~half], second(X[~half])) > roc_auc_score(z[~half], before[~half])
    np.testing.assert_array_equal(first(X), before)


def test_a_score_of_another_classifier_or_another_view_is_not_continued():
    X, z = disc(40)
    other = Forest(n_trees=3).fit(X, plain(z), space=SQUARE, rng=np.random.default_rng(0))
    assert n_trees(fit(X, z, previous=other)) == 20
    assert n_trees(fit(X, z, previous=fit(X, z, Boosting(n_rounds=20, loss="lsif")))) == 20
    space = Space({"c": Categorical(tuple(range(2000)))})  # whose columns come and go with the codes that occur
    codes = np.arange(40.0)[:, np.newaxis]
    assert n_trees(fit(codes + 1, z, space=space, previous=fit(codes, z, space=space))) == 20
    assert n_trees(fit(codes, z, space=space, previous=fit(codes, z, space=space))) == 28


def test_settings_out_of_range_are_refused():
    with pytest.raises(
        ClassifierError, match="`n_more_rounds` of an OnlineBoosting must be a whole number of at least 1"
    ):
        OnlineBoosting(n_more_rounds=0)
    with pytest.raises(ClassifierError, match="`boosting` of an OnlineBoosting must be a Boosting. Got 'xgb'"):
        OnlineBoosting("xgb")

"""Views of choices with very many values, against those of few, and against the definition."""

import math
import tracemalloc

import numpy as np
import pytest

from auger.classifiers import MLP, Boosting, ExtraTrees, Forest, GaussianProcess
from auger.classifiers.kde import parzen
from auger.errors import ConfigError
from auger.gaussian_process.kernel import squares
from auger.labels import Labels
from auger.maximizers import pick
from auger.optimizer import Optimizer
from auger.space import Categorical, Float, Int, Ordinal, Space, views
from auger.space.grid import Grid
from auger.trial import State, Trial

N = 3000


def space_of(n=N):
    """A wide choice at the top, one below a condition, and others."""
    return Space(
        {
            "word": Categorical(list(range(n))),
            "x": Float(0.0, 1.0),
            "switch": ["on", "off"],
            "other": Categorical([f"w{i}" for i in range(n)], when={"switch": "on"}),
        }
    )


def rows_of(space, n=40, seed=0):
    """Rows that share some codes: they come from twelve of each choice."""
    rng = np.random.default_rng(seed)
    X = space.sample(n, rng)
    X[:, [0, 3]] = np.where(np.isnan(X[:, [0, 3]]), np.nan, X[:, [0, 3]] % 12 * 17)
    return X


def labels_of(n):
    z = np.arange(n) < n // 3
    return Labels(z, np.arange(n, dtype=float), n // 3 - 0.5, z.astype(float), (~z).astype(float))


@pytest.fixture
def narrow(monkeypatch):
    """A function that runs another with every choice one column per value, as if none were wide."""

    def run(function):
        with monkeypatch.context() as patch:
            patch.setattr(views, "WIDE", math.inf)
            return function()

    return run


def test_a_view_has_columns_for_the_codes_that_occur_and_one_for_the_others():
    space = space_of()
    X = rows_of(space)
    n_codes = [len(np.unique(X[~np.isnan(X[:, j]), j])) for j in (0, 3)]
    assert space.views(X).one_hot(X).shape == (40, sum(n_codes) + 2 + 1 + 2)
    assert np.isinf(space.views(X).one_hot_code).sum() == 2


def test_without_wide_choices_the_views_are_those_of_the_space():
    space = space_of(1000)
    X = rows_of(space)
    np.testing.assert_array_equal(space.views(X[:3]).one_hot(X), space.one_hot(X))
    np.testing.assert_array_equal(space.views(X[:3]).euclidean(X), space.euclidean(X))


def test_distances_to_the_learned_rows_are_those_of_the_view_with_all_columns():
    space = space_of()
    learned, others = rows_of(space), space.sample(30, np.random.default_rng(1))

    def distances(function):
        A, B = function(learned), function(np.concatenate([others, learned]))
        return ((A[:, np.newaxis] - B) ** 2).sum(axis=2)

    few = space.views(learned)
    np.testing.assert_allclose(distances(few.euclidean), distances(space.euclidean), atol=1e-12)
    np.testing.assert_array_equal(distances(few.one_hot), distances(space.one_hot))


def test_no_more_than_a_thousand_codes_have_a_column_and_the_frequent_ones_do():
    space = Space({"word": Categorical(list(range(10_000)))})
    codes = np.concatenate([np.arange(5000), np.arange(0, 5000, 10)])  # every tenth occurs twice
    kept = space.views(codes[:, np.newaxis].astype(float)).one_hot_code[:-1]
    assert len(kept) == 1000
    assert set(range(0, 5000, 10)) <= set(kept)
    assert set(range(4500, 5000)) <= set(kept)  # of those that occur once, the last


def test_the_gaussian_process_gives_the_scores_of_the_view_with_all_columns(narrow):
    X, at = rows_of(space_of()), rows_of(space_of(), 50, seed=1)

    def scores():
        space = space_of()
        score = GaussianProcess().fit(X, labels_of(len(X)), space=space, rng=np.random.default_rng(0))
        return np.concatenate([score(at), score.ascent(at)[1].ravel(), score.probability(at)])

    np.testing.assert_allclose(scores(), narrow(scores), rtol=1e-6, atol=1e-8)


def test_the_densities_of_parzen_estimators_are_those_of_the_view_with_all_columns(narrow):
    X, at = rows_of(space_of()), rows_of(space_of(), 50, seed=1)

    def densities():
        return parzen(X, np.ones(len(X)), space=space_of(), min_bandwidth=1e-3).log_density(at)

    np.testing.assert_allclose(densities(), narrow(densities), rtol=1e-10)


def test_xgboost_grows_the_trees_of_the_view_with_all_columns(narrow):
    pytest.importorskip("xgboost")
    X, at = rows_of(space_of()), rows_of(space_of(), 50, seed=1)

    def scores():
        return Boosting().fit(X, labels_of(len(X)), space=space_of(), rng=np.random.default_rng(0))(at)

    np.testing.assert_allclose(scores(), narrow(scores), rtol=1e-6)


def test_the_distance_of_the_tolerance_pick_is_that_of_the_view_with_all_columns(narrow):
    X, others = rows_of(space_of()), rows_of(space_of(), 50, seed=1)
    X[0, 0], others[0, 0] = 5.0, 6.0  # codes that the other side does not have

    def distances():
        return pick._distance(space_of(), X, others)

    np.testing.assert_allclose(distances(), narrow(distances), atol=1e-12)


def test_squares_of_many_columns_are_those_of_column_after_column():
    space = Space({"word": Categorical(list(range(30))), "x": Float(0.0, 1.0)})
    V = space.euclidean(space.sample(25, np.random.default_rng(0)))
    k, i = np.triu_indices(25, 1)
    expected = np.zeros((2, len(i)))
    for p, j in enumerate(space.euclidean_column.tolist()):
        expected[j] += (V[i, p] - V[k, p]) ** 2
    np.testing.assert_array_equal(squares(V, space.euclidean_column, 2), expected)


def test_networks_keep_the_weights_of_codes_they_know_when_new_ones_come():
    space = Space({"word": Categorical(list(range(N))), "x": Float(0.0, 1.0)})
    X = np.column_stack([np.arange(30) % 6, np.linspace(0, 1, 30)]).astype(float)
    X[20:, 0] += 100  # six codes that the first fit does not know
    first = MLP().fit(X[:20], labels_of(20), space=space, rng=np.random.default_rng(0))
    grown = first.networks_for(space, space.views(X))
    assert grown.sizes == (14, 32, 32, 1)
    known = np.array([0, 1, 2, 3, 4, 5, 12, 13])  # the codes of the first fit, the others together, and x
    old, new = (each.theta[0, : each.sizes[0] * 32].reshape(-1, 32) for each in (first.networks, grown))
    np.testing.assert_array_equal(new[known], old)
    assert not new[6:12].any()
    np.testing.assert_array_equal(grown.theta[0, 14 * 32 :], first.networks.theta[0, 8 * 32 :])
    second = MLP().fit(X, labels_of(30), space=space, rng=np.random.default_rng(1), previous=first)
    assert second.networks.n_taken == 2 * first.networks.n_taken


def test_networks_of_another_space_with_many_choices_are_not_continued():
    spaces = [Space({"word": Categorical(list(range(first, first + N)))}) for first in (0, 1)]
    X = np.arange(20, dtype=float)[:, np.newaxis]
    previous = MLP().fit(X, labels_of(20), space=spaces[0], rng=np.random.default_rng(0))
    score = MLP().fit(X, labels_of(20), space=spaces[1], rng=np.random.default_rng(1), previous=previous)
    alone = MLP().fit(X, labels_of(20), space=spaces[1], rng=np.random.default_rng(1))
    np.testing.assert_array_equal(score(X), alone(X))


@pytest.mark.parametrize("classifier", [ExtraTrees(), Forest(n_trees=10)], ids=["extra trees", "forest"])
def test_trees_learn_which_of_very_many_choices_are_good(classifier):
    space = Space({"word": Categorical(list(range(N))), "x": Float(0.0, 1.0)})
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 5, 60), rng.random(60)]).astype(float)
    z = X[:, 0] == 3
    labels = Labels(z, np.where(z, 0.0, 1.0), 0.5, z.astype(float), (~z).astype(float))
    score = classifier.fit(X, labels, space=space, rng=rng)
    at = np.array([[3.0, 0.5], [2.0, 0.5]])
    assert score(at)[0] > 0.9
    assert score(at)[1] < 0.1


def peak_mb(function):
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


MANY = 100_000


@pytest.mark.parametrize("recipe", ["auto", "tpe", "bore-rf", "bore-xgb", "bore-mlp", "bore-svm"])
def test_a_suggestion_needs_no_memory_in_proportion_to_the_number_of_choices(recipe):
    if recipe == "bore-xgb":
        pytest.importorskip("xgboost")
    space = Space({"word": Categorical(list(range(MANY))), "x": Float(0.0, 1.0)})
    optimizer = Optimizer(space, recipe, seed=0)
    rng = np.random.default_rng(0)
    optimizer.add(space.decode(space.sample(20, rng)), rng.random(20))
    optimizer.tell(optimizer.ask(), 0.5)  # imports
    peak = peak_mb(lambda: optimizer.tell(optimizer.ask(2)[0], 0.5))  # both models of `auto`
    assert peak < 20  # one row of a view with all columns takes 0.8 MB, and hundreds of rows are scored


def test_a_suggestion_after_many_trials_has_views_with_a_thousand_columns_at_most():
    space = Space({"word": Categorical(list(range(MANY))), "x": Float(0.0, 1.0)})
    X = space.sample(5000, np.random.default_rng(0))
    assert space.views(X).one_hot(X[:10]).shape == (10, 1002)


def test_pruned_trials_and_the_recommendation_work_with_very_many_choices():
    space = Space({"word": Categorical(list(range(MANY))), "x": Float(0.0, 1.0)})
    optimizer = Optimizer(space, seed=0)
    rng = np.random.default_rng(0)
    trials = [
        Trial(i, config, State.PRUNED if i % 3 == 0 else State.COMPLETE, rng.random(), intermediate_values=[(1, 0.5)])
        for i, config in enumerate(space.decode(space.sample(40, rng)))
    ]
    optimizer.history.extend(trials)
    optimizer.tell(optimizer.ask(), 0.5)
    assert peak_mb(lambda: (optimizer.ask(), optimizer.recommend())) < 20


def test_a_message_about_very_many_choices_is_short():
    choice = Categorical([f"word {i}" for i in range(MANY)])
    with pytest.raises(ConfigError, match=r"one of 'word 0', .*, \.\.\., 'word 99999' \(100,000 choices\)\. Got 'x'\."):
        choice.encode(["x"], "word")
    assert len(repr(Space({"word": choice, "order": Ordinal(list(range(MANY)))}))) < 500


@pytest.mark.parametrize("parameter", [Int(1, 10**12), Ordinal(list(range(MANY))), Int(1, 10**12, log=True)])
def test_values_within_limits_are_counted_without_listing_them(parameter):
    bottom, top = parameter.encode([3, 70_000], "n")
    grid = Grid([parameter], np.array([bottom]), np.array([top]))
    assert grid.n_levels(0) == 69_998
    assert peak_mb(lambda: grid.n_levels(0)) < 0.1
    assert parameter.decode(grid.levels(0)[[0, -1]]) == [3, 70_000]


@pytest.mark.parametrize("recipe", ["auto", "tpe"])
@pytest.mark.parametrize("parameter", [Int(1, 10**12), Ordinal(list(range(MANY)))], ids=["Int", "Ordinal"])
def test_a_long_range_costs_no_memory(recipe, parameter):
    optimizer = Optimizer({"n": parameter, "x": Float(0.0, 1.0)}, recipe, seed=0)
    rng = np.random.default_rng(0)
    optimizer.add(optimizer.space.decode(optimizer.space.sample(20, rng)), rng.random(20))
    optimizer.tell(optimizer.ask(), 0.5)
    assert peak_mb(lambda: optimizer.ask(2)) < 20

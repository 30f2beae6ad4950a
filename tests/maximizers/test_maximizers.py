"""The kit over all of ours, and what is particular to each."""

import re
from dataclasses import replace

import numpy as np
import pytest

from auger.classifiers.interface import Score
from auger.errors import ClassifierError, RecipeError
from auger.history import History
from auger.maximizers import (
    Argmax,
    AroundBest,
    ByDomain,
    Evolution,
    Exhaustive,
    Gradient,
    LocalSearch,
    Maximizer,
    MeanShift,
    RandomSearch,
    Tolerance,
)
from auger.space import Float, Int, Space
from auger.testing import maximizer_checks
from auger.testing.cases import choice_space, history_of, mixed_space, numeric_space, target
from auger.testing.maximizers import Flat, Peak

OURS = {
    "random": RandomSearch(),
    "random-tolerance": RandomSearch(pick=Tolerance(0.1)),
    "evolution": Evolution(600),
    "gradient": Gradient(n_samples=256),
    "local": LocalSearch(),
    "local climb": LocalSearch(n_climbs=2),
    "around": AroundBest(LocalSearch(), above=0),
    "exhaustive": Exhaustive(),
    "mean-shift": MeanShift(),
    "by-domain": ByDomain(discrete=Exhaustive(), continuous=Evolution(600)),
}


@pytest.mark.parametrize("check", maximizer_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", OURS)
def test_ours_pass_the_kit(name, check):
    check(OURS[name])


class Wrong(Maximizer):
    """A random search with something wrong with it."""

    def __init__(self, change):
        self.change = change

    def maximize(self, score, space, history, *, rng):
        return self.change(RandomSearch().maximize(score, space, history, rng=rng), space, history, rng)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found, space, history, rng: replace(found, row=found.row + 1e-5), "Not equal|must be"),
        (lambda found, space, history, rng: replace(found, row=found.row[None]), "shape"),
        (lambda found, space, history, rng: replace(found, row=space.sample(1, rng)[0]), "Not equal"),
        (lambda found, space, history, rng: replace(found, row=space.members[0], note="exhausted"), "tried before"),
        (lambda found, space, history, rng: replace(found, note=""), "exhausted"),
        (lambda found, space, history, rng: history.start(space.decode(found.row[None])[0]) and found, "changed"),
    ],
)
def test_the_kit_catches_a_maximizer_that_is_wrong(change, message):
    failures = []
    for check in maximizer_checks():
        try:
            check(Wrong(change))
        except Exception as error:
            failures.append(f"{type(error).__name__}: {error}")
    assert any(re.search(message, failure) for failure in failures), failures


class Counting(Score):
    """A Peak that counts its calls and rows."""

    def __init__(self, space):
        self.peak, self.calls = Peak(space), []

    def __call__(self, X):
        self.calls.append(len(X))
        return self.peak(X)

    def ascent(self, X):
        return self.peak.ascent(X)


def maximize(maximizer, score, space, n_known=5, seed=0):
    X = space.sample(n_known, np.random.default_rng(99))
    history = history_of(space, X, target(X, space))
    return maximizer.maximize(score, space, history, rng=np.random.default_rng(seed))


def test_random_search_scores_its_samples_in_one_call():
    score = Counting(numeric_space())
    maximize(RandomSearch(500), score, numeric_space())
    assert score.calls == [500]


@pytest.mark.parametrize("n", [1, 3, 50, 130, 2000])
def test_evolution_keeps_its_budget_and_scores_a_generation_in_one_call(n):
    score = Counting(numeric_space())
    maximize(Evolution(n), score, numeric_space())
    assert sum(score.calls) == n if n >= 4 else sum(score.calls) <= 4
    assert max(score.calls) <= 100
    assert n < 4 or len(score.calls) >= min(10, n // 4)


def test_evolution_comes_closer_to_the_top_than_random_search_with_the_same_budget():
    space = Space({f"x{i}": Float(0.0, 1.0) for i in range(6)})
    wins = [
        maximize(Evolution(2000), Peak(space), space, seed=seed).score
        > maximize(RandomSearch(2000), Peak(space), space, seed=seed).score
        for seed in range(10)
    ]
    assert sum(wins) == 10


def test_evolution_reaches_the_optimum_of_a_mixed_space():
    space = mixed_space()
    found = maximize(Evolution(2000), Peak(space), space)
    assert space.decode(found.row[np.newaxis])[0]["model"] == "linear"
    assert found.score > -0.101  # the nearest step of `drop` is 0.1 away


class Quadratic(Score):
    """Smooth, with its top at 0.4 in every ordered column."""

    def __call__(self, X):
        return self.ascent(X)[0]

    def ascent(self, X):
        off = np.nan_to_num(X - 0.4)
        return -(off**2).sum(axis=1), -2 * off


@pytest.mark.parametrize("climbing", [Gradient(n_samples=16), LocalSearch(n_climbs=1)])
def test_who_climbs_finds_the_top_of_a_smooth_score_exactly(climbing):
    space = Space({f"x{i}": Float(0.0, 1.0) for i in range(10)})
    found = maximize(climbing, Quadratic(), space)
    np.testing.assert_allclose(found.row, 0.4, atol=1e-5)


def test_gradient_snaps_integers_and_keeps_the_better_of_start_and_end():
    space = Space({"n": Int(0, 3), "x": Float(0.0, 1.0)})
    found = maximize(Gradient(n_samples=16), Quadratic(), space, n_known=1)
    assert space.decode(found.row[np.newaxis])[0]["n"] == 1
    np.testing.assert_allclose(found.row[1], 0.4, atol=1e-5)


def test_gradient_moves_nothing_that_switches_other_parameters():
    space = Space({"n": Int(1, 3), "x": Float(0.0, 1.0, when={"n": 3}), "y": Float(0.0, 1.0)})
    for seed in range(10):
        row = maximize(Gradient(n_samples=8), Quadratic(), space, seed=seed).row[np.newaxis]
        np.testing.assert_array_equal(space.encode(space.decode(row)), row)


def test_exhaustive_finds_the_best_configuration_that_is_left():
    space = choice_space()
    history = History(space)
    by_score = space.enumerate()[np.argsort(target(space.enumerate(), space), kind="stable")]
    for row in by_score[:3]:
        history.start(space.decode(row[np.newaxis])[0])
    found = Exhaustive().maximize(Peak(space), space, history, rng=np.random.default_rng(0))
    left = target(by_score[3:], space)
    assert found.score == -left.min()


def test_exhaustive_leaves_a_continuous_space_to_the_other():
    score = Counting(numeric_space())
    maximize(Exhaustive(otherwise=RandomSearch(7)), score, numeric_space())
    assert score.calls == [7]


@pytest.mark.parametrize(("space", "n"), [(choice_space(), 3), (numeric_space(), 5)])
def test_by_domain_sends_discrete_spaces_one_way_and_others_the_other(space, n):
    score = Counting(space)
    maximize(ByDomain(discrete=RandomSearch(3), continuous=RandomSearch(5)), score, space, n_known=1)
    assert score.calls[0] <= n <= score.calls[0] + 1  # a draw that is known is not scored


def test_local_search_works_with_failures_only():
    space = numeric_space()
    history = History(space)
    for config in space.decode(space.sample(4, np.random.default_rng(0))):
        history.finish(history.start(config).number, value=float("nan"))
    found = LocalSearch().maximize(Flat(space), space, history, rng=np.random.default_rng(0))
    assert not history.contains(found.row[np.newaxis])[0]


def test_a_score_that_is_not_a_number_is_refused():
    class Broken(Score):
        def __call__(self, X):
            return np.full(len(X), np.nan)

    with pytest.raises(ClassifierError, match="A score must give every row a number. Got NaN from Broken"):
        maximize(RandomSearch(), Broken(), numeric_space())


def test_a_score_that_tells_nothing_apart_is_noted():
    assert "all candidates score the same" in maximize(RandomSearch(), Flat(numeric_space()), numeric_space()).note
    assert maximize(RandomSearch(), Peak(numeric_space()), numeric_space()).note == ""


def test_argmax_breaks_ties_evenly():
    scores = np.array([0.0, 1.0, 1.0, 0.5, 1.0])
    space = Space({"x": Float(0.0, 1.0)})
    rng = np.random.default_rng(0)
    chosen = [Argmax().choose(np.zeros((5, 1)), scores, space, History(space), rng=rng) for _ in range(3000)]
    counts = np.bincount(chosen, minlength=5)
    assert counts[[0, 3]].sum() == 0
    assert abs(counts[[1, 2, 4]] - 1000).max() < 100  # four standard deviations


def test_tolerance_takes_the_farthest_among_the_nearly_best():
    space = Space({"x": Float(0.0, 1.0)})
    history = history_of(space, np.array([[0.5]]), np.array([0.0]))
    X = np.array([[0.52], [0.6], [0.9], [0.0]])
    scores = np.array([1.0, 0.9, 0.8, 0.0])
    # max 1, median 0.85: with share 1 the bar is 0.85, with share 0 it is 1
    pick = lambda share: Tolerance(share).choose(X, scores, space, history, rng=np.random.default_rng(0))  # noqa: E731
    assert pick(0.0) == 0
    assert pick(1.0) == 1


def test_tolerance_counts_two_different_choices_like_the_ends_of_a_range():
    space = Space({"x": Float(0.0, 1.0), "c": ["p", "q", "r"]})
    history = history_of(space, np.array([[0.0, 0.0]]), np.array([0.0]))
    X = np.array([[0.9, 0.0], [0.0, 1.0], [0.2, 1.0]])  # squared distances 0.81, 1, 1.04
    assert Tolerance(1.0).choose(X, np.ones(3), space, history, rng=np.random.default_rng(0)) == 2
    assert Tolerance(1.0).choose(X[:2], np.ones(2), space, history, rng=np.random.default_rng(0)) == 1


def test_tolerance_agrees_with_all_pairs_of_distances():
    space = numeric_space()
    rng = np.random.default_rng(3)
    seen, X = space.sample(300, rng), space.sample(80, rng)
    history = history_of(space, seen, np.zeros(300))
    chosen = Tolerance(1.0).choose(X, np.ones(80), space, history, rng=rng)
    nearest = np.sqrt(((X[:, None] - seen[None]) ** 2).sum(axis=2)).min(axis=1)
    assert chosen == np.argmax(nearest)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RandomSearch(0), "`n_samples` of a RandomSearch must be a whole number of at least 1. Got 0"),
        (lambda: Evolution(0), "`n_evaluations` of an Evolution must be a whole number of at least 1. Got 0"),
        (
            lambda: Evolution(n_population=3),
            "`n_population` of an Evolution must be a whole number of at least 4. Got 3",
        ),
        (lambda: Gradient(n_starts=0), "`n_starts` of a Gradient must be a whole number of at least 1. Got 0"),
        (lambda: MeanShift(n_starts=0), "`n_starts` of a MeanShift must be a whole number of at least 1. Got 0"),
        (lambda: LocalSearch(n_random=0), "`n_random` of a LocalSearch must be a whole number of at least 1. Got 0"),
        (lambda: RandomSearch(2.5), "`n_samples` of a RandomSearch must be a whole number of at least 1. Got 2.5"),
        (lambda: Exhaustive(limit=0), "`limit` of an Exhaustive must be a whole number of at least 1. Got 0"),
        (lambda: LocalSearch(n_round=-1), "`n_round` of a LocalSearch must be a whole number of at least 0. Got -1"),
        (lambda: Evolution(step=float("nan")), "`step` of an Evolution must be in (0, 2]. Got nan"),
        (lambda: Evolution(crossover=7), "`crossover` of an Evolution must be between 0 and 1. Got 7"),
        (lambda: RandomSearch(pick="argmax"), "`pick` must be a Pick such as Argmax() or Tolerance(). Got 'argmax'"),
        (lambda: Tolerance(1.5), "`share` of a Tolerance must be between 0 and 1. Got 1.5"),
    ],
)
def test_settings_out_of_range_are_refused(make, message):
    with pytest.raises(RecipeError, match=re.escape(message)):
        make()

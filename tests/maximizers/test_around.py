"""The search around the best trial: a box by hand, and what it keeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auger import Categorical, Float, Int, Optimizer, Ordinal, Recipe, Space, minimize
from auger.classifiers import ExtraTrees, Forest
from auger.errors import RecipeError
from auger.maximizers import AroundBest, LocalSearch, RandomSearch
from auger.maximizers.around import around_best
from auger.testing.cases import history_of, spaces, target
from auger.testing.maximizers import Peak

NAN = np.nan


def space_of_kinds():
    """A float, an integer, a parent that is a number, its child, and a choice."""
    return Space(
        {
            "x": Float(0.0, 1.0),
            "n": Int(0, 10),
            "depth": Int(0, 2),
            "rate": Float(0.0, 1.0, when={"depth": [1, 2]}),
            "kind": Categorical(("a", "b", "c")),
        }
    )


@pytest.mark.parametrize(
    ("leaders", "bottom", "top"),
    [
        # the sides of x and n are as long as the leaders lie apart: 0.2 and 3; depth and kind are free
        ([[0.5, 0.3, 0.5, 0.25, 0], [0.6, 0.1, 0.0, NAN, 1], [0.4, 0.4, 0.5, 0.5, 2]],
         [0.3, 0.0, 0.0, 0.0, 0], [0.7, 0.6, 1.0, 0.5, 2]),
        # rate is inactive in the best: free; a column in which all agree keeps its value
        ([[0.5, 0.3, 0.0, NAN, 0], [0.25, 0.3, 0.5, 0.5, 0]],
         [0.25, 0.3, 0.0, 0.0, 0], [0.75, 0.3, 1.0, 1.0, 2]),
        # only the best has a rate: free
        ([[0.5, 0.3, 0.5, 0.5, 0], [0.25, 0.3, 0.0, NAN, 0]],
         [0.25, 0.3, 0.0, 0.0, 0], [0.75, 0.3, 1.0, 1.0, 2]),
        # the box ends where the space does
        ([[0.9, 0.3, 0.0, NAN, 0], [0.4, 0.3, 0.0, NAN, 0]],
         [0.4, 0.3, 0.0, 0.0, 0], [1.0, 0.3, 1.0, 1.0, 2]),
        # no continuous side: the whole space
        ([[0.5, 0.3, 0.0, NAN, 0], [0.5, 0.9, 0.0, NAN, 0]],
         [0.0, 0.0, 0.0, 0.0, 0], [1.0, 1.0, 1.0, 1.0, 2]),
        ([[0.5, 0.3, 0.0, NAN, 0]],
         [0.0, 0.0, 0.0, 0.0, 0], [1.0, 1.0, 1.0, 1.0, 2]),
        (np.empty((0, 5)),
         [0.0, 0.0, 0.0, 0.0, 0], [1.0, 1.0, 1.0, 1.0, 2]),
    ],
)  # fmt: skip
def test_the_box_is_what_was_worked_out_by_hand(leaders, bottom, top):
    part = around_best(space_of_kinds(), np.array(leaders, dtype=float), n_best=20)
    np.testing.assert_allclose([part.grid.bottom, part.grid.top], [bottom, top], atol=1e-12)


def test_limits_stay_and_leaders_outside_of_them_do_not_count():
    space = Space({"x": Float(0.0, 1.0), "kind": Categorical(("a", "b", "c"))})
    limited = space.within(np.array([0.4, 1.0]), np.array([1.0, 1.0]))
    part = around_best(limited, np.array([[0.1, 1.0], [0.6, 0.0], [0.5, 1.0], [0.8, 1.0], [1.0, 1.0]]), 2)
    np.testing.assert_allclose([part.grid.bottom, part.grid.top], [[0.4, 1.0], [0.8, 1.0]], atol=1e-12)
    assert around_best(limited, np.array([[0.1, 1.0], [0.2, 1.0]]), 2) is limited


def test_trials_outside_of_limits_take_no_place_among_the_best():
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
    X = np.array([[0.1, y] for y in np.linspace(0.1, 0.2, 30)] + [[0.9, y] for y in np.linspace(0.4, 0.6, 30)])
    history = history_of(space, X, X[:, 0])  # all with the low x are better
    limited = space.within(np.array([0.9, np.nan]), np.array([0.9, np.nan]))
    for seed in range(5):
        maximizer = AroundBest(RandomSearch(20), n_best=30, above=10)
        row = maximizer.maximize(Peak(space), limited, history, rng=np.random.default_rng(seed)).row
        assert row[0] == 0.9 and 0.2 <= row[1] <= 0.6


def test_a_box_that_constraints_leave_next_to_nothing_of_gives_way_to_the_whole_space():
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}, constraints=["x < 0.5 or abs(x - y) < 1e-7"])
    X = np.array([[v, v] for v in np.linspace(0.8, 0.9, 20)])
    history = history_of(space, X, X[:, 0])
    proposal = AroundBest(LocalSearch(), above=10).maximize(Peak(space), space, history, rng=np.random.default_rng(0))
    assert space.allowed(proposal.row[None])[0] and not history.contains(proposal.row[None])[0]


def test_best_trials_that_agree_to_the_last_digits_leave_room_for_something_new():
    space = Space({"x": Float(0.0, 1.0)})
    X = 0.5 + 2e-13 * np.arange(12)[:, None]
    history = history_of(space, space.snap(X), np.arange(12.0))
    proposal = AroundBest(RandomSearch(50), n_best=2, above=10).maximize(
        Peak(space), space, history, rng=np.random.default_rng(0)
    )
    assert not history.contains(proposal.row[None])[0] and proposal.note == "" and abs(proposal.row[0] - 0.5) < 2e-9


def test_a_space_without_continuous_parameters_is_searched_whole():
    space = Space({"n": Int(0, 100), "order": Ordinal((1, 2, 4)), "kind": Categorical(("a", "b"))})
    assert around_best(space, space.sample(20, np.random.default_rng(0)), 20) is space


@given(space=st.sampled_from(spaces()), k=st.integers(1, 8), seed=st.integers(0, 100))
@settings(deadline=None)
def test_every_leader_and_only_members_are_in_the_box(space, k, seed):
    rng = np.random.default_rng(seed)
    leaders = space.sample(k, rng)
    part = around_best(space, leaders, 8)
    outside = (leaders < part.grid.bottom) | (leaders > part.grid.top)
    assert not outside.any()
    rows = part.sample(20, rng)
    assert not ((rows < part.grid.bottom) | (rows > part.grid.top)).any()
    assert np.array_equal(space.snap(rows), rows, equal_nan=True)
    assert space.allowed(rows).all()


@pytest.mark.parametrize("above", [29, 30])
def test_the_box_begins_above_so_many_answers(above):
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
    X = space.sample(30, np.random.default_rng(1))
    history = history_of(space, X, target(X, space))
    inner = RandomSearch(200)
    part = around_best(space, history.X[history.leaders(5)], 5) if above == 29 else space
    ours, expected = (
        maximizer.maximize(Peak(space), where, history, rng=np.random.default_rng(2))
        for maximizer, where in ((AroundBest(inner, n_best=5, above=above), space), (inner, part))
    )
    assert np.array_equal(ours.row, expected.row) and ours.score == expected.score


def test_it_comes_closer_to_the_bottom_of_a_valley_than_the_same_search_of_the_whole():
    """Eight dimensions, trees, 300 answers: the medians of five runs."""

    def valley(x):
        return sum((x[f"x{i}"] - 0.3 - 0.05 * i) ** 2 for i in range(8))

    space = {f"x{i}": (0.0, 1.0) for i in range(8)}

    def best(maximizer, seed):
        recipe = Recipe("trees", ExtraTrees(), maximizer)
        return minimize(valley, space, n_trials=300, recipe=recipe, seed=seed).value

    whole, box = LocalSearch(), AroundBest(LocalSearch(), above=100)
    assert np.median([best(box, seed) for seed in range(5)]) < np.median([best(whole, seed) for seed in range(5)])


def test_fixed_parameters_stay_fixed_in_the_box():
    optimizer = Optimizer(
        {"x": (0.0, 1.0), "y": (0.0, 1.0)},
        Recipe("box", Forest(n_trees=5), AroundBest(LocalSearch(), n_best=5, above=10)),
        seed=0,
    )
    rng = np.random.default_rng(0)
    configs = [{"x": x, "y": y} for x, y in rng.random((20, 2)).tolist()]
    optimizer.add(configs, [config["x"] + config["y"] for config in configs])
    for x in (0.95, 0.05):
        assert optimizer.ask(fixed={"x": x}).config["x"] == x


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AroundBest("local"), "`inner` of AroundBest must be an auger Maximizer. Got 'local'."),
        (lambda: AroundBest(LocalSearch(), n_best=1), "`n_best` .* at least 2. Got 1."),
        (lambda: AroundBest(LocalSearch(), above=-1), "`above` .* at least 0. Got -1."),
        (lambda: Recipe("x", Forest(), AroundBest(LocalSearch(n_climbs=1))), "AroundBest needs .* a gradient"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(RecipeError, match=message):
        make()

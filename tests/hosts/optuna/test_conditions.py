import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import strategies

from auger import Categorical, Float, Int, Space
from auger.hosts.optuna.inferred_conditions import Condition, InferredConditions, Parents, codes_of


def found(rows, n_codes, is_ordered, *, evidence=None):
    """The parents of every column after these rows of codes."""
    rows = np.array(rows)
    conditions = InferredConditions(n_codes, is_ordered)
    conditions.follow(rows, np.ones(len(rows), dtype=bool) if evidence is None else np.array(evidence))
    return conditions.parents


def levels(space):
    return [kind.levels() if kind.n_values and kind.n_values <= 100 else None for kind in space.parameters.values()]


def follow(space, X):
    """InferredConditions after rows of a space, at once."""
    sizes = [0 if entries is None else len(entries) for entries in levels(space)]
    conditions = InferredConditions(sizes, space.is_ordered.tolist())
    conditions.follow(codes_of(X, levels(space)), np.ones(len(X), dtype=bool))
    return conditions


def is_expected(parents, codes):
    """Where all conditions of a parameter hold, shape (n,)."""
    holds = [np.isin(codes[:, each.parent], each.codes) for each in parents.conditions]
    return np.all([np.ones(len(codes), dtype=bool), *holds], axis=0)


TABLE = [
    # a choice of three, and a parameter that comes with the last
    ([[0, -1], [2, 0], [1, -1], [2, 0]], [3, 0], [False, True], [Condition(0, (2,))]),
    # there is no trial without it: nothing to explain
    ([[0, 0], [1, 0]], [2, 0], [False, True], []),
    # a number from three on; five was never seen and goes with four
    ([[0, -1], [1, -1], [2, 0], [3, 0], [1, -1]], [5, 0], [True, True], [Condition(0, (2, 3, 4))]),
    # a number in the middle
    ([[0, -1], [2, 0], [4, -1], [2, 0], [1, -1], [3, -1]], [5, 0], [True, True], [Condition(0, (2,))]),
    # two choices that both matter
    (
        [[0, 0, -1], [0, 1, -1], [1, 0, -1], [1, 1, 0], [1, 1, 0], [0, 1, -1], [1, 0, -1]],
        [2, 2, 0],
        [False, False, True],
        [Condition(0, (1,)), Condition(1, (1,))],
    ),
    # a choice that is there only with another: the nearer one explains all
    (
        [[0, -1, -1], [1, 0, -1], [1, 1, 0], [0, -1, -1], [1, 1, 0], [1, 0, -1]],
        [2, 2, 0],
        [False, False, True],
        [Condition(1, (1,))],
    ),
]


@pytest.mark.parametrize(("rows", "n_codes", "is_ordered", "wanted"), TABLE)
def test_the_conditions_of_the_last_column_are_found(rows, n_codes, is_ordered, wanted):
    parents = found(rows, n_codes, is_ordered)[-1]
    assert not parents.is_open
    assert sorted(parents.conditions, key=lambda each: each.parent) == wanted


def test_two_that_always_come_together_are_not_each_others_parents():
    rows = [[0, -1, -1], [1, 0, 1], [1, 1, 0], [0, -1, -1], [1, 1, 1]]
    parents = found(rows, [2, 2, 2], [False] * 3)
    assert [each.conditions for each in parents[1:]] == [(Condition(0, (1,)),)] * 2


def test_what_depends_on_a_continuous_number_is_open():
    x = np.random.default_rng(0).random(40)
    rows = np.column_stack([np.zeros(40, int), np.arange(40) % 3, np.where(x > 0.5, 0, -1)])
    assert found(rows, [0, 3, 0], [True, False, True])[2] == Parents((), is_open=True)


def test_an_open_parameter_keeps_the_conditions_that_are_beyond_doubt():
    rng = np.random.default_rng(0)
    kind, x, noise = rng.integers(3, size=200), rng.random(200), rng.integers(50, size=200)
    rows = np.column_stack([kind, noise, np.where((kind == 1) & (x > 0.5), 0, -1)])
    assert found(rows, [3, 50, 0], [False, True, True])[2] == Parents((Condition(0, (1,)),), is_open=True)


def test_a_trial_that_failed_before_it_asked_is_no_evidence():
    rows = [[0, 0], [1, 0], [1, -1]]
    assert found(rows, [2, 0], [False, True], evidence=[True, True, False])[1] == Parents()
    assert found(rows, [2, 0], [False, True])[1].is_open


def test_a_trial_that_failed_after_it_asked_is():
    rows = [[0, -1], [1, 0], [0, -1], [2, 0]]
    parents = found(rows, [3, 0], [False, True], evidence=[True, True, True, False])[1]
    assert parents == Parents((Condition(0, (1, 2)),))


def test_few_values_are_believed_before_many():
    # the number tells the two apart as well, value by value
    rows = [[0, 7, -1], [1, 3, 0], [0, 5, -1], [1, 9, 0], [1, 4, 0], [0, 1, -1]]
    assert found(rows, [2, 12, 0], [False, True, True])[2] == Parents((Condition(0, (1,)),))


def test_a_guess_that_turns_out_wrong_is_taken_back():
    conditions = InferredConditions([2, 2, 0], [False, False, True])
    yes = np.ones(2, dtype=bool)
    assert conditions.follow(np.array([[0, 0, -1], [1, 1, 0]]), yes)
    assert len(conditions.parents[2].conditions) == 1  # either would do
    assert conditions.follow(np.array([[0, 1, 0], [1, 0, -1]]), yes)
    assert conditions.parents[2].conditions == (Condition(1, (1,)),)
    assert not conditions.follow(np.array([[0, 1, 0], [1, 0, -1]]), yes)


small_spaces = strategies.spaces(strategies.small, constrained=False, max_size=6)


@given(small_spaces)
def test_all_members_of_a_space_show_its_conditions(space):
    conditions = follow(space, space.members)
    codes = codes_of(space.members, levels(space))
    for j, parents in enumerate(conditions.parents):
        assert not parents.is_open
        assert parents.has_appeared == (codes[:, j] >= 0).any()
        if parents.has_appeared:
            np.testing.assert_array_equal(is_expected(parents, codes), codes[:, j] >= 0)


@given(strategies.spaces(constrained=False), st.integers(0, 99))
def test_the_conditions_found_contradict_no_row(space, seed):
    X = space.sample(25, np.random.default_rng(seed))
    codes = codes_of(X, levels(space))
    for j, parents in enumerate(follow(space, X).parents):
        is_there, is_wanted = codes[:, j] >= 0, is_expected(parents, codes)
        assert is_wanted[is_there].all()
        assert parents.is_open or not parents.has_appeared or not is_wanted[~is_there].any()


@given(strategies.spaces(constrained=False), st.integers(0, 99), st.lists(st.integers(0, 40), max_size=5))
def test_it_does_not_matter_how_many_rows_come_at_a_time(space, seed, cuts):
    X = space.sample(40, np.random.default_rng(seed))
    at_once = follow(space, X)
    piecewise = follow(space, X[:0])
    codes = codes_of(X, levels(space))
    for rows in np.split(codes, sorted(cuts)):
        piecewise.follow(rows, np.ones(len(rows), dtype=bool))
    assert piecewise.parents == at_once.parents


@given(strategies.spaces(constrained=False), st.integers(0, 99))
def test_nobody_is_its_own_ancestor(space, seed):
    parents = follow(space, space.sample(15, np.random.default_rng(seed))).parents

    def ancestors(j):
        return {each.parent for each in parents[j].conditions}.union(
            *(ancestors(each.parent) for each in parents[j].conditions)
        )

    for j in range(len(parents)):
        assert j not in ancestors(j)  # or it never ends


def test_a_deep_space_is_found_from_sixty_random_trials():
    space = Space(
        {
            "model": Categorical(["svm", "forest", "net"]),
            "C": Float(1e-3, 1e3, log=True, when={"model": "svm"}),
            "kernel": Categorical(["rbf", "poly"], when={"model": "svm"}),
            "degree": Int(2, 5, when={"kernel": "poly"}),
            "trees": Int(10, 1000, log=True, when={"model": "forest"}),
            "layers": Int(1, 4, when={"model": "net"}),
            **{f"units{i}": Int(8, 512, when={"layers": list(range(i, 5))}) for i in (2, 3, 4)},
        }
    )
    X = space.sample(60, np.random.default_rng(1))
    parents = follow(space, X).parents
    fresh = space.sample(2000, np.random.default_rng(2))
    codes = codes_of(fresh, levels(space))
    for j, each in enumerate(parents):
        np.testing.assert_array_equal(is_expected(each, codes), codes[:, j] >= 0)

import itertools
import json
import math
import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support import strategies

from auger.errors import ConfigError, SpaceError
from auger.space import Categorical, Float, Int, Ordinal, Space, as_space, reflect

NAN = math.nan


def rng(seed=0):
    return np.random.default_rng(seed)


def svm(**more):
    """Three levels: kernel, then degree for some kernels, then coef0 for some degrees."""
    return Space(
        {
            "C": Float(0.01, 100.0, log=True),
            "coef0": Float(-1.0, 1.0, when={"degree": [3, 4]}),
            "kernel": Categorical(["rbf", "poly", "linear"]),
            "degree": Int(2, 5, when={"kernel": "poly"}),
            "gamma": Ordinal(["small", "large"], when={"kernel": ["rbf", "poly"]}),
        },
        **more,
    )


def assert_members(space, X):
    """Every row is a member: encode(decode(X)) is X to the bit, NaN exactly where the conditions say so."""
    configs = space.decode(X)
    assert space.encode(configs).tobytes() == np.ascontiguousarray(X).tobytes()
    for config in configs:
        for name in space.names:
            assert (name in config) == strategies.is_active(space, config, name)


# -- encode and decode --------------------------------------------------------------------------------------

SVM_TABLE = [
    ({"C": 1.0, "kernel": "linear"}, [0.5, NAN, 2.0, NAN, NAN]),
    ({"C": 0.01, "kernel": "rbf", "gamma": "large"}, [0.0, NAN, 0.0, NAN, 1.0]),
    ({"C": 100.0, "kernel": "poly", "degree": 2, "gamma": "small"}, [1.0, NAN, 1.0, 0.0, 0.0]),
    ({"C": 1.0, "coef0": 0.5, "kernel": "poly", "degree": 3, "gamma": "small"}, [0.5, 0.75, 1.0, 1 / 3, 0.0]),
    ({"C": 1.0, "kernel": "poly", "degree": 5, "gamma": "large"}, [0.5, NAN, 1.0, 1.0, 1.0]),
]


def test_nested_conditions_encode_as_worked_out_by_hand():
    np.testing.assert_array_equal(svm().encode([config for config, _ in SVM_TABLE]), [row for _, row in SVM_TABLE])


def test_nested_conditions_decode_as_worked_out_by_hand():
    decoded = svm().decode(np.array([row for _, row in SVM_TABLE]))
    for config in decoded:
        config["C"] = round(config["C"], 12)  # the exponential rounds
    assert decoded == [config for config, _ in SVM_TABLE]


def test_decoded_configs_keep_the_order_of_the_space():
    decoded = svm().decode(np.array([row for _, row in SVM_TABLE]))
    assert [list(config) for config in decoded] == [list(config) for config, _ in SVM_TABLE]


def test_conditions_on_whole_numbers_and_several_parents_must_all_hold():
    space = Space(
        {
            "n_layers": Int(1, 3),
            "norm": [True, False],
            "width2": Int(1, 5, when={"n_layers": [2, 3]}),
            "width3": Int(1, 5, when={"n_layers": range(3, 4), "norm": True}),
        }
    )
    configs = [
        {"n_layers": 1, "norm": True},
        {"n_layers": 2, "norm": True, "width2": 2},
        {"n_layers": 3, "norm": True, "width2": 2, "width3": 5},
        {"n_layers": 3, "norm": False, "width2": 2},
    ]
    expected = [[0, 0, NAN, NAN], [0.5, 0, 0.25, NAN], [1, 0, 0.25, 1], [1, 1, 0.25, NAN]]
    np.testing.assert_array_equal(space.encode(configs), expected)


@pytest.mark.parametrize("wanted", ["a", ["a"], ("a",), {"a"}, frozenset(["a"])])
def test_a_condition_may_be_one_value_or_several(wanted):
    space = Space({"p": ["a", "b"], "q": Int(0, 1, when={"p": wanted})})
    assert space.decode(space.enumerate()) == [{"p": "a", "q": 0}, {"p": "a", "q": 1}, {"p": "b"}]


def test_a_condition_on_a_tuple_choice_lists_the_tuple():
    space = Space({"shape": [(3, 3), (5, 5)], "q": Int(0, 1, when={"shape": [(5, 5)]})})
    assert space.encode([{"shape": (3, 3)}, {"shape": [5, 5], "q": 1}]).tolist()[1] == [1.0, 1.0]


def test_a_condition_on_a_stepped_float_holds_at_its_values():
    space = Space({"p": Float(0.0, 1.0, step=0.1), "q": Int(0, 1, when={"p": [0.3, 0.7]})})
    assert_members(space, space.encode([{"p": 0.1 + 0.2, "q": 1}, {"p": 0.7, "q": 0}, {"p": 0.4}]))


@given(st.data())
def test_configs_of_a_finite_space_survive_encode_and_decode_exactly(data):
    space = data.draw(strategies.spaces(strategies.finite))
    configs = data.draw(st.lists(strategies.configs(space), max_size=5))
    assert space.decode(space.encode(configs)) == configs


@given(st.data())
def test_encoded_configs_are_members(data):
    space = data.draw(strategies.spaces())
    configs = data.draw(st.lists(strategies.configs(space), max_size=5))
    assert_members(space, space.encode(configs))


@given(st.data())
def test_active_agrees_with_what_is_encoded(data):
    space = data.draw(strategies.spaces())
    X = space.encode(data.draw(st.lists(strategies.configs(space), min_size=1, max_size=5)))
    np.testing.assert_array_equal(space.active(X), ~np.isnan(X))


def test_no_configs_give_no_rows():
    assert svm().encode([]).shape == (0, 5)
    assert svm().decode(np.empty((0, 5))) == []


def test_plain_dicts_are_accepted():
    space = as_space({"lr": Float(1e-5, 1e-1, log=True), "depth": (1, 12), "act": ["relu", "tanh"]})
    assert list(space.parameters.values()) == [Float(1e-5, 1e-1, log=True), Int(1, 12), Categorical(("relu", "tanh"))]
    assert as_space(space) is space
    assert len(space) == 3


def test_encode_does_not_look_at_constraints():
    assert Space({"a": (0, 4)}, constraints=["a < 2"]).encode([{"a": 4}]).tolist() == [[1.0]]


# -- snap, open, close --------------------------------------------------------------------------------------


@given(st.data())
def test_snap_gives_members_and_is_idempotent(data):
    space = data.draw(strategies.spaces(constrained=False))
    entries = st.one_of(st.floats(-2, 6), st.just(NAN))
    rows = data.draw(st.lists(st.lists(entries, min_size=len(space), max_size=len(space)), min_size=1, max_size=5))
    X = space.snap(np.array(rows))
    assert_members(space, X)
    assert space.snap(X).tobytes() == X.tobytes()


# every kind of column beside every other
NASTY = Space({f"x{j}": kind for j, kind in enumerate(strategies.NASTY)})


def test_rows_are_snapped_as_their_columns_are():
    latent = rng().uniform(-0.5, 1.5, size=(2000, len(NASTY)))
    latent[:, ~NASTY.is_ordered] *= 50
    latent[:4] = [[-0.0], [1.0], [-np.inf], [np.inf]]
    X = NASTY.snap(latent)
    for j, kind in enumerate(strategies.NASTY):
        assert X[:, j].tobytes() == kind.snap(latent[:, j]).tobytes(), kind


def test_rows_are_drawn_as_their_columns_are():
    X, u = NASTY.sample(2000, rng()), rng().random((2000, len(NASTY)))
    for j, kind in enumerate(strategies.NASTY):
        assert X[:, j].tobytes() == kind.quantile(u[:, j]).tobytes(), kind


def test_a_parameter_with_one_value_snaps_to_it():
    space = Space({"a": Ordinal(["only"]), "b": Categorical(["only"])})
    assert space.snap(np.array([[1.0, 1.0], [0.4, 7.0]])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_snap_fills_a_missing_active_entry_with_the_middle():
    X = svm().snap(np.array([[NAN, NAN, 1.2, 0.3, NAN], [0.1, 0.2, 2.0, 0.3, 0.4]]))
    np.testing.assert_array_equal(X, [[0.5, 0.5, 1.0, 1 / 3, 1.0], [0.1, NAN, 2.0, NAN, NAN]])


def test_snap_accepts_whole_numbers():
    np.testing.assert_array_equal(svm().snap([[1, 0, 2, 0, 0]]), [[1.0, NAN, 2.0, NAN, NAN]])


@given(space=strategies.spaces(constrained=False), seed=st.integers(0, 9))
def test_closing_what_was_opened_changes_nothing(space, seed):
    X = space.sample(5, rng(seed))
    latent = space.open(X, rng(seed))
    assert not np.isnan(latent).any()
    assert space.close(latent).tobytes() == X.tobytes()


# -- one_hot ------------------------------------------------------------------------------------------------


def test_one_hot_has_a_column_a_choice_and_no_nan():
    space = svm()
    X = space.encode([config for config, _ in SVM_TABLE[:3]])
    # C, coef0, kernel (three), degree, gamma
    expected = [[0.5, 0.5, 0, 0, 1, 0.5, 0.5], [0, 0.5, 1, 0, 0, 0.5, 1], [1, 0.5, 0, 1, 0, 0, 0]]
    np.testing.assert_array_equal(space.one_hot(X), expected)
    assert space.one_hot_column.tolist() == [0, 1, 2, 2, 2, 3, 4]


def test_one_hot_marks_inactive_entries_as_asked():
    space = Space({"p": ["a", "b"], "q": Float(0, 1, when={"p": "a"}), "r": Categorical(["x", "z"], when={"p": "a"})})
    np.testing.assert_array_equal(space.one_hot(space.encode([{"p": "b"}]), inactive=NAN), [[0, 1, NAN, 0, 0]])


@given(space=strategies.spaces(constrained=False))
def test_one_hot_and_its_columns_agree_in_shape(space):
    X = space.sample(3, rng())
    hot = space.one_hot(X)
    assert hot.shape == (3, len(space.one_hot_column))
    assert not np.isnan(hot).any()
    for j, name in enumerate(space.names):
        block = hot[:, space.one_hot_column == j]
        if not space.is_ordered[j]:
            assert block.shape[1] == space.parameters[name].n_values
            np.testing.assert_array_equal(block.sum(axis=1), ~np.isnan(X[:, j]))


# -- sampling -----------------------------------------------------------------------------------------------


@given(space=strategies.spaces(constrained=False), seed=st.integers(0, 9))
def test_samples_are_members(space, seed):
    X = space.sample(20, rng(seed))
    assert X.shape == (20, len(space))
    assert_members(space, X)


@settings(max_examples=50)
@given(space=strategies.spaces(strategies.small, constrained=True), seed=st.integers(0, 9))
def test_samples_satisfy_the_constraints(space, seed):
    if not len(space.enumerate()):
        return
    X = space.sample(20, rng(seed))
    assert X.shape == (20, len(space))
    assert space.allowed(X).all()
    assert_members(space, X)


@given(space=strategies.spaces(strategies.small, constrained=True))
def test_allowed_agrees_with_the_constraints_on_whole_configs(space):
    X = Space(space.parameters).enumerate()
    expected = [
        all(rule.holds(config) if hasattr(rule, "holds") else rule(config) for rule in space.constraints)
        for config in space.decode(X)
    ]
    assert space.allowed(X).tolist() == expected


@given(space=strategies.spaces(constrained=False), seed=st.integers(0, 9))
def test_the_same_seed_draws_the_same_rows(space, seed):
    assert space.sample(10, rng(seed)).tobytes() == space.sample(10, rng(seed)).tobytes()


def test_each_branch_of_a_conditional_space_is_drawn_equally_often():
    counts = np.bincount(svm().sample(9000, rng())[:, 2].astype(int))
    assert stats.chisquare(counts).pvalue > 0.01


@pytest.mark.parametrize("n", [0, 1, 7])
def test_as_many_are_drawn_as_asked_for(n):
    assert svm().sample(n, rng()).shape == (n, 5)
    assert svm(constraints=["C < 1"]).sample(n, rng()).shape == (n, 5)
    assert svm().sobol(n, seed=0).shape == (n, 5)


def test_samples_under_a_constraint_are_uniform_among_the_allowed():
    space = Space({"a": (0, 9), "b": (0, 9)}, constraints=["a + b <= 9"])
    X = space.sample(20_000, rng())
    counts = np.unique(X, axis=0, return_counts=True)[1]
    assert len(counts) == 55
    assert stats.chisquare(counts).pvalue > 0.01


def test_many_samples_under_an_easy_constraint_are_still_uniform():
    # 30,000 of 60,000: more than the draws after which a rare constraint is given up
    X = Space({"a": (0.0, 1.0)}, constraints=["a <= 0.5"]).sample(30_000, rng())
    assert stats.kstest(2 * X[:, 0], "uniform").pvalue > 0.01


def test_a_constraint_that_nothing_satisfies_is_reported_not_waited_for():
    def never(config):
        return False

    message = r"None of 2..,... random configs satisfies all of them: 'a \+ b > 2', never\."
    with pytest.raises(SpaceError, match=message):
        Space({"a": (0.0, 1.0), "b": (0.0, 1.0)}, constraints=["a + b > 2", never]).sample(1, rng())


def test_a_sobol_sequence_that_nothing_satisfies_is_reported_too():
    with pytest.raises(SpaceError, match=re.escape("random configs satisfies all of them: 'a > 2'.")):
        Space({"a": (0.0, 1.0)}, constraints=["a > 2"]).sobol(1, seed=0)


@pytest.mark.parametrize("n", [1, 50, 2000])
def test_a_very_tight_constraint_still_yields_samples(n):
    # one in 5,000 draws passes
    calls = []

    def close(config):
        calls.append(config)
        return abs(config["a"] - config["b"]) < 0.0001

    space = Space({"a": (0.0, 1.0), "b": (0.0, 1.0)}, constraints=[close])
    X = space.sample(n, rng())
    assert len(calls) < 500_000  # ten million would be needed by rejection alone for the largest n
    assert X.shape == (n, 2)
    assert space.allowed(X).all()


def test_spread_out_samples_are_not_all_alike():
    space = Space({"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)}, constraints=["abs(a - b) < 0.0001"])
    X = space.sample(500, rng())
    assert len(np.unique(X, axis=0)) > 450
    assert np.ptp(X[:, 2]) > 0.8


def test_a_single_allowed_member_is_repeated():
    space = Space({"a": (0, 99), "b": (0, 99)}, constraints=["a == 17", "b == 4"])
    X = space.sample(300, rng())
    assert space.decode(np.unique(X, axis=0)) == [{"a": 17, "b": 4}]
    assert X.shape == (300, 2)


# -- Sobol --------------------------------------------------------------------------------------------------

SOBOL_SPACES = {
    "free": svm(),
    "constrained": svm(constraints=["C < 1"]),
    "tight": Space({"a": (0.0, 1.0), "b": (0.0, 1.0)}, constraints=["abs(a - b) < 0.0005"]),
    "one dimension": Space({"x": (0.0, 1.0)}),
}


@pytest.mark.parametrize("space", SOBOL_SPACES.values(), ids=SOBOL_SPACES)
def test_a_sobol_member_does_not_depend_on_how_many_are_asked_for(space):
    whole = space.sobol(100, seed=[3, 1])
    assert space.allowed(whole).all()
    assert_members(space, whole)
    for n, skip in [(1, 0), (37, 0), (1, 1), (1, 63), (5, 60), (1, 99), (64, 36)]:
        part = space.sobol(n, seed=[3, 1], skip=skip)
        assert part.tobytes() == whole[skip : skip + n].tobytes(), (n, skip)


def test_sobol_members_fill_every_cell_once():
    x = SOBOL_SPACES["one dimension"].sobol(64, seed=0)[:, 0]
    assert sorted(np.floor(64 * x)) == list(range(64))


def test_another_seed_is_another_sobol_sequence():
    assert not np.array_equal(svm().sobol(8, seed=0), svm().sobol(8, seed=1), equal_nan=True)


# -- finite spaces ------------------------------------------------------------------------------------------


def written_out(space):
    """All members, from the definitions alone: every combination of values, less what is inactive."""
    names = sorted(space.names)
    kinds = [space.parameters[name] for name in names]
    members = []
    for row in itertools.product(*[[strategies.nth_value(k, i) for i in range(k.n_values)] for k in kinds]):
        config = {}
        for name, value in zip(names, row, strict=True):
            if strategies.is_active(space, config, name):
                config[name] = value
        members.append(frozenset(config.items()))
    return set(members)


@given(strategies.spaces(strategies.small, constrained=False))
def test_enumerate_gives_each_member_once(space):
    X = space.enumerate()
    members = [frozenset(config.items()) for config in space.decode(X)]
    assert set(members) == written_out(space)
    assert len(members) == len(set(members)) == space.cardinality
    assert_members(space, X)


@given(strategies.spaces(strategies.small, constrained=True))
def test_enumerate_gives_each_allowed_member_once(space):
    X = space.enumerate()
    assert space.allowed(X).all()
    assert len({row.tobytes() for row in X}) == len(X) <= space.cardinality
    np.testing.assert_array_equal(space.members, X)


@pytest.mark.parametrize(
    ("space", "n"),
    [
        (Space({"a": (1, 5), "b": ["x", "y"]}), 10),
        (Space({"a": ["only"]}), 1),
        (Space({"p": ["a", "b"], "q": Int(1, 5, when={"p": "a"})}), 6),
        (Space({f"x{j}": (0, 2**40 - 1) for j in range(40)}), 2 ** (40 * 40)),
        (Space({"p": (1, 1000), "q": Int(1, 7, when={"p": [1, 2]})}), 2 * 7 + 998),
        (Space({"p": (1, 2**17), "q": Int(1, 7, when={"p": 1})}), 2**17 + 6),
        # more parents than are counted out: the plain product
        (Space({"p": (1, 2**18), "q": Int(1, 7, when={"p": 1})}), 7 * 2**18),
        (svm(), math.inf),
    ],
)
def test_cardinality_counts_the_members(space, n):
    assert space.cardinality == n
    assert space.is_finite == (n < math.inf)


def test_members_are_read_only():
    assert not Space({"a": (1, 3)}).members.flags.writeable


def test_a_continuous_space_cannot_be_enumerated():
    with pytest.raises(SpaceError, match=re.escape("Only a finite space can be enumerated.")):
        svm().enumerate()


# -- mutate -------------------------------------------------------------------------------------------------


@given(space=strategies.spaces(constrained=False), seed=st.integers(0, 9))
def test_mutants_are_members(space, seed):
    assert_members(space, space.mutate(space.sample(20, rng(seed)), rng(seed)))


@given(
    space=strategies.spaces(constrained=False),
    seed=st.integers(0, 9),
    scale=st.sampled_from([(1e-3, 0.32), (1e-14, 1e-13)]),
)
def test_a_mutant_changes_an_active_parameter_that_has_more_than_one_value(space, seed, scale):
    X = space.sample(20, rng(seed))
    mutants = space.mutate(X, rng(seed), scale=scale)
    movable = ~np.isnan(X) & np.array([n != 1 for n in space.n_values])
    changed = (mutants != X) & movable
    np.testing.assert_array_equal(changed.any(axis=1), movable.any(axis=1))


@pytest.mark.parametrize("kind", [kind for kind in strategies.NASTY if kind.n_values != 1], ids=repr)
def test_a_mutant_of_a_single_parameter_always_differs(kind):
    space = Space({"x": kind, "constant": ["only"]})
    X = np.repeat(
        space.encode([{"x": value, "constant": "only"} for value in kind.decode(kind.quantile(np.array([0.0, 0.5])))]),
        50,
        axis=0,
    )
    mutants = space.mutate(X, rng(), scale=(1e-16, 1e-15))
    assert (mutants[:, 0] != X[:, 0]).all()
    assert (mutants[:, 1] == 0).all()


def test_mutate_leaves_its_input_alone():
    X = svm().sample(20, rng())
    before = X.tobytes()
    svm().mutate(X, rng())
    assert X.tobytes() == before


def test_a_mutated_choice_becomes_each_other_choice_equally_often():
    space = Space({"x": list("abcde")})
    mutants = space.mutate(np.full((8000, 1), 2.0), rng())
    codes, counts = np.unique(mutants, return_counts=True)
    assert codes.tolist() == [0, 1, 3, 4]
    assert stats.chisquare(counts).pvalue > 0.01


def test_every_parameter_of_a_row_can_move_and_can_stay():
    X = np.repeat(svm().encode([SVM_TABLE[3][0]]), 2000, axis=0)
    changed = (svm().mutate(X, rng()) != X).mean(axis=0)
    assert ((changed > 0.2) & (changed < 0.95)).all()


def test_small_steps_stay_near():
    space = Space({"x": (0.0, 1.0)})
    X = space.sample(2000, rng())
    assert np.abs(space.mutate(X, rng(1), scale=(1e-6, 1e-5)) - X).max() < 1e-4


def test_reflect_folds_positions_back_like_mirrors():
    folded = reflect(np.array([-0.25, 0.0, 0.3, 1.0, 1.25, 2.0, 2.5, -1.75]))
    np.testing.assert_allclose(folded, [0.25, 0.0, 0.3, 1.0, 0.75, 0.0, 0.5, 0.25], atol=1e-15)


# -- JSON ---------------------------------------------------------------------------------------------------


def through_json(space, **more):
    return Space.from_json(json.loads(json.dumps(space.to_json(), allow_nan=False)), **more)


@given(st.data())
def test_a_space_survives_json(data):
    space = data.draw(strategies.spaces())
    functions = [rule for rule in space.constraints if not hasattr(rule, "holds")]
    again = through_json(space, functions=functions)
    assert again.to_json() == space.to_json()
    assert again.names == space.names
    configs = data.draw(st.lists(strategies.configs(space), max_size=5))
    X = space.encode(configs)
    assert again.encode(configs).tobytes() == X.tobytes()
    assert again.allowed(X).tolist() == space.allowed(X).tolist()


def test_conditions_and_expressions_survive_json():
    space = svm(constraints=["C < 10 or kernel == 'poly'"])
    assert through_json(space).sample(50, rng()).tobytes() == space.sample(50, rng()).tobytes()
    assert space.to_json()["parameters"]["gamma"]["when"] == {"kernel": ["rbf", "poly"]}
    assert space.to_json()["constraints"] == ["C < 10 or kernel == 'poly'"]


def test_functions_are_given_again_in_their_order():
    def low(config):
        return config["a"] < 5

    def odd(config):
        return config["a"] % 2 == 1

    space = Space({"a": (0, 9)}, constraints=[low, "a != 1", odd])
    assert space.to_json()["constraints"] == [{"function": "low"}, "a != 1", {"function": "odd"}]
    again = through_json(space, functions=[low, odd])
    assert again.decode(again.enumerate()) == [{"a": 3}]


def test_functions_that_are_not_passed_again_are_asked_for():
    def low(config):
        return config["a"] < 5

    space = Space({"a": (0, 9)}, constraints=[low])
    message = "The space was saved with 1 constraints that are Python functions (low), which a file cannot hold"
    with pytest.raises(SpaceError, match=re.escape(message)):
        through_json(space)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "A saved space must hold 'parameters'. Got None."),
        ({"parameters": [1]}, "A saved space must hold 'parameters'. Got {'parameters': [1]}."),
        ({"parameters": {}}, "A space must be a mapping with at least one parameter."),
        ({"parameters": {"x": {"type": "int", "low": 2, "high": 1}}}, "Parameter 'x': `low` of an Int must be below"),
        ({"parameters": {"x": {"type": "int", "low": 0, "high": 1}}, "constraints": "x < 1"}, "Got 'x < 1'."),
        (
            {"parameters": {"x": {"type": "int", "low": 0, "high": 1}}, "constraints": [3]},
            "must be a list of rules. Got [3].",
        ),
        ({"parameters": {"x": {"type": "int", "low": 0, "high": 1}}, "constraints": ["y < 1"]}, "names 'y'"),
    ],
)
def test_a_damaged_saved_space_is_refused_with_its_reason(data, message):
    with pytest.raises(SpaceError, match=re.escape(message)):
        Space.from_json(data)


# -- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "more", "message"),
    [
        ({}, {}, "A space must be a mapping with at least one parameter. Got {}."),
        ([("a", (1, 2))], {}, "A space must be a mapping with at least one parameter. Got [('a', (1, 2))]."),
        (None, {}, "A space must be a mapping with at least one parameter. Got None."),
        ({3: (1, 2)}, {}, "The name of a parameter must be a non-empty string. Got 3."),
        ({"": (1, 2)}, {}, "The name of a parameter must be a non-empty string. Got ''."),
        ({"x": (2, 1)}, {}, "Parameter 'x': `low` of an Int must be below `high`. Got low=2, high=1"),
        ({"x": "relu"}, {}, "Parameter 'x' must be a Float, Int, Categorical or Ordinal"),
        ({"x": (1, 2)}, {"constraints": "x < 2"}, "`constraints` must be a list of constraints. Got 'x < 2'."),
        (
            {"x": (1, 2)},
            {"constraints": len},
            "`constraints` must be a list of constraints. Got <built-in function len>.",
        ),
        ({"x": (1, 2)}, {"constraints": None}, "`constraints` must be a list of constraints. Got None."),
        (
            {"x": (1, 2)},
            {"constraints": ["y < 2"]},
            "Constraint 'y < 2' names 'y', which is not a parameter. Known: 'x'.",
        ),
        (
            {"x": Int(1, 2, when={"x": 1})},
            {},
            "Conditions must not form a circle. These parameters depend on each other: 'x'.",
        ),
        (
            {"c": (1, 2), "a": Int(1, 2, when={"b": 1}), "b": Int(1, 2, when={"a": 1}), "d": Int(0, 1, when={"c": 1})},
            {},
            "Conditions must not form a circle. These parameters depend on each other: 'a', 'b'.",
        ),
        (
            {"kernel": ["rbf"], "x": Int(1, 2, when={"kernl": "rbf"})},
            {},
            "Parameter 'x' depends on 'kernl', which is not a parameter. Did you mean 'kernel'? Known: 'kernel'.",
        ),
        (
            {"p": (0.0, 1.0), "x": Int(1, 2, when={"p": 0.5})},
            {},
            "Parameter 'x' depends on 'p', which must be an Int, Categorical or Ordinal (a continuous Float never",
        ),
        (
            {"p": ["a"], "x": Int(1, 2, when={"p": []})},
            {},
            "The condition of parameter 'x' on 'p' must list at least one value. Got none.",
        ),
        (
            {"p": ["a"], "x": Int(1, 2, when={"p": ["a", "b"]})},
            {},
            "The condition of parameter 'x' can never hold: Parameter 'p' must be one of 'a'. Got 'b'.",
        ),
        (
            {"p": (1, 3), "x": Int(1, 2, when={"p": 4})},
            {},
            "The condition of parameter 'x' can never hold: Parameter 'p' must be between 1 and 3. Got 4.",
        ),
    ],
)
def test_a_wrong_space_is_refused_with_its_reason(parameters, more, message):
    with pytest.raises(SpaceError, match=re.escape(message)):
        Space(parameters, **more)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"C": 1.0, "kernl": "rbf"},
            "Unknown parameter 'kernl' in {'C': 1.0, 'kernl': 'rbf'}. Did you mean 'kernel'? Known: 'C', 'coef0'",
        ),
        ({"C": 1.0, "kernel": "linear", "zzz": 1}, "Unknown parameter 'zzz' in"),
        ({"C": 1.0, "kernel": "linear", 3: 1}, "Unknown parameter 3 in"),
        ({"kernel": "linear"}, "Parameter 'C' must have a value. Got {'kernel': 'linear'}."),
        ({}, "Parameter 'C' must have a value. Got {}."),
        ({"C": 1.0, "kernel": "poly", "gamma": "small"}, "Parameter 'degree' must have a value. Got {"),
        (
            {"C": 1.0, "kernel": "linear", "degree": 2},
            "Parameter 'degree' is active only when {'kernel': 'poly'}; leave it out. Got {'C': 1.0",
        ),
        (
            {"C": 1.0, "coef0": 0.0, "kernel": "poly", "degree": 2, "gamma": "small"},
            "Parameter 'coef0' is active only when {'degree': [3, 4]}; leave it out.",
        ),
        ({"C": 0.0, "kernel": "linear"}, "Parameter 'C' must be between 0.01 and 100.0. Got 0.0."),
        ({"C": "1", "kernel": "linear"}, "Parameter 'C' must be a finite number. Got '1' (str)."),
        ({"C": None, "kernel": "linear"}, "Parameter 'C' must be a finite number. Got None (NoneType)."),
        ({"C": 1.0, "kernel": "Poly"}, "Parameter 'kernel' must be one of 'rbf', 'poly', 'linear'. Got 'Poly'."),
        (
            {"C": 1.0, "kernel": "poly", "degree": 2.0, "gamma": "small"},
            "Parameter 'degree' must be a whole number. Got 2.0",
        ),
        ([1.0, "linear"], "A config must map names of parameters to values. Got [1.0, 'linear']."),
        ("linear", "A config must map names of parameters to values. Got 'linear'."),
        (None, "A config must map names of parameters to values. Got None."),
    ],
)
def test_a_wrong_config_is_refused_with_its_reason(config, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        svm().encode([SVM_TABLE[0][0], config, SVM_TABLE[1][0]])


def test_a_config_without_its_list_is_refused():
    message = "`configs` must be a list of configs. Got one config: {'a': 1}. Put it in a list."
    with pytest.raises(ConfigError, match=re.escape(message)):
        Space({"a": (1, 2)}).encode({"a": 1})


@pytest.mark.parametrize("seed", range(15))
def test_the_only_allowed_member_of_a_small_space_is_always_found(seed):
    space = Space({"a": Int(0, 299), "b": Int(0, 299)}, constraints=["a == 17 and b == 230"])
    assert space.decode(space.sample(2, rng(seed))) == [{"a": 17, "b": 230}] * 2
    assert space.decode(space.sobol(1, seed=seed)) == [{"a": 17, "b": 230}]


# -- a part of a space --------------------------------------------------------------------------------------


@st.composite
def parts(draw, kinds=strategies.parameters):
    """A space, and limits of some of its columns: two members of it, the lower and the upper entry of each column."""
    space = draw(strategies.spaces(kinds, constrained=False))
    ends = space.open(space.sample(2, rng(draw(st.integers(0, 99)))), rng())
    is_limited = np.array(draw(st.lists(st.booleans(), min_size=len(space), max_size=len(space))))
    # a choice has no order: it is given, or free
    bottom, top = ends.min(axis=0), np.where(space.is_ordered, ends.max(axis=0), ends.min(axis=0))
    return space, np.where(is_limited, bottom, NAN), np.where(is_limited, top, NAN)


def assert_within(X, bottom, top):
    with np.errstate(invalid="ignore"):
        assert not ((bottom > X) | (top < X)).any()


@given(parts(), st.integers(0, 9))
def test_whatever_a_part_of_a_space_yields_keeps_the_limits_and_is_a_member(case, seed):
    space, bottom, top = case
    part = space.within(bottom, top)
    everywhere = space.sample(20, rng(seed))
    drawn = [part.sample(20, rng(seed)), part.sobol(8, seed=seed), part.mutate(everywhere, rng(seed))]
    for X in (*drawn, part.snap(everywhere)):
        assert_within(X, bottom, top)
        assert_members(space, X)


@given(parts(strategies.small), st.integers(0, 9))
def test_a_part_of_a_finite_space_has_the_members_that_keep_the_limits(case, seed):
    space, bottom, top = case
    part = space.within(bottom, top)
    X = space.members
    kept = X[~((bottom > X) | (top < X)).any(axis=1)]
    assert {row.tobytes() for row in part.members} == {row.tobytes() for row in kept}
    assert part.cardinality == len(kept)


@pytest.mark.parametrize(
    "parameter",
    [Int(1, 10**12), Int(1, 10**12, log=True), Int(-6, 3 * 10**11, step=3), Float(0.0, 1e9, step=0.5)],
    ids=repr,
)
def test_a_part_of_a_huge_range_is_counted_without_listing_the_range(parameter):
    low, high = parameter.decode(parameter.snap(np.array([0.2, 0.9])))
    ends = parameter.encode([low, high], "n")
    tracemalloc.start()
    part = Space({"n": parameter}).within(ends[:1], ends[1:])
    assert part.cardinality == round((high - low) / parameter.step) + 1
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@given(strategies.small, st.floats(-0.5, 9.5), st.floats(-0.5, 9.5))
def test_the_levels_between_two_numbers_are_those_of_all_levels(parameter, bottom, top):
    levels = parameter.levels()
    expected = levels[(levels >= bottom) & (levels <= top)]
    np.testing.assert_array_equal(parameter.levels(bottom, top), expected)
    assert parameter.n_levels(bottom, top) == len(expected)


@given(parts())
def test_limits_that_bind_nothing_change_nothing(case):
    space, *_ = case
    none = np.full(len(space), NAN)
    np.testing.assert_array_equal(space.within(none, none).sample(9, rng()), space.sample(9, rng()))
    X = space.sample(9, rng(1))
    np.testing.assert_array_equal(space.within(none, none).mutate(X, rng()), space.mutate(X, rng()))


def test_a_given_value_is_in_every_member_where_it_is_active():
    space = svm()
    given_poly = np.array([NAN, NAN, 1.0, NAN, NAN])
    X = space.within(given_poly, given_poly).sample(50, rng())
    assert {config["kernel"] for config in space.decode(X)} == {"poly"}
    assert {config["degree"] for config in space.decode(X)} == {2, 3, 4, 5}


def test_a_range_is_drawn_from_evenly():
    space = Space({"n": Int(0, 9), "log": Int(1, 100, log=True), "x": Float(0.0, 10.0)})
    low, high = (space.encode([{"n": v, "log": v, "x": float(v)}])[0] for v in (2, 5))
    configs = space.decode(space.within(low, high).sample(4000, rng()))
    counts = np.bincount([config["n"] for config in configs], minlength=10)
    assert set(np.flatnonzero(counts)) == {2, 3, 4, 5}
    assert stats.chisquare(counts[2:6]).pvalue > 1e-3
    assert stats.kstest([config["x"] for config in configs], stats.uniform(2, 3).cdf).pvalue > 1e-3
    assert {config["log"] for config in configs} == {2, 3, 4, 5}


def test_the_whole_is_as_it_was_after_a_part_was_made():
    space = svm()
    members = Space({"a": ["x", "y"], "b": Int(1, 3)})
    assert (members.cardinality, len(members.members)) == (6, 6)
    part = members.within(np.array([1.0, NAN]), np.array([1.0, NAN]))
    assert (part.cardinality, len(part.members)) == (3, 3)
    assert (members.cardinality, len(members.members)) == (6, 6)
    assert not space.grid.is_limited


@given(strategies.spaces(constrained=False), st.data())
def test_a_walk_asks_for_the_active_parameters_parents_first(space, data):
    config = data.draw(strategies.configs(space))
    asked = []
    walked = space.walk(lambda name, kind: asked.append(name) or config[name])
    assert walked == config
    for name in asked:
        assert all(asked.index(parent) < asked.index(name) for parent in space.parameters[name].when)


def test_rows_that_lack_a_parameter_without_conditions_have_a_view_all_the_same():
    plain = Space({"a": Float(0.0, 1.0), "b": Int(0, 4)})
    np.testing.assert_array_equal(plain.one_hot(np.array([[NAN, 0.25], [0.5, 1.0]])), [[0.5, 0.25], [0.5, 1.0]])
    choice = Space({"a": ["x", "y"], "b": Float(0.0, 1.0)})
    np.testing.assert_array_equal(choice.one_hot(np.array([[NAN, NAN]]), inactive=0.7), [[0.0, 0.0, 0.7]])

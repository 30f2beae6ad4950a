import json
import math
import warnings

import numpy as np
import optuna
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from support import strategies

from auger import Categorical, Float, Int, Ordinal, Space
from auger.errors import SpaceError
from auger.hosts.optuna import distributions, suggest_config
from auger.hosts.optuna.parameters import column_of, columns_of, nearest

NAN = math.nan


# -- what an objective asks for ----------------------------------------------------------------------------


@st.composite
def floats(draw):
    low, width = draw(st.floats(-1e300, 1e300)), draw(st.floats(1e-300, 1e300))
    return FloatDistribution(low, low + width)


@st.composite
def stepped(draw):
    low, step = draw(st.integers(-1000, 1000)) / 100, draw(st.integers(1, 500)) / 1000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FloatDistribution(low, low + draw(st.integers(0, 1000)) * step, step=step)


@st.composite
def ints(draw):
    low, step = draw(st.integers(-(2**53), 2**53)), draw(st.integers(1, 2**30))
    return IntDistribution(low, min(low + draw(st.integers(0, 2**20)) * step, low + 2**53), step=step)


log_floats = st.tuples(st.floats(1e-300, 1e300), st.floats(1.0, 1e5)).map(
    lambda ends: FloatDistribution(ends[0], ends[0] * ends[1], log=True)
)
log_ints = st.tuples(st.integers(1, 2**50), st.integers(0, 2**50)).map(
    lambda ends: IntDistribution(ends[0], ends[0] + ends[1], log=True)
)
choices = st.lists(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()), min_size=1, max_size=6
).map(CategoricalDistribution)


@given(st.one_of(floats(), stepped(), ints(), log_floats, log_ints, choices), st.integers(0, 99))
def test_a_value_of_a_column_is_a_value_of_its_distribution_and_comes_back(distribution, seed):
    column = column_of(distribution)
    assert (column is None) == distribution.single()
    if column is None:
        return
    entries = column.parameter.quantile(np.random.default_rng(seed).random(20))
    values = column.decode(entries)
    assert all(distribution._contains(distribution.to_internal_repr(value)) for value in values)
    again = column.decode(column.encode(values))
    if isinstance(distribution, CategoricalDistribution):  # of choices that are equal, True and 1, the first counts
        assert [distribution.to_internal_repr(value) for value in again] == [
            distribution.to_internal_repr(value) for value in values
        ]
    else:
        assert {type(value) for value in values} == {int if isinstance(distribution, IntDistribution) else float}
        np.testing.assert_allclose(np.array(again, float), np.array(values, float), rtol=1e-9)


@pytest.mark.parametrize(
    ("distribution", "values", "entries"),
    [
        (FloatDistribution(0, 10), [0, 2.5, 10.0], [0.0, 0.25, 1.0]),
        (FloatDistribution(0, 10), [-3.0, 99.0, True, "a", None, NAN], [0.0, 1.0, NAN, NAN, NAN, NAN]),
        (FloatDistribution(1e-4, 1, log=True), [1e-4, 1e-2], [0.0, 0.5]),
        (FloatDistribution(0, 1, step=0.25), [0.25, 0.3, 2.0], [0.25, 0.25, 1.0]),
        (IntDistribution(0, 4), [1, 1.4, 9], [0.25, 0.25, 1.0]),
        (CategoricalDistribution(["a", None, True]), ["a", None, True, "b", [1]], [0.0, 1.0, 2.0, NAN, NAN]),
        (CategoricalDistribution([NAN, 1.5]), [NAN, 1.5], [0.0, 1.0]),
        # beyond our arithmetic: by position
        (IntDistribution(0, 2**52), [0, 2**51, 2**52], [0.0, 0.5, 1.0]),
        (FloatDistribution(-1e308, 1e308), [-1e308, 0.0, 1e308], [0.0, 0.5, 1.0]),
        (FloatDistribution(1.0, 1.0 + 1e-14), [1.0, 1.0 + 1e-14], [0.0, 1.0]),
    ],
)
def test_values_are_encoded_as_worked_out_by_hand(distribution, values, entries):
    np.testing.assert_allclose(column_of(distribution).encode(values), entries, atol=1e-12)


def test_choices_that_cannot_be_hashed_are_choices_all_the_same():
    with pytest.warns(UserWarning, match="persistent storage"):
        distribution = CategoricalDistribution([[1, 2], {"a": 1}])
    column = column_of(distribution)
    assert column.decode(column.encode([{"a": 1}, [1, 2]])) == [{"a": 1}, [1, 2]]


@pytest.mark.parametrize(
    "distribution",
    [
        FloatDistribution(1.0, 1.0),
        IntDistribution(3, 3),
        CategoricalDistribution(["a"]),
        FloatDistribution(0, math.inf),
    ],
)
def test_nothing_to_choose_makes_no_column(distribution):
    assert column_of(distribution) is None


@pytest.mark.parametrize(
    ("distribution", "value", "wanted"),
    [
        (IntDistribution(0, 10, step=5), 7.4, 5),
        (IntDistribution(0, 10), 7.6, 8),
        (FloatDistribution(0, 1), 7, 1.0),
        (FloatDistribution(0.1, 0.7, step=0.2), 0.35, 0.3),
        (FloatDistribution(0.0, 0.7, step=0.1), 0.3, 0.3),
    ],
)
def test_the_nearest_value_of_a_range(distribution, value, wanted):
    found = nearest(distribution, value)
    assert found == wanted
    assert type(found) is type(wanted)


# -- a space that is given ----------------------------------------------------------------------------------


@given(strategies.spaces(constrained=False), st.integers(0, 99))
def test_a_given_space_goes_to_optuna_and_back(space, seed):
    assume(all(max(-kind.low, kind.high) <= 2**53 for kind in space.parameters.values() if isinstance(kind, Int)))
    columns = columns_of(space)
    X = space.sample(10, np.random.default_rng(seed))
    for j, (name, column) in enumerate(columns.items()):
        entries = X[~np.isnan(X[:, j]), j]
        values = column.decode(entries)
        made = column.distribution
        assert all(made._contains(made.to_internal_repr(value)) for value in values), name
        json.dumps(values)  # every storage can hold them
        np.testing.assert_array_equal(column.encode(values), entries)


def test_distributions_keep_order_scale_steps_and_choices():
    space = Space(
        {
            "b": Float(1e-3, 1.0, log=True),
            "a": Int(0, 10, step=5),
            "c": Ordinal(["small", "large"]),
            "d": Categorical([(1, 2), "[1, 2]", None], when={"a": 5}),
            "e": Float(0.0, 1.0, step=0.1),
        }
    )
    assert list(distributions(space).items()) == [
        ("b", FloatDistribution(1e-3, 1.0, log=True)),
        ("a", IntDistribution(0, 10, step=5)),
        ("c", CategoricalDistribution(["small", "large"])),
        ("d", CategoricalDistribution(["[1, 2] ", "[1, 2]", None])),
        ("e", FloatDistribution(0.0, 1.0, step=0.1)),
    ]


def test_a_grid_that_decimals_miss_becomes_choices():
    made = distributions(Space({"x": Float(0.0, 1.0, step=1 / 3)}))["x"]
    assert made.choices == (0.0, 1 / 3, pytest.approx(2 / 3), 1.0)
    fine = distributions(Space({"x": Float(0.0, 7.0, step=1 / 700)}))["x"]
    assert fine == FloatDistribution(0.0, 7.0)


def test_integers_that_a_double_cannot_hold_are_refused():
    with pytest.raises(SpaceError, match=r"Optuna holds whole numbers up to 2\*\*53 only. Got parameter 'n', Int"):
        distributions(Space({"n": Int(2**60, 2**60 + 5)}))


@given(strategies.spaces(strategies.small, constrained=False), st.integers(0, 99))
def test_any_sampler_can_be_asked_for_a_config(space, seed):
    trial = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed)).ask()
    space.encode([suggest_config(trial, space)])  # refuses what is no member


def test_what_was_enqueued_arrives_as_it_is():
    space = Space({"lr": Float(1e-5, 1.0, log=True), "pads": Categorical([(1, 2), (3,)]), "n": (1, 5)})
    study = optuna.create_study()
    study.enqueue_trial({"lr": 0.1, "pads": "[3]", "n": 2})
    assert suggest_config(study.ask(), space) == {"lr": 0.1, "pads": (3,), "n": 2}

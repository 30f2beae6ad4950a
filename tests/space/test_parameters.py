import json
import math
import pickle
import re
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support import strategies

from auger.errors import AugerError, ConfigError, SpaceError
from auger.space import Categorical, Float, Int, Ordinal, as_parameter, parameter_from_json

# parameter, its values, their entries in the column
TABLES = [
    (Float(-2.0, 2.0), [-2.0, -1.0, 0.0, 1.0, 2.0], [0.0, 0.25, 0.5, 0.75, 1.0]),
    (Float(100, 300), [100.0, 150.0, 300.0], [0.0, 0.25, 1.0]),
    (Float(1e-4, 1.0, log=True), [1e-4, 1e-3, 1e-2, 1e-1, 1.0], [0.0, 0.25, 0.5, 0.75, 1.0]),
    (Float(1.0, 1024.0, log=True), [1.0, 2.0, 32.0, 1024.0], [0.0, 0.1, 0.5, 1.0]),
    (Float(0.1, 0.5, step=0.1), [0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 0.25, 0.5, 0.75, 1.0]),
    (Float(-1.0, 2.0, step=1.5), [-1.0, 0.5, 2.0], [0.0, 0.5, 1.0]),
    (Float(0, 1, step=1), [0.0, 1.0], [0.0, 1.0]),
    (Int(1, 5), [1, 2, 3, 4, 5], [0.0, 0.25, 0.5, 0.75, 1.0]),
    (Int(-3, 3), [-3, 0, 3], [0.0, 0.5, 1.0]),
    (Int(0, 100, step=25), [0, 25, 75, 100], [0.0, 0.25, 0.75, 1.0]),
    (Int(1, 16, log=True), [1, 2, 4, 8, 16], [0.0, 0.25, 0.5, 0.75, 1.0]),
    (Int(10, 1000, log=True), [10, 100, 1000], [0.0, 0.5, 1.0]),
    (Categorical(["relu", "tanh", "gelu"]), ["tanh", "relu", "gelu", "tanh"], [1.0, 0.0, 2.0, 1.0]),
    (Categorical([True, False]), [False, True], [1.0, 0.0]),
    (Categorical([None, 0.5, (3, 3)]), [(3, 3), None, 0.5], [2.0, 0.0, 1.0]),
    (Categorical(["only"]), ["only"], [0.0]),
    (Ordinal(["s", "m", "l"]), ["s", "m", "l"], [0.0, 0.5, 1.0]),
    (Ordinal([512, 16]), [16, 512], [1.0, 0.0]),
    (Ordinal(["only"]), ["only"], [0.0]),
]


@pytest.mark.parametrize(("kind", "values", "entries"), TABLES)
def test_encode_agrees_with_the_table(kind, values, entries):
    np.testing.assert_allclose(kind.encode(values, "x"), entries, rtol=0, atol=2e-16)


@pytest.mark.parametrize(("kind", "values", "entries"), TABLES)
def test_decode_agrees_with_the_table(kind, values, entries):
    decoded = kind.decode(np.array(entries))
    if isinstance(kind, Float) and kind.log:  # the exponential rounds between the ends
        assert decoded == pytest.approx(values, rel=1e-14)
    else:
        assert decoded == values
    assert [type(value) for value in decoded] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("kind", "column", "nearest"),
    [
        (Float(0.0, 1.0), [-0.2, 0.3, 1.2, np.inf, -np.inf], [0.0, 0.3, 1.0, 1.0, 0.0]),
        (Float(0.0, 1.0), [0.12345678901234567], [0.1234567890123]),
        (Float(0.0, 2.0, step=1.0), [0.2, 0.3, 0.74, 0.76, 9.0], [0.0, 0.5, 0.5, 1.0, 1.0]),
        (Int(0, 4), [-1.0, 0.1, 0.2, 0.6, 2.0], [0.0, 0.0, 0.25, 0.5, 1.0]),
        # 2 ** (4 * 0.39) = 2.95
        (Int(1, 16, log=True), [0.24, 0.26, 0.39], [0.25, 0.25, math.log(3) / math.log(16)]),
        (Categorical(["a", "b", "c"]), [-0.4, 0.6, 1.4, 7.0], [0.0, 1.0, 1.0, 2.0]),
        (Ordinal(["a", "b", "c"]), [0.2, 0.3, 0.8, 7.0], [0.0, 0.5, 1.0, 1.0]),
        (Ordinal(["only"]), [0.2, 0.9], [0.0, 0.0]),
    ],
)
def test_snap_moves_to_the_nearest_entry(kind, column, nearest):
    np.testing.assert_allclose(kind.snap(np.array(column)), nearest, rtol=0, atol=2e-16)


# -- there and back -----------------------------------------------------------------------------------------


@given(st.data())
def test_values_of_a_grid_survive_encode_and_decode_exactly(data):
    kind = data.draw(strategies.finite)
    values = data.draw(st.lists(strategies.values(kind), min_size=1))
    decoded = kind.decode(kind.encode(values, "x"))
    assert decoded == values
    assert list(map(type, decoded)) == list(map(type, values))


@given(st.data())
def test_values_of_a_continuous_float_survive_to_half_a_unit_of_its_last_decimal(data):
    kind = data.draw(strategies.continuous)
    values = np.array(data.draw(st.lists(strategies.values(kind), min_size=1)))
    decoded = np.array(kind.decode(kind.encode(values.tolist(), "x")))
    column, back = (
        (np.log(v) - np.log(kind.low)) / (np.log(kind.high) - np.log(kind.low))
        if kind.log
        else (v - kind.low) / (kind.high - kind.low)
        for v in (values, decoded)
    )
    np.testing.assert_allclose(back, column, rtol=0, atol=0.7 / kind._last)


@pytest.mark.parametrize("log", [False, True])
def test_ordinary_floats_survive_to_1e_12_of_the_range(log):
    kind = Float(1e-5, 10.0, log=log)
    values = np.linspace(1e-5, 10.0, 1001)
    decoded = kind.decode(kind.encode(values.tolist(), "x"))
    np.testing.assert_allclose(decoded, values, rtol=0, atol=1e-12 * 10.0)


@settings(max_examples=500)
@given(st.data())
def test_snapped_columns_survive_decode_and_encode_bit_for_bit(data):
    kind = data.draw(st.one_of(strategies.parameters, st.sampled_from(strategies.NASTY)))
    column = data.draw(strategies.columns(kind))
    assert kind.encode(kind.decode(column), "x").tobytes() == column.tobytes()


@pytest.mark.parametrize("kind", strategies.NASTY, ids=repr)
def test_nasty_ranges_survive_decode_and_encode_bit_for_bit(kind):
    u = np.random.default_rng(0).random(20_000)
    ends = np.concatenate(
        [u[:5000] * 10.0 ** -np.linspace(1, 20, 5000), 1 - u[:5000] * 10.0 ** -np.linspace(1, 16, 5000)]
    )
    column = kind.snap(np.concatenate([u, ends, [0.0, 1.0]]) * (1 if kind.is_ordered else kind.n_values))
    assert kind.encode(kind.decode(column), "x").tobytes() == column.tobytes()


@given(st.data())
def test_one_value_alone_is_encoded_as_among_others(data):
    kind = data.draw(strategies.parameters)
    values = data.draw(st.lists(strategies.values(kind), min_size=2, max_size=20))
    together = kind.encode(values, "x")
    alone = np.concatenate([kind.encode([value], "x") for value in values])
    assert together.tobytes() == alone.tobytes()


@given(st.data())
def test_snap_is_idempotent_and_stays_inside(data):
    kind = data.draw(st.one_of(strategies.parameters, st.sampled_from(strategies.NASTY)))
    column = kind.snap(np.array(data.draw(st.lists(st.floats(-1e3, 1e3), min_size=1))))
    top = 1 if kind.is_ordered else kind.n_values - 1
    assert ((column >= 0) & (column <= top)).all()
    assert kind.snap(column).tobytes() == column.tobytes()


@given(st.data())
def test_quantile_gives_snapped_entries(data):
    kind = data.draw(strategies.parameters)
    column = data.draw(strategies.columns(kind))
    assert kind.snap(column).tobytes() == column.tobytes()


@pytest.mark.parametrize("kind", strategies.NASTY, ids=repr)
def test_no_entry_is_minus_zero(kind):
    assert not np.signbit(kind.snap(np.array([-0.0, -0.2, -1e-30, -5.0]))).any()


@pytest.mark.parametrize("kind", strategies.NASTY, ids=repr)
def test_the_ends_are_met_exactly(kind):
    first, last = kind.snap(np.array([-1.0, 1e9]))
    if isinstance(kind, (Float, Int)):
        assert (first, last) == (0.0, 1.0)
        assert kind.decode(np.array([first, last])) == [kind.low, kind.high]
    else:
        assert kind.decode(np.array([first, last])) == [kind.choices[0], kind.choices[-1]]


@given(st.data())
def test_decoded_values_stay_inside_the_bounds(data):
    kind = data.draw(
        st.one_of(strategies.continuous, strategies.stepped_floats(), st.sampled_from(strategies.NASTY[:19]))
    )
    decoded = kind.decode(data.draw(strategies.columns(kind)))
    assert all(kind.low <= value <= kind.high for value in decoded)


@given(kind=strategies.stepped_floats(), data=st.data())
def test_a_stepped_float_decodes_to_the_decimals_people_write(kind, data):
    i = data.draw(st.integers(0, kind.n_values - 1))
    with localcontext() as context:
        context.prec = 60
        written = float(Decimal(repr(kind.low)) + i * Decimal(repr(kind.step)))
    assert kind.decode(kind.levels()[i : i + 1]) == [written if i < kind.n_values - 1 else kind.high]


def test_a_stepped_float_forgives_the_rounding_of_the_users_arithmetic():
    kind = Float(0.0, 1.0, step=0.1)
    assert kind.decode(kind.encode([0.1 + 0.2, sum([0.1] * 7), 1 - 0.9], "x")) == [0.3, 0.7, 0.1]


def test_whole_numbers_are_welcome_in_a_float():
    kind = Float(1, 100, log=True)
    decoded = kind.decode(kind.encode([1, 10, np.int32(100)], "x"))
    assert decoded == pytest.approx([1.0, 10.0, 100.0], rel=1e-12)
    assert {type(value) for value in decoded} == {float}


def test_numpy_scalars_are_welcome_everywhere():
    assert Int(1, 5).encode([np.int8(1), np.uint64(5)], "x").tolist() == [0.0, 1.0]
    assert Float(0, 2).encode([np.float32(0.5), np.int64(1)], "x").tolist() == [0.25, 0.5]
    assert Categorical([np.str_("a"), np.int64(3)]).encode(["a", 3, np.float64(3)], "x").tolist() == [0.0, 1.0, 1.0]


def test_choices_are_compared_by_value():
    kind = Categorical([0, 1, "1"])
    assert kind.decode(kind.encode([True, 0.0, "1"], "x")) == [1, 0, "1"]


def test_a_list_means_the_tuple_among_the_choices():
    kind = Categorical([[3, 3], (5, (5, 1))])
    assert kind.choices == ((3, 3), (5, (5, 1)))
    assert kind.encode([[5, [5, 1]], (3, 3)], "x").tolist() == [1.0, 0.0]


def test_neighbouring_whole_numbers_above_2_53_stay_apart():
    kind = Int(2**60, 2**60 + 4)
    assert kind.encode([2**60, 2**60 + 1, 2**60 + 4], "x").tolist() == [0.0, 0.25, 1.0]


# -- levels and neighbours ----------------------------------------------------------------------------------


@given(st.data())
def test_levels_are_the_entries_of_all_values_in_order(data):
    kind = data.draw(st.one_of(strategies.small, strategies.stepped_floats()))
    written_out = [strategies.nth_value(kind, i) for i in range(kind.n_values)]
    assert kind.decode(kind.levels()) == written_out
    assert kind.levels().tobytes() == kind.encode(written_out, "x").tobytes()


@given(st.data())
def test_a_neighbour_is_another_value_next_door(data):
    kind = data.draw(
        st.one_of(strategies.parameters, st.sampled_from(strategies.NASTY)).filter(lambda kind: kind.n_values != 1)
    )
    column = data.draw(strategies.columns(kind))
    towards = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(column), max_size=len(column))))
    moved = kind.neighbor(column, towards)
    assert kind.snap(moved).tobytes() == moved.tobytes()
    old, new = kind.decode(column), kind.decode(moved)
    assert all(a != b for a, b in zip(old, new, strict=True))
    if isinstance(kind, Int):
        assert all(abs(a - b) == kind.step for a, b in zip(old, new, strict=True))


def test_a_neighbour_turns_back_at_the_ends():
    assert Int(1, 5).neighbor(np.array([0.0, 0.25, 1.0]), np.array([-1, -1, 1])).tolist() == [0.25, 0.0, 0.75]


# -- how often each value is drawn --------------------------------------------------------------------------

FINITE_AND_EVEN = [
    Int(3, 12),
    Int(0, 90, step=10),
    Float(0, 1, step=0.1),
    Categorical(list("abcdefg")),
    Ordinal([1, 2, 4]),
]


@pytest.mark.parametrize("kind", FINITE_AND_EVEN, ids=repr)
def test_each_value_owns_an_equal_share_of_the_unit_interval(kind):
    u = (np.arange(1000 * kind.n_values) + 0.5) / (1000 * kind.n_values)
    entries, counts = np.unique(kind.quantile(u), return_counts=True)
    np.testing.assert_array_equal(entries, kind.levels())
    np.testing.assert_array_equal(counts, 1000)


@pytest.mark.parametrize("kind", FINITE_AND_EVEN, ids=repr)
def test_each_value_is_drawn_equally_often(kind):
    counts = np.unique(kind.quantile(np.random.default_rng(1).random(20_000)), return_counts=True)[1]
    assert len(counts) == kind.n_values
    assert stats.chisquare(counts).pvalue > 0.01


def test_a_log_int_draws_each_number_as_often_as_its_unit_is_wide_in_log_space():
    kind = Int(1, 64, log=True)
    values = np.array(kind.decode(kind.quantile((np.arange(10**6) + 0.5) / 10**6)))
    numbers, counts = np.unique(values, return_counts=True)
    expected = 10**6 * np.log((numbers + 0.5) / (numbers - 0.5)) / math.log(64.5 / 0.5)
    np.testing.assert_array_equal(numbers, np.arange(1, 65))
    np.testing.assert_allclose(counts, expected, rtol=0, atol=2)


def test_a_log_float_is_uniform_in_its_logarithm():
    kind = Float(1e-6, 1e2, log=True)
    values = kind.decode(kind.quantile(np.random.default_rng(2).random(5000)))
    assert stats.kstest((np.log10(values) + 6) / 8, "uniform").pvalue > 0.01


@pytest.mark.parametrize("kind", [kind for kind in strategies.NASTY if kind.n_values is not None], ids=repr)
def test_the_largest_uniform_number_gives_the_last_value(kind):
    assert kind.quantile(np.array([1 - 2.0**-53])).tobytes() == kind.snap(np.array([1e9])).tobytes()


# -- shorthand and JSON -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ((1, 12), Int(1, 12)),
        ((0.0, 1.0), Float(0.0, 1.0)),
        ((0, 1.0), Float(0.0, 1.0)),
        ((np.int64(1), np.int64(3)), Int(1, 3)),
        (["relu", "tanh"], Categorical(("relu", "tanh"))),
        ([1, 2], Categorical((1, 2))),
        (Ordinal([1, 2]), Ordinal([1, 2])),
    ],
)
def test_shorthand_means_the_full_parameter(short, long):
    assert as_parameter(short, "x") == long


@given(strategies.parameters)
def test_a_parameter_survives_json(kind):
    again = parameter_from_json(json.loads(json.dumps(kind.to_json(), allow_nan=False)), "x")
    assert again == kind


@pytest.mark.parametrize(
    "kind",
    [
        Float(np.float32(0.5), np.float64(2), step=np.float32(0.5)),
        Float(np.int64(1), 2, log=True),
        Int(np.int64(1), np.uint8(5), step=np.int16(2)),
        Categorical([np.int64(1), np.float32(0.5), np.str_("a"), (np.int8(2),)]),
    ],
    ids=repr,
)
def test_numpy_settings_become_plain_numbers(kind):
    assert parameter_from_json(json.loads(json.dumps(kind.to_json())), "x") == kind


# -- what is refused ----------------------------------------------------------------------------------------

WRONG_PARAMETERS = [
    (
        lambda: Float(1.0, 1.0),
        "`low` of a Float must be below `high`. Got low=1.0, high=1.0. For a constant use Categorical([1.0]).",
    ),
    (lambda: Float(2, 1), "`low` of a Float must be below `high`. Got low=2, high=1"),
    (lambda: Float("0", 1), "`low` of a Float must be a finite number. Got '0'."),
    (lambda: Float(0, None), "`high` of a Float must be a finite number. Got None."),
    (lambda: Float(False, 1), "`low` of a Float must be a finite number. Got False."),
    (lambda: Float(0, math.inf), "`high` of a Float must be a finite number. Got inf."),
    (lambda: Float(math.nan, 1), "`low` of a Float must be a finite number. Got nan."),
    (lambda: Float(0, 10**400), "`high` of a Float must be a finite number. Got 1000"),
    (lambda: Float(-1e308, 1e308), "`high - low` of a Float must be finite. Got low=-1e+308, high=1e+308."),
    (lambda: Float(0, 1, log=True), "`low` of a Float with log=True must be above 0. Got low=0."),
    (lambda: Float(-1, 1, log=True), "`low` of a Float with log=True must be above 0. Got low=-1."),
    (lambda: Float(1, 2, log=1), "`log` of a Float must be True or False. Got 1."),
    (
        lambda: Float(1.0, math.nextafter(1.0, 2)),
        "must be wide enough for double precision. Got low=1.0, high=1.0000000000000002.",
    ),
    (
        lambda: Float(1e10, math.nextafter(1e10, 2e10), log=True),
        "must be wide enough for double precision. Got low=10000000000.0",
    ),
    (lambda: Float(0.0, 1e-320), "must be wide enough for double precision. Got low=0.0, high=1e-320."),
    (lambda: Float(5e-324, 1.0, log=True), "must be wide enough for double precision. Got low=5e-324, high=1.0."),
    (
        lambda: Float(0, 1, step=0.3),
        "must be `low` plus a whole number of steps. Got low=0.0, high=1.0, step=0.3. Use high=0.9, for example.",
    ),
    (lambda: Float(0, 1, step=2), "Got low=0.0, high=1.0, step=2.0. Use high=2, for example."),
    (lambda: Float(0, 1e9 + 0.5, step=1), "`high` of a Float must be `low` plus a whole number of steps."),
    (lambda: Float(0, 1, step=0), "`step` of a Float must be a positive number. Got 0."),
    (lambda: Float(0, 1, step=-0.5), "`step` of a Float must be a positive number. Got -0.5."),
    (lambda: Float(0, 1, step=math.nan), "`step` of a Float must be a positive number. Got nan."),
    (lambda: Float(0, 1, step=math.inf), "`step` of a Float must be a positive number. Got inf."),
    (lambda: Float(0, 1, step=True), "`step` of a Float must be a positive number. Got True."),
    (lambda: Float(1, 2, step=0.5, log=True), "`log` and `step` of a Float cannot be combined. Use Ordinal"),
    (
        lambda: Float(0, 1e300, step=1e-300),
        "must leave at most 2**40 values that double precision can tell apart. Got low=0.0",
    ),
    (
        lambda: Float(1e9, 1e9 + 1, step=2**-23),
        "must leave at most 2**40 values that double precision can tell apart. Got low=1000000000.0",
    ),
    (
        lambda: Int(3, 3),
        "`low` of an Int must be below `high`. Got low=3, high=3. For a constant use Categorical([3]).",
    ),
    (lambda: Int(1.0, 3), "`low` of an Int must be a whole number. Got 1.0."),
    (lambda: Int(1, True), "`high` of an Int must be a whole number. Got True."),
    (lambda: Int(1, 3, step=0.5), "`step` of an Int must be a whole number. Got 0.5."),
    (lambda: Int(1, 3, step=0), "`step` of an Int must be a positive number. Got 0."),
    (lambda: Int(0, 9, log=True), "`low` of an Int with log=True must be above 0. Got low=0."),
    (lambda: Int(1, 9, log=True, step=2), "`log` and `step` of an Int cannot be combined."),
    (
        lambda: Int(0, 10, step=4),
        "`high` of an Int must be `low` plus a whole number of steps. Got low=0, high=10, step=4. Use high=8,",
    ),
    (lambda: Int(0, 10**10 + 1, step=2), "Got low=0, high=10000000001, step=2. Use high=10000000000, for example."),
    (lambda: Int(0, 3, step=5), "Got low=0, high=3, step=5. Use high=5, for example."),
    (
        lambda: Int(0, 2**40),
        "An Int can have at most 2**40 values (and with log, a `high` of at most 2**40). Got low=0, high=1099511627776",
    ),
    (lambda: Int(2**40, 2**40 + 1, log=True), "at most 2**40"),
    (lambda: Int(2**63 - 5, 2**63), "The bounds of an Int, and their difference, must fit in 64 bits. Got low="),
    (lambda: Int(-(2**63) - 1, 0, step=2**62), "must fit in 64 bits"),
    (lambda: Int(-(2**62), 2**62, step=2**62), "and their difference, must fit in 64 bits"),
    (lambda: Categorical([]), "`choices` of a Categorical must hold at least one value. Got none."),
    (lambda: Ordinal(()), "`choices` of an Ordinal must hold at least one value"),
    (lambda: Categorical("ab"), "`choices` of a Categorical must be a list or tuple of values. Got 'ab'."),
    (lambda: Categorical({"a", "b"}), "`choices` of a Categorical must be a list or tuple of values. Got {"),
    (
        lambda: Categorical(["a", "b", "a"]),
        "`choices` of a Categorical must all differ. Got 'a' and 'a', which are equal.",
    ),
    (lambda: Categorical([True, 1]), "`choices` of a Categorical must all differ. Got True and 1, which are equal."),
    (lambda: Categorical([1, 1.0]), "Got 1 and 1.0, which are equal."),
    (lambda: Categorical([(1, 2), [1, 2]]), "Got (1, 2) and (1, 2), which are equal."),
    (lambda: Ordinal([1, math.nan]), "A choice of an Ordinal must not be NaN. Got nan."),
    (lambda: Categorical([np.float64("nan")]), "A choice of a Categorical must not be NaN. Got nan."),
    (lambda: Categorical([{"a": 1}]), "Each choice of a Categorical must be hashable. Got {'a': 1}."),
    (
        lambda: Float(0, 1, when="kernel"),
        "`when` must map names of parents to values, such as {'kernel': ['poly']}. Got 'kernel'.",
    ),
    (lambda: Int(0, 1, when={1: 2}), "`when` must map names of parents to values"),
    (lambda: Categorical([1], when=["kernel"]), "`when` must map names of parents to values"),
    (
        lambda: as_parameter((3, 1), "depth"),
        "Parameter 'depth': `low` of an Int must be below `high`. Got low=3, high=1",
    ),
    (
        lambda: as_parameter((0.0, math.inf), "lr"),
        "Parameter 'lr': `high` of a Float must be a finite number. Got inf.",
    ),
    (lambda: as_parameter([], "act"), "Parameter 'act': `choices` of a Categorical must hold at least one value."),
    (
        lambda: as_parameter((1, 2, 3), "x"),
        "Parameter 'x' must be a Float, Int, Categorical or Ordinal, a (low, high) pair of numbers, "
        "or a list of choices. Got (1, 2, 3).",
    ),
    (lambda: as_parameter(("a", "b"), "x"), "Got ('a', 'b')."),
    (lambda: as_parameter((True, False), "x"), "Got (True, False)."),
    (lambda: as_parameter("relu", "x"), "Got 'relu'."),
    (lambda: as_parameter(None, "x"), "Got None."),
    (
        lambda: parameter_from_json({"type": "bool"}, "x"),
        "The `type` of parameter 'x' must be one of float, int, categorical, ordinal. Got {'type': 'bool'}.",
    ),
    (lambda: parameter_from_json({"type": ["int"]}, "x"), "The `type` of parameter 'x' must be one of"),
    (
        lambda: parameter_from_json([1, 2], "x"),
        "The `type` of parameter 'x' must be one of float, int, categorical, ordinal. Got [1, 2].",
    ),
    (
        lambda: parameter_from_json({"type": "int", "low": 1}, "x"),
        "Parameter 'x': the settings {'low': 1} do not fit the type 'int'.",
    ),
    (
        lambda: parameter_from_json({"type": "int", "low": 5, "high": 1}, "x"),
        "Parameter 'x': `low` of an Int must be below `high`.",
    ),
    (
        lambda: Categorical([object]).to_json(),
        "To be saved, a choice must be a string, finite number, boolean, None or a tuple of these. "
        "Got <class 'object'>.",
    ),
    (lambda: Categorical([(1, math.inf)]).to_json(), "To be saved, a choice must be a string, finite number"),
]


@pytest.mark.parametrize(("make", "message"), WRONG_PARAMETERS)
def test_a_wrong_parameter_is_refused_with_its_reason(make, message):
    with pytest.raises(SpaceError, match=re.escape(message)):
        make()


WRONG_VALUES = [
    (Float(0, 1), "0.5", "Parameter 'x' must be a finite number. Got '0.5' (str)."),
    (Float(0, 1), True, "Parameter 'x' must be a finite number. Got True (bool)."),
    (Float(0, 1), np.bool_(True), "Parameter 'x' must be a finite number. Got "),
    (Float(0, 1), None, "Parameter 'x' must be a finite number. Got None (NoneType)."),
    (Float(0, 1), [0.5], "Parameter 'x' must be a finite number. Got [0.5] (list)."),
    (Float(0, 1), 1j, "Parameter 'x' must be a finite number. Got 1j (complex)."),
    (Float(0, 1), math.nan, "Parameter 'x' must be a finite number. Got nan."),
    (Float(0, 1), math.inf, "Parameter 'x' must be a finite number. Got inf."),
    (Float(0, 1), 10**400, "Parameter 'x' must be a finite number. Got 1000"),
    (Float(0, 1), 1.5, "Parameter 'x' must be between 0.0 and 1.0. Got 1.5."),
    (Float(0, 1), math.nextafter(1, 2), "Parameter 'x' must be between 0.0 and 1.0. Got 1.0000000000000002."),
    (Float(0, 1, step=0.25), 0.3, "Parameter 'x' must be 0.0 plus a multiple of the step 0.25. Got 0.3."),
    (
        Float(0, 1e9, step=0.1),
        1e8 + 0.03,
        "Parameter 'x' must be 0.0 plus a multiple of the step 0.1. Got 100000000.03.",
    ),
    (Int(1, 5), 2.0, "Parameter 'x' must be a whole number. Got 2.0 (float)."),
    (Int(1, 5), True, "Parameter 'x' must be a whole number. Got True (bool)."),
    (Int(1, 5), "2", "Parameter 'x' must be a whole number. Got '2' (str)."),
    (Int(1, 5), 6, "Parameter 'x' must be between 1 and 5. Got 6."),
    (
        Int(2**60, 2**60 + 4),
        2**60 + 5,
        "Parameter 'x' must be between 1152921504606846976 and 1152921504606846980. Got 1152921504606846981.",
    ),
    (Int(1, 5), 2**70, "Parameter 'x' must fit in 64 bits. Got 1180591620717411303424."),
    (Int(0, 10, step=5), 6, "Parameter 'x' must be 0 plus a multiple of the step 5. Got 6."),
    (Int(-9, 9, step=2), 0, "Parameter 'x' must be -9 plus a multiple of the step 2. Got 0."),
    (Categorical(["a", "b"]), "c", "Parameter 'x' must be one of 'a', 'b'. Got 'c'."),
    (Categorical(["a", "b"]), ["a"], "Parameter 'x' must be one of 'a', 'b'. Got ['a']."),
    (Categorical(["a", "b"]), {}, "Parameter 'x' must be one of 'a', 'b'. Got {}."),
    (Categorical([1, 2]), math.nan, "Parameter 'x' must be one of 1, 2. Got nan."),
    (Ordinal([1, 2]), "1", "Parameter 'x' must be one of 1, 2. Got '1'."),
]


@pytest.mark.parametrize(("kind", "value", "message"), WRONG_VALUES)
def test_a_wrong_value_is_refused_with_its_reason(kind, value, message):
    good = kind.decode(np.array([0.0]))
    with pytest.raises(ConfigError, match=re.escape(message)):
        kind.encode([*good, value, *good], "x")


def test_our_errors_are_value_errors_too():
    assert issubclass(SpaceError, AugerError) and issubclass(SpaceError, ValueError)
    assert issubclass(ConfigError, AugerError) and issubclass(ConfigError, ValueError)


def test_what_the_user_gave_is_not_kept_by_reference():
    choices = ["a", "b"]
    kind = Categorical(choices)
    choices.append("c")
    assert kind.choices == ("a", "b")


@pytest.mark.parametrize(
    "parameter", [Float(0.1, 10.0, log=True), Float(0.0, 1.0, step=0.1), Int(1, 9), Int(1, 99, log=True)]
)
def test_a_parameter_that_was_used_is_pickled_as_before(parameter):
    before = pickle.dumps(parameter)
    parameter.decode(parameter.encode([1], "x"))
    assert pickle.dumps(parameter) == before and pickle.loads(before) == parameter

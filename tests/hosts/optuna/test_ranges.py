import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from auger.hosts.optuna.ranges import SETTLED, Ranges, unite

TABLE = [
    (FloatDistribution(0, 1), FloatDistribution(0.5, 3), FloatDistribution(0, 3)),
    (FloatDistribution(1, 2, log=True), FloatDistribution(0.1, 1.5, log=True), FloatDistribution(0.1, 2, log=True)),
    (FloatDistribution(0, 1, step=0.25), FloatDistribution(0.5, 2, step=0.25), FloatDistribution(0, 2, step=0.25)),
    (FloatDistribution(0, 1, step=0.25), FloatDistribution(0, 1, step=0.5), FloatDistribution(0, 1)),
    (FloatDistribution(0, 1, step=0.25), FloatDistribution(0.1, 1.1, step=0.25), FloatDistribution(0, 1.1)),
    (IntDistribution(0, 10), IntDistribution(20, 30), IntDistribution(0, 30)),
    (IntDistribution(0, 10, step=5), IntDistribution(5, 20, step=5), IntDistribution(0, 20, step=5)),
    (IntDistribution(0, 12, step=6), IntDistribution(3, 12, step=9), IntDistribution(0, 12, step=3)),
    (IntDistribution(1, 8, log=True), IntDistribution(4, 99, log=True), IntDistribution(1, 99, log=True)),
    # not of a kind: Optuna refuses these within a study, but trials can be added to one
    (CategoricalDistribution("ab"), CategoricalDistribution("abc"), CategoricalDistribution("abc")),
    (IntDistribution(0, 3), FloatDistribution(0, 1), FloatDistribution(0, 1)),
    (FloatDistribution(1, 3), FloatDistribution(1, 2, log=True), FloatDistribution(1, 2, log=True)),
]


@pytest.mark.parametrize(("old", "new", "both"), TABLE)
def test_two_ranges_unite(old, new, both):
    assert unite(old, new) == both


ranges = st.tuples(st.integers(-50, 50), st.integers(0, 20), st.integers(1, 7)).map(
    lambda case: IntDistribution(case[0], case[0] + case[1] * case[2], step=case[2])
)


@given(ranges, ranges, ranges)
def test_a_union_holds_both_whatever_the_order(a, b, c):
    union = unite(a, b)
    for each in (a, b):
        assert all(union._contains(value) for value in range(each.low, each.high + 1, each.step))
    assert unite(union, c) == unite(unite(c, a), b)


def test_names_are_told_when_they_are_new_or_wider():
    ranges = Ranges()
    assert ranges.widen({"x": FloatDistribution(0, 1), "y": IntDistribution(0, 9)}) == {"x", "y"}
    assert ranges.widen({"x": FloatDistribution(0.2, 0.7), "y": IntDistribution(0, 9)}) == set()
    assert ranges.widen({"x": FloatDistribution(0.2, 1.5)}) == {"x"}
    assert ranges.by_name["x"].union == FloatDistribution(0, 1.5)


def test_a_range_is_settled_when_enough_trials_agree():
    ranges = Ranges()
    wide, narrow = {"x": FloatDistribution(0, 9)}, {"x": FloatDistribution(0, 5)}
    ranges.widen(wide)
    for _ in range(30):
        ranges.settle(wide)
    assert ranges.by_name["x"].settled is None  # it is the whole
    for _ in range(SETTLED):
        assert ranges.by_name["x"].settled is None
        ranges.settle(narrow)
    assert ranges.by_name["x"].settled == narrow["x"]
    ranges.settle(wide)
    assert ranges.by_name["x"].settled is None

"""What becomes of each part of a Space of ours in ConfigSpace, and what is refused."""

import math

import ConfigSpace as CS
import pytest

from auger import Categorical, Float, Int, Ordinal, Space
from auger.errors import SpaceError
from auger.hosts.configspace import from_configuration, to_configspace, to_configuration


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Float(-1, 3.5), CS.UniformFloatHyperparameter("x", -1, 3.5)),
        (Float(1e-6, 1, log=True), CS.UniformFloatHyperparameter("x", 1e-6, 1, log=True)),
        (Int(1, 9), CS.UniformIntegerHyperparameter("x", 1, 9)),
        (Int(1, 900, log=True), CS.UniformIntegerHyperparameter("x", 1, 900, log=True)),
        (Categorical(["a", "b"]), CS.CategoricalHyperparameter("x", ["a", "b"])),
        (Ordinal([16, 64, 32]), CS.OrdinalHyperparameter("x", [16, 64, 32])),
        (Int(0, 10, step=5), CS.OrdinalHyperparameter("x", [0, 5, 10])),
        (Float(0, 0.3, step=0.1), CS.OrdinalHyperparameter("x", [0.0, 0.1, 0.2, 0.3])),
    ],
    ids=repr,
)
def test_a_parameter_has_its_equal(ours, theirs):
    assert to_configspace({"x": ours})["x"] == theirs


def test_conditions_nest_and_join():
    space = Space(
        {
            "deep": Int(1, 3, when={"model": ["a", "b"], "n": [1]}),
            "deeper": Float(0, 1, when={"deep": [2, 3]}),
            "model": ["a", "b", "c"],
            "n": (1, 2),
        }
    )
    theirs = to_configspace(space)
    to_configuration({"model": "b", "n": 1, "deep": 2, "deeper": 0.5}, theirs)
    to_configuration({"model": "c", "n": 1}, theirs)
    for wrong in ({"model": "b", "n": 1}, {"model": "c", "n": 1, "deep": 2}, {"model": "b", "n": 1, "deep": 2}):
        with pytest.raises(ValueError, match="ConfigSpace does not accept"):
            to_configuration(wrong, theirs)


PARAMETERS = {"a": Float(0, 1), "b": Float(0, 1), "n": Int(0, 9), "kind": ["x", "y", "z"], "s": Int(0, 8, step=2)}


@pytest.mark.parametrize(
    "text",
    [
        "a <= 0.5",
        "0.2 < a <= 0.5",
        "n != 3",
        "n <= 2.5",
        "2.5 <= n",
        "n < 40",
        "n in [1, 2, 77]",
        "n not in (1, 2)",
        "kind != 'x'",
        "kind in ['x', 'z']",
        "kind == 'x' or n > 4",
        "not (kind == 'x' and n > 4 and a < b)",
        "a <= b",
        "a < b",
        "kind == 'x' and s >= 4",
        "s > 3 or kind not in ('x',)",
        "kind <= 'y'",
    ],
)
def test_an_expression_allows_the_same_on_both_sides(text):
    space = Space(PARAMETERS, constraints=[text])
    theirs = to_configspace(space)
    rule = space.constraints[0]
    free = Space(PARAMETERS)
    outcomes = set()
    for config in free.decode(free.sobol(64, seed=0)):
        try:
            to_configuration(config, theirs)
            is_legal = True
        except ValueError:
            is_legal = False
        assert is_legal == rule.holds(config)
        outcomes.add(is_legal)
    assert outcomes == ({True} if text == "n < 40" else {True, False})


@pytest.mark.parametrize(
    ("parameter", "why"),
    [
        (Int(0, 10**6, step=2), "Got 500,001 values. Use wider steps, or none"),
        (Float(1e-15, 1.0, log=True), "13 decimals. Got 1e-15"),
        (Float(-1e300, 1e300), "cannot be translated to ConfigSpace"),
        (Int(2**62, 2**62 + 5), "cannot be translated to ConfigSpace"),
        (Categorical([2**53 + 1, 0.5]), "The choice 9007199254740993 would become"),
    ],
    ids=repr,
)
def test_a_parameter_that_configspace_cannot_hold_is_refused_by_name(parameter, why):
    with pytest.raises(SpaceError, match=f"Parameter 'x' cannot be translated.*{why}|Parameter 'x' {why}"):
        to_configspace({"x": parameter})


@pytest.mark.parametrize(
    ("constraint", "why"),
    [
        ("a + b <= 1", "it contains 'a \\+ b'"),
        ("abs(a) <= 1", "it contains 'abs\\(a\\)'"),
        ("a <= b * 2", "it contains 'b \\* 2'"),
        (lambda config: True, "takes no functions. Got the function <lambda>"),
        ("a <= 0.5 and child <= 0.5", "does not apply where 'child' is inactive"),
        ("kind < 1", "'kind' cannot be compared with 1"),
        ("kind == other", "it forbids 'kind != other'"),
        ("n == 'x'", "which is not a number"),
    ],
    ids=lambda each: each if isinstance(each, str) else "a function",
)
def test_a_constraint_that_configspace_cannot_express_is_refused(constraint, why):
    parameters = {**PARAMETERS, "child": Float(0, 1, when={"kind": "x"}), "other": ["x", "y"]}
    with pytest.raises(SpaceError, match=why):
        to_configspace(Space(parameters, constraints=[constraint]))


def test_bounds_with_more_decimals_than_configspace_keeps_move_inwards():
    space = Space({"angle": Float(0.0, 2 * math.pi), "rate": Float(math.pi / 1000, math.e, log=True)})
    theirs = to_configspace(space)
    assert (theirs["angle"].lower, theirs["angle"].upper) == (0.0, 6.2831853071795)
    for configuration in theirs.sample_configuration(200):
        space.encode([from_configuration(configuration)])
    ends = {"angle": 2 * math.pi, "rate": math.pi / 1000}
    assert dict(to_configuration(ends, theirs)) == pytest.approx(ends, abs=1e-12)


@pytest.mark.parametrize("parameter", [Float(1.2e-13, 1e-3, log=True), Float(0.0, 1.25e-13)])
def test_bounds_that_rounding_would_move_far_are_refused(parameter):
    with pytest.raises(SpaceError, match="'x'.*13 decimals"):
        to_configspace({"x": parameter})

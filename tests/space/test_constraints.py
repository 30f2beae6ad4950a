import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.errors import SpaceError
from auger.space import Int, Space
from auger.space.constraints import Expression, holds, prepare

NAMES = ["a", "b", "mode", "shape", "flag"]


def rng():
    return np.random.default_rng(0)


# -- what an expression means -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "config", "expected"),
    [
        ("a + b <= 1", {"a": 0.5, "b": 0.5}, True),
        ("a + b <= 1", {"a": 0.5, "b": 0.6}, False),
        ("a * 8 <= b", {"a": 4, "b": 32}, True),
        ("b % a == 0", {"a": 5, "b": 32}, False),
        ("b // a - a / b == 2.75", {"a": 8, "b": 32}, False),
        ("b // a - a / b == 3.75", {"a": 8, "b": 32}, True),
        ("a ** 2 == 9", {"a": 3}, True),
        ("2 ** -1 == a", {"a": 0.5}, True),
        ("-a < 0", {"a": 3}, True),
        ("0 < a < b < 10", {"a": 1, "b": 2}, True),
        ("0 < a < b < 10", {"a": 2, "b": 2}, False),
        ("a != 1 and not b > 3", {"a": 2, "b": 3}, True),
        ("a == 1 or b == 1", {"a": 2, "b": 1}, True),
        ("not flag", {"flag": False}, True),
        ("flag", {"flag": True}, True),
        ("mode == 'wide'", {"mode": "wide"}, True),
        ("mode in ('wide', 'deep')", {"mode": "flat"}, False),
        ("mode not in ['wide', 'deep']", {"mode": "flat"}, True),
        ("'id' in mode", {"mode": "wide"}, True),
        ("shape == [3, 3]", {"shape": (3, 3)}, True),
        ("shape in [(3, 3), (5, 5)]", {"shape": (5, 5)}, True),
        ("mode == None", {"mode": None}, True),
        ("abs(a - b) < max(a, b, 1) - min(a, b)", {"a": 2, "b": 3}, False),
        ("a != 0 and b / a < 1", {"a": 0, "b": 1}, False),  # stops before it divides by zero
        ("a == 0 or b / a < 1", {"a": 0, "b": 1}, True),
        ("(a or b) <= 3", {"a": 0, "b": 5}, False),  # `or` gives its part, as in Python
        ("(a and b) <= 3", {"a": 1, "b": 5}, False),
        ("  a <= 1  ", {"a": 1}, True),
    ],
)
def test_an_expression_means_what_python_means(text, config, expected):
    assert Expression.parse(text, NAMES).holds(config) is expected


numbers = st.recursive(
    st.one_of(st.sampled_from(["a", "b", "c"]), st.integers(0, 9).map(str), st.sampled_from(["0.5", "2.25"])),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner).map("({0[0]} {0[1]} {0[2]})".format),
        inner.map("(-{})".format),
        inner.map("abs({})".format),
        st.tuples(inner, st.integers(0, 3)).map("({0[0]} ** {0[1]})".format),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map("{0[0]}({0[1]}, {0[2]})".format),
    ),
    max_leaves=6,
)
truths = st.recursive(
    st.one_of(
        st.tuples(numbers, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), numbers).map(" ".join),
        st.tuples(numbers, numbers, numbers).map("{0[0]} <= {0[1]} < {0[2]}".format),
        st.tuples(numbers, numbers, numbers).map("{0[0]} in ({0[1]}, {0[2]})".format),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map("({0[0]}) {0[1]} ({0[2]})".format),
        inner.map("not ({})".format),
    ),
    max_leaves=4,
)


@given(text=truths, values=st.tuples(*[st.integers(-3, 3)] * 3))
def test_an_expression_agrees_with_pythons_own_eval(text, values):
    config = dict(zip("abc", values, strict=True))
    expression = Expression.parse(text, ["a", "b", "c"])
    mentioned = {name: config[name] for name in expression.names}
    assert expression.names == set(re.findall(r"\b[abc]\b", text))
    try:
        expected = bool(eval(text, {}, dict(config)))
    except ZeroDivisionError:
        with pytest.raises(SpaceError, match="could not be evaluated"):
            expression.holds(mentioned)
    else:
        assert expression.holds(mentioned) is expected


def test_an_expression_about_an_inactive_parameter_is_satisfied():
    expression = Expression.parse("a <= 1 and b <= 1", NAMES)
    assert expression.holds({"a": 5})
    assert not expression.holds({"a": 5, "b": 0})


def test_a_parameter_may_be_called_like_a_function():
    assert Expression.parse("max(min, 2) <= 3", ["min"]).holds({"min": 3})


def test_an_expression_can_be_pickled():
    space = Space({"a": (0, 9), "b": (0, 9)}, constraints=["a + b <= 9"])
    again = pickle.loads(pickle.dumps(space))
    assert again.constraints == space.constraints
    np.testing.assert_array_equal(again.sample(50, rng()), space.sample(50, rng()))


# -- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("__import__('os').system('true') == 0", "__import__('os').system('true')"),
        ("__import__('os')", "__import__('os')"),
        ("eval('1') == a", "eval('1')"),
        ("pow(9, 9) == a", "pow(9, 9)"),
        ("a.real == 1", "a.real"),
        ("mode.upper() == 'X'", "mode.upper()"),
        ("shape[0] == 1", "shape[0]"),
        ("(lambda x: x)(a) == 1", "(lambda x: x)(a)"),
        ("(lambda x: x) == 1", "lambda x: x"),
        ("[x for x in shape] == a", "[x for x in shape]"),
        ("{a: 1} == b", "{a: 1}"),
        ("{a, b} == b", "{a, b}"),
        ("f'{a}' == mode", "f'{a}'"),
        ("(a := 3) == 3", "(a := 3)"),
        ("1 if a else b", "1 if a else b"),
        ("a is None", "a is None"),
        ("a & b == 1", "a & b"),
        ("a << b == 1", "a << b"),
        ("~a == 1", "~a"),
        ("+a == 1", "+a"),
        ("a @ b == 1", "a @ b"),
        ("max(*shape) == 1", "*shape"),
        ("max(a, key=abs) == 1", "max(a, key=abs)"),
        ("max(a, default=9) == 1", "max(a, default=9)"),
        ("1j == a", "1j"),
        ("b'x' == a", "b'x'"),
        ("... == a", "..."),
    ],
)
def test_anything_beyond_the_grammar_is_refused(text, piece):
    message = (
        f"Constraint {text!r} may use numbers, text, parameter names, arithmetic, comparisons, and/or/not, in, "
        f"abs, min and max. Got "
    )
    with pytest.raises(SpaceError, match=re.escape(message)) as caught:
        Expression.parse(text, NAMES)
    assert piece in str(caught.value).removeprefix(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a <=", "Constraint 'a <=' must be a Python expression such as 'a + b <= 1'. invalid syntax"),
        ("a = 1", "Constraint 'a = 1' must be a Python expression"),
        ("", "Constraint '' must be a Python expression"),
        ("import os", "Constraint 'import os' must be a Python expression"),
        ("a\0b", "must be a Python expression"),
        ("width <= 1", "Constraint 'width <= 1' names 'width', which is not a parameter. Known: 'a', 'b'"),
        ("mod == 'x'", "names 'mod', which is not a parameter. Did you mean 'mode'? Known: 'a'"),
        ("min <= 3", "Constraint 'min <= 3' names 'min', which is not a parameter."),
        ("a <= 1, b <= 2", "Constraint 'a <= 1, b <= 2' must be true or false, such as 'a + b <= 1' or"),
        ("a + b", "Constraint 'a + b' must be true or false"),
        ("max(a, b)", "Constraint 'max(a, b)' must be true or false"),
        ("1", "Constraint '1' must be true or false"),
    ],
)
def test_a_malformed_expression_is_refused_with_its_reason(text, message):
    with pytest.raises(SpaceError, match=re.escape(message)):
        Expression.parse(text, NAMES)


@pytest.mark.parametrize("text", ["-" * 5000 + "a < 1", "+".join(["a"] * 5000) + "< 1", "(" * 500 + "a" + ")" * 500])
def test_an_expression_nested_too_deep_is_refused(text):
    with pytest.raises(SpaceError, match="must be a Python expression"):
        Expression.parse(text, NAMES)


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("9 ** 9 ** 9 > a", {"a": 1}),
        ("a ** b ** b > 1", {"a": 9, "b": 9}),
        ("'x' * 10000000000 == mode", {"mode": "x"}),
        ("(1, 2) * 10000000000 == shape", {"shape": (1, 2)}),
        ("'%9999999999d' % a == mode", {"a": 1, "mode": "x"}),
        ("mode + mode == 'xx'", {"mode": "x"}),
        ("a / b > 1", {"a": 1, "b": 0}),
        ("a % b > 1", {"a": 1, "b": 0}),
        ("a < mode", {"a": 1, "mode": "x"}),
        ("a in b", {"a": 1, "b": 2}),
        ("(-8) ** 0.5 < a", {"a": 1}),
        ("min() < a", {"a": 1}),
    ],
)
def test_an_expression_that_cannot_be_evaluated_says_so_at_once(text, config):
    expression = Expression.parse(text, NAMES)
    message = f"Constraint {text!r} could not be evaluated for {config!r}: "
    with pytest.raises(SpaceError, match=re.escape(message)):
        expression.holds(config)


# -- functions ----------------------------------------------------------------------------------------------


def test_a_function_sees_the_config_and_decides():
    def narrow(config):
        return config["a"] < config["b"]

    mask = holds(prepare(narrow, NAMES), [{"a": 1, "b": 2}, {"a": 2, "b": 1}])
    assert mask.tolist() == [True, False]


def test_a_function_may_answer_with_a_numpy_truth():
    assert holds(lambda config: np.float64(1) < 2, [{}]).tolist() == [True]


def test_a_function_cannot_change_the_config():
    config = {"a": 1}
    holds(lambda config: config.pop("a") == 1, [config])
    assert config == {"a": 1}


def test_a_function_that_raises_is_named_with_the_config():
    def narrow(config):
        return config["b"] < 1

    message = "Constraint narrow raised KeyError for {'a': 1}: 'b'. Inactive parameters are missing from the config"
    with pytest.raises(SpaceError, match=re.escape(message)):
        holds(narrow, [{"a": 1}])


@pytest.mark.parametrize("answer", [None, 1, 0.5, "yes", np.array([True, False])])
def test_a_function_must_answer_with_a_truth(answer):
    def narrow(config):
        return answer

    with pytest.raises(SpaceError, match=re.escape("Constraint narrow must return True or False. Got ")):
        holds(narrow, [{"a": 1}])


@pytest.mark.parametrize("constraint", [5, None, {"a": 1}])
def test_a_constraint_must_be_an_expression_or_a_function(constraint):
    message = f"A constraint must be an expression (str) or a function of a config. Got {constraint!r}."
    with pytest.raises(SpaceError, match=re.escape(message)):
        prepare(constraint, NAMES)


def test_no_config_at_all_is_no_problem():
    assert holds(Expression.parse("a < 1", NAMES), []).shape == (0,)


def test_a_constraint_in_a_conditional_space_applies_only_where_its_parameters_are_active():
    space = Space({"kind": ["x", "y"], "n": Int(1, 9, when={"kind": "y"})}, constraints=["n <= 3"])
    X = space.enumerate()
    assert space.decode(X) == [{"kind": "x"}, *({"kind": "y", "n": n} for n in (1, 2, 3))]

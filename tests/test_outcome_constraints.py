"""Limits of reported numbers, as users write them."""

import math
import re

import pytest

from auger.errors import ObjectiveError
from auger.outcome_constraints import OutcomeConstraint, as_outcome_constraints


@pytest.mark.parametrize(
    ("written", "limits"),
    [
        ("<= 512", [OutcomeConstraint("a", True, 512.0)]),
        (">=1e-3", [OutcomeConstraint("a", False, 1e-3)]),
        (" <=  -2 ", [OutcomeConstraint("a", True, -2.0)]),
        ([">= 1", "<= 60"], [OutcomeConstraint("a", False, 1.0), OutcomeConstraint("a", True, 60.0)]),
    ],
)
def test_a_limit_is_read_as_it_is_written(written, limits):
    assert list(as_outcome_constraints({"a": written})) == limits
    assert as_outcome_constraints(None) == as_outcome_constraints({}) == ()


@pytest.mark.parametrize(
    ("limit", "value", "constraint"),
    [
        (OutcomeConstraint("a", True, 2.0), 3.0, 1.0),
        (OutcomeConstraint("a", True, 2.0), 2.0, 0.0),
        (OutcomeConstraint("a", False, 2.0), 3.0, -1.0),
        (OutcomeConstraint("a", False, 2.0), -math.inf, math.inf),
        (OutcomeConstraint("a", True, 2.0), -math.inf, -math.inf),
        (OutcomeConstraint("a", False, 2.0), math.nan, math.inf),
    ],
)
def test_a_constraint_is_at_most_0_within_the_limit(limit, value, constraint):
    assert limit.excess(value) == constraint


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("a <= 3", "`constraints` must be a dict of names and limits, such as {'seconds': '<= 60'}. Got 'a <= 3'."),
        (["<= 3"], "must be a dict of names and limits"),
        ({"": "<= 3"}, "A name in `constraints` must be a text that is not empty. Got ''."),
        ({3: "<= 3"}, "A name in `constraints` must be a text that is not empty. Got 3."),
        ({"a": "< 3"}, "The limit of 'a' must be a text such as '<= 512' or '>= 0.9'. Got '< 3'."),
        ({"a": 3}, "Got 3."),
        ({"a": "<= much"}, "Got '<= much'."),
        ({"a": "<= inf"}, "Got '<= inf'."),
        ({"a": "<="}, "Got '<='."),
        ({"a": ["<= 3", "= 2"]}, "Got '= 2'."),
        (
            {"b": "<= 1", "a": ["<= 10", ">= 20"]},
            "The limits of 'a' must leave a number that satisfies them all. Got '<= 10' and '>= 20'.",
        ),
        ({"a": [">= 2", "<= 9", ">= 5", "<= 4.5"]}, "Got '<= 4.5' and '>= 5'."),
    ],
)
def test_a_wrong_limit_is_refused(limits, message):
    with pytest.raises(ObjectiveError, match=re.escape(message)):
        as_outcome_constraints(limits)


def test_limits_that_a_single_number_satisfies_are_taken():
    low, high = as_outcome_constraints({"a": [">= 3", "<= 3"]})
    assert low.excess(3.0) == high.excess(3.0) == 0.0

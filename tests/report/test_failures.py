import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.report.failures import failures
from auger.text.causes import UNKNOWN, cause
from auger.trial import State, Trial


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("exit code 137", "exit code 137"),
        ("exit code -9: killed after 12 s", "exit code -9: killed after # s"),
        ("loss 1.5e-3 is above 2,000", "loss # is above #"),
        ("step 3: nan", "step #: nan"),
        ("conv2d of float32 got 12 channels", "conv2d of float32 got # channels"),
        ("at 0x7f3A in a3f09c12-11aa-22bb-33cc-0123456789ab", "at # in #"),
        ("12:30:05 timed out\n  in line 7", "# timed out in line #"),
        ("", UNKNOWN),
        ("  \n", UNKNOWN),
        ("42", "#"),
    ],
)
def test_the_cause_of_an_error_has_no_numbers_but_those_that_say_what_happened(error, expected):
    assert cause(error) == expected


@given(numbers=st.lists(st.integers(0, 10**9), min_size=1, max_size=8))
def test_errors_that_differ_in_numbers_only_are_one_group(numbers):
    errors = [f"tensor of {number} values, want 3" for number in numbers]
    trials = [Trial(i, {}, State.FAILED, error=error) for i, error in enumerate(errors)]
    (group,) = failures(trials)
    assert group.trials == tuple(trials) and group.cause == "tensor of # values, want #"


def test_groups_come_by_how_many_they_are_then_by_age_and_states_are_told_apart():
    states = ["failed", "complete", "died", "failed", "stopped", "failed", "pruned"]
    errors = ["b 1", "", "b 1", "a 2", "b 1", "a 3", ""]
    groups = failures(
        Trial(i, {}, state, 1.0 if state == "complete" else (), error=error)
        for i, (state, error) in enumerate(zip(states, errors, strict=True))
    )
    assert [(group.state, group.cause, [trial.number for trial in group.trials]) for group in groups] == [
        ("failed", "a #", [3, 5]),
        ("failed", "b #", [0]),
        ("died", "b #", [2]),
        ("stopped", "b #", [4]),
    ]


@given(error=st.text())
def test_any_text_has_a_cause_on_one_line(error):
    assert cause(error) and "\n" not in cause(error)

"""Whether the last number is the one that is meant."""

import pytest

from auger.studies.definition import ValueRule
from auger.studies.definition.doubts import doubt
from auger.studies.definition.value_rules import last_reading


@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("loss 0.2\nDone in 3.2 s", "0.2"),
        ("epoch 9 val_loss=0.25, time 3.2 s", "0.25"),
        ("Accuracy: 0.91\nSaved to run 17\n", "0.91"),
        ("The error is -1.5e-3.\nwall time 12", "-1.5e-3"),
        ("loss: 0.5 (best at epoch 12)", "12"),
        ("score 0.5\nscore 0.7\nmemory 812 MB", "0.7"),
        ("Mean +- std dev: 8.12 us +- 0.25 us", "8.12"),
    ],
)
def test_a_number_behind_the_result_is_doubted_unless_it_has_a_name_itself(output, named):
    found = doubt(output, ValueRule())
    if named == last_reading(output, ValueRule()).raw:
        assert found is None
        return
    assert found.named.raw == named and found.read == last_reading(output, ValueRule())
    assert last_reading(output, ValueRule("regex", pattern=found.pattern)) == found.named


@pytest.mark.parametrize(
    "output", ["", "done", "3.2", "loss 0.2\n3.2\n", "took 3.2 s\nloss 0.2", "time 3.2 s", "across 3"]
)
def test_a_number_that_is_alone_or_named_is_not_doubted(output):
    assert doubt(output, ValueRule()) is None


def test_another_rule_is_not_doubted():
    assert doubt("loss 0.2\ndone 3", ValueRule("regex", pattern="done (.*)")) is None

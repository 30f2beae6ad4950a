"""Values that are probably not what is meant: said once."""

import json

import pytest
from support.command_line import inside, write_study

from auger.studies.pool.value_checks import N_SETTINGS

HINT = "different settings so far had exactly the same value, 3.2."


def test_values_that_are_all_equal_are_noticed_once(tmp_path):
    write_study(tmp_path, trials=8, script="echo loss $1; echo done in 3.2 s")
    run = inside("tune", "small.toml", cwd=tmp_path)
    assert run.stderr.count(f"All {N_SETTINGS} {HINT}") == 1 == run.stderr.count("exactly the same value")
    assert "auger try" in run.stderr


def test_the_trials_of_an_earlier_run_count(tmp_path):
    write_study(tmp_path, trials=3, script="echo 3.2")
    assert "exactly the same" not in inside("tune", "small.toml", cwd=tmp_path).stderr
    events = inside("tune", "small.toml", "--trials", 6, "--json", cwd=tmp_path).stdout.splitlines()
    told = [event for event in map(json.loads, events) if event["event"] == "values_equal"]
    assert told == [{"event": "values_equal", "value": 3.2, "settings": N_SETTINGS, "values": {"value": 3.2}}]


@pytest.mark.parametrize("script", ["echo $1", 'test "$2" = "a b" && echo 3.2 || echo 3.3', "exit 1"])
def test_values_that_differ_once_are_not_mentioned(tmp_path, script):
    write_study(tmp_path, trials=8, script=script)
    assert "exactly the same" not in inside("tune", "small.toml", cwd=tmp_path).stderr


def test_a_first_value_that_is_probably_not_the_loss_is_doubted_once_with_the_remedy(tmp_path):
    write_study(tmp_path, trials=4, script="echo loss $1; echo Done in 3.$AUGER_TRIAL s")
    run = inside("tune", "small.toml", cwd=tmp_path)
    assert run.stderr.count("is 3.0 the value? It is the last number, in the line 'Done in 3.0 s'.") == 1
    assert "'loss 0." in run.stderr and "--fresh and the pattern 'loss (\\S+)'" in run.stderr
    again = inside("tune", "small.toml", "--trials", 6, cwd=tmp_path)
    assert "is 3." not in again.stderr


def test_a_doubt_is_an_event_for_programs(tmp_path):
    write_study(tmp_path, trials=1, script="echo loss 0.5; echo Done in 3 s")
    events = [json.loads(line) for line in inside("tune", "small.toml", "--json", cwd=tmp_path).stdout.splitlines()]
    (doubted,) = [event for event in events if event["event"] == "value_doubted"]
    assert (doubted["read"], doubted["named"], doubted["named_line"]) == ("3", "0.5", "loss 0.5")
    assert doubted["pattern"] == "loss (\\S+)"

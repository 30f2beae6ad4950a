"""Different settings with exactly the same value: said once."""

import json

import pytest
from support.command_line import inside, write_study

from auger.studies.pool.equal_values import N_SETTINGS

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
    assert told == [{"event": "values_equal", "value": 3.2, "settings": N_SETTINGS}]


@pytest.mark.parametrize("script", ["echo $1", 'test "$2" = "a b" && echo 3.2 || echo 3.3', "exit 1"])
def test_values_that_differ_once_are_not_mentioned(tmp_path, script):
    write_study(tmp_path, trials=8, script=script)
    assert "exactly the same" not in inside("tune", "small.toml", cwd=tmp_path).stderr

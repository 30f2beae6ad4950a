"""Searchers that version 0.1 saved are restored and go on. See tests/data/version_0_1/README.md."""

import json
import sys
from pathlib import Path

import pytest

from auger.hosts.ray import AugerSearch

FILES = Path(__file__).parents[2] / "data" / "version_0_1"
EXPECTED = json.loads((FILES / "expected.json").read_text())

# The third holds bytecode of the Python that wrote it.
NAMES = ["ray-domains", "ray-space", *(["ray-constraints"] if sys.version_info[:2] == (3, 11) else [])]


def restored(name):
    searcher = AugerSearch()
    searcher.restore(str(FILES / f"{name}.json"))
    return searcher


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_searcher_is_restored_with_its_trials_and_goes_on(name):
    searcher, expected = restored(name), EXPECTED[f"{name}.json"]
    # the trials inside, whose values are minimized: version 0.1 showed no others
    for trial, was in zip(searcher.optimizer.history, expected["trials"], strict=True):
        assert (trial.state.value, trial.origin.value, trial.reason) == (was["state"], was["origin"], was["reason"])
        assert trial.value == was["value"]
        assert [list(pair) for pair in trial.intermediate_values] == was["intermediate"]
    assert searcher.suggest("running") == expected["running"]
    # not what version 0.1 would have suggested: `auto` stays inside the bounds since; the same in every process
    again = restored(name)
    again.suggest("running")
    suggested = searcher.suggest("next0")
    assert suggested == again.suggest("next0") and suggested.keys() == expected["next"][0].keys()

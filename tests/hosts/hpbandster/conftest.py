"""HpBandSter needs an environment of its own (docs/hpbandster.md); in others these tests are not there."""

from importlib import util
from pathlib import Path

import pytest

if util.find_spec("hpbandster") is None:
    collect_ignore_glob = ["test_*.py"]


def pytest_collection_modifyitems(items):
    """Pyro4 uses a name that Python has deprecated, in threads that would die of it."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:isSet:DeprecationWarning"))

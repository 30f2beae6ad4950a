"""HpBandSter needs an environment of its own (docs/hpbandster.md); in others these tests are not there."""

from importlib import util

IS_HERE = util.find_spec("hpbandster") is not None

if not IS_HERE:
    collect_ignore_glob = ["test_*.py"]


def pytest_configure(config):
    """Pyro4 uses a deprecated name, in threads that would die of it, and leaves sockets to the garbage collector."""
    if IS_HERE:
        config.addinivalue_line("filterwarnings", "ignore:isSet:DeprecationWarning")
        config.addinivalue_line("filterwarnings", "ignore:unclosed <socket:ResourceWarning")

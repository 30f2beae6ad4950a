import pytest

from auger.hosts import versions
from auger.hosts.versions import HostError, check_host

RANGES = (("0.7.1", "0.8"), ("1.2", "2"))


@pytest.fixture
def installed(monkeypatch):
    """Say which version is there, which an environment cannot change in the middle of a test."""
    return lambda version: monkeypatch.setattr(versions, "_installed", lambda distribution: version)


@pytest.mark.parametrize("version", ["0.7.1", "0.7.9", "1.2", "1.2.0rc1", "1.10.3"])
def test_a_version_in_a_range_is_fine(installed, version):
    installed(version)
    check_host("ConfigSpace", RANGES, "configspace")


@pytest.mark.parametrize("version", ["0.7.0", "0.8", "1.1.9", "2.0.0", "unknown"])
def test_a_version_outside_is_named_with_the_ranges_and_what_installs_one(installed, version):
    installed(version)
    wanted = rf"ConfigSpace from 0.7.1 and below 0.8 or from 1.2 and below 2. Got {version}. .*\"auger\[configspace\]\""
    with pytest.raises(HostError, match=wanted):
        check_host("ConfigSpace", RANGES, "configspace")


def test_a_missing_host_is_named_with_what_installs_it():
    with pytest.raises(ImportError, match=r'`auger.hosts.ray` needs no-such-host.*pip install "auger\[ray\]"'):
        check_host("no-such-host", (("2.40", "3"),), "ray")


def test_a_host_that_comes_with_auger_is_installed_by_its_own_name(installed):
    installed("1.5.2")
    with pytest.raises(ImportError, match='pip install "scikit-learn>=1.6.1"'):
        check_host("scikit-learn", (("1.6.1", "2"),), "sklearn")

"""Translates the spaces and configurations of ConfigSpace to ours, and ours to ConfigSpace's."""

from auger.hosts.versions import check_host

# HpBandSter runs on 0.7; the versions in between have another interface
check_host("ConfigSpace", (("0.7.1", "0.8"), ("1.2", "2")), "configspace")

from auger.hosts.configspace.configurations import from_configuration, to_configuration  # noqa: E402
from auger.hosts.configspace.reading import from_configspace  # noqa: E402
from auger.hosts.configspace.writing import to_configspace  # noqa: E402

__all__ = ["from_configspace", "from_configuration", "to_configspace", "to_configuration"]

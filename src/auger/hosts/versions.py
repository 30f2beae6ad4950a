"""Checks, when an adapter is imported, that its host is installed in a version that the adapter supports."""

from __future__ import annotations

import re
from importlib import metadata

from auger.errors import AugerError

# Hosts that come with auger itself have no extra.
_EXTRAS = ("configspace", "hpbandster", "ray")


class HostError(AugerError, ImportError):
    """A host that is not installed, or not in a version that its adapter supports. The message says what to run."""


def check_host(distribution: str, ranges: tuple[tuple[str, str], ...], extra: str) -> None:
    """Raise a HostError unless a supported version is installed.

    Args:
        distribution: the name of the host for `pip`.
        ranges: the versions that the adapter supports, each from the first (included) to the second (excluded).
        extra: the name of the adapter, and of our extra that installs the host.
    """
    wanted = f"auger[{extra}]" if extra in _EXTRAS else f"{distribution}>={ranges[0][0]}"
    install = f'Install it with: pip install "{wanted}"'
    installed = _installed(distribution)
    if installed is None:
        raise HostError(f"`auger.hosts.{extra}` needs {distribution}, which is not installed. {install}")
    if not any(_parts(low) <= _parts(installed) < _parts(high) for low, high in ranges):
        supported = " or ".join(f"from {low} and below {high}" for low, high in ranges)
        raise HostError(f"`auger.hosts.{extra}` needs {distribution} {supported}. Got {installed}. {install}")


def _installed(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _parts(version: str) -> tuple[int, ...]:
    """The numbers a version begins with: 1.2.0rc1 counts as 1.2.0."""
    digits = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, digits.group().split("."))) if digits else ()

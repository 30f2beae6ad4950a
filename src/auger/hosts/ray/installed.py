"""Whether Ray is there, in a version that we know."""

from __future__ import annotations

import importlib.util
from importlib.metadata import PackageNotFoundError, version

from auger.errors import AugerError

#: From the first to before the second: Searcher and the search space API are what we have read and tested.
SUPPORTED = ((2, 40), (3, 0))


class RayMissingError(AugerError, ImportError):
    """Ray Tune is not installed, or in a version that we do not know."""


def check_ray() -> None:
    """Say how to install Ray Tune where it is missing, or in a version that was never tried."""
    if importlib.util.find_spec("ray") is None or importlib.util.find_spec("ray.tune") is None:
        raise RayMissingError('auger.hosts.ray needs Ray Tune. Install it with: pip install "auger[ray]"')
    try:
        found = version("ray")
    except PackageNotFoundError:  # built from source, without metadata
        return
    check_version(found)


def check_version(found: str) -> None:
    """Refuse a version outside of the range.

    Example:
        >>> check_version("2.60.0")
    """
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    least, below = SUPPORTED
    if not least <= numbers < below:
        low, high = (".".join(map(str, each)) for each in SUPPORTED)
        raise RayMissingError(
            f'auger.hosts.ray works with Ray from {low} to before {high}. Got {found}; pip install "auger[ray]"'
        )

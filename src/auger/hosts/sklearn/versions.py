"""Which scikit-learn this works with."""

from __future__ import annotations

import re

import sklearn

_OLDEST = (1, 6, 1)


def check_version(version: str = sklearn.__version__) -> None:
    """Refuse a scikit-learn that is too old, with what to install.

    Example:
        >>> check_version("1.6.1")
    """
    if tuple(map(int, re.findall(r"\d+", version)[:3])) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise ImportError(
            f"auger.hosts.sklearn needs scikit-learn {oldest} or newer. Got {version}. "
            f'Install it with: pip install "scikit-learn>={oldest}"'
        )

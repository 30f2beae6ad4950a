"""What counts as a number where input enters: Python's and NumPy's, never a boolean."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from auger.errors import AugerError


def is_number(value: Any) -> bool:
    """Whether it is one real number; NaN and infinity are."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number by type: 3.0 is not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_whole(value: Any, least: int, name: str, error: Callable[[str], Exception] = ValueError) -> int:
    """The value as an int, or an ``error`` about ``name`` unless it is a whole number of at least ``least``."""
    if not is_whole(value) or value < least:
        raise error(f"{name} must be a whole number of at least {least}. Got {value!r}.")
    return int(value)


def check_seed(seed: Any) -> int:
    """The seed as an int; None draws one."""
    return secrets.randbits(32) if seed is None else check_whole(seed, 0, "`seed`")


def check_settings(owner: object, error: type[AugerError], **least: int) -> None:
    """Refuse attributes of ``owner`` that are not whole numbers of at least the given ones."""
    owner_name = type(owner).__name__
    article = "an" if owner_name[0] in ("FHLMNRSX" if owner_name.isupper() else "AEIO") else "a"
    for name, smallest in least.items():
        check_whole(getattr(owner, name), smallest, f"`{name}` of {article} {owner_name}", error)

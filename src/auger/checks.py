"""What counts as a number at the door: Python's and NumPy's, never a boolean."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from auger.errors import AugerError


def is_number(value: Any) -> bool:
    """Whether it is one real number; NaN and infinity are."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number by type: 3.0 is not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_seed(seed: Any) -> int:
    """The seed as an int; None draws one."""
    if seed is None:
        return secrets.randbits(32)
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"`seed` must be a whole number >= 0, or None. Got {seed!r}.")
    return int(seed)


def check_settings(owner: object, error: type[AugerError], **least: int) -> None:
    """Refuse attributes of ``owner`` that are not whole numbers of at least the given ones."""
    kind = type(owner).__name__
    article = "an" if kind[0] in "AEIO" else "a"
    for name, smallest in least.items():
        value = getattr(owner, name)
        if not is_whole(value) or value < smallest:
            raise error(f"`{name}` of {article} {kind} must be a whole number of at least {smallest}. Got {value!r}.")

"""What counts as a number at the door: Python's and NumPy's, never a boolean."""

from __future__ import annotations

from typing import Any

import numpy as np

from auger.errors import AugerError


def is_number(value: Any) -> bool:
    """Whether it is one real number; NaN and infinity are."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number by type: 3.0 is not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_settings(owner: object, error: type[AugerError], **least: int) -> None:
    """Refuse attributes of ``owner`` that are not whole numbers of at least the given ones."""
    kind = type(owner).__name__
    article = "an" if kind[0] in "AEIO" else "a"
    for name, smallest in least.items():
        value = getattr(owner, name)
        if not is_whole(value) or value < smallest:
            raise error(f"`{name}` of {article} {kind} must be a whole number of at least {smallest}. Got {value!r}.")

"""What counts as a number, and as JSON, where input enters: Python's and NumPy's numbers, never a boolean."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from auger.errors import AugerError

# The largest step of an intermediate value that all storages keep: a database has 32 bits for it.
LARGEST_STEP = 2**31 - 1


def is_number(value: Any) -> bool:
    """Whether it is one real number; NaN and infinity are."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def unwrapped(value: Any) -> Any:
    """The number inside an array or tensor with one element, of NumPy or another library; anything else as it is.

    Example:
        >>> unwrapped(np.array([[0.5]])), unwrapped("0.5"), unwrapped([0.5])
        (0.5, '0.5', [0.5])
    """
    if isinstance(value, (int, float, str, list, tuple, Mapping)) or not callable(getattr(value, "item", None)):
        return value
    try:
        return value.item()  # refused by arrays with more or fewer elements
    except Exception:
        return value


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


def json_value(value: Any, name: str, error: Callable[[str], Exception] = ValueError) -> Any:
    """A copy of the value in the types of JSON, or an ``error`` about ``name``.

    Tuples become lists, and NumPy's numbers and arrays Python's numbers and lists. NaN and infinity are allowed.

    Example:
        >>> json_value({"shape": (2, np.int64(3))}, "attribute")
        {'shape': [2, 3]}
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    value = unwrapped(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [json_value(item, name, error) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: json_value(item, name, error) for key, item in value.items()}
    raise error(
        f"{name} must be text, a number, a boolean, None, or lists and dicts of these, with texts as keys. "
        f"Got {value!r} ({type(value).__name__})."
    )


def check_settings(owner: object, error: type[AugerError], **least: int) -> None:
    """Refuse attributes of ``owner`` that are not whole numbers of at least the given ones."""
    owner_name = type(owner).__name__
    article = "an" if owner_name[0] in ("FHLMNRSX" if owner_name.isupper() else "AEIO") else "a"
    for name, smallest in least.items():
        check_whole(getattr(owner, name), smallest, f"`{name}` of {article} {owner_name}", error)

"""Checks of the keys of a study file. Each raises a StudyError about ``key``, such as ``"study.direction"``."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from auger.characters import is_shown
from auger.checks import is_number, is_whole
from auger.errors import StudyError, nearest
from auger.text import toml_value


def check_choice(value: Any, choices: Collection[str], key: str) -> None:
    """Refuse what is not one of the choices; the message lists them."""
    if not isinstance(value, str) or value not in choices:
        raise StudyError(f"unknown value {toml_value(value)}. {nearest(value, choices)}", key)


def check_count(value: Any, least: int, key: str) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if not is_whole(value) or value < least:
        raise StudyError(f"must be a whole number of at least {least}. Got {toml_value(value)}.", key)


def check_seconds(value: Any, key: str) -> None:
    """Refuse what is not a number of seconds above 0, or None for no limit."""
    if value is not None and not (is_number(value) and 0 < value < math.inf):
        raise StudyError(f"must be a number of seconds above 0. Got {toml_value(value)}.", key)


def check_bytes(value: Any, key: str) -> None:
    """Refuse what is not a number of bytes above 0, or None for no limit."""
    if value is not None and not (is_whole(value) and value > 0):
        raise StudyError(f"must be a number of bytes above 0. Got {toml_value(value)}.", key)


def check_parameter_name(name: str, key: str | None = None) -> None:
    """Refuse a name that cannot be seen whole; a stored study may have one, and it is shown with escapes."""
    if not is_shown(name):
        raise StudyError(f"the name of a parameter must be printable text. Got {toml_value(name)}.", key)


def check_text(value: Any, key: str) -> None:
    """Refuse what is not text, and a zero byte, which no path and no argument can hold."""
    if not isinstance(value, str):
        raise StudyError(f"must be text in quotes. Got {toml_value(value)}.", key)
    if "\0" in value:
        raise StudyError(f"must not hold a zero byte. Got {toml_value(value)}.", key)

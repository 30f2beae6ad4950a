"""What a key of a study file must be; each check raises a StudyError about its place."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from auger.checks import is_number, is_whole
from auger.errors import StudyError, nearest


def check_choice(value: Any, known: Collection[str], place: str) -> None:
    """It must be one of the known words."""
    if not isinstance(value, str) or value not in known:
        raise StudyError(f"must be one of the known ones. Got {value!r}. {nearest(value, known)}", place)


def check_whole(value: Any, least: int, place: str) -> None:
    """It must be a whole number."""
    if not is_whole(value) or value < least:
        raise StudyError(f"must be a whole number of at least {least}. Got {value!r}.", place)


def check_seconds(value: Any, place: str) -> None:
    """It must be a time, or None for no limit."""
    if value is not None and not (is_number(value) and 0 < value < math.inf):
        raise StudyError(f"must be a number of seconds above 0. Got {value!r}.", place)


def check_text(value: Any, place: str) -> None:
    """It must be text."""
    if not isinstance(value, str):
        raise StudyError(f"must be text in quotes. Got {value!r}.", place)

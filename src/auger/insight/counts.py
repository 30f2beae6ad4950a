"""Numbers of things that a caller asks for."""

from __future__ import annotations

from typing import Any

from auger.checks import is_whole
from auger.errors import AugerError


def check_count(value: Any, what: str) -> None:
    """Refuse what is no whole number from 1 on; ``what`` is the name it goes by."""
    if not is_whole(value) or value < 1:
        raise AugerError(f"{what} must be a whole number, at least 1. Got {value!r}.")

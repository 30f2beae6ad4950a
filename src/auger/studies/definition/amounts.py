"""Times and sizes as people write them: ``"90s"``, ``"1h30m"``, ``"2GB"``."""

from __future__ import annotations

import math
import re
from typing import Any

from auger.checks import is_number
from auger.errors import StudyError
from auger.text import toml_value

_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {
    "B": 1,
    **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", start=1)},
    **{f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", start=1)},
}
_TIME = re.compile(r"(?:\d+(?:\.\d*)?\s*(?:s|min|m|h|d)\s*)+")
_TIME_PART = re.compile(r"(\d+(?:\.\d*)?)\s*(s|min|m|h|d)")
_SIZE = re.compile(r"(\d+(?:\.\d*)?)\s*([KMGT]?i?B)", re.IGNORECASE)


def seconds(amount: Any) -> float:
    """Read a time: a number of seconds, or text with units d, h, m (or min) and s.

    Example:
        >>> seconds("1h30m"), seconds("90 s"), seconds(0.5)
        (5400.0, 90.0, 0.5)
    """
    total = float(amount) if is_number(amount) else math.nan
    if isinstance(amount, str) and _TIME.fullmatch(amount.strip()):
        total = sum(float(number) * _SECONDS[unit] for number, unit in _TIME_PART.findall(amount))
    if not 0 < total < math.inf:
        raise StudyError(
            f"must be a time above 0 such as '90s', '1h30m' or a number of seconds. Got {toml_value(amount)}."
        )
    return total


def size(amount: Any) -> int:
    """Read a size: a number of bytes, or text with a unit. KB, MB, GB, TB are powers of 1000; KiB ... of 1024.

    Example:
        >>> size("2GB"), size("1.5 GiB"), size(4096)
        (2000000000, 1610612736, 4096)
    """
    total = float(amount) if is_number(amount) else math.nan
    if isinstance(amount, str) and (match := _SIZE.fullmatch(amount.strip())):
        total = float(match[1]) * _BYTES.get(match[2].upper(), math.nan)
    if not 1 <= total < 2**62:
        raise StudyError(
            f"must be a size such as '500MB', '2GB', '2GiB' or a number of bytes. Got {toml_value(amount)}."
        )
    return int(total)

"""Which options of a program are worth tuning, and in which range: guesses by their names and defaults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auger.studies.draft.options import HelpOption

# Names of options that change what is done, or how it is shown, rather than how well.
_NOT_TUNED = (
    r"seed|random_?state|port|host|gpus?|devices?|cuda|rank|workers?|threads?|jobs?|proc|n?cpus?|cores?|verbos\w*"
)
_NOT_TUNED += r"|quiet|debug|log\w*|print\w*|interval|save\w*|freq\w*|version|timeout|columns?|width_of|repeat|indent"
_COSTS = r"epochs?|iter\w*|max_?iter\w*|steps|rounds|budget|n_?samples|trials|runs"
_LOGARITHMIC = r"lr|rate|eta|alpha|lambda|decay|wd|l1|l2|reg\w*|c|gamma|tol\w*|eps\w*|noise|sigma|temperature|scale"
_AT_MOST_ONE = r"lr|rate|eta|step_size"
# Shares between 0 and 1, and the highest value that makes sense.
_SHARES = {
    r"dropout": 0.8,
    r"momentum": 0.99,
    r"beta_?\d?": 0.999,
    r"(sub|col)\w*sample\w*|fraction|ratio|share|prob\w*|p": 1.0,
}


@dataclass(frozen=True)
class Guess:
    """What to do with an option.

    Attributes:
        option: of the program.
        parameter: its table in [space]; None where it is left out.
        default: a value of the parameter; None where the help tells none.
        why_not: why it is left out; empty where it is not.
        lacks_default: whether it is left out because the help shows neither choices nor a default.
    """

    option: HelpOption
    parameter: dict[str, Any] | None = None
    default: Any = None
    why_not: str = ""
    lacks_default: bool = False


def guesses_of(options: Sequence[HelpOption], words: Sequence[str]) -> list[Guess]:
    """A guess about each option that the words of the command do not hold already."""
    flags = {word.partition("=")[0] for word in words}
    return [guess(option) for option in options if not flags.intersection(option.flags)]


def guess(option: HelpOption) -> Guess:
    """A range for an option, or why there is none.

    Example:
        >>> guess(HelpOption(("--lr",), "LR", default=0.01)).parameter
        {'type': 'float', 'low': 0.0001, 'high': 1.0, 'log': True}
        >>> guess(HelpOption(("--seed",), "N", default=0)).why_not
        'it does not sound like a setting of quality'
    """
    if _is_named(option, _NOT_TUNED):
        return Guess(option, why_not="it does not sound like a setting of quality")
    if len(option.choices) > 1:
        return _of_choices(option)
    if option.is_level:
        default = f"-{option.default}"
        levels = {"type": "ordinal", "choices": list(option.flags)}
        return Guess(option, levels, default if default in option.flags else None)
    if _is_pair(option):
        default = f"--{option.default}"
        pair = {"type": "categorical", "choices": list(option.flags)}
        return Guess(option, pair, default if default in option.flags else None)
    if not option.metavar:
        return Guess(option, why_not="it is a switch")
    if option.limits is not None:
        return _of_limits(option)
    if not option.is_number:
        why_not = "its help names no choices and no number as its default"
        return Guess(option, why_not=why_not, lacks_default=option.default is None)
    if _is_named(option, _COSTS):
        return Guess(option, why_not="it sounds like a budget: more of it costs more")
    return (
        _of_whole_number(option) if isinstance(option.default, int) else _of_number(option, float(option.default or 0))
    )


def _is_named(option: HelpOption, pattern: str) -> bool:
    """Whether the name of an option, or a word of it, matches."""
    words = [option.name.lower(), *option.name.lower().split("_")]
    return any(re.fullmatch(pattern, word) for word in words)


def _is_pair(option: HelpOption) -> bool:
    """Whether it is a switch with a counterpart: --cache and --no-cache."""
    if option.metavar or len(option.flags) != 2:
        return False
    first, second = option.flags
    return second == f"--no-{first[2:]}" or second == f"--no{first[2:]}"


def _of_choices(option: HelpOption) -> Guess:
    numbers = [_as_number(choice) for choice in option.choices]
    is_ordered = None not in numbers and numbers == sorted(number for number in numbers if number is not None)
    choices: list[Any] = numbers if is_ordered else list(option.choices)
    default = option.default if option.default in choices else None
    return Guess(option, {"type": "ordinal" if is_ordered else "categorical", "choices": choices}, default)


def _as_number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _of_limits(option: HelpOption) -> Guess:
    assert option.limits is not None
    low, high = option.limits
    is_whole = isinstance(low, int) and isinstance(high, int) and "FLOAT" not in option.metavar
    if not low < high:
        return Guess(option, why_not="it has one value only")
    default = option.default if option.is_number and low <= float(option.default or 0) <= high else None
    return Guess(option, {"type": "int" if is_whole else "float", "low": low, "high": high}, default)


def _of_whole_number(option: HelpOption) -> Guess:
    default = int(option.default or 0)
    if default < 1:
        return Guess(option, why_not=f"there is no range to guess around {default}")
    if "batch" in option.name and default & (default - 1) == 0:
        choices = [max(default // 4, 1) * 2**i for i in range(5 if default >= 4 else 3)]
        return Guess(option, {"type": "ordinal", "choices": choices}, default)
    if default <= 4:
        return Guess(option, {"type": "int", "low": 1, "high": 2 * default + 2}, default)
    return Guess(option, {"type": "int", "low": max(default // 4, 1), "high": 4 * default, "log": True}, default)


def _of_number(option: HelpOption, default: float) -> Guess:
    for pattern, highest in _SHARES.items():
        if _is_named(option, pattern) and 0 <= default <= highest:
            return Guess(option, {"type": "float", "low": 0.0, "high": highest}, default)
    if default <= 0:
        return Guess(option, why_not=f"there is no range to guess around {default}")
    factor = 100 if _is_named(option, _LOGARITHMIC) else 10
    low, high = _rounded(default / factor), _rounded(default * factor)
    if _is_named(option, _AT_MOST_ONE) and default <= 1:
        high = min(high, 1.0)
    return Guess(option, {"type": "float", "low": min(low, default), "high": max(high, default), "log": True}, default)


def _rounded(number: float) -> float:
    return float(f"{number:.3g}")

"""Whether the last number that a program printed is the one that is meant.

"Done in 3.2 s" after "loss 0.2" is the usual mistake: the value would be 3.2, and a faster trial look better.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from auger.studies.definition.printed_numbers import PLAIN, NoValueError, last_number
from auger.studies.definition.value_rules import Reading, ValueRule, last_reading, line_at

_NAMES = (
    *("loss", "error", "err", "cost", "objective", "score", "accuracy", "acc", "auc", "f1", "rmse", "mse", "mae"),
    *("nll", "perplexity", "ppl", "reward", "regret", "fitness", "recall", "precision", "best", "result", "value"),
    *("mean", "median", "average", "avg"),
)
# The name of a result, and the number that follows it on the line.
_NAMED = re.compile(
    rf"(?P<name>(?<![a-z])(?:{'|'.join(_NAMES)})(?![a-z])[^0-9\r\n]{{0,20}}?)(?P<number>{PLAIN})", re.IGNORECASE
)
# Groups for a number: up to the next space, or where a comma or a point follows it, only what belongs to a number.
_GROUPS = (r"(\S+)", r"([-+.0-9e]*[0-9])")


@dataclass(frozen=True)
class Doubt:
    """A number that is probably not the value.

    Attributes:
        read: the last number, which is read as the value.
        named: the last number that follows a name such as "loss".
        pattern: a regular expression that reads the named number; None where there is no simple one.
    """

    read: Reading
    named: Reading
    pattern: str | None


def doubt(output: str, rule: ValueRule) -> Doubt | None:
    """A doubt about the last number of an output; None where there is none, or another rule reads the value.

    A number that has a line of its own was printed to be read, and so was one that follows a name.

    Example:
        >>> doubt("loss 0.2\\nDone in 3.2 s", ValueRule()).pattern
        'loss (\\\\S+)'
        >>> doubt("loss 0.2\\n3.2", ValueRule()) is doubt("time 3.2\\nloss 0.2", ValueRule()) is None
        True
    """
    read = last_number(output) if rule.key is None and rule.pattern is None else None
    all_named = list(_NAMED.finditer(output)) if read is not None else []
    if read is None or not all_named or all_named[-1].span("number") == read.span():
        return None
    named = all_named[-1]
    line, number = line_at(output, read.start())
    if line.strip() == read[0]:
        return None
    named_reading = Reading(named["number"], *line_at(output, named.start("number")))
    return Doubt(Reading(read[0], line, number), named_reading, _pattern(named["name"], named_reading, output))


def _pattern(name: str, named: Reading, output: str) -> str | None:
    escaped = re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", name)
    for group in _GROUPS:
        pattern = f"{escaped}{group}"
        with suppress(NoValueError):
            if last_reading(output, ValueRule("regex", pattern=pattern)) == named:
                return pattern
    return None

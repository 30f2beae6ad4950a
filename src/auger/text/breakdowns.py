"""A study that was stopped because its program is broken, in words."""

from __future__ import annotations

from collections.abc import Sequence

from auger.text.causes import UNKNOWN
from auger.text.format import clean, count


def forgotten(n_failed: int) -> str:
    """That failures do not count any more.

    Example:
        >>> forgotten(1)
        '1 failure so far is forgotten: it counts in no budget, and its settings may be tried again.'
    """
    if n_failed == 1:
        return "1 failure so far is forgotten: it counts in no budget, and its settings may be tried again."
    return f"{n_failed} failures so far are forgotten: they count in no budget, and their settings may be tried again."


def broken(
    *, number: int, is_defaults: bool, n_failed: int, error: str | None, stream: str, lines: Sequence[str], folder: str
) -> str:
    """Why a study was stopped, what its program printed last, and what to do; the arguments are those of a `Breakdown`.

    Example:
        >>> print(broken(number=0, is_defaults=True, n_failed=1, error="exit code 1: no data", stream="stderr",
        ...              lines=["reading", "no data"], folder="bake.trials/0"))
        The defaults failed, and no trial has succeeded. Trial 0: exit code 1: no data
        The end of bake.trials/0/stderr:
          reading
          no data
        Mend the program and run `auger tune` again: it forgets 1 failure and begins anew.
        To go on as it is, add --keep-going.
    """
    reason = "The defaults failed" if is_defaults else f"The first {n_failed} trials failed alike"
    printed = [f"The end of {folder}/{stream}:", *(f"  {line}" for line in lines)] if lines else []
    return "\n".join(
        [
            f"{reason}, and no trial has succeeded. Trial {number}: {clean(error or UNKNOWN)}",
            *printed,
            f"Mend the program and run `auger tune` again: it forgets {count(n_failed, 'failure')} and begins anew.",
            "To go on as it is, add --keep-going.",
        ]
    )

"""A study that was stopped because its program is broken, in words."""

from __future__ import annotations

from collections.abc import Sequence

from auger.characters import clean
from auger.text.causes import UNKNOWN


def forgotten(n_failed: int) -> str:
    """That failures do not count any more.

    Example:
        >>> forgotten(1)
        'Forgot 1 failure: it counts no longer, and its settings may be tried again.'
    """
    if n_failed == 1:
        return "Forgot 1 failure: it counts no longer, and its settings may be tried again."
    return f"Forgot {n_failed} failures: they count no longer, and their settings may be tried again."


def broken(
    *, number: int, is_defaults: bool, n_alike: int, error: str | None, stream: str, lines: Sequence[str], folder: str
) -> str:
    """Why a study was stopped, what its program printed last, and what to do; arguments are fields of a `Breakdown`.

    Example:
        >>> print(broken(number=0, is_defaults=True, n_alike=5, error="exit code 1: no data", stream="stderr",
        ...              lines=["reading", "no data"], folder="bake.trials/0"))
        The defaults failed, and no trial has succeeded.
        Trial 0: exit code 1: no data
        The end of bake.trials/0/stderr:
          reading
          no data
        Mend the program and run `auger tune` again: it forgets these failures.
        To go on as it is, add --keep-going.
    """
    reason = "The defaults failed" if is_defaults else f"The first {n_alike} trials failed alike"
    printed = [f"The end of {folder}/{stream}:", *(f"  {line}" for line in lines)] if lines else []
    return "\n".join(
        [
            f"{reason}, and no trial has succeeded.",
            f"Trial {number}: {clean(error or UNKNOWN)}",
            *printed,
            "Mend the program and run `auger tune` again: it forgets these failures.",
            "To go on as it is, add --keep-going.",
        ]
    )

"""What to change after a run, and what it buys, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auger.objectives import Direction
from auger.text.format import count, percent_gained, written
from auger.text.fronts import listed

#: Of a run without any result to recommend.
NO_ADVICE = "Nothing to recommend yet: no trial has succeeded."

DEFAULTS_INFEASIBLE = "The defaults break a limit."

# The most settings that the sentence names.
_MAX_SETTINGS = 3

# The most objectives that the sentence names.
_MAX_OBJECTIVES = 4


def advice(
    changes: Mapping[str, Any],
    objective: str,
    *,
    before: float,
    baseline: str,
    after: float,
    error: float | None = None,
    gain: float | None = None,
) -> str:
    """What to change of the baseline, and what it buys.

    Args:
        changes: names of parameters, the most important first, and their new values.
        objective: the name of what is optimized.
        before: its value at the baseline.
        baseline: what to call the baseline.
        after: its value after the changes, better than before.
        error: the standard error of that where values are noisy.
        gain: how much better it is, as a fraction of the value before.

    Example:
        >>> changes = {"lr": 0.01, "depth": 6, "act": "relu", "seed": 3, "width": 64}
        >>> advice(changes, "loss", before=0.33, baseline="the defaults", after=0.109, gain=0.67)
        'Set lr to 0.01, depth to 6, act to relu and 2 more: loss falls from 0.33 (the defaults) to 0.109, 67 % better.'
    """
    named = [f"{name} to {_setting(value)}" for name, value in list(changes.items())[:_MAX_SETTINGS]]
    if len(changes) > len(named):
        named.append(f"{len(changes) - len(named)} more")
    settings = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    way = "falls" if after < before else "rises"
    old, new = _apart(before, after)
    expected = new if error is None else f"about {new} ± {error:.2g}"
    percent = percent_gained(None if gain is None else round(gain, 2 if gain >= 0.1 else 4))
    better = "" if percent is None else f", {percent} better"
    return f"Set {settings}: {objective} {way} from {old} ({baseline}) to {expected}{better}."


def no_change(baseline: str | None, number: int, objective: str, value: float, n_values: int) -> str:
    """What to do where the best trial has the settings of the baseline, or where there is no baseline.

    Example:
        >>> no_change("the defaults", 0, "loss", 0.25, 12), no_change(None, 3, "loss", 0.25, 12)
        ('Keep the defaults: their loss of 0.25 is the best of 12.', 'Use trial 3: its loss is 0.25.')
    """
    if baseline is None:
        return f"Use trial {number}: its {objective} is {_number(value)}."
    whose = "their" if baseline.endswith("s") else "its"
    return f"Keep {baseline}: {whose} {objective} of {_number(value)} is the best of {n_values:,}."


def no_gain(baseline: str, objective: str, before: float, after: float) -> str:
    """What to do where no trial is expected to be better than the baseline: another is as good.

    Example:
        >>> no_gain("the defaults", "loss", 0.25, 0.26)
        'Keep the defaults: no settings are expected to better their loss of 0.25.'
    """
    whose = "their" if baseline.endswith("s") else "its"
    old, _ = _apart(before, after)
    return f"Keep {baseline}: no settings are expected to better {whose} {objective} of {old}."


def trade_off(
    n_on_front: int,
    ends: Mapping[str, tuple[Direction, int, float, float | None]],
    *,
    baseline: str = "",
    compromise: tuple[int, Mapping[str, float]] | None = None,
) -> str:
    """What to do with several objectives: how far each of them gets, and the trial between them.

    Args:
        n_on_front: how many trials no other beats.
        ends: by objective: its direction, the number of its best trial, the best value, and the baseline's, if any.
        baseline: what to call the baseline.
        compromise: the number and the values of the trial to use where all objectives count alike.

    Example:
        >>> ends = {"loss": (Direction.MINIMIZE, 4, 0.1, 0.5), "speed": (Direction.MAXIMIZE, 2, 9.0, 3.0)}
        >>> trade_off(3, ends, baseline="the defaults", compromise=(7, {"loss": 0.2, "speed": 8.0}))[:80]
        'Choose among 3 trials: loss down to 0.1 and speed up to 9 (the defaults: 0.5 and'
        >>> trade_off(3, ends, baseline="the defaults", compromise=(7, {"loss": 0.2, "speed": 8.0}))[80:]
        ' 3). A compromise is trial 7, with loss 0.2 and speed 8.'
        >>> trade_off(1, ends)
        'Use trial 4, which no other beats: loss 0.1 and speed 9.'
    """
    shown = list(ends.items())[:_MAX_OBJECTIVES]
    n_more = len(ends) - len(shown)
    more = [f"{n_more} more"] if n_more else []
    before = [_number(own) for _, (_, _, _, own) in shown if own is not None]
    compared = f" ({baseline}: {listed(before)})" if baseline and len(before) == len(shown) else ""
    if n_on_front == 1:
        first = shown[0][1][1]
        values = [f"{name} {_number(best)}" for name, (_, _, best, _) in shown]
        is_baseline = all(best == own for _, (_, _, best, own) in shown)
        return f"Use trial {first}, which no other beats: {listed(values + more)}{'' if is_baseline else compared}."
    reached = [
        f"{name} {'down' if direction is Direction.MINIMIZE else 'up'} to {_number(best)}"
        for name, (direction, _, best, _) in shown
    ]
    advice = f"Choose among {count(n_on_front, 'trial')}: {listed(reached + more)}{compared}."
    if compromise is None:
        return advice
    chosen, values_there = compromise
    values = [f"{name} {_number(value)}" for name, value in list(values_there.items())[:_MAX_OBJECTIVES]]
    return f"{advice} A compromise is trial {chosen}, with {listed(values + more)}."


def _setting(value: Any) -> str:
    """A value of a parameter, short: the whole of it stands where it is copied from."""
    shown = _number(value) if isinstance(value, float) else written(value)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"


def _number(value: float, digits: int = 3) -> str:
    """So many digits, more of a large number.

    Example:
        >>> _number(0.00063303), _number(1254670.0), _number(53.8842, 4), _number(float("inf"))
        ('0.000633', '1,254,670', '53.88', 'inf')
    """
    return f"{value:,.0f}" if 10**digits <= abs(value) < 1e12 else f"{value:.{digits}g}"


def _apart(before: float, after: float) -> tuple[str, str]:
    """Two numbers with as many digits as tell them apart, three to nine.

    Example:
        >>> _apart(0.33235, 0.109185), _apart(53.8842, 53.8811)
        (('0.332', '0.109'), ('53.884', '53.881'))
    """
    pairs = [(_number(before, digits), _number(after, digits)) for digits in range(3, 10)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])

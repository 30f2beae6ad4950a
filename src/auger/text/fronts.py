"""Several objectives in words: the front, why a trial is on it, what a step along it costs, and constraints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from auger.objectives import Direction
from auger.text.format import count, number, percent

# The most names that a sentence lists.
_MAX_NAMES = 3


def on_front(
    number_of_trial: int,
    directions: Mapping[str, Direction],
    *,
    best_in: Sequence[str],
    leads: Mapping[str, tuple[int, int, float]],
    twins: Sequence[int] = (),
    share: float = 0.0,
    is_only: bool = False,
) -> str:
    """Why a trial is on the front; the arguments are fields of `auger.insight.WhyOnFront`.

    Args:
        number_of_trial: that number.
        directions: of all objectives, by name.
        best_in: the objectives in which it is the best of all.
        leads: by objective: how many other trials are as good in all the others, the best of them, and its value.
        twins: trials with the same values.
        share: of the front's volume, what only this trial dominates.
        is_only: whether there is no other trial to compare it with.

    Example:
        >>> directions = {"loss": Direction.MINIMIZE, "speed": Direction.MAXIMIZE}
        >>> words = on_front(7, directions, best_in=["speed"], leads={"loss": (3, 2, 0.5)}, share=0.25)
        >>> for sentence in words.split(". "):
        ...     print(sentence)
        Trial 7 is on the front
        It has the highest speed
        Of 3 other trials as good in speed, the best reaches loss 0.5 (trial 2)
        25 % of the volume is its own.
    """
    if is_only:
        return f"Trial {number_of_trial} is on the front: there is no other to compare it with."
    reasons = ahead(directions, best_in=best_in, leads=leads, twins=twins)
    own = f"{capitalized(percent(share))} of the volume is its own." if share > 0 and not twins else ""
    return " ".join(filter(None, [f"Trial {number_of_trial} is on the front.", reasons, own]))


def ahead(
    directions: Mapping[str, Direction],
    *,
    best_in: Sequence[str],
    leads: Mapping[str, tuple[int, int, float]],
    twins: Sequence[int] = (),
) -> str:
    """In what a trial of the front is ahead of others; the arguments are those of `on_front`.

    Example:
        >>> ahead({"loss": Direction.MINIMIZE, "speed": Direction.MAXIMIZE}, best_in=["loss"], leads={}, twins=[3])
        'It has the lowest loss. Trial 3 has the same values.'
    """
    sentences = []
    if best_in:
        extremes = [f"{extreme(directions[name])} {name}" for name in best_in[:_MAX_NAMES]]
        extremes += [f"the best value of {len(best_in) - _MAX_NAMES} more"] if len(best_in) > _MAX_NAMES else []
        sentences.append(f"It has the {listed(extremes)}.")
    for name, (n_others, runner_up, value) in leads.items():
        others = [other for other in directions if other != name]
        as_good = listed(others) if len(others) <= _MAX_NAMES else f"the {len(others)} other objectives"
        if n_others == 1:
            sentences.append(f"Trial {runner_up}, as good in {as_good}, reaches {name} {number(value)}.")
        else:
            among = f"Of {n_others:,} other trials as good in {as_good}"
            sentences.append(f"{among}, the best reaches {name} {number(value)} (trial {runner_up}).")
    if twins:
        same = f"trial {twins[0]}" if len(twins) == 1 else f"{len(twins):,} others"
        has = "has" if len(twins) == 1 else "have"
        sentences.append(f"{capitalized(same)} {has} the same values.")
    return " ".join(sentences)


def not_on_front(number_of_trial: int, state: str, *, broken: Mapping[str, float], beaten_by: Sequence[int]) -> str:
    """Why a trial is not on the front.

    Example:
        >>> not_on_front(3, "complete", broken={"memory": 0.5}, beaten_by=[])
        'Trial 3 is not on the front: it breaks memory by 0.5.'
        >>> not_on_front(3, "complete", broken={}, beaten_by=[1, 2, 5])
        'Trial 3 is not on the front: trial 1 and 2 others are as good in every objective, and better in one.'
        >>> not_on_front(3, "failed", broken={}, beaten_by=[])
        'Trial 3 is not on the front: it is failed.'
    """
    if broken:
        why = f"it breaks {broken_by(broken)}"
    elif beaten_by:
        n_more = len(beaten_by) - 1
        who = f"trial {beaten_by[0]}" + (f" and {count(n_more, 'other')}" if n_more else "")
        why = f"{who} {'are' if n_more else 'is'} as good in every objective, and better in one"
    else:
        why = "it has no finite value in every objective" if state == "complete" else f"it is {state}"
    return f"Trial {number_of_trial} is not on the front: {why}."


def broken_by(broken: Mapping[str, float]) -> str:
    """Constraints that a trial breaks, and by how much, the first few.

    Example:
        >>> broken_by({"memory": 0.5, "power": 2.0})
        'memory by 0.5 and power by 2'
    """
    named = [f"{name} by {number(limit)}" for name, limit in list(broken.items())[:_MAX_NAMES]]
    more = len(broken) - len(named)
    return listed(named + ([f"{more} more"] if more else []))


def none_feasible(n_complete: int, nearest: int, broken: Mapping[str, float]) -> str:
    """What to say of a run in which no trial satisfies the constraints.

    Example:
        >>> none_feasible(12, 3, {"memory": 0.5})
        'None of 12 complete trials satisfies all constraints yet. Nearest is trial 3, which breaks memory by 0.5.'
    """
    lead = (
        "The only complete trial does not satisfy all constraints."
        if n_complete == 1
        else f"None of {n_complete:,} complete trials satisfies all constraints yet."
    )
    return f"{lead} Nearest is trial {nearest}, which breaks {broken_by(broken)}."


def traded(loss: float, gain: float, given: str, bought: str, directions: tuple[Direction, Direction]) -> str:
    """What a step along the front costs and buys, in round units of what is given up.

    Args:
        loss: by how much the one objective gets worse.
        gain: by how much the other gets better.
        given: the name of the one.
        bought: the name of the other.
        directions: of the two.

    Example:
        >>> down, up = Direction.MINIMIZE, Direction.MAXIMIZE
        >>> traded(0.025, 5.0, "loss", "seconds", (down, down))
        '0.01 more loss buys 2 less seconds'
        >>> traded(300.0, 0.5, "size", "accuracy", (down, up))
        '100 more size buys 0.167 more accuracy'
    """
    unit = round_unit(loss)
    change = f"{short(unit)} {_worse(directions[0])} {given}"
    return f"{change} buys {short(gain / (loss / unit))} {_better(directions[1])} {bought}"


def volume(best: Mapping[str, float], reference: Mapping[str, float]) -> str:
    """Between which values the volume lies that a front attains a share of.

    Example:
        >>> volume({"loss": 0.1, "seconds": 1.0}, {"loss": 0.5, "seconds": 9.0})
        'The volume lies between loss 0.1 and 0.5, and seconds 1 and 9.'
    """
    between = [f"{name} {short(value)} and {short(reference[name])}" for name, value in best.items()]
    return f"The volume lies between {', '.join(between[:-1])}, and {between[-1]}."


def round_unit(size: float) -> float:
    """The largest power of ten up to a size.

    Example:
        >>> round_unit(0.025), round_unit(300.0), round_unit(1.0)
        (0.01, 100.0, 1.0)
    """
    if not 0 < size < math.inf:
        return 1.0
    return float(f"1e{math.floor(math.log10(size))}") or 1.0


def short(value: float) -> str:
    """Three digits, and every digit of a large whole part."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e12 else f"{value:.3g}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    Example:
        >>> listed(["a"]), listed(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


def front_share(n_on_front: int, n_compared: int, *, is_constrained: bool = False) -> str:
    """How many trials are on the front.

    Example:
        >>> front_share(12, 200, is_constrained=True)
        '12 of 200 feasible trials are on the front: no other beats them.'
        >>> front_share(1, 1)
        '1 of 1 trial is on the front: no other beats it.'
    """
    are, them = ("is", "it") if n_on_front == 1 else ("are", "them")
    compared = count(n_compared, "feasible trial" if is_constrained else "trial")
    return f"{n_on_front:,} of {compared} {are} on the front: no other beats {them}."


def extreme(direction: Direction) -> str:
    """What the best value of an objective is called."""
    return "lowest" if direction is Direction.MINIMIZE else "highest"


def _worse(direction: Direction) -> str:
    return "more" if direction is Direction.MINIMIZE else "less"


def _better(direction: Direction) -> str:
    return "less" if direction is Direction.MINIMIZE else "more"


def capitalized(sentence: str) -> str:
    """A sentence that begins with a capital letter."""
    return sentence[:1].upper() + sentence[1:]

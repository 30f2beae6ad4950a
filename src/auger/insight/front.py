"""The front of a run with several objectives: its trials, what a step along it costs, and why a trial is on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from auger import pareto, text
from auger.errors import ObjectiveError, TrialError
from auger.insight.memory import remembered
from auger.insight.volume import attained
from auger.preference import as_preference, choose
from auger.types import Array, Index
from auger.view import View, index_of, view

# How far beyond the front the box of volumes reaches where no reference is set, as a share of the front's width.
_BEYOND = 0.1


@dataclass(frozen=True)
class Lead:
    """In what a trial of the front is ahead of those that are at least as good in all other objectives.

    Attributes:
        objective: in which it is ahead.
        n_others: how many other trials are at least as good in all other objectives.
        runner_up: the best of them in this objective; None where there are none.
        value: of the runner-up in this objective, in the user's own sign.
    """

    objective: str
    n_others: int = 0
    runner_up: int | None = None
    value: float | None = None


@dataclass(frozen=True)
class WhyOnFront:
    """Why a trial is on the front, or why not.

    Attributes:
        number: of the trial.
        is_on_front: whether no other trial beats it.
        best_in: the objectives in which no trial is better.
        leads: one per objective; empty where it is not on the front.
        twins: other trials with the same values.
        share: of the front's volume, what only this trial dominates; 0 where it is not on the front.
        beaten_by: the trials that beat it: as good in every objective, and better in one.
        broken: the outcome constraints that it breaks, and by how much.
        text: all of it in words.
    """

    number: int
    is_on_front: bool = False
    best_in: tuple[str, ...] = ()
    leads: tuple[Lead, ...] = ()
    twins: tuple[int, ...] = ()
    share: float = 0.0
    beaten_by: tuple[int, ...] = ()
    broken: dict[str, float] = field(default_factory=dict)
    text: str = ""

    @property
    def runners_up(self) -> dict[str, tuple[int, int, float]]:
        """How many others are as good in all other objectives, the best of them, and its value, by objective."""
        return {
            lead.objective: (lead.n_others, lead.runner_up, lead.value)
            for lead in self.leads
            if lead.runner_up is not None and lead.value is not None
        }


@dataclass(frozen=True)
class Front:
    """The trials that no other beats.

    Attributes:
        members: why each is on the front, the best in the first objective first.
        best: the best trial of each objective, by the name of the objective; of several, the first on the front.
        compromise: the trial to use where all objectives count alike; see `auger.Optimizer.choose`.
        n_compared: how many trials are complete, feasible and have finite values.
        note: what is missing, in words.
    """

    members: tuple[WhyOnFront, ...] = ()
    best: dict[str, int] = field(default_factory=dict)
    compromise: int | None = None
    n_compared: int = 0
    note: str = ""


@dataclass(frozen=True)
class TradeOff:
    """From a trial on the front to the next: what one objective loses, and what that buys in another.

    Attributes:
        first: number of the trial.
        second: number of the next.
        loss: by how much the one objective gets worse, above 0.
        gain: by how much the other gets better, above 0.
    """

    first: int
    second: int
    loss: float
    gain: float

    @property
    def rate(self) -> float:
        """What giving up one unit of the one objective buys in the other."""
        return self.gain / self.loss


@dataclass(frozen=True, eq=False)
class Attainment:
    """How much of what lies between the best and the worst of interest is dominated, as the run went on.

    Attributes:
        numbers: of the m trials that moved the front.
        share: shape (m,), of the volume, in (0, 1]: 1 where a single trial is best in every objective.
        best: the best value of each objective, in the user's own sign: one corner of the volume.
        reference: the opposite corner: the user's reference, or a tenth beyond the worst values on the front.
        note: what is missing, in words.
    """

    numbers: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    share: Array = field(default_factory=lambda: np.empty(0))
    best: tuple[float, ...] = ()
    reference: tuple[float, ...] = ()
    note: str = ""


@remembered
def front(source: Any) -> Front:
    """The front of a run: its trials, the best of each objective, and the compromise.

    Example:
        >>> from auger import minimize_several
        >>> def objective(config):
        ...     return {"error": config["x"] ** 2, "cost": 1 - config["x"]}
        >>> directions = {"error": "minimize", "cost": "minimize"}
        >>> result = minimize_several(objective, {"x": (0.0, 1.0)}, directions=directions, n_trials=9, seed=0)
        >>> the_front = front(result)
        >>> len(the_front.members), the_front.best["error"] == the_front.members[0].number
        (9, True)
    """
    run = view(source)
    usable = _usable(run)
    if not len(usable):
        return Front(note=_nothing(run))
    losses = run.losses[usable]
    members = _positions(run)
    own = _own_volumes(run, members)
    explained = tuple(
        _on_front(run, usable, losses, position, share) for position, share in zip(members, own.tolist(), strict=True)
    )
    best = {
        name: run.trials[members[int(np.argmin(run.losses[members, j]))]].number
        for j, name in enumerate(run.objectives.names)
    }
    chosen = choose(run.front, run.objectives, as_preference(None, run.objectives))
    return Front(explained, best, None if chosen is None else chosen.number, len(usable))


def why_on_front(source: Any, number: int) -> WhyOnFront:
    """Why the trial of that number is on the front, or why it is not."""
    run = view(source)
    trial = run.by_number.get(number)
    if trial is None:
        numbers = f"{run.trials[0].number} to {run.trials[-1].number}" if run.trials else "none yet"
        raise TrialError(f"`number` must be that of a trial of this run ({numbers}). Got {number!r}.")
    for member in front(run).members:
        if member.number == number:
            return member
    position = next(i for i, other in enumerate(run.trials) if other.number == number)
    broken = dict(zip(run.constraints, trial.constraints, strict=False))
    broken = {name: limit for name, limit in broken.items() if limit > 0}
    beaten_by: tuple[int, ...] = ()
    own = run.losses[position]
    if not np.isnan(own).any():
        usable = _usable(run)
        losses = run.losses[usable]
        better = (losses <= own).all(axis=1) & (losses < own).any(axis=1)
        beaten_by = tuple(run.trials[i].number for i in usable[better].tolist())
    words = text.not_on_front(number, trial.state.value, broken=broken, beaten_by=beaten_by)
    return WhyOnFront(number, beaten_by=beaten_by, broken=broken, text=words)


def trade_offs(source: Any, objectives: Sequence[int | str] = (0, 1), *, most: int | None = None) -> list[TradeOff]:
    """The steps along the front of two objectives, from the best trial of the first to the best of the second.

    Trials that no other beats in these two: of more objectives, the others are left aside.

    Args:
        source: whatever `auger.view` looks at.
        objectives: the one that is given up and the one that is bought, by index or name.
        most: at most so many steps, between trials evenly spread along the front; None for all.

    Example:
        >>> from auger import History, Space
        >>> from auger.objectives import as_objectives
        >>> history = History(Space({"x": (0.0, 1.0)}), objectives=as_objectives({"loss": "minimize", "s": "minimize"}))
        >>> for x, values in [(0.1, (0.5, 1.0)), (0.2, (0.1, 9.0)), (0.3, (0.2, 4.0))]:
        ...     _ = history.finish(history.start({"x": x}).number, value=values)
        >>> [(step.first, step.second, step.gain) for step in trade_offs(history)]
        [(1, 2, 5.0), (2, 0, 3.0)]
    """
    run = view(source)
    given, bought = pair_of(run, objectives)
    positions = along_front(run, given, bought)
    if most is not None:
        positions = positions[spread(run.losses[positions][:, [given, bought]], most + 1)]
    losses = run.losses[positions][:, [given, bought]].tolist()  # of Python, which counts up to infinity in silence
    return [
        TradeOff(run.trials[i].number, run.trials[j].number, after[0] - before[0], before[1] - after[1])
        for i, j, before, after in zip(positions[:-1], positions[1:], losses[:-1], losses[1:], strict=True)
    ]


@remembered
def attainment(source: Any) -> Attainment:
    """The share of the volume between the best and the reference that was dominated after each trial.

    Exact with two and three objectives, counted in a sample of points with more.
    """
    run = view(source)
    usable = _usable(run)
    if len(run.objectives) < 2:
        return Attainment(note="With one objective there is no front: the best value so far says it all.")
    if not len(usable):
        return Attainment(note=_nothing(run))
    points, best, reference = _in_box(run, usable)
    corners = {"best": run.objectives.original(best.tolist()), "reference": run.objectives.original(reference.tolist())}
    steps, share = attained(points)
    note = "" if len(steps) else "No trial is better than the reference in every objective."
    numbers = np.array([run.trials[i].number for i in usable[steps].tolist()], dtype=np.intp)
    return Attainment(numbers, share, note=note, **corners)


def pair_of(view: View, objectives: Any) -> tuple[int, int]:
    """The indices of two objectives that were passed as indices or names."""
    names = view.objectives.names
    if isinstance(objectives, str) or not isinstance(objectives, Sequence) or len(objectives) != 2:
        raise ObjectiveError(
            f"`objectives` must be two of this run's ({', '.join(map(repr, names))}). Got {objectives!r}."
        )
    first, second = (index_of(view, objective) for objective in objectives)
    if first == second:
        raise ObjectiveError(f"`objectives` must be two different ones. Got {objectives!r}.")
    return first, second


def along_front(view: View, first: int, second: int) -> Index:
    """Positions of the trials that no other beats in two objectives, the best of the first one first.

    Of several with the same two values, the earliest.
    """
    usable = _usable(view)
    losses = view.losses[usable][:, [first, second]]
    members = np.flatnonzero(pareto.front(losses))
    _, earliest = np.unique(losses[members], axis=0, return_index=True)  # by the first objective
    return np.asarray(usable[members[earliest]])


def spread(losses: Array, n: int) -> Index:
    """Positions of up to ``n`` of the losses (m, 2) along a front, evenly spread over its length, with both ends."""
    if len(losses) <= n:
        return np.arange(len(losses))
    width = losses.max(axis=0) / 2 - losses.min(axis=0) / 2  # halves: the difference of two numbers may be infinite
    steps = np.abs(np.diff(losses / 2, axis=0)) / np.where(width > 0, width, 1.0)
    at = np.append(0.0, np.cumsum(steps.sum(axis=1)))
    wanted = np.linspace(0.0, at[-1], n)
    nearest = np.abs(at[np.newaxis] - wanted[:, np.newaxis]).argmin(axis=1)
    return np.unique(np.concatenate([nearest, [0, len(losses) - 1]]))


def _usable(view: View) -> Index:
    """Positions of the trials that are complete and feasible, with finite values."""
    return np.flatnonzero(~np.isnan(view.losses).any(axis=1))


def _positions(view: View) -> list[int]:
    at = {trial.number: i for i, trial in enumerate(view.trials)}
    return [at[trial.number] for trial in view.front]


def _nothing(view: View) -> str:
    """Why there is no front."""
    n = len(view.trials)
    if not n:
        return "There is no trial yet."
    if view.complete and not any(trial.is_feasible for trial in view.complete):
        return "No trial satisfies all constraints yet."
    return "No trial has finite values in all objectives yet."


def _in_box(view: View, positions: Index | list[int]) -> tuple[Array, Array, Array]:
    """Losses as shares of the box between the best and the reference, (n, k), and these two corners (k,), minimized."""
    losses = view.losses[_usable(view)]
    best = losses.min(axis=0)
    if view.objectives.reference is not None:
        reference = np.array(view.objectives.reference)
    else:
        nadir = view.losses[_positions(view)].max(axis=0)
        worst = np.where(nadir > best, nadir, losses.max(axis=0))
        reach = np.where(worst > best, worst / 2 - best / 2, 0.5)  # half: a difference may be infinite
        with np.errstate(over="ignore"):
            reference = np.clip(worst + 2 * _BEYOND * reach, -1e308, 1e308)
    half = reference / 2 - best / 2
    shares = (view.losses[positions] / 2 - best / 2) / np.where(half > 0, half, math.inf)
    shares[:, half <= 0] = 1.0  # nothing is better than the reference
    return shares, best, reference


def _own_volumes(view: View, members: list[int]) -> Array:
    """What each member dominates alone, as a share of the volume of the front."""
    points, _, _ = _in_box(view, members)
    reference = np.ones(points.shape[1])
    total = pareto.hypervolume(points, reference)
    return pareto.contributions(points, reference) / (total or 1.0)


def _on_front(view: View, usable: Index, losses: Array, position: int, share: float) -> WhyOnFront:
    own, objectives = view.losses[position], view.objectives
    as_good = (losses <= own) & (usable != position)[:, np.newaxis]
    is_twin = (losses == own).all(axis=1) & (usable != position)
    leads = []
    for j, name in enumerate(objectives.names):
        others = np.flatnonzero(np.delete(as_good, j, axis=1).all(axis=1) & ~is_twin)
        if not len(others):
            leads.append(Lead(name))
            continue
        nearest = others[np.argmin(losses[others, j])]
        value = objectives.signs[j] * float(losses[nearest, j])
        leads.append(Lead(name, len(others), view.trials[usable[nearest]].number, value))
    best_in = tuple(name for j, name in enumerate(objectives.names) if own[j] <= losses[:, j].min())
    twins = tuple(view.trials[i].number for i in usable[is_twin].tolist())
    why = WhyOnFront(view.trials[position].number, True, best_in, tuple(leads), twins, share)
    words = text.on_front(
        why.number,
        dict(zip(objectives.names, objectives.directions, strict=True)),
        best_in=best_in,
        leads=why.runners_up,
        twins=twins,
        share=share,
        is_only=len(usable) == 1,
    )
    return replace(why, text=words)

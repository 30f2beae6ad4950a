"""Is it worth going on? The probability that one of the next trials improves on the best.

Improvements are records. Of answers in random order the t-th is the best so far with probability 1 / t; a search that
learns breaks records more often, until there is little left to gain. So here trial t improves with probability (about)

    lam * t^-1.3

where lam, the pace of this run, is unknown and the same for all k trials ahead: they succeed or fail together. Before
any trial, lam ~ Gamma(0.66, rate 0.023); then trial t of n counts for (t / n)^2.1 of one: the recent past says most.
With r improvements over an exposure of E = sum t^-1.3, both weighted so, and E_k that of the k trials to come,

    P(no improvement) = E exp(-lam E_k) = ((0.023 + E) / (0.023 + E + E_k))^(0.66 + r)

The four numbers are those of the highest likelihood over 384 runs of four methods, random search among them, on random
functions. How long ago the last improvement was adds nothing to them; nor does the classifier, as a factor of lam: its
recalibrated P(good) of the last ten trials changes the log loss by -0.0009 +- 0.0007 of 0.511. docs/insight.md has more
on that, and shows how often the forecast was right in other runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger import text
from auger.checks import check_whole
from auger.errors import AugerError
from auger.insight.replay import lasting
from auger.trial import State
from auger.types import Array, Index, Mask
from auger.view import View, view

_DECAY = 1.3
_MEMORY = 2.1
_SHAPE, _RATE = 0.66, 0.023

# A run forecasts at up to so many earlier times.
_N_PAST = 200


@dataclass(frozen=True)
class Forecast:
    """What to expect of the next trials.

    Attributes:
        k: how many.
        p: the probability that at least one of them improves on the best; NaN where nothing is known yet. With several
            objectives, improving is not to be beaten in all of them by an earlier trial.
        past: (p, improved): what would have been said of k trials earlier in the run, and whether they improved. They
            overlap where the run is short.
        note: what is missing, in words.
    """

    k: int
    p: float
    past: list[tuple[float, bool]] = field(default_factory=list)
    note: str = ""

    @property
    def record(self) -> str:
        """How earlier forecasts of the run came out, in words; empty where there is none."""
        return text.forecast_record(self.past)


def forecast(source: Any, *, k: int = 20) -> Forecast:
    """The probability that at least one of the next ``k`` trials improves on the best.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda c: round(c["x"]), {"x": (0.0, 1.0)}, n_trials=40, seed=0)
        >>> forecast(result, k=5).p < 0.2  # at 0 there is nothing left to gain
        True
    """
    check_whole(k, 1, "`k` of a forecast", AugerError)
    run = view(source)
    if run.history is None or not run.history.finished:
        return Forecast(k, float("nan"), note="No trial has an answer yet.")
    improved = improvements(run)
    if not improved.any():
        return Forecast(k, float("nan"), note="No trial has a value yet.")
    n, start = len(improved), lasting(run.recipe).n_initial
    past = [
        (chance(improved[:at], k, start=start), bool(improved[at : at + k].any()))
        for at in _times(start, n - k, max(k // 4, 1)).tolist()
        if improved[:at].any()
    ]
    note = "" if past else f"The run is too short to say how good such forecasts were: {k} trials must have followed."
    return Forecast(k, chance(improved, k, start=start), past, note)


def chance(improved: Mask, k: int, *, start: int) -> float:
    """The probability of an improvement within k trials after n, of which some improved (n,).

    What came of the first ``start`` trials says nothing: they were not chosen by a model.
    """
    n = len(improved)
    t = np.arange(1.0 + min(start, n), n + 1.0)
    weight, exposure = (t / max(n, 1)) ** _MEMORY, t**-_DECAY
    shape = _SHAPE + float(weight @ improved[n - len(t) :])
    rate = _RATE + float(weight @ exposure)
    ahead = float((np.arange(n + 1.0, n + k + 1.0) ** -_DECAY).sum())
    return float(-np.expm1(shape * np.log(rate / (rate + ahead))))


def improvements(view: View) -> Mask:
    """Which answers, in the order they came, were better than all before them, shape (n,); the first value is."""
    history = view.history
    assert history is not None
    rows = np.array(history.finished, dtype=np.intp)
    able = (history.has_state(State.COMPLETE) & (history.violation == 0) & np.isfinite(history.y))[rows]
    if len(view.objectives) > 1:
        return _front_improvements(_losses(view, rows), able)
    y = np.where(able, history.y[rows], np.inf)
    return np.asarray(y < np.concatenate([[np.inf], np.minimum.accumulate(y)[:-1]]))


def _losses(view: View, rows: Index) -> Array:
    """The values of trials with several objectives, to be minimized, shape (n, objectives); infinite where missing."""
    losses = np.full((len(rows), len(view.objectives)), np.inf)
    for i, number in enumerate(view.numbers[rows].tolist()):
        trial = view.by_number[number]
        if trial.state is State.COMPLETE:
            losses[i] = trial.values
    return losses


def _front_improvements(losses: Array, able: Mask) -> Mask:
    """Which trials no earlier one equals or beats in all objectives, shape (n,)."""
    front = np.empty((0, losses.shape[1]))
    improved = np.zeros(len(losses), dtype=bool)
    for i in np.flatnonzero(able).tolist():
        if not (front <= losses[i]).all(axis=1).any():
            improved[i] = True
            front = np.concatenate([front[~(front >= losses[i]).all(axis=1)], losses[i : i + 1]])
    return improved


def _times(first: int, last: int, step: int) -> Index:
    """Up to _N_PAST numbers of answers, from ``first`` to ``last`` at most, a step apart or evenly."""
    times = np.arange(first, last + 1, step)
    if len(times) <= _N_PAST:
        return times
    return np.asarray(np.linspace(first, last, _N_PAST).round().astype(np.intp))

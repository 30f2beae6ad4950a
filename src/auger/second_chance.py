"""Choices whose trials have failed are tried again from time to time.

A model learns from a failure that its neighborhood is bad. Where the first trials of a branch fail, as those of a
solver that is the best of three and crashes on a third of its range, it learns that the branch is bad, tunes another,
and never comes back. A second chance takes the best trial and gives the choice that value: by then the parameters that
the branches share have good values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.history import History
from auger.labels import Kind, kinds_of
from auger.space import Space
from auger.types import Array, Mask

# A value of a choice is left alone for this many trials per trial that it had: those of a value that always fails grow
# with the root of the number of trials, to 6 of 100.
_WAIT = 4
# Its share of failures is more than this many times the share among all trials, or they are not the choice's.
_EXCESS = 2
# It takes the settings of the first of so many best trials that is new with the value.
_N_BEST = 10


@dataclass(frozen=True)
class SecondChance:
    """A value of a choice that is due.

    Attributes:
        row: shape (d,), the best trial with that value; parameters that the trial does not have are drawn.
        note: which value, for the provenance of the trial.
    """

    row: Array
    note: str


def second_chance(history: History, space: Space, rng: np.random.Generator) -> SecondChance | None:
    """The value of a choice that is most overdue; None if no value is due.

    It is due if at least half of its trials have failed, clearly more than of all trials; if it was not tried for four
    times as many trials as it had; and if one of the best trials with that value is a new configuration.
    """
    has_failed = kinds_of(history, slice(None)) == Kind.UNRANKED
    if not has_failed.any():
        return None
    due = [entry for j in np.flatnonzero(~space.is_ordered) for entry in _due(history.X[:, j], has_failed, int(j))]
    leaders = history.X[history.leaders(_N_BEST)]
    for _, j, code, n_failed, n_tried in sorted(due, reverse=True):
        latent = space.open(leaders, rng)
        latent[:, j] = code
        rows = space.close(latent)
        rows = rows[space.allowed(rows) & (rows[:, j] == code) & ~history.contains(rows)]
        if len(rows):
            value = space.parameters[space.names[j]].decode(np.array([code]))[0]
            note = f"{space.names[j]} = {value!r} gets another try: {n_failed} of its {n_tried} trials failed"
            return SecondChance(rows[0], note)
    return None


def _due(column: Array, has_failed: Mask, j: int) -> list[tuple[float, int, float, int, int]]:
    """The codes of column j that are due: how much, column, code, failures, trials."""
    active = np.flatnonzero(~np.isnan(column))
    codes, which = np.unique(column[active], return_inverse=True)
    n_tried, n_failed = np.bincount(which), np.bincount(which, weights=has_failed[active])
    last = np.zeros(len(codes), dtype=np.intp)
    last[which] = active  # of a code that occurs several times, the last counts
    wait = (len(column) - 1 - last) / n_tried
    is_due = (2 * n_failed >= n_tried) & (n_failed > _EXCESS * has_failed.mean() * n_tried) & (wait >= _WAIT)
    return [
        (float(wait[i]), j, float(codes[i]), int(n_failed[i]), int(n_tried[i])) for i in np.flatnonzero(is_due).tolist()
    ]

"""Which settings are worth running again at the end of a run, and which of them have been.

A value that was chosen because it is the best of many was partly lucky. Values of further runs of the same settings
were not chosen, so that their mean says what to expect. They are trials of their own, whose origin is "confirmation".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from auger.history import History
from auger.provenance import Origin
from auger.recommend import Ranking, rank
from auger.trial import State, Trial
from auger.types import Config
from auger.view import View

#: So many of the best settings are run again; and those that they are compared with.
N_CANDIDATES = 3


def is_confirmation(trial: Trial) -> bool:
    """Whether a trial runs the settings of another one again."""
    return trial.origin is Origin.CONFIRMATION


def unconfirmed(view: View) -> list[Trial]:
    """The trials whose settings are to be run again, and are not: no confirmation of them was started."""
    started = [trial.config for trial in view.trials if is_confirmation(trial)]
    return [trial for trial in candidates(view) if trial.config not in started]


def candidates(view: View) -> list[Trial]:
    """The best trials of different settings, by the rule of `recommend`, and the baseline; confirmations aside."""
    ranking = ranked(view, with_confirmations=False)
    if ranking is None:
        return []
    chosen = [view.by_number[trial.number] for trial in ranking.trials[:N_CANDIDATES]]
    if view.baseline is not None:
        chosen.append(view.by_number[view.baseline.number])
    return [trial for i, trial in enumerate(chosen) if trial.config not in [earlier.config for earlier in chosen[:i]]]


def confirmed(view: View) -> list[Trial]:
    """The confirmations with a value, the best first; empty unless all candidates have been run again.

    After further trials there may be better candidates, and what was confirmed before is one result among others. A
    confirmation whose worker died, and that will not be run again, is over without a value.
    """
    finished = [trial for trial in view.trials if is_confirmation(trial) and _is_over(trial, view)]
    if not finished or any(trial.config not in [other.config for other in finished] for trial in candidates(view)):
        return []
    complete = [trial for trial in finished if trial.state is State.COMPLETE and np.isfinite(trial.values[0])]
    return sorted(complete, key=lambda trial: trial.values[0])


def _is_over(trial: Trial, view: View) -> bool:
    is_given_up = trial.state is State.DIED and trial.number not in view.superseded and not view.standing.due
    return trial.state.is_answer or is_given_up


def ranked(view: View, *, with_confirmations: bool = True) -> Ranking | None:
    """The trials of a run by the rule of `recommend`, with their own numbers; None without a finite value."""
    if view.history is None or len(view.objectives) > 1:
        return None
    # in the order of their numbers, in which the first of equals is meant
    order = np.argsort(view.numbers, kind="stable").tolist()
    if not with_confirmations:
        order = [i for i in order if not is_confirmation(view.history.trials[i])]
    numbers = view.numbers[order].tolist()
    trials = [replace(view.history.trials[i], number=place) for place, i in enumerate(order)]
    history = History(view.history.space, objectives=view.objectives)
    history.extend(trials, np.array(view.history.X[order]))
    ranking = rank(history)
    if ranking is None:
        return None
    place_of = {number: place for place, number in enumerate(numbers)}
    expected = ranking.expected
    return replace(
        ranking,
        trials=tuple(replace(trial, number=numbers[trial.number]) for trial in ranking.trials),
        expected=None if expected is None else lambda trial: expected(replace(trial, number=place_of[trial.number])),
    )


def values_of(trials: Iterable[Trial], config: Config) -> list[float]:
    """Every value that was measured with a configuration, minimized, confirmations included."""
    return [
        value
        for trial in trials
        if trial.state is State.COMPLETE and trial.config == config
        for value in trial.measured
        if np.isfinite(value)
    ]

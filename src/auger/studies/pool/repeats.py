"""Several runs of one program for one trial: its value is their mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import mean

from auger.studies.trial import Outcome
from auger.trial import State


def run_repeatedly(
    run: Callable[[int], Outcome],
    repeats: Sequence[int],
    values: Sequence[float],
    record: Callable[[list[float]], None],
) -> Outcome:
    """The outcome of a trial of several runs, one after the other.

    The first run that does not give a value ends the trial, and its outcome is that of the trial: settings that work
    only sometimes are no settings to use, and what is left would be paid for nothing.

    Args:
        run: runs the program once, or looks up what it gave.
        repeats: the number of each run.
        values: of the runs that have ended in an earlier attempt.
        record: is called with all values after each run.

    Example:
        >>> outcome = run_repeatedly(lambda i: Outcome(State.COMPLETE, float(i)), range(3), [0.0], print)
        [0.0, 1.0]
        [0.0, 1.0, 2.0]
        >>> outcome.value
        1.0
    """
    values, seconds = list(values), 0.0
    for place in range(len(values), len(repeats)):
        outcome = run(repeats[place])
        seconds += outcome.seconds
        if outcome.state is not State.COMPLETE or outcome.value is None:
            error = outcome.error and f"run {place + 1} of {len(repeats)}: {outcome.error}"
            return replace(outcome, seconds=seconds, error=error)
        values.append(outcome.value)
        record(values)
    return Outcome(State.COMPLETE, mean(values), seconds=seconds, exit_code=0)

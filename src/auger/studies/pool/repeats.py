"""Several runs of one program for one trial: each of its numbers is their mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import mean

from auger.studies.trial import Outcome
from auger.trial import State


def run_repeatedly(
    run: Callable[[int], Outcome],
    repeats: Sequence[int],
    rows: Sequence[Sequence[float]],
    record: Callable[[list[Sequence[float]]], None],
    n_values: int = 1,
) -> Outcome:
    """The outcome of a trial of several runs, one after the other.

    The first run that does not give a value ends the trial, and its outcome is that of the trial: settings that work
    only sometimes are no settings to use, and what is left would be paid for nothing.

    Args:
        run: runs the program once, or looks up what it gave.
        repeats: the number of each run.
        rows: the numbers of the runs that have ended in an earlier attempt: values, and then constraints.
        record: is called with all rows after each run.
        n_values: how many of the numbers are values.

    Example:
        >>> outcome = run_repeatedly(lambda i: Outcome(State.COMPLETE, (float(i),)), range(3), [(0.0,)], print)
        [(0.0,), (1.0,)]
        [(0.0,), (1.0,), (2.0,)]
        >>> outcome.value
        1.0
    """
    rows, seconds = list(rows), 0.0
    for position in range(len(rows), len(repeats)):
        outcome = run(repeats[position])
        seconds += outcome.seconds
        if outcome.state is not State.COMPLETE:
            error = outcome.error and f"run {position + 1} of {len(repeats)}: {outcome.error}"
            return replace(outcome, seconds=seconds, error=error)
        rows.append(outcome.numbers)
        record(rows)
    means = tuple(mean(column) for column in zip(*rows, strict=True))
    return Outcome(State.COMPLETE, means[:n_values], seconds=seconds, exit_code=0, constraints=means[n_values:])

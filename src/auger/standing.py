"""Where a run stands: how many of its trials ended how, and how many are left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from auger.trial import State, Trial


@dataclass(frozen=True)
class Standing:
    """How many trials count, by what became of them. Reports, `auger status` and the display all show these numbers.

    A trial that was stopped, or whose worker died, and that was run again counts once, with its last attempt.

    Attributes:
        complete: trials that have their value.
        pruned: trials that were ended early.
        failed: trials that failed, for good.
        running: trials that run at the moment.
        waiting: trials that were enqueued and have not begun.
        due: trials that were stopped, or whose worker died, and that will be run again.
        imported: results of other runs, which no budget counts.
        forgotten: failures that do not count any more.
        confirmed: runs of good settings at the end of a study, to confirm them; no budget counts them either.
    """

    complete: int = 0
    pruned: int = 0
    failed: int = 0
    running: int = 0
    waiting: int = 0
    due: int = 0
    imported: int = 0
    forgotten: int = 0
    confirmed: int = 0

    @property
    def finished(self) -> int:
        """How many trials have ended for good, which is what a budget of trials is compared with."""
        return self.complete + self.pruned + self.failed


def standing_of(trials: Iterable[Trial]) -> Standing:
    """Where a run stands whose trials all count, each once.

    Example:
        >>> standing_of([Trial(0, {}, State.COMPLETE, 0.5), Trial(1, {}, State.FAILED), Trial(2, {})])
        Standing(complete=1, pruned=0, failed=1, running=1, waiting=0, due=0, imported=0, forgotten=0, confirmed=0)
    """
    states = Counter(trial.state for trial in trials)
    return Standing(
        states[State.COMPLETE],
        states[State.PRUNED],
        states[State.FAILED] + states[State.DIED] + states[State.STOPPED],
        states[State.RUNNING],
        states[State.WAITING],
    )

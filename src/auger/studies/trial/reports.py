"""The intermediate values of a running trial, on their way from what its program prints to whoever keeps them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from auger.studies.definition.value_rules import Ignored, IgnoredReport, ReportedRow, ReportRule

# of a step and the values there, one per objective
OnReport = Callable[..., bool]

# The most intermediate values of a trial: each is a write to the storage, and stays in the memory of all workers.
MOST_REPORTS = 100_000


class Reports:
    """Intermediate values, each step once. What was read waits here until it is passed on.

    Args:
        rule: says which lines hold them; None: none do.
        on_report: is called with each step and its value, or a value per objective, and says whether the trial is to be
            pruned.
        names: of several objectives.

    Attributes:
        ignored: the first line that the rule matches and that was not passed on; None where all were.
    """

    def __init__(self, rule: ReportRule | None, on_report: OnReport | None, names: Sequence[str] = ()) -> None:
        self.ignored: IgnoredReport | None = None
        self._rule, self._on_report, self._names = rule, on_report, names
        self._steps: set[int] = set()
        self._waiting: deque[ReportedRow] = deque()

    @property
    def are_waiting(self) -> bool:
        """Whether there is something to pass on."""
        return bool(self._waiting)

    def read(self, stream: str, text: str) -> None:
        """Take the intermediate values in lines of a stream. A pattern that takes too long raises a NoValueError."""
        if self._on_report is None or self._rule is None or self._rule.stream != stream:
            return
        for report in self._rule.reports(text, self._names):
            if isinstance(report, IgnoredReport):
                self._ignore(report)
            elif len(self._steps) >= MOST_REPORTS:
                self._ignore(IgnoredReport(Ignored.MANY))
            else:
                self._take(*report)

    def pass_on(self, seconds: float) -> bool:
        """Pass on values, for so many seconds at most; True, and the others wait, when the trial is to be pruned."""
        end = time.monotonic() + seconds
        while self._on_report is not None and self._waiting and time.monotonic() < end:
            if self._on_report(*self._waiting.popleft()):
                return True
        return False

    def drop(self, *, is_told: bool = False) -> None:
        """Forget the values that wait; `ignored` may tell."""
        if self._waiting and is_told:
            self._ignore(IgnoredReport(Ignored.LATE))
        self._waiting.clear()

    def _take(self, numbered_step: int | None, *values: float) -> None:
        step = len(self._steps) if numbered_step is None else numbered_step
        if step not in self._steps:
            self._steps.add(step)
            self._waiting.append((step, *values))

    def _ignore(self, report: IgnoredReport) -> None:
        self.ignored = self.ignored or report

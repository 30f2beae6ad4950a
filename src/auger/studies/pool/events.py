"""What happens while a study runs, as small frozen objects that a listener shows, logs, or prints as JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from auger.provenance import Origin
from auger.studies.definition.value_rules import Ignored
from auger.studies.pool.breakdown import Breakdown
from auger.trial import State
from auger.types import Config


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    def to_json(self) -> dict[str, Any]:
        """The event as JSON types, its name under "event"; NaN and infinity, which JSON does not have, as text."""
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        facts = {key: fact.value if isinstance(fact, Enum) else fact for key, fact in asdict(self).items()}
        return {"event": name, **{key: _json(fact) for key, fact in facts.items()}}


def _json(fact: Any) -> Any:
    """A number, or numbers by name, without those that JSON does not have."""
    if isinstance(fact, float) and not math.isfinite(fact):
        return str(fact)
    return {key: _json(part) for key, part in fact.items()} if isinstance(fact, dict) else fact


@dataclass(frozen=True)
class Leader:
    """The best trial so far."""

    number: int
    value: float
    config: Config


@dataclass(frozen=True)
class Front:
    """The trials of several objectives that no other beats in all of them.

    Attributes:
        numbers: of these trials, the best in the first objective first.
        leaders: the best trial in each objective, by its name; empty before the first complete, feasible trial.
    """

    numbers: tuple[int, ...]
    leaders: Mapping[str, Leader]


@dataclass(frozen=True)
class Counts:
    """Where the whole study stands, all its workers together.

    Attributes:
        finished: trials that have ended: the `complete`, `failed` and `pruned` ones.
        running: trials that run at the moment.
        best: None before the first trial with a value, and with several objectives.
        infeasible: how many of the complete trials do not satisfy the outcome constraints.
        front: None with a single objective.
    """

    finished: int
    complete: int
    failed: int
    pruned: int
    running: int
    best: Leader | None
    infeasible: int = 0
    front: Front | None = None


@dataclass(frozen=True)
class Started(Event):
    """Work begins, or goes on after `spent` seconds of earlier work.

    `direction` is that of a single objective, None with several; `objectives` has the direction of each by name, and
    `constraints` the limit of each outcome constraint.
    """

    study: str
    storage: str
    direction: str | None
    trials: int | None
    time: float | None
    spent: float
    workers: int
    counts: Counts
    objectives: Mapping[str, str] = field(default_factory=dict)
    constraints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TrialStarted(Event):
    """A trial of this process begins. `retry_of` is the number of the first attempt, if there was one."""

    number: int
    config: Config
    origin: Origin
    reason: str
    retry_of: int | None
    counts: Counts


@dataclass(frozen=True)
class TrialReported(Event):
    """A trial of this process has reported an intermediate value.

    `value` is None with several objectives, which `values` has by name.
    """

    number: int
    step: int
    value: float | None
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportsIgnored(Event):
    """A trial has ended, and intermediate values of it were ignored: why the first was, and its line."""

    number: int
    why: Ignored
    line: str | None


@dataclass(frozen=True)
class RunFinished(Event):
    """A run of a trial of this process has ended, with this value: the `run`-th of so many runs, from 1 on.

    `numbers` has all that it gave by name; `value` is None with several objectives.
    """

    number: int
    run: int
    of: int
    value: float | None
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TrialFinished(Event):
    """A trial of this process has ended: complete, failed or pruned; or stopped or died, to be run again.

    `is_best` says whether it is the best so far, or, with several objectives, on the front. `numbers` has its values
    and what it gave for each outcome constraint, by name; `value` is None with several objectives.
    """

    number: int
    config: Config
    state: State
    value: float | None
    error: str | None
    seconds: float
    is_best: bool
    counts: Counts
    numbers: Mapping[str, float] = field(default_factory=dict)
    is_feasible: bool = True


@dataclass(frozen=True)
class ValuesEqual(Event):
    """All complete trials so far, of so many different `settings`, have exactly the same values.

    `value` is None with several objectives, which `values` has by name.
    """

    value: float | None
    settings: int
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ValueDoubted(Event):
    """The first value is the last number that the program printed, but another number has the name of a result.

    `line` holds the number that was read, and `named_line` the one that is probably meant; `pattern` would read that,
    None where there is no simple one.
    """

    number: int
    read: str
    line: str
    named: str
    named_line: str
    pattern: str | None


@dataclass(frozen=True)
class TrialLost(Event):
    """Other processes, to which this one seemed dead, have given up its trial; the outcome does not count."""

    number: int


@dataclass(frozen=True)
class TrialGivenUp(Event):
    """The process that ran a trial has died. `state` is that of the result in its folder; died without a result."""

    number: int
    process: str
    state: State


@dataclass(frozen=True)
class StorageLost(Event):
    """The storage does not answer. Results wait."""

    storage: str
    reason: str


@dataclass(frozen=True)
class StorageBack(Event):
    """The storage answers again, after so many `seconds`."""

    storage: str
    seconds: float


@dataclass(frozen=True)
class Stopping(Event):
    """The run was asked to end: it starts no new trials and, when `is_now`, stops the running ones."""

    is_now: bool
    running: int


@dataclass(frozen=True)
class Finished(Event):
    """Work has ended: "trials" or "time" used up, "interrupted", or "broken", which `broken` explains.

    This process has `run` so many trials.
    """

    reason: str
    seconds: float
    run: int
    counts: Counts
    broken: Breakdown | None = None


Listener = Callable[[Event], None]

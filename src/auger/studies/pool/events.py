"""What happens while a study runs, as small frozen things: shown, logged, or printed as JSON by whoever listens."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from auger.types import Config


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    def to_json(self) -> dict[str, Any]:
        """The event as JSON types, its kind under "event"; NaN and infinity, which JSON does not have, as text."""
        kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        facts = asdict(self)
        if isinstance(facts.get("value"), float) and not math.isfinite(facts["value"]):
            facts["value"] = str(facts["value"])
        return {"event": kind, **facts}


@dataclass(frozen=True)
class Leader:
    """The best trial so far."""

    number: int
    value: float
    config: Config


@dataclass(frozen=True)
class Counts:
    """Where the whole study stands, all its workers together.

    Attributes:
        finished: trials that have ended, of which `complete` with a value, `failed`, and `pruned`.
        running: at the moment.
        best: None before the first with a value.
    """

    finished: int
    complete: int
    failed: int
    pruned: int
    running: int
    best: Leader | None


@dataclass(frozen=True)
class Started(Event):
    """Work begins, or goes on where it was left, with so many seconds `spent` already."""

    study: str
    storage: str
    direction: str
    trials: int | None
    time: float | None
    spent: float
    workers: int
    counts: Counts


@dataclass(frozen=True)
class TrialStarted(Event):
    """A trial of ours begins. `retry_of` is the first attempt, when it was tried before."""

    number: int
    config: Config
    origin: str
    reason: str
    retry_of: int | None
    counts: Counts


@dataclass(frozen=True)
class TrialReported(Event):
    """A trial of ours has told a value on the way."""

    number: int
    step: int
    value: float


@dataclass(frozen=True)
class TrialFinished(Event):
    """A trial of ours has ended: "complete", "failed", "pruned", or "stopped", to be run again."""

    number: int
    config: Config
    state: str
    value: float | None
    error: str | None
    seconds: float
    is_best: bool
    counts: Counts


@dataclass(frozen=True)
class TrialLost(Event):
    """Others, who had not heard of us for long, have given up a trial of ours; what came of it does not count."""

    number: int


@dataclass(frozen=True)
class TrialGivenUp(Event):
    """The process that ran a trial has died. `state` is what was found of its result; "died" when there was none."""

    number: int
    process: str
    state: str


@dataclass(frozen=True)
class StorageLost(Event):
    """The storage does not answer. Results wait."""

    storage: str
    reason: str


@dataclass(frozen=True)
class StorageBack(Event):
    """It does again."""

    storage: str
    seconds: float


@dataclass(frozen=True)
class Stopping(Event):
    """Somebody asked us to end: no new trials, or, when `is_now`, the end of those that run."""

    is_now: bool
    running: int


@dataclass(frozen=True)
class Finished(Event):
    """Work has ended: "trials" or "time" used up, or "interrupted". So many trials were `run` here."""

    reason: str
    seconds: float
    run: int
    counts: Counts


Listener = Callable[[Event], None]

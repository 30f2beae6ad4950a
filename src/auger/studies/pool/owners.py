"""Who runs which trial, and which of them are dead.

A trial carries the claim of the process that runs it from the moment it exists. A process of this machine is looked
for by its number and start; of one elsewhere we only see the beat it renews, and for how long it has not, by our own
watch: clocks of two machines are never compared.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: User attributes of a trial: the claim, and the beat that its process renews.
CLAIM, BEAT = "auger:worker", "auger:beat"

#: Seconds between two beats, and without one after which a trial counts as dead.
BEAT_EVERY, DEAD_AFTER = 20.0, 90.0


@dataclass(frozen=True)
class Claim:
    """The process that runs a trial.

    Attributes:
        host: its machine's name, for people.
        machine: what tells two machines apart, two containers with one name and a machine before and after a restart.
        process: its number there, and `started` when, in the system's own words: numbers are used again.
        worker: a random name for it.
        token: a random name for the question it asked: whoever lost the answer finds the trial by it.
    """

    host: str
    machine: str
    process: int
    started: str
    worker: str
    token: str = ""

    def to_json(self) -> dict[str, Any]:
        """The claim as JSON types."""
        return asdict(self)

    @property
    def is_gone(self) -> bool:
        """Whether we can tell that its process is gone: it ran on this machine, and does not any more."""
        return self.machine == _machine() and _started(self.process) != self.started

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


def claim_of(attributes: Mapping[str, Any]) -> Claim | None:
    """The claim among a trial's user attributes; None for a trial that was not started by us."""
    data = attributes.get(CLAIM)
    try:
        return Claim(**data) if isinstance(data, Mapping) else None
    except TypeError:  # of another version
        return None


def new_claim() -> Claim:
    """A claim of this process."""
    process = os.getpid()
    return Claim(socket.gethostname(), _machine(), process, _started(process) or "", uuid.uuid4().hex[:8])


class Watch:
    """Tells which claimed trials have died, by looking at them again and again.

    Args:
        clock: a function that returns seconds.

    Example:
        >>> watch, now = Watch(clock=lambda: now), 0.0
        >>> away = Claim("there", "another machine", 1, "", "w")
        >>> for now in (0.0, 20.0, 40.0, 60.0, 80.0, 100.0):
        ...     dead = watch.dead({7: (away, 1)})
        >>> dead
        [7]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_look = -1e9
        self._silent: dict[int, tuple[Any, float]] = {}  # number -> what we saw, and for how many seconds

    def dead(self, running: Mapping[int, tuple[Claim, Any]]) -> list[int]:
        """Numbers of the dead among running trials, given as number -> (claim, beat)."""
        now = self._clock()
        # nobody is blamed for a time in which we did not look, or could not: the storage was down, or we were suspended
        passed = now - self._last_look if now - self._last_look <= 2 * BEAT_EVERY else 0.0
        self._last_look = now
        silent = {}
        for number, (claim, beat) in running.items():
            seen, seconds = self._silent.get(number, (None, 0.0))
            silent[number] = (claim, beat), seconds + passed if seen == (claim, beat) else 0.0
        self._silent = silent
        return [n for n, ((claim, _), seconds) in silent.items() if claim.is_gone or seconds >= DEAD_AFTER]


@cache
def _machine() -> str:
    """The running system and, in a container, its own numbering of processes."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:  # not Linux
        return f"{socket.gethostname()} {uuid.getnode():x}"


def _started(process: int) -> str | None:
    """When a process started, in the system's own words; None when there is none, or only its corpse."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None if Path("/proc/self/stat").exists() else _started_elsewhere(process)
    state, *rest = text[text.rindex(")") + 2 :].split()  # the name before may hold anything
    return None if state in "ZX" else rest[18]


def _started_elsewhere(process: int) -> str | None:
    done = subprocess.run(["ps", "-o", "lstart=", "-p", str(process)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    return done.stdout.strip() or None


def running_claims(trials: Iterable[Any]) -> dict[int, tuple[Claim, Any]]:
    """Number -> (claim, beat) of the trials that are running and ours."""
    found = {}
    for trial in trials:
        claim = claim_of(trial.user_attrs) if trial.state.name == "RUNNING" else None
        if claim is not None:
            found[trial.number] = (claim, trial.user_attrs.get(BEAT))
    return found

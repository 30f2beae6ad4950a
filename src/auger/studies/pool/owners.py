"""The processes that run trials, and which of them are dead.

A trial names its owner, the process that runs it, from the moment it exists. An owner on this machine is looked up by
its process number and start. Of an owner elsewhere we only see the beat that it renews, and measure by our own clock
how long it has not: clocks of two machines are never compared.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from optuna.trial import FrozenTrial

from auger import text
from auger.hosts.optuna.trials import state_of
from auger.schema import BEAT, WORKER
from auger.trial import State

#: Seconds between two beats, and seconds without a beat after which a trial counts as dead.
BEAT_EVERY, DEAD_AFTER = 20.0, 90.0


@dataclass(frozen=True)
class Owner:
    """The process that runs a trial.

    Attributes:
        host: the name of its machine, for people.
        machine: tells two machines apart, also two containers of one name, and a machine before and after a restart.
        process: its process number there; `started` is when it started, in the system's own format: numbers are reused.
        worker: a random name of the process.
        token: a random name of the question it asked: a process that lost the answer finds the trial by it.
    """

    host: str
    machine: str
    process: int
    started: str
    worker: str
    token: str = ""

    def to_json(self) -> dict[str, Any]:
        """The owner as JSON types."""
        return asdict(self)

    @property
    def is_here(self) -> bool:
        """Whether it ran, or runs, on this machine."""
        return self.machine == machine()

    @property
    def is_gone(self) -> bool:
        """Whether the process is known to be gone: it ran on this machine, and does not any more."""
        return self.is_here and _started(self.process) != self.started

    def __str__(self) -> str:
        return text.worker(self.process, self.host)


def owner_of(attributes: Mapping[str, Any]) -> Owner | None:
    """The owner among the user attributes of a trial; None for a trial that `auger` did not start."""
    data = attributes.get(WORKER)
    try:
        owner = Owner(**data) if isinstance(data, Mapping) else None
    except TypeError:  # of another version
        return None
    is_right = owner is not None and tuple(map(type, astuple(owner))) == (str, str, int, str, str, str)
    return owner if is_right else None  # or of another program


def running_owners(frozen_trials: Iterable[FrozenTrial]) -> dict[int, tuple[Owner, Any]]:
    """The owners of the running trials that `auger` started: number of the trial -> (owner, beat)."""
    owners = {}
    for frozen in frozen_trials:
        owner = owner_of(frozen.user_attrs) if state_of(frozen) is State.RUNNING else None
        if owner is not None:
            owners[frozen.number] = (owner, frozen.user_attrs.get(BEAT))
    return owners


def new_owner() -> Owner:
    """This process as an owner."""
    process = os.getpid()
    return Owner(socket.gethostname(), machine(), process, _started(process) or "", uuid.uuid4().hex[:8])


class Watch:
    """Tells which running trials have died, by looking at them again and again.

    Args:
        clock: a function that returns seconds.

    Example:
        >>> watch, now = Watch(clock=lambda: now), 0.0
        >>> away = Owner("there", "another machine", 1, "", "w")
        >>> for now in (0.0, 20.0, 40.0, 60.0, 80.0, 100.0):
        ...     dead = watch.dead({7: (away, 1)})
        >>> dead
        [7]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_look = -1e9
        # number -> (owner, beat), and for how many seconds they have been the same
        self._silent: dict[int, tuple[tuple[Owner, Any], float]] = {}

    def dead(self, running: Mapping[int, tuple[Owner, Any]]) -> list[int]:
        """Numbers of the dead trials among running ones, which are passed as number -> (owner, beat)."""
        now = self._clock()
        # a time in which we did not look does not count: the storage was down, or this process was suspended
        passed = now - self._last_look if now - self._last_look <= 2 * BEAT_EVERY else 0.0
        self._last_look = now
        silent = {}
        for number, sign_of_life in running.items():
            last, seconds = self._silent.get(number, (None, 0.0))
            silent[number] = sign_of_life, seconds + passed if last == sign_of_life else 0.0
        self._silent = silent
        return [n for n, ((owner, _), seconds) in silent.items() if owner.is_gone or seconds >= DEAD_AFTER]


@cache
def machine() -> str:
    """What tells this machine from others: the running system and, in a container, its own numbering of processes."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:  # not Linux
        return f"{socket.gethostname()} {uuid.getnode():x}"


def _started(process: int) -> str | None:
    """When a process started, in the system's own format; None where there is no such process, or it has ended."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None if Path("/proc/self/stat").exists() else _started_elsewhere(process)
    state, *rest = status[status.rindex(")") + 2 :].split()  # the name before may hold anything
    return None if state in "ZX" else rest[18]


def _started_elsewhere(process: int) -> str | None:
    listing = subprocess.run(["ps", "-o", "lstart=", "-p", str(process)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    return listing.stdout.strip() or None

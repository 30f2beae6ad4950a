"""A child process that leads a session of its own, with everything it starts in it.

A launcher of one line of shell waits until the keeper knows the group, sets the memory limit, and becomes the program:
if we are killed at any moment, either the program has not begun or the keeper ends it. The arguments pass the shell as
its parameters, which it does not look into.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from auger.studies.keeper import KEEPER

_LAUNCHER = 'read -r go || exit 125; [ "$1" = - ] || ulimit -v "$1" || exit 125; shift; exec "$@" </dev/null'


class Group:
    """A running program.

    Args:
        arguments: the program and its arguments.
        environment: all of its variables.
        folder: where it runs.
        memory: bytes of address space that each of its processes may have.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, memory: int | None
    ) -> None:
        _check_program(arguments[0], environment, folder)
        kibibytes = "-" if memory is None else str(max(memory // 1024, 1))
        self._process = subprocess.Popen(  # noqa: S603  (to run what the user asks for is what we are for)
            ["/bin/sh", "-c", _LAUNCHER, "sh", kibibytes, *_kept(environment), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=folder,
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self.streams = {"stdout": self._process.stdout.fileno(), "stderr": self._process.stderr.fileno()}
        for descriptor in self.streams.values():
            os.set_blocking(descriptor, False)
        KEEPER.add(self._process.pid)
        self._process.stdin.write(b"\n")
        self._process.stdin.close()
        self.ended = _when_ended(self._process.pid)

    def has_ended(self) -> bool:
        """Whether the program itself has ended. It is not reaped, so that its number stays its own until `close`."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return self._process.returncode is not None or os.waitid(os.P_PID, self._process.pid, flags) is not None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process of the group."""
        with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            os.killpg(self._process.pid, number)

    def kill(self) -> int:
        """Kill what is left of the group, and return the exit code of the program."""
        self.signal(signal.SIGKILL)
        KEEPER.remove(self._process.pid)
        return self._process.wait()

    def close(self) -> None:
        """Close the streams."""
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        if self.ended is not None:
            os.close(self.ended)


def _when_ended(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, where the system has such a thing."""
    try:
        return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:
        return None


def _check_program(program: str, environment: Mapping[str, str], folder: Path) -> None:
    found = shutil.which(str(folder / program) if os.sep in program else program, path=environment.get("PATH"))
    if found is None:
        raise FileNotFoundError(f"there is no program {program!r}")


def _kept(environment: Mapping[str, str]) -> list[str]:
    """A shell drops variables whose names it could not use itself, such as "a.b"; `env` sets them again."""
    odd = [f"{name}={value}" for name, value in environment.items() if not re.fullmatch(r"[A-Za-z_]\w*", name, re.A)]
    return ["env", *odd] if odd else []

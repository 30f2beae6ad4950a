"""A child process that leads a session of its own, with everything it starts in it.

A launcher of one line of shell waits until the keeper knows the group, sets the memory limit, and becomes the program:
if we are killed at any moment, either the program has not begun or the keeper ends it. The arguments pass the shell as
its parameters, which it does not look into.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from auger.studies.trial.reaper import KEEPER

_LAUNCHER = 'read -r go || exit 125; [ "$1" = - ] || ulimit -v "$1" || exit 125; shift; exec "$@" </dev/null'


class Group:
    """A running program.

    Args:
        arguments: the program and its arguments.
        environment: all of its variables.
        folder: where it runs.
        memory: bytes of address space that each of its processes may have.

    Attributes:
        streams: "stdout" and "stderr", as descriptors that do not block.
        ended: a descriptor that can be read from when the program has ended; None where the system has none.

    Raises:
        OSError, ValueError: it cannot be started.
    """

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, memory: int | None
    ) -> None:
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
        self.ended: int | None = None
        try:
            for descriptor in self.streams.values():
                os.set_blocking(descriptor, False)
            self.ended = _when_ended(self._process.pid)
            KEEPER.add(self._process.pid)
            with suppress(BrokenPipeError):  # killed already, which is seen soon enough
                self._process.stdin.write(b"\n")
        except BaseException:
            self.kill()
            self.close()
            raise
        finally:
            self._process.stdin.close()

    def has_ended(self) -> bool:
        """Whether the program itself has ended. It is not reaped, so that its number stays its own until `kill`."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:  # reaped by the system, where we were told to ignore children
            return True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process of the group."""
        with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            os.killpg(self._process.pid, number)

    def kill(self) -> int:
        """Kill what is left of the group, and return the exit code of the program."""
        if self._process.returncode is None:  # once reaped, its number may be another's
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
    try:
        return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:  # a kernel older than the function
        return None


def _kept(environment: Mapping[str, str]) -> list[str]:
    """A shell drops variables whose names it could not use itself, such as "a.b"; `env` sets them again."""
    odd = [f"{name}={value}" for name, value in environment.items() if not re.fullmatch(r"[A-Za-z_]\w*", name, re.A)]
    return ["env", *odd] if odd else []

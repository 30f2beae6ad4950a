"""A program in a session and process group of its own, together with every process that it starts.

A launcher, one line of shell, waits until the reaper knows the group, sets the memory limit, and becomes the program:
when this process is killed at any moment, either the program has not begun or the reaper ends it. The arguments reach
the launcher as parameters, which a shell does not interpret.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from auger.studies.trial.reaper import REAPER

_LAUNCHER = 'read -r go || exit 125; [ "$1" = - ] || ulimit -v "$1" || exit 125; shift; exec "$@" </dev/null'


class ProcessGroup:
    """A running program.

    Args:
        arguments: the program and its arguments.
        environment: all of its variables.
        folder: the working directory.
        memory: bytes of address space that each process may have; None for no limit.

    Attributes:
        streams: "stdout" and "stderr", as descriptors that do not block.
        ended: a descriptor that becomes readable when the program has ended; None where the system has none.

    Raises:
        OSError, ValueError: the program cannot be started.
    """

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, memory: int | None
    ) -> None:
        kibibytes = "-" if memory is None else str(max(memory // 1024, 1))
        self._process = subprocess.Popen(  # noqa: S603  (the command is the user's own)
            ["/bin/sh", "-c", _LAUNCHER, "sh", kibibytes, *_env_command(environment), *arguments],
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
            self.ended = _end_descriptor(self._process.pid)
            REAPER.add(self._process.pid)
            with suppress(BrokenPipeError):  # killed already: `has_ended` tells
                self._process.stdin.write(b"\n")
        except BaseException:
            self.kill()
            self.close()
            raise
        finally:
            self._process.stdin.close()

    def has_ended(self) -> bool:
        """Whether the program itself has ended. `kill` reaps it: until then no other process can get its number."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:  # reaped by the system, where SIGCHLD is ignored
            return True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process of the group, unless `kill` has: another process may have its number."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError, PermissionError):  # PermissionError: macOS, for a group of zombies
            os.killpg(self._process.pid, number)

    def kill(self) -> int:
        """Kill what is left of the group, and return the exit code of the program."""
        if self._process.returncode is None:  # once reaped, another process may have its number
            self.signal(signal.SIGKILL)
            REAPER.remove(self._process.pid)
        return self._process.wait()

    def close(self) -> None:
        """Close the streams."""
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        if self.ended is not None:
            os.close(self.ended)


def _end_descriptor(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:  # a kernel older than the function
        return None


def _env_command(environment: Mapping[str, str]) -> list[str]:
    """An `env` command that sets the variables which the shell drops because of their names, such as "a.b"."""
    odd = [f"{name}={value}" for name, value in environment.items() if not re.fullmatch(r"[A-Za-z_]\w*", name, re.A)]
    return ["env", *odd] if odd else []

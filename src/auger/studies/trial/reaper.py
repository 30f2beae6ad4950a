"""The reaper: a small process that kills the programs of the trials when this process dies, by ``kill -9`` included.

It reads from a pipe which process groups run. The system closes the pipe when this process dies; the reaper then kills
the groups that still run, and exits. It is a shell script of a few lines: a megabyte of memory, a millisecond to start,
one reaper for all trials of a worker.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from contextlib import suppress
from typing import BinaryIO

_SCRIPT = """
trap '' INT TERM HUP QUIT
groups=
while read -r sign group; do
  kept=
  for other in $groups; do [ "$other" = "$group" ] || kept="$kept $other"; done
  groups=$kept
  [ "$sign" = - ] || groups="$groups $group"
done
for group in $groups; do kill -9 "-$group"; done
"""


class Reaper:
    """Starts the reaper process when it is first needed, and again when it has died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: BinaryIO | None = None  # to the process

    def add(self, group: int) -> None:
        """Let the group die with this process from now on."""
        with self._lock:
            self._groups.add(group)
            if not self._tell(f"+ {group}\n"):
                self._start()

    def remove(self, group: int) -> None:
        """Forget a group that has ended."""
        with self._lock:
            self._groups.discard(group)
            self._tell(f"- {group}\n")

    def renew(self) -> None:
        """Start the reaper process again if it was killed while groups run; nothing where no process can start now."""
        with self._lock, suppress(OSError):
            if self._groups and not self._tell(""):
                self._start()

    @property
    def pid(self) -> int | None:
        """The number of the reaper process; None while there is none."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the reaper process, and with it the groups that still run."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and self._pipe is not None:
            self._pipe.close()
            process.wait()

    def _tell(self, lines: str) -> bool:
        """Send lines to the reaper process; False when there is none."""
        if self._process is None or self._pipe is None:
            return False
        if self._process.poll() is None:
            with suppress(BrokenPipeError):
                self._pipe.write(lines.encode())
                return True
        self._pipe.close()
        self._process.wait()
        self._process = None
        return False

    def _start(self) -> None:
        """Start the reaper process, which finds all groups in its pipe: there is no moment at which it knows none."""
        atexit.unregister(self.close)
        atexit.register(self.close)
        end, start = os.pipe()
        pipe = open(start, "wb", buffering=0)  # noqa: SIM115
        pipe.write("".join(f"+ {group}\n" for group in self._groups).encode())
        try:
            self._process = subprocess.Popen(  # noqa: S603
                ["/bin/sh", "-c", _SCRIPT, "auger-reaper"],
                stdin=end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            pipe.close()
            raise
        finally:
            os.close(end)
        self._pipe = pipe


REAPER = Reaper()

"""The reaper: a small process that kills the programs of the trials when this process dies, by ``kill -9`` included.

It reads from a pipe which process groups run. The system closes the pipe when this process dies; the reaper then kills
the groups that still run, and exits. It is a shell script of a few lines: a megabyte of memory, a millisecond to start,
one reaper for all trials of a worker.
"""

from __future__ import annotations

import atexit
import subprocess
import threading
from contextlib import suppress

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
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.wait()

    def _tell(self, lines: str) -> bool:
        """Send lines to the reaper process; False when there is none."""
        if self._process is None or self._process.stdin is None:
            return False
        if self._process.poll() is None:
            with suppress(BrokenPipeError):
                self._process.stdin.write(lines.encode())
                return True
        self._process.stdin.close()
        self._process.wait()
        self._process = None
        return False

    def _start(self) -> None:
        """Start the reaper process, which learns of all groups."""
        atexit.unregister(self.close)
        atexit.register(self.close)
        self._process = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _SCRIPT, "auger-reaper"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            start_new_session=True,
        )
        self._tell("".join(f"+ {group}\n" for group in self._groups))


REAPER = Reaper()

"""The keeper: a tiny process that ends our children when we are killed without a chance to do it ourselves.

It reads from a pipe which process groups run. The pipe ends with us, however we end, kill -9 included; the keeper then
kills the groups it knows and goes. It is a shell script of a few lines: a megabyte of memory, a millisecond to start,
one for all trials of a worker.
"""

from __future__ import annotations

import atexit
import subprocess
import threading

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


class Keeper:
    """Starts the process when it is first needed, and again should it be gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """From now on the group ends with us."""
        with self._lock:
            self._groups.add(group)
            if not self._tell(f"+ {group}\n"):
                self._process = self._started()
                self._tell("".join(f"+ {known}\n" for known in self._groups))

    def remove(self, group: int) -> None:
        """The group has ended."""
        with self._lock:
            self._groups.discard(group)
            self._tell(f"- {group}\n")

    @property
    def pid(self) -> int | None:
        """Of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the process, and with it what still runs."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.wait()

    def _tell(self, lines: str) -> bool:
        """Whether there is a process that has been told."""
        if self._process is None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(lines.encode())
        except BrokenPipeError:
            self._process.stdin.close()
            self._process.wait()
            self._process = None
        return self._process is not None

    def _started(self) -> subprocess.Popen[bytes]:
        atexit.unregister(self.close)
        atexit.register(self.close)
        return subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _SCRIPT, "auger-keeper"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            start_new_session=True,
        )


KEEPER = Keeper()

"""A small disk of its own, in a mount namespace of its own, as root or as anybody."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

ENTER = "mount -t tmpfs -o size={size} auger-disk {folder} && echo ready && exec sleep infinity"


class Disk:
    """A file system of `size` bytes over `folder`; seen by programs started with `prefix`, and by us under `path`."""

    def __init__(self, folder, size):
        namespace = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]
        script = ENTER.format(size=size, folder=folder)
        self.holder = subprocess.Popen([*namespace, "sh", "-c", script], stdout=subprocess.PIPE)
        if self.holder.stdout.readline() != b"ready\n":
            self.close()
            raise RuntimeError("cannot mount a small disk: needs root, or user namespaces (`unshare -rm true`)")
        enter = ["-m"] if os.getuid() == 0 else ["-U", "--preserve-credentials", "-m"]
        # a namespace is entered at its root: go back to where we were, by name, to see the disk from there
        inside = ["sh", "-c", 'cd "$0" && exec "$@"', folder.parent]
        self.prefix = ["nsenter", "-t", self.holder.pid, *enter, *inside]
        self.path = Path(f"/proc/{self.holder.pid}/root{folder}")

    def fill(self):
        """Leave not a byte."""
        with (self.path / "filler").open("ab", buffering=0) as filler:
            for size in (65536, 4096, 1):
                with contextlib.suppress(OSError):
                    while filler.write(b"x" * size):
                        pass

    def free(self):
        (self.path / "filler").unlink()

    def close(self):
        os.kill(self.holder.pid, signal.SIGKILL)
        self.holder.wait()
        self.holder.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

"""`auger` in a real terminal: a pty that is its controlling terminal, as in a window or in tmux."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import threading

from faults.scene import Auger


class InTerminal(Auger):
    """What it writes, to stdout or stderr, is on the screen."""

    def __init__(self, command, *, folder, environment, number, size=(24, 80)):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *command],  # becomes the command, in a session of its own with stdin for a terminal
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**environment, "TERM": "xterm-256color"},
        )
        os.close(slave)
        self.pid = self.process.pid
        self.written = bytearray()
        self.is_open = True
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        """Somebody must look at the screen: a terminal whose buffer is full stops what writes to it."""
        while self.is_open:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            try:
                self.written += os.read(self.master, 65536) if ready else b""
            except OSError:  # EIO: whoever wrote to it is gone
                return

    @property
    def stdout(self):
        return self.written.decode(errors="replace")

    stderr = stdout

    def type(self, keys):
        """Press keys; of Ctrl-C the kernel makes a signal, for the group in the foreground."""
        os.write(self.master, keys)

    def interrupt(self, what=None):
        self.type(b"\x03")

    def hang_up(self):
        """Close the window."""
        if self.is_open:
            self.is_open = False
            self.reader.join()
            os.close(self.master)

    def close(self):
        super().close()
        self.hang_up()

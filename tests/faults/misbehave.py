"""A trial that does what its argument says. Run as a program, never imported."""

import os
import signal
import subprocess
import sys


def fine():
    print(0.5)


def hang():
    signal.pause()


def stubborn():
    """Hang, and not care for being asked to stop."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def families():
    """Hang, with children and grandchildren that hang."""
    subprocess.run(["sh", "-c", "sleep 1000 & sleep 1000 & wait"], check=False)


def orphans():
    """End well, and leave processes behind that hold its output open."""
    subprocess.Popen(["sh", "-c", "trap '' TERM HUP; sleep 1000 & sleep 1000"])
    print(1.5)


def flood():
    """A hundred megabytes in short lines, and then the value."""
    for _ in range(1000):
        sys.stdout.write("noise 123\n" * 10_000)
    print(2.5)


def one_line():
    """A hundred megabytes without an end of line, and then the value."""
    for _ in range(1000):
        sys.stdout.write("x" * 100_000)
    print("\n3.5")


def flood_of_errors():
    for _ in range(1000):
        sys.stderr.write("warning!\n" * 11_000)
    print(4.5)


def binary():
    """Bytes that are no text, and then the value."""
    sys.stdout.buffer.write(bytes(range(256)) * 10 + b"\n5.5\n")


def nan():
    print("nan")


def infinity():
    print("inf")


def nothing():
    pass


def words():
    print("no figures today")


def exit_1():
    print(6.5)
    sys.exit("the reason it gave")


def abort():
    print(7.5)
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGABRT)


def memory():
    """A gigabyte."""
    print(len(b"x" * 2**30))


if __name__ == "__main__":
    globals()[sys.argv[1]]()

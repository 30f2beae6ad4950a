"""The help that a program prints. The program is run with ``--help`` and in no other way."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from auger.errors import StudyError
from auger.studies.trial.program import find_program, inherited_environment

# Seconds that a program may take to print its help: some import large libraries first.
TIME_LIMIT = 60.0

# The most bytes of help that are read: a program may print without end.
_LONGEST = 4 * 2**20

# Programs that would run the text after -c, and take --help for an argument of it.
_RUNS_TEXT = ("sh", "bash", "dash", "zsh", "ksh", "fish", "python", "perl", "ruby", "node")


def help_text(words: Sequence[str], home: Path, *, time_limit: float = TIME_LIMIT) -> str:
    """What a program prints on stdout and stderr when ``--help`` is added to its arguments.

    Args:
        words: the program and its arguments.
        home: the folder to run it in.
        time_limit: seconds after which it is killed, with all processes that it has started.
    """
    if len(words) > 1 and PurePath(words[0]).name.rstrip("0123456789.") in _RUNS_TEXT and "-c" in words[1:]:
        raise StudyError(f"{words[0]} -c runs what follows it, whatever its help is. Write the study file by hand.")
    environment = inherited_environment()
    if find_program(words[0], environment, home) is None:
        raise StudyError(f"There is no program {words[0]!r}, neither on the PATH nor in {home}.")
    # one line per option, without colors
    environment |= {"COLUMNS": "240", "TERM": "dumb", "NO_COLOR": "1"}
    process = subprocess.Popen(  # noqa: S603  (the command is the user's own)
        [*words, "--help"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=home,
        start_new_session=True,
    )
    command, end, output = shlex.join([*words, "--help"]), time.monotonic() + time_limit, b""
    assert process.stdout is not None
    try:
        while part := _read(process.stdout.fileno(), end - time.monotonic()):
            output += part
            if len(output) > _LONGEST:
                raise StudyError(f"{command} prints more than {_LONGEST // 2**20} MiB.")
        process.wait(max(end - time.monotonic(), 0.0))
    except (TimeoutError, subprocess.TimeoutExpired):
        raise StudyError(f"{command} has not ended after {time_limit:g} s.") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    return output.decode(errors="replace")


def _read(descriptor: int, seconds: float) -> bytes:
    """What a program has printed meanwhile; nothing once it has closed its output. Raises a TimeoutError."""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        if seconds <= 0 or not selector.select(seconds):
            raise TimeoutError
    return os.read(descriptor, 2**16)

"""Programs that are tuned: well-behaved ones that keep a diary, and the other kind.

A diary is a file `runs` beside the study file: a line when a trial starts, with its process, and one when it ends. The
trials write it themselves, so it tells what ran, whatever the storage says.
"""

from collections import Counter
from dataclasses import dataclass

DIARY = 'echo "start $AUGER_TRIAL $$ $1" >>runs; {body}; echo "end $AUGER_TRIAL $$ $1" >>runs'


def shell(body, *arguments):
    return ["sh", "-c", body, "trial", *arguments]


def diary(body, *arguments):
    """A shell program around `body`; its first argument names the configuration."""
    return shell(DIARY.format(body=body), *(arguments or ["{x}"]))


GATE = "while [ ! -e gate ]; do sleep 0.05; done"  # goes on when the test says so
QUICK = diary('echo "$1"')
GATED_SEVERAL = diary(f'{GATE}; echo "size $1, speed -$1"; sleep 0.1; echo "memory_mb: $1"')
GATED = diary(f'{GATE}; echo "$1"')


@dataclass(frozen=True)
class Entry:
    what: str
    trial: int
    pid: int
    config: str


def entries(folder):
    """The diary so far."""
    try:
        lines = (folder / "runs").read_text().splitlines()
    except FileNotFoundError:
        return []
    parts = [line.split(" ", 3) for line in lines]
    return [Entry(what, int(trial), int(pid), config) for what, trial, pid, config in parts]


def started(folder):
    return [entry for entry in entries(folder) if entry.what == "start"]


def ended(folder):
    return [entry for entry in entries(folder) if entry.what == "end"]


def starts(folder):
    """How often each configuration was started."""
    return Counter(entry.config for entry in started(folder))


def python(code, *arguments):
    """-S and -E: nothing but the interpreter, to start in a few milliseconds."""
    return ["python3", "-S", "-E", "-c", code, *arguments]

"""Definitions of studies whose programs are one line, and the outcome of running them."""

import resource
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

from auger import Space
from auger.studies.definition import Command, Definition, Limits
from auger.studies.trial import run_trial

SPACE = Space({"x": (0.0, 1.0)})
CONFIG = {"x": 0.5}
HEAD = '[study]\nname = "small"\n[command]\nrun = ["true", "{x}"]\n[space]\nx = { type = "float", low = 0, high = 1 }\n'


def program(folder: Path, *run, time=None, memory=None, space=SPACE, **settings) -> Definition:
    """A study of an argument list; it need not use its parameter."""
    command = Command(run, config=True, environment=settings.pop("environment", {}))
    return Definition("small", space, command, str(folder), limits=Limits(time, memory), **settings)


def shell(folder: Path, script: str, **settings) -> Definition:
    """A study of a shell script."""
    return program(folder, "sh", "-c", script.replace("{", "{{").replace("}", "}}"), **settings)


def python(folder: Path, script: str, **settings) -> Definition:
    """A study of a Python script that needs the standard library only."""
    return program(folder, sys.executable, "-S", "-c", script.replace("{", "{{").replace("}", "}}"), **settings)


def outcome(definition: Definition, config=None, *, number=0, on_report=None, stop=None, slot=None):
    """Run one trial."""
    stop = stop or threading.Event()
    return run_trial(definition, number, config or CONFIG, on_report=on_report, stop=stop, slot=slot)


def printed(definition: Definition, number=0, stream="stdout") -> str:
    """What a trial's file holds."""
    return (definition.trials_folder / str(number) / stream).read_text()


def write(folder: Path, text: str, name="study.toml") -> Path:
    """A study file."""
    path = folder / name
    path.write_text(text)
    return path


@contextmanager
def no_space(n_bytes):
    """Files can grow to so many bytes only, as on a disk that is almost full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

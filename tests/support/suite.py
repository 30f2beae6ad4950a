"""How the tests are run: in how many processes, and what is said about those that cannot run here."""

import os
from collections import Counter
from pathlib import Path

import pytest

#: With fewer files than this, starting processes takes longer than they save.
FEW_FILES = 10

#: What all quick tests take in minutes of one core.
CORE_MINUTES = 28


def n_cores():
    """The cores that this process may use, those of hyper-threading included."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def n_files(args):
    """How many files with tests some arguments of pytest name, up to `FEW_FILES`: they are files, folders or nodes."""
    files = set()
    for path in (Path(arg.split("::")[0]) for arg in args):
        for file in [path] if path.is_file() else path.rglob("test_*.py"):
            files.add(file.resolve())
            if len(files) >= FEW_FILES:
                return len(files)
    return len(files)


def n_workers(args, *, cores=None):
    """Processes for these arguments of pytest; 0 where this one is enough.

    PYTEST_XDIST_AUTO_NUM_WORKERS has the last word, as it has for ``-n auto``.
    """
    wanted = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS", "")
    cores = int(wanted) if wanted.isdecimal() else cores or n_cores()
    return cores if cores > 1 and n_files(args) >= FEW_FILES else 0


def expected(n_workers):
    """What to expect of a run of all tests."""
    cores = max(n_workers, 1)
    minutes = max(round(CORE_MINUTES / cores), 1)
    return f"all tests on {cores} {'core' if cores == 1 else 'cores'}: about {minutes} min where nothing else runs"


def needs(what, remedy, *, is_optional=False):
    """Skip a test because something is missing. In CI that is an error, unless it is optional there, too."""
    message = f"needs {what} ({remedy})"
    if os.environ.get("CI") and not is_optional:
        pytest.fail(message)
    pytest.skip(message)


def skipped_line(reasons):
    """One line about the tests that were skipped: how many lack what, and how to get it; empty without any."""
    counts = Counter(reason.removeprefix("Skipped: ") for reason in reasons)
    parts = [
        f"{n} {'needs' if n == 1 else 'need'} {reason.removeprefix('needs ')}"
        if reason.startswith("needs ")
        else f"{n} because {reason}"
        for reason, n in counts.most_common()
    ]
    total = sum(counts.values())
    return f"{total} {'test was' if total == 1 else 'tests were'} skipped: {'; '.join(parts)}" if total else ""

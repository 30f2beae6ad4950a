import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import settings
from support import suite

# No dice in a test: the same examples every time. `--hypothesis-profile=explore` goes looking for new ones.
settings.register_profile("repeatable", max_examples=60, derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("repeatable")

# A job in the background of a script ignores Ctrl-C, and so would all that tests start and want to interrupt. With a
# handler that does nothing we go on to ignore it, and they do not.
if threading.current_thread() is threading.main_thread():
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Use all cores for many tests, with pytest-xdist where it is installed; `-n 0` is for this process alone."""
    option = config.option
    is_debugging = option.usepdb or option.trace or option.collectonly or option.help
    is_worker = hasattr(config, "workerinput")
    if getattr(option, "numprocesses", 0) is not None or is_debugging or is_worker:
        return
    option.numprocesses = suite.n_workers(config.args)
    if option.numprocesses:
        option.dist = "worksteal"
        for library in ("OPENBLAS", "OMP", "MKL"):  # as many processes as cores: threads would wait for each other
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def pytest_collection_modifyitems(items):
    """Tests that wait for processes come first: beside them another process of tests has enough to do."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/faults/"))


def pytest_report_header(config):
    """How long all tests take."""
    if config.args_source is not config.ArgsSource.ARGS and not config.option.keyword:
        return suite.expected(getattr(config.option, "numprocesses", 0) or 0)
    return None


BESIDE = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def data(monkeypatch):
    """The folder of benchmark data, named by AUGER_DATA for the length of a test."""
    folder = Path(os.environ.get("AUGER_DATA") or BESIDE)
    if not folder.is_dir():
        suite.needs("the benchmark data", "set AUGER_DATA to its folder: docs/problems.md", is_optional=True)
    monkeypatch.setenv("AUGER_DATA", str(folder))
    return folder


def pytest_terminal_summary(terminalreporter):
    """Show what tests have counted: trials run under faults, lost, run twice; and, in one line, what was skipped."""
    reports = [report for report in terminalreporter.getreports("passed") if report.when == "call"]
    lines = [text for report in reports for key, text in report.user_properties if key == "figures"]
    if lines:
        terminalreporter.section("counted under faults")
        for line in sorted(lines):
            terminalreporter.write_line(line)
    skipped = suite.skipped_line(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    if skipped:
        terminalreporter.write_line(skipped, yellow=True)

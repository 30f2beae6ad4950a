import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import settings

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

BESIDE = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def data(monkeypatch):
    """The folder of benchmark data, named by AUGER_DATA for the length of a test."""
    folder = Path(os.environ.get("AUGER_DATA") or BESIDE)
    if not folder.is_dir():
        pytest.skip(f"needs the benchmark data: no folder {folder}; set AUGER_DATA to one")
    monkeypatch.setenv("AUGER_DATA", str(folder))
    return folder


def pytest_terminal_summary(terminalreporter):
    """Show what tests have counted: trials run under faults, lost, run twice."""
    reports = [report for report in terminalreporter.getreports("passed") if report.when == "call"]
    lines = [text for report in reports for key, text in report.user_properties if key == "figures"]
    if lines:
        terminalreporter.section("counted under faults")
        for line in sorted(lines):
            terminalreporter.write_line(line)

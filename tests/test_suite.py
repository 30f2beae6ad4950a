"""The tests themselves: on how many cores they run, and what is said about those that cannot."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import suite

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("args", "cores", "n"),
    [
        (["tests"], 2, 2),
        (["tests"], 8, 8),
        (["tests"], 1, 0),
        (["tests/test_suite.py"], 8, 0),
        (["tests/test_suite.py::test_nothing", "tests/test_schema.py"], 8, 0),
        (["tests/docs"], 8, 0),
        (["tests/hosts", "tests/test_schema.py"], 8, 8),
    ],
)
def test_many_files_run_on_all_cores_and_few_in_one_process(monkeypatch, args, cores, n):
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.chdir(HERE.parent)
    assert suite.n_workers(args, cores=cores) == n


def test_the_number_of_processes_can_be_set(monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "3")
    assert suite.n_workers([str(HERE)], cores=64) == 3


def test_the_head_of_a_run_says_how_long_it_takes():
    assert suite.expected(0) == "all tests on 1 core: about 28 min where nothing else runs"
    assert suite.expected(2) == "all tests on 2 cores: about 14 min where nothing else runs"


def test_one_line_says_what_was_skipped_and_how_to_get_it():
    reasons = ["needs Chromium (apt-get install chromium)"] * 30 + ["Skipped: needs PostgreSQL (apt-get install it)"]
    assert suite.skipped_line([*reasons, "Windows has no fork"]) == (
        "32 tests were skipped: 30 need Chromium (apt-get install chromium); 1 needs PostgreSQL (apt-get install it); "
        "1 because Windows has no fork"
    )
    assert suite.skipped_line([]) == ""


def run(tmp_path, *args, **environment):
    """pytest in a process of its own, where neither Chromium nor PostgreSQL nor data is to be found."""
    script = (
        "import sys, pathlib, pytest; glob = pathlib.Path.glob; "
        "pathlib.Path.glob = lambda self, *args: [] if 'postgresql' in str(self) else glob(self, *args); "
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", script, "-p", "no:cacheprovider", *args],
        cwd=HERE.parent,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path), "AUGER_DATA": str(tmp_path / "none"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_without_browser_and_server_passes_and_says_so_in_one_line(tmp_path):
    done = run(tmp_path, "tests/report/test_browser.py", "tests/faults/test_postgres.py", "-k", "on_paper or killed")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if "skipped:" in line]
    assert len(lines) == 1
    assert "need the browser Chromium (apt-get install chromium)" in lines[0].replace("1 needs", "1 need")
    assert "need PostgreSQL (apt-get install postgresql)" in lines[0].replace("1 needs", "1 need")


def test_in_ci_what_is_missing_is_an_error(tmp_path):
    done = run(tmp_path, "tests/report/test_browser.py", "-k", "on_paper", CI="1")
    assert done.returncode == 1
    assert "needs the browser Chromium (apt-get install chromium)" in done.stdout


@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
@pytest.mark.parametrize(("more", "has_workers"), [([], True), (["-n", "0"], False)])
def test_a_run_of_many_files_has_workers_unless_it_is_told_not_to(tmp_path, more, has_workers):
    few_of_many = ["tests/space", "tests/gaussian_process", "-k", "matern_is"]
    done = run(tmp_path, *few_of_many, *more, PYTEST_XDIST_AUTO_NUM_WORKERS="2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("2 workers" in done.stdout) == has_workers

"""What the report, `status`, `trials` and the end of `auger tune` say about one study agrees."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from support.command_line import auger, inside, write_study
from support.processes import wait_until


@pytest.fixture(scope="module")
def rerun(tmp_path_factory):
    """A study of six trials, one of which failed; its process was killed in the third, and a result was imported."""
    folder = tmp_path_factory.mktemp("rerun")
    wait = 'test "$AUGER_TRIAL" != 2 || sleep 60; test "$AUGER_TRIAL" != 1 || exit 3; echo $1'
    write_study(folder, trials=6, script=wait)
    command = [sys.executable, "-m", "auger", "tune", "small.toml"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_until((folder / "small.trials" / "2" / "stdout").exists)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (folder / "old.csv").write_text("x,kind,value\n0.9,$c,0.9\n")
    assert auger("import", "old.csv", "small.toml", cwd=folder).returncode == 0
    return folder, auger("tune", "small.toml", cwd=folder)


def test_a_trial_that_was_run_again_counts_once_everywhere(rerun):
    folder, run = rerun
    assert "Done: 6 trials (1 failed)" in run.stderr
    status = json.loads(inside("status", "small.toml", "--json", cwd=folder).stdout)
    assert (status["finished"], status["complete"], status["failed"], status["imported"]) == (6, 5, 1, 1)
    rows = list(csv.DictReader(io.StringIO(inside("trials", "small.toml", "--csv", cwd=folder).stdout)))
    assert sorted(row["state"] for row in rows) == ["complete"] * 6 + ["died", "failed"]  # one of them imported
    inside("report", "small.toml", "--out", "report.html", cwd=folder)
    page = (folder / "report.html").read_text(encoding="utf-8").partition('id="data"')[0]
    said = re.sub(r"<[^>]*>", " ", page)
    assert "6 of 6 trials finished" in said and "1 trial of 6 failed" in said
    assert re.search(r"Trials\s+6 of 6\s+5 complete, 1 failed, 1 imported", said)


def test_the_csv_of_a_study_imported_into_it_adds_nothing(rerun):
    folder, _ = rerun
    (folder / "own.csv").write_text(inside("trials", "small.toml", "--csv", cwd=folder).stdout)
    assert "Imported 0 results" in inside("import", "own.csv", "small.toml", cwd=folder).stderr

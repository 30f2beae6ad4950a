import os
import signal
import subprocess
import sys

import optuna
import pytest
from support.command_line import auger, inside, write_study
from support.processes import wait_until

from auger.errors import AugerError, StorageError, StudyError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a study was run."""
    folder = tmp_path_factory.mktemp("reported")
    write_study(folder, trials=6, script='test "$2" = "a b" || exit 3; echo $1')
    assert auger("tune", "small.toml", cwd=folder).returncode == 0
    return folder


def test_the_report_is_beside_the_study_file_and_its_path_on_stdout(folder, tmp_path):
    run = inside("report", folder / "small.toml", cwd=tmp_path)
    assert run.exit_code == 0 and run.stdout == f"{folder / 'small.html'}\n" and run.stderr == ""
    page = (folder / "small.html").read_text(encoding="utf-8")
    assert "<title>small</title>" in page and "better than the defaults" in page and "exit code 3" in page


def test_the_report_of_a_storage_is_here_or_where_it_is_wanted(folder, tmp_path):
    journal = folder / "small.journal"
    assert inside("report", journal, cwd=tmp_path).stdout == "small.html\n"
    assert inside("report", journal, "small", "--out", tmp_path, cwd=folder).stdout == f"{tmp_path / 'small.html'}\n"
    assert inside("report", journal, "--out", "a.html", cwd=tmp_path).stdout == "a.html\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "small.html"]


def test_studies_of_plain_optuna_are_reported_too(tmp_path):
    storage = f"sqlite:///{tmp_path / 'theirs.db'}"
    for name in ("../one/two", "three"):
        study = optuna.create_study(storage=storage, study_name=name, sampler=optuna.samplers.RandomSampler(seed=0))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    run = inside("report", storage, "../one/two", cwd=tmp_path)
    assert run.stdout == "-one-two.html\n"
    assert "<title>../one/two</title>" in (tmp_path / "-one-two.html").read_text(encoding="utf-8")
    with pytest.raises(StudyError, match="Add the name of one: '../one/two', 'three'"):
        inside("report", storage, cwd=tmp_path)
    with pytest.raises(StudyError, match="There is no study 'four'"):
        inside("report", storage, "four", cwd=tmp_path)


def test_what_is_no_page_is_never_overwritten(folder):
    before = (folder / "small.journal").read_bytes()
    with pytest.raises(AugerError, match="small.journal exists and is not an HTML page, so it was not overwritten"):
        inside("report", "small.toml", "--out", "small.journal", cwd=folder)
    assert (folder / "small.journal").read_bytes() == before
    with pytest.raises(AugerError, match="The folder none does not exist"):
        inside("report", "small.toml", "--out", "none/page.html", cwd=folder)


def test_a_study_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StorageError, match="There is no storage"):
        inside("report", "none.journal", cwd=tmp_path)
    write_study(tmp_path)
    with pytest.raises(StorageError, match="There is no storage"):
        inside("report", "small.toml", cwd=tmp_path)


def test_errors_have_the_exit_codes_of_other_commands(tmp_path):
    missing = auger("report", "none.toml", cwd=tmp_path)
    assert missing.returncode == 2 and missing.stderr.startswith("auger: ") and "Traceback" not in missing.stderr
    unreachable = auger("report", "postgresql://me:secret@127.0.0.1:1/none", cwd=tmp_path)
    assert unreachable.returncode == 3 and "secret" not in unreachable.stderr and "Traceback" not in unreachable.stderr


def test_the_page_is_shown_in_the_browser_of_the_reader(folder, tmp_path, monkeypatch):
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > opened\n')
    browser.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(browser)}
    run = auger("report", folder / "small.journal", "--open", cwd=tmp_path, env=environment)
    assert run.returncode == 0
    assert (tmp_path / "opened").read_text() == f"{(tmp_path / 'small.html').as_uri()}\n"


def watching(folder, *arguments):
    command = [sys.executable, "-m", "auger", "report", *arguments, "--watch", "--every", "1"]
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        return subprocess.Popen(command, cwd=folder, stdout=out, stderr=err)


def is_refreshed(page):
    return 'data-refresh=""' not in page.read_text(encoding="utf-8")


def test_watching_a_study_that_is_done_writes_it_once(folder):
    with watching(folder, "small.toml") as run:
        assert run.wait() == 0
    assert (folder / "out").read_text() == "small.html\n"
    assert (folder / "err").read_text() == "small is done.\n"
    assert not is_refreshed(folder / "small.html")


def test_a_study_is_watched_through_changes_and_losses_until_ctrl_c(tmp_path):
    journal, page, err = tmp_path / "theirs.journal", tmp_path / "theirs.html", tmp_path / "err"
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(journal)))
    study = optuna.create_study(storage=storage, study_name="theirs", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    with watching(tmp_path, "theirs.journal") as run:
        wait_until(page.exists, 120)
        assert is_refreshed(page) and "2 trials finished" in page.read_text(encoding="utf-8")
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        wait_until(lambda: "3 trials finished" in page.read_text(encoding="utf-8"), 120)
        journal.rename(tmp_path / "elsewhere")
        wait_until(lambda: "does not answer" in err.read_text(), 120)
        (tmp_path / "elsewhere").rename(journal)
        wait_until(lambda: "is back after" in err.read_text(), 120)
        run.send_signal(signal.SIGINT)
        assert run.wait() == 130
    assert not is_refreshed(page) and "3 trials finished" in page.read_text(encoding="utf-8")
    assert "Traceback" not in err.read_text() and (tmp_path / "out").read_text() == "theirs.html\n"

import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from support.studies import new_study

from auger import Int, Space
from auger.studies.definition import Command, ReportRule
from auger.studies.pool import events
from auger.studies.pool.pool import Pool, Stop
from auger.studies.storage import open_storage
from auger.studies.study import load_study, open_study

NUMBERS = Space({"n": Int(0, 99)})
PRINT = Command(("echo", "{n}"))


class Ears:
    """Remembers events, and lets a test wait for one of a kind."""

    def __init__(self):
        self.heard, self._news = [], threading.Condition()

    def __call__(self, event):
        with self._news:
            self.heard.append(event)
            self._news.notify_all()

    def of(self, kind):
        return [event for event in self.heard if isinstance(event, kind)]

    def wait_for(self, kind, n=1):
        with self._news:
            assert self._news.wait_for(lambda: len(self.of(kind)) >= n, timeout=60)


def study_of(folder, run, **changes):
    command = run if isinstance(run, Command) else Command(("sh", "-c", run, "sh", "{n}"))
    return new_study(folder, space=NUMBERS, command=command, **changes)


def states(study):
    return Counter(trial.state.name for trial in study.trials())


def test_a_study_is_run_to_its_budget_and_told_about(tmp_path):
    study, ears = study_of(tmp_path, PRINT, trials=5), Ears()
    ended = Pool(study, 1, ears).run()
    assert (ended.reason, ended.counts.complete) == ("trials", 5)
    assert [type(event).__name__ for event in ears.heard] == [
        "Started",
        *["TrialStarted", "TrialFinished"] * 5,
        "Finished",
    ]
    finished = ears.of(events.TrialFinished)
    assert [event.value for event in finished] == [event.config["n"] for event in finished]
    values = [event.value for event in finished]
    assert [event.is_best for event in finished] == [
        value < min(values[:i], default=100) for i, value in enumerate(values)
    ]


def test_several_workers_share_the_budget_and_repeat_nothing(tmp_path):
    study = study_of(tmp_path, PRINT, trials=20)
    Pool(study, 4, Ears()).run()
    assert states(study) == {"COMPLETE": 20}
    assert len({trial.params["n"] for trial in study.trials()}) == 20


def test_the_same_seed_gives_the_same_trials_and_a_resumed_study_goes_on_with_them(tmp_path):
    def configs(name, *budgets):
        folder = tmp_path / name
        folder.mkdir()
        for budget in budgets:
            study = study_of(folder, PRINT, trials=budget)
            Pool(study, 1, Ears()).run()
        return [trial.params["n"] for trial in study.trials()]

    assert configs("whole", 14) == configs("parts", 5, 12, 14)


def test_events_are_json_whatever_their_values():
    event = events.TrialReported(1, 2, float("nan"))
    assert event.to_json() == {"event": "trial_reported", "number": 1, "step": 2, "value": "nan", "values": {}}


def test_a_failing_program_fails_its_trials_and_not_the_study(tmp_path):
    study, ears = study_of(tmp_path, "echo no such thing >&2; exit 3", trials=3), Ears()
    ended = Pool(study, 1, ears).run()
    assert (ended.counts.failed, ended.counts.best) == (3, None)
    assert {event.error for event in ears.of(events.TrialFinished)} == {"exit code 3: no such thing"}


def test_intermediate_values_are_heard_and_stored(tmp_path):
    run = 'for i in 0 1 2; do echo "{{\\"step\\": $i, \\"loss\\": $i.5}}"; done; echo 7'
    study, ears = study_of(tmp_path, run, trials=1, report=ReportRule("json", key="loss")), Ears()
    Pool(study, 1, ears).run()
    assert [(event.step, event.value) for event in ears.of(events.TrialReported)] == [(0, 0.5), (1, 1.5), (2, 2.5)]
    assert study.trials()[0].intermediate_values == {0: 0.5, 1: 1.5, 2: 2.5}


def waiting(folder):
    """A program that says that it is there, and ends once it is let."""
    return f"touch {folder}/there.$1; while ! test -e {folder}/go; do sleep 0.01; done; echo $1"


@pytest.mark.parametrize("is_now", [False, True])
def test_asked_to_stop_running_trials_finish_or_are_stopped_and_run_again(tmp_path, is_now):
    study, ears, stop = study_of(tmp_path, waiting(tmp_path), trials=4), Ears(), Stop()
    pool = Pool(study, 2, ears, stop)
    thread = threading.Thread(target=pool.run)
    thread.start()
    ears.wait_for(events.TrialStarted, 2)
    stop.ask()
    ears.wait_for(events.Stopping)
    if is_now:
        stop.ask()
    else:
        (tmp_path / "go").touch()
    thread.join()
    assert states(study) == ({"FAIL": 2} if is_now else {"COMPLETE": 2})
    assert ears.of(events.Finished)[0].reason == "interrupted"
    (tmp_path / "go").touch()
    ended = Pool(load_study(study.storage), 2, Ears()).run()
    assert ended.counts.complete == 4 and ended.reason == "trials"
    assert sum("auger:retry_of" in trial.user_attrs for trial in study.trials()) == (2 if is_now else 0)


def test_a_changed_budget_reaches_those_who_are_at_work(tmp_path, monkeypatch):
    monkeypatch.setattr("auger.studies.pool.pool.BEAT_EVERY", 0.05)
    study, ears = study_of(tmp_path, waiting(tmp_path), trials=1), Ears()
    thread = threading.Thread(target=Pool(study, 1, ears).run)
    thread.start()
    ears.wait_for(events.TrialStarted)
    study_of(tmp_path, waiting(tmp_path), trials=3)
    key, storage = study.key, study.storage.optuna
    seen = threading.Event()
    while "auger:beat" not in storage.get_all_trials(key)[0].user_attrs:
        seen.wait(0.01)
    beats = storage.get_all_trials(key)[0].user_attrs["auger:beat"]
    while storage.get_all_trials(key)[0].user_attrs["auger:beat"] < beats + 2:  # one whole round
        seen.wait(0.01)
    (tmp_path / "go").touch()
    thread.join()
    assert states(study) == {"COMPLETE": 3}


WORKER = """
import sys
from auger.studies.storage import open_storage
from auger.studies.study import load_study
from auger.studies.pool.pool import Pool
Pool(load_study(open_storage(sys.argv[1])), 1, print, is_last=False).run()
"""


def test_the_trial_of_a_killed_worker_is_run_again_by_the_one_who_stays(tmp_path):
    study = study_of(tmp_path, waiting(tmp_path), trials=2)
    with subprocess.Popen(
        [sys.executable, "-u", "-c", WORKER, study.definition.storage], stdout=subprocess.PIPE, text=True
    ) as other:
        next(line for line in other.stdout if line.startswith("TrialStarted"))
        ears = Ears()
        thread = threading.Thread(target=Pool(study, 1, ears).run)
        thread.start()
        ears.wait_for(events.TrialStarted)
        other.send_signal(signal.SIGKILL)
        other.wait()
        (tmp_path / "go").touch()
        thread.join()
    assert states(study) == {"COMPLETE": 2, "FAIL": 1}
    assert [event.state for event in ears.of(events.TrialGivenUp)] == ["died"]
    assert study.trials()[2].user_attrs["auger:retry_of"] == 0


def test_a_storage_that_goes_away_in_the_middle_is_waited_for(tmp_path):
    study, ears = study_of(tmp_path, waiting(tmp_path), trials=2), Ears()
    journal, aside = Path(study.definition.storage), tmp_path / "aside"
    thread = threading.Thread(target=Pool(study, 1, ears).run)
    thread.start()
    ears.wait_for(events.TrialStarted)
    journal.rename(aside)
    (tmp_path / "go").touch()
    ears.wait_for(events.StorageLost)
    aside.rename(journal)
    thread.join()
    assert ears.of(events.StorageBack) and states(study) == {"COMPLETE": 2}


def test_told_to_stop_while_the_storage_is_away_the_result_is_found_next_time(tmp_path):
    study, ears, stop = study_of(tmp_path, waiting(tmp_path), trials=1), Ears(), Stop()
    journal, aside = Path(study.definition.storage), tmp_path / "aside"
    thread = threading.Thread(target=Pool(study, 1, ears, stop).run)
    thread.start()
    ears.wait_for(events.TrialStarted)
    journal.rename(aside)
    (tmp_path / "go").touch()
    ears.wait_for(events.StorageLost)
    stop.ask(is_now=True)
    thread.join()
    aside.rename(journal)
    assert states(study) == {"RUNNING": 1}
    owner = study.trials()[0].user_attrs["auger:worker"]
    study.storage.optuna.set_trial_user_attr(
        study.trials()[0]._trial_id, "auger:worker", {**owner, "started": "before"}
    )
    ended = Pool(study, 1, Ears()).run()
    assert ended.counts.complete == 1 and len(study.trials()) == 1


def test_what_is_wrong_with_the_study_ends_the_run_and_is_raised(tmp_path, monkeypatch):
    study = study_of(tmp_path, PRINT, trials=3)

    def broken(self, trials):
        raise ZeroDivisionError("in the sampler")

    monkeypatch.setattr(type(study), "propose", broken)
    n_threads = threading.active_count()  # other tests may have left some
    with pytest.raises(ZeroDivisionError, match="in the sampler"):
        Pool(study, 2, Ears()).run()
    assert threading.active_count() == n_threads


def test_a_study_in_sqlite_is_run_by_several_processes(tmp_path):
    study = study_of(tmp_path, PRINT, trials=12, storage=f"sqlite:///{tmp_path}/study.db")
    others = [
        subprocess.Popen([sys.executable, "-c", WORKER, study.definition.storage], stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    Pool(open_study(study.definition, open_storage(study.definition.storage)), 2, Ears()).run()
    assert [other.wait() for other in others] == [0, 0]
    assert states(study) == {"COMPLETE": 12}


def test_a_signal_that_another_thread_receives_is_heeded_all_the_same(tmp_path):
    study, stop = study_of(tmp_path, Command(("sleep", "30", "{n}")), trials=1), Stop()

    def signal_here(event):
        if isinstance(event, events.TrialStarted):  # told by the thread of the worker
            signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda *_: stop.ask(is_now=True))
    try:
        ended = Pool(study, 1, signal_here, stop).run()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended.reason == "interrupted"

"""Trials of several runs, and the confirmation of the best settings: real programs, real processes."""

import os
import re
import signal
import subprocess
import sys

import pytest
from support.command_line import inside
from support.processes import wait_until
from support.programs import outcome, shell
from support.studies import complete, definition, new_study

from auger.best import best_settings
from auger.errors import StudyError
from auger.provenance import Origin
from auger.studies.definition import Definition, read_study_file
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.storage import open_storage
from auger.studies.study import load_study
from auger.studies.view import view_of
from auger.trial import State

# A value per run: x, and the number of the run in tenths. What ran is logged.
PROGRAM = 'echo $AUGER_TRIAL $AUGER_REPEAT >> log; {before}; echo "$1 $AUGER_REPEAT" | awk "{{print \\$1 + \\$2 / 10}}"'
FILE = """\
[study]
name = "runs"
trials = {trials}
seed = 0
{study}
[command]
run = ["sh", "-c", '''{script}''', "sh", "{{x}}"]
[defaults]
x = 0.5
[space]
x = {{ type = "float", low = 0, high = 1 }}
"""


def write(folder, *, trials=3, before="true", study="repeats = 3"):
    script = PROGRAM.format(before=before).replace("{", "{{").replace("}", "}}")
    (folder / "runs.toml").write_text(FILE.format(trials=trials, study=study, script=script))


def tuned(folder, *arguments):
    run = inside("tune", "runs.toml", *arguments, cwd=folder)
    assert run.exit_code == 0, run.stderr
    return run


def seen(folder):
    return view_of(load_study(open_storage(str(folder / "runs.journal"))))


def log(folder):
    """What ran: trial and run."""
    return [tuple(map(int, line.split())) for line in (folder / "log").read_text().splitlines()]


def test_the_value_of_a_trial_is_the_mean_of_its_runs_which_are_kept(tmp_path):
    write(tmp_path)
    run = tuned(tmp_path)
    assert "Done: 3 trials" in run.stderr
    assert log(tmp_path) == [(trial, repeat) for trial in range(3) for repeat in range(3)]
    first = seen(tmp_path).trials[0]
    assert first.runs == (0.5, 0.6, 0.7) and first.value == pytest.approx(0.6)
    assert sorted(path.name for path in (tmp_path / "runs.trials" / "0").iterdir()) == ["0", "1", "2"]
    assert (tmp_path / "runs.trials" / "0" / "2" / "stdout").read_text() == "0.7\n"


def test_runs_of_a_study_to_be_maximized_keep_their_sign(tmp_path):
    write(tmp_path, trials=1, study='repeats = 3\ndirection = "maximize"')
    tuned(tmp_path)
    view = seen(tmp_path)
    best = best_settings(view)
    assert view.trials[0].runs == (-0.5, -0.6, -0.7)
    assert (best.n_runs, best.low, best.high, round(best.expected, 9)) == (3, 0.5, 0.7, 0.6)


def test_a_run_that_fails_fails_the_trial_and_ends_it(tmp_path):
    write(tmp_path, trials=2, before="test $AUGER_TRIAL$AUGER_REPEAT != 11 || exit 4")
    tuned(tmp_path)
    trial = seen(tmp_path).trials[1]
    assert trial.state is State.FAILED and trial.error == "run 2 of 3: exit code 4"
    assert log(tmp_path) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]


def started(folder):
    return subprocess.Popen(
        [sys.executable, "-m", "auger", "tune", "runs.toml"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("study", ["repeats = 3", "confirm = 3"])
def test_after_a_stop_or_a_kill_only_the_runs_that_are_missing_run(tmp_path, how, study):
    """In the third run of a trial, or of a confirmation, whose runs are numbered from 1 on."""
    is_confirmation = study == "confirm = 3"
    number, repeat = (1, 3) if is_confirmation else (0, 2)
    wait = (
        f"test $AUGER_TRIAL$AUGER_REPEAT != {number}{repeat} || touch there; test -e go || test ! -e there || sleep 60"
    )
    write(tmp_path, trials=1, study=study, before=wait)
    with started(tmp_path) as run:
        wait_until((tmp_path / "there").exists)
        os.kill(run.pid, how)
    (tmp_path / "go").touch()
    tuned(tmp_path)
    repeats = [1, 2, 3] if is_confirmation else [0, 1, 2]
    first = [(0, 0)] if is_confirmation else []
    assert log(tmp_path) == [*first, *((number, repeat) for repeat in repeats), (number + 1, repeats[-1])]
    last = seen(tmp_path).trials[-1]
    assert last.state is State.COMPLETE and last.runs == tuple(0.5 + repeat / 10 for repeat in repeats)
    assert last.value == pytest.approx(sum(last.runs) / 3)


def test_a_pruned_trial_pays_for_its_first_run_only(tmp_path):
    # trial 0 to 5 are good at once, the others bad: the median rule ends them at their first report
    report = 'echo "{\\"step\\": 1, \\"loss\\": $((AUGER_TRIAL > 5 ? 9 : 1))}"; test $AUGER_TRIAL -lt 6 || sleep 60'
    study = 'repeats = 2\npruner = "median"'
    write(tmp_path, trials=7, before=report, study=study)
    with (tmp_path / "runs.toml").open("a") as file:
        file.write('[report]\nread = "json"\nkey = "loss"\nstep = "step"\n')
    tuned(tmp_path)
    assert seen(tmp_path).trials[6].state is State.PRUNED
    assert [repeat for trial, repeat in log(tmp_path) if trial == 6] == [0]
    assert [repeat for trial, repeat in log(tmp_path) if trial == 5] == [0, 1]


# -- confirmation ---------------------------------------------------------------------------------------


def test_the_best_and_the_defaults_are_run_again_at_the_end_and_no_budget_counts_that(tmp_path):
    write(tmp_path, trials=6, study="confirm = 4\nworkers = 2")
    run = tuned(tmp_path)
    view = seen(tmp_path)
    assert "Done: 6 trials" in run.stderr and view.is_done
    assert re.search(r"\[6/6\] confirmation, trial [67]  ", run.stderr) and "/6] trial 6" not in run.stderr
    confirmations = [trial for trial in view.trials if trial.origin is Origin.CONFIRMATION]
    by_value = sorted(view.trials[:6], key=lambda trial: trial.value)
    assert {trial.provenance.confirms for trial in confirmations} == {0, *(trial.number for trial in by_value[:3])}
    assert all(len(trial.runs) == 4 for trial in confirmations) and len(view.trials) == 6 + len(confirmations)
    # their runs have numbers that no run of a trial had: a program that takes them for seeds draws other numbers
    assert {repeat for trial, repeat in log(tmp_path) if trial >= 6} == {1, 2, 3, 4}
    assert "already" not in tuned(tmp_path).stderr and len(seen(tmp_path).trials) == len(view.trials)


def test_what_is_told_of_confirmed_settings_is_their_mean_and_not_what_they_were_chosen_for(tmp_path):
    """Run 0 is lucky: each later run gives more."""
    write(tmp_path, trials=6, study="confirm = 4")
    tuned(tmp_path)
    view = seen(tmp_path)
    best = best_settings(view)
    x = best.config["x"]
    assert best.is_confirmed and best.n_runs == 4 and view.by_number[best.number].origin is Origin.CONFIRMATION
    assert best.expected == pytest.approx(x + 0.25, abs=1e-5) and best.error == pytest.approx(0.0645497, rel=1e-3)
    assert (best.low, best.high) == (pytest.approx(x + 0.1, abs=1e-5), pytest.approx(x + 0.4, abs=1e-5))
    # the defaults were run again as well, and gained nothing by luck either
    assert best.baseline.value == pytest.approx(0.75) and best.gain == pytest.approx((0.5 - x) / 0.75, abs=1e-5)


def test_further_trials_bring_new_candidates_and_what_was_confirmed_is_not_paid_for_twice(tmp_path):
    write(tmp_path, trials=4, study="confirm = 2")
    tuned(tmp_path)
    before = seen(tmp_path).trials
    tuned(tmp_path, "--trials", 12)
    after = seen(tmp_path)
    confirmed = [trial.config["x"] for trial in after.trials if trial.origin is Origin.CONFIRMATION]
    assert len(confirmed) == len(set(confirmed)) and len(after.trials) > len(before) + 8
    assert best_settings(after).config["x"] == min(trial.config["x"] for trial in after.trials)


def test_a_stop_during_the_confirmation_is_an_interruption_and_the_rest_is_run_later(tmp_path):
    write(
        tmp_path, trials=4, study="confirm = 2", before="test $AUGER_REPEAT = 0 || touch there; test -e go || sleep 0.1"
    )
    with started(tmp_path) as run:
        wait_until((tmp_path / "there").exists)
        run.send_signal(signal.SIGINT)
    assert run.returncode == 130
    assert not seen(tmp_path).is_done
    (tmp_path / "go").touch()
    tuned(tmp_path)
    assert seen(tmp_path).is_done and best_settings(seen(tmp_path)).is_confirmed


def asked(coordinator, n):
    return [coordinator.ask(f"token {i} of {n}") for i in range(n)]


def test_a_confirmation_waits_for_the_trials_that_still_run(tmp_path):
    coordinator = Coordinator(new_study(tmp_path, trials=5, confirm=2), new_owner())
    *others, last = asked(coordinator, 5)
    for i, assignment in enumerate(others):
        coordinator.tell(assignment, complete(float(i)))
    assert coordinator.ask("early") is None and coordinator.is_waiting
    coordinator.tell(last, complete(9.0))
    first = coordinator.ask("in time")
    assert first.trial.origin is Origin.CONFIRMATION and first.trial.config == others[0].trial.config
    assert (first.repeats, first.runs, coordinator.is_waiting) == (range(1, 3), (), False)


def test_a_confirmation_that_was_lost_before_it_ran_is_handed_out_again(tmp_path):
    """The last one: the same question is asked again, because its answer was lost."""
    coordinator = Coordinator(new_study(tmp_path, trials=1, confirm=2), new_owner())
    coordinator.tell(coordinator.ask("first"), complete(1.0))
    lost = coordinator.ask("token")
    again = coordinator.ask("token")
    assert lost.trial.origin is again.trial.origin is Origin.CONFIRMATION and lost.trial.number != again.trial.number
    assert coordinator.ask("other") is None and coordinator.is_confirmed
    assert coordinator.counts().finished == 1


# -- the study file -------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["repeats = 0", "repeats = 51", 'repeats = "3"', "repeats = 2.0", "confirm = -1"])
def test_a_number_of_runs_that_cannot_be_is_refused_by_name(tmp_path, line):
    write(tmp_path, study=line)
    key, _, value = line.partition(" = ")
    with pytest.raises(StudyError, match=rf"\[study\] {key}: must be a whole number from . to 50") as caught:
        read_study_file(tmp_path / "runs.toml")
    assert value.strip('"') in str(caught.value)


def test_a_study_stored_before_there_were_repeats_has_one_run_per_trial(tmp_path):
    data = definition(tmp_path, repeats=3, confirm=2).to_json()
    assert Definition.from_json(data, storage="").repeats == 3
    for key in ("repeats", "confirm"):
        del data[key]
    old = Definition.from_json(data, storage="")
    assert (old.repeats, old.confirm) == (1, 0)


def test_a_single_run_has_the_number_0(tmp_path):
    assert outcome(shell(tmp_path, "echo 1$AUGER_REPEAT")).value == 10


def test_a_trial_that_another_program_began_and_left_does_not_hold_up_the_end(tmp_path):
    write(tmp_path, trials=3, study="confirm = 2")
    tuned(tmp_path)
    load_study(open_storage(str(tmp_path / "runs.journal"))).optuna.ask()  # nobody owns it, nobody ends it
    write(tmp_path, trials=4, study="confirm = 2")
    command = [sys.executable, "-m", "auger", "tune", "runs.toml"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False).returncode == 0


def test_a_confirmation_that_died_for_good_leaves_the_others_their_say(tmp_path):
    write(tmp_path, trials=4, before='test "$AUGER_TRIAL $AUGER_REPEAT" != "4 1" || kill -9 $PPID',
          study="retries = 0\nconfirm = 3")  # fmt: skip
    command = [sys.executable, "-m", "auger", "tune", "runs.toml"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    write(tmp_path, trials=4, study="retries = 0\nconfirm = 3")
    tuned(tmp_path)
    view = seen(tmp_path)
    confirmations = [trial.state for trial in view.trials if trial.origin is Origin.CONFIRMATION]
    assert State.DIED in confirmations and State.COMPLETE in confirmations
    best = best_settings(view)
    assert best.is_confirmed and best.n_runs == 3


def test_fewer_repeats_leave_no_runs_of_earlier_attempts_behind(tmp_path):
    write(tmp_path, trials=2, before='test "$AUGER_TRIAL $AUGER_REPEAT" != "1 2" || kill -9 $PPID')
    command = [sys.executable, "-m", "auger", "tune", "runs.toml"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    write(tmp_path, trials=2, study="")
    tuned(tmp_path)
    again = next(trial for trial in seen(tmp_path).trials if trial.number == 2)
    assert again.state is State.COMPLETE and again.runs == () and again.measured == again.values


def test_a_broken_program_of_several_runs_shows_the_output_of_the_one_that_failed(tmp_path):
    write(tmp_path, before='test "$AUGER_REPEAT" != 1 || { echo "no module named torhc" >&2; exit 3; }')
    run = inside("tune", "runs.toml", cwd=tmp_path)
    assert run.exit_code == 1 and "runs.trials/0/1/stderr" in run.stderr and "  no module named torhc" in run.stderr

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import FrozenTrial, TrialState

from auger.hosts.optuna.trials import state_of, trial_of
from auger.objectives import Direction, Objectives
from auger.standing import Standing
from auger.studies.pool.owners import Owner
from auger.studies.pool.progress import Progress, superseded
from auger.trial import State

START = datetime(2026, 1, 1)


def trial(number, kind, *, retry_of=None, value=None, start=0.0, end=1.0):
    """A trial that is complete, failed, pruned, died, stopped, running, waiting or imported."""
    states = {"complete": TrialState.COMPLETE, "imported": TrialState.COMPLETE, "pruned": TrialState.PRUNED}
    states |= {"running": TrialState.RUNNING, "waiting": TrialState.WAITING}
    state = states.get(kind, TrialState.FAIL)
    attributes = {"auger:retry_of": retry_of} if retry_of is not None else {}
    attributes |= {f"auger:{kind}": {"error": "x"}} if state is TrialState.FAIL else {}
    attributes |= {"auger:imported": "f.csv"} if kind == "imported" else {}
    return FrozenTrial(
        number=number,
        state=state,
        value=(0.0 if value is None else value) if state is TrialState.COMPLETE else None,
        datetime_start=START + timedelta(seconds=start),
        datetime_complete=START + timedelta(seconds=end) if state.is_finished() else None,
        params={},
        distributions={},
        user_attrs=attributes,
        system_attrs={},
        intermediate_values={},
        trial_id=number,
    )


def new_progress(*, retries=1, direction="minimize"):
    objectives = Objectives((Direction(direction),))
    return Progress(retries, lambda frozen_trials: [trial_of(frozen, objectives) for frozen in frozen_trials])


def progress_of(frozen_trials, **options):
    progress = new_progress(**options)
    progress.read(frozen_trials)
    return progress


def read(kinds, *, retries=1):
    """The progress of trials that are passed as "kind" or ("kind", number of the first attempt)."""
    pairs = [(kind, None) if isinstance(kind, str) else kind for kind in kinds]
    return progress_of(
        [trial(number, kind, retry_of=first) for number, (kind, first) in enumerate(pairs)], retries=retries
    )


def seconds_spent(frozen_trials, now):
    return progress_of(frozen_trials).seconds_spent(now)


@pytest.mark.parametrize(
    ("kinds", "started", "finished", "due"),
    [
        ([], 0, 0, []),
        (["complete", "failed", "pruned"], 3, 3, []),
        (["complete", "running", "waiting"], 3, 1, []),
        (["imported", "imported", "complete"], 1, 1, []),
        (["died"], 1, 0, [0]),
        (["stopped"], 1, 0, [0]),
        (["died", ("running", 0)], 1, 0, []),
        (["died", ("complete", 0)], 1, 1, []),
        (["died", ("failed", 0)], 1, 1, []),
        (["died", ("died", 0)], 1, 1, []),  # one retry is all it gets
        (["stopped", ("stopped", 0), ("stopped", 0)], 1, 0, [0]),  # the user's doing, not its own
        (["stopped", ("died", 0)], 1, 0, [0]),
        (["died", ("stopped", 0), ("died", 0)], 1, 1, []),
        (["stopped", "died", "complete", ("running", 1)], 3, 1, [0]),
        (["complete", "surplus", "running"], 2, 1, []),  # taken back before anybody ran it
        (["died", ("surplus", 0)], 1, 0, [0]),
    ],
)
def test_what_counts_and_what_is_due(kinds, started, finished, due):
    progress = read(kinds)
    assert (progress.n_started, progress.n_finished, progress.due) == (started, finished, due)


def test_a_trial_that_is_taken_back_after_it_was_seen_does_not_count():
    progress = read(["complete", "running"])
    assert progress.n_started == 2
    progress.read([trial(0, "complete"), trial(1, "surplus")])
    assert (progress.n_started, progress.n_finished, progress.due) == (1, 1, [])


def test_a_trial_that_was_given_up_and_told_at_the_same_time_is_what_its_state_says():
    told = trial(0, "complete", value=0.5)
    told.user_attrs["auger:died"] = {"error": "its worker died"}
    progress = progress_of([told])
    assert (progress.n_complete, progress.due, state_of(told)) == (1, [], State.COMPLETE)


@pytest.mark.parametrize(("retries", "due"), [(0, []), (1, [0]), (2, [0])])
def test_the_dead_are_tried_again_as_often_as_the_study_says(retries, due):
    assert read(["died"], retries=retries).due == due


kinds = st.sampled_from(["complete", "failed", "pruned", "died", "stopped", "running", "imported"])


@given(steps=st.lists(st.tuples(kinds, st.integers(0, 30)), max_size=12), cuts=st.lists(st.integers(0, 12), max_size=4))
def test_reading_in_pieces_is_reading_at_once(steps, cuts):
    """Trials first seen running, and finished when looked at again, count as if seen finished."""
    final = []
    for number, (kind, first) in enumerate(steps):
        is_retry = kind != "imported" and number and first < number and steps[first][0] in {"died", "stopped"}
        final.append(trial(number, kind, retry_of=first if is_retry else None))
    whole, pieces = progress_of(final), new_progress()
    for cut in sorted(cuts):
        running = [
            trial(t.number, "running", retry_of=t.user_attrs.get("auger:retry_of")) for t in final[cut : cut + 2]
        ]
        if not any("auger:imported" in t.user_attrs for t in final[cut : cut + 2]):
            pieces.read([*final[:cut], *running])
    pieces.read(final)
    names = ("n_started", "n_finished", "n_complete", "n_failed", "n_pruned", "n_imported", "due", "best")
    assert [getattr(whole, name) for name in names] == [getattr(pieces, name) for name in names]


@pytest.mark.parametrize(("direction", "best"), [("minimize", 1), ("maximize", 2)])
def test_the_best_is_the_first_of_the_best_values(direction, best):
    values = [2.0, 1.0, 3.0, 1.0, 3.0]
    frozen_trials = [trial(i, "complete", value=value) for i, value in enumerate(values)]
    assert progress_of(frozen_trials, direction=direction).best.number == best


def test_of_equal_values_the_earlier_trial_is_best_even_if_it_finished_later():
    progress = new_progress()
    progress.read([trial(0, "running"), trial(1, "complete", value=1.0)])
    assert progress.best.number == 1
    progress.read([trial(0, "complete", value=1.0), trial(1, "complete", value=1.0)])
    assert progress.best.number == 0


def run_by(worker, frozen, *, at_work=None):
    """The trial as a process of that name ran it, which had been at work for so many seconds when the trial began."""
    owner = Owner("host", "machine", 1, "", worker)
    clock = {} if at_work is None else {"auger:at_work": at_work}
    frozen.user_attrs = {**frozen.user_attrs, "auger:worker": owner.to_json(), **clock}
    return frozen


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([], 0.0),
        ([("a", 0, 10)], 10.0),
        ([("a", 0, 10), ("a", 5, 12)], 12.0),
        ([("a", 0, 10), ("a", 2, 3)], 10.0),
        ([("a", 0, 10), ("a", 12, 15)], 15.0),  # what is between two trials of a process counts
        ([("a", 0, 10), ("b", 12, 15)], 13.0),  # a pause between two processes does not, however short
        ([("b", 12, 15), ("a", 0, 10)], 13.0),
        ([("a", 0, 10), ("b", 5, 12)], 12.0),  # two processes at the same time count once
    ],
)
@pytest.mark.parametrize("is_measured", [True, False], ids=["measured", "of an earlier version"])
def test_time_is_spent_while_a_process_is_at_work_and_not_in_pauses(spans, seconds, is_measured):
    first = {worker: min(start for name, start, _ in spans if name == worker) for worker, _, _ in spans}
    trials = [
        run_by(
            worker, trial(i, "complete", start=start, end=end), at_work=start - first[worker] if is_measured else None
        )
        for i, (worker, start, end) in enumerate(spans)
    ]
    for now in (START, START + timedelta(seconds=20), START + timedelta(days=1)):
        assert seconds_spent(trials, now) == seconds


@pytest.mark.parametrize("jump", [-3600, -50, 50, 3600])
def test_a_clock_that_is_set_during_a_run_spends_no_time(jump):
    """Ten trials of ten seconds each; before the sixth begins, the clock of the system is set."""
    trials = [
        run_by("a", trial(i, "complete", start=start, end=start + 10), at_work=10.0 * i)
        for i, start in enumerate(10.0 * i + jump * (i > 5) for i in range(10))
    ]
    assert seconds_spent(trials, START) == 100.0
    running = run_by("a", trial(10, "running", start=100.0 + jump), at_work=100.0)
    now = START + timedelta(seconds=104 + jump)
    assert seconds_spent([*trials, running], now) == 104.0
    assert progress_of([*trials, running]).seconds_spent(now, {"a": 103.5}) == 103.5  # its own clock, if it asks


@pytest.mark.parametrize(("jump", "least", "most"), [(86_400, 75, 150), (0, 100, 100), (-86_400, 75, 150)])
def test_a_clock_that_is_set_while_the_trial_of_another_process_runs_spends_seconds_at_most(jump, least, most):
    running = run_by("a", trial(0, "running"), at_work=0.0)
    running.user_attrs["auger:beat"] = 5  # one every 20 seconds
    assert least <= seconds_spent([running], START + timedelta(seconds=100 + jump)) <= most


@pytest.mark.parametrize("beat", [-3, 1.5, "x", None, 10**12, 10**400])
def test_beats_that_another_program_wrote_count_as_none(beat):
    running = run_by("a", trial(0, "running"), at_work=0.0)
    running.user_attrs["auger:beat"] = beat
    assert seconds_spent([running], START + timedelta(seconds=9)) == 9.0


def test_a_running_trial_spends_time_until_now_and_a_dead_or_imported_one_none():
    trials = [trial(0, "running", start=5.0), trial(1, "died", end=1e6), trial(2, "imported", end=1e6)]
    assert seconds_spent(trials, START + timedelta(seconds=9)) == 4.0


def test_a_trial_that_was_run_again_counts_with_its_last_attempt():
    kinds = [("died", None), ("stopped", None), ("complete", 0), ("imported", None), ("surplus", 1), ("running", 1)]
    frozen_trials = [trial(number, kind, retry_of=first) for number, (kind, first) in enumerate(kinds)]
    assert superseded(frozen_trials) == {0, 1}
    assert progress_of(frozen_trials).standing == Standing(complete=1, running=1, imported=1)

"""The coordinator of a study: hands out trials to run and records their outcomes, for any number of processes.

It serves one process at a time, by the turn of the storage (`Storage.turn`). So a proposal takes all earlier ones into
account, a budget is kept to the trial, and a trial appears in the storage with everything about it, in one write.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState, create_trial

from auger import text
from auger.confirmation import unconfirmed
from auger.errors import StudyError
from auger.hosts.optuna import suggest_config
from auger.hosts.optuna.reports import step_attribute
from auger.hosts.optuna.trials import (
    attributes_of,
    constraint_attributes,
    is_forgotten,
    provenance_of,
    runs_of,
    state_of,
)
from auger.preference import as_preference, choose
from auger.provenance import Origin, Provenance
from auger.schema import AT_WORK, BEAT, DIED, FAILED, LATE, OUTCOMES, RETRY_OF, RUNS, STOPPED, SURPLUS, WORKER
from auger.studies.pool.breakdown import Breakdown
from auger.studies.pool.events import Counts, Front, Leader
from auger.studies.pool.owners import Owner, Watch, owner_of, running_owners
from auger.studies.pool.progress import first_attempt, is_confirmation, unbeaten
from auger.studies.pool.repeats import run_repeatedly
from auger.studies.storage import PATIENCE, Turn, TurnLostError
from auger.studies.study import Study
from auger.studies.trial import Outcome, read_result
from auger.studies.view import view_of
from auger.trial import State, Trial, best_of

# Seconds by which the length of a trial may differ between two clocks.
_CLOCK_ERROR = 60.0

# The attribute that tells more about the end of a trial without an answer in time.
_ENDINGS = {State.FAILED: FAILED, State.DIED: DIED, State.STOPPED: STOPPED}


@dataclass(frozen=True)
class Assignment:
    """A trial to run.

    Attributes:
        trial: its number, configuration and provenance.
        key: the number of the trial in its storage.
        retry_of: the number of the first attempt, where there was one.
        repeats: the number of each run of its program; None for a single run.
        runs: the numbers of each of the first of these runs, which earlier attempts have left.
    """

    trial: Trial
    key: int
    retry_of: int | None = None
    repeats: range | None = None
    runs: tuple[tuple[float, ...], ...] = ()


class Coordinator:
    """Where the workers of one process ask for trials and tell their outcomes.

    Args:
        study: to work on.
        owner: this process.
        keep_going: False: when the program turns out to be broken, start no more trials, and set `breakdown`.

    Attributes:
        progress: of the study, as it was read last.
        breakdown: why no trial is started any more, although the budget is not used up; None where trials are.
        given_up: trials whose process was found dead: number, owner, and the state that they ended in.
        is_waiting: whether the next trials are confirmations, which wait for the trials that still run.
    """

    def __init__(self, study: Study, owner: Owner, *, keep_going: bool = True) -> None:
        self.study, self._owner, self._keep_going = study, owner, keep_going
        self._began: float | None = None  # when it was first asked for a trial, by a clock that nobody can set
        self.progress = study.progress()
        self.breakdown: Breakdown | None = None
        self._old_failures: set[int] | None = None  # the program may have been mended since
        self.given_up: list[tuple[int, Owner, State]] = []
        self.is_waiting = False
        self._next_study: Study | None = None
        # all confirmations are started; and so many trials had finished, and confirmations begun, when that was seen
        self._is_all_started, self._all_started_at = False, (-1, -1)
        self._is_first_done = not study.definition.first  # whether the configurations that come first have been tried
        self._watch = Watch()
        self._lock = threading.Lock()
        self._turn: Turn
        self._first_beats: dict[int, Any] = {}  # of trials of other processes, where files have no locks
        self._told: dict[int, Trial] = {}  # finished by this process, and not read back yet
        self._new: set[int] = set()  # numbers of trials started by this process, likewise
        self._counting = threading.Lock()

    def replace_study(self, study: Study) -> None:
        """Go on with another definition of the same study, from the next question on."""
        self._next_study = study

    def counts(self) -> Counts:
        """Where the study stands: as last read, and with what this process has told since."""
        with self._counting:
            progress = self.progress
            states = [trial.state for trial in self._told.values() if trial.origin is not Origin.CONFIRMATION]
            complete, failed, pruned = map(states.count, (State.COMPLETE, State.FAILED, State.PRUNED))
            infeasible = sum(not trial.is_feasible for trial in self._told.values())
            running = {frozen.number for frozen in progress.running} | self._new
            return Counts(
                progress.n_finished + complete + failed + pruned,
                progress.n_complete + complete,
                progress.n_failed + failed,
                progress.n_pruned + pruned,
                len(running - self._told.keys()),
                self._leader(),
                progress.n_infeasible + infeasible,
                self._front(),
            )

    def _front(self) -> Front | None:
        objectives = self.study.objectives
        if len(objectives) == 1:
            return None
        members = unbeaten([*self.progress.front, *self._told.values()])
        leaders = {}
        for i, name in enumerate(objectives.names):
            leader = choose(members, objectives, as_preference(name, objectives))
            if leader is not None:
                leaders[name] = Leader(leader.number, objectives.original(leader.values)[i], leader.config)
        return Front(tuple(trial.number for trial in members), leaders)

    def _leader(self) -> Leader | None:
        best_read = [] if self.progress.best is None else [self.progress.best]
        best = best_of(sorted([*best_read, *self._told.values()], key=lambda trial: trial.number))
        if best is None:
            return None
        return Leader(best.number, self.study.objectives.original(best.values)[0], best.config)

    @property
    def _at_work(self) -> float:
        """Seconds that this process has been at work; loading libraries is not work yet."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def seconds_spent(self) -> float:
        """How long the study has been at work, this process included."""
        return self.progress.seconds_spent(datetime.now(), {self._owner.worker: self._at_work})

    # -- ask --------------------------------------------------------------------------------------------

    def ask(self, token: str) -> Assignment | None:
        """The next trial, which exists from now on and belongs to this process; None when there is none to run.

        Args:
            token: names the question. Asking again with the same token, after an answer was lost, withdraws the trial
                that was created for it: the turn was lost with the answer, and others may have tried the same since.
        """
        with self._lock:
            patience = PATIENCE
            while True:
                try:
                    with self.study.storage.turn(self.study.definition.name, patience=patience) as self._turn:
                        assignment = self._ask(token)
                        self._turn.check()
                        return assignment
                except TurnLostError:  # what was created out of turn is withdrawn in the next turn
                    # two whose proposals keep them from showing life would take the turn from each other for ever
                    patience *= 2

    def _ask(self, token: str) -> Assignment | None:
        if self._began is None:
            self._began = time.monotonic()
        self._change_study()
        frozen_trials = self._look_again()
        if self._take_back(token):
            frozen_trials = self._look_again()
        if not self._turn.has_locks and self._is_anybody_else_at_work():
            self.is_waiting = True
            return None
        assignment = self._next(frozen_trials, token)
        if assignment is not None and assignment.trial.number > len(frozen_trials):
            # Optuna repeats a write itself when it loses the answer, and then there are two trials
            self._look_again()
            self._take_back(token, but=assignment.trial.number)
        return assignment

    def _is_anybody_else_at_work(self) -> bool:
        """Whether another process may have begun before this one. Raises a StudyError when it is known to be alive."""
        others = self._others()
        own = [frozen.number for frozen in self.progress.running if frozen.number not in others]
        if not others or min(others) > min(own, default=math.inf):
            return False
        for number, (owner, beat) in others.items():
            if owner.is_here or beat != self._first_beats.setdefault(number, beat):
                company = f"trial {number} is run by {owner}"
                raise StudyError(text.no_locks(str(self.study.storage.address), company))
        return True

    def _change_study(self) -> None:
        if self._next_study is not None:
            self.study, self._next_study = self._next_study, None
            self._is_first_done = not self.study.definition.first
            with self._counting:
                self.progress = self.study.progress()

    def _take_back(self, token: str, but: int | None = None) -> bool:
        """Withdraw the trials that were created for a question and never ran; whether there were any."""
        created = [frozen for frozen in self.progress.running if _token(frozen) == token and not _is_enqueued(frozen)]
        for frozen in created:
            if frozen.number != but:
                self._withdraw(frozen)
        return bool(created)

    def _withdraw(self, frozen: FrozenTrial) -> None:
        """Mark a trial that never ran as surplus: no budget counts it."""
        storage = self.study.storage.optuna
        storage.set_trial_user_attr(frozen._trial_id, SURPLUS, True)
        storage.set_trial_state_values(frozen._trial_id, TrialState.FAIL)

    def _look_again(self) -> Sequence[FrozenTrial]:
        """All trials, after the dead ones were given up."""
        frozen_trials = self._read()
        return self._read() if self._give_up_dead(frozen_trials) else frozen_trials

    def _read(self) -> Sequence[FrozenTrial]:
        frozen_trials = self.study.trials()
        with self._counting:
            self.progress.read(frozen_trials)
            self._new = set()
            unfinished = {frozen.number for frozen in self.progress.running}
            self._told = {number: trial for number, trial in self._told.items() if number in unfinished}
        if self._old_failures is None:
            self._old_failures = {frozen.number for frozen in self.progress.failures}
        self.breakdown = None if self._keep_going or self.progress.has_success else self._new_breakdown()
        return frozen_trials

    def _new_breakdown(self) -> Breakdown | None:
        """Whether the program is broken, by the trials that have failed since this process began, in any process."""
        old = self._old_failures or ()
        return self.study.breakdown(frozen for frozen in self.progress.failures if frozen.number not in old)

    def _next(self, frozen_trials: Sequence[FrozenTrial], token: str) -> Assignment | None:
        definition, progress = self.study.definition, self.progress
        self.is_waiting = False
        for frozen in progress.running:
            is_waiting = state_of(frozen) is State.WAITING and self.breakdown is None
            if is_waiting or _token(frozen) == token:
                return self._take(frozen, token)
        if self.breakdown is not None:
            return None
        if progress.due:
            first = frozen_trials[progress.due[0]]
            runs: tuple[tuple[float, ...], ...] = ()
            if self._repeats(first) is not None:
                runs = max((runs_of(f) for f in frozen_trials if first_attempt(f) == first.number), key=len)
            origin = provenance_of(first)
            return self._start(len(frozen_trials), first.params, origin, token, retry_of=first.number, runs=runs)
        is_spent = definition.trials is not None and progress.n_started >= definition.trials
        if definition.time is not None:
            is_spent |= self.seconds_spent() >= definition.time
        if is_spent:
            return self._confirm(frozen_trials, token) if definition.confirm else None
        params, provenance = self._propose(frozen_trials)
        return self._start(len(frozen_trials), params, provenance, token)

    def _confirm(self, frozen_trials: Sequence[FrozenTrial], token: str) -> Assignment | None:
        """Start the next of the best settings once more; None as long as other trials run, and when all are started."""
        owned = running_owners(self.progress.running)  # a trial that another program began may run for ever
        self.is_waiting = any(f.number in owned and not is_confirmation(f) for f in self.progress.running)
        now = (self.progress.n_finished, self.progress.n_confirmations)
        if self.is_waiting or self._all_started_at == now:
            return None
        trials = unconfirmed(view_of(self.study))
        if not trials:
            self._is_all_started, self._all_started_at = True, now
            return None
        provenance = Provenance(Origin.CONFIRMATION, confirms=trials[0].number)
        params = frozen_trials[trials[0].number].params
        assignment = self._start(len(frozen_trials), params, provenance, token)
        self._is_all_started = len(trials) == 1
        return assignment

    def _propose(self, frozen_trials: Sequence[FrozenTrial]) -> tuple[dict[str, Any], Provenance]:
        """What to try next: the configurations of the study file first, then what the sampler proposes."""
        if not self._is_first_done:
            tried = [frozen.params for frozen in frozen_trials if self._was_tried(frozen)]
            for config in self.study.definition.first:
                params = self.study.params(config)
                if params not in tried:
                    return params, Provenance(notes=("named in the study file",))
            self._is_first_done = True
        proposal = self.study.propose(frozen_trials)
        return proposal.params, proposal.provenance

    def _was_tried(self, frozen: FrozenTrial) -> bool:
        return SURPLUS not in frozen.user_attrs and not is_forgotten(frozen, self.study.forgotten)

    def _start(
        self,
        number: int,
        params: dict[str, Any],
        provenance: Provenance,
        token: str,
        *,
        retry_of: int | None = None,
        runs: tuple[tuple[float, ...], ...] = (),
    ) -> Assignment:
        """Create a trial, with this number unless another program created one out of turn."""
        retry: dict[str, Any] = {} if retry_of is None else {RETRY_OF: retry_of}
        if runs:
            retry[RUNS] = _stored_runs(runs)
        template = create_trial(
            state=TrialState.RUNNING,
            params=params,
            distributions=self.study.distributions(params),
            system_attrs=attributes_of(provenance),
            user_attrs={
                **retry,
                WORKER: replace(self._owner, token=token).to_json(),
                AT_WORK: round(self._at_work, 3),
            },
        )
        storage = self.study.storage.optuna
        self._turn.check()
        key = storage.create_new_trial(self.study.key, template_trial=template)
        # a storage has this number in memory, while reading the trial back takes a database several queries
        if storage.get_trial_id_from_study_id_trial_number(self.study.key, number) != key:
            number = storage.get_trial(key).number
        with self._counting:
            self._new.add(number)
        template.number = number
        return self._assignment(template, key)

    def _take(self, waiting: FrozenTrial, token: str) -> Assignment:
        """Start a trial that was enqueued with Optuna, whose parameters may be fixed in part."""
        storage, key = self.study.storage.optuna, waiting._trial_id
        self._turn.check()
        # the owner first: a trial that runs without one is never known to be dead
        storage.set_trial_user_attr(key, WORKER, replace(self._owner, token=token).to_json())
        storage.set_trial_user_attr(key, AT_WORK, round(self._at_work, 3))
        storage.set_trial_state_values(key, TrialState.RUNNING)
        suggest_config(optuna.Trial(self.study.optuna, key), self.study.definition.space)
        return self._assignment(storage.get_trial(key), key)

    def _assignment(self, frozen: FrozenTrial, key: int) -> Assignment:
        trial, retry_of = self.study.translate([frozen])[0], frozen.user_attrs.get(RETRY_OF)
        return Assignment(trial, key, retry_of, self._repeats(frozen), runs_of(frozen))

    def _repeats(self, frozen: FrozenTrial) -> range | None:
        """The numbers of the runs of a trial; None for a single run. Those of a confirmation are new ones."""
        n, n_confirm = self.study.definition.repeats, self.study.definition.confirm
        if is_confirmation(frozen):
            return range(n, n + max(n_confirm, 1))
        return range(n) if n > 1 else None

    # -- tell -------------------------------------------------------------------------------------------

    def tell(self, assignment: Assignment, outcome: Outcome) -> bool:
        """Record the outcome of a trial. False when others, to whom this process seemed dead, have given it up."""
        try:
            _finish(self.study, assignment.key, outcome, is_late=_is_clock_off(assignment.trial, outcome))
        except UpdateFinishedTrialError:
            # or this process has told it before, and lost the answer
            frozen = self.study.storage.optuna.get_trial(assignment.key)
            if state_of(frozen) is State.DIED or SURPLUS in frozen.user_attrs:
                return False
        is_complete = outcome.state is State.COMPLETE
        values = self.study.objectives.minimized(outcome.values) if is_complete else ()
        constraints = tuple(self.study.excess(outcome.constraints).values()) if is_complete else ()
        trial = replace(assignment.trial, state=outcome.state, values=values, constraints=constraints)
        with self._counting:
            self._told[trial.number] = trial
        return True

    def record(self, assignment: Assignment, runs: Sequence[Sequence[float]]) -> None:
        """Keep the numbers of the runs of a trial that have ended."""
        with suppress(UpdateFinishedTrialError):  # others have given the trial up
            self.study.storage.optuna.set_trial_user_attr(assignment.key, RUNS, _stored_runs(runs))

    def report(self, assignment: Assignment, step: int, *values: float) -> bool:
        """Record intermediate values, one per objective; True when the trial is to be ended: pruned, or given up."""
        storage = self.study.storage.optuna
        try:
            if len(values) > 1:  # Optuna has no place for them
                storage.set_trial_system_attr(assignment.key, *step_attribute(step, values))
            else:
                storage.set_trial_intermediate_value(assignment.key, step, values[0])
        except UpdateFinishedTrialError:
            return True
        if self.study.definition.pruner == "none":
            return False
        return bool(self.study.optuna.pruner.prune(self.study.optuna, storage.get_trial(assignment.key)))

    def beat(self, assignment: Assignment, count: int) -> bool:
        """Show that the process of a trial is alive. False when others have given the trial up."""
        try:
            self.study.storage.optuna.set_trial_user_attr(assignment.key, BEAT, count)
        except UpdateFinishedTrialError:
            return False
        return True

    # -- the dead ---------------------------------------------------------------------------------------

    def look_after_others(self, *, is_urgent: bool = True) -> bool:
        """Give up trials whose process has died. Whether any trial of another process is still running.

        When it is not urgent, nothing is done while another thread asks: asking looks after them as well.
        """
        if not self._lock.acquire(blocking=is_urgent):
            return True
        try:
            self._look_again()
            return bool(self._others())
        finally:
            self._lock.release()

    @property
    def is_any_running(self) -> bool:
        """Whether a trial of this or another process was running when the study was read last."""
        return bool(running_owners(self.progress.running))

    @property
    def is_confirmed(self) -> bool:
        """Whether nothing is left to confirm, as far as this process knows when it ends."""
        is_stopped = any(trial.state is State.STOPPED for trial in self._told.values())
        return not self.study.definition.confirm or (self._is_all_started and not is_stopped)

    @property
    def has_more(self) -> bool:
        """Whether there are trials to start, by what was read last; a budget of time is not looked at."""
        budget = self.study.definition.trials
        return bool(self.progress.due) or budget is None or self.progress.n_started < budget

    def warm_up(self) -> None:
        """Propose once for nothing: imports and first fits would keep others waiting during our turn."""
        if self.has_more:
            self.study.propose(self.study.trials())

    def _others(self) -> dict[int, tuple[Owner, Any]]:
        """The running trials of other processes: number -> (owner, beat)."""
        owners = running_owners(self.progress.running)
        return {number: pair for number, pair in owners.items() if pair[0].worker != self._owner.worker}

    def _give_up_dead(self, frozen_trials: Sequence[FrozenTrial]) -> bool:
        others = self._others()
        dead = self._watch.dead(others)
        for number in dead:
            frozen, owner = frozen_trials[number], others[number][0]
            try:
                outcome = self._left_behind(frozen)
                if outcome is None and self._never_began(frozen, owner):
                    self._withdraw(frozen)
                    continue
                outcome = outcome or Outcome(State.DIED, error="its worker died")
                _finish(self.study, frozen._trial_id, outcome, is_late=True)
            except UpdateFinishedTrialError:
                continue  # another worker was quicker
            self.given_up.append((number, owner, outcome.state))
        return bool(dead)

    def _left_behind(self, frozen: FrozenTrial) -> Outcome | None:
        """The outcome in the folder of a dead trial, if there is one; the values of its runs are kept in any case."""
        definition, config = self.study.definition, self.study.config(frozen.params)
        folder, repeats, n_numbers = definition.trials_folder, self._repeats(frozen), definition.n_numbers
        if repeats is None:
            return read_result(folder, frozen.number, config, n_numbers=n_numbers)
        storage = self.study.storage.optuna

        def look_up(repeat: int) -> Outcome:
            result = read_result(folder / str(frozen.number), repeat, config, n_numbers=n_numbers)
            return result or Outcome(State.DIED)

        def record(runs: Sequence[Sequence[float]]) -> None:
            storage.set_trial_user_attr(frozen._trial_id, RUNS, _stored_runs(runs))

        outcome = run_repeatedly(look_up, repeats, runs_of(frozen), record, n_numbers[0])
        return None if outcome.state is State.DIED else outcome

    def _never_began(self, frozen: FrozenTrial, owner: Owner) -> bool:
        """Whether a dead trial of this machine has no folder: it was only created, and perhaps out of turn.

        A configuration that a user has named is kept, whatever happened to its trial.
        """
        is_named = provenance_of(frozen).origin is Origin.GIVEN or _is_enqueued(frozen)
        folder = self.study.definition.trials_folder / str(frozen.number)
        return owner.is_gone and not is_named and not folder.exists()


def _token(frozen: FrozenTrial) -> str | None:
    """The question that a trial was created for."""
    owner = owner_of(frozen.user_attrs)
    return None if owner is None else owner.token


def _is_enqueued(frozen: FrozenTrial) -> bool:
    """Whether a trial was created with Optuna's `enqueue_trial`."""
    return "fixed_params" in frozen.system_attrs


def _is_clock_off(trial: Trial, outcome: Outcome) -> bool:
    """Whether the clock of the system was set while a trial ran, or its outcome had to wait for the storage."""
    if trial.started is None:
        return False
    return abs((datetime.now() - trial.started).total_seconds() - outcome.seconds) > _CLOCK_ERROR


def _finish(study: Study, key: int, outcome: Outcome, *, is_late: bool = False) -> None:
    """Store an outcome: first why there is no value, if so, and then the state, after which nothing can be changed.

    ``is_late`` stores how long the trial ran, too, where the times of its start and its end do not tell.
    """
    storage, has_failed = study.storage.optuna, outcome.state in _ENDINGS
    if has_failed or is_late:
        facts = {"error": outcome.error, "exit_code": outcome.exit_code, "seconds": round(outcome.seconds, 3)}
        storage.set_trial_user_attr(key, _ENDINGS.get(outcome.state, LATE), facts)
    values = list(outcome.values)
    if outcome.state is State.PRUNED:  # as Optuna does: the last intermediate value
        intermediate_values = storage.get_trial(key).intermediate_values
        values = [intermediate_values[max(intermediate_values)]] if intermediate_values else []
    if outcome.constraints:
        excess = study.excess(outcome.constraints)
        storage.set_trial_user_attr(
            key, OUTCOMES, dict(zip(study.definition.limited, outcome.constraints, strict=True))
        )
        for name, attribute in constraint_attributes(excess).items():
            storage.set_trial_system_attr(key, name, attribute)
    state = TrialState.FAIL if has_failed else TrialState[outcome.state.name]
    storage.set_trial_state_values(key, state, None if any(map(math.isnan, values)) else values or None)


def _stored_runs(runs: Sequence[Sequence[float]]) -> list[Any]:
    """The numbers of runs as they are stored: where each has one, without a list of its own."""
    return [run[0] if len(run) == 1 else list(run) for run in runs]

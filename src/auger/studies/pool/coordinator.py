"""The desk of a study: hands out trials to run and takes back what came of them, from any number of processes.

One process at a time is served, by the turn of the storage (`Storage.turn`). So a proposal knows of all earlier ones, a
budget is kept to the trial, and a trial appears in the storage with everything about it, in one write.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auger.schema import MAX_TEXT, ORIGIN, REASON, SURPLUS
from auger.studies.pool.events import Counts, Leader
from auger.studies.pool.owners import BEAT, CLAIM, Claim, Watch, claim_of, running_claims
from auger.studies.pool.progress import DIED, RETRY_OF, ending, seconds_spent
from auger.studies.study import Study
from auger.studies.trial import Outcome, read_result
from auger.types import Config

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

WORKER_DIED = "its worker died"


@dataclass(frozen=True)
class Assignment:
    """A trial to run.

    Attributes:
        number: of the trial in its study; `key` is what the storage knows it by.
        config: its configuration.
        origin: who proposed it, and `reason` why.
        retry_of: the first attempt at it, where there was one.
    """

    number: int
    key: int
    config: Config
    origin: str
    reason: str
    retry_of: int | None = None


class Desk:
    """Where the workers of one process ask and tell.

    Args:
        study: to be worked on.
        claim: of this process.
    """

    def __init__(self, study: Study, claim: Claim) -> None:
        self.study, self._claim = study, claim
        self.ledger = study.ledger()
        self.given_up: list[tuple[int, Claim, str]] = []  # dead trials we found: number, whose, what became of it
        self._next_study: Study | None = None
        self._is_first_done = not study.definition.first  # whether the configurations that come first have been tried
        self._watch = Watch()
        self._lock = threading.Lock()
        self._told: dict[int, tuple[Assignment, Outcome]] = {}  # by us, and not read back yet
        self._new: set[int] = set()  # started by us, likewise
        self._counting = threading.Lock()

    def replace_study(self, study: Study) -> None:
        """Go on with another definition of the same study, from the next question on."""
        self._next_study = study

    def counts(self) -> Counts:
        """Where the study stands: as last read, and what we have told since."""
        with self._counting:
            ledger, told = self.ledger, [outcome.state for _, outcome in self._told.values()]
            complete, failed, pruned = (told.count(state) for state in ("complete", "failed", "pruned"))
            running = {trial.number for trial in ledger.running} | self._new
            return Counts(
                ledger.n_finished + complete + failed + pruned,
                ledger.n_complete + complete,
                ledger.n_failed + failed,
                ledger.n_pruned + pruned,
                len(running - self._told.keys()),
                self._leader(),
            )

    def _leader(self) -> Leader | None:
        told = [(trial, outcome.value) for trial, outcome in self._told.values()]
        found = [Leader(trial.number, value, trial.config) for trial, value in told if value is not None]
        best = self.ledger.best
        if best is not None and best.value is not None:
            found.append(Leader(best.number, best.value, self.study.config(best.params)))
        sign = -1.0 if self.study.definition.direction == "maximize" else 1.0
        return min(found, key=lambda each: (sign * each.value, each.number), default=None)

    # -- ask --------------------------------------------------------------------------------------------

    def ask(self, token: str) -> Assignment | None:
        """The next trial, which exists and is ours from now on; None when there is none to run.

        Args:
            token: names the question. Asking again with the same one, when an answer was lost on the way, takes back
                what was made for it: the turn was lost with the answer, and others may have tried the same meanwhile.
        """
        with self._lock, self.study.storage.turn(self.study.definition.name):
            self._change_study()
            trials = self._look_again()
            if self._take_back(token):
                trials = self._look_again()
            made = self._next(trials, token)
            if made is not None and made.number > len(trials):
                # Optuna repeats a write itself when it loses the answer, and then there are two
                self._look_again()
                self._take_back(token, but=made.number)
            return made

    def _change_study(self) -> None:
        if self._next_study is not None:
            self.study, self._next_study = self._next_study, None
            self._is_first_done = not self.study.definition.first
            with self._counting:
                self.ledger = self.study.ledger()

    def _take_back(self, token: str, but: int | None = None) -> bool:
        """Withdraw what was made for a question, and nobody has run; whether there was any."""
        made = [trial for trial in self.ledger.running if _token(trial) == token and not _is_enqueued(trial)]
        for trial in made:
            if trial.number != but:
                self._withdraw(trial)
        return bool(made)

    def _withdraw(self, trial: FrozenTrial) -> None:
        """Let a trial that nobody has run never have been: no budget counts it."""
        from optuna.trial import TrialState

        storage = self.study.storage.optuna
        storage.set_trial_user_attr(trial._trial_id, SURPLUS, True)
        storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)

    def _look_again(self) -> Sequence[FrozenTrial]:
        """All trials, after the dead were given up."""
        trials = self.study.trials()
        if self._give_up_dead(trials):
            trials = self.study.trials()
        self._read(trials)
        return trials

    def _read(self, trials: Sequence[FrozenTrial]) -> None:
        with self._counting:
            self.ledger.read(trials)
            self._new = set()
            still = {trial.number for trial in self.ledger.running}
            self._told = {number: told for number, told in self._told.items() if number in still}

    def _next(self, trials: Sequence[FrozenTrial], token: str) -> Assignment | None:
        definition = self.study.definition
        waiting = [trial for trial in self.ledger.running if trial.state.name == "WAITING" or _token(trial) == token]
        if waiting:
            return self._take(waiting[0], token)
        due = self.ledger.due
        if due:
            again = trials[due[0]]
            attributes = {key: again.user_attrs[key] for key in (ORIGIN, REASON) if key in again.user_attrs}
            return self._start(len(trials), again.params, {**attributes, RETRY_OF: due[0]}, token)
        if definition.trials is not None and self.ledger.n_started >= definition.trials:
            return None
        if definition.time is not None and seconds_spent(trials, datetime.now()) >= definition.time:
            return None
        return self._propose(trials, token)

    def _propose(self, trials: Sequence[FrozenTrial], token: str) -> Assignment:
        if not self._is_first_done:
            tried = [trial.params for trial in trials if SURPLUS not in trial.user_attrs]
            for config in self.study.definition.first:
                params = self.study.params(config)
                if params not in tried:
                    attributes = {ORIGIN: "given", REASON: "named in the study file"}
                    return self._start(len(trials), params, attributes, token)
            self._is_first_done = True
        made = self.study.propose(trials)
        attributes = {ORIGIN: made.origin.value, REASON: made.reason[:MAX_TEXT]}
        return self._start(len(trials), made.params, attributes, token)

    def _start(self, number: int, params: dict[str, Any], attributes: dict[str, Any], token: str) -> Assignment:
        """Make a trial, with this number unless somebody out of turn was quicker."""
        from optuna.trial import TrialState, create_trial

        attributes[CLAIM] = replace(self._claim, token=token).to_json()
        made = create_trial(
            state=TrialState.RUNNING,
            params=params,
            distributions=self.study.distributions(params),
            user_attrs=attributes,
        )
        storage = self.study.storage.optuna
        key = storage.create_new_trial(self.study.key, template_trial=made)
        # which a storage knows by heart, while reading the trial back takes a database several queries
        if storage.get_trial_id_from_study_id_trial_number(self.study.key, number) != key:
            number = storage.get_trial(key).number
        with self._counting:
            self._new.add(number)
        return self._assignment(number, key, params, attributes)

    def _take(self, waiting: FrozenTrial, token: str) -> Assignment:
        """Start a trial that somebody enqueued with Optuna, whose parameters may be fixed in part."""
        import optuna

        from auger.hosts.optuna import suggest_config

        storage, key = self.study.storage.optuna, waiting._trial_id
        # the claim first: a trial that runs without one is never known to be dead
        storage.set_trial_user_attr(key, CLAIM, replace(self._claim, token=token).to_json())
        storage.set_trial_state_values(key, optuna.trial.TrialState.RUNNING)
        suggest_config(optuna.Trial(self.study.optuna, key), self.study.definition.space)
        made = storage.get_trial(key)
        return self._assignment(made.number, key, made.params, made.user_attrs)

    def _assignment(
        self, number: int, key: int, params: Mapping[str, Any], attributes: Mapping[str, Any]
    ) -> Assignment:
        return Assignment(
            number,
            key,
            self.study.config(params),
            attributes.get(ORIGIN, "given"),
            attributes.get(REASON, "enqueued"),
            attributes.get(RETRY_OF),
        )

    # -- tell -------------------------------------------------------------------------------------------

    def tell(self, trial: Assignment, outcome: Outcome) -> bool:
        """Record what came of a trial. False when others, who thought us dead, have given it up meanwhile."""
        from optuna.exceptions import UpdateFinishedTrialError

        try:
            _finish(self.study, trial.key, outcome)
        except UpdateFinishedTrialError:
            # or we have told it before, and lost the answer
            found = self.study.storage.optuna.get_trial(trial.key)
            if ending(found)[0] == DIED or SURPLUS in found.user_attrs:
                return False
        with self._counting:
            self._told[trial.number] = trial, outcome
        return True

    def report(self, trial: Assignment, step: int, value: float) -> bool:
        """Record a value on the way; True when the trial is to be ended: pruned, or others have given it up."""
        from optuna.exceptions import UpdateFinishedTrialError

        storage = self.study.storage.optuna
        try:
            storage.set_trial_intermediate_value(trial.key, step, value)
        except UpdateFinishedTrialError:
            return True
        if self.study.definition.pruner == "none":
            return False
        return bool(self.study.optuna.pruner.prune(self.study.optuna, storage.get_trial(trial.key)))

    def beat(self, trial: Assignment, count: int) -> bool:
        """Show that a trial's process is alive. False when others have given it up."""
        from optuna.exceptions import UpdateFinishedTrialError

        try:
            self.study.storage.optuna.set_trial_user_attr(trial.key, BEAT, count)
        except UpdateFinishedTrialError:
            return False
        return True

    # -- the dead ---------------------------------------------------------------------------------------

    def look_after_others(self, *, is_urgent: bool = True) -> bool:
        """Give up trials whose process has died. Whether any of another process is still running.

        When it is not urgent, nothing is done while somebody here asks: asking looks after them as well.
        """
        if not self._lock.acquire(blocking=is_urgent):
            return True
        try:
            self._look_again()
            return any(claim.worker != self._claim.worker for claim, _ in running_claims(self.ledger.running).values())
        finally:
            self._lock.release()

    @property
    def has_more(self) -> bool:
        """Whether there are trials to begin, by what was read last; a budget of time is not looked at."""
        budget = self.study.definition.trials
        return bool(self.ledger.due) or budget is None or self.ledger.n_started < budget

    def warm_up(self) -> None:
        """Propose once for nothing: imports and first fits would keep others waiting when it is our turn."""
        if self.has_more:
            self.study.propose(self.study.trials())

    def _give_up_dead(self, trials: Sequence[FrozenTrial]) -> bool:
        from optuna.exceptions import UpdateFinishedTrialError

        self._read(trials)
        others = {
            number: (claim, beat)
            for number, (claim, beat) in running_claims(self.ledger.running).items()
            if claim.worker != self._claim.worker
        }
        dead = self._watch.dead(others)
        for number in dead:
            trial = trials[number]
            outcome = read_result(self.study.definition.trials_folder, number, self.study.config(trial.params))
            try:
                if outcome is None and self._never_began(trial, others[number][0]):
                    self._withdraw(trial)
                    continue
                _finish(self.study, trial._trial_id, outcome or Outcome(DIED, error=WORKER_DIED), is_late=True)
            except UpdateFinishedTrialError:
                continue  # another worker was quicker
            self.given_up.append((number, others[number][0], outcome.state if outcome else DIED))
        return bool(dead)

    def _never_began(self, trial: FrozenTrial, claim: Claim) -> bool:
        """Whether a dead trial of this machine has no folder: it was only made, and may have been made out of turn.

        A configuration that somebody has named is kept, whatever happened to its trial.
        """
        is_named = trial.user_attrs.get(ORIGIN) == "given" or _is_enqueued(trial)
        folder = self.study.definition.trials_folder / str(trial.number)
        return claim.is_gone and not is_named and not folder.exists()


def _token(trial: FrozenTrial) -> str | None:
    """The question that a trial was made for."""
    claim = claim_of(trial.user_attrs)
    return None if claim is None else claim.token


def _is_enqueued(trial: FrozenTrial) -> bool:
    """Whether it was put there with Optuna's `enqueue_trial`."""
    return "fixed_params" in trial.system_attrs


def _finish(study: Study, key: int, outcome: Outcome, *, is_late: bool = False) -> None:
    """Write down an outcome: why there is no value, if so, and then the state, which cannot be changed any more."""
    from optuna.trial import TrialState

    storage = study.storage.optuna
    states = {"complete": TrialState.COMPLETE, "pruned": TrialState.PRUNED}
    state = states.get(outcome.state, TrialState.FAIL)
    if state is TrialState.FAIL or is_late:
        end = outcome.state if state is TrialState.FAIL else "late"
        facts = {"error": outcome.error, "exit_code": outcome.exit_code, "seconds": round(outcome.seconds, 3)}
        storage.set_trial_user_attr(key, f"auger:{end}", facts)
    value = outcome.value
    if state is TrialState.PRUNED:  # as Optuna does: the last one on the way
        on_the_way = storage.get_trial(key).intermediate_values
        value = on_the_way[max(on_the_way)] if on_the_way else None
    storage.set_trial_state_values(key, state, None if value is None or math.isnan(value) else [value])

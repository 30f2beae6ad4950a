"""Random kills of everything that belongs to a running study, and a ledger that its program keeps itself.

A round works on a study until its budget is used up. Meanwhile signals hit its processes one after the other: the
`auger` processes and their groups, their keepers (the processes that end the programs of a killed worker), and the
programs with theirs. A process that has ended is started again. The next round has a larger budget.
"""

import json
import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from faults.processes import all_processes, is_alive, parent, title, wait_until
from faults.programs import DIARY, ended, shell, started, starts
from faults.study import Study
from optuna.trial import TrialState

# The value is the setting, so that a value on another trial is noticed. A program whose worker is gone never ends by
# itself, so that an orphan is noticed, too.
BODY = 'sleep "0.$2"; kill -0 "$PPID" 2>/dev/null || exec sleep 10000; echo "$1"'
PROGRAM = shell(DIARY.format(body=BODY), "{x}", "{tenths}")
SPACE = {"x": {"type": "int", "low": 0, "high": 999_999}, "tenths": {"type": "int", "low": 0, "high": 9}}
KEEPER = "auger-reaper"

# Who is hit, how often, and by which signals. A worker that is hit must start again, which takes a second.
_ENDS = ("KILL", "KILL", "TERM", "INT", "HUP")
TARGETS = {
    "worker": (0.3, (*_ENDS, "STOP")),
    "group": (0.1, _ENDS),
    "keeper": (0.2, ("KILL", "KILL", "TERM", "STOP")),
    "child": (0.25, (*_ENDS, "STOP")),
    "child's group": (0.15, _ENDS),
}
# Trials that a round adds to the budget, and seconds between two signals.
N_TRIALS = 30
PAUSES = (0.02, 0.5)
# Seconds that a stopped process stays so, and that a round may take: a minute of a quiet machine, with patience.
STOPPED_FOR = (0.05, 1.5)
PATIENCE = 600
# Seconds in which everything of a study must have ended after its last worker.
LAST_WORDS = 30
BENIGN = {0, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP}


@dataclass
class Account:
    """What the kills have come to: how many there were, and what went wrong."""

    kills: Counter = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    n_trials: int = 0
    n_again: int = 0  # programs that ran again

    @property
    def n_kills(self):
        return self.kills.total()

    def __str__(self):
        targets = Counter()
        for (target, _), n in self.kills.items():
            targets[target] += n
        hits = ", ".join(f"{n} {target}" for target, n in sorted(targets.items()))
        return (
            f"{self.n_kills} kills ({hits}); {self.n_trials} trials, {self.n_again} programs run again, "
            f"{len(self.faults)} lost, wrong, beyond the budget, orphaned or stuck"
        )


class Havoc:
    """A study, its processes, and the dice.

    Args:
        scene: where it all happens.
        storage: of the study.
        seed: of the dice.
    """

    def __init__(self, scene, storage, seed):
        self.scene, self.random = scene, random.Random(seed)
        self.study = Study.write(scene.folder, PROGRAM, SPACE, storage=storage, trials=1, workers=2, retries=1000)
        self.account = Account()
        self._running = []
        self._resume_at = {}  # process -> when it goes on
        self._target = self._draw()

    def run(self, n_kills):
        """Rounds until there were so many kills, and one more without any. Returns the account."""
        budget = 0
        while self.account.n_kills < n_kills:
            budget += N_TRIALS
            self._round(budget, n_kills)
            self._check(budget)
        self._round(budget + N_TRIALS, 0)
        self._check(budget + N_TRIALS)
        return self.account

    def _round(self, budget, n_kills):
        tune = ("tune", self.study.path, "--trials", budget, "--keep-going", "--json")
        worker = ("worker", self.study.address, self.study.name, "--workers", 2, "--keep-going", "--json")
        self._running = [self.scene.start(*tune)]
        self._running[0].wait_for(lambda: self._running[0].events, "the study has the new budget")
        self._running.append(self.scene.start(*worker))
        deadline, next_kill = time.monotonic() + PATIENCE, time.monotonic()
        while any(auger is not None for auger in self._running):
            assert time.monotonic() < deadline, f"stuck\n{self.account}\n" + "\n".join(map(str, self._running))
            self._restart(tune, worker)
            now = time.monotonic()
            self._resume(now)
            if now >= next_kill and self.account.n_kills < n_kills and self._hit(now):
                next_kill = now + self.random.uniform(*PAUSES)
            time.sleep(0.01)
        self._resume(float("inf"))
        orphans = self.scene.left
        wait_until(lambda: not orphans(), lambda: f"orphans: {list(map(title, orphans()))}", patience=LAST_WORDS)

    def _restart(self, *commands):
        """Start again what has ended before its time; None stands for what has ended well."""
        for i, auger in enumerate(self._running):
            if auger is None or auger.process.poll() is None:
                continue
            code = auger.process.returncode
            assert code in BENIGN, f"a worker has failed\n{auger}"
            self._running[i] = None if code == 0 else self.scene.start(*commands[i])

    def _draw(self):
        """Who is hit next."""
        return self.random.choices(list(TARGETS), [weight for weight, _ in TARGETS.values()])[0]

    def _hit(self, now):
        """Send a signal to a process of the kind that was drawn; False while there is none."""
        target, processes = self._target, self._processes(self._target)
        if not processes:
            return False
        name = self.random.choice(TARGETS[target][1])
        process, number = self.random.choice(processes), signal.Signals[f"SIG{name}"]
        with suppress(ProcessLookupError):
            (os.killpg if "group" in target else os.kill)(process, number)
            self.account.kills[target, name] += 1
            self._target = self._draw()
            if name == "STOP":
                self._resume_at[process] = now + self.random.uniform(*STOPPED_FOR)
        return True

    def _processes(self, target):
        # at work: a process that is only being loaded has nothing to lose
        workers = [auger.pid for auger in self._running if auger and auger.process.poll() is None and auger.stdout]
        children = [pid for pid in all_processes() if parent(pid) in workers and is_alive(pid)]
        keepers = [pid for pid in children if KEEPER in title(pid)]
        programs = sorted(set(children) - set(keepers))
        if target in ("worker", "group"):  # not between the end of its keeper and the next: docs/security.md
            kept = set(map(parent, keepers))
            return [worker for worker in workers if worker in kept or worker not in map(parent, programs)]
        return sorted(keepers) if target == "keeper" else programs

    def _resume(self, now):
        for process in [process for process, at in self._resume_at.items() if at <= now]:
            del self._resume_at[process]
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)

    # -- the ledger against the storage -----------------------------------------------------------------

    def _check(self, budget):
        trials = self.study.trials()
        runs = {}  # number of the first attempt -> all attempts
        for trial in trials:
            if "auger:surplus" not in trial.user_attrs:
                runs.setdefault(trial.user_attrs.get("auger:retry_of", trial.number), []).append(trial)
        n_starts = starts(self.scene.folder)
        self.account.n_trials, self.account.n_again = budget, n_starts.total() - len(n_starts)
        for problem in [*self._lost(trials), *self._wrong(trials), *self._beyond(runs, budget)]:
            self.account.faults.append(problem)
        assert not self.account.faults, f"{self.account}\n" + "\n".join(self.account.faults)

    def _lost(self, trials):
        """What a worker has announced must be in the storage, as it was announced."""
        for auger in self.scene.started:
            for event in whole_events(auger):
                if event["event"] != "trial_finished" or event["state"] != "complete":
                    continue
                trial = trials[event["number"]]
                if trial.state != TrialState.COMPLETE or trial.value != event["value"]:
                    yield f"lost: {event}, and the storage has {trial}"

    def _wrong(self, trials):
        """The value of a complete trial is the one that its program wrote down; no setting is complete twice."""
        entries = {(entry.trial, entry.config) for entry in ended(self.scene.folder)}
        for trial in trials:
            if trial.state == TrialState.COMPLETE:
                if trial.value != trial.params["x"]:
                    yield f"wrong: trial {trial.number} of {trial.params} has the value {trial.value}"
                if (trial.number, str(trial.params["x"])) not in entries:
                    yield f"wrong: the ledger has no end of trial {trial.number} with {trial.params}"
        for params, n in self.study.configs().items():
            if n > 1:
                yield f"twice: {params}"

    def _beyond(self, runs, budget):
        """Every run has one end, there are as many as the budget, and no program ran for anything else."""
        if len(runs) != budget:
            yield f"beyond the budget of {budget}: {len(runs)} runs"
        for number, attempts in runs.items():
            n_ends = sum(t.state == TrialState.COMPLETE or "auger:failed" in t.user_attrs for t in attempts)
            if n_ends != 1 or not all(attempt.state.is_finished() for attempt in attempts):
                yield f"stuck: the run {number} has {n_ends} ends: {[attempt.state.name for attempt in attempts]}"
        known = {str(attempt.params["x"]) for attempts in runs.values() for attempt in attempts}
        for config in {entry.config for entry in started(self.scene.folder)} - known:
            yield f"beyond the budget: a program ran with {config}, which no trial has"


def whole_events(auger):
    """The events of a worker that may have been killed while it wrote one."""
    for line in auger.stdout.splitlines():
        with suppress(json.JSONDecodeError):
            yield json.loads(line)

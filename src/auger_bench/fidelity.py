"""Runs that pay for budgets instead of evaluations: methods that stop trials early, compared at equal total cost.

The unit is one full evaluation. A run of n of them has n lines in its file, as any other: line k says which config was
the incumbent when the cost of k + 1 full evaluations was spent. Incumbents are full evaluations only: what a shorter
training looks like is nobody's result. What is under way when a unit is full counts in the next one.

A method that stops trials of its own runs through `spend`. One that decides on budgets itself, in a process or an
environment of its own, calls `Account.train` with an `Account` on the file of its run, and is compared with the others
from then on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from auger.errors import AugerError
from auger.types import Config
from auger_bench.incumbent import Incumbent
from auger_bench.methods import Method
from auger_bench.problems import Problem
from auger_bench.records import Evaluation, ResultsError, RunFile

# Costs are sums of shares of a full evaluation; a unit is full up to this much.
_ROUNDING = 1e-9


class Spent(Exception):
    """The account is empty."""


@dataclass
class Account:
    """What a run may spend, what it has spent, and the file that is told.

    Args:
        problem: one with fidelities.
        file: of the run; what it holds already is checked against what happens now, and not written again.
        heard: called with each new line, after it is written.
        seed: of the noise of a noisy problem.
    """

    problem: Problem
    file: RunFile
    heard: Callable[[Evaluation], None] = lambda _: None
    seed: int = 0
    spent: float = field(default=0.0, init=False)
    _n_lines: int = field(default=0, init=False)
    _n_trainings: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.problem.budget is None:
            raise AugerError(f"Only a problem with fidelities has budgets to pay for. Got {self.problem.name!r}.")
        self._best = Incumbent(self.problem)
        self._past = list(self.file.run.evaluations)
        self._seconds = dict.fromkeys(("ask_cpu", "ask_wall", "tell_cpu", "tell_wall"), 0.0)

    @contextmanager
    def timing(self, what: str) -> Iterator[None]:
        """Count the time that a block takes as the method's, for "ask" or for "tell"."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            self._seconds[f"{what}_cpu"] += time.process_time() - cpu
            self._seconds[f"{what}_wall"] += time.perf_counter() - wall

    def train(self, config: Config, budget: int, *, since: int = 0) -> float:
        """The value of a config at a budget, one of the fidelities or the full one; NaN if the evaluation fails.

        Args:
            config: what to train.
            budget: up to where.
            since: where an earlier training of it stopped that goes on here. Where each fidelity is a training of its
                own (`Problem.is_continued`), that saves nothing.

        Raises:
            Spent: the budget of the run does not suffice, or is used up.
        """
        problem = self.problem
        assert problem.budget is not None
        cost = (budget - since if problem.is_continued else budget) / problem.budget
        observed = value = math.nan
        error = ""
        try:
            value = problem(config) if budget == problem.budget else _cheaper(problem, config, budget)
            observed = value
            if problem.observe is not None and budget == problem.budget:
                observed = problem.observe(config, np.random.default_rng([self.seed, self._n_trainings]))
        except Exception as failure:  # a crashing problem is part of the benchmark
            error = f"{type(failure).__name__}: {failure}"
        self._n_trainings += 1
        self.spent += cost
        line = (config, observed, value, error)
        self._write_up_to(self.spent - 2 * _ROUNDING, line)  # those were full before this training was over
        if budget == problem.budget:
            self._best.update(observed, value)
        self._write_up_to(self.spent, line)
        return observed

    def _write_up_to(self, spent: float, line: tuple[Config, float, float, str]) -> None:
        config, observed, value, error = line
        while self._n_lines + 1 <= spent + _ROUNDING:
            best = self._best
            self._write(
                Evaluation(
                    self._n_lines, config, observed, value, best.value, best.regret, **self._seconds, error=error
                )
            )
            self._seconds = dict.fromkeys(self._seconds, 0.0)

    def _write(self, made: Evaluation) -> None:
        if self._n_lines < len(self._past):
            past = self._past[self._n_lines]
            if not (past.incumbent == made.incumbent or (math.isnan(past.incumbent) and math.isnan(made.incumbent))):
                raise ResultsError(
                    f"This run cannot be resumed: its incumbent after {made.number + 1} evaluations' worth is now "
                    f"{made.incumbent!r}, and {past.incumbent!r} is recorded. Remove its file to repeat it."
                )
        else:
            self.file.append(made)
            self.heard(made)
        self._n_lines += 1
        if self._n_lines == self.file.run.head.n_evals:
            raise Spent


def _cheaper(problem: Problem, config: Config, budget: int) -> float:
    assert problem.cheaper is not None
    return problem.cheaper(config, budget)


def spend(method: Method, account: Account) -> None:
    """Run trials until the account is empty; after each fidelity the method says whether to stop this one."""
    problem = account.problem
    assert problem.budget is not None
    steps = (*problem.fidelities, problem.budget)
    method.prepare(steps)
    try:
        while True:
            with account.timing("ask"):
                config = method.ask()
            _train(method, account, config, steps)
    except Spent:
        pass


def _train(method: Method, account: Account, config: Config, steps: tuple[int, ...]) -> None:
    since, value = 0, math.nan
    for step in steps:
        value = account.train(config, step, since=since)
        if math.isnan(value):
            break
        with account.timing("tell"):
            method.report(config, step, value)
            if step < steps[-1] and method.stops(config):
                return
        since = step
    with account.timing("tell"):
        method.tell(config, value)

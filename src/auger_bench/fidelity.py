"""Runs that pay for budgets instead of evaluations: methods that stop trials early, compared at equal total cost.

The unit of cost is one full evaluation. A run of n units has n lines in its file, as any other run: line k holds the
incumbent at the time when the cost of k + 1 full evaluations was spent. Only full evaluations can be incumbents: the
value after a shorter training is not a result. A training that is under way when a unit is full counts in the next one.

A method that stops its own trials runs through `spend`. A method that chooses the budgets itself, in a process or an
environment of its own, calls `Account.train` of an `Account` on the file of its run; `auger bench table` then compares
it with the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np

from auger.errors import AugerError
from auger.types import Config
from auger_bench.measurement import Incumbent, MethodTimer, Observation, as_evaluation, evaluate
from auger_bench.methods import Method
from auger_bench.problems import Problem
from auger_bench.run_files import Evaluation, ResultsError, RunFile

# Costs are sums of shares of a full evaluation; a unit is full up to this much.
_ROUNDING = 1e-9


class Spent(Exception):
    """The account is empty."""


@dataclass
class Account:
    """What a run may spend, what it has spent, and the file that records it.

    Args:
        problem: a problem with fidelities.
        file: the file of the run. Lines that it holds already are checked against this run, and not written again.
        on_evaluation: called with each new line, after it is written.
        seed: the seed of the noise, if the problem is noisy.
    """

    problem: Problem
    file: RunFile
    on_evaluation: Callable[[Evaluation], None] = lambda _: None
    seed: int = 0
    spent: float = field(default=0.0, init=False)
    _n_lines: int = field(default=0, init=False)
    _n_trainings: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.problem.budget is None:
            raise AugerError(
                f"`problem` must have fidelities, so that there are budgets to pay for. Got {self.problem.name!r}, "
                "which has none."
            )
        self._incumbent = Incumbent(self.problem)
        self._past = list(self.file.run.evaluations)
        self._timer = MethodTimer()

    def timing(self, call: str) -> AbstractContextManager[None]:
        """Count the time of a block as the method's, for "ask" or for "tell"."""
        return self._timer.timing(call)

    def train(self, config: Config, budget: int, *, since: int = 0) -> float:
        """The value of a config at a budget, one of the fidelities or the full one; NaN if the evaluation fails.

        Args:
            config: the config to train.
            budget: where this training stops.
            since: where an earlier training of the same config stopped, which this one continues. It saves nothing on
                a problem whose fidelities are separate trainings (see `Problem.is_continued`).

        Raises:
            Spent: the budget of the run does not suffice, or is used up.
        """
        problem = self.problem
        assert problem.budget is not None
        result = evaluate(problem, config, np.random.default_rng([self.seed, self._n_trainings]), budget)
        self._n_trainings += 1
        self.spent += (budget - since if problem.is_continued else budget) / problem.budget
        self._write_up_to(self.spent - 2 * _ROUNDING, config, result)  # units that were full before this training ended
        if budget == problem.budget:
            self._incumbent.update(result.observed, result.outcome)
        self._write_up_to(self.spent, config, result)
        return result.observed.value

    def _write_up_to(self, spent: float, config: Config, result: Observation) -> None:
        while self._n_lines + 1 <= spent + _ROUNDING:
            self._write(as_evaluation(self._n_lines, config, result, self._incumbent, self._timer))
            self._timer.reset()

    def _write(self, line: Evaluation) -> None:
        if self._n_lines < len(self._past):
            _check_same(self._past[self._n_lines], line)
        else:
            self.file.append(line)
            self.on_evaluation(line)
        self._n_lines += 1
        if self._n_lines == self.file.run.head.n_evals:
            raise Spent


def _check_same(past: Evaluation, line: Evaluation) -> None:
    if past.incumbent == line.incumbent or (math.isnan(past.incumbent) and math.isnan(line.incumbent)):
        return
    raise ResultsError(
        f"This run cannot be resumed: its incumbent after the cost of {line.number + 1} evaluations is now "
        f"{line.incumbent!r}, and the file holds {past.incumbent!r}. Remove the file to repeat the run."
    )


def spend(method: Method, account: Account) -> None:
    """Run trials until the account is empty; after each fidelity the method decides whether to stop the trial."""
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

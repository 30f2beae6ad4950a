"""What a run measures at each evaluation: the value, the incumbent, and the time that the method takes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from auger.pareto import front
from auger.types import Array, Config, Mask
from auger_bench.hypervolume import added
from auger_bench.outcome import Outcome
from auger_bench.problems import Problem
from auger_bench.run_files import Evaluation

# A regret is zero up to this much of the value, which is rounding.
_RELATIVE_ZERO = 1e-12


def is_zero(regret: ArrayLike, value: ArrayLike) -> Mask:
    """Whether regrets are zero up to rounding, told by the values that they belong to; False for NaN."""
    return np.asarray(np.abs(regret) <= _RELATIVE_ZERO * np.fmax(1.0, np.abs(value)))


@dataclass
class Incumbent:
    """The config with the lowest observed value so far; `auger.recommend` is not asked.

    With several objectives or constraints: the feasible points that no other dominates so far, and their value, see
    `auger_bench.problems.Problem`.
    """

    problem: Problem
    observed: float = math.inf
    value: float = math.nan

    def __post_init__(self) -> None:
        self._front: Array = np.empty((0, len(self.problem.objectives)))
        if not self.problem.is_plain:
            self.value = 0.0 if len(self.problem.objectives) > 1 else self.problem.reference[0]

    def update(self, observed: Outcome, outcome: Outcome) -> None:
        """Take one more evaluation into account: what was observed, and what it is without noise."""
        if not self.problem.is_plain:
            self._extend(outcome)
        elif observed.value < self.observed:
            self.observed, self.value = observed.value, outcome.value

    def _extend(self, outcome: Outcome) -> None:
        gain = added(outcome.values, self._front, self.problem.reference) if outcome.is_feasible else 0.0
        if gain > 0.0:
            points = np.vstack([self._front, outcome.values])
            self._front = points[front(points)]
            self.value -= gain

    @property
    def regret(self) -> float | None:
        """Its distance from the optimum, without noise; None where the optimum is unknown."""
        return None if self.problem.optimum is None else self.problem.regret(self.value)

    @property
    def is_optimum(self) -> bool:
        """Whether it is the optimum for good: a lucky observation of another config may replace it where noise is."""
        return self.regret is not None and not self.problem.is_noisy and bool(is_zero(self.regret, self.value))


class MethodTimer:
    """CPU and wall-clock seconds of a method's ask and tell: `seconds` by the names that `Evaluation` has for them."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start again at zero."""
        self.seconds = dict.fromkeys(("ask_cpu", "ask_wall", "tell_cpu", "tell_wall"), 0.0)

    @contextmanager
    def timing(self, call: str) -> Iterator[None]:
        """Add the time of a block to that of "ask" or of "tell"."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            self.seconds[f"{call}_cpu"] += time.process_time() - cpu
            self.seconds[f"{call}_wall"] += time.perf_counter() - wall


@dataclass(frozen=True)
class Observation:
    """What one evaluation came to.

    Attributes:
        observed: the outcome with noise, as the method is told it; its values are NaN if the evaluation failed.
        outcome: the same without noise.
        error: why the evaluation failed; empty if it did not.
    """

    observed: Outcome
    outcome: Outcome
    error: str = ""


def evaluate(problem: Problem, config: Config, rng: np.random.Generator, fidelity: int | None = None) -> Observation:
    """The outcome of a config, in full or at a fidelity of the problem."""
    try:
        if fidelity is not None and fidelity != problem.budget:
            assert problem.cheaper is not None
            cheap = Outcome((problem.cheaper(config, fidelity),))
            return Observation(cheap, cheap)
        outcome = problem.outcome(config)
        return Observation(outcome if problem.observe is None else Outcome((problem.observe(config, rng),)), outcome)
    except Exception as error:  # a crashing problem is part of the benchmark
        failed = Outcome((math.nan,) * len(problem.objectives))
        return Observation(failed, failed, error=f"{type(error).__name__}: {error}")


def as_evaluation(
    number: int, config: Config, result: Observation, incumbent: Incumbent, timer: MethodTimer
) -> Evaluation:
    """One line of a run's file."""
    has_one = len(result.outcome.values) == 1
    return Evaluation(
        number,
        config,
        result.observed.value if has_one else math.nan,
        result.outcome.value if has_one else math.nan,
        incumbent.value,
        incumbent.regret,
        **timer.seconds,
        error=result.error,
        values=() if has_one else result.outcome.values,
        constraints=result.outcome.constraints,
    )

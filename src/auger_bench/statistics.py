"""Summaries of the runs of each method over seeds: curves, and the quantity after the last evaluation.

Every function takes the runs in any order and returns its results in the order of the names, so that a permutation of
the runs changes nothing. Only complete runs count; `left_out` lists the others.

The quantity of a run, q (n_evals,), always minimized, is the regret of its incumbent where the optimum is known, and
the value of its incumbent elsewhere. With several objectives the regret is the hypervolume that is missing; with
outcome constraints it is that of the best feasible config, see `auger_bench.problems.Problem`. The quantity is NaN
while every evaluation so far has failed, where there is one objective without constraints. NaN ranks behind every
number and ties with NaN. A mean over seeds is NaN if it is for one seed: leaving that seed out would flatter the
method.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from auger.errors import AugerError
from auger.types import Array, Index
from auger_bench.measurement import is_zero
from auger_bench.run_files import Run

#: Resamples of the bootstrap: 25 of them are beyond each end of a 95 % band, enough for a drawn band.
N_RESAMPLES = 1000


class StatisticsError(AugerError, ValueError):
    """Runs that cannot be compared: none complete, no common seed, different budgets, the same run twice."""


@dataclass(frozen=True)
class LeftOut:
    """The number of runs of one method on one problem that do not count."""

    problem: str
    method: str
    n_crashed: int
    n_unfinished: int


@dataclass(frozen=True)
class Curve:
    """The quantity over evaluations, aggregated over seeds; arrays (n_evals,).

    Attributes:
        problem, method: their names.
        is_regret: whether the quantity is a regret; otherwise it is the incumbent's value.
        n_seeds: the number of runs.
        evaluations: 1, 2, ..., n_evals.
        mean, lower, upper: mean over seeds and the ends of its 95 % bootstrap band, lower <= mean <= upper.
        median: median over seeds.
    """

    problem: str
    method: str
    is_regret: bool
    n_seeds: int
    evaluations: Index
    mean: Array
    lower: Array
    upper: Array
    median: Array


@dataclass(frozen=True)
class Final:
    """The quantity after the last evaluation, aggregated over seeds.

    Attributes:
        problem, method, is_regret, n_seeds: as in `Curve`.
        mean, median: over seeds.
        solved: share of runs whose last incumbent is the optimum; None where the optimum is unknown.
        n_evals_to_solve: median over seeds of `evaluations_to_optimum`, where an unsolved run counts as later than
            any other; None unless at least half of the runs are solved.
        feasible: share of runs with a feasible config; None where there are no outcome constraints.
        n_evals_to_feasible: median over seeds of `evaluations_to_feasible`, likewise.
    """

    problem: str
    method: str
    is_regret: bool
    n_seeds: int
    mean: float
    median: float
    solved: float | None
    n_evals_to_solve: int | None
    feasible: float | None = None
    n_evals_to_feasible: int | None = None


# --- from runs to arrays -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """The complete runs of one method on one problem, by seed."""

    problem: str
    method: str
    is_regret: bool
    runs: tuple[Run, ...]

    @property
    def seeds(self) -> list[int]:
        return [run.head.seed for run in self.runs]

    @cached_property
    def q(self) -> Array:
        """The quantity (n_seeds, n_evals)."""
        return np.array([quantity(run) for run in self.runs])

    def finals(self, seeds: Iterable[int]) -> Array:
        """The last quantity of each of these seeds, NaN as infinity: (n,)."""
        rows = {seed: row for row, seed in enumerate(self.seeds)}
        return _nan_last(self.q[[rows[seed] for seed in seeds], -1])


Groups = dict[str, dict[str, Group]]  # problem -> method -> its runs


def quantity(run: Run) -> Array:
    """The quantity of a run, finite or NaN: (number of evaluations it has,), or (n_evals,) where it is solved."""
    incumbent = np.array([evaluation.incumbent for evaluation in run.evaluations], dtype=np.float64)
    if not has_regret(run):
        return np.where(np.isfinite(incumbent), incumbent, np.nan)
    q = np.array([evaluation.regret for evaluation in run.evaluations], dtype=np.float64)  # None becomes NaN
    q[is_zero(q, incumbent)] = 0.0
    n_left_out = run.head.n_evals - len(q) if run.is_solved else 0  # the incumbent stays the optimum
    return np.pad(np.where(np.isfinite(q), q, np.nan), (0, n_left_out))


def has_regret(run: Run) -> bool:
    """Whether the run recorded regrets, so that the optimum of its problem was known."""
    return any(evaluation.regret is not None for evaluation in run.evaluations)


def evaluations_to_optimum(run: Run) -> int | None:
    """The number of evaluations after which the incumbent is the optimum and stays it; None if the last one is not.

    On a noisy problem the optimum can be the incumbent for a while, until a config with a luckier value replaces it.
    """
    if not has_regret(run):
        return None
    away = np.flatnonzero(quantity(run) != 0.0)  # NaN is away too
    first = int(away[-1]) + 2 if len(away) else 1
    return first if first <= len(run.evaluations) else None


def has_constraints(run: Run) -> bool:
    """Whether the run recorded outcome constraints."""
    return any(evaluation.constraints for evaluation in run.evaluations)


def evaluations_to_feasible(run: Run) -> int | None:
    """The number of evaluations after which there is a feasible config; None without one, and without constraints."""
    if not has_constraints(run):
        return None
    return next((evaluation.number + 1 for evaluation in run.evaluations if evaluation.outcome.is_feasible), None)


def cpu_seconds(run: Run) -> float:
    """Mean CPU seconds of one ask and its tell; NaN for a run without evaluations."""
    if not run.evaluations:
        return math.nan
    return math.fsum(e.ask_cpu + e.tell_cpu for e in run.evaluations) / len(run.evaluations)


def grouped(runs: Iterable[Run]) -> Groups:
    """Complete runs by problem and method, sorted by name and by seed."""
    by_problem: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        if is_counted(run):
            by_problem[run.head.problem].append(run)
    if not by_problem:
        raise StatisticsError("At least one run must be complete. Got none, so there is nothing to summarize.")
    return {problem: _group_problem(problem, by_problem[problem]) for problem in sorted(by_problem)}


def is_counted(run: Run) -> bool:
    """Whether a run counts: complete, with at least one evaluation, and not crashed."""
    return run.is_complete and bool(run.evaluations) and not run.crash


def _group_problem(problem: str, runs: list[Run]) -> dict[str, Group]:
    budgets = sorted({run.head.n_evals for run in runs})
    if len(budgets) > 1:
        raise StatisticsError(
            f"Runs of problem {problem!r} must have the same number of evaluations. Got {budgets}: compare the first "
            "evaluations of all with `--at`, or keep the runs in separate folders."
        )
    is_regret = any(map(has_regret, runs))
    by_method: dict[str, list[Run]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: (run.head.method, run.head.seed)):
        by_method[run.head.method].append(run)
    for method, members in by_method.items():
        _check_members(problem, method, members, is_regret=is_regret)
    return {method: Group(problem, method, is_regret, tuple(members)) for method, members in by_method.items()}


def _check_members(problem: str, method: str, runs: list[Run], *, is_regret: bool) -> None:
    seeds = [run.head.seed for run in runs]
    if len(set(seeds)) < len(seeds):
        raise StatisticsError(
            f"Runs of method {method!r} on problem {problem!r} must have different seeds. Got seeds {seeds}."
        )
    for run in runs:
        # a run whose every evaluation failed has no incumbent, and so may have no regret either
        if is_regret and not has_regret(run) and not np.isnan(quantity(run)).all():
            raise StatisticsError(
                f"Either all runs of problem {problem!r} or none must have regrets. The run of method {method!r} with "
                f"seed {run.head.seed} has none, and others do: they are of different versions of the problem. Run "
                "them again."
            )


def _nan_last(q: Array) -> Array:
    return np.where(np.isnan(q), np.inf, q)


def left_out(runs: Iterable[Run]) -> list[LeftOut]:
    """The numbers of runs that do not count, by problem and method; only where there are such runs."""
    has_crashed: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for run in runs:
        if not is_counted(run):
            has_crashed[run.head.problem, run.head.method].append(bool(run.crash))
    return [LeftOut(*key, sum(crashes), len(crashes) - sum(crashes)) for key, crashes in sorted(has_crashed.items())]


# --- over seeds ----------------------------------------------------------------------------------------------------


def curves(runs: Iterable[Run]) -> list[Curve]:
    """One curve per problem and method."""
    return [_curve(group) for methods in grouped(runs).values() for group in methods.values()]


def _curve(group: Group) -> Curve:
    mean, lower, upper = bootstrap(group.q)
    return Curve(
        problem=group.problem,
        method=group.method,
        is_regret=group.is_regret,
        n_seeds=len(group.runs),
        evaluations=np.arange(1, group.q.shape[1] + 1),
        mean=mean,
        lower=lower,
        upper=upper,
        median=quantile(group.q, 0.5),
    )


def finals(runs: Iterable[Run]) -> list[Final]:
    """The quantities after the last evaluation, summarized per problem and method."""
    return [_final(group) for methods in grouped(runs).values() for group in methods.values()]


def _final(group: Group) -> Final:
    last = group.q[:, -1:]
    solved, n_evals_to_solve = _reached(evaluations_to_optimum(run) for run in group.runs)
    feasible, n_evals_to_feasible = _reached(evaluations_to_feasible(run) for run in group.runs)
    is_constrained = any(map(has_constraints, group.runs))
    return Final(
        problem=group.problem,
        method=group.method,
        is_regret=group.is_regret,
        n_seeds=len(group.runs),
        mean=float(last.mean(axis=0)[0]),
        median=float(quantile(last, 0.5)[0]),
        solved=solved if group.is_regret else None,
        n_evals_to_solve=n_evals_to_solve,
        feasible=feasible if is_constrained else None,
        n_evals_to_feasible=n_evals_to_feasible,
    )


def _reached(numbers: Iterable[int | None]) -> tuple[float, int | None]:
    """The share of numbers that are not None, and the lower median where None counts as later than any other."""
    every = list(numbers)
    reached = sorted(n for n in every if n is not None)
    half = math.ceil(len(every) / 2)  # the lower median is finite exactly when at least half of the runs got there
    return len(reached) / len(every), reached[half - 1] if len(reached) >= half else None


def bootstrap(q: Array) -> tuple[Array, Array, Array]:
    """Mean over the rows of q (n, m), and the ends of its 95 % percentile-bootstrap band, each (m,).

    The resamples depend on n alone, so that the same runs have the same band, and the band of a curve is smooth. With
    one row the band is that row.
    """
    n = len(q)
    mean = q.mean(axis=0)
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES)  # (resamples, n) counts
    lower, upper = np.quantile(drawn / n @ q, [0.025, 0.975], axis=0)
    # equal rows: rounding must not put the mean outside its band
    return mean, np.minimum(lower, mean), np.maximum(upper, mean)


def quantile(q: Array, level: float) -> Array:
    """Quantiles over the rows of q (n, m): (m,). NaN counts as the worst value, so a quantile can be NaN.

    A column with a NaN is not interpolated, and takes the worse neighbor: there is no number halfway to NaN.
    """
    between = np.quantile(q, level, axis=0)
    worse = np.quantile(_nan_last(q), level, axis=0, method="higher")
    worse[np.isinf(worse)] = np.nan
    return np.asarray(np.where(np.isnan(q).any(axis=0), worse, between), dtype=np.float64)

"""What the runs of each method say: curves over seeds and final numbers.

Every function takes the runs in any order and answers in the order of the names, so a permutation changes nothing.
Only complete runs count; `left_out` says which did not.

The quantity of a run, q (n_evals,), always minimized, is the regret of its incumbent where the optimum is known and the
incumbent's value elsewhere. It is NaN while every evaluation so far has failed. NaN ranks behind every number and ties
with NaN; a mean over seeds is NaN as soon as one seed has no number, since leaving that seed out would flatter.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from auger.errors import AugerError
from auger.types import Array, Index
from auger_bench.run_files import Evaluation, Run

#: A regret up to this times max(1, |incumbent|) is rounding, and counts as 0: the optimum is reached.
RELATIVE_ZERO = 1e-12
#: Resamples of the bootstrap: the ends of a 95 % band rest on 25 of them each, plenty for a drawn band.
N_RESAMPLES = 1000


class StatisticsError(AugerError, ValueError):
    """Runs that cannot be compared: none complete, no seed shared, other budgets, the same run twice."""


@dataclass(frozen=True)
class LeftOut:
    """The runs of one method on one problem that enter no number."""

    problem: str
    method: str
    n_crashed: int
    n_unfinished: int


@dataclass(frozen=True)
class Curve:
    """The quantity over evaluations, aggregated over seeds; arrays (n_evals,).

    Attributes:
        problem, method: whose.
        is_regret: whether the quantity is a regret; otherwise it is the incumbent's value.
        n_seeds: how many runs.
        evaluations: 1, 2, ..., n_evals.
        mean, lower, upper: over seeds, with the ends of its 95 % bootstrap band, lower <= mean <= upper.
        median: over seeds.
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
        mean, lower, upper: over seeds, with the ends of its 95 % bootstrap band.
        median, first_quartile, third_quartile: over seeds.
        solved: share of runs whose last incumbent is the optimum; None where the optimum is unknown.
        n_evals_to_solve: median over seeds of the evaluation from which on the incumbent is the optimum, unsolved runs
            counting as later than any; None unless at least half of the runs are solved.
    """

    problem: str
    method: str
    is_regret: bool
    n_seeds: int
    mean: float
    lower: float
    upper: float
    median: float
    first_quartile: float
    third_quartile: float
    solved: float | None
    n_evals_to_solve: int | None


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
    """The quantity of a run, complete or not: (number of evaluations it has,), finite or NaN."""
    incumbent = _column(run, lambda evaluation: evaluation.incumbent)
    if not has_regret(run):
        return np.where(np.isfinite(incumbent), incumbent, np.nan)
    q = _column(run, lambda evaluation: math.nan if evaluation.regret is None else evaluation.regret)
    q[np.abs(q) <= RELATIVE_ZERO * np.fmax(1.0, np.abs(incumbent))] = 0.0
    return np.where(np.isfinite(q), q, np.nan)


def has_regret(run: Run) -> bool:
    """Whether the optimum of the run's problem was known to it."""
    return any(evaluation.regret is not None for evaluation in run.evaluations)


def evaluations_to_optimum(run: Run) -> int | None:
    """The number of evaluations from which on the incumbent is the optimum; None if it is not at the end.

    On a noisy problem an incumbent may touch the optimum and be replaced by a luckier config. Whoever stops there does
    not get the optimum, so only staying counts.
    """
    if not has_regret(run):
        return None
    away = np.flatnonzero(quantity(run) != 0.0)  # NaN is away too
    first = int(away[-1]) + 2 if len(away) else 1
    return first if first <= len(run.evaluations) else None


def cpu_seconds(run: Run) -> float:
    """Mean CPU seconds of one ask and its tell; NaN for a run without evaluations."""
    if not run.evaluations:
        return math.nan
    return math.fsum(e.ask_cpu + e.tell_cpu for e in run.evaluations) / len(run.evaluations)


def _column(run: Run, get: Callable[[Evaluation], float]) -> Array:
    return np.fromiter(map(get, run.evaluations), dtype=np.float64, count=len(run.evaluations))


def grouped(runs: Iterable[Run]) -> Groups:
    """Complete runs by problem and method, names and seeds in order."""
    by_problem: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        if is_counted(run):
            by_problem[run.head.problem].append(run)
    if not by_problem:
        raise StatisticsError("No complete run, so there is nothing to summarize.")
    return {problem: _group_problem(problem, by_problem[problem]) for problem in sorted(by_problem)}


def is_counted(run: Run) -> bool:
    """Whether a run enters the numbers: complete, with at least one evaluation, and not crashed."""
    return run.is_complete and bool(run.evaluations) and not run.crash


def _group_problem(problem: str, runs: list[Run]) -> dict[str, Group]:
    budgets = sorted({run.head.n_evals for run in runs})
    if len(budgets) > 1:
        raise StatisticsError(
            f"Runs of problem {problem!r} must have the same number of evaluations. Got {budgets}: compare them apart."
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
        raise StatisticsError(f"Problem {problem!r}, method {method!r}: a seed occurs twice. Got seeds {seeds}.")
    for run in runs:
        # a run whose every evaluation failed has no incumbent, and so may have no regret either
        if is_regret and not has_regret(run) and not np.isnan(quantity(run)).all():
            raise StatisticsError(
                f"Problem {problem!r}: some runs know the regret, that of method {method!r} with seed {run.head.seed} "
                "does not. They were made with different versions of the problem: run them again."
            )


def _nan_last(q: Array) -> Array:
    return np.where(np.isnan(q), np.inf, q)


def left_out(runs: Iterable[Run]) -> list[LeftOut]:
    """The runs that are in no number, by problem and method; those without any are not listed."""
    counts: dict[tuple[str, str], LeftOut] = {}
    for run in runs:
        if is_counted(run):
            continue
        key = run.head.problem, run.head.method
        so_far = counts.get(key, LeftOut(*key, 0, 0))
        counts[key] = (
            replace(so_far, n_crashed=so_far.n_crashed + 1)
            if run.crash
            else replace(so_far, n_unfinished=so_far.n_unfinished + 1)
        )
    return [counts[key] for key in sorted(counts)]


# --- over seeds ----------------------------------------------------------------------------------------------------


def curves(runs: Iterable[Run]) -> list[Curve]:
    """One curve for each problem and method."""
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
    """The last quantities, summarized for each problem and method."""
    return [_final(group) for methods in grouped(runs).values() for group in methods.values()]


def _final(group: Group) -> Final:
    last = group.q[:, -1:]
    mean, lower, upper = bootstrap(last)
    to_optimum = [evaluations_to_optimum(run) for run in group.runs]
    solved = [n for n in to_optimum if n is not None]
    half = math.ceil(len(to_optimum) / 2)
    return Final(
        problem=group.problem,
        method=group.method,
        is_regret=group.is_regret,
        n_seeds=len(group.runs),
        mean=float(mean[0]),
        lower=float(lower[0]),
        upper=float(upper[0]),
        median=float(quantile(last, 0.5)[0]),
        first_quartile=float(quantile(last, 0.25)[0]),
        third_quartile=float(quantile(last, 0.75)[0]),
        solved=len(solved) / len(to_optimum) if group.is_regret else None,
        # the lower median: finite exactly when at least half of the runs are solved
        n_evals_to_solve=sorted(solved)[half - 1] if len(solved) >= half else None,
    )


def bootstrap(q: Array) -> tuple[Array, Array, Array]:
    """Mean over the rows of q (n, m), and the ends of its 95 % percentile-bootstrap band, each (m,).

    The resamples depend on n alone, so the same runs have the same band, and the band of a curve is smooth. With one
    row the band is the row.
    """
    n = len(q)
    mean = q.mean(axis=0)
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES)  # (resamples, n) counts
    lower, upper = np.quantile(drawn / n @ q, [0.025, 0.975], axis=0)
    # equal rows: rounding must not put the mean outside its band
    return mean, np.minimum(lower, mean), np.maximum(upper, mean)


def quantile(q: Array, level: float) -> Array:
    """Quantiles over the rows of q (n, m), NaN counting as worst: (m,), NaN where that is what stands there.

    Columns with a NaN do not interpolate, and take the worse neighbour: halfway to nothing is no number.
    """
    between = np.quantile(q, level, axis=0)
    behind = np.quantile(_nan_last(q), level, axis=0, method="higher")
    behind[np.isinf(behind)] = np.nan
    return np.asarray(np.where(np.isnan(q).any(axis=0), behind, between), dtype=np.float64)

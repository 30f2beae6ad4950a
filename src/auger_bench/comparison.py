"""Methods against each other: mean ranks, wins and losses against a reference, CPU time per suggestion.

As in `auger_bench.statistics`, only complete runs count, and their order changes nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from auger.types import Array, Mask
from auger_bench.run_files import Run
from auger_bench.statistics import Group, StatisticsError, cpu_seconds, grouped, quantile

#: The method that all others are compared with by default.
REFERENCE = "optuna-tpe"
#: The method whose final regret sets the floor of `decades`.
RANDOM = "random"


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of the final quantity, 1 for the best.

    Attributes:
        by_problem: problem -> method -> mean over seeds.
        mean: method -> mean over the problems it was run on.
        n_problems: method -> the number of those problems. Compare mean ranks over the same problems only.
    """

    by_problem: dict[str, dict[str, float]]
    mean: dict[str, float]
    n_problems: dict[str, int]


@dataclass(frozen=True)
class Score:
    """One method against the reference: runs with the same seed are compared by their final quantities.

    Attributes:
        method: its name.
        wins, ties, losses: the number of runs that the method wins, ties or loses.
        p: p-value of a two-sided test.
        decades: mean of log10(reference's regret / method's), regrets raised to the floor of the problem (see
            `regret_floor`); positive if the method is better. None where the optimum is unknown, NaN if a run has no
            value.
        decades_error: its standard error; NaN with one seed.
    """

    method: str
    wins: int
    ties: int
    losses: int
    p: float
    decades: float | None
    decades_error: float | None


@dataclass(frozen=True)
class Duel(Score):
    """The score on one problem; p is that of Wilcoxon's signed-rank test on the pairs, 1 if they are all equal."""

    problem: str


@dataclass(frozen=True)
class Comparison(Score):
    """The score on all the problems where both were run: sums of wins, ties and losses, and the mean of the decades.

    Here p is that of the sign test on wins and losses, where ties are dropped.
    """

    duels: tuple[Duel, ...]


@dataclass(frozen=True)
class Cost:
    """The CPU time of a method itself.

    Attributes:
        problem, method: their names.
        seconds: mean CPU seconds of one ask and its tell, over evaluations and seeds.
        ratio: ratio to the reference on the same problem; None if that was not run or took no measurable time.
    """

    problem: str
    method: str
    seconds: float
    ratio: float | None


def ranks(runs: Iterable[Run]) -> Ranks:
    """Mean ranks of the final quantity; ties share the average of their ranks.

    The rank of a method is one more than the number of others that beat it, a tie counting half. Its mean is taken
    pair by pair, over the seeds that the pair shares, so that a slow method with few seeds does not reduce the seeds of
    the others. Where all methods have the same seeds, this is the mean over seeds of the usual rank.

    Raises:
        StatisticsError: two methods share no seed on a problem.
    """
    by_problem: dict[str, dict[str, float]] = {}
    for problem, methods in grouped(runs).items():
        by_problem[problem] = means = dict.fromkeys(methods, 1.0)
        for one, other in combinations(methods.values(), 2):
            seeds = _shared_seeds(problem, [one, other])
            ours, theirs = one.finals(seeds), other.finals(seeds)
            beaten = float(np.mean((theirs < ours) + 0.5 * (theirs == ours)))
            means[one.method] += beaten
            means[other.method] += 1.0 - beaten
    of_method: dict[str, list[float]] = defaultdict(list)
    for means in by_problem.values():
        for method, mean in means.items():
            of_method[method].append(mean)
    return Ranks(
        by_problem=by_problem,
        mean={method: math.fsum(of_method[method]) / len(of_method[method]) for method in sorted(of_method)},
        n_problems={method: len(of_method[method]) for method in sorted(of_method)},
    )


def _shared_seeds(problem: str, groups: Sequence[Group]) -> list[int]:
    shared = set(groups[0].seeds).intersection(*(group.seeds for group in groups[1:]))
    if not shared:
        seeds = "; ".join(f"{group.method!r} has {group.seeds}" for group in groups)
        raise StatisticsError(
            f"The methods compared on problem {problem!r} must share at least one complete seed. Got {seeds}. "
            "Complete their runs, or leave out a method."
        )
    return sorted(shared)


def compare(runs: Iterable[Run], *, reference: str = REFERENCE) -> list[Comparison]:
    """Every other method against the reference, on the problems where both have complete runs.

    Empty if the reference has none. A method without a common problem is not listed.

    Raises:
        StatisticsError: a method and the reference share no seed on a problem.
    """
    duels: dict[str, list[Duel]] = defaultdict(list)
    for methods in grouped(runs).values():
        if reference not in methods:
            continue
        floor = regret_floor(methods.values())
        for method, group in methods.items():
            if method != reference:
                duels[method].append(_duel(group, methods[reference], floor))
    return [_comparison(method, duels[method]) for method in sorted(duels)]


def _duel(group: Group, reference: Group, floor: float) -> Duel:
    seeds = _shared_seeds(group.problem, [group, reference])
    ours, theirs = group.finals(seeds), reference.finals(seeds)
    decades = decades_error = None
    if group.is_regret:
        decades, decades_error = _decades(ours, theirs, floor)
    return Duel(
        problem=group.problem,
        method=group.method,
        wins=int((ours < theirs).sum()),
        ties=int((ours == theirs).sum()),
        losses=int((ours > theirs).sum()),
        p=_signed_rank_p(ours, theirs),
        decades=decades,
        decades_error=decades_error,
    )


def _comparison(method: str, duels: Sequence[Duel]) -> Comparison:
    wins, losses = sum(duel.wins for duel in duels), sum(duel.losses for duel in duels)
    decades = [duel.decades for duel in duels if duel.decades is not None]
    errors = [duel.decades_error for duel in duels if duel.decades_error is not None]
    return Comparison(
        method=method,
        duels=tuple(duels),
        wins=wins,
        ties=sum(duel.ties for duel in duels),
        losses=losses,
        p=sign_test(wins, losses),
        decades=math.fsum(decades) / len(decades) if decades else None,
        # the problems are fixed and not a sample of problems: only the seeds vary, independently
        decades_error=math.sqrt(math.fsum(e * e for e in errors)) / len(errors) if errors else None,
    )


def sign_test(wins: int, losses: int) -> float:
    """The two-sided p-value of so many wins and losses if both are equally likely; 1 if there are none."""
    from scipy.stats import binomtest  # 0.8 seconds

    return float(binomtest(wins, wins + losses, 0.5).pvalue) if wins + losses else 1.0


def _signed_rank_p(ours: Array, theirs: Array) -> float:
    """The p-value of Wilcoxon's test for paired quantities (n,), which may be infinite."""
    from scipy.stats import rankdata, wilcoxon  # 0.8 seconds

    differ = ours != theirs
    if not differ.any():
        return 1.0
    # the test uses signs and ranks only, and the rank of an infinite difference is finite
    differences = ours[differ] - theirs[differ]
    result: Any = wilcoxon(np.sign(differences) * rankdata(np.abs(differences)))
    return float(result.pvalue)


def regret_floor(groups: Iterable[Group]) -> float:
    """The smallest regret that `decades` tells apart: regrets of a problem are raised to it before their logarithm.

    A thousandth of random search's median final regret: three decades better than chance is as good as solved, and one
    run with a final regret of 1e-16 must not outweigh twenty others. If that is not positive, the smallest positive
    final regret of the problem; if there is none, 1 (every ratio is then 1).
    """
    last = {group.method: group.q[:, -1] for group in groups}
    if RANDOM in last:
        median = float(quantile(last[RANDOM][:, None], 0.5)[0])
        if median > 0.0:
            return 1e-3 * median
    everything = np.concatenate(list(last.values()))
    positive: Mask = everything > 0.0
    return float(everything[positive].min()) if positive.any() else 1.0


def _decades(ours: Array, theirs: Array, floor: float) -> tuple[float, float]:
    """Mean and standard error of log10(theirs / ours), both raised to the floor."""
    if np.isinf(ours).any() or np.isinf(theirs).any():
        return math.nan, math.nan
    steps = np.log10(np.maximum(theirs, floor)) - np.log10(np.maximum(ours, floor))
    error = steps.std(ddof=1) / math.sqrt(len(steps)) if len(steps) > 1 else math.nan
    return float(steps.mean()), float(error)


def costs(runs: Iterable[Run], *, reference: str = REFERENCE) -> list[Cost]:
    """The CPU time per suggestion, for each problem and method."""
    result = []
    for problem, methods in grouped(runs).items():
        seconds = {method: float(np.mean([cpu_seconds(run) for run in methods[method].runs])) for method in methods}
        base = seconds.get(reference, 0.0)
        result += [Cost(problem, method, cpu, cpu / base if base > 0.0 else None) for method, cpu in seconds.items()]
    return result

"""Is the recommended configuration better than the one with the luckiest value? Noise-free regret of both.

    pip install ".[bench]" && python benchmarks/recommendation.py

A Markdown table on stdout, progress on stderr. Runs are those of `auto`.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # one thread per run, set before NumPy is imported

import argparse
import math
import sys

import numpy as np

from auger import Optimizer
from auger_bench.problems import Problem, problem

#: The rule was chosen on these, and on ten rough functions without noise ...
CHOSEN_ON = [
    "branin+noisy1",
    "branin+noisy5",
    "hartmann6+noisy0.1",
    "hartmann6+noisy0.3",
    "ackley5+noisy1",
    "rosenbrock4+noisy50",
    "mixed+noisy0.05",
    "mixed+noisy0.2",
    "conditional+noisy0.05",
    "fcnet-protein-noisy",
    "fcnet-slice-noisy",
    "branin",
    "hartmann6",
    "ackley5",
    "rosenbrock4",
    "mixed",
    "conditional",
    "fcnet-protein",
    "fcnet-slice",
    "levy8",
    "styblinski-tang5",
    "nas201-cifar10",
]
#: ... and only confirmed on these.
CONFIRMED_ON = [
    "forrester+noisy1",
    "levy6+noisy2",
    "styblinski-tang3+noisy5",
    "categorical+noisy0.1",
    "trap+noisy0.1",
    "fcnet-naval-noisy",
    "fcnet-parkinsons-noisy",
    "hartmann6+shifted3+noisy0.2",
    "forrester",
    "branin+shifted1",
    "rosenbrock6",
    "ackley10",
    "trap",
    "categorical",
    "fcnet-naval",
    "fcnet-parkinsons",
    "nas201-cifar100",
]

# Regrets are compared after adding this share of the median regret: a smaller difference does not matter.
_FLOOR = 1e-3


def run(black_box: Problem, seed: int, n_evals: int) -> tuple[float, bool]:
    """log10 of the recommendation's regret over the luckiest trial's, and whether noise was found."""
    optimizer, rng, regrets = Optimizer(black_box.space, seed=seed), np.random.default_rng([seed, 99]), []
    for _ in range(n_evals):
        trial = optimizer.ask()
        value = black_box(trial.config)
        regrets.append(black_box.regret(value))
        optimizer.tell(trial, value if black_box.observe is None else black_box.observe(trial.config, rng))
    recommendation, luckiest = optimizer.recommend(), optimizer.best
    assert recommendation is not None and luckiest is not None
    floor = _FLOOR * float(np.median(regrets))
    ratio = (regrets[recommendation.trial.number] + floor) / (regrets[luckiest.number] + floor)
    return math.log10(ratio), recommendation.is_noisy


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--problems", nargs="+", default=CHOSEN_ON + CONFIRMED_ON, metavar="PROBLEM")
    parser.add_argument("--evals", type=int, default=80)
    parser.add_argument("--seeds", type=int, default=14)
    options = parser.parse_args()
    print("| problem | runs | noise found | better | worse | mean log10 ratio of regrets | worst |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in options.problems:
        print(name, file=sys.stderr)
        runs = [run(problem(name), seed, options.evals) for seed in range(options.seeds)]
        ratios = np.array([ratio for ratio, _ in runs])
        n_noisy, n_better, n_worse = sum(is_noisy for _, is_noisy in runs), sum(ratios < 0), sum(ratios > 0)
        cells = f"{len(runs)} | {n_noisy} | {n_better} | {n_worse} | {ratios.mean():+.3f} | {ratios.max():+.3f}"
        print(f"| `{name}` | {cells} |", flush=True)


if __name__ == "__main__":
    main()

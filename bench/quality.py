"""Regret of the recipes and of random search on the synthetic problems, over fixed seeds.

    pip install ".[bench]" && python bench/quality.py

A Markdown table on stdout, progress on stderr, the final regret of every run in a CSV file.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # one thread a run, set before NumPy is imported

import argparse
import csv
import itertools
import platform
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path

import numpy as np

from auger import RECIPES, minimize
from auger.problems import SYNTHETIC, problem

Run = tuple[str, str, int]

#: What `docs/recipes.md` reports on.
PROBLEMS = ["branin", "hartmann6", "mixed", "conditional", "categorical", "trap"]


def regret(name: str, method: str, seed: int, n_evals: int) -> float:
    """Final regret of one run."""
    black_box = problem(name)
    if method == "random":
        rows = black_box.space.sample(n_evals, np.random.default_rng([seed, 1]))
        return black_box.regret(min(map(black_box, black_box.space.decode(rows))))
    return black_box.regret(minimize(black_box, black_box.space, n_trials=n_evals, recipe=method, seed=seed).value)


def run_all(runs: list[Run], n_evals: int, n_jobs: int) -> dict[Run, float]:
    """Every run, on ``n_jobs`` processes, with the time left on stderr."""
    start, results = time.monotonic(), {}
    with ProcessPoolExecutor(n_jobs) as pool:
        waiting = {pool.submit(regret, *run, n_evals): run for run in runs}
        for n_done, future in enumerate(as_completed(waiting), start=1):
            results[waiting[future]] = future.result()
            left = (time.monotonic() - start) / n_done * (len(runs) - n_done)
            print(f"\r{n_done}/{len(runs)} runs, {left / 60:.1f} min left   ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results


def print_table(results: dict[Run, float], problems: list[str], methods: list[str], seeds: Iterable[int]) -> None:
    """Median regret, how often it beats random search, and the chance of that by luck (Mann-Whitney, one-sided)."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415

    print(f"| | {' | '.join(problems)} |\n|---|{'---:|' * len(problems)}")
    for method in methods:
        cells = []
        for name in problems:
            ours = np.array([results[name, method, seed] for seed in seeds])
            cell = f"{np.median(ours):.3g}"
            if method != "random":
                luck = np.array([results[name, "random", seed] for seed in seeds])
                p = mannwhitneyu(ours, luck, alternative="less").pvalue
                cell += f" (p = {p:.1g})"
            cells.append(cell)
        print(f"| `{method}` | {' | '.join(cells)} |")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--problems", nargs="+", default=PROBLEMS, choices=SYNTHETIC, metavar="PROBLEM")
    parser.add_argument("--recipes", nargs="+", default=list(RECIPES), choices=RECIPES, metavar="RECIPE")
    parser.add_argument("--evals", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("quality.csv"))
    options = parser.parse_args()
    methods, seeds = ["random", *options.recipes], range(options.seeds)
    results = run_all(list(itertools.product(options.problems, methods, seeds)), options.evals, options.jobs)
    with options.out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["problem", "method", "seed", "evals", "regret"])
        writer.writerows([*run, options.evals, repr(results[run])] for run in sorted(results))
    versions = ", ".join(f"{name} {version(name)}" for name in ("auger", "numpy", "scikit-learn", "xgboost-cpu"))
    print(f"Median regret after {options.evals} evaluations, {options.seeds} seeds.")
    print(f"Python {platform.python_version()}, {versions}.\n")
    print_table(results, options.problems, methods, seeds)


if __name__ == "__main__":
    main()

"""The best hypervolumes that no formula and no table knows, from a long search; prints one line per problem.

    python benchmarks/best_fronts.py                      # all of them, some minutes
    python benchmarks/best_fronts.py welded-beam          # one

A search of 400,000 evaluations (40,000 of a surrogate): differences between members of the front,
single parameters changed, and new random configs. It keeps the members of the front that are farthest from their
neighbors. `Problem.optimum` has the result; on three problems, the best of two searches of 1,000,000.
"""

from __future__ import annotations

import sys

import numpy as np

from auger.pareto import crowding, front
from auger.types import Array
from auger_bench.hypervolume import hypervolume
from auger_bench.problems import PROBLEMS, problem
from auger_bench.problems.interface import SEARCHED, Problem

N_EVALS, N_FIRST, N_CHILDREN = 400_000, 10_000, 1000
KEPT = {2: 4000, 3: 1200}


def evaluate(black_box: Problem, rows: Array) -> tuple[Array, Array]:
    """The rows whose outcomes are feasible and better than the reference point, and their values."""
    outcomes = [black_box.outcome(config) for config in black_box.space.decode(rows)]
    counts = [outcome.is_feasible for outcome in outcomes]
    return rows[counts], np.array([o.values for o in outcomes if o.is_feasible]).reshape(-1, len(black_box.objectives))


def children(black_box: Problem, rows: Array, rng: np.random.Generator) -> Array:
    """New rows from those of the front."""
    space, n = black_box.space, N_CHILDREN // 2
    mutated = space.mutate(rows[rng.integers(len(rows), size=n)], rng, scale=(1e-5, 0.3))
    first, second, third = rows[rng.integers(len(rows), size=(3, n))]
    moved = first + rng.choice([0.2, 0.5, 1.0], size=(n, 1)) * (second - third)
    moved = np.where(rng.random(moved.shape) < 0.8, moved, first)
    is_ordered = np.where(space.is_ordered, np.clip(moved, 0, 1), first)
    is_same = ~np.isnan(first) & np.isnan(is_ordered)  # the others of the three do not have it
    combined = space.grid.snap(np.where(is_same, first, is_ordered))
    fresh = space.sample(N_CHILDREN // 20, rng)
    return np.concatenate([mutated, combined, fresh])


def best(black_box: Problem, seed: int) -> tuple[Array, Array]:
    """The front of a long search, and its rows."""
    rng = np.random.default_rng(seed)
    rows, values = evaluate(black_box, black_box.space.sample(N_FIRST, rng))
    kept = KEPT[len(black_box.objectives)]
    n_evals, budget = N_FIRST, N_EVALS // 10 if black_box.name.startswith("yahpo-") else N_EVALS
    while n_evals < budget:
        is_front = front(values)
        rows, values = rows[is_front], values[is_front]
        if len(rows) > kept:
            order = np.argsort(-crowding(values), kind="stable")[:kept]
            rows, values = rows[order], values[order]
        new_rows, new_values = evaluate(black_box, children(black_box, rows, rng))
        n_evals += N_CHILDREN
        rows, values = np.concatenate([rows, new_rows]), np.concatenate([values, new_values])
    is_front = front(values)
    return rows[is_front], values[is_front]


def main(names: list[str]) -> None:
    """Search for the fronts of these problems, or of all whose best hypervolume is not exact."""
    for name in names or [name for name, line in PROBLEMS.items() if f"({SEARCHED})" in line]:
        black_box = problem(name)
        assert black_box.source == SEARCHED
        _, values = best(black_box, seed=0)
        volume = hypervolume(values, black_box.reference)
        print(f"{name}: {volume!r}, {len(values)} members, least {values.min(axis=0)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

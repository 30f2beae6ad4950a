"""CMA-ES, the covariance matrix adaptation evolution strategy, by the cmaes library, on latent rows.

Continuous spaces: `CMA` within bounds, from the middle, with a sigma of a sixth of the range, as Optuna starts it.
Others: `CatCMAwM` (Hamano et al. 2025), which knows continuous, integer and categorical columns, with its own
defaults. As its documentation advises, ordered parameters of two values are categorical there. Parameters of more than
`_MAX_LEVELS` values are continuous and rounded: the library's tables are as long as the longest parameter.

Population sizes are the library's, 4 + 3 log(d). A search that has converged starts again with twice the population,
around a random mean (IPOP, as in the library's examples). A failed evaluation ranks with the worst of its generation;
a generation without a value teaches nothing and is drawn again.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from auger.space import Space
from auger.types import Array, Config
from auger_bench.methods.interface import Entry, Method, refuse_constraints

_MAX_LEVELS = 64


class CMAES(Method):
    """Generations of rows, told to the library when they are complete."""

    def __init__(self, space: Space, seed: int) -> None:
        refuse_constraints(space, "cma-es")
        self._space = space
        self._rng = np.random.default_rng(seed)
        self._sort_columns()
        self._search = self._start(None)
        self._solution: Any = None
        self._generation: list[tuple[Any, float]] = []

    def _sort_columns(self) -> None:
        """Sort the columns by the kind of variable that the library has for them; columns of one value are left out."""
        sizes = [math.inf if size is None else size for size in self._space.n_values]
        ordered = self._space.is_ordered.tolist()
        types = [_variable_type(size, is_ordered) for size, is_ordered in zip(sizes, ordered, strict=True)]
        self._continuous, self._levelled, self._choices = (
            [j for j, name in enumerate(types) if name == wanted] for wanted in ("continuous", "levels", "choice")
        )
        parameters = list(self._space.parameters.values())
        self._levels = {j: parameters[j].levels() for j in self._levelled + self._choices}

    def _start(self, n_population: int | None) -> Any:
        """A new search; the first starts in the middle, later ones at a random mean. None if nothing can vary."""
        import cmaes  # optional library

        seed = int(self._rng.integers(2**31))
        n = len(self._continuous)
        if n and not self._levels:
            mean = np.full(n, 0.5) if n_population is None else self._rng.random(n)
            bounds = np.tile([0.0, 1.0], (n, 1))
            return cmaes.CMA(mean, 1 / 6, bounds=bounds, seed=seed, population_size=n_population)
        if not self._levels:
            return None
        return cmaes.CatCMAwM(
            x_space=[[0.0, 1.0]] * n or None,
            z_space=[self._levels[j].tolist() for j in self._levelled] or None,
            c_space=[len(self._levels[j]) for j in self._choices] or None,
            population_size=n_population,
            seed=seed,
        )

    def ask(self) -> Config:
        row = self._space.open(np.full((1, len(self._space)), np.nan))
        if self._search is not None:
            self._solution = self._search.ask()
            self._fill(row[0])
        return self._space.decode(self._space.close(row))[0]

    def _fill(self, row: Array) -> None:
        if not self._levels:
            row[self._continuous] = self._solution
            return
        if self._continuous:
            row[self._continuous] = self._solution.x
        if self._levelled:
            row[self._levelled] = self._solution.z
        for j, is_chosen in zip(self._choices, () if self._solution.c is None else self._solution.c, strict=True):
            row[j] = self._levels[j][int(np.argmax(is_chosen))]

    def tell(self, config: Config, value: float) -> None:
        if self._search is None:
            return
        self._generation.append((self._solution, value))
        if len(self._generation) < self._search.population_size:
            return
        values = [value for _, value in self._generation if not math.isnan(value)]
        if values:
            worst = max(values)
            solutions = [(solution, worst if math.isnan(value) else value) for solution, value in self._generation]
            with warnings.catch_warnings():
                # while most values tie, its penalty for leaving the bounds is the median of an empty array, and unused
                warnings.simplefilter("ignore", RuntimeWarning)
                self._search.tell(solutions)
            # a search among choices alone never converges: every choice keeps a margin of probability
            if (self._continuous or self._levelled) and self._search.should_stop():
                self._search = self._start(2 * self._search.population_size)
        self._generation = []


def _variable_type(size: float, is_ordered: bool) -> str:
    if size == 1:
        return "constant"
    if not is_ordered or size == 2:
        return "choice"
    return "continuous" if size > _MAX_LEVELS else "levels"


ENTRIES = (
    Entry(
        "cma-es",
        "covariance matrix adaptation evolution strategy of the cmaes library",
        lambda space, seed, n_evals: CMAES(space, seed),
        modules=("cmaes",),
        distributions=("cmaes",),
    ),
)

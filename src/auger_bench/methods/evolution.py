"""Two evolutionary strategies of the paper's comparison, on latent rows: any space, any mixture.

`de`, differential evolution (Storn and Price 1997), which the paper ran in an implementation of its own and left
undescribed. Ours is the plain strategy rand/1/bin with F = CR = 0.5, as in the maximizer of that name. A population of
20 leaves a budget of 200 ten generations; parents take turns, and a child that is not worse replaces its parent at
once.

`re`, regularized evolution (Real et al. 2019), by the script that the paper ran (automl/nas_benchmarks): a population
of 100, tournaments of 10 drawn with replacement, one parameter changed at a time to any of its other values, and the
oldest dies. So the first 100 evaluations are random search. For a continuous parameter, which that script does not
have, "any other value" is a fresh draw. Only active parameters mutate; one that is switched on by a mutation has the
value that its ancestors carried along.

A failed evaluation counts as infinitely bad. A child that breaks a constraint is made again, at most 100 times; then
a random member takes its place.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import deque

import numpy as np

from auger.maximizers.evolution import children
from auger.space import Space
from auger.types import Array, Config
from auger_bench.methods.interface import Entry, Method

_MAX_TRIES = 100


class Evolved(Method):
    """The common part of both: random members first, then children that satisfy the constraints."""

    def __init__(self, space: Space, seed: int, n_population: int) -> None:
        self._space = space
        self._seed = seed
        self._n_population = n_population
        self._n_asked = 0
        self._row = np.empty(0)

    def ask(self) -> Config:
        rng = np.random.default_rng([self._seed, self._n_asked])
        self._row = self._member(rng) if self._n_asked < self._n_population else self._allowed_child(rng)
        self._n_asked += 1
        return self._space.decode(self._space.close(self._row[np.newaxis]))[0]

    def tell(self, config: Config, value: float) -> None:
        self._take(self._row, math.inf if math.isnan(value) else value)

    def _member(self, rng: np.random.Generator) -> Array:
        row: Array = self._space.open(self._space.sample(1, rng), rng)[0]
        return row

    def _allowed_child(self, rng: np.random.Generator) -> Array:
        for _ in range(_MAX_TRIES):
            row = self._child(rng)
            if self._space.allowed(self._space.close(row[np.newaxis]))[0]:
                return row
        return self._member(rng)

    @abstractmethod
    def _child(self, rng: np.random.Generator) -> Array:
        """A new latent row (d,)."""

    @abstractmethod
    def _take(self, row: Array, value: float) -> None:
        """Learn the value of the last row; infinity if its evaluation failed."""


class DifferentialEvolution(Evolved):
    """Parents take turns; a child that is not worse replaces its parent."""

    def __init__(self, space: Space, seed: int, *, n_population: int = 20) -> None:
        super().__init__(space, seed, n_population)
        self._rows: list[Array] = []
        self._values: list[float] = []
        self._turn = 0

    def _child(self, rng: np.random.Generator) -> Array:
        n = len(self._rows)
        others = [i for i in rng.permutation(n).tolist() if i != self._turn][:3]
        a, b, c = (self._rows[i][np.newaxis] for i in others)
        parent = self._rows[self._turn][np.newaxis]
        row: Array = children(parent, (a, b, c), self._space, rng, step=0.5, crossover=0.5)[0]
        return row

    def _take(self, row: Array, value: float) -> None:
        if len(self._rows) < self._n_population:
            self._rows.append(row)
            self._values.append(value)
            return
        if value <= self._values[self._turn]:
            self._rows[self._turn], self._values[self._turn] = row, value
        self._turn = (self._turn + 1) % self._n_population


class RegularizedEvolution(Evolved):
    """The best of a random sample has a child with one mutation, and the oldest dies."""

    def __init__(self, space: Space, seed: int, *, n_population: int = 100, n_sample: int = 10) -> None:
        super().__init__(space, seed, n_population)
        self._n_sample = n_sample
        self._population: deque[tuple[Array, float]] = deque(maxlen=n_population)  # the oldest first

    def _child(self, rng: np.random.Generator) -> Array:
        sample = rng.integers(len(self._population), size=self._n_sample).tolist()
        parent, _ = min((self._population[i] for i in sample), key=lambda row_and_value: row_and_value[1])
        return mutate_one(parent, self._space, rng)

    def _take(self, row: Array, value: float) -> None:
        self._population.append((row, value))


def mutate_one(latent: Array, space: Space, rng: np.random.Generator) -> Array:
    """A latent row (d,) with one of its active parameters drawn again until it differs."""
    closed = space.close(latent[np.newaxis])[0]
    can_move = ~np.isnan(closed) & np.array([size != 1 for size in space.n_values])
    row = latent.copy()
    if not can_move.any():
        return row
    j = rng.choice(np.flatnonzero(can_move))
    parameter = space.parameters[space.names[j]]
    while row[j] == closed[j]:
        row[j] = parameter.quantile(rng.random(1))[0]
    return row


ENTRIES = (
    Entry("de", "differential evolution", lambda space, seed, n_evals: DifferentialEvolution(space, seed)),
    Entry("re", "regularized evolution", lambda space, seed, n_evals: RegularizedEvolution(space, seed)),
)

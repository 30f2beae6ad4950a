"""Random search: independent uniform draws from the space."""

from __future__ import annotations

import numpy as np

from auger.space import Space
from auger.types import Config
from auger_bench.methods.interface import Entry, Method
from auger_bench.outcome import Outcome


class RandomDraws(Method):
    """Each draw has its own generator, so that draw t depends on the seed and on t alone."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._seed = seed
        self._n_asked = 0

    def ask(self) -> Config:
        row = self._space.sample(1, np.random.default_rng([self._seed, self._n_asked]))
        self._n_asked += 1
        return self._space.decode(row)[0]

    def tell(self, config: Config, value: float) -> None:
        pass

    def tell_outcome(self, config: Config, outcome: Outcome) -> None:
        pass


ENTRIES = (
    Entry(
        "random",
        "random search",
        lambda space, seed, n_evals: RandomDraws(space, seed),
        make_several=lambda space, seed, n_evals, n_objectives, n_constraints: RandomDraws(space, seed),
    ),
)

"""Ax with its defaults, through its client: Sobol points, then a Gaussian process of BoTorch.

Ordinals, and numbers with steps, are integers: their index. Ax gets the space without its conditions, as a flat one;
what it proposes for inactive parameters is left out. A parameter with one value is left out, too. Where Ax has no
config left that it has not tried, we draw at random.
"""

from __future__ import annotations

import contextlib
import logging
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from auger.space import Categorical, Float, Parameter, Space
from auger.types import Config
from auger_bench.methods.interface import Entry, Method, constants, is_plain_number, member, of_code, refuse_constraints
from auger_bench.methods.seeded import seeded


class AxMethod(Method):
    """Ax's client; each suggestion is a trial of its own."""

    def __init__(self, space: Space, seed: int) -> None:
        refuse_constraints(space, "ax")
        self._space, self._seed, self._n_asked = space, seed, 0
        self._rng = np.random.default_rng(seed)
        self._constants = constants(space)
        self._client: Any = None
        self._trial: int | None = None
        if len(self._constants) == len(space):
            return
        with _quiet(seed):
            from ax.api.client import Client  # optional library

            self._client = Client(random_seed=seed)
            self._client.configure_experiment(
                parameters=[
                    _described(name, parameter)
                    for name, parameter in space.parameters.items()
                    if name not in self._constants
                ]
            )
            self._client.configure_optimization(objective="-loss")

    def ask(self) -> Config:
        values = dict(self._constants)
        proposed = self._next() if self._client is not None else {}
        self._n_asked += 1
        if proposed is None:
            return self._space.decode(self._space.sample(1, self._rng))[0]
        for name, value in proposed.items():
            parameter = self._space.parameters[name]
            values[name] = value if is_plain_number(parameter) else of_code(parameter, int(value))
        return member(self._space, values)

    def _next(self) -> Any:
        """What Ax proposes; None where it finds nothing new."""
        from ax.exceptions.core import OptimizationComplete  # optional library

        self._trial = None
        with _quiet(self._seed, self._n_asked):
            try:
                trials = self._client.get_next_trials(max_trials=1)
            except OptimizationComplete:
                return None
        for self._trial, values in trials.items():
            return values
        return None

    def tell(self, config: Config, value: float) -> None:
        if self._client is None or self._trial is None:
            return
        with _quiet(self._seed, self._n_asked):
            if math.isnan(value):
                self._client.mark_trial_failed(self._trial)
            else:
                self._client.complete_trial(self._trial, raw_data={"loss": float(value)})


@contextlib.contextmanager
def _quiet(*seed: int) -> Iterator[None]:
    """For the length of a block, Ax draws from these seeds, and neither warns nor logs."""
    logger = logging.getLogger("ax")
    level = logger.level
    with seeded(*seed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logger.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            logger.setLevel(level)


def _described(name: str, parameter: Parameter) -> Any:
    """A parameter in Ax's words."""
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig  # optional library

    if is_plain_number(parameter):
        return RangeParameterConfig(
            name=name,
            bounds=(parameter.low, parameter.high),
            parameter_type="float" if isinstance(parameter, Float) else "int",
            scaling="log" if parameter.log else "linear",
        )
    assert parameter.n_values is not None
    if isinstance(parameter, Categorical):
        return ChoiceParameterConfig(
            name=name, values=list(range(parameter.n_values)), parameter_type="int", is_ordered=False
        )
    return RangeParameterConfig(name=name, bounds=(0, parameter.n_values - 1), parameter_type="int")


ENTRIES = (
    Entry(
        "ax",
        "Ax, a Gaussian process of BoTorch",
        lambda space, seed, n_evals: AxMethod(space, seed),
        modules=("ax.api.client",),
        distributions=("ax-platform", "botorch", "torch"),
        install='pip install "auger[bench]" ax-platform torch',
    ),
)

"""HEBO with its defaults: a Gaussian process with warped inputs and values, and the front of three acquisitions.

Numbers are HEBO's numbers, with powers where they are logarithmic. Ordinals, and numbers with steps, are integers:
their index. HEBO knows no conditions: it gets the space without them, and what it proposes for inactive parameters is
left out. Its requirements name exact old versions and cannot be installed as they are; ``install`` says what works.

HEBO draws from global generators; here each suggestion gets seeds of its own, from the seed and the number of the
trial. It leaves out failed trials by itself.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config
from auger_bench.methods.interface import Entry, Method, constants, is_plain_number, member, of_code, refuse_constraints
from auger_bench.methods.seeded import seeded

_INSTALL = (
    'pip install "auger[bench]" torch gpytorch pandas && pip install --no-deps HEBO pymoo==0.6.1.5 disjoint-set GPy '
    "paramz cma autograd moocore about-time alive-progress grapheme dill Deprecated wrapt catboost"
)


class HEBOMethod(Method):
    """HEBO's own loop of suggest and observe."""

    def __init__(self, space: Space, seed: int) -> None:
        refuse_constraints(space, "hebo")
        self._space, self._seed, self._n_asked = space, seed, 0
        self._constants = constants(space)
        described = [
            _described(name, parameter) for name, parameter in space.parameters.items() if name not in self._constants
        ]
        self._suggestion: Any = None
        self._library: Any = None
        if described:
            with seeded(seed), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the old interfaces that it uses
                from hebo.design_space.design_space import DesignSpace  # optional library
                from hebo.optimizers.hebo import HEBO  # optional library

                self._library = HEBO(DesignSpace().parse(described), scramble_seed=seed)

    def ask(self) -> Config:
        values = dict(self._constants)
        if self._library is not None:
            with seeded(self._seed, self._n_asked), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                self._suggestion = self._library.suggest(1)
            for name, value in self._suggestion.iloc[0].items():
                values[name] = _value(self._space.parameters[name], value)
        self._n_asked += 1
        return member(self._space, values)

    def tell(self, config: Config, value: float) -> None:
        if self._library is not None:
            self._library.observe(self._suggestion, np.array([[value]]))


def _described(name: str, parameter: Parameter) -> dict[str, Any]:
    """A parameter in HEBO's words."""
    if is_plain_number(parameter):
        kind = {(Float, False): "num", (Float, True): "pow", (Int, False): "int", (Int, True): "pow_int"}
        return {
            "name": name,
            "type": kind[type(parameter), parameter.log],
            "lb": parameter.low,
            "ub": parameter.high,
        }
    assert parameter.n_values is not None
    if isinstance(parameter, Categorical):
        return {"name": name, "type": "cat", "categories": list(range(parameter.n_values))}
    return {"name": name, "type": "int", "lb": 0, "ub": parameter.n_values - 1}


def _value(parameter: Parameter, value: Any) -> Any:
    if not is_plain_number(parameter):
        return of_code(parameter, int(value))
    return type(parameter.low)(min(max(value, parameter.low), parameter.high))  # powers of 10 are not exact


ENTRIES = (
    Entry(
        "hebo",
        "HEBO, a warped Gaussian process with three acquisitions",
        lambda space, seed, n_evals: HEBOMethod(space, seed),
        modules=("hebo.optimizers.hebo",),
        distributions=("HEBO", "torch", "pymoo"),
        install=_INSTALL,
    ),
)

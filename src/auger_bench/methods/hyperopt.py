"""HyperOpt's tree-structured Parzen estimator, with its defaults (20 random trials, gamma 0.25, 24 candidates).

The space is written as HyperOpt's documentation recommends: `hp.uniform` and `hp.loguniform` for continuous numbers;
`hp.quniform` and `hp.qloguniform` for whole ones, with half a unit on either side, so that the ends are as likely as
the rest; `hp.choice` for choices. Ordinals and stepped Floats are whole numbers too, their index, which keeps their
order. Parameters nest under the options of the `hp.choice` that activates them. HyperOpt cannot express a condition on
a parent that is no choice, or on several parents: such a parameter is always sampled, and dropped when inactive.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config
from auger_bench.methods.interface import Entry, Method, member, refuse_constraints


class HyperOptTPE(Method):
    """The steps of HyperOpt's `fmin`: `tpe.suggest` returns a document, which we insert with its result."""

    def __init__(self, space: Space, seed: int) -> None:
        from hyperopt import Trials  # optional library
        from hyperopt.base import Domain

        refuse_constraints(space, "hyperopt-tpe")
        self._space = space
        self._domain = Domain(_never_called, _expression(space))
        self._trials = Trials()
        self._rng = np.random.default_rng(seed)
        self._document: Any = None

    def ask(self) -> Config:
        from hyperopt import tpe  # optional library

        # as `fmin` does: a new identifier and a new seed per trial
        ids = self._trials.new_trial_ids(1)
        seed = int(self._rng.integers(2**31 - 1))
        self._document = tpe.suggest(ids, self._domain, self._trials, seed, verbose=False)[0]
        entries = {name: values[0] for name, values in self._document["misc"]["vals"].items() if len(values)}
        return member(
            self._space, {name: _value(self._space.parameters[name], entry) for name, entry in entries.items()}
        )

    def tell(self, config: Config, value: float) -> None:
        from hyperopt import JOB_STATE_DONE, STATUS_FAIL, STATUS_OK  # optional library

        failed = math.isnan(value)
        self._document["state"] = JOB_STATE_DONE
        self._document["result"] = {"status": STATUS_FAIL} if failed else {"status": STATUS_OK, "loss": value}
        self._trials.insert_trial_docs([self._document])
        self._trials.refresh()


def _never_called(config: Any) -> float:
    raise AssertionError("we evaluate the trials ourselves")


def _expression(space: Space) -> dict[str, Any]:
    """The whole space; a node that several options share is one object, as HyperOpt requires."""
    homes = {name: _home(space, name) for name in space.names}
    nodes: dict[str, Any] = {}

    def node(name: str) -> Any:
        if name not in nodes:
            nodes[name] = _node(name, space.parameters[name], options(name))
        return nodes[name]

    def options(parent: str) -> list[dict[str, Any]]:
        """The parameters that each choice of a parameter activates."""
        parameter = space.parameters[parent]
        choices = parameter.choices if isinstance(parameter, Categorical) else ()
        below = [(name, home[1]) for name, home in homes.items() if home is not None and home[0] == parent]
        return [{name: node(name) for name, wanted in below if choice in wanted} for choice in choices]

    return {name: node(name) for name, home in homes.items() if home is None}


def _home(space: Space, name: str) -> tuple[str, list[Any]] | None:
    """The choice under which a parameter nests, and the values that activate it; None for the root."""
    conditions = space.conditions(name)
    if len(conditions) == 1:
        ((parent, wanted),) = conditions.items()
        if isinstance(space.parameters[parent], Categorical):
            return parent, wanted
    return None


def _node(name: str, parameter: Parameter, options: list[dict[str, Any]]) -> Any:
    from hyperopt import hp  # optional library

    if isinstance(parameter, Categorical):
        return hp.choice(name, options)
    if parameter.n_values == 1:  # an Ordinal
        return hp.choice(name, [{}])
    if isinstance(parameter, Float) and parameter.step is None:
        if parameter.log:
            return hp.loguniform(name, math.log(parameter.low), math.log(parameter.high))
        return hp.uniform(name, parameter.low, parameter.high)
    if isinstance(parameter, Int) and parameter.log:
        return hp.qloguniform(name, math.log(parameter.low - 0.5), math.log(parameter.high + 0.5), 1)
    assert parameter.n_values is not None
    return hp.quniform(name, -0.5, parameter.n_values - 0.5, 1)


def _value(parameter: Parameter, entry: Any) -> Any:
    """The value of a parameter for HyperOpt's number; rounding must not leave the range."""
    if isinstance(parameter, (Float, Int)) and (parameter.log or parameter.n_values is None):
        value = min(max(entry, parameter.low), parameter.high)
        return round(value) if isinstance(parameter, Int) else float(value)
    levels = parameter.levels()
    index = min(max(round(entry), 0), len(levels) - 1)
    return parameter.decode(levels[index : index + 1])[0]


ENTRIES = (
    Entry(
        "hyperopt-tpe",
        "tree-structured Parzen estimator of HyperOpt",
        lambda space, seed, n_evals: HyperOptTPE(space, seed),
        modules=("hyperopt",),
        distributions=("hyperopt",),
    ),
)

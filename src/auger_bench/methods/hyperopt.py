"""HyperOpt's tree-structured Parzen estimator, with its defaults (20 random trials, gamma 0.25, 24 candidates).

As its documentation would have it: `hp.uniform` and `hp.loguniform` for continuous numbers, `hp.quniform` and
`hp.qloguniform` for whole ones, with half a unit on either side so that the ends are as likely as the rest;
`hp.choice` for choices. Ordinals and steps are whole numbers too, their index, because order is known to help.
Parameters nest under the options of the `hp.choice` that activates them. A condition on a parent that is no
choice, or on several parents, cannot be said that way: such a parameter is sampled always and dropped when inactive.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config
from auger_bench.methods.conditions import member, refuse_constraints
from auger_bench.methods.interface import Entry, Method


class HyperOptTPE(Method):
    """HyperOpt's `fmin`, taken apart: `tpe.suggest` makes a document, which comes back with a result."""

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

        # as `fmin` does: a new identifier and a new seed a trial
        ids = self._trials.new_trial_ids(1)
        seed = int(self._rng.integers(2**31 - 1))
        self._document = tpe.suggest(ids, self._domain, self._trials, seed, verbose=False)[0]
        entries = {name: found[0] for name, found in self._document["misc"]["vals"].items() if len(found)}
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
    """The whole space; a node that several options share is one object, as HyperOpt demands of a label."""
    homes = {name: _home(space, name) for name in space.names}
    nodes: dict[str, Any] = {}

    def node(name: str) -> Any:
        if name not in nodes:
            nodes[name] = _node(name, space.parameters[name], options(name))
        return nodes[name]

    def options(parent: str) -> list[dict[str, Any]]:
        """What each choice of a parameter activates."""
        kind = space.parameters[parent]
        choices = kind.choices if isinstance(kind, Categorical) else ()
        below = [(name, home[1]) for name, home in homes.items() if home is not None and home[0] == parent]
        return [{name: node(name) for name, wanted in below if choice in wanted} for choice in choices]

    return {name: node(name) for name, home in homes.items() if home is None}


def _home(space: Space, name: str) -> tuple[str, list[Any]] | None:
    """The choice a parameter nests under, and for which of its values; None for the root."""
    found = space.conditions(name)
    if len(found) == 1:
        ((parent, wanted),) = found.items()
        if isinstance(space.parameters[parent], Categorical):
            return parent, wanted
    return None


def _node(name: str, kind: Parameter, options: list[dict[str, Any]]) -> Any:
    from hyperopt import hp  # optional library

    if isinstance(kind, Categorical):
        return hp.choice(name, options)
    if kind.n_values == 1:  # an Ordinal
        return hp.choice(name, [{}])
    if isinstance(kind, Float) and kind.step is None:
        if kind.log:
            return hp.loguniform(name, math.log(kind.low), math.log(kind.high))
        return hp.uniform(name, kind.low, kind.high)
    if isinstance(kind, Int) and kind.log:
        return hp.qloguniform(name, math.log(kind.low - 0.5), math.log(kind.high + 0.5), 1)
    assert kind.n_values is not None
    return hp.quniform(name, -0.5, kind.n_values - 0.5, 1)


def _value(kind: Parameter, entry: Any) -> Any:
    """What a parameter is, by the number HyperOpt has for it; rounding must not leave the range."""
    if isinstance(kind, (Float, Int)) and (kind.log or kind.n_values is None):
        value = min(max(entry, kind.low), kind.high)
        return round(value) if isinstance(kind, Int) else float(value)
    levels = kind.levels()
    index = min(max(round(entry), 0), len(levels) - 1)
    return kind.decode(levels[index : index + 1])[0]


ENTRIES = (
    Entry(
        "hyperopt-tpe",
        "tree-structured Parzen estimator of HyperOpt",
        lambda space, seed, n_evals: HyperOptTPE(space, seed),
        modules=("hyperopt",),
        distributions=("hyperopt",),
    ),
)

"""What a study searches: a Space that the user declared, or one that is inferred from the trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from auger.errors import SpaceError
from auger.hosts.optuna.inferred_conditions import MAX_VALUES, Parents
from auger.hosts.optuna.parameters import Column, columns_of, nearest
from auger.space import Space, limits_of
from auger.types import Array


@dataclass(frozen=True)
class SearchSpace:
    """One column per parameter, and the space of these parameters."""

    columns: dict[str, Column]
    space: Space

    def encode(self, configs: Sequence[Mapping[str, Any]]) -> Array:
        """Optuna's params of n trials to rows (n, d); NaN for a parameter that a trial did not have."""
        X = np.full((len(configs), len(self.columns)), np.nan)
        if configs:  # most studies run one trial at a time, and have none pending
            for j, name in enumerate(self.columns):
                X[:, j] = self.encode_column(name, configs)
        return X

    def encode_column(self, name: str, configs: Sequence[Mapping[str, Any]]) -> Array:
        """The same for one parameter, shape (n,)."""
        entries = np.full(len(configs), np.nan)
        on = [i for i, config in enumerate(configs) if name in config]
        entries[on] = self.columns[name].encode([configs[i][name] for i in on])
        return entries

    def decode(self, row: Array) -> dict[str, Any]:
        """A row (d,) to Optuna's params; inactive parameters are left out."""
        values = zip(self.columns.items(), row[:, np.newaxis], strict=True)
        return {name: column.decode(entry)[0] for (name, column), entry in values if not np.isnan(entry[0])}

    def limits(self, fixed: Mapping[str, Any], ranges: Mapping[str, BaseDistribution]) -> tuple[Array, Array] | None:
        """The limits of a suggestion, as `Space.within` takes them: values that are fixed, and ranges to keep."""
        entries = {}
        for name, column in self.columns.items():
            distribution = ranges.get(name)
            if name in fixed:
                entry = column.encode([fixed[name]])[0]
                entries[name] = entry, entry
            elif isinstance(distribution, (FloatDistribution, IntDistribution)):
                low, high = column.encode([distribution.low, distribution.high])
                entries[name] = low, high
        return limits_of(list(self.columns), entries)

    def check_asked(self, name: str, distribution: BaseDistribution) -> None:
        """Refuse a range or choices that contradict those that the user declared for a parameter.

        Raises:
            SpaceError: names the parameter, what was declared, and what is asked for.
        """
        column = self.columns.get(name)
        if column is not None and not column.is_asked_by(distribution):
            raise SpaceError(
                f"The objective must ask for parameter {name!r} as `space` declares it, "
                f"{column.parameter!r}. Got {distribution!r}. "
                "Ask with suggest_config(trial, space), or leave `space` out."
            )

    def without_conditions_of(self, name: str) -> Space:
        """The space, without constraints of its own, in which a parameter is always active."""
        parameters: dict[str, Any] = dict(self.space.parameters)
        return Space({**parameters, name: replace(parameters[name], when={})})

    @cached_property
    def levels(self) -> list[Array | None]:
        """The entries of each column that can be a parent, in order; None for the other columns."""
        parameters = [column.parameter for column in self.columns.values()]
        return [p.levels() if p.n_values and p.n_values <= MAX_VALUES else None for p in parameters]


def declared_search_space(space: Space) -> SearchSpace:
    """The search space of a Space that the user declared."""
    return SearchSpace(columns_of(space), space)


def inferred_search_space(columns: dict[str, Column], parents: Sequence[Parents] | None = None) -> SearchSpace:
    """A search space with inferred conditions, one `Parents` per column."""
    names = list(columns)
    parameters: dict[str, Any] = {name: column.parameter for name, column in columns.items()}
    for name, own in zip(names, parents or (), strict=False):
        when = {}
        for condition in own.conditions:
            parent = parameters[names[condition.parent]]
            when[names[condition.parent]] = parent.decode(parent.levels()[list(condition.codes)])
        parameters[name] = replace(parameters[name], when=when)
    return SearchSpace(columns, Space(parameters))


def fit(distribution: BaseDistribution, value: Any) -> Any:
    """A value, moved to the nearest one of a distribution; a choice stays as it is."""
    if isinstance(distribution, CategoricalDistribution):
        return value
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    return nearest(distribution, value)

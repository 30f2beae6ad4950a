"""The search space: named parameters, when they are active, and what they must satisfy together.

X (n, d) is the encoded form of n configurations: one float64 column per parameter, in the order of the space;
positions in [0, 1] for ordered parameters, codes for categorical ones, NaN where a parameter is inactive.
A *latent* row has no NaN: every column has a value, active or not. Sampling, crossover and
mutation work on latent rows; `Space.close` snaps them and blanks what is inactive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from auger.errors import ConfigError, SpaceError, nearest
from auger.space import constraints as rules
from auger.space.conditions import hold, parents_first, read_conditions
from auger.space.grid import Grid
from auger.space.limits import Limits, limits_of_fixed
from auger.space.parameter import Parameter
from auger.space.reading import as_parameter, parameter_from_json
from auger.space.sampling import BLOCK, draw_allowed, mutate_latent, spread
from auger.space.sobol import Sobol
from auger.space.views import Views, wide
from auger.types import Array, Config, Index, Mask

# Above this many combinations of parents, `cardinality` ignores the conditions: counting them would take too long.
_MAX_PARENT_ROWS = 2**17

# A finite space up to this size may be listed: to sample it under tight constraints, or to search what is left.
EXHAUSTIVE_LIMIT = 100_000


class Space:
    """Named parameters with their conditions and constraints.

    Args:
        parameters: name -> Float, Int, Categorical or Ordinal, or the shorthand ``(1, 12)`` for an Int,
            ``(0.0, 1.0)`` for a Float and ``["relu", "tanh"]`` for a Categorical. A parameter with ``when`` is
            active only while each named parent is active and has one of the listed values.
        constraints: expressions such as ``"a + b <= 1"`` or functions of a config; all must hold.

    Example:
        >>> from auger.space import Float, Int
        >>> degree = Int(2, 5, when={"kernel": "poly"})
        >>> space = Space({"kernel": ["rbf", "poly"], "degree": degree, "C": Float(0.01, 100, log=True)})
        >>> space.encode([{"kernel": "rbf", "C": 1.0}]).tolist()
        [[0.0, nan, 0.5]]
    """

    def __init__(self, parameters: Mapping[str, Any], *, constraints: Iterable[rules.Constraint] = ()) -> None:
        if not isinstance(parameters, Mapping) or not parameters:
            raise SpaceError(f"A space must be a mapping with at least one parameter. Got {parameters!r}.")
        for name in parameters:
            if not isinstance(name, str) or not name:
                raise SpaceError(f"The name of a parameter must be a non-empty string. Got {name!r}.")
        if isinstance(constraints, str) or not isinstance(constraints, Iterable):
            raise SpaceError(f"`constraints` must be a list of constraints. Got {constraints!r}.")
        self.parameters: dict[str, Parameter] = {name: as_parameter(value, name) for name, value in parameters.items()}
        self.names: list[str] = list(self.parameters)
        self.grid = Grid(list(self.parameters.values()))
        self._column = {name: j for j, name in enumerate(self.names)}
        self._conditions = [read_conditions(name, self.parameters) for name in self.names]
        self._order = parents_first(self._conditions, self.names)
        self.constraints = tuple(rules.prepare(constraint, self.names) for constraint in constraints)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={parameter!r}" for name, parameter in self.parameters.items())
        return f"Space({inside})"

    # -- conditions -------------------------------------------------------------------------------------

    def conditions(self, name: str) -> dict[str, list[Any]]:
        """Parent -> its values that make the parameter active, in the parent's order; all must hold. Empty: always."""
        conditions = self._conditions[self._column[name]]
        return {self.names[j]: self.parameters[self.names[j]].decode(entries) for j, entries in conditions}

    @cached_property
    def is_conditional(self) -> bool:
        """Whether any parameter can be inactive."""
        return any(self._conditions)

    @cached_property
    def is_parent(self) -> Mask:
        """True for columns that switch others on and off, shape (d,)."""
        parents = {parent for conditions in self._conditions for parent, _ in conditions}
        return np.array([j in parents for j in range(len(self))])

    def active(self, X: Array) -> Mask:
        """Which entries of ``X (n, d)`` are active, by the conditions alone; ``X`` may be latent."""
        mask = np.ones(X.shape, dtype=bool)
        for j in self._order:
            for parent, entries in self._conditions[j]:
                mask[:, j] &= mask[:, parent] & np.isin(X[:, parent], entries)
        return mask

    def walk(self, choose: Callable[[str, Parameter], Any]) -> Config:
        """Build a config, parents first: ``choose(name, parameter)`` returns the value of each active parameter.

        Example:
            >>> from auger.space import Int
            >>> space = Space({"degree": Int(2, 5, when={"kernel": "poly"}), "kernel": ["rbf", "poly"]})
            >>> space.walk(lambda name, parameter: 3 if name == "degree" else "poly")
            {'degree': 3, 'kernel': 'poly'}
        """
        config: Config = {}
        row = np.full((1, len(self)), np.nan)
        for j in self._order:
            name, parameter = self.names[j], self.parameters[self.names[j]]
            if hold(row, self._conditions[j])[0]:
                config[name] = choose(name, parameter)
                row[0, j] = parameter.encode([config[name]], name)[0]
        return {name: config[name] for name in self.names if name in config}

    def limits(self, fixed: Mapping[str, Any]) -> Limits | None:
        """The limits, as `within` takes them, of the configs that have the fixed values; None where nothing is fixed.

        A parameter with a fixed value is active: its parents are limited to the values that make it so. Constraints are
        not checked.

        Raises:
            ConfigError: an unknown name, a value that the parameter does not have, or values no config has together.

        Example:
            >>> from auger.space import Int
            >>> space = Space({"kernel": ["rbf", "poly"], "degree": Int(2, 5, when={"kernel": "poly"})})
            >>> space.decode(space.within(*space.limits({"degree": 4})).enumerate())
            [{'kernel': 'poly', 'degree': 4}]
        """
        return limits_of_fixed(fixed, self.parameters, self._conditions, self._order)

    def within(self, bottom: Array, top: Array) -> Space:
        """The part of the space within limits, in the same encoding.

        Args:
            bottom, top: shape (d,), the first and the last entry that each column may have, snapped; NaN for no limit,
                and both the same for a fixed value. They apply to a parameter while it is active.
        """
        part = copy(self)
        part.grid = Grid(list(self.parameters.values()), bottom, top)
        for name in ("sizes", "is_finite", "cardinality", "members"):  # these were counted for the whole space
            vars(part).pop(name, None)
        return part

    # -- columns ----------------------------------------------------------------------------------------

    @cached_property
    def is_ordered(self) -> Mask:
        """True for columns with positions in [0, 1], False for codes, shape (d,)."""
        return np.array([parameter.is_ordered for parameter in self.parameters.values()])

    @cached_property
    def n_values(self) -> list[int | None]:
        """How many values each parameter has; None for a continuous one."""
        return [parameter.n_values for parameter in self.parameters.values()]

    @cached_property
    def sizes(self) -> list[int | None]:
        """How many values of each parameter lie within the limits; all `n_values` where it has no limit."""
        return [self.grid.n_levels(j) for j in range(len(self))]

    @cached_property
    def is_finite(self) -> bool:
        """Whether every parameter has finitely many values."""
        return all(n is not None for n in self.sizes)

    @cached_property
    def cardinality(self) -> float:
        """How many different configurations there are before constraints; ``inf`` with a continuous parameter.

        A combination that differs in inactive parameters only counts once, except in a space whose parents have more
        than 131,072 combinations: there this is the plain product, an upper bound.
        """
        if not self.is_finite:
            return math.inf
        parents = np.flatnonzero(self.is_parent).tolist()
        sizes = [n for n in self.sizes if n is not None]
        if math.prod(sizes[j] for j in parents) > _MAX_PARENT_ROWS:
            return math.prod(sizes)
        leaves = [j for j in range(len(self)) if j not in parents]
        patterns, counts = np.unique(self.active(self._combinations(parents))[:, leaves], axis=0, return_counts=True)
        # exact Python integers: a product of many sizes outgrows 64 bits
        total = 0
        for pattern, count in zip(patterns, counts.tolist(), strict=True):
            total += count * math.prod(sizes[j] for j, is_active in zip(leaves, pattern, strict=True) if is_active)
        return total

    def encode(self, configs: Sequence[Mapping[str, Any]]) -> Array:
        """Turn n configs into X (n, d), or raise a ConfigError that names what does not fit.

        Constraints are not checked here: past results may break a constraint that was added later.
        """
        if isinstance(configs, Mapping):
            raise ConfigError(f"`configs` must be a list of configs. Got one config: {configs!r}. Put it in a list.")
        X = np.full((len(configs), len(self)), np.nan)
        for j in self._order:
            name, parameter = self.names[j], self.parameters[self.names[j]]
            try:
                if not self._conditions[j]:
                    X[:, j] = parameter.encode([config[name] for config in configs], name)
                    continue
                on = np.flatnonzero(hold(X, self._conditions[j]))
                X[on, j] = parameter.encode([configs[i][name] for i in on.tolist()], name)
            except (KeyError, TypeError) as error:
                raise self._complaint(configs) from error
        # every active parameter has a value; a longer config has an unknown name, or an inactive parameter
        n_active = np.count_nonzero(~np.isnan(X), axis=1)
        if (n_active != np.fromiter(map(len, configs), dtype=np.intp, count=len(configs))).any():
            raise self._complaint(configs)
        return X

    def _complaint(self, configs: Sequence[Any]) -> ConfigError:
        """What is wrong with the first config that is not a member."""
        for config in configs:
            if not isinstance(config, Mapping):
                return ConfigError(f"A config must map names of parameters to values. Got {config!r}.")
            for key in config:
                if key not in self._column:
                    return ConfigError(f"Unknown parameter {key!r} in {dict(config)!r}. {nearest(key, self.names)}")
            row = np.full((1, len(self)), np.nan)
            for j in self._order:
                name = self.names[j]
                is_active = bool(hold(row, self._conditions[j])[0])
                if is_active and name not in config:
                    return ConfigError(f"Parameter {name!r} must have a value. Got {dict(config)!r}.")
                if not is_active and name in config:
                    when = dict(self.parameters[name].when)
                    return ConfigError(
                        f"Parameter {name!r} is active only when {when!r}; leave it out. Got {dict(config)!r}."
                    )
                if is_active:
                    row[0, j] = self.parameters[name].encode([config[name]], name)[0]
        raise AssertionError("every config is a member of the space")

    def decode(self, X: Array) -> list[Config]:
        """Turn snapped rows (n, d) into n configs; inactive parameters are left out."""
        return self._decode(np.asarray(X, dtype=np.float64), self.names)

    def _decode(self, X: Array, names: Sequence[str]) -> list[Config]:
        parameters = [(name, self.parameters[name], self._column[name]) for name in names]
        if not self.is_conditional and names:
            columns = [parameter.decode(X[:, j]) for _, parameter, j in parameters]
            return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        configs: list[Config] = [{} for _ in range(len(X))]
        for name, parameter, j in parameters:
            on = np.flatnonzero(~np.isnan(X[:, j]))
            for i, value in zip(on.tolist(), parameter.decode(X[on, j]), strict=True):
                configs[i][name] = value
        return configs

    def close(self, latent: Array) -> Array:
        """Snap latent rows (n, d) to real members of the space: typed values, NaN where inactive."""
        return self._blanked(self.grid.snap(latent))

    def _blanked(self, X: Array) -> Array:
        """Snapped latent rows, changed in place: NaN where a parameter is inactive."""
        if self.is_conditional:
            X[~self.active(X)] = np.nan
        return X

    def snap(self, X: Array) -> Array:
        """Move rows to the nearest members of the space. NaN in an active column becomes its middle."""
        return self.close(self.open(np.asarray(X, dtype=np.float64)))

    def open(self, X: Array, rng: np.random.Generator | None = None) -> Array:
        """Make rows latent: fill each NaN with a draw from the prior, or with its middle where ``rng`` is None."""
        latent = X.copy()
        if not np.isnan(latent).any():
            return latent
        for j, parameter in enumerate(self.parameters.values()):
            off = np.isnan(latent[:, j])
            if off.any():
                n_off = int(off.sum())
                latent[off, j] = parameter.quantile(np.full(n_off, 0.5) if rng is None else rng.random(n_off))
        return latent

    # -- views ------------------------------------------------------------------------------------------

    @cached_property
    def _views(self) -> Views:
        return Views(list(self.parameters.values()), is_conditional=self.is_conditional)

    @cached_property
    def wide(self) -> list[int]:
        """The columns of Categoricals with so many choices that `views` have no column for each: more than 1,000."""
        return wide(list(self.parameters.values()))

    def views(self, rows: Array) -> Views:
        """`one_hot` and `euclidean` for a model that learns from ``rows (n, d)``.

        They are those of the space itself, unless a Categorical has more than 1,000 choices. Of such a one, only the
        codes that occur in ``rows`` have a column (the 1,000 most frequent, if more do), and all others share one more.

        Example:
            >>> space = Space({"word": [f"word {i}" for i in range(5000)], "x": (0.0, 1.0)})
            >>> X = space.encode([{"word": "word 7", "x": 0.5}, {"word": "word 4000", "x": 0.25}])
            >>> space.views(X).one_hot(X).tolist()
            [[1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.25]]
            >>> space.views(X).one_hot(space.encode([{"word": "word 8", "x": 0.0}])).tolist()
            [[0.0, 0.0, 1.0, 0.0]]
        """
        if not self.wide:
            return self._views
        return Views(list(self.parameters.values()), is_conditional=self.is_conditional, rows=rows)

    def one_hot(self, X: Array, *, inactive: float = 0.5) -> Array:
        """The view for models that need numbers only: one 0/1 column per choice, positions elsewhere.

        Inactive choices are all zeros and inactive positions ``inactive`` (NaN for models that understand it);
        the parents that make them inactive are columns too, so nothing is lost. Where choices are many, use `views`.
        """
        return self._views.one_hot(X, inactive)

    @property
    def one_hot_column(self) -> Index:
        """For each column of `one_hot`, the column of X it comes from."""
        return self._views.one_hot_column

    def euclidean(self, X: Array) -> Array:
        """The view for models of distances, (n, d) -> (n, p): parameters differ by Euclidean distances.

        Two positions differ by what lies between them, with an inactive parameter in the middle. Two different choices
        are at distance 1, and inactive is one more choice: each has a column, and exactly one of them is sqrt(1/2).
        """
        return self._views.euclidean(X)

    @property
    def euclidean_column(self) -> Index:
        """For each column of `euclidean`, the column of X it comes from, shape (p,)."""
        return self._views.euclidean_column

    # -- members ----------------------------------------------------------------------------------------

    def allowed(self, X: Array) -> Mask:
        """Which snapped rows satisfy every constraint, shape (n,)."""
        ok = np.ones(len(X), dtype=bool)
        if not self.constraints:
            return ok
        configs = self._decode(X, self._constrained)
        for constraint in self.constraints:
            on = np.flatnonzero(ok)
            ok[on] = rules.holds(constraint, [configs[i] for i in on.tolist()])
        return ok

    @cached_property
    def _constrained(self) -> list[str]:
        """The parameters that constraints read: those that an expression names, all for a function."""
        read = [rule.names if isinstance(rule, rules.Expression) else self.names for rule in self.constraints]
        return [name for name in self.names if any(name in names for names in read)]

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Draw n members uniformly (on a log scale for parameters with ``log``), constraints satisfied, shape (n, d).

        Where fewer than one draw in twenty satisfies the constraints, a few uniform draws are spread out by mutation:
        the rows are no longer uniform, and repeat where few members exist.
        """
        return self._draw(n, lambda m: rng.random((m, len(self))), rng)

    def sobol(self, n: int, *, seed: int | Sequence[int], skip: int = 0) -> Array:
        """Members number ``skip`` to ``skip + n - 1`` of a scrambled Sobol sequence, shape (n, d).

        Points that break a constraint are skipped, so member k is the same for every ``n`` and ``skip``.
        """
        rng = np.random.default_rng(seed)
        first = 0 if self.constraints else skip
        sequence = Sobol(len(self), rng, skip=first)

        def uniform(m: int) -> Array:
            return sequence.random(BLOCK if self.constraints else m)

        return self._draw(n + skip - first, uniform, rng)[skip - first :][:n]

    def _draw(self, n: int, uniform: Callable[[int], Array], rng: np.random.Generator) -> Array:
        def draw(m: int) -> Array:
            return self._blanked(self.grid.quantile(uniform(m)))

        rows, n_drawn = draw_allowed(n, len(self), draw, self.allowed)
        if len(rows) >= n:
            return rows[:n]
        if self.cardinality <= EXHAUSTIVE_LIMIT and len(self.members):
            # few members in a small space: list them all and take them in a random order
            return np.resize(self.members[rng.permutation(len(self.members))], (n, len(self)))
        if not len(rows):
            listed = ", ".join(map(rules.name_of, self.constraints))
            raise SpaceError(
                f"The constraints must leave something to try. None of {n_drawn:,} random configs satisfies all of "
                f"them: {listed}."
            )
        return spread(rows, n, lambda X: self.mutate(X, rng), self.allowed, rng)

    def enumerate(self) -> Array:
        """Every allowed member of a finite space, shape (cardinality, d). Check `cardinality` first."""
        if not self.is_finite:
            raise SpaceError("Only a finite space can be enumerated. This one has a continuous parameter.")
        X = self._combinations(range(len(self)))
        return X[self.allowed(X)]

    @cached_property
    def members(self) -> Array:
        """What `enumerate` returns, computed once: a maximizer scores it at every suggestion."""
        X = self.enumerate()
        X.flags.writeable = False
        return X

    def _combinations(self, columns: Iterable[int]) -> Array:
        """All combinations of values over some columns; the other columns and inactive parameters are NaN."""
        wanted = set(columns)
        X = np.full((1, len(self)), np.nan)
        for j in (j for j in self._order if j in wanted):
            levels = self.grid.levels(j)
            assert levels is not None
            repeats = np.where(hold(X, self._conditions[j]), len(levels), 1)
            X = np.repeat(X, repeats, axis=0)
            start = np.repeat(np.cumsum(repeats) - repeats, repeats)
            on = hold(X, self._conditions[j])
            X[on, j] = levels[(np.arange(len(X)) - start)[on]]
        return X

    def mutate(self, X: Array, rng: np.random.Generator, *, scale: tuple[float, float] = (1e-3, 0.32)) -> Array:
        """One neighbor of each row of ``X (n, d)``: a random subset of the active parameters moves.

        Ordered parameters step by a normal of log-uniform width within ``scale``, at least to the next value of a
        grid; choices change to another choice. A row differs from its origin unless all its parameters have only
        one value. The result may break constraints: see `allowed`.
        """
        latent = self.open(X, rng)
        if self.grid.is_limited:  # rows from outside the limits are moved to them
            latent = self.grid.snap(latent)
        movable = ~np.isnan(X) & self.grid.can_move
        return self._blanked(mutate_latent(latent, movable, self.is_ordered, self.grid, rng, scale))

    # -- JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The space as JSON types. A constraint that is a function is kept by name only (see `from_json`)."""
        parameters: dict[str, Any] = {}
        for j, (name, parameter) in enumerate(self.parameters.items()):
            parameters[name] = parameter.to_json()
            if self._conditions[j]:
                parameters[name]["when"] = self.conditions(name)
        return {"parameters": parameters, "constraints": list(map(rules.to_json, self.constraints))}

    @classmethod
    def from_json(cls, data: Any, *, functions: Iterable[Callable[[Config], bool]] = ()) -> Space:
        """Undo `to_json`. Constraints that were functions must be passed again, in the same order."""
        if not isinstance(data, Mapping) or not isinstance(data.get("parameters"), Mapping):
            raise SpaceError(f"A saved space must hold 'parameters'. Got {data!r}.")
        parameters = {name: parameter_from_json(value, name) for name, value in data["parameters"].items()}
        return cls(parameters, constraints=rules.from_json(data.get("constraints", []), list(functions)))


def as_space(space: Space | Mapping[str, Any]) -> Space:
    """The Space itself, or a Space of the parameters in a plain dict."""
    if type(space).__name__ == "ConfigurationSpace":  # a mapping, whose values are no parameters of ours
        raise SpaceError(
            "`space` must be a Space or a dict of parameters. Got a ConfigurationSpace. Translate it with "
            "`from_configspace(space)` of `auger.hosts.configspace`."
        )
    return space if isinstance(space, Space) else Space(space)

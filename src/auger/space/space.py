"""The search space: named parameters, when they are active, and what they must satisfy together.

X (n, d) is the encoded form of n configurations: a float64 column a parameter, in the order of the space;
positions in [0, 1] for ordered parameters, codes for categorical ones, NaN where a parameter is inactive.
A *latent* row has no NaN: a value stands ready in every column, active or not. Sampling, crossover and
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
from auger.space.grid import Grid
from auger.space.parameter import Parameter
from auger.space.reading import parameter, parameter_from_json
from auger.types import Array, Config, Index, Mask

# Above this many combinations of parents, `cardinality` ignores the conditions instead of counting them out.
_MAX_PARENT_ROWS = 2**17

# A finite space up to this size may be listed: to sample it under tight constraints, or to look through what is left.
EXHAUSTIVE_LIMIT = 100_000

# Constraints that let few through: sampling draws at least this often; when by then fewer than one in twenty
# passed it spreads out from what it has found, and with nothing found after ten times as many draws it gives up.
_ENOUGH_DRAWS = 20_000
_RARE = 0.05

# Rows drawn at a time where the size must not depend on how many are asked for, so that member k never does.
_BLOCK = 256


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
        self.parameters: dict[str, Parameter] = {name: parameter(value, name) for name, value in parameters.items()}
        self.names: list[str] = list(self.parameters)
        self.grid = Grid(list(self.parameters.values()))
        self._column = {name: j for j, name in enumerate(self.names)}
        self._conditions = [self._read_when(name) for name in self.names]
        self._order = self._parents_first()
        self.constraints = tuple(rules.prepare(constraint, self.names) for constraint in constraints)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={kind!r}" for name, kind in self.parameters.items())
        return f"Space({inside})"

    # -- conditions -------------------------------------------------------------------------------------

    def _read_when(self, name: str) -> list[tuple[int, Array]]:
        """The conditions of one parameter as (column of the parent, encoded values that activate)."""
        conditions = []
        for parent, wanted in self.parameters[name].when.items():
            if parent not in self._column:
                others = [other for other in self.names if other != name]
                raise SpaceError(
                    f"Parameter {name!r} depends on {parent!r}, which is unknown. {nearest(parent, others)}"
                )
            kind = self.parameters[parent]
            if kind.n_values is None:
                raise SpaceError(
                    f"Parameter {name!r} depends on {parent!r}, which must be an Int, Categorical or Ordinal "
                    f"(a continuous Float never hits a value). Got {kind!r}."
                )
            values = list(wanted) if isinstance(wanted, (list, tuple, set, frozenset, range)) else [wanted]
            if not values:
                raise SpaceError(
                    f"Parameter {name!r} depends on {parent!r} having one of no values. Name at least one."
                )
            try:
                conditions.append((self._column[parent], np.unique(kind.encode(values, parent))))
            except ConfigError as error:
                raise SpaceError(f"The condition of parameter {name!r} cannot hold: {error}") from error
        return conditions

    def _parents_first(self) -> list[int]:
        order: list[int] = []
        waiting = list(range(len(self.names)))
        while waiting:
            ready = [j for j in waiting if all(parent in order for parent, _ in self._conditions[j])]
            if not ready:
                circle = ", ".join(repr(self.names[j]) for j in waiting)
                raise SpaceError(f"Conditions must not go round in a circle. These wait for each other: {circle}.")
            order += ready
            waiting = [j for j in waiting if j not in ready]
        return order

    def conditions(self, name: str) -> dict[str, list[Any]]:
        """Parent -> its values that make the parameter active, in the parent's order; all must hold. Empty: always."""
        found = self._conditions[self._column[name]]
        return {self.names[j]: self.parameters[self.names[j]].decode(values) for j, values in found}

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
            for parent, values in self._conditions[j]:
                mask[:, j] &= mask[:, parent] & np.isin(X[:, parent], values)
        return mask

    def walk(self, choose: Callable[[str, Parameter], Any]) -> Config:
        """Make a config parameter by parameter, parents first: ``choose`` is asked for each that is active.

        Example:
            >>> from auger.space import Int
            >>> space = Space({"degree": Int(2, 5, when={"kernel": "poly"}), "kernel": ["rbf", "poly"]})
            >>> space.walk(lambda name, kind: 3 if name == "degree" else "poly")
            {'degree': 3, 'kernel': 'poly'}
        """
        config: Config = {}
        row = np.full((1, len(self)), np.nan)
        for j in self._order:
            name, kind = self.names[j], self.parameters[self.names[j]]
            if self._active_column(row, j)[0]:
                config[name] = choose(name, kind)
                row[0, j] = kind.encode([config[name]], name)[0]
        return {name: config[name] for name in self.names if name in config}

    def within(self, bottom: Array, top: Array) -> Space:
        """The part of the space where each column keeps its limits, in the same encoding.

        Args:
            bottom, top: shape (d,), the first and the last entry each column may have, snapped; NaN for no limit, and
                both the same for a value that is given. They bind a parameter while it is active.
        """
        part = copy(self)
        part.grid = Grid(list(self.parameters.values()), bottom, top)
        for name in ("sizes", "is_finite", "cardinality", "members"):  # what was counted for the whole
            vars(part).pop(name, None)
        return part

    # -- columns ----------------------------------------------------------------------------------------

    @cached_property
    def is_ordered(self) -> Mask:
        """True for columns with positions in [0, 1], False for codes, shape (d,)."""
        return np.array([kind.is_ordered for kind in self.parameters.values()])

    @cached_property
    def n_values(self) -> list[int | None]:
        """How many values each parameter has; None for a continuous one."""
        return [kind.n_values for kind in self.parameters.values()]

    @cached_property
    def sizes(self) -> list[int | None]:
        """How many values of each parameter lie within the limits; all of its `n_values`, when there are none."""
        return [self.grid.n_levels(j) for j in range(len(self))]

    @cached_property
    def is_finite(self) -> bool:
        """Whether every parameter has finitely many values."""
        return all(n is not None for n in self.sizes)

    @cached_property
    def cardinality(self) -> float:
        """How many different configurations there are before constraints; ``inf`` with a continuous parameter.

        Conditions are counted out, except in a space whose parents have more than 131,072 combinations: there it
        is the plain product, an upper bound.
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

        Constraints are not looked at here: past results may break a rule that was made later.
        """
        if isinstance(configs, Mapping):
            raise ConfigError(f"`configs` must be a list of configs. Got a single one: {configs!r}; put it in a list.")
        X = np.full((len(configs), len(self)), np.nan)
        for j in self._order:
            name, kind = self.names[j], self.parameters[self.names[j]]
            try:
                if not self._conditions[j]:
                    X[:, j] = kind.encode([config[name] for config in configs], name)
                    continue
                on = np.flatnonzero(self._active_column(X, j))
                X[on, j] = kind.encode([configs[i][name] for i in on.tolist()], name)
            except (KeyError, TypeError) as error:
                raise self._complaint(configs) from error
        # every active parameter was found; a longer config holds a name that is none, or is inactive
        n_active = np.count_nonzero(~np.isnan(X), axis=1)
        if (n_active != np.fromiter(map(len, configs), dtype=np.intp, count=len(configs))).any():
            raise self._complaint(configs)
        return X

    def _active_column(self, X: Array, j: int) -> Mask:
        on = np.ones(len(X), dtype=bool)
        for parent, values in self._conditions[j]:
            on &= np.isin(X[:, parent], values)  # an inactive parent is NaN, which is in nothing
        return on

    def _complaint(self, configs: Sequence[Any]) -> ConfigError:
        """Find the first config that is no member, and say why."""
        for config in configs:
            if not isinstance(config, Mapping):
                return ConfigError(f"A config must map names of parameters to values. Got {config!r}.")
            for key in config:
                if key not in self._column:
                    return ConfigError(f"Unknown parameter {key!r} in {dict(config)!r}. {nearest(key, self.names)}")
            row = np.full((1, len(self)), np.nan)
            for j in self._order:
                name = self.names[j]
                is_active = bool(self._active_column(row, j)[0])
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
        kinds = [(name, self.parameters[name], self._column[name]) for name in names]
        if not self.is_conditional and names:
            columns = [kind.decode(X[:, j]) for _, kind, j in kinds]
            return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        configs: list[Config] = [{} for _ in range(len(X))]
        for name, kind, j in kinds:
            on = np.flatnonzero(~np.isnan(X[:, j]))
            for i, value in zip(on.tolist(), kind.decode(X[on, j]), strict=True):
                configs[i][name] = value
        return configs

    def close(self, latent: Array) -> Array:
        """Snap latent rows (n, d) to real members of the space: typed values, NaN where inactive."""
        X = self.grid.snap(latent)
        if self.is_conditional:
            X[~self.active(X)] = np.nan
        return X

    def snap(self, X: Array) -> Array:
        """Move rows to the nearest members of the space. NaN in an active column becomes its middle."""
        return self.close(self.open(np.asarray(X, dtype=np.float64)))

    def open(self, X: Array, rng: np.random.Generator | None = None) -> Array:
        """Make rows latent: fill each NaN with a draw from the prior, or with the prior's middle without ``rng``."""
        latent = X.copy()
        if not np.isnan(latent).any():
            return latent
        for j, kind in enumerate(self.parameters.values()):
            off = np.isnan(latent[:, j])
            if off.any():
                n_off = int(off.sum())
                latent[off, j] = kind.quantile(np.full(n_off, 0.5) if rng is None else rng.random(n_off))
        return latent

    def one_hot(self, X: Array, *, inactive: float = 0.5) -> Array:
        """The view for models that need numbers only: a 0/1 column a choice, positions elsewhere.

        Inactive choices are all zeros and inactive positions ``inactive`` (NaN for models that understand it);
        the parents that switch them off are columns too, so nothing is lost.
        """
        # rows that hosts bring may lack a parameter that is active by the conditions: look at the rows themselves
        has_gaps = bool(np.isnan(X).any())
        if self.is_ordered.all() and not has_gaps:
            return X
        wide = X[:, self.one_hot_column]
        view = np.where(np.isnan(self._one_hot_code), wide, wide == self._one_hot_code)
        if has_gaps:
            view[np.isnan(view)] = inactive
        return np.asarray(view)

    @cached_property
    def one_hot_column(self) -> Index:
        """For each column of `one_hot`, the column of X it comes from."""
        widths = [1 if self.is_ordered[j] else (n or 0) for j, n in enumerate(self.n_values)]
        return np.repeat(np.arange(len(self)), widths)

    @cached_property
    def _one_hot_code(self) -> Array:
        """For each column of `one_hot`, the code of its choice; NaN for a position."""
        codes = [[np.nan] if self.is_ordered[j] else range(n or 0) for j, n in enumerate(self.n_values)]
        return np.concatenate([np.asarray(code, dtype=np.float64) for code in codes])

    def euclidean(self, X: Array) -> Array:
        """The view for models of distances, (n, d) -> (n, p): parameters differ by Euclidean distances.

        Two positions differ by what lies between them, with an inactive parameter in the middle. Two different choices
        are at distance 1, and inactive is one more choice: each has a column, and exactly one of them is sqrt(1/2).
        """
        wide = self.one_hot(X, inactive=0.5)
        V = np.where(self.is_ordered[self.one_hot_column], wide - 0.5, wide * math.sqrt(0.5))
        if not self.is_conditional:
            return V
        return np.concatenate([V, np.isnan(X[:, ~self.is_ordered]) * math.sqrt(0.5)], axis=1)

    @cached_property
    def euclidean_column(self) -> Index:
        """For each column of `euclidean`, the column of X it comes from, shape (p,)."""
        inactive = np.flatnonzero(~self.is_ordered & self.is_conditional)
        return np.concatenate([self.one_hot_column, inactive])

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
        """The parameters a constraint looks at: those it mentions, or all where it is a function."""
        looks = [rule.names if isinstance(rule, rules.Expression) else self.names for rule in self.constraints]
        return [name for name in self.names if any(name in names for names in looks)]

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Draw n members uniformly (in log space where asked), constraints satisfied, shape (n, d).

        Where constraints let fewer than one draw in twenty pass, a few uniform draws are spread out by mutation:
        no longer uniform, and with repetitions where there is little to find.
        """
        return self._draw(n, lambda m: rng.random((m, len(self))), rng)

    def sobol(self, n: int, *, seed: int | Sequence[int], skip: int = 0) -> Array:
        """Members number ``skip`` to ``skip + n - 1`` of a scrambled Sobol sequence, shape (n, d).

        Points that break a constraint are passed over, so member k is the same whoever asks for it.
        """
        from scipy.stats import qmc  # 0.4 s to import

        rng = np.random.default_rng(seed)
        sequence = qmc.Sobol(len(self), rng=rng)
        if skip and not self.constraints:
            sequence.fast_forward(skip)
            skip = 0

        def uniform(m: int) -> Array:
            # SciPy warns about a first draw that is no power of two; the sequence itself is the same
            return np.asarray(sequence.random(_BLOCK if self.constraints else 1 << (m - 1).bit_length()))

        return self._draw(n + skip, uniform, rng)[skip : skip + n]

    def _draw(self, n: int, uniform: Callable[[int], Array], rng: np.random.Generator) -> Array:
        rows = np.empty((0, len(self)))
        n_drawn = 0
        # whether to go on may depend on what was found, never on n: member k is the same whoever asks for it
        while len(rows) < n and not _is_hopeless(len(rows), n_drawn):
            # as many as are missing, and more when the constraints let few through
            missing, share = n - len(rows), max(len(rows), 1) / max(n_drawn, 1)
            u = uniform(min(math.ceil(missing / share), max(missing, _ENOUGH_DRAWS)))
            X = self.grid.quantile(u)
            if self.is_conditional:
                X[~self.active(X)] = np.nan
            rows = np.concatenate([rows, X[self.allowed(X)]])
            n_drawn += len(u)
        if len(rows) < n and self.cardinality <= EXHAUSTIVE_LIMIT and len(self.members):
            # a few needles in a small haystack: go through it in a random order
            return np.resize(self.members[rng.permutation(len(self.members))], (n, len(self)))
        if n and not len(rows):
            named = ", ".join(_named(constraint) for constraint in self.constraints)
            raise SpaceError(
                f"The constraints must leave something to try, but none of {n_drawn:,} random configs satisfies "
                f"them all: {named}."
            )
        return rows[:n] if len(rows) >= n else self._spread(rows, n, rng)

    def _spread(self, rows: Array, n: int, rng: np.random.Generator) -> Array:
        """Grow a few allowed rows to n by mutation: a random walk where uniform draws almost never land."""
        n_tried = 0
        while len(rows) < n and (n_tried < _ENOUGH_DRAWS or len(rows) > 0.01 * n_tried):
            X = self.mutate(rows[rng.integers(len(rows), size=_BLOCK)], rng)
            rows = np.concatenate([rows, X[self.allowed(X)]])
            n_tried += _BLOCK
        return np.resize(rows, (n, len(self)))

    def enumerate(self) -> Array:
        """Every allowed member of a finite space, shape (cardinality, d). Look at `cardinality` first."""
        if not self.is_finite:
            raise SpaceError("Only a finite space can be enumerated. This one has a continuous parameter.")
        X = self._combinations(range(len(self)))
        return X[self.allowed(X)]

    @cached_property
    def members(self) -> Array:
        """What `enumerate` returns, kept, as a maximizer looks through it at every suggestion."""
        X = self.enumerate()
        X.flags.writeable = False
        return X

    def _combinations(self, columns: Iterable[int]) -> Array:
        """All combinations over some columns; the others, and the inactive, stay NaN."""
        wanted = set(columns)
        X = np.full((1, len(self)), np.nan)
        for j in (j for j in self._order if j in wanted):
            levels = self.grid.levels(j)
            assert levels is not None
            repeats = np.where(self._active_column(X, j), len(levels), 1)
            X = np.repeat(X, repeats, axis=0)
            start = np.repeat(np.cumsum(repeats) - repeats, repeats)
            on = self._active_column(X, j)
            X[on, j] = levels[(np.arange(len(X)) - start)[on]]
        return X

    def mutate(self, X: Array, rng: np.random.Generator, *, scale: tuple[float, float] = (1e-3, 0.32)) -> Array:
        """One typed neighbour of each row of ``X (n, d)``: a random subset of the active parameters moves.

        Ordered parameters step by a normal of log-uniform width within ``scale``, at least to the next value of a
        grid; choices change to another choice. A row differs from its origin unless all its parameters have but
        one value. The result may break constraints: look at `allowed`.
        """
        n, d = X.shape
        latent = self.open(X, rng)
        if self.grid.is_limited:  # rows from outside the limits are moved to them
            latent = self.grid.snap(latent)
        movable = ~np.isnan(X) & self.grid.can_move
        # each row moves each parameter that can move with a chance of its own, and at least one of them
        moves = rng.random((n, d)) < rng.uniform(1.0 / d, 1.0, size=(n, 1))
        forced = np.argmax(np.where(movable, rng.random((n, d)), -1.0), axis=1)
        moves[np.arange(n), forced] = True
        moves &= movable
        width = np.exp(rng.uniform(math.log(scale[0]), math.log(scale[1]), size=(n, 1)))
        steps = rng.normal(size=(n, d)) * width
        moved = self.grid.snap(reflect(latent + steps))
        moved = np.where(moved == latent, self.grid.neighbor(latent, np.where(steps >= 0, 1.0, -1.0)), moved)
        other = self.grid.other_choice(latent, rng.random((n, d)))
        X = np.where(moves, np.where(self.is_ordered, moved, other), latent)
        if self.is_conditional:
            X[~self.active(X)] = np.nan
        return X

    # -- JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The space as JSON types. A constraint that is a function is kept by name only (see `from_json`)."""
        parameters: dict[str, Any] = {}
        for j, (name, kind) in enumerate(self.parameters.items()):
            parameters[name] = kind.to_json()
            if self._conditions[j]:
                parameters[name]["when"] = self.conditions(name)
        constraints = [
            rule.text if isinstance(rule, rules.Expression) else {"function": _named(rule)} for rule in self.constraints
        ]
        return {"parameters": parameters, "constraints": constraints}

    @classmethod
    def from_json(cls, data: Any, *, functions: Iterable[Callable[[Config], bool]] = ()) -> Space:
        """Undo `to_json`. Constraints that were functions must be given again, in the same order."""
        if not isinstance(data, Mapping) or not isinstance(data.get("parameters"), Mapping):
            raise SpaceError(f"A saved space must hold 'parameters'. Got {data!r}.")
        parameters = {name: parameter_from_json(value, name) for name, value in data["parameters"].items()}
        saved = data.get("constraints", [])
        if not isinstance(saved, list) or not all(isinstance(rule, (str, Mapping)) for rule in saved):
            raise SpaceError(f"The 'constraints' of a saved space must be a list of rules. Got {saved!r}.")
        missing = [str(rule.get("function")) for rule in saved if isinstance(rule, Mapping)]
        supplied = list(functions)
        if len(supplied) != len(missing):
            raise SpaceError(
                f"The space was saved with {len(missing)} constraints that are Python functions "
                f"({', '.join(missing)}); a file cannot hold them, so pass each again. Got {len(supplied)}."
            )
        for name, function in zip(missing, supplied, strict=True):
            if _named(function) != name:
                raise SpaceError(
                    f"The space was saved with the constraint {name}. Got {_named(function)} in its place."
                )
        given = iter(supplied)
        return cls(parameters, constraints=[next(given) if isinstance(rule, Mapping) else rule for rule in saved])


def as_space(space: Space | Mapping[str, Any]) -> Space:
    """A Space as it is, or made from a plain dict."""
    return space if isinstance(space, Space) else Space(space)


def _named(rule: object) -> str:
    return repr(rule.text) if isinstance(rule, rules.Expression) else str(getattr(rule, "__name__", repr(rule)))


def reflect(position: Array) -> Array:
    """Fold positions back into [0, 1] like light between mirrors, so that edges do not attract."""
    return np.asarray(1.0 - np.abs(1.0 - np.mod(position, 2.0)))


def _is_hopeless(n_found: int, n_drawn: int) -> bool:
    """Whether to stop drawing at random: too few draws pass the constraints."""
    return n_drawn >= _ENOUGH_DRAWS * (1 if n_found else 10) and n_found < _RARE * n_drawn

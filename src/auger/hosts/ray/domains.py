"""Ray Tune's search spaces, read into ours.

A parameter is named by its path, ``"model/lr"`` for ``{"model": {"lr": tune.loguniform(...)}}``. A choice between
dicts that hold domains of their own is a choice with conditional parameters: those of ``tune.choice([{...}, {...}])``
under ``"model"`` are named ``"model/0/..."`` and ``"model/1/..."`` and are active with their alternative. Choices go by
their place, so they can be anything; the objects themselves stay here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ray.tune.search import sample

from auger.checks import is_number
from auger.errors import ConfigError, SpaceError, nearest
from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config

Path = tuple[str, ...]

# What a Tuner puts in the place of objects that are no text, numbers or lists of such, before it shows us the space.
_HIDDEN = "__ref_ph"


@dataclass(frozen=True)
class Domains:
    """A search space of Ray's.

    Attributes:
        tree: the given dict, with a `_Leaf` for each domain.
        space: the parameters, as we search them.
    """

    tree: Any
    space: Space

    def config(self, found: Config) -> dict[str, Any]:
        """What Ray wants, from what we have found."""
        made: dict[str, Any] = _filled(self.tree, found)
        return made

    def found(self, config: Mapping[str, Any], *, is_partial: bool = False) -> Config:
        """The reverse: our values in what Ray holds.

        Args:
            config: nested as the search space, or flat with ``"model/lr"`` for its keys.
            is_partial: whether parameters may be missing.
        """
        values: Config = {}
        _collect(self.tree, _nested(config, self.tree), (), values, is_partial)
        return values


@dataclass(frozen=True)
class _Leaf:
    """A domain: the name of its parameter, and what the values of that stand for where not for themselves.

    Attributes:
        kind: the parameter.
        choices: by their place; each is a tree.
        step: of a grid on a logarithmic scale, whose values are numbers of steps; 0 of another.
    """

    name: str
    kind: Parameter
    choices: tuple[Any, ...] | None = None
    step: float = 0


def read(given: Mapping[str, Any] | Space) -> Domains | None:
    """Read a dict with domains in it, or a space of ours; None where there is none to search.

    Example:
        >>> from ray import tune
        >>> domains = read({"model": {"lr": tune.loguniform(1e-4, 1e-1), "depth": tune.randint(1, 9)}, "epochs": 5})
        >>> domains.space.names
        ['model/lr', 'model/depth']
        >>> domains.config({"model/lr": 0.01, "model/depth": 3})
        {'model': {'lr': 0.01, 'depth': 3}, 'epochs': 5}
    """
    if isinstance(given, Space):
        return Domains({name: _Leaf(name, kind) for name, kind in given.parameters.items()}, given)
    if not isinstance(given, Mapping):
        raise SpaceError(f"A search space of Ray Tune must be a dict, or a Space of auger's. Got {given!r}.")
    reading = _Reading()
    tree = reading.tree(given, (), {})
    return Domains(tree, Space(reading.parameters)) if reading.parameters else None


@dataclass
class _Reading:
    parameters: dict[str, Parameter] = field(default_factory=dict)

    def tree(self, given: Any, path: Path, when: dict[str, Any]) -> Any:
        if isinstance(given, Mapping):
            if "grid_search" in given:
                listed = given["grid_search"]
                raise SpaceError(
                    f"{_shown(path)} is a grid_search, which searches by itself. Use tune.choice({listed!r})."
                )
            return {key: self.tree(value, (*path, str(key)), when) for key, value in given.items()}
        if isinstance(given, (list, tuple)) and any(map(_has_domain, given)):
            raise SpaceError(f"{_shown(path)} is a list with domains inside. Use a dict with a key for each.")
        if isinstance(given, Parameter):
            raise SpaceError(
                f"{_shown(path)} is a {type(given).__name__} of auger's among Ray's domains. Use tune.uniform, "
                "loguniform, randint, lograndint or choice, or give AugerSearch all of the space as a Space."
            )
        return self._leaf(given, path, when) if isinstance(given, sample.Domain) else given

    def _leaf(self, domain: Any, path: Path, when: dict[str, Any]) -> _Leaf:
        name = "/".join(path)
        if name in self.parameters:
            raise SpaceError(f"Two parameters are called {name!r}: a key must not contain a slash.")
        if isinstance(domain, sample.Categorical):
            return self._choice(domain, name, path, when)
        kind, step = _number(domain, path, when)
        self.parameters[name] = kind
        return _Leaf(name, kind, step=step)

    def _choice(self, domain: Any, name: str, path: Path, when: dict[str, Any]) -> _Leaf:
        if not isinstance(domain.get_sampler(), sample.Uniform):
            raise _refused(path, domain, "tune.choice")
        if not domain.categories:
            raise SpaceError(f"{_shown(path)} must have at least one choice. Got none.")
        kind = Categorical(tuple(range(len(domain.categories))), when=when)
        self.parameters[name] = kind
        choices = [
            self.tree(each, (*path, str(i)), {**when, name: i}) if _has_domain(each) else each
            for i, each in enumerate(domain.categories)
        ]
        return _Leaf(name, kind, tuple(choices))


def _number(domain: Any, path: Path, when: dict[str, Any]) -> tuple[Parameter, float]:
    """The parameter of a numeric domain; and the step, where its values are numbers of steps."""
    scale, step = domain.get_sampler(), None
    if isinstance(scale, sample.Quantized):
        scale, step = scale.get_sampler(), scale.q
    is_log = isinstance(scale, sample.LogUniform)
    if isinstance(domain, sample.Function):
        raise _refused(path, domain, "a fixed range, or tune.choice of dicts where one parameter depends on another")
    if not isinstance(domain, (sample.Float, sample.Integer)):
        raise _refused(path, domain, "tune.uniform, loguniform, randint, lograndint or choice")
    if not is_log and not isinstance(scale, sample.Uniform):
        raise _refused(path, domain, "tune.uniform or tune.loguniform between bounds that hold what you expect")
    try:
        if isinstance(domain, sample.Float) and step is None:
            return Float(domain.lower, domain.upper, log=is_log, when=when), 0
        if step is None or (step == 1 and isinstance(domain, sample.Integer)):  # Ray leaves the upper bound out
            return _whole(math.ceil(domain.lower), math.ceil(domain.upper) - 1, 1, is_log, when), 0
        return _steps(domain, step, is_log, when)
    except SpaceError as error:
        raise SpaceError(f"{_shown(path)}, {domain.domain_str}: {error}") from error


def _steps(domain: Any, step: float, is_log: bool, when: dict[str, Any]) -> tuple[Parameter, float]:
    """The multiples of a step between two bounds, both included."""
    first, last = _place(domain.lower, step, math.ceil), _place(domain.upper, step, math.floor)
    if last < first:
        raise SpaceError(
            f"Some multiple of {step!r} must be between the bounds. Got {domain.lower!r}, {domain.upper!r}."
        )
    if is_log:
        return _whole(first, last, 1, True, when), step
    low, high = _multiple(first, step), _multiple(last, step)
    if isinstance(domain, sample.Integer):
        return _whole(int(low), int(high), int(step), False, when), 0
    return Categorical((low,), when=when) if low == high else Float(low, high, step=step, when=when), 0


def _whole(low: int, high: int, step: int, is_log: bool, when: dict[str, Any]) -> Parameter:
    return Categorical((low,), when=when) if low == high else Int(low, high, log=is_log, step=step, when=when)


def _place(bound: float, step: float, inwards: Callable[[float], float]) -> int:
    """The number of the step at a bound; rounding of a user's arithmetic is forgiven, as by Ray."""
    scaled = bound / step
    return round(scaled) if math.isclose(scaled, round(scaled)) else int(inwards(scaled))


def _multiple(i: int, step: float) -> float:
    return i * step if isinstance(step, int) else float(f"{i * step:.12g}")  # three steps of 0.1 are 0.3


def _has_domain(given: Any) -> bool:
    """Whether anything in it is to be searched, or would be if it could."""
    if isinstance(given, Mapping):
        return "grid_search" in given or any(map(_has_domain, given.values()))
    if isinstance(given, (list, tuple)):
        return any(map(_has_domain, given))
    return isinstance(given, (sample.Domain, Parameter))


def _filled(tree: Any, found: Config) -> Any:
    if isinstance(tree, dict):
        return {key: _filled(value, found) for key, value in tree.items() if not _is_inactive(value, found)}
    if not isinstance(tree, _Leaf):
        return tree
    value = found[tree.name]
    if tree.choices is not None:
        return _filled(tree.choices[value], found)
    return _multiple(value, tree.step) if tree.step else value


def _is_inactive(tree: Any, found: Config) -> bool:
    """Whether it is a parameter that a Space of ours leaves out; those in an alternative of Ray's go with it."""
    return isinstance(tree, _Leaf) and bool(tree.kind.when) and tree.name not in found


def _collect(tree: Any, given: Any, path: Path, values: Config, is_partial: bool) -> None:
    if isinstance(tree, dict):
        if not isinstance(given, Mapping):
            raise ConfigError(f"{_shown(path)} must be a dict. Got {given!r}.")
        for key in given:
            if key not in tree:
                known = nearest(key, map(str, tree))
                raise ConfigError(f"{_shown((*path, str(key)))} must be one of the space's. {known}")
        for key, value in tree.items():
            if key in given:
                _collect(value, given[key], (*path, str(key)), values, is_partial)
            elif not is_partial and _has_leaf(value) and not _is_inactive(value, {}):
                raise ConfigError(f"{_shown((*path, str(key)))} must have a value. The config has none.")
    elif isinstance(tree, _Leaf):
        values[tree.name] = _value_of(tree, given, path, values, is_partial)
    elif not _is_alike(tree, given):
        raise ConfigError(f"{_shown(path)} must be {tree!r}, as it is not searched. Got {given!r}.")


def _value_of(leaf: _Leaf, given: Any, path: Path, values: Config, is_partial: bool) -> Any:
    if leaf.choices is not None:
        return _place_of(leaf, given, path, values, is_partial)
    if leaf.step:
        if not is_number(given) or not math.isclose(given / leaf.step, round(given / leaf.step)):
            raise ConfigError(f"{_shown(path)} must be a multiple of {leaf.step!r}. Got {given!r}.")
        given = round(given / leaf.step)
    leaf.kind.encode([given], "/".join(path))  # refused here, with its name, or this is not the alternative
    return given


def _place_of(leaf: _Leaf, given: Any, path: Path, values: Config, is_partial: bool) -> int:
    """Which alternative a value is, and the parameters inside of it."""
    assert leaf.choices is not None
    hidden = [choice for choice in leaf.choices if isinstance(choice, tuple) and choice[:1] == (_HIDDEN,)]
    # one with the same keys comes before one that would have to be completed
    for i, choice in sorted(enumerate(leaf.choices), key=lambda each: not _has_same_keys(each[1], given)):
        if not _has_leaf(choice):
            if choice is given or _is_equal(choice, given):
                return i
            continue
        if not is_partial and not _has_same_keys(choice, given):
            continue
        inside: Config = {}
        try:
            _collect(choice, given, (*path, str(i)), inside, is_partial)
        except ConfigError:
            continue
        values.update(inside)
        return i
    hint = " A Tuner hides objects from its searcher: give the space to AugerSearch instead." if hidden else ""
    raise ConfigError(f"{_shown(path)} must be one of its {len(leaf.choices)} choices. Got {given!r}.{hint}")


def _has_same_keys(choice: Any, given: Any) -> bool:
    if not isinstance(choice, dict):
        return True
    return isinstance(given, Mapping) and given.keys() == choice.keys()


def _is_equal(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and bool(a == b)
    except ValueError:  # arrays
        return False


def _is_alike(fixed: Any, given: Any) -> bool:
    """Whether a value is what is fixed in the space: 5.0 is where 5 is, True is not where 1 is."""
    if fixed is given:
        return True
    if isinstance(fixed, bool) != isinstance(given, bool):
        return False
    try:
        return bool(fixed == given)
    except ValueError:  # arrays
        return bool(np.array_equal(fixed, given))


def _has_leaf(tree: Any) -> bool:
    return any(map(_has_leaf, tree.values())) if isinstance(tree, dict) else isinstance(tree, _Leaf)


def _nested(config: Mapping[str, Any], tree: Mapping[str, Any]) -> dict[str, Any]:
    """A config with the keys ``"a/b"`` taken apart, unless the space has them as they are."""
    made: dict[str, Any] = {}
    for key, value in config.items():
        *folders, last = (key,) if key in tree or not isinstance(key, str) else key.split("/")
        place = made
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = deepcopy(value) if isinstance(value, dict) else value
    return made


def _refused(path: Path, domain: Any, instead: str) -> SpaceError:
    scale = type(domain.get_sampler()).__name__.strip("_")
    return SpaceError(
        f"{_shown(path)} is of a kind that cannot be searched: {type(domain).__name__} ({scale}). Use {instead}."
    )


def _shown(path: Path) -> str:
    return f"Parameter {'/'.join(path)!r}" if path else "The search space"

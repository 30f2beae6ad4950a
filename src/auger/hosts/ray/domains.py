"""Translates Ray Tune's search spaces and configs to ours, and back.

A parameter is named by its path, ``"model/lr"`` for ``{"model": {"lr": tune.loguniform(...)}}``. A choice between
dicts that hold domains of their own is a choice with conditional parameters: those of ``tune.choice([{...}, {...}])``
under ``"model"`` are named ``"model/0/..."`` and ``"model/1/..."`` and are active with their alternative. Our space
holds the index of a choice, so a choice can be any object; the objects stay in the tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
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

# A Tuner replaces objects other than text, numbers and lists of them by a tuple with this head in the searcher's space.
_HIDDEN = "__ref_ph"


@dataclass(frozen=True)
class Domains:
    """A search space of Ray's.

    Attributes:
        tree: the user's dict, with a `_Leaf` in place of each domain.
        space: our space of the parameters.
    """

    tree: Any
    space: Space

    def to_ray(self, config: Config) -> dict[str, Any]:
        """Ray's nested config for a config of the space."""
        ray_config: dict[str, Any] = _filled(self.tree, config)
        return ray_config

    def from_ray(self, ray_config: Mapping[str, Any], *, is_partial: bool = False) -> Config:
        """The config of the space for a config of Ray's.

        Args:
            ray_config: nested as the search space, or flat with keys such as ``"model/lr"``.
            is_partial: whether parameters may be missing.
        """
        values: Config = {}
        _collect(self.tree, _nested(ray_config, self.tree), (), values, is_partial)
        return values

    @property
    def choices(self) -> dict[str, tuple[Any, ...]]:
        """Name of a parameter -> what its values are indices of; only parameters whose values are indices."""
        return {leaf.name: leaf.choices for leaf in _leaves(self.tree) if leaf.choices is not None}

    @property
    def steps(self) -> dict[str, float]:
        """Name of a parameter -> the step that its values count; only parameters whose values count steps."""
        return {leaf.name: leaf.step for leaf in _leaves(self.tree) if leaf.step}


@dataclass(frozen=True, repr=False)
class _Leaf:
    """A domain, and how the values of its parameter translate to Ray's.

    Attributes:
        name, parameter: of the parameter in our space.
        choices: the choices that the values are indices of, each a tree; None where values are no indices.
        step: the step that the values are multiples of, for steps on a logarithmic scale; 0 for other domains.
    """

    name: str
    parameter: Parameter
    choices: tuple[Any, ...] | None = None
    step: float = 0

    def __repr__(self) -> str:
        return "..."


def _leaves(tree: Any) -> Iterator[_Leaf]:
    """All leaves of a tree, those inside of choices included."""
    if isinstance(tree, _Leaf):
        yield tree
        for choice in tree.choices or ():
            yield from _leaves(choice)
    elif isinstance(tree, Mapping):
        for branch in tree.values():
            yield from _leaves(branch)


def read_domains(space: Mapping[str, Any] | Space) -> Domains | None:
    """Read a dict with domains in it, or a space of ours; None where there is no domain.

    Example:
        >>> from ray import tune
        >>> model = {"lr": tune.loguniform(1e-4, 1e-1), "depth": tune.randint(1, 9)}
        >>> domains = read_domains({"model": model, "epochs": 5})
        >>> domains.space.names
        ['model/lr', 'model/depth']
        >>> domains.to_ray({"model/lr": 0.01, "model/depth": 3})
        {'model': {'lr': 0.01, 'depth': 3}, 'epochs': 5}
    """
    if isinstance(space, Space):
        return Domains({name: _Leaf(name, parameter) for name, parameter in space.parameters.items()}, space)
    if not isinstance(space, Mapping):
        raise SpaceError(f"A search space of Ray Tune must be a dict, or a Space of auger's. Got {space!r}.")
    reader = _Reader()
    tree = reader.tree(space, (), {})
    return Domains(tree, Space(reader.parameters)) if reader.parameters else None


@dataclass
class _Reader:
    parameters: dict[str, Parameter] = field(default_factory=dict)

    def tree(self, node: Any, path: Path, when: dict[str, Any]) -> Any:
        if isinstance(node, Mapping):
            if "grid_search" in node:
                raise SpaceError(
                    f"{_shown(path)} must be a domain that a searcher can search. Got a grid_search, which Ray runs "
                    f"by itself. Use tune.choice({node['grid_search']!r})."
                )
            return {key: self.tree(value, (*path, str(key)), when) for key, value in node.items()}
        if isinstance(node, (list, tuple)) and any(map(_has_domain, node)):
            raise SpaceError(
                f"{_shown(path)} must be a domain, a dict of domains or a fixed value. Got a list with domains inside. "
                "Use a dict with a key for each."
            )
        if isinstance(node, Parameter):
            raise SpaceError(
                f"{_shown(path)} must be a domain of Ray's, as the others are. Got a {type(node).__name__} of auger's. "
                "Use tune.uniform, loguniform, randint, lograndint or choice, or pass AugerSearch the whole space as a "
                "Space."
            )
        return self._leaf(node, path, when) if isinstance(node, sample.Domain) else node

    def _leaf(self, domain: Any, path: Path, when: dict[str, Any]) -> _Leaf:
        name = "/".join(path)
        if name in self.parameters:
            raise SpaceError(f"Each parameter must have its own name. Got {name!r} twice: use keys without a slash.")
        if isinstance(domain, sample.Categorical):
            return self._choice(domain, name, path, when)
        parameter, step = _number(domain, path, when)
        self.parameters[name] = parameter
        return _Leaf(name, parameter, step=step)

    def _choice(self, domain: Any, name: str, path: Path, when: dict[str, Any]) -> _Leaf:
        if not isinstance(domain.get_sampler(), sample.Uniform):
            raise _refused(path, domain, "tune.choice")
        if not domain.categories:
            raise SpaceError(f"{_shown(path)} must have at least one choice. Got none.")
        parameter = Categorical(tuple(range(len(domain.categories))), when=when)
        self.parameters[name] = parameter
        choices = [
            self.tree(choice, (*path, str(i)), {**when, name: i}) if _has_domain(choice) else choice
            for i, choice in enumerate(domain.categories)
        ]
        return _Leaf(name, parameter, tuple(choices))


def _number(domain: Any, path: Path, when: dict[str, Any]) -> tuple[Parameter, float]:
    """The parameter of a numeric domain, and the step that its values are multiples of (0: they are the values)."""
    scale, step = domain.get_sampler(), None
    if isinstance(scale, sample.Quantized):
        scale, step = scale.get_sampler(), scale.q
    is_log = isinstance(scale, sample.LogUniform)
    if isinstance(domain, sample.Function):
        raise _refused(path, domain, "a fixed range, or tune.choice of dicts where one parameter depends on another")
    if not isinstance(domain, (sample.Float, sample.Integer)):
        raise _refused(path, domain, "tune.uniform, loguniform, randint, lograndint or choice")
    if not is_log and not isinstance(scale, sample.Uniform):
        raise _refused(
            path, domain, "tune.uniform or tune.loguniform between the lowest and highest value that you expect"
        )
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
    first, last = _n_steps(domain.lower, step, math.ceil), _n_steps(domain.upper, step, math.floor)
    if last < first:
        raise SpaceError(
            f"A multiple of {step!r} must lie between the bounds. Got the bounds {domain.lower!r} and {domain.upper!r}."
        )
    if is_log:
        return _whole(first, last, 1, True, when), step
    low, high = _multiple(first, step), _multiple(last, step)
    if isinstance(domain, sample.Integer):
        return _whole(int(low), int(high), int(step), False, when), 0
    return Categorical((low,), when=when) if low == high else Float(low, high, step=step, when=when), 0


def _whole(low: int, high: int, step: int, is_log: bool, when: dict[str, Any]) -> Parameter:
    return Categorical((low,), when=when) if low == high else Int(low, high, log=is_log, step=step, when=when)


def _n_steps(bound: float, step: float, inwards: Callable[[float], float]) -> int:
    """The multiple of the step at a bound, rounded inwards; errors of floating-point arithmetic do not count."""
    scaled = bound / step
    return round(scaled) if math.isclose(scaled, round(scaled)) else int(inwards(scaled))


def _multiple(n_steps: int, step: float) -> float:
    return n_steps * step if isinstance(step, int) else float(f"{n_steps * step:.12g}")  # three steps of 0.1 are 0.3


def _has_domain(node: Any) -> bool:
    """Whether a part of the space contains a domain, a grid_search or a parameter of ours."""
    if isinstance(node, Mapping):
        return "grid_search" in node or any(map(_has_domain, node.values()))
    if isinstance(node, (list, tuple)):
        return any(map(_has_domain, node))
    return isinstance(node, (sample.Domain, Parameter))


def _filled(tree: Any, config: Config) -> Any:
    """The tree with the values of a config in place of its leaves."""
    if isinstance(tree, dict):
        return {key: _filled(value, config) for key, value in tree.items() if not _is_inactive(value, config)}
    if not isinstance(tree, _Leaf):
        return tree
    value = config[tree.name]
    if tree.choices is not None:
        return _filled(tree.choices[value], config)
    return _multiple(value, tree.step) if tree.step else value


def _is_inactive(tree: Any, config: Config) -> bool:
    """Whether it is an inactive parameter of a Space of ours. (Of Ray's spaces, inactive alternatives are not read.)"""
    return isinstance(tree, _Leaf) and bool(tree.parameter.when) and tree.name not in config


def _collect(tree: Any, node: Any, path: Path, values: Config, is_partial: bool) -> None:
    """Put the values of the parameters in the tree into ``values``, from the same part of Ray's config, the node."""
    if isinstance(tree, dict):
        if not isinstance(node, Mapping):
            raise ConfigError(f"{_shown(path)} must be a dict. Got {node!r}.")
        for key in node:
            if key not in tree:
                hint = nearest(key, map(str, tree))
                raise ConfigError(f"{_shown((*path, str(key)))} must be a key of the search space. {hint}")
        for key, value in tree.items():
            if key in node:
                _collect(value, node[key], (*path, str(key)), values, is_partial)
            elif not is_partial and _has_leaf(value) and not _is_inactive(value, {}):
                raise ConfigError(f"{_shown((*path, str(key)))} must have a value. The config has none.")
    elif isinstance(tree, _Leaf):
        values[tree.name] = _value_of(tree, node, path, values, is_partial)
    elif not _is_fixed_value(tree, node):
        raise ConfigError(f"{_shown(path)} must be {tree!r}, because the search space fixes it. Got {node!r}.")


def _value_of(leaf: _Leaf, node: Any, path: Path, values: Config, is_partial: bool) -> Any:
    if leaf.choices is not None:
        return _index_of(leaf.choices, node, path, values, is_partial)
    if leaf.step:
        if not is_number(node) or not math.isclose(node / leaf.step, round(node / leaf.step)):
            raise ConfigError(f"{_shown(path)} must be a multiple of {leaf.step!r}. Got {node!r}.")
        node = round(node / leaf.step)
    leaf.parameter.encode([node], "/".join(path))  # a ConfigError here rules out the alternative that the leaf is in
    return node


def _index_of(choices: tuple[Any, ...], node: Any, path: Path, values: Config, is_partial: bool) -> int:
    """The index of the alternative that the node is; its parameters go into ``values``."""
    # an alternative with the same keys comes before one with missing keys
    for i, choice in sorted(enumerate(choices), key=lambda item: not _has_same_keys(item[1], node)):
        if not _has_leaf(choice):
            if choice is node or _is_equal(choice, node):
                return i
            continue
        if not is_partial and not _has_same_keys(choice, node):
            continue
        inside: Config = {}
        try:
            _collect(choice, node, (*path, str(i)), inside, is_partial)
        except ConfigError:
            continue
        values.update(inside)
        return i
    is_hidden = any(isinstance(choice, tuple) and choice[:1] == (_HIDDEN,) for choice in choices)
    hint = " A Tuner hides objects from its searcher: pass the space to AugerSearch instead." if is_hidden else ""
    raise ConfigError(f"{_shown(path)} must be one of its {len(choices)} choices. Got {node!r}.{hint}")


def _has_same_keys(choice: Any, node: Any) -> bool:
    return not isinstance(choice, dict) or (isinstance(node, Mapping) and node.keys() == choice.keys())


def _is_equal(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and bool(a == b)
    except ValueError:  # arrays
        return False


def _is_fixed_value(fixed: Any, value: Any) -> bool:
    """Whether a value equals the one that the space fixes: 5.0 equals 5, True does not equal 1."""
    if fixed is value:
        return True
    if isinstance(fixed, bool) != isinstance(value, bool):
        return False
    try:
        return bool(fixed == value)
    except ValueError:  # arrays
        return bool(np.array_equal(fixed, value))


def _has_leaf(tree: Any) -> bool:
    return any(map(_has_leaf, tree.values())) if isinstance(tree, dict) else isinstance(tree, _Leaf)


def _nested(config: Mapping[str, Any], tree: Mapping[str, Any]) -> dict[str, Any]:
    """A config with a key such as ``"a/b"`` split into nested dicts, unless the space has that key."""
    nested: dict[str, Any] = {}
    for key, value in config.items():
        *outer, last = (key,) if key in tree or not isinstance(key, str) else key.split("/")
        inner = nested
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = deepcopy(value) if isinstance(value, dict) else value
    return nested


def _refused(path: Path, domain: Any, instead: str) -> SpaceError:
    scale = type(domain.get_sampler()).__name__.strip("_")
    return SpaceError(
        f"{_shown(path)} must be a domain that auger can search. Got {type(domain).__name__} ({scale}). Use {instead}."
    )


def _shown(path: Path) -> str:
    return f"Parameter {'/'.join(path)!r}" if path else "The search space"

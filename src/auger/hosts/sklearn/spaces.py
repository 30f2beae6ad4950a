"""One Space from all the ways in which scikit-learn's users write a search space, and its configs as parameters.

Three things that a Space cannot hold are translated: choices that have no hash or equal another choice (dicts, arrays,
1 beside 1.0), distributions that go through their quantiles, and lists of dicts, which become one space with a choice
between its branches. A parameter that goes through its quantiles has a name of its own in the space, such as
"C (quantile)", because its values there are probabilities.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import joblib
import numpy as np

from auger.checks import is_number
from auger.errors import ConfigError, SpaceError, nearest
from auger.hosts.sklearn.distributions import Entry, Quantile, from_distribution, is_distribution
from auger.space import Categorical, Int, Ordinal, Parameter, Space, as_parameter, hashable
from auger.types import Config

#: The choice between the dicts of a list. No parameter of an estimator can have this name.
BRANCH = "(branch)"

_CHOICES = (Categorical, Ordinal)


@dataclass(frozen=True, eq=False)
class Held:
    """Wraps a choice that a Categorical cannot hold. It is equal only to itself."""

    value: Any

    def __repr__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class SearchSpace:
    """A space for the optimizer, and how its configs become parameters of an estimator.

    Attributes:
        space: the space that the optimizer searches.
        names: name in the space -> name of the estimator's parameter. The choice of a branch has none.
        decoders: name in the space -> the function that turns a value into the estimator's value.
    """

    space: Space
    names: Mapping[str, str]
    decoders: Mapping[str, Quantile] = field(default_factory=dict)

    def params(self, config: Config) -> dict[str, Any]:
        """The parameters of the estimator for a config."""
        return {self.names[name]: self._value(name, value) for name, value in config.items() if name in self.names}

    def _value(self, name: str, value: Any) -> Any:
        if name in self.decoders:
            return self.decoders[name](value)
        return value.value if isinstance(value, Held) else value

    def config(self, params: Mapping[str, Any]) -> Config:
        """The config for parameters of the estimator, of which some may be missing; undoes `params`.

        With a list of dicts, it belongs to the first dict that has all of them. A ConfigError names what does not fit.
        """
        if not isinstance(params, Mapping):
            raise ConfigError(f"A candidate must map names of parameters to values. Got {params!r}.")
        branches = self.space.parameters[BRANCH].n_values if BRANCH in self.space.parameters else None
        if branches is None:
            return self._config(params, self.names)
        errors = []
        for branch in range(branches):
            names = {name: of for name, of in self.names.items() if branch in self.space.conditions(name)[BRANCH]}
            try:
                return {BRANCH: branch, **self._config(params, names)}
            except ConfigError as error:
                errors.append(f"dict {branch + 1}: {error}")
        raise ConfigError(f"A candidate must fit one of the {branches} dicts. Got {dict(params)!r}. {' '.join(errors)}")

    def _config(self, params: Mapping[str, Any], names: Mapping[str, str]) -> Config:
        inner = {of: name for name, of in names.items()}
        for key in params:
            if key not in inner:
                raise ConfigError(f"Unknown parameter {key!r} in {dict(params)!r}. {nearest(key, inner)}")
        return {inner[key]: self._inner_value(inner[key], key, value) for key, value in params.items()}

    def _inner_value(self, name: str, key: str, value: Any) -> Any:
        parameter = self.space.parameters[name]
        if name in self.decoders:
            return self.decoders[name].probability(value, key)
        if isinstance(parameter, _CHOICES):
            value = next((choice for choice in parameter.choices if _is_same(choice, value)), value)
        parameter.encode([value], key)  # raises where the parameter does not have this value
        return value


def is_same_space(one: SearchSpace, other: SearchSpace) -> bool:
    """Whether two spaces have the same parameters, conditions and constraints; a copy of a space is the same."""
    a, b = one.space, other.space
    if dict(one.names) != dict(other.names) or a.names != b.names or a.constraints != b.constraints:
        return False
    if one.decoders != other.decoders:
        return False
    return all(
        _are_same(_entry_of(a, name), _entry_of(b, name)) and _have_same_conditions(a, b, name) for name in a.names
    )


def _entry_of(space: Space, name: str) -> Entry:
    return _with_when(Entry(space.parameters[name]), {})


def _have_same_conditions(one: Space, other: Space, name: str) -> bool:
    a, b = one.conditions(name), other.conditions(name)
    return a.keys() == b.keys() and all(
        len(a[parent]) == len(b[parent]) and all(map(_is_same, a[parent], b[parent])) for parent in a
    )


def read_space(space: Any) -> SearchSpace:
    """Read a Space, a dict, or a list of dicts.

    Example:
        >>> search_space = read_space([{"kernel": ["rbf"]}, {"kernel": ["poly"], "degree": (2, 5)}])
        >>> search_space.params({"(branch)": 1, "kernel (2)": "poly", "degree": 3})
        {'kernel': 'poly', 'degree': 3}
    """
    if isinstance(space, Space):
        return SearchSpace(space, {name: name for name in space.names})
    branches = [space] if isinstance(space, Mapping) else space
    if not isinstance(branches, list | tuple) or not branches:
        raise SpaceError(
            f"`param_distributions` must be a Space, a dict of parameters, or a list of such dicts. Got {space!r}."
        )
    for branch in branches:
        if isinstance(branch, Space):
            raise SpaceError(
                "A list as `param_distributions` must contain dicts. Got a Space in it. Write one Space, in which a "
                "parameter that belongs to some branches only has a `when`."
            )
        if not isinstance(branch, Mapping):
            raise SpaceError(f"A list as `param_distributions` must contain dicts. Got {branch!r} in it.")
    entries = [_with_own_choices({name: _entry(value, name) for name, value in b.items()}) for b in branches]
    if len(entries) > 1:
        return _union(entries)
    return _search_space(entries[0], {name: name for name in entries[0]})


def _search_space(entries: Mapping[str, Entry], names: Mapping[str, str]) -> SearchSpace:
    """The space of the entries; those that go through their quantiles are renamed in it."""
    inner = {name: f"{name} (quantile)" if entry.decode is not None else name for name, entry in entries.items()}
    for name, entry in entries.items():
        for parent in entry.parameter.when:
            if inner.get(parent, parent) != parent:
                raise SpaceError(
                    f"Parameter {name!r} must depend on choices or whole numbers. {names[parent]!r} is continuous."
                )
    return SearchSpace(
        Space({inner[name]: entry.parameter for name, entry in entries.items()}),
        {inner[name]: of for name, of in names.items()},
        {inner[name]: entry.decode for name, entry in entries.items() if entry.decode is not None},
    )


def _entry(value: Any, name: str) -> Entry:
    if isinstance(value, Parameter):
        return Entry(value)
    if is_distribution(value):
        return from_distribution(value, name)
    if isinstance(value, range) and len(value) > 1:
        first, last = sorted((value[0], value[-1]))
        return Entry(Int(first, last, step=abs(value.step)))
    if isinstance(value, np.ndarray) and value.ndim != 1:
        raise SpaceError(f"Parameter {name!r} must be a flat list of choices. Got an array of shape {value.shape}.")
    if isinstance(value, tuple) and len(value) == 2 and all(map(is_number, value)):
        return Entry(_range(value, name))
    if isinstance(value, list | tuple | range | np.ndarray):
        return Entry(as_parameter(_hold(list(value)), name))
    return Entry(as_parameter(value, name))


def _range(pair: tuple[Any, Any], name: str) -> Parameter:
    try:
        return as_parameter(tuple(pair), name)
    except SpaceError as error:
        raise SpaceError(f"{error} Two numbers in a tuple are a range; for two choices, write a list.") from error


def _hold(choices: list[Any]) -> list[Any]:
    """The choices; one that a Categorical would refuse or change is wrapped."""
    kept: dict[Any, Any] = {}
    held = []
    for choice in choices:
        is_like_another = _is_plain(choice) and type(kept.get(choice, choice)) is not type(choice)
        held.append(choice if _is_plain(choice) and not is_like_another else Held(choice))
        if _is_plain(choice):
            kept.setdefault(choice, choice)
    return held


def _is_plain(choice: Any) -> bool:
    try:
        hash(choice)
    except TypeError:
        return False
    if isinstance(choice, np.generic):
        return bool(choice == choice)  # noqa: PLR0124  (NaN is not)
    return type(hashable(choice)) is type(choice) and hashable(choice) == choice


def _with_own_choices(entries: dict[str, Entry]) -> dict[str, Entry]:
    """The entries, with the choices in each ``when`` replaced by the equal choices of the parent.

    A parent may hold its choices wrapped. And scikit-learn clones a search by copying each value of a dict by itself:
    an estimator that is a choice of one parameter is then another object in the ``when`` of another.
    """
    parents = {
        name: entry.parameter.choices for name, entry in entries.items() if isinstance(entry.parameter, _CHOICES)
    }

    def own_choice(parent: str, wanted: Any) -> Any:
        return next((choice for choice in parents.get(parent, ()) if _is_same(choice, wanted)), wanted)

    def own_choices(parent: str, wanted: Any) -> Any:
        many = isinstance(wanted, list | tuple | set | frozenset | range)
        return [own_choice(parent, choice) for choice in wanted] if many else own_choice(parent, wanted)

    result = {}
    for name, entry in entries.items():
        when = {parent: own_choices(parent, wanted) for parent, wanted in entry.parameter.when.items()}
        result[name] = _with_when(entry, when) if when else entry
    return result


def _is_same(one: Any, other: Any) -> bool:
    """Whether two choices are the same object, or have the same contents as a copy has."""
    one, other = (choice.value if isinstance(choice, Held) else choice for choice in (one, other))
    if one is other:
        return True
    try:
        return type(one) is type(other) and joblib.hash(one) == joblib.hash(other)
    except (pickle.PicklingError, TypeError, AttributeError):  # an object that cannot be copied has no copies
        return False


def may_be_same(one: Any, other: Any) -> bool:
    """Whether two objects are the same or copies, as far as can be told: some cannot be compared."""
    if one is other:
        return True
    try:
        return bool(joblib.hash(one) == joblib.hash(other))
    except (pickle.PicklingError, TypeError, AttributeError):
        return type(one) is type(other)


def _are_same(one: Entry, other: Entry) -> bool:
    """Whether two parameters are the same, or copies."""
    a, b = one.parameter, other.parameter
    if isinstance(a, _CHOICES) and isinstance(b, _CHOICES) and type(a) is type(b):
        return len(a.choices) == len(b.choices) and all(map(_is_same, a.choices, b.choices))
    return one == other


def _union(branches: Sequence[Mapping[str, Entry]]) -> SearchSpace:
    """One space with a choice between branches. A parameter that is the same in several branches appears once."""
    names: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    branches_of: dict[str, list[int]] = {}
    for i, branch in enumerate(branches):
        renamed: dict[str, str] = {}  # names in the branch -> names in the union
        for name, entry in branch.items():
            alike = [one for one, of in names.items() if of == name and _are_same(entries[one], entry)]
            # a parameter with a `when` is not shared, because its parents may not be shared
            same = [one for one in alike if not entry.parameter.when and not entries[one].parameter.when]
            renamed[name] = same[0] if same else name if name not in names else f"{name} ({i + 1})"
            names[renamed[name]] = name
            entries.setdefault(renamed[name], entry)
            branches_of.setdefault(renamed[name], []).append(i)
        for name, entry in branch.items():
            for parent in entry.parameter.when:
                if parent not in renamed:
                    hint = nearest(parent, renamed)
                    raise SpaceError(f"Parameter {name!r} depends on {parent!r}, which its dict does not have. {hint}")
            if entry.parameter.when:
                when = {renamed[parent]: wanted for parent, wanted in entry.parameter.when.items()}
                entries[renamed[name]] = _with_when(entry, when)
    all_entries = {BRANCH: Entry(Categorical(tuple(range(len(branches)))))}
    for name, entry in entries.items():
        all_entries[name] = _with_when(entry, {BRANCH: branches_of[name], **entry.parameter.when})
    return _search_space(all_entries, names)


def _with_when(entry: Entry, when: Mapping[str, Any]) -> Entry:
    parameter: Any = entry.parameter  # every parameter is a dataclass
    return Entry(replace(parameter, when=when), entry.decode)

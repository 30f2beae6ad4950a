"""What to search, in all the ways scikit-learn's users write it, as one Space, and the way back.

Three things a Space cannot hold itself are translated: choices that have no hash or equal another (dicts, arrays, 1
beside 1.0), distributions that go through their quantiles, and lists of dicts, which become one space with a choice
between its branches.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import joblib
import numpy as np

from auger.errors import SpaceError, nearest
from auger.hosts.sklearn.distributions import Entry, from_distribution, is_distribution
from auger.space import Categorical, Int, Ordinal, Parameter, Space, hashable, parameter
from auger.types import Config

#: The choice between the dicts of a list. No parameter of an estimator can have this name.
BRANCH = "(branch)"

_CHOICES = (Categorical, Ordinal)


@dataclass(frozen=True, eq=False)
class Held:
    """A choice that no Categorical could hold; it is equal to itself only."""

    value: Any

    def __repr__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class SearchSpace:
    """A space for the optimizer, and how its configs become parameters of an estimator.

    Attributes:
        space: what the optimizer searches.
        names: names in the space to those of the estimator; what is missing here is not the estimator's.
        decoders: names in the space to what makes the estimator's value of ours.
    """

    space: Space
    names: Mapping[str, str]
    decoders: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def params(self, config: Config) -> dict[str, Any]:
        """The parameters to give the estimator for a config."""
        return {self.names[name]: self._value(name, value) for name, value in config.items() if name in self.names}

    def _value(self, name: str, value: Any) -> Any:
        if name in self.decoders:
            return self.decoders[name](value)
        return value.value if isinstance(value, Held) else value


def read_space(given: Any) -> SearchSpace:
    """Read a Space, a dict, or a list of dicts.

    Example:
        >>> read = read_space([{"kernel": ["rbf"]}, {"kernel": ["poly"], "degree": (2, 5)}])
        >>> read.params({"(branch)": 1, "kernel (2)": "poly", "degree": 3})
        {'kernel': 'poly', 'degree': 3}
    """
    if isinstance(given, Space):
        return SearchSpace(given, {name: name for name in given.names})
    branches = [given] if isinstance(given, Mapping) else given
    if not isinstance(branches, list | tuple) or not branches:
        raise SpaceError(f"`space` must be a Space, a dict of parameters, or a list of such dicts. Got {given!r}.")
    for branch in branches:
        if isinstance(branch, Space):
            raise SpaceError(
                "A list of spaces must be one of dicts. Got a Space in it; make one Space of them all, "
                "where a parameter that belongs to some of them only has `when`."
            )
        if not isinstance(branch, Mapping):
            raise SpaceError(f"A list of spaces must be one of dicts. Got {branch!r} in it.")
    entries = [_with_known_conditions({name: _entry(value, name) for name, value in each.items()}) for each in branches]
    if len(entries) > 1:
        return _union(entries)
    space = Space({name: entry.parameter for name, entry in entries[0].items()})
    return SearchSpace(space, {name: name for name in space.names}, _decoders(entries[0]))


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
    if isinstance(value, list | range | np.ndarray):
        return Entry(parameter(_hold(list(value)), name))
    return Entry(parameter(value, name))


def _hold(choices: list[Any]) -> list[Any]:
    """The choices, those wrapped that a Categorical would refuse or change."""
    kept: dict[Any, Any] = {}
    made = []
    for choice in choices:
        is_like_another = _is_plain(choice) and type(kept.get(choice, choice)) is not type(choice)
        made.append(choice if _is_plain(choice) and not is_like_another else Held(choice))
        if _is_plain(choice):
            kept.setdefault(choice, choice)
    return made


def _is_plain(choice: Any) -> bool:
    try:
        hash(choice)
    except TypeError:
        return False
    if isinstance(choice, np.generic):
        return bool(choice == choice)  # noqa: PLR0124  (NaN is not)
    return type(hashable(choice)) is type(choice) and hashable(choice) == choice


def _with_known_conditions(entries: dict[str, Entry]) -> dict[str, Entry]:
    """Conditions name choices as the user wrote them: exchange those that are held, or copies.

    scikit-learn clones a search by copying each value of a dict by itself, and an estimator that is a choice is then
    another object than the one in a condition on it.
    """
    parents = {
        name: entry.parameter.choices for name, entry in entries.items() if isinstance(entry.parameter, _CHOICES)
    }

    def exchange(parent: str, wanted: Any) -> Any:
        return next((choice for choice in parents.get(parent, ()) if _is_same(choice, wanted)), wanted)

    def exchange_all(parent: str, wanted: Any) -> Any:
        many = isinstance(wanted, list | tuple | set | frozenset | range)
        return [exchange(parent, each) for each in wanted] if many else exchange(parent, wanted)

    made = {}
    for name, entry in entries.items():
        when = {parent: exchange_all(parent, wanted) for parent, wanted in entry.parameter.when.items()}
        made[name] = Entry(_when(entry.parameter, when), entry.decode) if when else entry
    return made


def _is_same(one: Any, other: Any) -> bool:
    """Whether two choices are the same object, or have the same contents as a copy has."""
    one, other = (each.value if isinstance(each, Held) else each for each in (one, other))
    if one is other:
        return True
    try:
        return type(one) is type(other) and joblib.hash(one) == joblib.hash(other)
    except (pickle.PicklingError, TypeError, AttributeError):  # what cannot be copied either
        return False


def _are_same(one: Entry, other: Entry) -> bool:
    """Whether two parameters are the same, or copies."""
    a, b = one.parameter, other.parameter
    if isinstance(a, _CHOICES) and isinstance(b, _CHOICES) and type(a) is type(b):
        return len(a.choices) == len(b.choices) and all(map(_is_same, a.choices, b.choices))
    return one == other


def _union(branches: Sequence[Mapping[str, Entry]]) -> SearchSpace:
    """One space with a choice between branches. What is the same in several of them is one parameter."""
    names: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    where: dict[str, list[int]] = {}
    for i, branch in enumerate(branches):
        own: dict[str, str] = {}
        for name, entry in branch.items():
            alike = [one for one, of in names.items() if of == name and _are_same(entries[one], entry)]
            # one that hangs on others of its branch is not shared: the others may not be either
            same = [one for one in alike if not entry.parameter.when and not entries[one].parameter.when]
            own[name] = same[0] if same else name if name not in names else f"{name} ({i + 1})"
            names[own[name]] = name
            entries.setdefault(own[name], entry)
            where.setdefault(own[name], []).append(i)
        for name, entry in branch.items():
            for parent in entry.parameter.when:
                if parent not in own:
                    known = nearest(parent, own)
                    raise SpaceError(f"Parameter {name!r} depends on {parent!r}, which its dict does not have. {known}")
            when = {own[parent]: wanted for parent, wanted in entry.parameter.when.items()}
            if when:
                entries[own[name]] = Entry(_when(entry.parameter, when), entry.decode)
    parameters: dict[str, Parameter] = {BRANCH: Categorical(tuple(range(len(branches))))}
    for name, entry in entries.items():
        parameters[name] = _when(entry.parameter, {BRANCH: where[name], **entry.parameter.when})
    return SearchSpace(Space(parameters), names, _decoders(entries))


def _when(kind: Parameter, when: Mapping[str, Any]) -> Parameter:
    made: Parameter = replace(kind, when=when)  # type: ignore[type-var]  # every parameter is a dataclass
    return made


def _decoders(entries: Mapping[str, Entry]) -> dict[str, Callable[[Any], Any]]:
    return {name: entry.decode for name, entry in entries.items() if entry.decode is not None}

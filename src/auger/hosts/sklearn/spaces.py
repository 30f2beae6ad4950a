"""One Space from all the ways in which scikit-learn's users write a search space, and its configs as parameters.

Three things that a Space cannot hold are translated: choices that have no hash or equal another choice (dicts, arrays,
1 beside 1.0), distributions that go through their quantiles, and lists of dicts, which become one space with a choice
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
    decoders: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def params(self, config: Config) -> dict[str, Any]:
        """The parameters of the estimator for a config."""
        return {self.names[name]: self._value(name, value) for name, value in config.items() if name in self.names}

    def _value(self, name: str, value: Any) -> Any:
        if name in self.decoders:
            return self.decoders[name](value)
        return value.value if isinstance(value, Held) else value


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
        raise SpaceError(f"`space` must be a Space, a dict of parameters, or a list of such dicts. Got {space!r}.")
    for branch in branches:
        if isinstance(branch, Space):
            raise SpaceError(
                "A list as `space` must contain dicts. Got a Space in it. Write one Space, in which a parameter that "
                "belongs to some branches only has a `when`."
            )
        if not isinstance(branch, Mapping):
            raise SpaceError(f"A list as `space` must contain dicts. Got {branch!r} in it.")
    entries = [_with_own_choices({name: _entry(value, name) for name, value in b.items()}) for b in branches]
    if len(entries) > 1:
        return _union(entries)
    parameters = {name: entry.parameter for name, entry in entries[0].items()}
    return SearchSpace(Space(parameters), {name: name for name in parameters}, _decoders(entries[0]))


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
        return Entry(as_parameter(_hold(list(value)), name))
    return Entry(as_parameter(value, name))


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
    parameters: dict[str, Parameter] = {BRANCH: Categorical(tuple(range(len(branches))))}
    for name, entry in entries.items():
        parameters[name] = _with_when(entry, {BRANCH: branches_of[name], **entry.parameter.when}).parameter
    return SearchSpace(Space(parameters), names, _decoders(entries))


def _with_when(entry: Entry, when: Mapping[str, Any]) -> Entry:
    parameter: Any = entry.parameter  # every parameter is a dataclass
    return Entry(replace(parameter, when=when), entry.decode)


def _decoders(entries: Mapping[str, Entry]) -> dict[str, Callable[[Any], Any]]:
    return {name: entry.decode for name, entry in entries.items() if entry.decode is not None}

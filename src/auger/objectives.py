"""What is optimized: names and directions, and the only place that turns a sign.

Inside, every objective is minimized. A door turns the user's values with `Objectives.minimized` on their way in, and
`Objectives.original` turns them back on their way out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from auger.checks import is_number, unwrapped
from auger.errors import ObjectiveError, did_you_mean, nearest


class Direction(str, Enum):
    """Whether less or more is better."""

    MINIMIZE = "minimize"
    MAXIMIZE = "maximize"

    @property
    def sign(self) -> float:
        """What a value is multiplied with to be minimized, and a minimized one to be as the user knows it."""
        return -1.0 if self is Direction.MAXIMIZE else 1.0


def as_direction(direction: Any, what: str = "`direction`") -> Direction:
    """The direction of one objective, by name; refuses anything else, several directions included."""
    if isinstance(direction, (list, tuple, Mapping)):
        raise ObjectiveError(
            f"{what} must be one of 'minimize' and 'maximize': it is that of a single objective. Got {direction!r}. "
            "Several objectives have `directions`."
        )
    try:
        return Direction(direction)
    except ValueError:
        hint = did_you_mean(direction, [d.value for d in Direction]) if isinstance(direction, str) else ""
        raise ObjectiveError(f"{what} must be 'minimize' or 'maximize'. Got {direction!r}.{hint}") from None


@dataclass(frozen=True)
class Objectives:
    """One objective or more.

    Attributes:
        directions: one per objective.
        names: one per objective; those that are left out are called "value", or "value 0", "value 1", ...
        reference: the worst values of interest, one per objective, minimized: a trial that is worse in one of them adds
            nothing to the front. None where they are to be learned.

    Example:
        >>> objectives = Objectives((Direction.MINIMIZE, Direction.MAXIMIZE), ("loss", "accuracy"))
        >>> objectives.minimized([0.5, 0.75])
        (0.5, -0.75)
    """

    directions: tuple[Direction, ...] = (Direction.MINIMIZE,)
    names: tuple[str, ...] = ()
    reference: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "directions", tuple(Direction(direction) for direction in self.directions))
        if not self.names:
            n = len(self.directions)
            object.__setattr__(self, "names", ("value",) if n == 1 else tuple(f"value {i}" for i in range(n)))

    def __len__(self) -> int:
        return len(self.directions)

    @property
    def signs(self) -> tuple[float, ...]:
        """The sign of each direction."""
        return tuple(direction.sign for direction in self.directions)

    def minimized(self, values: Sequence[float]) -> tuple[float, ...]:
        """The user's values as they are minimized."""
        return tuple(sign * value for sign, value in zip(self.signs, values, strict=True))

    def original(self, values: Sequence[float]) -> tuple[float, ...]:
        """Minimized values as the user knows them."""
        return self.minimized(values)  # turning a sign twice changes nothing

    def index(self, name: Any) -> int:
        """Which objective has a name, or an ObjectiveError that lists the names."""
        if name not in self.names:
            raise ObjectiveError(f"There is no objective {name!r}. {nearest(str(name), self.names)}")
        return self.names.index(name)

    def in_order(self, values: Any, what: str) -> tuple[Any, ...]:
        """One entry per objective: from a list of as many, a dict of their names, or, for one objective, the entry.

        Args:
            values: as the user passed them.
            what: it is, for the error.
        """
        values = _by_name(values)
        if isinstance(values, Mapping):
            for name in values:
                self.index(name)
            missing = [name for name in self.names if name not in values]
            if missing:
                raise ObjectiveError(f"{what} must be one per objective. Got none for {', '.join(map(repr, missing))}.")
            return tuple(values[name] for name in self.names)
        entries = _listed(values)
        if entries is None and len(self) == 1:
            return (values,)
        if entries is None or len(entries) != len(self):
            names = ", ".join(map(repr, self.names))
            one = "one number" if len(self) == 1 else f"{len(self)} numbers, one per objective ({names})"
            raise ObjectiveError(f"{what} must be {one}. Got {values!r}.")
        return tuple(entries)

    def described(self) -> dict[str, str]:
        """Names and directions, as `as_objectives` takes them."""
        return {name: direction.value for name, direction in zip(self.names, self.directions, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON types."""
        return {
            "directions": [direction.value for direction in self.directions],
            "names": list(self.names),
            "reference": None if self.reference is None else list(self.reference),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Objectives:
        """Undo `to_json`; raises an ObjectiveError, a KeyError or a TypeError for anything else."""
        directions, names, reference = data["directions"], data["names"], data["reference"]
        if not isinstance(directions, list) or not isinstance(names, list) or len(names) != len(directions):
            raise TypeError(f"objectives must be lists of names and directions, not {data!r}")
        objectives = as_objectives(dict(zip(names, directions, strict=True)))
        if len(objectives) != len(names):
            raise TypeError(f"the names of objectives must be different, not {names!r}")
        if reference is None:
            return objectives
        return cls(objectives.directions, objectives.names, _reference(objectives, objectives.original(reference)))


def as_objectives(directions: Any, reference: Any = None) -> Objectives:
    """Objectives as users name them.

    Args:
        directions: a list of "minimize" and "maximize", or a dict of names and directions; one direction by itself
            stands for a single objective.
        reference: the worst values of interest in the user's own sign, a list or a dict of names; None to learn them.

    Example:
        >>> as_objectives({"loss": "minimize", "accuracy": "maximize"}, {"loss": 2.0, "accuracy": 0.5}).reference
        (2.0, -0.5)
    """
    names: tuple[str, ...] = ()
    if isinstance(directions, Mapping):
        names = tuple(directions)
        wrong = [name for name in names if not isinstance(name, str) or not name.strip()]
        if wrong:
            raise ObjectiveError(f"The name of an objective must be a text. Got {wrong[0]!r}.")
        listed = [as_direction(direction, f"The direction of {name!r}") for name, direction in directions.items()]
    elif isinstance(directions, Iterable) and not isinstance(directions, str):
        listed = [as_direction(direction, f"Direction {i}") for i, direction in enumerate(directions)]
    else:
        listed = [as_direction(directions)]
    if not listed:
        raise ObjectiveError("`directions` must have at least one direction. Got none.")
    objectives = Objectives(tuple(listed), names)
    if reference is None:
        return objectives
    return Objectives(objectives.directions, objectives.names, _reference(objectives, reference))


def _reference(objectives: Objectives, reference: Any) -> tuple[float, ...]:
    """The worst values of interest, minimized."""
    if len(objectives) == 1:
        raise ObjectiveError(f"`reference` is for several objectives. Got {reference!r} with a single one.")
    values = [unwrapped(value) for value in objectives.in_order(reference, "`reference`")]
    for name, value in zip(objectives.names, values, strict=True):
        if not is_number(value) or not math.isfinite(value):
            raise ObjectiveError(f"The reference of {name!r} must be a finite number. Got {value!r}.")
    return objectives.minimized([float(value) for value in values])


def _by_name(values: Any) -> Any:
    """A Series of pandas whose entries have names as a dict; anything else as it is."""
    if hasattr(values, "to_dict") and all(isinstance(name, str) for name in getattr(values, "index", [None])):
        return values.to_dict()
    return values


def _listed(values: Any) -> list[Any] | None:
    """The entries of a list, a tuple, or an array of one dimension; None for anything else."""
    if isinstance(values, (list, tuple)):
        return list(values)
    return list(values) if getattr(values, "ndim", 0) == 1 and len(values) != 1 else None

"""What is optimized: names and directions, and the only place that turns a sign.

Inside, every objective is minimized. A door turns the user's values with `Objectives.minimized` on their way in, and
`Objectives.original` turns them back on their way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from auger.errors import ObjectiveError


class Direction(str, Enum):
    """Whether less or more is better."""

    MINIMIZE = "minimize"
    MAXIMIZE = "maximize"

    @property
    def sign(self) -> float:
        """What a value is multiplied with to be minimized, and a minimized one to be as the user knows it."""
        return -1.0 if self is Direction.MAXIMIZE else 1.0


def as_direction(direction: Any) -> Direction:
    """The direction of one objective, by name; refuses anything else, several directions included."""
    if isinstance(direction, (list, tuple)):
        raise ObjectiveError(
            f"`direction` must be one of 'minimize' and 'maximize': there is one objective here. Got {direction!r}. "
            "For several objectives, use an Optuna study with an AugerSampler."
        )
    try:
        return Direction(direction)
    except ValueError:
        raise ObjectiveError(f"`direction` must be 'minimize' or 'maximize'. Got {direction!r}.") from None


@dataclass(frozen=True)
class Objectives:
    """One objective or more.

    Attributes:
        directions: one per objective.
        names: one per objective; those that are left out are called "value", or "value 0", "value 1", ...

    Example:
        >>> objectives = Objectives((Direction.MINIMIZE, Direction.MAXIMIZE), ("loss", "accuracy"))
        >>> objectives.minimized([0.5, 0.75])
        (0.5, -0.75)
    """

    directions: tuple[Direction, ...] = (Direction.MINIMIZE,)
    names: tuple[str, ...] = ()

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

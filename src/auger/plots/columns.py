"""Parameters as axes: where a value stands, and what its ticks say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.errors import nearest
from auger.history import History
from auger.plots.errors import PlotError
from auger.plots.scale import log_ticks
from auger.plots.style import axis
from auger.plots.texts import choice, plain
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.types import Array
from auger.view import View


@dataclass(frozen=True)
class Column:
    """One parameter of the trials of a history.

    Attributes:
        name: of the parameter.
        kind: what it is.
        at: shape (n,), where each trial stands: the value itself of a number, the place among the choices otherwise;
            NaN where the parameter is inactive.
    """

    name: str
    kind: Parameter
    at: Array

    @property
    def choices(self) -> list[str]:
        """What the places stand for; empty for a number."""
        return [choice(each) for each in self.kind.choices] if isinstance(self.kind, (Categorical, Ordinal)) else []

    @property
    def spread(self) -> Array:
        """As `at`, with choices a little to the left or right so that trials do not hide each other.

        The same in every figure of the same run: a sequence without clusters.
        """
        return (
            self.at + 0.5 * ((np.arange(len(self.at)) * 0.6180339887498949) % 1.0) - 0.25 if self.choices else self.at
        )

    def axis(self, title: str = "", longest: int = 20) -> dict[str, Any]:
        """An axis for it, in the user's own values, whose ticks are at most so long; choices stand at 0, 1, 2, ..."""
        return _axis(self.kind, title, longest)


def known_history(seen: View) -> History:
    """The trials that can be learned from, of which there is at least one."""
    if seen.history is None or not len(seen.history):
        if not seen.rows:
            raise PlotError("There is no trial yet.")
        raise PlotError("No parameter is known yet: no trial that has any has finished.")
    return seen.history


def column(history: History, name: str) -> Column:
    """A parameter of a history by its name."""
    check_name(history, name)
    kind = history.space.parameters[name]
    entries = history.X[:, history.space.names.index(name)]
    at = np.full(len(entries), np.nan)
    active = ~np.isnan(entries)
    if isinstance(kind, (Categorical, Ordinal)):
        at[active] = entries[active] * (max(len(kind.choices) - 1, 1) if isinstance(kind, Ordinal) else 1)
        at = np.rint(at)
    else:
        at[active] = kind.decode(entries[active])
    return Column(name, kind, at)


def check_name(history: History, name: Any) -> None:
    """Refuse a parameter that the space does not have."""
    if name not in history.space.names:
        raise PlotError(f"There is no parameter {name!r}. {nearest(name, history.space.names)}")


def _axis(kind: Parameter, title: str, longest: int) -> dict[str, Any]:
    if isinstance(kind, (Categorical, Ordinal)):
        n = len(kind.choices)
        step = math.ceil(n / 30)  # more cannot be read
        places = list(range(0, n, step))
        texts = [plain(choice(kind.choices[place]), longest) for place in places]
        return axis(title, tickvals=places, ticktext=texts, range=[-0.6, n - 0.4])
    if isinstance(kind, (Float, Int)) and kind.log:
        low, high = math.log10(kind.low), math.log10(kind.high)
        margin = 0.04 * (high - low)
        return axis(title, type="log", range=[low - margin, high + margin], **log_ticks(kind.low, kind.high))
    if isinstance(kind, (Float, Int)):
        margin = 0.04 * (kind.high - kind.low)
        return axis(title, range=[kind.low - margin, kind.high + margin], nticks=5)
    return axis(title)


def places_of(kind: Parameter, values: Sequence[Any]) -> list[Any]:
    """Where values of the user's stand on such an axis."""
    if isinstance(kind, (Categorical, Ordinal)):
        return [list(kind.choices).index(value) for value in values]
    return list(values)


def short(name: str) -> str:
    """A name of a parameter as the title of a small panel."""
    return plain(name, 24)

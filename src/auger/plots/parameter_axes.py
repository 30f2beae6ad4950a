"""Parameters as axes: where a value stands, what its ticks say, and which parameters there is room for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.errors import nearest
from auger.history import History
from auger.insight.importance import most_important
from auger.plots.errors import PlotError
from auger.plots.escaping import choice, plain
from auger.plots.scale import log_ticks
from auger.plots.style import axis
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.types import Array
from auger.view import View


@dataclass(frozen=True)
class ParameterAxis:
    """One parameter of the trials of a history.

    Attributes:
        name: of the parameter.
        parameter: what it is.
        at: shape (n,), where each trial stands: the value itself of a number, the index among the choices otherwise;
            NaN where the parameter is inactive.
    """

    name: str
    parameter: Parameter
    at: Array

    @property
    def choices(self) -> list[str]:
        """What the indices stand for; empty for a number."""
        parameter = self.parameter
        return [choice(value) for value in parameter.choices] if isinstance(parameter, (Categorical, Ordinal)) else []

    @property
    def spread(self) -> Array:
        """As `at`, with choices a little to the left or right so that trials do not hide each other.

        The same in every figure of the same run: a sequence without clusters.
        """
        if not self.choices:
            return self.at
        return self.at + 0.5 * ((np.arange(len(self.at)) * 0.6180339887498949) % 1.0) - 0.25

    def axis(self, title: str = "", longest: int = 20) -> dict[str, Any]:
        """An axis for it, in the user's own values, whose ticks are at most so long; choices stand at 0, 1, 2, ..."""
        return _axis(self.parameter, title, longest)


def known_history(view: View) -> History:
    """The trials that can be learned from, of which there is at least one."""
    if view.history is None or not len(view.history):
        if not view.trials:
            raise PlotError("There is no trial yet.")
        raise PlotError("No parameter is known yet: no trial that has any has finished.")
    return view.history


def parameter_axis(history: History, name: str) -> ParameterAxis:
    """A parameter of a history by its name."""
    check_name(history, name)
    parameter = history.space.parameters[name]
    entries = history.X[:, history.space.names.index(name)]
    at = np.full(len(entries), np.nan)
    active = ~np.isnan(entries)
    if isinstance(parameter, (Categorical, Ordinal)):
        at[active] = entries[active] * (max(len(parameter.choices) - 1, 1) if isinstance(parameter, Ordinal) else 1)
        at = np.rint(at)
    else:
        at[active] = parameter.decode(entries[active])
    return ParameterAxis(name, parameter, at)


def check_name(history: History, name: Any) -> None:
    """Refuse a parameter that the space does not have."""
    if name not in history.space.names:
        raise PlotError(f"There is no parameter {name!r}. {nearest(name, history.space.names)}")


def _axis(parameter: Parameter, title: str, longest: int) -> dict[str, Any]:
    if isinstance(parameter, (Categorical, Ordinal)):
        n = len(parameter.choices)
        step = math.ceil(n / 30)  # more cannot be read
        indices = list(range(0, n, step))
        texts = [plain(choice(parameter.choices[i]), longest) for i in indices]
        return axis(title, tickvals=indices, ticktext=texts, range=[-0.6, n - 0.4])
    if isinstance(parameter, (Float, Int)) and parameter.log:
        low, high = math.log10(parameter.low), math.log10(parameter.high)
        margin = 0.04 * (high - low)
        return axis(title, type="log", range=[low - margin, high + margin], **log_ticks(parameter.low, parameter.high))
    if isinstance(parameter, (Float, Int)):
        margin = 0.04 * (parameter.high - parameter.low)
        return axis(title, range=[parameter.low - margin, parameter.high + margin], nticks=5)
    return axis(title)


def positions_of(parameter: Parameter, values: Sequence[Any]) -> list[Any]:
    """Where values of the user's stand on such an axis."""
    if isinstance(parameter, (Categorical, Ordinal)):
        return [list(parameter.choices).index(value) for value in values]
    return list(values)


def most_important_axes(view: View, limit: int, objective: int | None = None) -> tuple[list[str], str]:
    """The names of at most ``limit`` parameters, the most important first, and a note where some are left out."""
    n = len(known_history(view).space)
    note = f"{limit} of {n:,} parameters shown, the most important." if n > limit else ""
    return most_important(view, limit, objective), note

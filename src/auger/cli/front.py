"""The front of a study with several objectives: as a table, and which of its trials to use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from auger import text

if TYPE_CHECKING:
    from auger.studies.study import Study
    from auger.trial import Trial
    from auger.view import View

# The most members of a front that are listed where nobody asked for all: spread out over it.
_N_LISTED = 12


@dataclass(frozen=True)
class FrontOf:
    """The trials of a study that no other beats in all objectives.

    Attributes:
        view: of the study.
        study: the same, if it is one of `auger tune`, which knows what outcome constraints were measured.
    """

    view: View
    study: Study | None

    def choose(self, prefer: str | None) -> Trial | None:
        """The trial to use, by a preference or as a compromise; None of an empty front."""
        from auger.preference import as_preference, choose

        objectives = self.view.objectives
        return choose(self.view.front, objectives, as_preference(prefer, objectives))

    def numbers(self, trial: Trial) -> dict[str, float]:
        """What a complete trial gave: its values, and what was measured of each outcome constraint."""
        return {**self._values(trial), **self._measured.get(trial.number, {})}

    def member(self, trial: Trial) -> dict[str, Any]:
        """A trial as JSON types."""
        constraints = self._measured.get(trial.number, {})
        of_constraints = {"constraints": constraints} if constraints else {}
        return {"number": trial.number, "values": self._values(trial), **of_constraints, "config": dict(trial.config)}

    def to_json(self) -> dict[str, Any]:
        """The whole front, and the suggested compromise."""
        suggested = self.choose(None)
        return {
            "objectives": self.view.objectives.described(),
            "front": [self.member(trial) for trial in self.view.front],
            "suggested": None if suggested is None else suggested.number,
        }

    def to_toml(self) -> str:
        """The whole front as an array of tables."""
        return "\n".join(self._toml(trial) for trial in self.view.front)

    def lines(self, chosen: Trial | None) -> list[str]:
        """A table with the chosen one marked: as many members as are read at a glance, from one end to the other."""
        front = self.view.front
        shown = set(np.linspace(0, len(front) - 1, min(_N_LISTED, len(front))).round().astype(int).tolist())
        listed = [trial for i, trial in enumerate(front) if i in shown or trial is chosen]
        names = [*self.view.objectives.names, *self.limits]
        rows = [self._row(trial, names, is_chosen=trial is chosen) for trial in listed]
        lines = table_lines([("trial", *map(text.shown, names), "settings"), *rows])
        return lines if len(front) == len(listed) else [*lines, f"and {len(front) - len(listed)} between them"]

    @property
    def limits(self) -> dict[str, str]:
        """The limit of each outcome constraint, by its name."""
        return {} if self.study is None else self.study.definition.limited

    @property
    def _measured(self) -> dict[int, dict[str, float]]:
        from auger.studies.results import outcomes

        return outcomes(self.view, self.study)

    def _values(self, trial: Trial) -> dict[str, float]:
        objectives = self.view.objectives
        return dict(zip(objectives.names, objectives.original(trial.values), strict=True))

    def _row(self, trial: Trial, names: Sequence[str], *, is_chosen: bool) -> tuple[str, ...]:
        numbers = self.numbers(trial)
        cells = [text.number(numbers[name]) if name in numbers else "" for name in names]
        return (f"{'* ' if is_chosen else ''}{trial.number}", *cells, text.settings(trial.config))

    def _toml(self, trial: Trial) -> str:
        member = self.member(trial)
        parts = ["[[front]]", text.toml({"number": trial.number})]
        for name in ("values", "constraints", "config"):
            if name in member:
                parts += [f"[front.{name}]", text.toml(member[name])]
        return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def table_lines(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows of a table as lines, the first of them its head: the last column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    cells = [[f"{cell:>{width}}" for cell, width in zip(row, widths, strict=False)] for row in rows]
    return ["  ".join([*line, row[-1]]).rstrip() for line, row in zip(cells, rows, strict=True)]

"""Where a trial came from, as data. `auger.text` puts it into words; nothing reads the words back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Origin(str, Enum):
    """Who proposed a trial."""

    INITIAL = "initial"  # the space-filling start
    MODEL = "model"  # the classifier
    RANDOM = "random"  # drawn at random, because no model could be asked, or a choice got another try
    GIVEN = "given"  # passed in by the user
    CONFIRMATION = "confirmation"  # good settings that are run again, to know better what to expect of them
    OTHER = "other"  # another program


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a trial was proposed.

    Attributes:
        origin: who proposed it.
        model: the name of the recipe whose model did, such as ``"auto, trees"``; empty where none did.
        score: what the model gave the configuration, on the model's own scale; None where none did.
        n_answers: how many answers were known; None where nobody counted.
        n_initial: how many answers the initial design collects, for a trial of it.
        sobol_point: the number of the Sobol point, for a trial of the initial design that is one.
        fixed: names of the parameters whose values the user had fixed.
        confirms: the number of the trial whose settings are run again, for a confirmation.
        notes: remarks of the classifier, the maximizer or the host, for people.
    """

    origin: Origin = Origin.GIVEN
    model: str = ""
    score: float | None = None
    n_answers: int | None = None
    n_initial: int | None = None
    sobol_point: int | None = None
    notes: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    confirms: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Everything but the origin that is known, as JSON types; the score as text where JSON has no such number."""
        score = None if self.score is None else float(self.score)
        data = {
            "model": self.model,
            "score": score if score is None or abs(score) < float("inf") else str(score),
            "n_answers": self.n_answers,
            "n_initial": self.n_initial,
            "sobol_point": self.sobol_point,
            "fixed": list(self.fixed),
            "confirms": self.confirms,
            "notes": list(self.notes),
        }
        return {key: value for key, value in data.items() if value not in (None, "", [])}

    @classmethod
    def from_json(cls, origin: str | Origin, data: Mapping[str, Any]) -> Provenance:
        """Undo `to_json`; keys of later versions, and counts that are no whole numbers, are ignored."""
        return cls(
            Origin(origin),
            str(data.get("model", "")),
            None if data.get("score") is None else float(data["score"]),
            _count(data.get("n_answers")),
            _count(data.get("n_initial")),
            _count(data.get("sobol_point")),
            tuple(map(str, data.get("notes", ()))),
            tuple(map(str, data.get("fixed", ()))),
            _count(data.get("confirms")),
        )


def _count(item: Any) -> int | None:
    return item if isinstance(item, int) else None

"""Saved runs: JSON with a format version, checked when it is read."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from auger.checks import is_whole
from auger.errors import AugerError, FileFormatError
from auger.files import read_up_to, write_whole
from auger.history import History
from auger.objectives import Objectives, as_direction
from auger.old_formats import recipe_name, trial_fields
from auger.provenance import Provenance
from auger.space import Space
from auger.trial import Trial, checked_attributes

FORMAT = "auger-optimizer"
# 1 kept the provenance of a trial as a sentence; 2 had no direction, no queue, and no attributes and times; with 3,
# `bore-mlp` was another recipe; 4 had a single objective.
VERSION = 5

# The most bytes of a file that are read: a run of a million trials has half of it.
_MAX_FILE = 2**30


def write(path: str | Path, data: dict[str, Any]) -> None:
    """Save a run, whole or not at all."""
    write_whole(Path(path), json.dumps({"format": FORMAT, "version": VERSION, **data}, allow_nan=False))


def read(path: str | Path) -> dict[str, Any]:
    """Read and check format and version, or raise a FileFormatError that says what is wrong with the file."""
    text = read_up_to(Path(path), _MAX_FILE)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"{path} must be a JSON file that auger saved. It is cut, or another file: {error}."
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileFormatError(f"{path} must be a file written by Optimizer.save. It is another JSON file.")
    version: Any = data.get("version")
    if not is_whole(version) or not 1 <= version <= VERSION:
        raise FileFormatError(f"{path} must have a format version from 1 to {VERSION}. Got version {version!r}.")
    if version < 4 and isinstance(data.get("recipe"), str) and not data.get("is_own_recipe"):
        data["recipe"] = recipe_name(data["recipe"])
    return data


@contextmanager
def blame(path: str | Path) -> Iterator[None]:
    """Turn an error in the content of a file into a FileFormatError that names the file."""
    try:
        yield
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise FileFormatError(f"{path} is damaged: {type(error).__name__}: {error}.") from error
    except AugerError as error:
        raise FileFormatError(f"{path} cannot be loaded: {error}") from error
    except ValueError as error:
        raise FileFormatError(f"{path} is damaged: {str(error).rstrip('.')}.") from error


def objectives_from_json(data: Mapping[str, Any]) -> Objectives:
    """The objectives of a saved run."""
    if "objectives" in data:
        return Objectives.from_json(data["objectives"])
    return Objectives((as_direction(data.get("direction", "minimize")),))


def history_to_json(history: History) -> dict[str, Any]:
    """The trials, and the order in which their answers came."""
    trials = [
        {
            "config": trial.config,
            "state": trial.state.value,
            "values": [_number_to_json(value) for value in trial.values],
            "constraints": [_number_to_json(c) for c in trial.constraints],
            "origin": trial.origin.value,
            "provenance": trial.provenance.to_json(),
            "error": trial.error,
            "intermediate_values": [
                [step, *map(_number_to_json, values)] for step, *values in trial.intermediate_values
            ],
            **_known(
                cost=None if trial.cost is None else _number_to_json(trial.cost),
                started=None if trial.started is None else trial.started.isoformat(),
                finished=None if trial.finished is None else trial.finished.isoformat(),
                attributes=_attributes_to_json(trial.attributes),
                asked=trial.asked,
            ),
        }
        for trial in history
    ]
    return {"trials": trials, "finished": history.finished, "marks": history.marks}


def history_from_json(data: Any, space: Space, objectives: Objectives | None = None) -> History:
    """Undo `history_to_json`. Takes ``data`` apart on the way: 100,000 trials need not be in memory twice."""
    trials = [_trial(number, item) for number, item in enumerate(_taken(data["trials"]))]
    return History.restore(space, trials, data["finished"], data["marks"], objectives=objectives)


def _trial(number: int, item: dict[str, Any]) -> Trial:
    fields = trial_fields(item) if "reason" in item else item  # of format version 1, or of ours
    return Trial(
        number,
        fields["config"],
        fields["state"],
        tuple(map(float, fields["values"])),
        tuple(map(float, fields["constraints"])),
        Provenance.from_json(fields["origin"], fields["provenance"]),
        _text(fields["error"]),
        tuple((step, *map(float, values)) for step, *values in fields["intermediate_values"]),
        cost=float(fields["cost"]) if "cost" in fields else None,
        started=_time(fields.get("started")),
        finished=_time(fields.get("finished")),
        attributes=_attributes_from_json(fields.get("attributes", {}), number),
        asked=fields.get("asked"),
    )


def _known(**fields: Any) -> dict[str, Any]:
    """The fields that a trial has: most trials have few of them."""
    return {name: value for name, value in fields.items() if value not in (None, {})}


def _text(item: str | None) -> str | None:
    if not isinstance(item, str | None):
        raise TypeError(f"an error must be a text, not {item!r}")
    return item


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _attributes_to_json(attributes: Mapping[str, Any]) -> Any:
    """The attributes; where JSON has no such number, as a text of its own that Python reads."""
    try:
        json.dumps(attributes, allow_nan=False)
    except ValueError:
        return json.dumps(attributes)
    return attributes


def _attributes_from_json(data: Any, number: int) -> dict[str, Any]:
    return checked_attributes(json.loads(data) if isinstance(data, str) else data, number)


def _taken(items: list[Any]) -> Iterator[Any]:
    """The items one by one, in order; the list is empty afterwards."""
    items.reverse()
    while items:
        yield items.pop()


def _number_to_json(value: float) -> float | str:
    """JSON has no NaN and no infinity; they travel as text."""
    return value if math.isfinite(value) else str(value)

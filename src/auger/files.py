"""Files written whole or not at all; among them saved runs: JSON with a format version, read with suspicion."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from auger.errors import AugerError, FileFormatError
from auger.history import History, Origin, State, Trial
from auger.space import Space

FORMAT = "auger-optimizer"
VERSION = 1


def write(path: str | Path, data: dict[str, Any]) -> None:
    """Save a run; see `write_whole`."""
    write_whole(Path(path), json.dumps({"format": FORMAT, "version": VERSION, **data}, allow_nan=False))


def write_whole(path: Path, text: str) -> None:
    """Write beside the target, flush to disk, then take its name: a crash or a full disk leaves the old file."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder {path.parent} does not exist, so {path.name} cannot be saved in it.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read(path: str | Path) -> dict[str, Any]:
    """Read and check format and version, or raise a FileFormatError that says what is wrong with the file."""
    text = Path(path).read_bytes()
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"{path} must be a whole JSON file written by auger; it is truncated or foreign: {error}."
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileFormatError(f"{path} must be a file written by Optimizer.save. It is JSON, but of another kind.")
    if data.get("version") != VERSION:
        raise FileFormatError(f"{path} must be of format version {VERSION}. It is of version {data.get('version')!r}.")
    return data


@contextmanager
def blame(path: str | Path) -> Iterator[None]:
    """Turn whatever goes wrong while a file's content is taken in into an error that names the file."""
    try:
        yield
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise FileFormatError(f"{path} is damaged: {type(error).__name__}: {error}.") from error
    except AugerError as error:
        raise FileFormatError(f"{path} does not fit: {error}") from error
    except ValueError as error:
        raise FileFormatError(f"{path} is damaged: {error}.") from error


def history_to_json(history: History) -> dict[str, Any]:
    """The trials, and the order in which their answers came."""
    trials = [
        {
            "config": trial.config,
            "state": trial.state.value,
            "value": _number_to_json(trial.value),
            "constraints": [_number_to_json(c) for c in trial.constraints],
            "origin": trial.origin.value,
            "reason": trial.reason,
            "error": trial.error,
            **({"steps": [[step, _number_to_json(value)] for step, value in trial.steps]} if trial.steps else {}),
        }
        for trial in history
    ]
    return {"trials": trials, "finished": history.finished, "marks": history.marks}


def history_from_json(data: Any, space: Space) -> History:
    """Undo `history_to_json`. Takes ``data`` apart on the way: 100,000 trials need not be in memory twice."""
    trials = [
        Trial(
            number,
            item["config"],
            State(item["state"]),
            _number_from_json(item["value"]),
            tuple(float(_number_from_json(c) or 0.0) for c in item["constraints"]),
            Origin(item["origin"]),
            item["reason"],
            item["error"],
            tuple((step, float(value)) for step, value in item.get("steps", ())),
        )
        for number, item in enumerate(_taken(data["trials"]))
    ]
    history = History(space)
    history.extend(trials)
    finished, marks = list(data["finished"]), list(data["marks"])
    # an interrupt in the middle of a tell may have left the last answer out of the lists
    known = set(finished)
    finished += [number for number in history.finished if number not in known]
    if sorted(finished) != history.finished:
        raise FileFormatError("the list of finished trials does not match the trials")
    if marks != sorted(set(marks)) or any(not 0 < mark <= len(finished) for mark in marks):
        raise FileFormatError("the marks of the answers do not match the finished trials")
    if finished and marks[-1:] != [len(finished)]:
        marks.append(len(finished))
    history.finished, history.marks = finished, marks
    return history


def _taken(items: list[Any]) -> Iterator[Any]:
    """The items one by one, the first first; the list is empty afterwards."""
    items.reverse()
    while items:
        yield items.pop()


def _number_to_json(value: float | None) -> float | str | None:
    """JSON has no NaN and no infinity; they travel as text."""
    return value if value is None or math.isfinite(value) else str(value)


def _number_from_json(value: Any) -> float | None:
    return None if value is None else float(value)

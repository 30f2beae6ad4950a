"""What came of a trial, and its copy on disk: written before anything is told to a storage, so that nothing is lost."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from auger.types import Config

RESULT = "result.json"


@dataclass(frozen=True)
class Outcome:
    """How a trial ended.

    Attributes:
        state: "complete", "failed", "pruned", or "stopped": we were asked to end it, so it may be run again.
        value: what it was run for; None unless complete.
        error: why there is no value, in one line.
        seconds: how long it ran.
        exit_code: of its process, negative for a signal; None where none was started.
    """

    state: str
    value: float | None = None
    error: str | None = None
    seconds: float = 0.0
    exit_code: int | None = None


def write_result(folder: Path, config: Config, outcome: Outcome) -> None:
    """Keep an outcome in the trial's folder, whole or not at all.

    Not flushed to the disk, which takes longer than many trials: it outlives us, and after a power failure the trial
    is run again.
    """
    text = json.dumps({"config": config, **asdict(outcome)}, allow_nan=False)
    temporary = folder / f".{RESULT}.tmp"
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(folder / RESULT)


def read_result(folder: str | Path, number: int, config: Config | None = None) -> Outcome | None:
    """The outcome of a trial that had ended, or None.

    Args:
        folder: where the trials' folders are.
        number: of the trial.
        config: of the trial, when known: an outcome of another configuration, left by another study, is none.
    """
    try:
        data = json.loads(Path(folder, str(number), RESULT).read_bytes())
        kept = data.pop("config")
        outcome = Outcome(**data)
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return None
    is_other = config is not None and json.loads(json.dumps(config)) != kept
    return None if is_other else outcome

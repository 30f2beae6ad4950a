"""The outcome of a trial, and its copy on disk: written before the storage is told, so that nothing is lost."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path

from auger.files import read_regular, write_whole
from auger.studies.definition.value_rules import IgnoredReport, Reading
from auger.trial import State
from auger.types import Config

RESULT = "result.json"
# The most bytes of a result that are read: a config of a thousand parameters has a hundredth of it.
_MAX_RESULT = 16 * 2**20


@dataclass(frozen=True)
class Outcome:
    """How a trial ended.

    Attributes:
        state: complete, failed, pruned, died, or stopped on request, to run again.
        value: the final value; None unless complete.
        error: why there is no value, in one line.
        seconds: how long the trial ran.
        exit_code: of its process, negative for a signal; None where no process was started.
        reading: where the value was read.
        ignored: the first line with an intermediate value that was ignored.

    Only the process that ran the trial knows `reading` and `ignored`: they are not stored.
    """

    state: State
    value: float | None = None
    error: str | None = None
    seconds: float = 0.0
    exit_code: int | None = None
    reading: Reading | None = field(default=None, compare=False)
    ignored: IgnoredReport | None = field(default=None, compare=False)


def write_result(folder: Path, config: Config, outcome: Outcome) -> None:
    """Write an outcome to the trial folder, whole or not at all.

    It is not flushed to the disk, which takes longer than many trials: after a power failure the trial runs again.
    """
    facts = {name: fact for name, fact in asdict(outcome).items() if name not in ("reading", "ignored")}
    text = json.dumps({"config": config, **facts}, allow_nan=False)
    write_whole(folder / RESULT, text, is_flushed=False)


def read_result(folder: str | Path, number: int | str, config: Config | None = None) -> Outcome | None:
    """The outcome in the folder of a trial; None where there is none.

    Args:
        folder: of the trial folders.
        number: of the trial.
        config: of the trial, if known. An outcome of another configuration, left by another study, counts as none.
    """
    try:
        data = json.loads(read_regular(Path(folder, str(number), RESULT), _MAX_RESULT))
        stored_config = data.pop("config")
        outcome = Outcome(State(data.pop("state")), **data)
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    is_other = config is not None and json.loads(json.dumps(config)) != stored_config
    return outcome if _is_possible(outcome) and not is_other else None


def _is_possible(outcome: Outcome) -> bool:
    """Whether `write_result` may have written it: the folder is that of a program, which writes there as well."""
    is_finite = isinstance(outcome.value, float) and math.isfinite(outcome.value)
    return (
        outcome.state in (State.COMPLETE, State.PRUNED, State.FAILED)
        and (is_finite if outcome.state is State.COMPLETE else outcome.value is None)
        and isinstance(outcome.error, str | None)
        and isinstance(outcome.seconds, float)
        and 0.0 <= outcome.seconds < math.inf
        and isinstance(outcome.exit_code, int | None)
    )

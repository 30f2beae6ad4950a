"""The outcome of a trial, and its copy on disk: written before the storage is told, so that nothing is lost."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from auger.files import read_regular, write_whole
from auger.old_formats import values_of_result
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
        values: the final values, one per objective; a single number stands for one of them. Empty unless complete.
        error: why there is no value, in one line.
        seconds: how long the trial ran.
        exit_code: of its process, negative for a signal; None where no process was started.
        constraints: what the program gave for each outcome constraint, as it gave it. Empty unless complete.
        readings: where each of these numbers was read, by name.
        ignored: the first line with an intermediate value that was ignored.

    Only the process that ran the trial knows `readings` and `ignored`: they are not stored.
    """

    state: State
    values: tuple[float, ...] = ()
    error: str | None = None
    seconds: float = 0.0
    exit_code: int | None = None
    constraints: tuple[float, ...] = ()
    readings: Mapping[str, Reading] = field(default_factory=dict, compare=False)
    ignored: IgnoredReport | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        values: Any = self.values
        if values is None or isinstance(values, (int, float)):
            object.__setattr__(self, "values", () if values is None else (values,))

    @property
    def value(self) -> float | None:
        """The value of the only objective; None where there is none, or where there are several objectives."""
        return self.values[0] if len(self.values) == 1 else None

    @property
    def numbers(self) -> tuple[float, ...]:
        """All that the program gave: the values, then the constraints."""
        return (*self.values, *self.constraints)


def write_result(folder: Path, config: Config, outcome: Outcome) -> None:
    """Write an outcome to the trial folder, whole or not at all.

    It is not flushed to the disk, which takes longer than many trials: after a power failure the trial runs again.
    """
    facts = {name: fact for name, fact in asdict(outcome).items() if name not in ("readings", "ignored")}
    text = json.dumps({"config": config, **facts}, allow_nan=False)
    write_whole(folder / RESULT, text, is_flushed=False)


def read_result(
    folder: str | Path, number: int | str, config: Config | None = None, *, n_numbers: tuple[int, int] = (1, 0)
) -> Outcome | None:
    """The outcome in the folder of a trial; None where there is none.

    Args:
        folder: of the trial folders.
        number: of the trial.
        config: of the trial, if known. An outcome of another configuration, left by another study, counts as none.
        n_numbers: how many values, and how many constraints, a complete trial has.
    """
    try:
        data = json.loads(read_regular(Path(folder, str(number), RESULT), _MAX_RESULT))
        stored_config = data.pop("config")
        values = data.pop("values") if "values" in data else values_of_result(data)
        constraints = tuple(data.pop("constraints", ()))
        outcome = Outcome(State(data.pop("state")), tuple(values), constraints=constraints, **data)
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    is_other = config is not None and json.loads(json.dumps(config)) != stored_config
    return outcome if _is_possible(outcome, n_numbers) and not is_other else None


def _is_possible(outcome: Outcome, n_numbers: tuple[int, int]) -> bool:
    """Whether `write_result` may have written it: the folder is that of a program, which writes there as well."""
    is_finite = all(isinstance(number, float) and math.isfinite(number) for number in outcome.numbers)
    is_complete = (len(outcome.values), len(outcome.constraints)) == n_numbers and is_finite
    return (
        outcome.state in (State.COMPLETE, State.PRUNED, State.FAILED)
        and (is_complete if outcome.state is State.COMPLETE else not outcome.numbers)
        and isinstance(outcome.error, str | None)
        and isinstance(outcome.seconds, float)
        and 0.0 <= outcome.seconds < math.inf
        and isinstance(outcome.exit_code, int | None)
    )

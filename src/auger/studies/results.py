"""What came of a study: the settings to use, and every trial as a row."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auger.errors import ConfigError, StudyError
from auger.history import History
from auger.recommend import recommend
from auger.schema import ORIGIN, SURPLUS
from auger.studies.definition import placeholders, trial_variables
from auger.studies.pool.progress import IMPORTED, ending
from auger.studies.study import Study
from auger.text import written
from auger.trial import State, Trial
from auger.types import Config

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

#: Columns of a table of trials before those of the parameters.
COLUMNS = ("number", "state", "value", "seconds", "origin", "error")

_STATES = {"COMPLETE": "complete", "FAIL": "failed", "PRUNED": "pruned", "RUNNING": "running", "WAITING": "waiting"}


@dataclass(frozen=True)
class Baseline:
    """What the best is compared with: the defaults, or whatever came first.

    Attributes:
        number, value: of its trial.
        name: what to call it.
    """

    number: int
    value: float
    name: str


@dataclass(frozen=True)
class Best:
    """The settings to use.

    Attributes:
        number, config, value: of the trial.
        estimate: what to expect of it on average where values are noisy, with its standard `error`; otherwise None.
        reason: why this one, in words.
        baseline: what it is compared with, unless it is that itself.
    """

    number: int
    config: Config
    value: float
    estimate: float | None
    error: float | None
    reason: str
    baseline: Baseline | None

    @property
    def gain(self) -> float | None:
        """How much better than the baseline, as a fraction of it; None where that means nothing."""
        if self.baseline is None or self.baseline.value == 0:
            return None
        return abs(self.value - self.baseline.value) / abs(self.baseline.value)

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return {**asdict(self), "gain": self.gain}


def best(study: Study, trials: Sequence[FrozenTrial] | None = None) -> Best | None:
    """The settings to use: of the best value or, where values are noisy, of the best expected one. None before any."""
    trials = study.trials() if trials is None else trials
    complete = [trial for trial in trials if trial.state.name == "COMPLETE"]
    if not complete:
        return None
    sign = -1.0 if study.definition.direction == "maximize" else 1.0
    try:
        found = recommend(_history(study, complete, sign))
    except ConfigError:  # a trial that Optuna put there by hand
        found = None
    if found is None:
        trial, estimate, error, reason = (
            min(complete, key=lambda each: sign * _value(each)),
            None,
            None,
            "the best value",
        )
    else:
        trial, error = complete[found.trial.number], found.error
        estimate, reason = found.in_sign(sign)
    return Best(
        trial.number,
        study.config(trial.params),
        _value(trial),
        estimate,
        error,
        reason,
        _baseline(study, complete, trial),
    )


def _history(study: Study, trials: Sequence[FrozenTrial], sign: float) -> History:
    configs = study.configs([trial.params for trial in trials])
    history = History(study.definition.space)
    history.extend(
        [
            Trial(i, config, State.COMPLETE, sign * _value(trial))
            for i, (config, trial) in enumerate(zip(configs, trials, strict=True))
        ]
    )
    return history


def _value(trial: FrozenTrial) -> float:
    assert trial.value is not None
    return trial.value


def _baseline(study: Study, complete: Sequence[FrozenTrial], chosen: FrozenTrial) -> Baseline | None:
    own = [trial for trial in complete if IMPORTED not in trial.user_attrs]
    first = study.definition.first
    if first:
        params = study.params(first[0])
        name = "the defaults" if study.definition.defaults is not None else "the first initial configuration"
        own = [trial for trial in own if trial.params == params]
    else:
        name = "the first trial"
    if not own or own[0].params == chosen.params:
        return None
    return Baseline(own[0].number, _value(own[0]), name)


def command_line(study: Study, leader: Best, *, is_for_others: bool = False) -> str:
    """What a shell would have to be given to run the program with these settings.

    Args:
        study: of programs; a StudyError for one of a function.
        leader: the settings.
        is_for_others: leave out the variables that hold no setting: what else is in them may not be for everybody.
    """
    definition = study.definition
    command = definition.command
    if command.function is not None:
        raise StudyError(f"--command is for programs; {definition.name} calls the function {command.function}.")
    folder = str(definition.trials_folder / str(leader.number))
    variables = trial_variables(definition.name, leader.number, folder, leader.config)
    values = {**leader.config, **variables}
    named = {name: text for name, text in command.variables(values).items() if text is not None}
    if is_for_others:
        named = {name: text for name, text in named.items() if placeholders(command.environment[name])}
    if command.config:
        named = {"AUGER_CONFIG": variables["AUGER_CONFIG"], **named}
    prefix = ["env", *(f"{name}={text}" for name, text in named.items())] if named else []
    return shlex.join([*prefix, *command.arguments(values)])


# -- rows -----------------------------------------------------------------------------------------------


def header(study: Study) -> list[str]:
    """The columns of `rows`: those that all studies have, then the parameters."""
    return [*COLUMNS, *(column(name) for name in study.definition.space.names)]


def column(name: str) -> str:
    """What the column of a parameter is called: its name, unless that is taken."""
    return f"param:{name}" if name in COLUMNS else name


def rows(study: Study) -> list[dict[str, Any]]:
    """Every trial that was run, as a row: column -> value. Of the parameters, the active ones."""
    now = datetime.now()
    trials = [trial for trial in study.trials() if SURPLUS not in trial.user_attrs]
    made = []
    for trial, config in zip(trials, study.configs([trial.params for trial in trials]), strict=True):
        row = {"number": trial.number, "state": state(trial), "value": trial.value, "seconds": seconds(trial, now)}
        row |= {"origin": trial.user_attrs.get(ORIGIN, "given"), "error": ending(trial)[1].get("error")}
        made.append({**row, **{column(name): value for name, value in config.items()}})
    return made


def state(trial: FrozenTrial) -> str:
    """How a trial stands, in our words."""
    return ending(trial)[0].replace("late", "complete") or _STATES[trial.state.name]


def seconds(trial: FrozenTrial, now: datetime) -> float | None:
    """How long a trial ran, or has been running."""
    known = ending(trial)[1].get("seconds")
    if known is not None or trial.datetime_start is None or IMPORTED in trial.user_attrs:
        return known
    return round(((trial.datetime_complete or now) - trial.datetime_start).total_seconds(), 3)


def to_csv(study: Study) -> str:
    """Every trial as a line of CSV, which `auger import` understands."""
    file = io.StringIO()
    writer = csv.DictWriter(file, header(study), lineterminator="\n")
    writer.writeheader()
    for row in rows(study):
        writer.writerow({key: "" if value is None and key in COLUMNS else written(value) for key, value in row.items()})
    return file.getvalue()

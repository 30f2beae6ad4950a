"""A tryout: the program of a study runs once, and no study records it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path

from auger.studies.definition import Definition
from auger.studies.definition.doubts import Doubt, doubt
from auger.studies.definition.starting_point import StartingPoint, starting_point
from auger.studies.definition.value_rules import ReportedRow
from auger.studies.trial.outcome import Outcome
from auger.studies.trial.output import kept_output
from auger.studies.trial.program import invocation
from auger.studies.trial.run import run_trial
from auger.trial import State
from auger.types import Config

# The folder of a tryout, beside those of the trials.
FOLDER = "try"


@dataclass(frozen=True)
class Tryout:
    """What happened.

    Attributes:
        config: the settings that were tried, and `origin` where they come from.
        arguments: the program and its arguments.
        folder: with what the program printed.
        outcome: how the program ended, and its value.
        reports: the intermediate values: rows of a step and a value per objective.
        doubt: why the value is probably another number than the one that was read; None without a doubt.
    """

    config: Config
    origin: StartingPoint
    arguments: list[str]
    folder: Path
    outcome: Outcome
    reports: list[ReportedRow]
    doubt: Doubt | None


def try_out(definition: Definition) -> Tryout:
    """Run the program of a study once, with the settings that `starting_point` says, in a folder of its own."""
    config, origin = starting_point(definition)
    definition = replace(definition, folder=str(Path(definition.folder, FOLDER)))
    reports: list[ReportedRow] = []

    def keep(step: int, *values: float) -> bool:
        reports.append((step, *values))
        return False

    outcome = run_trial(definition, 0, config, on_report=keep, stop=threading.Event())
    folder = definition.trials_folder / "0"
    arguments, _ = invocation(definition, 0, config)
    number_doubt = None
    if outcome.state is State.COMPLETE and len(definition.names) == 1:
        (rule,) = definition.rules.values()
        number_doubt = doubt(kept_output(folder / (rule.path or rule.stream)), rule)
    return Tryout(config, origin, arguments, folder, outcome, reports, number_doubt)

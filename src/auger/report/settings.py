"""The settings to use, as `auger best` prints them, of a study or of any other run."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auger import text as words
from auger.recommend import recommend
from auger.studies.results import Baseline, Best, best, command_line
from auger.text import mask
from auger.view import View

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

    from auger.studies.study import Study


@dataclass(frozen=True)
class Settings:
    """The best settings, and how to write them down.

    Attributes:
        best: which they are, and why.
        written: name of a format -> the settings in it.
    """

    best: Best
    written: dict[str, str]


def settings(seen: View, study: Study | None, trials: Sequence[FrozenTrial] = ()) -> Settings | None:
    """The settings to use; None before any trial has succeeded, and with several objectives.

    Args:
        seen: the run.
        study: the study of ours that it is, if it is one.
        trials: those of the study.
    """
    leader = _best(seen) if study is None else best(study, trials)
    if leader is None:
        return None
    made = {"TOML": words.toml(leader.config), "JSON": json.dumps(leader.config, ensure_ascii=False, indent=2)}
    if study is not None and study.definition.command.function is None:
        made["command line"] = mask(command_line(study, leader, is_for_others=True))
    return Settings(leader, made)


def _best(seen: View) -> Best | None:
    """What `auger.studies.results.best` says of a study, for any run: compared with its first trial."""
    leader = seen.best
    if leader is None:
        return None
    found = None if seen.history is None else recommend(seen.history)
    if found is None:
        return Best(leader.number, leader.config, leader.values[0], None, None, "the best value", _first(seen, leader))
    row = seen.by_number[int(seen.numbers[found.trial.number])]
    estimate, reason = found.in_sign(seen.signs[0])
    return Best(row.number, row.config, row.values[0], estimate, found.error, reason, _first(seen, row))


def _first(seen: View, chosen: Any) -> Baseline | None:
    able = [row for row in seen.complete if math.isfinite(row.values[0])]
    if not able or able[0].number == chosen.number:
        return None
    return Baseline(able[0].number, able[0].values[0], "the first trial")

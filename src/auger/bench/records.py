"""A run's file: a line of JSON for the head, one for each evaluation, one for a crash. Lines are only ever appended.

So a process killed at any moment leaves every finished evaluation behind, and at most one torn last line, which the
next reader drops and the next writer cuts off.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from io import BufferedRandom
from pathlib import Path
from typing import Any

from auger.errors import AugerError, FileFormatError
from auger.types import Config

FORMAT = "auger-bench"
VERSION = 1


class ResultsError(AugerError, ValueError):
    """A results folder that cannot be used: not writable, damaged, or made by other versions or settings."""


@dataclass(frozen=True)
class Head:
    """What a run is, and what it was made with."""

    problem: str
    method: str
    seed: int
    n_evals: int
    versions: dict[str, str]
    machine: dict[str, str]


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of a run.

    Attributes:
        number: 0 for the first.
        config: what was tried.
        observed: what the method was told; NaN when the evaluation failed.
        value: the noise-free value of the config; NaN when the evaluation failed.
        incumbent: the noise-free value of the config whose observed value is the lowest so far; NaN while none is.
        regret: distance of the incumbent from the optimum; None where the optimum is unknown.
        ask_cpu, ask_wall, tell_cpu, tell_wall: seconds the method took to propose and to learn.
        error: why the evaluation failed; empty if it did not.
    """

    number: int
    config: Config
    observed: float
    value: float
    incumbent: float
    regret: float | None
    ask_cpu: float
    ask_wall: float
    tell_cpu: float
    tell_wall: float
    error: str = ""


@dataclass(frozen=True)
class Run:
    """What a run's file holds.

    Attributes:
        head: what it is.
        evaluations: as far as it came.
        crash: why it stopped early; empty while it has not, and again once it has gone on since.
    """

    head: Head
    evaluations: list[Evaluation] = field(default_factory=list)
    crash: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether every evaluation is there."""
        return len(self.evaluations) == self.head.n_evals

"""What a trial reserves on a Ray cluster: the table ``[ray]`` of a study file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auger.checks import is_number, is_whole
from auger.errors import StudyError

# What Ray itself calls what has a key of its own here.
_OWN_KEYS = {"CPU": "cpus", "GPU": "gpus", "memory": "memory"}

# Ray counts in ten-thousandths.
_LEAST = 1e-4


@dataclass(frozen=True)
class Reservation:
    """What one trial reserves; it begins when a node has all of it free.

    Attributes:
        cpus: a number, or a share of one below 1; 0 begins anywhere.
        gpus: likewise. Programs find theirs in CUDA_VISIBLE_DEVICES.
        memory: bytes; None for no reservation. It is counted by Ray, not a limit.
        resources: names that nodes were started with, and how much of them.
    """

    cpus: float = 1
    gpus: float = 0
    memory: int | None = None
    resources: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key in ("cpus", "gpus"):
            _check_amount(getattr(self, key), f"ray.{key}", least=0)
        if self.memory is not None and not (is_whole(self.memory) and self.memory > 0):
            raise StudyError(f"must be a number of bytes above 0. Got {self.memory!r}.", "ray.memory")
        if not isinstance(self.resources, Mapping):
            raise StudyError(f"must be a table such as {{ fast_disk = 1 }}. Got {self.resources!r}.", "ray.resources")
        for name, amount in self.resources.items():
            if name in _OWN_KEYS:
                raise StudyError(f"{name!r} has a key of its own: `{_OWN_KEYS[name]}`.", "ray.resources")
            _check_amount(amount, "ray.resources", least=_LEAST, name=name)

    @property
    def amounts(self) -> dict[str, float]:
        """Everything that is reserved, by Ray's names."""
        named = {"CPU": self.cpus, "GPU": self.gpus, "memory": self.memory or 0, **self.resources}
        return {name: amount for name, amount in named.items() if amount}

    def __str__(self) -> str:
        amounts = self.amounts
        memory = amounts.pop("memory", 0)
        parts = [f"{amount:g} {name}" for name, amount in amounts.items()]
        return ", ".join([*parts, f"{memory / 1e6:g} MB of memory"] if memory else parts) or "nothing"


def _check_amount(value: Any, place: str, *, least: float, name: str = "") -> None:
    """It must be a whole number, or a share below 1: no node could give away 1.5 of its GPUs."""
    if not (is_number(value) and math.isfinite(value) and value >= least and (value < 1 or value == int(value))):
        which = f"{name} " if name else ""
        raise StudyError(f"{which}must be a whole number, or a share between 0 and 1. Got {value!r}.", place)

"""What a trial reserves on a Ray cluster: the table ``[ray]`` of a study file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auger.checks import is_number
from auger.errors import StudyError
from auger.studies.definition.checks import check_bytes
from auger.text import toml_value

# Ray's names of the resources that have a key of their own in [ray].
_OWN_KEYS = {"CPU": "cpus", "GPU": "gpus", "memory": "memory"}

# Ray counts resources in ten-thousandths.
_LEAST = 1e-4


@dataclass(frozen=True)
class Reservation:
    """What one trial reserves; the trial begins when a node has all of it free.

    Attributes:
        cpus: a whole number, or a share below 1; with 0 the trial begins on any node.
        gpus: likewise. Ray tells the program its GPUs in CUDA_VISIBLE_DEVICES.
        memory: bytes; None for no reservation. Ray counts it, but does not limit the trial to it.
        resources: name of a custom resource that nodes were started with -> amount.
    """

    cpus: float = 1
    gpus: float = 0
    memory: int | None = None
    resources: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key in ("cpus", "gpus"):
            _check_amount(getattr(self, key), f"ray.{key}", least=0)
        check_bytes(self.memory, "ray.memory")
        if not isinstance(self.resources, Mapping):
            raise StudyError(
                f"must be a table such as {{ fast_disk = 1 }}. Got {toml_value(self.resources)}.", "ray.resources"
            )
        for name, amount in self.resources.items():
            if name in _OWN_KEYS:
                raise StudyError(f"{name!r} must be set with its own key, `{_OWN_KEYS[name]}`.", "ray.resources")
            _check_amount(amount, "ray.resources", least=_LEAST, name=name)

    @property
    def amounts(self) -> dict[str, float]:
        """All reserved amounts above 0, by Ray's names."""
        named = {"CPU": self.cpus, "GPU": self.gpus, "memory": self.memory or 0, **self.resources}
        return {name: amount for name, amount in named.items() if amount}

    def __str__(self) -> str:
        amounts = self.amounts
        memory = amounts.pop("memory", 0)
        parts = [f"{amount:g} {name}" for name, amount in amounts.items()]
        return ", ".join([*parts, f"{memory / 1e6:g} MB of memory"] if memory else parts) or "nothing"


def _check_amount(value: Any, key: str, *, least: float, name: str = "") -> None:
    """Refuse what is neither a whole number nor a share below 1: Ray cannot reserve 1.5 GPUs."""
    if not (is_number(value) and math.isfinite(value) and value >= least and (value < 1 or value == int(value))):
        subject = f"{name} " if name else ""
        raise StudyError(f"{subject}must be a whole number, or a share between 0 and 1. Got {toml_value(value)}.", key)

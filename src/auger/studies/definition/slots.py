"""Slots: what only one running trial may use at a time, such as a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auger.characters import shown
from auger.checks import is_whole
from auger.errors import StudyError


def check_slots(slots: Any) -> None:
    """Refuse what is not a list of different texts."""
    is_list = isinstance(slots, tuple) and all(isinstance(slot, str) and slot and "\0" not in slot for slot in slots)
    if not is_list or len(set(slots)) < len(slots):
        raise StudyError(
            f'must be a list of different texts such as ["cuda:0", "cuda:1"]. Got {_shown(slots)}.', "study.slots"
        )


def check_gpus(gpus: Any, slots: Sequence[str]) -> None:
    """Refuse what is not a list of different GPUs, as CUDA_VISIBLE_DEVICES names one: a number, or an identifier."""
    is_list = isinstance(gpus, tuple) and all(_is_gpu(gpu) for gpu in gpus)
    if not is_list or len(set(map(str, gpus))) < len(gpus):
        raise StudyError(f"must be a list of different GPUs such as [0, 1]. Got {_shown(gpus)}.", "study.gpus")
    if gpus and slots:
        raise StudyError("must be left out with `slots`: a running trial takes one of either.", "study.gpus")


def check_workers(workers: int, names: Sequence[str], key: str = "study.workers") -> None:
    """Refuse more trials at once than there are slots."""
    if names and workers > len(names):
        raise StudyError(
            f"must be at most {len(names)}: each running trial takes one of the slots {', '.join(map(shown, names))}. "
            f"Got {workers}.",
            key,
        )


def _is_gpu(gpu: Any) -> bool:
    is_name = isinstance(gpu, str) and gpu.isprintable() and gpu.strip() == gpu != "" and "," not in gpu
    return is_name or (is_whole(gpu) and gpu >= 0)


def _shown(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else repr(value)

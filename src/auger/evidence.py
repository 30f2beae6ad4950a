"""What is known about noise in the values of a run."""

from __future__ import annotations

from enum import Enum


class Evidence(str, Enum):
    """What is known about noise."""

    NOT_CHECKED = "not checked"  # the run was interrupted before
    REPEATS_AGREE = "repeats agree"  # a configuration that was repeated gave the same value
    NONE = "none"  # nothing says that values are noisy
    NOISE = "noise"  # neighbors or repeats disagree

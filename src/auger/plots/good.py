"""Which trials a figure calls good: those that the classifier is taught as such."""

from __future__ import annotations

import numpy as np

from auger.history import History
from auger.insight.replay import one_gamma
from auger.insight.view import View
from auger.labels import label
from auger.types import Mask


def good_trials(seen: View, history: History) -> Mask:
    """Which trials of the history are good, shape (n,), by the gamma of the recipe; of one trial, none."""
    if len(history) < 2:
        return np.zeros(len(history), dtype=bool)
    return label(history, gamma=one_gamma(seen.recipe).gamma).z

"""Which trials a figure calls good: those that the classifier is taught as such."""

from __future__ import annotations

import numpy as np

from auger.history import History
from auger.insight.replay import lasting
from auger.insight.view import View
from auger.labels import label, share_of
from auger.types import Mask


def good_trials(seen: View, history: History) -> Mask:
    """Which trials of the history are good, shape (n,), by the gamma of the recipe; of one trial, none."""
    good = np.zeros(len(history), dtype=bool)
    among = history.seen_by(len(history.finished))
    if len(among) > 1:
        # as explanations have it: ten at least, up to a third
        gamma = max(share_of(lasting(seen.recipe).gamma, len(among)), min(10 / len(among), 1 / 3))
        good[among] = label(history, gamma=gamma, among=among).z
    return good

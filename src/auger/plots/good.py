"""Which trials a figure calls good: those that explanations do."""

from __future__ import annotations

import numpy as np

from auger.history import History
from auger.insight.lens import answers
from auger.insight.replay import lasting
from auger.types import Mask
from auger.view import View


def good_trials(seen: View, history: History) -> Mask:
    """Which trials of the history are good, shape (n,); of one answer, none."""
    good = np.zeros(len(history), dtype=bool)
    if len(history.finished) > 1:
        among, labels = answers(history, lasting(seen.recipe))
        good[among] = labels.z
    return good

"""Which parameters to show where there is no room for all."""

from __future__ import annotations

import numpy as np

from auger import insight
from auger.plots.columns import known_history
from auger.view import View


def most_important(seen: View, limit: int) -> tuple[list[str], str]:
    """The names of at most ``limit`` parameters, the most important first, and a note where some are left out.

    In the order of the space where nothing can be told yet.
    """
    names = known_history(seen).space.names
    found = insight.importance(seen)
    order = np.argsort(-np.nan_to_num(found.permutation), kind="stable")[:limit]
    note = f"{limit} of {len(names):,} parameters shown, the most important." if len(names) > limit else ""
    return [found.names[place] for place in order], note

"""Small spaces, and labels for the tests of classifiers."""

import numpy as np

from auger.labels import Labels
from auger.space import Float, Space

LINE = Space({"x": Float(0.0, 1.0)})
KERNEL = Space({"kernel": ["rbf", "poly"], "degree": Float(0.0, 1.0, when={"kernel": "poly"})})


def labels_of(positive, negative):
    """Labels with these masses."""
    positive, negative = np.asarray(positive, dtype=float), np.asarray(negative, dtype=float)
    z = positive > 0
    return Labels(z, np.where(z, 0.0, 1.0), 0.5, positive, negative)


def plain(z):
    """Labels without weights."""
    return labels_of(z, ~np.asarray(z, dtype=bool))


def good_first(n, n_good, seed=0):
    """Rows in the order in which labels hand out examples."""
    x = np.random.default_rng(seed).random(n)
    return x[:, None], np.arange(n) < n_good

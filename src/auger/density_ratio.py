"""The density ratio of two samples, relative or ordinary, by classification (sections 2.2 and 3 of the paper).

l(x), g(x)     densities of the good and of the rest; there is a sample of each
pi(x)          P(z = 1 | x), the probability that x came from l when a share gamma of all points does

    r_gamma(x) = l(x) / (gamma l(x) + (1 - gamma) g(x)) = pi(x) / gamma
    r_0(x)     = l(x) / g(x) = (1 - gamma) / gamma * pi(x) / (1 - pi(x))
    r_gamma(x) = h_gamma(r_0(x)),  h_gamma(u) = 1 / (gamma + (1 - gamma) / u)

The first line has eq:density-ratio-relative and eq:relative-density-ratio-class-posterior of the paper's source; the
second is in its appendix C, the third in section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from auger.checks import is_number
from auger.classifiers.interface import Classifier, check_is_classifier
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Float, Space
from auger.types import Array

# The range of the samples is widened by this share on either side before it becomes [0, 1].
_PADDING = 0.05


def relative_density_ratio(
    good: npt.ArrayLike,
    rest: npt.ArrayLike,
    *,
    classifier: Classifier,
    gamma: float | None = None,
    rng: np.random.Generator | int | None = None,
) -> Callable[[npt.ArrayLike], Array]:
    """Estimate r_gamma = l / (gamma l + (1 - gamma) g) from a sample of each density.

    Args:
        good: draws from l, shape (n,) or (n, d), finite and in any units.
        rest: draws from g, shape (m,) or (m, d).
        classifier: its scores must be probabilities.
        gamma: in (0, 1); None for the share of the draws that are good. Another value reweights the classes.
        rng: a generator, or a seed.

    Returns:
        A function of points (k,) or (k, d) that returns the ratio there, shape (k,), between 0 and 1 / gamma. A
        point more than 5 % outside the range of the samples is moved to that edge, column by column.

    Raises:
        ClassifierError: a sample, a point, ``gamma`` or a score is invalid.

    Example:
        >>> from auger.classifiers.kde import KDE
        >>> rng = np.random.default_rng(0)
        >>> good, rest = rng.normal(2.0, 1.0, size=300), rng.normal(0.0, 1.0, size=600)
        >>> ratio = relative_density_ratio(good, rest, classifier=KDE(), rng=rng)
        >>> ratio([-1.0, 3.0]).round().tolist()
        [0.0, 3.0]
    """
    pi, share = _class_probability(good, rest, classifier, gamma, rng)
    return lambda x: pi(x) / share


def ordinary_density_ratio(
    good: npt.ArrayLike,
    rest: npt.ArrayLike,
    *,
    classifier: Classifier,
    rng: np.random.Generator | int | None = None,
) -> Callable[[npt.ArrayLike], Array]:
    """Estimate r_0 = l / g from a sample of each density. It has no bound: infinity where the classifier is certain.

    Arguments and errors are those of `relative_density_ratio`, without ``gamma``: r_0 does not depend on it.

    Example:
        >>> from auger.classifiers.kde import KDE
        >>> rng = np.random.default_rng(0)
        >>> good, rest = rng.normal(2.0, 1.0, size=300), rng.normal(0.0, 1.0, size=600)
        >>> ratio = ordinary_density_ratio(good, rest, classifier=KDE(), rng=rng)
        >>> ratio([-1.0, 1.0, 2.0]).round(1).tolist()
        [0.0, 1.1, 6.8]
    """
    pi, share = _class_probability(good, rest, classifier, None, rng)

    def ratio(x: npt.ArrayLike) -> Array:
        p = pi(x)
        with np.errstate(divide="ignore"):  # a probability of 1
            return (1 - share) / share * (p / (1 - p))

    return ratio


def relative_of_ordinary(ratio: npt.ArrayLike, gamma: float) -> Array:
    """h_gamma: the relative density ratios r_gamma of ordinary ones r_0, in the same shape.

    It rises from 0 at 0 to 1 / gamma at infinity, so both ratios have their maximum at the same point.

    Args:
        ratio: at least 0; infinity is allowed.
        gamma: in [0, 1); with 0 the ratio stays as it is.

    Example:
        >>> relative_of_ordinary([0.0, 1.0, 4.0, np.inf], 0.25).tolist()
        [0.0, 1.0, 2.2857142857142856, 4.0]
    """
    if not is_number(gamma) or not 0.0 <= gamma < 1.0:
        raise ClassifierError(f"`gamma` must be at least 0 and below 1. Got {gamma!r}.")
    u = np.asarray(ratio, dtype=np.float64)
    if not (u >= 0.0).all():
        raise ClassifierError(f"`ratio` must be at least 0. Got {u[~(u >= 0.0)][0]}.")
    with np.errstate(invalid="ignore"):  # infinity over infinity, and 0 times infinity
        h = u / (gamma * u + (1 - gamma))
    return np.where(np.isinf(u), 1 / gamma if gamma else np.inf, h)


def _class_probability(
    good: npt.ArrayLike,
    rest: npt.ArrayLike,
    classifier: Classifier,
    gamma: float | None,
    rng: np.random.Generator | int | None,
) -> tuple[Callable[[npt.ArrayLike], Array], float]:
    """The estimate of pi, as a function of points, and the share of the good that it is for."""
    l_sample, g_sample = _sample(good, "good"), _sample(rest, "rest")
    d = l_sample.shape[1]
    if g_sample.shape[1] != d:
        raise ClassifierError(f"`rest` must have as many columns as `good`, {d}. Got {g_sample.shape[1]}.")
    prior = len(l_sample) / (len(l_sample) + len(g_sample)) if gamma is None else _check_gamma(gamma)
    points = np.concatenate([l_sample, g_sample])
    space = Space({f"x{j}": Float(0.0, 1.0) for j in range(d)})
    encode = _positions(points, space)
    labels = _labels(len(l_sample), len(g_sample), prior)
    check_is_classifier(classifier, "`classifier`", ClassifierError)
    score = classifier.fit(encode(points), labels, space=space, rng=np.random.default_rng(rng))

    def probability(x: npt.ArrayLike) -> Array:
        pi = score(encode(_points(x, "x", d)))
        is_wrong = ~((pi >= 0.0) & (pi <= 1.0))
        if is_wrong.any():
            raise ClassifierError(
                f"The scores of `classifier` must be probabilities. Got {pi[is_wrong][0]} from {classifier!r}. "
                f"Calibrated(...) turns scores into probabilities."
            )
        return pi

    return probability, prior


def _positions(points: Array, space: Space) -> Callable[[Array], Array]:
    """A map from points (n, d) to rows of the space: the range of ``points``, padded, becomes [0, 1]."""
    low, high = points.min(axis=0), points.max(axis=0)
    center, half = low / 2 + high / 2, high / 2 - low / 2  # halves first: 1e308 - (-1e308) overflows
    half = np.where(half > 0, half, 1.0)  # a column of one value

    def encode(points: Array) -> Array:
        with np.errstate(over="ignore"):  # farther out than a double can tell is outside, too
            position = 0.5 + (points - center) / half / (2 + 4 * _PADDING)
        return space.snap(position)

    return encode


def _labels(n_good: int, n_rest: int, gamma: float) -> Labels:
    """The good first, with masses that make gamma the share of the good and 1 the mean."""
    n = n_good + n_rest
    z = np.arange(n) < n_good
    positive, negative = gamma * n / n_good, (1 - gamma) * n / n_rest
    if (
        abs(positive - 1) < 1e-12
    ):  # the sizes match gamma: no weights, rather than weights that differ from 1 by rounding
        positive = negative = 1.0
    y = np.where(z, 0.0, 1.0)  # these labels do not come from values; these two values lead to them
    return Labels(z, y, 0.5, np.where(z, positive, 0.0), np.where(z, 0.0, negative))


def _sample(values: npt.ArrayLike, name: str) -> Array:
    points = _points(values, name, None)
    if not points.size:
        raise ClassifierError(f"`{name}` must hold at least one point with at least one column. Got {values!r}.")
    return points


def _points(values: npt.ArrayLike, name: str, d: int | None) -> Array:
    """Points as (n, d); one column may come flat."""
    try:
        points = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ClassifierError(f"`{name}` must be an array of real numbers. Got {values!r}.") from error
    if points.ndim == 1 and d in (None, 1):
        points = points[:, None]
    if points.ndim != 2 or d not in (None, points.shape[1]):
        wanted = {None: "(n,) or (n, d)", 1: "(n,) or (n, 1)"}.get(d, f"(n, {d})")
        raise ClassifierError(f"`{name}` must have shape {wanted}. Got {points.shape}.")
    if not np.isfinite(points).all():
        raise ClassifierError(f"`{name}` must be finite. Got {points[~np.isfinite(points)][0]}.")
    return points


def _check_gamma(gamma: Any) -> float:
    if not is_number(gamma) or not 0.0 < gamma < 1.0:
        raise ClassifierError(f"`gamma` must be strictly between 0 and 1, or None. Got {gamma!r}.")
    return float(gamma)

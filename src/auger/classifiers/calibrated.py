"""Scores as probabilities: Platt scaling and isotonic regression over out-of-fold scores.

f (n,)     score of each row by a fit without that row
t (n,)     what the map from f should return there

Both maps are increasing, so calibration never reverses the order of two rows. It can make them tie: isotonic
regression is a staircase, and rows on the same step have the same score, as in the paper's experiment. Where the scores
of a classifier tell nothing about rows that it has not seen, the map is flat. Then the probability of all rows is the
same, and the score keeps the order of the classifier itself: a proposal needs an order, not a probability. The paper
found neither map to help at its budgets (appendix G.2): isotonic regression needs about a thousand rows.

scikit-learn's `CalibratedClassifierCV`, which is in common use, does something else: the fit of each fold gets a map of
its own, and the probability is the mean over the folds. No fit has seen all rows, and a mean of maps of several scores
keeps the order of none of them. ``averages_folds`` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.checks import check_settings
from auger.classifiers.ensemble import mean_of
from auger.classifiers.interface import Classifier, Score, check_is_classifier
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array, Index

# A curve that rises by less than this is flat. The order of the scores before calibration adds at most as much to it.
_RISE = 1e-6
_FLAT = "scores of unseen rows do not tell good from rest, so the order is that of the scores before calibration"


@dataclass(frozen=True)
class Calibrated(Classifier):
    """Another classifier, fitted to everything, with its score mapped to a probability.

    The map is learned from scores of rows left out: ``n_folds`` more fits, each without one fold of the rows. With
    fewer than ``n_folds`` rows in a class the score stays as it is, and its note says so. Where the map is flat, the
    probability is the same everywhere, and the score keeps the order that the classifier gives to rows. A classifier
    that is warm starts cold here.

    Args:
        classifier: any classifier; higher scores must be better, and need no other property.
        method: "platt" for a logistic curve, "isotonic" for a staircase: rows on the same step tie.
        n_folds: at least 2. Each fold has the same share of good rows.
        averages_folds: whether the score is the mean over the fits without one fold each, every one with a map of its
            own, as in scikit-learn's `CalibratedClassifierCV`. There is no fit to everything then.
    """

    classifier: Classifier
    method: str = "platt"
    n_folds: int = 5
    averages_folds: bool = False

    def __post_init__(self) -> None:
        check_is_classifier(self.classifier, "`classifier` of Calibrated", ClassifierError)
        if self.method not in _METHODS:
            raise ClassifierError(f"`method` of Calibrated must be 'platt' or 'isotonic'. Got {self.method!r}.")
        check_settings(self, ClassifierError, n_folds=2)
        if not isinstance(self.averages_folds, bool):
            raise ClassifierError(f"`averages_folds` of Calibrated must be True or False. Got {self.averages_folds!r}.")

    @property
    def libraries(self) -> tuple[str, ...]:
        own = ("scipy.optimize", "scipy.special") if self.method == "platt" else ("sklearn.isotonic",)
        return *self.classifier.libraries, *own

    def check(self, *, is_weighted: bool) -> None:
        self.classifier.check(is_weighted=is_weighted)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        reason = too_few(labels, self.n_folds)
        if self.averages_folds and not reason:
            fits = self._fits_without_a_fold(X, labels, space, rng)
            return mean_of([self._of_fold(score, f, labels.take(rows)) for score, f, rows in fits])
        # first, so that its draws, and with them its score, are those of the classifier by itself
        base = self.classifier.fit(X, labels, space=space, rng=rng)
        if reason:
            return CalibratedScore(base, _as_is, _join(base.note, f"not calibrated: {reason}"))
        f = np.empty(len(X))
        for _, scores, rows in self._fits_without_a_fold(X, labels, space, rng):
            f[rows] = scores
        curve = _METHODS[self.method](f, labels)
        is_flat = np.ptp(curve(f)) < _RISE
        if is_flat:
            return CalibratedScore(base, curve, _join(base.note, _FLAT), _order(f))
        return CalibratedScore(base, curve, base.note)

    def _fits_without_a_fold(
        self, X: Array, labels: Labels, space: Space, rng: np.random.Generator
    ) -> Iterator[tuple[Score, Array, Index]]:
        """For each fold: the score of a fit without it, its scores of the rows left out, and these rows."""
        fold = _folds(labels, self.n_folds, rng)
        for number in range(self.n_folds):
            kept, left_out = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            score = self.classifier.fit(X[kept], labels.take(kept), space=space, rng=rng)
            f = score(X[left_out])
            if not np.isfinite(f).all():
                raise ClassifierError(
                    f"Calibrated needs finite scores. Got {f[~np.isfinite(f)][0]} from {self.classifier!r}."
                )
            yield score, f, left_out

    def _of_fold(self, score: Score, f: Array, labels: Labels) -> CalibratedScore:
        """A score with the map of its own fold; a logistic curve may fall there, as in scikit-learn."""
        curve = _platt(f, labels, is_increasing=False) if self.method == "platt" else _isotonic(f, labels)
        return CalibratedScore(score, curve, score.note)


@dataclass(frozen=True)
class Order:
    """An increasing map of scores to (0, 1) that is nowhere flat, steepest around the middle."""

    middle: float
    scale: float

    def __call__(self, score: Array) -> Array:
        x = (score - self.middle) / self.scale
        return np.asarray(0.5 + 0.5 * x / (1.0 + np.abs(x)))


def _order(f: Array) -> Order:
    # at least a thousandth of the scores: those of left-out rows may all be the same where those of others are not
    return Order(float(f.mean()), max(float(f.std()), 1e-3 * float(np.abs(f).max())) or 1.0)


@dataclass(frozen=True)
class CalibratedScore(Score):
    """Another score, mapped by a curve; if the curve is flat, ``order`` tells rows apart."""

    base: Score
    curve: Callable[[Array], Array]
    note: str = ""
    order: Order | None = None

    def __call__(self, X: Array) -> Array:
        f = self.base(X)
        return self.curve(f) if self.order is None else (1.0 - _RISE) * self.curve(f) + _RISE * self.order(f)

    def probability(self, X: Array) -> Array:
        """What the curve makes of the score, shape (m,): the same for all rows where it is flat."""
        return self.base.probability(X) if self.curve is _as_is else self.curve(self.base(X))


def too_few(labels: Labels, n_folds: int) -> str:
    """Why there are too few rows for so many folds; empty if there are enough."""
    n_good = int(np.count_nonzero(labels.z))
    n_least = min(n_good, len(labels.z) - n_good)
    if n_least >= n_folds:
        return ""
    return f"{n_good} good and {len(labels.z) - n_good} other rows, where {n_folds} folds need {n_folds} of each"


def _folds(labels: Labels, n_folds: int, rng: np.random.Generator) -> Index:
    """The number of each row's fold, shape (n,). Every fold gets rows of both classes."""
    fold = np.empty(len(labels.z), dtype=np.intp)
    for members in (np.flatnonzero(labels.z), np.flatnonzero(~labels.z)):
        fold[rng.permutation(members)] = np.arange(len(members)) % n_folds
    return fold


def _platt(f: Array, labels: Labels, *, is_increasing: bool = True) -> Callable[[Array], Array]:
    """The logistic curve of least log loss, 1 / (1 + exp(-(a f + b))), if wanted with a >= 0 (Platt, 1999).

    Its targets stay off 0 and 1, as if each class had one more example: (n1 + 1) / (n1 + 2) for good and
    1 / (n0 + 2) for the rest, with n1 and n0 the masses of the classes. So a and b are finite.
    """
    from scipy.optimize import minimize  # 0.4 s to import
    from scipy.special import expit

    n1, n0 = float(labels.positive.sum()), float(labels.negative.sum())
    weight = (labels.positive + labels.negative) / (n1 + n0)
    t = (labels.positive * (n1 + 1) / (n1 + 2) + labels.negative / (n0 + 2)) / (n1 + n0)  # times weight
    middle, scale = float(f.mean()), float(f.std()) or 1.0

    def loss(slope_and_offset: Array) -> tuple[float, Array]:
        a, b = slope_and_offset
        logit = a * (f - middle) / scale + b
        residual = weight * expit(logit) - t
        slope = float(residual @ (f - middle)) / scale
        return float(weight @ np.logaddexp(0.0, logit) - t @ logit), np.array([slope, residual.sum()])

    start = np.array([0.0, np.log((n1 + 1) / (n0 + 1))])
    bounds = [(0.0 if is_increasing else None, None), (None, None)]
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-12)
    a, b = (float(number) for number in optimum.x)
    return Logistic(a / scale, b - a * middle / scale)


@dataclass(frozen=True)
class Logistic:
    """The curve 1 / (1 + exp(-(slope * score + offset)))."""

    slope: float
    offset: float

    def __call__(self, score: Array) -> Array:
        from scipy.special import expit

        return np.asarray(expit(self.slope * score + self.offset))


def _isotonic(f: Array, labels: Labels) -> Callable[[Array], Array]:
    """The increasing staircase of least squared error; flat beyond the scores it learned from."""
    from sklearn.isotonic import IsotonicRegression  # 1 s to import

    weight = labels.positive + labels.negative
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    return _Staircase(model.fit(f, labels.positive / weight, sample_weight=weight))


@dataclass(frozen=True)
class _Staircase:
    model: Any

    def __call__(self, score: Array) -> Array:
        return np.asarray(self.model.predict(score), dtype=np.float64)


_METHODS: dict[str, Callable[[Array, Labels], Callable[[Array], Array]]] = {"platt": _platt, "isotonic": _isotonic}


def _as_is(score: Array) -> Array:
    return score


def _join(*notes: str) -> str:
    return "; ".join(note for note in notes if note)

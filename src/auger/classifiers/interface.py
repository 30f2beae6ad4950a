"""What a classifier is: a model that learns to tell good from the rest, and then scores rows.

``fit`` gets encoded rows X (n, d) as `auger.space` describes them (positions, codes, NaN where inactive) and the
Labels, and returns a Score: a frozen object that rates rows in one call. The classifier itself holds settings
only, so one instance serves any number of fits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from auger.errors import AugerError
from auger.labels import Labels
from auger.space import Space, Views
from auger.types import Array


class Score(ABC):
    """A fitted classifier: rates how likely rows are good.

    Attributes:
        note: what the user should know about this fit, for the trial's provenance; usually empty.
        views: what the columns of `relaxed` stand for; only scores that have it need them.
        effort: the share of the usual candidates that a local search rates; below 1 where a rating costs more.
    """

    note: str = ""
    effort: float = 1.0
    views: Views

    @abstractmethod
    def __call__(self, X: Array) -> Array:
        """Scores of snapped rows (m, d), shape (m,); higher is better.

        A probabilistic classifier returns pi(x) = P(z = 1 | x), which estimates gamma * r_gamma(x)
        (eq. 10 of the paper).
        """

    def probability(self, X: Array) -> Array:
        """An estimate of P(good | x) at snapped rows (m, d), shape (m,), in [0, 1].

        By default the score itself. A fit whose score is something else (expected improvement, a decision value) must
        override this with the best estimate it has; it need not be calibrated.
        """
        return self(X)

    def ascent(self, X: Array) -> tuple[Array, Array]:
        """An increasing function of the score, shape (m,), and its gradient, shape (m, d).

        Any increasing function has the same maximizer; the logit keeps a slope where a probability is flat.
        Rows may lie between the values of ordered parameters; columns of choices and inactive columns have
        gradient 0.
        """
        raise NotImplementedError("a classifier that declares has_gradient = True must implement ascent")

    def relaxed(self, V: Array) -> tuple[Array, Array]:
        """As `ascent`, at rows of the one-hot view: heights (m,), and the gradient (m, p).

        The columns of V (m, p) are those of `views`, and may lie anywhere between 0 and 1, those of choices included.
        """
        raise NotImplementedError("a classifier that declares has_relaxation = True must implement relaxed")

    def mean_shift(self, V: Array) -> Array:
        """For rows of the one-hot view (m, p): the means of the kernels there, (m, p), at which the score is no lower.

        The score is a mixture of kernels of one width; repeated, the steps end at its modes.
        """
        raise NotImplementedError("a classifier that declares has_mean_shift = True must implement mean_shift")


class Classifier(ABC):
    """Settings of a model that can be fitted to labels.

    Attributes:
        has_gradient: whether the `ascent` of its scores works.
        has_relaxation: whether the `relaxed` of its scores works.
        has_mean_shift: whether the `mean_shift` of its scores works; these have a gradient, too.
        is_warm: whether the score depends on ``previous``. Such a classifier is fitted once for every answer, each fit
            starting from the one before.
        is_incremental: whether `fit` takes over from ``previous`` what it would compute again. The score is the same
            without it, and takes longer.
        is_random: whether chance is part of the model, so that fits to the same rows differ. For other models,
            `Ensemble` draws rows at random.
    """

    has_gradient: bool = False
    has_relaxation: bool = False
    has_mean_shift: bool = False
    is_warm: bool = False
    is_incremental: bool = False
    is_random: bool = False

    @property
    def libraries(self) -> tuple[str, ...]:
        """The modules that fits and scores import when they are first needed, because they are slow to import.

        `Recipe.load` imports them beforehand, so that no trial waits for it.
        """
        return ()

    def check(self, *, is_weighted: bool) -> None:  # noqa: B027  (most have nothing to check)
        """Raise a ClassifierError if it cannot be fitted here: a library is missing, weights are not supported.

        Called when a recipe is put together, so that nothing is evaluated in vain.
        """

    def ensemble(self, n_fits: int) -> Classifier | None:
        """This classifier with ``n_fits`` fits in place of one; None without such a setting: `Ensemble` wraps it."""
        return None

    def skill(self, X: Array, labels: Labels, *, space: Space) -> float:
        """How well it predicts answers that it has not learned from, at most 1; 0 where it cannot tell, as by default.

        Args:
            X: encoded rows; NaN where a parameter is inactive.
            labels: classes, and the values behind them.
            space: as for `fit`.
        """
        return 0.0

    @abstractmethod
    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        """Learn from rows (n, d) and their labels (both classes present).

        Args:
            X: encoded rows; NaN where a parameter is inactive.
            labels: classes, masses and the values behind them. Fit ``labels.rows()`` to honour weights.
            space: tells which columns are choices; ``space.views(X).one_hot`` is the view for numeric models.
            rng: the only source of randomness; hand its draws to whatever library is called.
            previous: the score of the previous fit, for a classifier that is warm or incremental.
        """


def check_is_classifier(value: object, name: str, error: type[AugerError]) -> None:
    """Refuse what is not a Classifier, with an ``error`` about ``name``."""
    if not isinstance(value, Classifier):
        raise error(
            f"{name} must be an auger Classifier, such as Forest(). Got {value!r}. "
            "Wrap a scikit-learn estimator in SklearnClassifier."
        )


def seed_from(rng: np.random.Generator) -> int:
    """A seed for libraries that want an integer."""
    return int(rng.integers(2**31 - 1))

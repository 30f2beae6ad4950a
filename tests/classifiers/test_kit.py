"""The kit over all of our classifiers, and a few that must not pass it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from auger.classifiers import (
    KDE,
    KLIEP,
    MLP,
    SVM,
    Boosting,
    Calibrated,
    Classifier,
    Ensemble,
    ExtraTrees,
    Forest,
    GaussianProcess,
    KernelMeanMatching,
    LeastSquaresRatio,
    OnlineBoosting,
    OnlineForest,
    Score,
    SklearnClassifier,
)
from auger.testing import check_classifier, classifier_checks

OURS = {
    "forest": Forest(n_trees=30),
    "extra-trees": ExtraTrees(),
    "online-forest": OnlineForest(Forest(n_trees=30)),
    "boosting": Boosting(),
    "online-boosting": OnlineBoosting(),
    "mlp": MLP(),
    "mlp-stopped": MLP(emphasis=4.0, patience=5),
    "mlp-ensemble": MLP(n_networks=3, activation="tanh"),
    "svm": SVM(),
    "kde": KDE(),
    "rulsif": LeastSquaresRatio(),
    "ulsif": LeastSquaresRatio(is_relative=False),
    "kliep": KLIEP(),
    "kmm": KernelMeanMatching(),
    "sklearn-tree": SklearnClassifier(DecisionTreeClassifier(min_samples_leaf=3)),
    "calibrated-platt": Calibrated(Forest(n_trees=30)),
    "calibrated-isotonic": Calibrated(Forest(n_trees=30), method="isotonic"),
    "ensemble-forest": Ensemble(Forest(n_trees=10), 3),
    "ensemble-boosting": Ensemble(Boosting(n_rounds=30), 3),
    "ensemble-kde": Ensemble(KDE(), 3),
    "ensemble-calibrated": Calibrated(Ensemble(Forest(n_trees=10), 3)),
}

# a straight line cannot follow two groups with a gap between them, which is no fault of the wrapper
LINEAR = SklearnClassifier(make_pipeline(StandardScaler(), LogisticRegression()))


@pytest.mark.parametrize("check", classifier_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", OURS)
def test_ours_pass_the_kit(name, check):
    check(OURS[name])


@pytest.mark.parametrize("check", classifier_checks(), ids=lambda check: check.__name__)
def test_a_wrapped_pipeline_passes_the_kit(check):
    check(LINEAR)


# A Gaussian process learns values, in which weights are contained already. And where all fresh rows are known to be
# worse than the incumbent, expected improvement asks how unlikely each is, not which come close.
UNFIT = {"tau": {"follows_the_weights"}, "best": {"follows_the_weights", "tells_good_from_the_rest"}}


@pytest.mark.parametrize("check", classifier_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("at", UNFIT)
def test_a_gaussian_process_passes_the_kit_as_far_as_it_is_about_values(at, check):
    if check.__name__ not in UNFIT[at]:
        check(GaussianProcess(at=at))


class Altered(Classifier):
    """A forest with something wrong with it."""

    def __init__(self, change):
        self.change = change

    def fit(self, X, labels, *, space, rng, previous=None):
        inner, change = Forest(n_trees=30).fit(X, labels, space=space, rng=rng), self.change

        class Wrong(Score):
            def __call__(self, X):
                return change(inner, X)

        return Wrong()


class Hasty(Classifier):
    """Says that it takes over what it would compute again, and takes over everything."""

    is_incremental = True

    def fit(self, X, labels, *, space, rng, previous=None):
        return previous or Forest(n_trees=30).fit(X, labels, space=space, rng=rng)


def test_the_kit_catches_a_classifier_that_takes_over_too_much():
    with pytest.raises(AssertionError, match="the same without its previous fit"):
        check_classifier(Hasty())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda score, X: -score(X), "must outscore"),  # column 0 instead of column 1
        (lambda score, X: score(X)[:, None], "shape"),
        (lambda score, X: np.where(np.isnan(X).any(axis=1), np.nan, score(X)), "finite"),
        (lambda score, X: score(X) + np.random.random(len(X)), "Not equal"),  # noqa: NPY002
        (lambda score, X: 10 * score(X) - 5, "between 0 and 1"),
    ],
)
def test_the_kit_catches_a_classifier_that_is_wrong(change, message):
    with pytest.raises((AssertionError, ValueError), match=message):
        check_classifier(Altered(change))

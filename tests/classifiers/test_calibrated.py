from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.isotonic import isotonic_regression
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from auger import Optimizer
from auger.classifiers.calibrated import Calibrated, _folds
from auger.classifiers.forest import Forest
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.sklearn import SklearnClassifier
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Float, Space
from auger_bench.problems import problem

LINE = Space({"x": Float(0.0, 1.0)})


@dataclass(frozen=True)
class Given(Classifier):
    """Scores a row by a fixed function of x, and remembers every fit and every row it scored."""

    function: object = staticmethod(lambda x: x)
    fits: list = field(default_factory=list)
    scored: list = field(default_factory=list)
    note: str = ""

    def fit(self, X, labels, *, space, rng, previous=None):
        self.fits.append((X[:, 0].copy(), labels))
        scored: list = []
        self.scored.append(scored)
        return GivenScore(self.function, scored, self.note)


@dataclass(frozen=True)
class GivenScore(Score):
    function: object
    scored: list
    note: str = ""

    def __call__(self, X):
        self.scored.extend(X[:, 0].tolist())
        return np.asarray(self.function(X[:, 0]), dtype=float)


def plain(z):
    return Labels(z, np.where(z, 0.0, 1.0), 0.5, z.astype(float), (~z).astype(float))


def weighted(z, rng):
    """As with weights="improvement": every row is an example of the rest, good ones also of good."""
    positive = np.where(z, rng.uniform(0.1, 3.0, len(z)), 0.0)
    return Labels(z, np.where(z, 0.0, 1.0), 0.5, positive, np.full(len(z), positive.sum() / len(z)))


def data(n=100, seed=0):
    """P(good | x) = 1 - x, so that -x orders rows as well as can be."""
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    return x[:, None], rng.random(n) > x


def fit(classifier, X, labels, space=LINE, seed=0, **settings):
    return Calibrated(classifier, **settings).fit(X, labels, space=space, rng=np.random.default_rng(seed))


def rank(scores):
    """Equal numbers for equal scores, larger ones for larger scores."""
    return np.unique(scores, return_inverse=True)[1]


def downhill(x):
    return 3.0 - 10.0 * x


@pytest.mark.parametrize("is_weighted", [False, True])
def test_platt_scaling_agrees_with_logistic_regression_on_smoothed_targets(is_weighted):
    X, z = data()
    labels = weighted(z, np.random.default_rng(1)) if is_weighted else plain(z)
    n1, n0 = labels.positive.sum(), labels.negative.sum()
    high, low = (n1 + 1) / (n1 + 2), 1 / (n0 + 2)
    good = labels.positive * high + labels.negative * low
    rest = labels.positive * (1 - high) + labels.negative * (1 - low)
    reference = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000)
    f = downhill(X)
    reference.fit(np.concatenate([f, f]), np.arange(200) < 100, sample_weight=np.concatenate([good, rest]))
    score = fit(Given(downhill), X, labels)
    np.testing.assert_allclose(score(X), reference.predict_proba(f)[:, 1], atol=1e-5)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_isotonic_agrees_with_pooling_examples_in_order_of_score(is_weighted):
    X, z = data()
    labels = weighted(z, np.random.default_rng(1)) if is_weighted else plain(z)
    order = np.argsort(downhill(X[:, 0]))
    mass = (labels.positive + labels.negative)[order]
    expected = isotonic_regression(labels.positive[order] / mass, sample_weight=mass)
    score = fit(Given(downhill), X, labels, method="isotonic")
    np.testing.assert_allclose(score.probability(X[order]), expected, atol=1e-9)


def test_platt_scaling_finds_the_slope_of_a_logistic_law():
    rng = np.random.default_rng(0)
    x = rng.random(5000)
    law = 1 / (1 + np.exp(-(2 - 6 * x)))
    score = fit(Given(downhill), x[:, None], plain(rng.random(5000) < law))
    np.testing.assert_allclose(score(x[:, None]), law, atol=0.03)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_calibration_keeps_the_order_of_the_classifier_by_itself(method):
    X, z = data()
    alone = Forest(n_trees=20).fit(X, plain(z), space=LINE, rng=np.random.default_rng(7))(X)
    together = fit(Forest(n_trees=20), X, plain(z), seed=7, method=method)(X)
    if method == "platt":
        np.testing.assert_array_equal(rank(together), rank(alone))
    assert (np.diff(together[np.argsort(alone, kind="stable")]) >= 0).all()
    assert ((together >= 0) & (together <= 1)).all()


def test_calibration_brings_an_overconfident_forest_nearer_to_the_truth():
    X, z = data(400)
    at = np.linspace(0, 1, 101)[:, None]
    truth = 1 - at[:, 0]
    alone = Forest(n_trees=50).fit(X, plain(z), space=LINE, rng=np.random.default_rng(0))(at)
    for method in ("platt", "isotonic"):
        together = fit(Forest(n_trees=50), X, plain(z), method=method)(at)
        assert np.square(together - truth).mean() < np.square(alone - truth).mean()


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_the_mean_over_folds_is_that_of_scikit_learn(method):
    """`CalibratedClassifierCV` with the same trees and the same folds."""
    X, z = data(90)
    labels = plain(z)
    fold = _folds(labels, 3, np.random.default_rng(5))
    splits = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(3)]
    names = {"platt": "sigmoid", "isotonic": "isotonic"}
    reference = CalibratedClassifierCV(DecisionTreeClassifier(max_depth=3), method=names[method], cv=splits)
    reference.fit(X, z)
    settings = {"method": method, "n_folds": 3, "averages_folds": True}
    score = fit(SklearnClassifier(DecisionTreeClassifier(max_depth=3)), X, labels, seed=5, **settings)
    at = np.linspace(0, 1, 50)[:, None]
    np.testing.assert_allclose(score(at), reference.predict_proba(at)[:, 1], atol=1e-4)


def test_the_mean_over_folds_may_reverse_the_order_of_rows():
    X, z = data(40)
    alone = Forest(n_trees=20).fit(X, plain(z), space=LINE, rng=np.random.default_rng(7))(X)
    together = fit(Forest(n_trees=20), X, plain(z), seed=7, n_folds=2, averages_folds=True)(X)
    assert (np.diff(together[np.argsort(alone, kind="stable")]) < 0).any()


def test_a_row_is_scored_only_by_the_fit_that_has_not_seen_it():
    X, z = data(53)
    base = Given(downhill)
    fit(base, X, weighted(z, np.random.default_rng(1)), n_folds=4)
    (everything, _), *folds = base.fits
    assert everything.tolist() == X[:, 0].tolist()
    assert len(folds) == 4
    assert sorted(x for scored in base.scored[1:] for x in scored) == sorted(X[:, 0])
    for (seen, _), scored in zip(folds, base.scored[1:], strict=True):
        assert set(seen) | set(scored) == set(X[:, 0])
        assert not set(seen) & set(scored)


def test_every_fold_keeps_both_classes_and_the_masses_of_its_rows():
    X, z = data(53)
    labels = replace(weighted(z, np.random.default_rng(1)), kind=np.arange(53))
    base = Given(downhill)
    fit(base, X, labels, n_folds=4)
    row = {x: i for i, x in enumerate(X[:, 0])}
    for (seen, part), scored in zip(base.fits[1:], base.scored[1:], strict=True):
        index = [row[x] for x in seen]
        assert part.z.any() and not part.z.all()
        assert z[[row[x] for x in scored]].any() and not z[[row[x] for x in scored]].all()
        np.testing.assert_array_equal(part.z, z[index])
        np.testing.assert_array_equal(part.positive, labels.positive[index])
        np.testing.assert_array_equal(part.negative, labels.negative[index])
        np.testing.assert_array_equal(part.y, labels.y[index])
        np.testing.assert_array_equal(part.kind, labels.kind[index])


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_too_few_rows_of_a_class_leave_the_score_as_it_is_and_say_so(method):
    X = np.linspace(0, 1, 20)[:, None]
    score = fit(Given(downhill), X, plain(np.arange(20) < 4), method=method)
    np.testing.assert_array_equal(score(X), downhill(X[:, 0]))
    assert score.note == "not calibrated: 4 good and 16 other rows, where 5 folds need 5 of each"


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_as_many_rows_as_folds_are_enough(method):
    X = np.linspace(0, 1, 20)[:, None]
    score = fit(Given(downhill), X, plain(np.arange(20) < 5), method=method)
    assert score.note == ""
    assert ((score(X) >= 0) & (score(X) <= 1)).all()


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_classifier_that_is_wrong_everywhere_has_one_probability_and_its_own_order(method):
    X = np.linspace(0, 1, 20)[:, None]
    score = fit(Given(lambda x: x), X, plain(np.arange(20) < 10), method=method)
    np.testing.assert_allclose(score.probability(X), 0.5)
    assert np.ptp(score.probability(X)) == 0
    np.testing.assert_allclose(score(X), 0.5, atol=1e-6)
    assert (np.diff(score(X)) > 0).all()
    assert score.note == (
        "scores of unseen rows do not tell good from rest, so the order is that of the scores before calibration"
    )


def test_rows_on_a_step_of_the_staircase_tie():
    X, z = data()
    score = fit(Given(downhill), X, plain(z), method="isotonic")
    beyond = np.linspace(-10, 0, 50)[:, None]  # all score higher than any row that the staircase knows
    assert np.ptp(score(beyond)) == 0
    assert score.note == ""


@pytest.mark.parametrize(
    ("recipe", "seed", "n_trials"),
    [("bore-svm", 1, 60), ("bore-xgb calibration=platt", 4, 24)],  # in 11 of 50 and 9 of 14 suggestions, all tied
)
def test_no_suggestion_of_a_calibrated_model_is_left_to_chance(recipe, seed, n_trials):
    task = problem("branin")
    optimizer = Optimizer(task.space, recipe, seed=seed)
    for _ in range(n_trials):
        trial = optimizer.ask()
        optimizer.tell(trial, task(trial.config))
    notes = [note for trial in optimizer.trials for note in trial.provenance.notes]
    assert [note for note in notes if "random" in note] == []
    assert any("do not tell good from rest" in note for note in notes)  # the run still has flat curves


def test_scores_beyond_those_seen_stay_probabilities():
    X, z = data()
    far = np.array([[-1e9], [1e9]])
    for method in ("platt", "isotonic"):
        values = fit(Given(downhill), X, plain(z), method=method)(far)
        assert values[0] >= 0.5 >= values[1]
        assert ((values >= 0) & (values <= 1)).all()


def test_the_note_of_the_classifier_inside_is_passed_on():
    X, z = data()
    assert fit(Given(downhill, note="all is well"), X, plain(z)).note == "all is well"


def test_scores_that_are_not_finite_are_refused():
    X, z = data()
    with pytest.raises(ClassifierError, match="Calibrated needs finite scores. Got nan"):
        fit(Given(lambda x: x * np.nan), X, plain(z))


def test_the_same_generator_gives_the_same_score():
    X, z = data()
    a, b = (fit(Forest(n_trees=5), X, plain(z), seed=3, method="isotonic")(X) for _ in range(2))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "beta"}, "`method` of Calibrated must be 'platt' or 'isotonic'. Got 'beta'"),
        ({"n_folds": 1}, "`n_folds` of a Calibrated must be a whole number of at least 2. Got 1"),
        ({"n_folds": 2.5}, "`n_folds` of a Calibrated must be a whole number of at least 2. Got 2.5"),
        ({"n_folds": True}, "`n_folds` of a Calibrated must be a whole number of at least 2. Got True"),
        ({"averages_folds": 1}, "`averages_folds` of Calibrated must be True or False. Got 1"),
        ({"classifier": LogisticRegression()}, "Wrap a scikit-learn estimator in SklearnClassifier"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ClassifierError, match=message):
        Calibrated(**{"classifier": Forest(), **settings})


@pytest.mark.parametrize("n_good", [4, 8])
def test_without_a_curve_the_probability_is_that_of_the_classifier_itself(n_good):
    class Unbounded(GivenScore):
        def probability(self, X):
            return np.full(len(X), 0.25)

    class Boundless(Given):
        def fit(self, X, labels, *, space, rng, previous=None):
            return Unbounded(lambda x: 10 * x, [])

    X = np.linspace(0, 1, 20)[:, np.newaxis]
    score = Calibrated(Boundless()).fit(X, plain(np.arange(20) < n_good), space=LINE, rng=np.random.default_rng(0))
    expected = np.full(20, 0.25) if n_good == 4 else score.curve(10 * X[:, 0])
    np.testing.assert_array_equal(score.probability(X), expected)

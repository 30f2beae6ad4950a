import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from auger.classifiers.sklearn import SklearnClassifier
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Float, Space

SPACE = Space({"x": Float(0.0, 1.0), "c": ["p", "q", "r"], "d": Float(0.0, 1.0, when={"c": "p"})})
X = SPACE.sample(60, np.random.default_rng(0))
Z = X[:, 0] < 0.4
MASS = np.where(Z, 2.0, 0.5)


def labels_of(z, mass=1.0):
    return Labels(z, np.where(z, 0.0, 1.0), 0.5, np.where(z, mass, 0.0), np.where(z, 0.0, mass))


def fit(estimator, labels=None, seed=0):
    labels = labels_of(Z) if labels is None else labels
    return SklearnClassifier(estimator).fit(X, labels, space=SPACE, rng=np.random.default_rng(seed))


class Backwards(ClassifierMixin, BaseEstimator):
    """Lists the good class first."""

    def fit(self, X, y):
        self.classes_ = np.array([True, False])
        return self

    def predict_proba(self, X):
        return np.tile([0.9, 0.1], (len(X), 1))


def test_the_score_is_the_probability_of_good_from_the_one_hot_view():
    direct = LogisticRegression().fit(SPACE.one_hot(X), Z)
    # examples come in another order, good first: the solver stops elsewhere in the fourth digit
    np.testing.assert_allclose(fit(LogisticRegression())(X), direct.predict_proba(SPACE.one_hot(X))[:, 1], atol=1e-3)


def test_the_column_is_that_of_the_good_class_wherever_it_stands():
    np.testing.assert_array_equal(fit(Backwards())(X[:2]), [0.9, 0.9])


def test_without_probabilities_the_decision_function_is_the_score():
    direct = RidgeClassifier().fit(SPACE.one_hot(X), Z)
    np.testing.assert_allclose(fit(RidgeClassifier())(X), direct.decision_function(SPACE.one_hot(X)), atol=1e-8)


def test_the_estimator_that_was_given_stays_unfitted():
    estimator = make_pipeline(StandardScaler(), RandomForestClassifier(random_state=3))
    fit(estimator)
    assert not hasattr(estimator[-1], "classes_")
    assert estimator[-1].random_state == 3


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(n_estimators=5),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1)),
        BaggingClassifier(DecisionTreeClassifier(max_features=1), n_estimators=3),
    ],
    ids=["plain", "pipeline", "nested"],
)
def test_the_generator_decides_every_random_state(estimator):
    grid = SPACE.sample(200, np.random.default_rng(1))
    np.testing.assert_array_equal(fit(estimator, seed=5)(grid), fit(estimator, seed=5)(grid))
    assert (fit(estimator, seed=5)(grid) != fit(estimator, seed=6)(grid)).any()


def test_nested_random_states_are_seeded_each_by_itself():
    model = fit(BaggingClassifier(DecisionTreeClassifier())).model
    seeds = [model.random_state, model.estimator.random_state]
    assert all(isinstance(seed, int) for seed in seeds)
    assert seeds[0] != seeds[1]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tree: tree,
        lambda tree: make_pipeline(StandardScaler(), tree),
        lambda tree: make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), tree)),
    ],
    ids=["plain", "pipeline", "pipeline in pipeline"],
)
def test_weights_reach_the_last_step(wrap):
    # a stump whose leaves show the share of mass
    estimator = wrap(DecisionTreeClassifier(max_depth=1, max_features=None))
    blind = Space({"x": Float(0.0, 1.0)})
    same = np.full((4, 1), 0.5)
    labels = labels_of(np.array([True, False, False, False]), np.array([6.0, 1.0, 1.0, 1.0]))
    score = SklearnClassifier(estimator).fit(same, labels, space=blind, rng=np.random.default_rng(0))
    np.testing.assert_allclose(score(same[:1]), [6 / 9])


def test_weighted_labels_equal_a_direct_fit_with_sample_weights():
    direct = LogisticRegression().fit(SPACE.one_hot(X), Z, sample_weight=MASS)
    score = fit(LogisticRegression(), labels_of(Z, MASS))
    np.testing.assert_allclose(score(X), direct.predict_proba(SPACE.one_hot(X))[:, 1], atol=1e-3)


@pytest.mark.parametrize(
    "estimator",
    [KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())],
    ids=["plain", "pipeline"],
)
def test_weighted_labels_are_refused_where_the_estimator_takes_no_weights(estimator):
    with pytest.raises(ClassifierError, match=r'(?s)KNeighborsClassifier.* does not\. Use weights="none"'):
        fit(estimator, labels_of(Z, MASS))


def test_plain_labels_need_no_weights():
    assert fit(KNeighborsClassifier())(X).shape == (60,)


def test_xgboosts_own_estimator_is_welcome():
    xgboost = pytest.importorskip("xgboost")
    score = fit(xgboost.XGBClassifier(n_estimators=5, nthread=1), labels_of(Z, MASS))
    assert score(X)[Z].min() > score(X)[~Z].max()


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LinearRegression(), r"with predict_proba or decision_function. Got LinearRegression\(\)"),
        (make_pipeline(StandardScaler(), LinearRegression()), "with predict_proba or decision_function"),
        (LogisticRegression, "must be an instance, not a class. Got LogisticRegression. Write"),
        ("forest", "must have the methods fit and get_params. Got 'forest'"),
    ],
)
def test_what_is_no_classifier_is_refused_at_once(estimator, message):
    with pytest.raises(ClassifierError, match=message):
        SklearnClassifier(estimator)


def test_a_decision_value_has_the_probability_of_the_logistic_curve():
    score = fit(RidgeClassifier())
    np.testing.assert_allclose(score.probability(X), 1 / (1 + np.exp(-score(X))))

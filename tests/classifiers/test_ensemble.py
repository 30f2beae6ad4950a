from dataclasses import dataclass, field

import numpy as np
import pytest
from support.labels import plain

from auger.classifiers import KDE, MLP, SVM, Boosting, Calibrated, Ensemble, ExtraTrees, Forest, Score
from auger.classifiers.interface import Classifier
from auger.errors import ClassifierError
from auger.recipes import as_recipe
from auger.space import Float, Space
from auger.testing.cases import labelled, mixed_space

LINE = Space({"x": Float(0.0, 1.0)})
Z = np.arange(12) < 4
X = np.linspace(0.0, 1.0, 12)[:, np.newaxis]


@dataclass(frozen=True)
class Drawn(Classifier):
    """Scores every row by a number drawn in the fit, and remembers the rows of each fit."""

    notes: tuple = ("",)
    fits: list = field(default_factory=list)

    is_random = True

    def fit(self, X, labels, *, space, rng, previous=None):
        self.fits.append((X[:, 0].copy(), labels))
        return Same(float(rng.random()), self.notes[(len(self.fits) - 1) % len(self.notes)])


@dataclass(frozen=True)
class Undrawn(Drawn):
    is_random = False


@dataclass(frozen=True)
class Same(Score):
    value: float
    note: str = ""

    def __call__(self, X):
        return np.full(len(X), self.value)

    def probability(self, X):
        return np.full(len(X), self.value**2)


def fit(classifier, seed=0):
    return classifier.fit(X, plain(Z), space=LINE, rng=np.random.default_rng(seed))


def test_the_score_is_the_mean_of_fits_with_generators_of_their_own():
    drawn = np.array([float(rng.random()) for rng in np.random.default_rng(0).spawn(3)])
    score = fit(Ensemble(Drawn(), 3))
    np.testing.assert_allclose(score(X), np.full(12, drawn.mean()))
    np.testing.assert_allclose(score.probability(X), np.full(12, (drawn**2).mean()))


def test_the_upper_score_is_a_quantile_of_the_fits_and_its_probability_stays_their_mean():
    drawn = np.array([float(rng.random()) for rng in np.random.default_rng(0).spawn(4)])
    score = fit(Ensemble(Drawn(), 4, acquisition="upper"))
    low, high = np.sort(drawn)[2:]
    np.testing.assert_allclose(score(X), np.full(12, low + (3 * 0.8413 - 2) * (high - low)))
    np.testing.assert_allclose(score.probability(X), np.full(12, (drawn**2).mean()))


def test_a_thompson_sample_is_one_of_the_fits_and_another_another_time():
    values = set()
    for seed in range(20):
        classifier = Drawn()
        score = fit(Ensemble(classifier, 3, acquisition="thompson"), seed)
        all_fits = {float(rng.random()) for rng in np.random.default_rng(seed).spawn(3)}
        (value,) = set(score(X))
        assert value in all_fits and len(classifier.fits) == 1
        values.add(sorted(all_fits).index(value))
    assert values == {0, 1, 2}


def test_an_upper_score_prefers_rows_on_which_bagged_fits_disagree():
    upper, mean = (fit(Ensemble(Boosting(), 10, acquisition=name)) for name in ("upper", "mean"))
    members = np.array([score(X) for score in upper.scores])
    disagree = members.std(axis=0) > 0.1
    assert disagree.any() and (upper(X)[disagree] > mean(X)[disagree]).all() and (upper(X) <= 1.0).all()


def test_a_classifier_with_chance_in_it_learns_from_all_rows_every_time():
    classifier = Drawn()
    fit(Ensemble(classifier, 3))
    assert len(classifier.fits) == 3
    for rows, labels in classifier.fits:
        np.testing.assert_array_equal(rows, X[:, 0])
        np.testing.assert_array_equal(labels.z, Z)


def test_another_learns_from_rows_that_are_drawn_class_by_class():
    classifier = Undrawn()
    fit(Ensemble(classifier, 20))
    for rows, labels in classifier.fits:
        assert len(rows) == 12 and np.isin(rows, X[:, 0]).all() and (np.diff(rows) >= 0).all()
        np.testing.assert_array_equal(labels.z, np.isin(rows, X[Z, 0]))
        assert labels.z.sum() == 4
    assert len({rows.tobytes() for rows, _ in classifier.fits}) == 20


@pytest.mark.parametrize("classifier", [Forest(n_trees=5), ExtraTrees(n_trees=5), Boosting(), SVM(), KDE()])
def test_the_fits_of_ours_differ(classifier):
    space = mixed_space()
    history, labels = labelled(space, 60, seed=1)
    score = Ensemble(classifier, 2).fit(history.X, labels, space=space, rng=np.random.default_rng(0))
    rows = space.sample(50, np.random.default_rng(2))
    one, other = (each(rows) for each in score.scores)
    assert (np.argsort(one) != np.argsort(other)).any()


def test_what_the_fits_have_to_say_is_said_once():
    assert fit(Ensemble(Drawn(notes=("few rows", "", "few rows", "odd")), 4)).note == "few rows; odd"


def test_an_ensemble_of_networks_is_several_networks():
    several = MLP(n_units=8).ensemble(4)
    assert several == MLP(n_units=8, n_networks=4)
    assert several.is_warm and several.has_gradient


@pytest.mark.parametrize("classifier", [Forest(), Boosting(), KDE(), SVM(), Calibrated(Forest())])
def test_others_have_no_such_setting_and_are_wrapped(classifier):
    assert classifier.ensemble(3) is None
    assert as_recipe("bore-rf ensemble=3").classifier == Ensemble(Forest(), 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ensemble("forest"), "`classifier` of an Ensemble must be an auger Classifier.* Got 'forest'"),
        (lambda: Ensemble(Forest(), 1), "`n_fits` of an Ensemble must be a whole number of at least 2. Got 1."),
        (lambda: Ensemble(Forest(), 2.0), "`n_fits` .* Got 2.0."),
        (lambda: Ensemble(KDE(), 0), "`n_fits` .* Got 0."),
    ],
)
def test_what_is_no_ensemble_is_refused(make, message):
    with pytest.raises(ClassifierError, match=message):
        make()


def test_what_the_classifier_cannot_do_the_ensemble_cannot_do():
    class Unweighted(Drawn):
        def check(self, *, is_weighted):
            if is_weighted:
                raise ClassifierError("no weights")

    Ensemble(Unweighted()).check(is_weighted=False)
    with pytest.raises(ClassifierError, match="no weights"):
        Ensemble(Unweighted()).check(is_weighted=True)


def test_an_unknown_acquisition_is_refused():
    with pytest.raises(
        ClassifierError, match="`acquisition` of an Ensemble must be one of .* Got 'uper'. Did you mean"
    ):
        Ensemble(Drawn(), acquisition="uper")

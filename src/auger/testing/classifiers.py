"""What every classifier must do, as a list of checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from auger.classifiers.interface import Classifier, Score
from auger.labels import Labels
from auger.space import Categorical, Float, Space
from auger.testing.cases import labelled, numeric_space, spaces, target
from auger.types import Array

Check = Callable[[Classifier], None]


def classifier_checks() -> list[Check]:
    """The checks; each takes a classifier and raises an AssertionError where it falls short."""
    return [
        scores_all_rows_in_one_call_as_it_scores_each,
        tells_good_from_the_rest,
        is_a_function_of_its_arguments_and_the_generator,
        leaves_its_arguments_and_earlier_scores_alone,
        is_the_same_without_its_previous_fit,
        takes_inactive_columns,
        follows_the_weights,
        fits_one_row_of_each_class,
        takes_a_parameter_that_never_varies,
        climbs_along_its_gradient,
        shifts_uphill,
        has_probabilities_between_0_and_1,
    ]


def check_classifier(classifier: Classifier) -> None:
    """Run every check on one classifier."""
    for check in classifier_checks():
        check(classifier)


def _fit(classifier: Classifier, space: Space, X: Array, labels: Labels, seed: int = 0, times: int = 1) -> Score:
    score = None
    # a warm classifier gets its hundred steps at every iteration; judge it after as many as a short run has
    for k in range(times if classifier.is_warm else 1):
        score = classifier.fit(X, labels, space=space, rng=np.random.default_rng([seed, k]), previous=score)
    assert isinstance(score, Score), f"fit must return a Score. Got {score!r}."
    return score


def tells_good_from_the_rest(classifier: Classifier) -> None:
    """On new rows of every space, good ones score higher than others more often than not."""
    for space in spaces():
        history, labels = labelled(space, 120, seed=1)
        score = _fit(classifier, space, history.X, labels, times=20)
        X = space.sample(300, np.random.default_rng(2))
        good = target(X, space) <= labels.tau
        scores = score(X)
        wins = (scores[good][:, np.newaxis] > scores[~good]).mean()
        wins += 0.5 * (scores[good][:, np.newaxis] == scores[~good]).mean()
        assert wins > 0.7, f"a good row must outscore another in 70 % of pairs. Got {wins:.2f} on {space!r}."


def scores_all_rows_in_one_call_as_it_scores_each(classifier: Classifier) -> None:
    """One call with m rows returns m finite numbers, the same as m calls."""
    for space in spaces():
        history, labels = labelled(space, 40, seed=3)
        score = _fit(classifier, space, history.X, labels)
        X = space.sample(17, np.random.default_rng(4))
        scores = score(X)
        assert scores.shape == (17,), f"scores of 17 rows must have shape (17,). Got {scores.shape}."
        assert np.isfinite(scores).all(), f"scores must be finite. Got {scores!r}."
        single = np.array([score(row[np.newaxis])[0] for row in X])
        np.testing.assert_allclose(scores, single, rtol=1e-6, atol=1e-9)


def is_a_function_of_its_arguments_and_the_generator(classifier: Classifier) -> None:
    """The same generator gives the same score; the global one is neither used nor moved."""
    space = numeric_space()
    history, labels = labelled(space, 40, seed=5)
    X = space.sample(20, np.random.default_rng(6))
    first = _fit(classifier, space, history.X, labels, seed=7)(X)
    before = _global_state()
    second = _fit(classifier, space, history.X, labels, seed=7)(X)
    np.testing.assert_array_equal(first, second)
    assert before == _global_state(), "NumPy's global generator must not be used."


def _global_state() -> str:
    return str(np.random.get_state(legacy=False)["state"])  # noqa: NPY002


def leaves_its_arguments_and_earlier_scores_alone(classifier: Classifier) -> None:
    """Neither the data nor the previous score changes in a fit."""
    space = numeric_space()
    history, labels = labelled(space, 40, seed=8)
    X = history.X.copy()
    masses = labels.positive.copy(), labels.negative.copy()
    rows = space.sample(20, np.random.default_rng(9))
    first = classifier.fit(X, labels, space=space, rng=np.random.default_rng(0))
    scores = first(rows).copy()
    classifier.fit(X[::-1].copy(), labels, space=space, rng=np.random.default_rng(1), previous=first)
    np.testing.assert_array_equal(first(rows), scores)
    np.testing.assert_array_equal(X, history.X)
    np.testing.assert_array_equal(labels.positive, masses[0])
    np.testing.assert_array_equal(labels.negative, masses[1])


def is_the_same_without_its_previous_fit(classifier: Classifier) -> None:
    """Where a classifier is incremental, its fits to more and more rows are those of a fit that knows no other."""
    if not classifier.is_incremental:
        return
    for space in spaces():
        previous, rows = None, space.sample(50, np.random.default_rng(20))
        for n in (20, 21, 22, 60, 61):
            history, labels = labelled(space, n, seed=21)
            previous = classifier.fit(history.X, labels, space=space, rng=np.random.default_rng(0), previous=previous)
            alone = classifier.fit(history.X, labels, space=space, rng=np.random.default_rng(0))
            message = f"an incremental score of {n} rows must be the same without its previous fit"
            np.testing.assert_array_equal(previous(rows), alone(rows), err_msg=message)


def takes_inactive_columns(classifier: Classifier) -> None:
    """NaN in X means inactive, in fitting and in scoring; a column may be inactive in every row."""
    space = Space({"mode": Categorical(("off", "on")), "x": Float(0.0, 1.0, when={"mode": "on"}), "y": (0.0, 1.0)})
    history, labels = labelled(space, 60, seed=10)
    X = history.X.copy()
    assert np.isnan(X).any()
    assert np.isfinite(_fit(classifier, space, X, labels)(X)).all()
    X[:, 0], X[:, 1] = 0.0, np.nan
    assert np.isfinite(_fit(classifier, space, X, labels)(X)).all()


def follows_the_weights(classifier: Classifier) -> None:
    """Of two groups of good rows, the one that weighs more scores higher."""
    space = Space({"x": Float(0.0, 1.0)})
    rng = np.random.default_rng(11)
    x = np.concatenate([rng.uniform(0.0, 0.3, 30), rng.uniform(0.7, 1.0, 30), rng.uniform(0.0, 1.0, 60)])
    z = np.arange(120) < 60
    left = np.arange(120) < 30
    labels = Labels(z, np.where(z, 0.0, 1.0), 0.5, np.where(z, 1.0, 0.0), np.ones(120))
    ends = np.concatenate([np.linspace(0.0, 0.3, 20), np.linspace(0.7, 1.0, 20)])[:, np.newaxis]
    for heavy, order in ((left, 1.0), (z & ~left, -1.0)):
        weighted = replace(labels, positive=np.where(heavy, 3.0, 0.1) * z)
        scores = _fit(classifier, space, x[:, np.newaxis], weighted, times=30)(ends).reshape(2, 20).mean(axis=1)
        assert order * (scores[0] - scores[1]) > 0, f"the heavier good rows must score higher. Got {scores!r}."


def fits_one_row_of_each_class(classifier: Classifier) -> None:
    """Two rows are enough for a finite score."""
    space = numeric_space()
    history, labels = labelled(space, 2, seed=12)
    assert labels.z.sum() == 1
    assert np.isfinite(_fit(classifier, space, history.X, labels)(space.sample(5, np.random.default_rng(0)))).all()


def takes_a_parameter_that_never_varies(classifier: Classifier) -> None:
    """Columns of one value, and rows that are all the same, do no harm."""
    space = Space({"x": Float(0.0, 1.0), "c": Categorical(("only",))})
    history, labels = labelled(space, 20, seed=13)
    assert np.isfinite(_fit(classifier, space, history.X, labels)(history.X)).all()
    same = np.repeat(history.X[:1], 20, axis=0)
    assert np.isfinite(_fit(classifier, space, same, labels)(same)).all()


def climbs_along_its_gradient(classifier: Classifier) -> None:
    """Where a gradient is declared it matches finite differences, and its height orders rows as the score does."""
    if not classifier.has_gradient:
        return
    for space in spaces():
        history, labels = labelled(space, 60, seed=14)
        score = _fit(classifier, space, history.X, labels)
        X = space.sample(10, np.random.default_rng(15))
        height, slope = score.ascent(X)
        assert slope.shape == X.shape, f"the gradient must have the shape of X. Got {slope.shape}."
        assert (np.diff(score(X)[np.argsort(height)]) >= 0).all(), "the height must order rows as the score does."
        assert not slope[:, ~space.is_ordered].any(), "choices must have gradient 0."
        assert not slope[np.isnan(X)].any(), "inactive columns must have gradient 0."
        for j in np.flatnonzero(space.is_ordered):
            step = np.zeros(X.shape[1])
            step[j] = 1e-6
            numeric = (score.ascent(X + step)[0] - score.ascent(X - step)[0]) / 2e-6
            active = ~np.isnan(X[:, j])
            np.testing.assert_allclose(slope[active, j], numeric[active], rtol=1e-3, atol=1e-5)


def shifts_uphill(classifier: Classifier) -> None:
    """Where steps of mean shift are declared, none goes downhill, and they end where the gradient is 0."""
    if not classifier.has_mean_shift:
        return
    for space in spaces():
        history, labels = labelled(space, 60, seed=18)
        score = _fit(classifier, space, history.X, labels)
        V = score.views.one_hot(space.sample(10, np.random.default_rng(19)))
        for _ in range(2000):
            moved = score.mean_shift(V)
            gain = score.relaxed(moved)[0] - score.relaxed(V)[0]
            assert (gain >= -1e-9).all(), f"a step must not go downhill. Got one of {gain.min()}."
            V = moved
        np.testing.assert_allclose(score.relaxed(V)[1], 0.0, atol=1e-3)


def has_probabilities_between_0_and_1(classifier: Classifier) -> None:
    """Whatever its score is, `probability` returns one probability per row."""
    for space in spaces():
        history, labels = labelled(space, 40, seed=16)
        score = _fit(classifier, space, history.X, labels)
        p = score.probability(space.sample(17, np.random.default_rng(17)))
        assert p.shape == (17,), f"probabilities of 17 rows must have shape (17,). Got {p.shape}."
        assert ((p >= 0) & (p <= 1)).all(), f"probabilities must lie between 0 and 1. Got {p!r}."

"""The report card, above all where the truth is known."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.special import logit as log_odds
from sklearn.metrics import log_loss

from auger import Float, Optimizer, Recipe, minimize
from auger.classifiers import Classifier, ExtraTrees, GaussianProcess, Score, SklearnClassifier
from auger.history import History
from auger.insight import ReportCard, report_card, view
from auger.insight.replay import answers_in, checkpoints
from auger.maximizers import LocalSearch, RandomSearch
from auger.space import Space
from auger.trial import State, Trial

LINE = Space({"x": (0.0, 1.0)})
NOISE = 0.7


@dataclass(frozen=True)
class Oracle(Classifier):
    """Knows that y ~ N(3 x, NOISE^2), so P(y <= tau | x), and says so with a confidence that is 1 for the truth."""

    confidence: float = 1.0

    def fit(self, X, labels, *, space, rng, previous=None):
        return OracleScore(labels.tau, self.confidence)


@dataclass(frozen=True)
class OracleScore(Score):
    tau: float
    confidence: float

    def __call__(self, X):
        return expit(self.confidence * log_odds(truth(X, self.tau)))


def truth(X, tau):
    return ndtr((tau - 3 * X[:, 0]) / NOISE)


def drawn(n, seed=0):
    """Answers of which the truth is known, at rows drawn at random."""
    rng = np.random.default_rng(seed)
    X = LINE.sample(n, rng)
    return History(
        LINE,
        [
            Trial(i, config, State.COMPLETE, float(3 * row[0] + NOISE * rng.normal()))
            for i, (config, row) in enumerate(zip(LINE.decode(X), X, strict=True))
        ],
    )


def judged(history, classifier, gamma=1 / 3, **settings):
    recipe = Recipe("mine", classifier, RandomSearch(), gamma=gamma)
    return report_card(replace(view(history), recipe=recipe), **settings)


# -- where the truth is known ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_run():
    return drawn(3000)


def test_forecasts_that_are_true_are_found_to_be_so(long_run):
    stated = judged(long_run, Oracle()).as_stated()
    p, m = stated.p, stated.n
    assert m == 2990
    # the expected losses of true forecasts, and their sampling errors: of each trial the variance of its loss
    loss = -(p * np.log(p) + (1 - p) * np.log1p(-p))
    loss_variance = p * (1 - p) * log_odds(p) ** 2
    assert abs(stated.log_loss - loss.mean()) < 3 * np.sqrt(loss_variance.sum()) / m
    brier = p * (1 - p)
    assert abs(stated.brier - brier.mean()) < 3 * np.sqrt((brier * (1 - 2 * p) ** 2).sum()) / m
    assert abs(stated.base_rate - p.mean()) < 3 * np.sqrt(brier.sum()) / m
    for each in stated.reliability():
        assert abs(each.share - each.p) < 3.5 * np.sqrt(each.p * (1 - each.p) / each.n)
        assert each.error_low <= each.share <= each.error_high


@pytest.mark.parametrize("confidence", [0.4, 2.5])
def test_too_little_and_too_much_confidence_are_measured_as_they_are(long_run, confidence):
    true = judged(long_run, Oracle()).raw
    card = judged(long_run, Oracle(confidence))
    stated = card.as_stated()
    for each in stated.reliability():
        rows = (stated.p >= each.low) & (stated.p < each.high)
        error = np.sqrt((true[rows] * (1 - true[rows])).sum()) / each.n
        assert abs(each.share - true[rows].mean()) < 3.5 * error
    far = max(abs(each.share - each.p) for each in stated.reliability() if each.n > 100)
    assert far > 0.1
    # and from the outcomes so far the card finds out what the classifier's words are worth
    assert np.abs(card.p - true)[500:].mean() < 0.03
    assert np.abs(stated.p - true)[500:].mean() > 0.06
    assert card.skill > stated.skill


def test_few_fits_judge_nearly_as_many_do(long_run):
    short = History(LINE, long_run.trials[:260])
    every, few = (judged(short, Oracle(), max_fits=n) for n in (260, 20))
    assert few.n == every.n == 250 and few.skill == pytest.approx(every.skill, abs=0.03)
    assert every.note == "" and few.note.startswith("230 of 250 trials are judged by a fit to the answers before")


def test_a_classifier_without_a_clue_has_no_skill():
    rng = np.random.default_rng(0)
    values = rng.normal(size=400)
    history = History(LINE, [Trial(i, {"x": float(rng.random())}, State.COMPLETE, y) for i, y in enumerate(values)])
    card = judged(history, ExtraTrees())
    assert abs(card.auc - 0.5) < 3 * np.sqrt(1 / (12 * min(card.is_good.sum(), (~card.is_good).sum())))
    assert -0.1 < card.skill < 0.05  # some is paid for finding out that the forecasts are worth nothing


@pytest.mark.parametrize("classifier", [ExtraTrees(), GaussianProcess()])
def test_ours_learn_what_can_be_known(long_run, classifier):
    short = History(LINE, long_run.trials[:300])
    card, best = judged(short, classifier, max_fits=15), judged(short, Oracle(), max_fits=15)
    assert best.auc - 0.15 < card.auc < best.auc + 0.03  # trees that are fully grown follow the noise
    assert 0.3 * best.skill < card.skill < best.skill + 0.03


# -- what is good, and what was known ---------------------------------------------------------------------------


def history_of(values, states=()):
    states = dict(states)
    return History(
        LINE,
        [
            Trial(
                i,
                {"x": (i * 0.37) % 1},
                states.get(i, State.COMPLETE),
                None if states.get(i) is State.FAILED else value,
                constraints=(1.0,) if value == -5.0 else (),
            )
            for i, value in enumerate(values)
        ],
    )


FIRST = [float(i) for i in range(10)]  # with gamma 1/3 the best 4 are good and tau is 3.5


@pytest.mark.parametrize(
    ("value", "state", "is_good"),
    [
        (3.4, State.COMPLETE, True),
        (3.5, State.COMPLETE, True),
        (3.6, State.COMPLETE, False),
        (float("nan"), State.COMPLETE, False),
        (float("inf"), State.COMPLETE, False),
        (float("-inf"), State.COMPLETE, False),
        (0.5, State.PRUNED, False),
        (0.5, State.FAILED, False),
        (-5.0, State.COMPLETE, False),  # infeasible
    ],
)
def test_good_is_among_the_best_of_the_answers_before(value, state, is_good):
    card = judged(history_of([*FIRST, value], {10: state}), ExtraTrees())
    assert card.is_good.tolist() == [is_good] and card.numbers.tolist() == [10]


def test_a_tie_goes_to_the_older_as_in_the_labels():
    assert judged(history_of([1.0] * 12), ExtraTrees()).is_good.tolist() == [False, False]


def test_where_nothing_has_worked_what_works_is_good():
    history = history_of([0.0] * 12, dict.fromkeys(range(11), State.FAILED))
    assert judged(history, ExtraTrees()).is_good.tolist() == [False, True]


def test_the_base_rate_is_the_share_of_good_ones_so_far():
    card = judged(history_of([*FIRST, 0.5, 9.5, 0.4]), ExtraTrees())
    assert card.is_good.tolist() == [True, False, True]
    np.testing.assert_allclose(card.base, [1 / 3, (1 + 1 / 3) / 2, (1 + 1 / 3) / 3])


def test_no_answer_changes_a_forecast_made_before_it():
    values = [*FIRST, 0.5, 9.5, 0.4, 3.0, 2.0, 0.1]
    card = judged(history_of(values), ExtraTrees())
    for n in range(1, card.n):
        changed = judged(history_of([*values[: 10 + n], -7.0, *values[11 + n :]]), ExtraTrees())
        np.testing.assert_array_equal(card.p[: n + 1], changed.p[: n + 1])
        np.testing.assert_array_equal(card.base[: n + 1], changed.base[: n + 1])


def test_answers_that_came_while_a_trial_ran_are_not_known_to_it():
    run = view(history_of([*FIRST, 0.5, 9.5, 0.4]))
    noon = datetime(2024, 1, 1, 12)
    minutes = [(i, i + 1) for i in range(10)] + [(10, 14), (11, 15), (15, 16)]  # the second began while the first ran
    trials = tuple(
        replace(trial, started=noon + timedelta(minutes=a), finished=noon + timedelta(minutes=b))
        for trial, (a, b) in zip(run.trials, minutes, strict=True)
    )
    assert answers_in(run).tolist() == list(range(13))
    assert answers_in(replace(run, trials=trials)).tolist() == [*range(10), 10, 10, 12]


def test_results_that_were_added_together_are_known_from_then_on():
    optimizer = Optimizer(LINE, seed=0)
    optimizer.add([{"x": i / 20} for i in range(15)], FIRST + [1.0] * 5)
    optimizer.tell(optimizer.ask(), 0.5)
    assert answers_in(view(optimizer)).tolist() == [0] * 15 + [15]
    assert report_card(optimizer).numbers.tolist() == [15]


def test_checkpoints_are_all_or_grow_apart():
    assert checkpoints(np.array([10, 11, 11, 12]), 5).tolist() == [10, 11, 12]
    few = checkpoints(np.arange(10, 10_000), 20)
    assert len(few) <= 20 and few[0] == 10 and (np.diff(few, 2) >= -1).all()
    assert checkpoints(np.arange(10, 100), 1).tolist() == [10]


# -- the card itself ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def auto():
    return minimize(lambda c: (c["x"] - 0.3) ** 2 + c["y"], {"x": (0.0, 1.0), "y": (0.0, 1.0)}, n_trials=40, seed=1)


def test_models_have_cards_of_their_own(auto):
    card = report_card(auto)
    parts = card.by_model()
    assert list(parts) == ["auto, trees", "auto, Gaussian process"]
    assert sum(part.n for part in parts.values()) == card.n == 35
    for name, part in parts.items():
        assert {auto.trials[number].reason.partition(":")[0] for number in part.numbers} == {name}
        assert part.log_loss == pytest.approx(log_loss(part.is_good, part.p.clip(0.001, 0.999), labels=[False, True]))


def test_over_time_is_the_metrics_of_each_stretch(auto):
    card = report_card(auto)
    points = card.over_time(window=12)
    assert [point.number for point in points] == card.numbers[9:].tolist()
    last, part = points[-1], slice(-12, None)
    stretch = ReportCard(card.numbers[part], card.p[part], card.is_good[part], card.base[part])
    expected = stretch.log_loss, stretch.brier, stretch.skill, 12
    assert (last.log_loss, last.brier, last.skill, last.n) == pytest.approx(expected)
    assert points[0].n == 10 and ReportCard().over_time() == []


def test_the_bins_of_the_reliability_diagram_hold_every_forecast(auto):
    card = report_card(auto)
    bins = card.reliability(n_bins=4)
    assert sum(each.n for each in bins) == card.n
    assert sum(each.n * each.share for each in bins) == pytest.approx(card.is_good.sum())
    assert all(each.low <= each.p <= each.high for each in bins)
    edges = ReportCard(np.arange(3), np.array([0.0, 0.5, 1.0]), np.array([False, True, True]), np.full(3, 0.5))
    assert [(each.low, each.high, each.n) for each in edges.reliability(2)] == [(0.0, 0.5, 1), (0.5, 1.0, 2)]


def test_a_score_that_is_no_probability_is_judged_too():
    from sklearn.linear_model import RidgeClassifier

    card = judged(drawn(120), SklearnClassifier(RidgeClassifier()))
    assert ((card.raw > 0) & (card.raw < 1)).all() and card.auc > 0.6


def test_a_warm_classifier_is_judged_cold():
    from auger.classifiers import MLP

    card = judged(drawn(60), MLP(), max_fits=5)
    assert card.n == 50 and np.isfinite(card.log_loss)


def test_the_same_run_has_the_same_card(auto):
    first, second = report_card(auto), report_card(auto.optimizer.history)
    np.testing.assert_array_equal(first.p, second.p)


def test_a_recipe_of_one_model_is_judged_by_its_own_gamma():
    recipe = Recipe("gp", GaussianProcess(), LocalSearch(n_climbs=1), gamma=lambda n: 0.2 if n > 5 else 0.4)
    result = minimize(lambda c: c["x"], {"x": Float(1e-3, 1.0, log=True)}, n_trials=15, seed=0, recipe=recipe)
    card = report_card(result)
    assert (card.gamma, set(card.models), card.n) == (0.2, {"gp"}, 5)


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_too_few_trials_are_no_error_but_a_note(n):
    card = report_card(history_of(FIRST[:n]))
    assert (
        card.n == 0 and card.note and np.isnan([card.log_loss, card.brier, card.auc, card.skill, card.base_rate]).all()
    )
    assert card.by_model() == {} and card.over_time() == [] and card.reliability() == []

"""Several metrics and times at once: what is learned, the front, and which candidate of it is refitted."""

import pickle
import re
import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import FitFailedWarning
from support.estimators import Bowl, X, Y

from auger import Float, Optimizer, insight, report
from auger.errors import ObjectiveError, ScoringError
from auger.hosts.sklearn import AugerSearchCV
from auger.view import view

SPACE = {"x": Float(0.0, 1.0), "n": (1, 6)}
METRICS = {
    "worth": lambda model, X, y: model.score(X, y),
    "far": lambda model, X, y: -((model.x - 0.9) ** 2),
    "other": lambda model, X, y: -model.n,
}
BOTH = ["worth", "far"]


def by_function(*arguments):
    return {name: metric(*arguments) for name, metric in METRICS.items()}


def bowl(**settings):
    defaults = {"n_iter": 12, "cv": 2, "random_state": 0, "scoring": METRICS, "target": BOTH, "refit": "worth"}
    return AugerSearchCV(Bowl(), SPACE, **{**defaults, **settings})


def means(search, names=BOTH):
    return np.transpose([search.cv_results_[f"mean_test_{name}"] for name in names])


def is_beaten(values):
    """Which values, to be maximized, another beats in all columns."""
    return [any((other >= one).all() and (other > one).any() for other in values) for one in values]


@pytest.fixture(scope="module")
def fitted():
    return bowl(n_iter=20).fit(X, Y)


@pytest.mark.parametrize("scoring", [METRICS, by_function], ids=["dict", "function"])
def test_the_front_has_the_candidates_that_no_other_beats_the_best_in_the_first_objective_first(scoring):
    search = bowl(scoring=scoring).fit(X, Y)
    beaten = is_beaten(means(search))
    assert sorted(search.front_) == [i for i in range(12) if not beaten[i]]
    assert (np.diff(means(search)[search.front_, 0]) <= 0).all()
    assert len(search.front_) > 1 and search.front_.dtype == np.intp


def test_suggestions_are_those_of_an_optimizer_that_is_told_the_same(fitted):
    optimizer = Optimizer(SPACE, directions=dict.fromkeys(BOTH, "maximize"), seed=0)
    for params, values in zip(fitted.cv_results_["params"], means(fitted), strict=True):
        trial = optimizer.ask()
        assert trial.config == params
        optimizer.tell(trial, values)


@pytest.mark.parametrize(
    ("refit", "chosen"),
    [
        ("far", lambda values: values[:, 1].argmax()),
        ("far >= -0.2, worth", lambda values: np.where(values[:, 1] >= -0.2, values[:, 0], -np.inf).argmax()),
        ({"far": 1, "worth": 0}, lambda values: values[:, 1].argmax()),
        (lambda results: 3, lambda values: 3),
    ],
    ids=["name", "limit", "weights", "function"],
)
def test_refit_names_the_candidate(refit, chosen):
    search = bowl(refit=refit).fit(X, Y)
    assert search.best_index_ == chosen(means(search))
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert search.best_estimator_.x == search.best_params_["x"] and search.refit is refit
    assert len(search.predict(X)) == 20
    if refit == "far":
        assert search.best_score_ == search.cv_results_["mean_test_far"][search.best_index_]
        assert search.score(X, Y) == METRICS["far"](search.best_estimator_, X, Y)
    else:
        assert not hasattr(search, "best_score_")
        with pytest.raises(ScoringError, match="`score` needs the name of a single metric in `refit`. Got "):
            search.score(X, Y)
        assert search.scorer_["far"](search.best_estimator_, X, Y) <= 0


def test_nothing_is_refitted_where_nothing_is_wanted():
    search = bowl(refit=False).fit(X, Y)
    assert not hasattr(search, "best_estimator_") and not hasattr(search, "best_index_") and len(search.front_)


class Sleeper(Bowl):
    """Takes longer to fit where x is larger, and crashes at once where n is 6."""

    def fit(self, X, y=None, sample_weight=None):
        if self.n == 6:
            raise RuntimeError("crashed")
        time.sleep(0.03 * self.x)
        return super().fit(X, y)


def test_times_are_minimized_and_a_fit_that_crashed_is_not_a_fast_one():
    search = AugerSearchCV(
        Sleeper(),
        SPACE,
        n_iter=8,
        cv=2,
        random_state=0,
        target=["score", "fit_time"],
        refit="score >= -9, fit_time",
        enqueue=[{"x": 0.001, "n": 6}, {"x": 0.01, "n": 3}, {"x": 0.3, "n": 3}],
        error_score=-1.0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        search.fit(X, Y)
    times = search.cv_results_["mean_fit_time"]
    assert search.optimizer_.trials[0].state.value == "failed" and 0 not in search.front_
    assert {1, 2} <= set(search.front_) and search.best_index_ == min(search.front_, key=lambda i: times[i])
    assert search.optimizer_.trials[1].values == pytest.approx((search.cv_results_["mean_test_score"][1], times[1]))


def test_a_candidate_that_lacks_one_of_the_scores_failed():
    scoring = {**METRICS, "far": lambda model, X, y: np.nan if model.x > 0.5 else -model.x}
    with pytest.warns(UserWarning, match="non-finite"):
        search = bowl(scoring=scoring).fit(X, Y)
    states = {trial.config["x"] > 0.5: trial.state.value for trial in search.optimizer_.trials}
    assert states == {True: "failed", False: "complete"}
    assert all(search.cv_results_["params"][i]["x"] <= 0.5 for i in search.front_)


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_where_no_candidate_has_all_values_the_first_is_refitted_with_a_warning():
    scoring = {**METRICS, "far": lambda model, X, y: np.nan}
    with pytest.warns(UserWarning, match="No candidate has finite values of all objectives. The first is r") as warned:
        search = bowl(scoring=scoring, n_iter=3).fit(X, Y)
    assert warned[-1].filename == __file__
    assert search.best_index_ == 0 and search.front_.size == 0


def test_a_search_goes_on_and_keeps_its_objectives():
    search = pickle.loads(pickle.dumps(bowl(n_iter=6, warm_start=True, scoring=by_function).fit(X, Y)))
    search.set_params(refit="far").fit(X, Y)
    assert search.cv_results_["params"] == bowl().fit(X, Y).cv_results_["params"]
    assert search.best_index_ == means(search)[:, 1].argmax()
    for target in (["far", "other"], "worth", None):
        with pytest.raises(ScoringError, match="`target` must list the objectives of the fit that `warm_start` cont"):
            search.set_params(target=target).fit(X, Y)
    search.set_params(warm_start=False, target="far").fit(X, Y)
    assert not hasattr(search, "front_") and search.best_score_ == max(search.cv_results_["mean_test_far"])


def test_a_preference_that_no_candidate_meets_says_how_far_they_are_and_keeps_the_results():
    search = bowl(refit="far >= 1, worth")
    with pytest.raises(ObjectiveError, match="No trial of the front has 'far' at least 1"):
        search.fit(X, Y)
    assert len(search.cv_results_["params"]) == 12 and len(search.front_) and not hasattr(search, "best_index_")
    assert search.refit == "far >= 1, worth"
    assert search.optimizer_.choose("worth").number in search.front_


def test_callbacks_see_all_values_and_lines_name_them(capsys):
    trials = []
    search = bowl(n_iter=3, verbose=1, callback=trials.append).fit(X, Y)
    assert [trial.values for trial in trials] == [tuple(row) for row in means(search)]
    worth, far = means(search)[0]
    assert capsys.readouterr().out.startswith(f"1 of 3: worth {worth:.4g}, far {far:.4g}, 1 on the front, ")


def test_views_and_reports_have_the_names_of_the_objectives(fitted):
    shown = view(fitted)
    assert shown.objectives.described() == {"worth": "maximize", "far": "maximize"}
    assert [trial.number for trial in shown.front] == fitted.front_.tolist()
    assert insight.importance(fitted) and "worth" in report.report_html(fitted)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"refit": True}, "`refit` must say which candidate of the front to refit where `target` lists several obje"),
        ({"target": ["worth"]}, "`target` must be the name of one metric, or a list of two or more different ones."),
        ({"target": ["worth", "worth"]}, "`target` must be the name of one metric, or a list of two or more different"),
        ({"target": ["worth", 1]}, "`target` must be the name of one metric, or a list of two or more different ones"),
        (
            {"target": ["worth", "near"]},
            "must be names of metrics, or times: 'worth', 'far', 'other', 'fit_time', 'score_time'. Got 'near'",
        ),
        ({"scoring": {**METRICS, "fit_time": None}, "target": ["worth", "fit_time"]}, "give its metric 'fit_time' ano"),
        ({"scoring": "r2"}, "`target` must be names of metrics, or times: 'score', 'fit_time', 'score_time'. Got 'wor"),
        ({"refit": "other"}, "There is no objective 'other'"),
        ({"refit": "worth <= 3"}, "A limit of 'worth', to be maximized, must be written >=."),
        ({"refit": {"worth": -1}}, "The weight of 'worth' must be a number of at least 0."),
        ({"early_stopping": True}, "`early_stopping` must be False where `target` lists several objectives"),
    ],
)
def test_what_cannot_be_is_refused_before_any_fit(settings, message):
    search = bowl(error_score="raise", **settings).set_params(estimator=Bowl(fails_above=-1))
    with pytest.raises((ScoringError, ObjectiveError), match=re.escape(message)):
        search.fit(X, Y)

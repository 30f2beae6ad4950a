"""What a fit can be told beside RandomizedSearchCV's arguments, and what it keeps however it ends."""

import math
import pickle
import time

import numpy as np
import pytest
from scipy.stats import expon, uniform
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.model_selection import KFold, RandomizedSearchCV, ShuffleSplit
from sklearn.svm import SVC
from support.estimators import Bowl, X, Y

import auger
from auger import Float, Optimizer, Space, insight, plots, report
from auger.errors import ConfigError, RecipeError, ScoringError, SpaceError
from auger.hosts.sklearn import AugerSearchCV
from auger.view import view

SPACE = {"x": Float(0.0, 1.0), "n": (1, 6)}


def bowl(space=SPACE, **settings):
    return AugerSearchCV(Bowl(), space, **{"n_iter": 12, "cv": 2, "random_state": 0, **settings})


def params(search):
    return search.cv_results_["params"]


class Interrupts:
    """A callback that presses Ctrl-C after a number of candidates."""

    def __init__(self, after):
        self.after = after
        self.n_calls = 0

    def __call__(self, trial):
        self.n_calls += 1
        if self.n_calls == self.after:
            raise KeyboardInterrupt


class InterruptedRefit(Bowl):
    """Fits on half of the rows, and presses Ctrl-C on all of them, which only the refit has."""

    def fit(self, X, y=None, sample_weight=None):
        if len(X) == 20:
            raise KeyboardInterrupt
        return super().fit(X, y)


# -- the name of the space ------------------------------------------------------------------------------------------


def test_a_user_of_random_search_changes_the_class_only():
    arguments = {"param_distributions": {"x": uniform(), "n": [1, 2, 3]}, "n_iter": 3, "cv": 2, "random_state": 0}
    theirs = RandomizedSearchCV(estimator=Bowl(), **arguments).fit(X, Y)
    ours = AugerSearchCV(estimator=Bowl(), **arguments).fit(X, Y)
    assert ours.best_params_.keys() == theirs.best_params_.keys()


def test_both_names_of_the_space_lead_to_the_same_search():
    searches = [
        AugerSearchCV(Bowl(), SPACE, n_iter=12, cv=2, random_state=0),
        AugerSearchCV(Bowl(), param_distributions=SPACE, n_iter=12, cv=2, random_state=0),
        AugerSearchCV(Bowl(), space=SPACE, n_iter=12, cv=2, random_state=0),
    ]
    candidates = [params(copied.fit(X, Y)) for search in searches for copied in (search, clone(search))]
    assert all(each == candidates[0] for each in candidates)


def test_one_name_replaces_the_other_when_parameters_are_set():
    search = bowl().set_params(space={"x": (0.0, 0.1)}, n_iter=3).fit(X, Y)
    assert search.param_distributions is None and set(search.best_params_) == {"x"}
    search.set_params(param_distributions={"n": (1, 6)}).fit(X, Y)
    assert search.space is None and set(search.best_params_) == {"n"}


@pytest.mark.parametrize(
    ("spaces", "says"), [({}, "Got neither"), ({"param_distributions": SPACE, "space": SPACE}, "Got both")]
)
def test_the_space_must_have_exactly_one_name(spaces, says):
    with pytest.raises(SpaceError, match=f"`param_distributions` must hold the parameters.*{says}"):
        AugerSearchCV(Bowl(), **spaces).fit(X, Y)


# -- the optimizer --------------------------------------------------------------------------------------------------


def test_the_optimizer_has_all_trials_with_their_scores():
    search = bowl().fit(X, Y)
    trials = search.optimizer_.trials
    assert isinstance(search.optimizer_, Optimizer) and search.optimizer_.direction.value == "maximize"
    assert [trial.config for trial in trials] == params(search)
    assert [trial.value for trial in trials] == search.cv_results_["mean_test_score"].tolist()
    assert search.optimizer_.best.number == search.best_index_
    seconds = 2 * (search.cv_results_["mean_fit_time"] + search.cv_results_["mean_score_time"])
    np.testing.assert_allclose([trial.cost for trial in trials], seconds)


def test_plots_insight_and_reports_work_on_the_search_and_on_its_optimizer():
    search = bowl(scoring={"worth": lambda model, X, y: model.score(X, y)}, refit="worth").fit(X, Y)
    for run in (search, search.optimizer_):
        assert plots.history(run).data
        assert insight.importance(run)
        assert "<html" in report.report_html(run)
    run = view(search)
    assert run.name == "AugerSearchCV of Bowl" and run.objectives.names == ("worth",)
    assert run.values_of(run.best)[0] == search.best_score_


def test_every_kind_of_space_can_be_looked_at():
    svc = SVC()
    space = [
        {"x": expon(), "options": [{"a": 1}, None]},
        {"n": (1, 6), "options": [np.zeros(2), 1, 1.0]},
        {"options": [svc, "b"], "penalty": Float(0, 1, when={"options": svc})},
    ]
    search = bowl(space, n_iter=22).fit(X, Y)
    for run in (search, search.optimizer_):
        for plot in ("history", "slices", "parallel", "importance", "reliability", "skill"):
            assert plots.PLOTS[plot](run).data
        assert plots.slice_of_good(run, "x (quantile)").data
        assert insight.importance(run) and insight.rules(run) is not None and insight.why(run, 15)
        assert "<html" in report.report_html(run)


def test_a_search_that_was_not_fitted_cannot_be_looked_at():
    with pytest.raises(NotFittedError, match="Call `fit` first"):
        view(bowl())


@pytest.mark.parametrize("recipe", ["auto", "bore-mlp"])
def test_a_pickled_search_keeps_its_optimizer_and_continues_alike(recipe):
    search = bowl(recipe=recipe, n_iter=13, warm_start=True).fit(X, Y)
    loaded = pickle.loads(pickle.dumps(search))
    assert loaded.optimizer_.trials == search.optimizer_.trials
    assert params(loaded.fit(X, Y)) == params(search.fit(X, Y)) and len(params(search)) == 26


# -- first candidates -----------------------------------------------------------------------------------------------


def test_first_candidates_are_tried_first_and_completed():
    search = bowl(enqueue=[{"x": 0.3, "n": 3}, {"n": 6}]).fit(X, Y)
    assert params(search)[0] == {"x": 0.3, "n": 3} and params(search)[1]["n"] == 6
    assert search.cv_results_["origin"][0] == "given" and len(params(search)) == 12
    assert search.best_index_ == 0


def test_first_candidates_run_with_the_values_as_they_were_passed():
    svc = SVC()
    search = bowl({"x": expon(), "options": [svc, {"a": 1}, 1, 1.0]}, enqueue=[{"x": 0.3, "options": {"a": 1}}])
    search.fit(X, Y)
    assert params(search)[0] == {"x": 0.3, "options": {"a": 1}}


def test_first_candidates_of_a_list_of_dicts_find_their_dict():
    search = bowl([{"x": (0.0, 1.0)}, {"n": (1, 6), "penalty": [0.0, 1.0]}], enqueue=[{"n": 4}, {"x": 0.25}]).fit(X, Y)
    assert params(search)[0]["n"] == 4 and "penalty" in params(search)[0]
    assert params(search)[1] == {"x": 0.25}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"enqueue": [{"x": 0.5}, {"x": 3.0}]}, "`enqueue`, candidate 2: Parameter 'x' must be"),
        ({"enqueue": [{"y": 3.0}]}, "`enqueue`, candidate 1: Unknown parameter 'y'"),
        ({"enqueue": [3]}, "`enqueue`, candidate 1: A candidate must map names"),
        ({"enqueue": [{}]}, "`enqueue`, candidate 1: .*at least one value"),
        ({"enqueue": [{"x": 0.1}, {"x": 0.2}], "n_iter": 1}, "`n_iter` must be at least .* 2. Got 1"),
        (
            {"enqueue": [{"x": 0.1, "n": 2}], "param_distributions": Space(SPACE, constraints=["n > 2"])},
            "`enqueue`, candidate 1: .*constraints",
        ),
    ],
    ids=str,
)
def test_first_candidates_are_checked_before_any_fit(settings, says):
    search = bowl(error_score="raise").set_params(estimator=Bowl(fails_above=-1), **settings)
    with pytest.raises(ConfigError, match=says):
        search.fit(X, Y)


# -- the end of a search --------------------------------------------------------------------------------------------


def test_no_candidate_begins_after_the_timeout():
    calls = []

    def slow(model, X, y):
        calls.append(model)
        time.sleep(0.02)
        return model.score(X, y)

    search = bowl(n_iter=None, timeout=0.3, scoring=slow, refit=False).fit(X, Y)
    # two folds of 0.02 seconds: the eighth candidate begins after 0.28 seconds, or later
    assert len(calls) == 2 * len(params(search)) and 1 <= len(params(search)) <= 8


def test_one_batch_runs_whatever_the_timeout():
    assert len(params(bowl(timeout=1e-9).fit(X, Y))) == 1
    assert len(params(bowl(timeout=1e-9, batch_size=4).fit(X, Y))) == 4


def test_without_a_number_a_finite_space_is_tried_to_its_end():
    search = bowl({"n": (1, 6), "penalty": [0.0, 1.0]}, n_iter=None).fit(X, Y)
    assert len({tuple(each.items()) for each in params(search)}) == len(params(search)) == 12


def test_a_search_that_nothing_would_end_is_refused():
    with pytest.raises(ValueError, match="`n_iter` must be a number unless `timeout`, a `callback` or a finite space"):
        bowl(n_iter=None).fit(X, Y)


@pytest.mark.parametrize("settings", [{"timeout": 0}, {"timeout": -1.0}, {"timeout": "1"}, {"callback": 3}], ids=str)
def test_wrong_settings_are_the_hosts_errors(settings):
    with pytest.raises(ValueError, match=f"The '{next(iter(settings))}' parameter of AugerSearchCV must be"):
        bowl(**settings).fit(X, Y)


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("batch", [1, 5])
def test_callbacks_see_each_candidate_once_in_order_with_its_score(early_stopping, batch):
    trials, numbers = [], []
    callbacks = [trials.append, lambda trial: numbers.append(trial.number)]
    search = bowl(callback=callbacks, early_stopping=early_stopping, batch_size=batch).fit(X, Y)
    assert numbers == list(range(12)) == [trial.number for trial in trials]
    means = search.cv_results_["mean_test_score"]
    assert all(trial.value == mean for trial, mean in zip(trials, means, strict=True) if not math.isnan(mean))
    assert trials == search.optimizer_.trials


@pytest.mark.parametrize(("batch", "n_kept"), [(1, 3), (5, 5)])
def test_a_callback_can_end_the_search(batch, n_kept):
    def enough(trial):
        if trial.number == 2:
            raise auger.StopSearch

    numbers = []
    search = bowl(callback=[enough, lambda trial: numbers.append(trial.number)], batch_size=batch, n_iter=None)
    search.fit(X, Y)
    # the other candidates of the batch have a result by then
    assert len(params(search)) == n_kept and numbers == list(range(n_kept))
    assert search.best_estimator_.x == search.best_params_["x"]


def test_a_list_with_something_else_than_functions_is_refused():
    with pytest.raises(TypeError, match="`callback` must be a function of a trial, or a list of functions. Got 3"):
        bowl(callback=[print, 3]).fit(X, Y)


# -- continuing -----------------------------------------------------------------------------------------------------


def test_another_fit_continues_where_the_first_one_ended():
    whole = bowl(n_iter=24).fit(X, Y)
    halves = bowl(n_iter=12, warm_start=True).fit(X, Y).fit(X, Y)
    assert params(halves) == params(whole)
    np.testing.assert_array_equal(halves.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"])
    assert halves.best_index_ == whole.best_index_ and len(halves.optimizer_.trials) == 24


def test_without_warm_start_another_fit_begins_anew():
    search = bowl().fit(X, Y)
    assert params(search.fit(X, Y)) == params(bowl().fit(X, Y))


def test_a_search_can_be_continued_that_was_not_meant_to_be():
    search = bowl().fit(X, Y)
    assert len(params(search.set_params(warm_start=True, n_iter=3).fit(X, Y))) == 15


def test_folds_that_were_drawn_stay_the_same():
    search = bowl({"n": (1, 100)}, cv=ShuffleSplit(2, test_size=4), warm_start=True).fit(X, Y).fit(X, Y)
    results = search.cv_results_
    # less what is the candidate's, what is left is the fold's
    left = results["split0_test_score"] + abs(np.asarray(results["param_n"], dtype=float) - 3)
    np.testing.assert_allclose(left, left[0], atol=1e-12)


def test_an_interrupted_search_is_continued_with_the_candidate_that_was_lost():
    whole = bowl(n_iter=16).fit(X, Y)
    search = bowl(n_iter=16, warm_start=True, scoring=InterruptsAt(call=2 * 12 + 1))
    with pytest.warns(UserWarning, match="interrupted after 12 of 16 candidates"):
        search.fit(X, Y)
    search.set_params(n_iter=4).fit(X, Y)
    assert params(search) == params(whole)


def test_first_candidates_are_tried_once():
    search = bowl(enqueue=[{"x": 0.3, "n": 3}], warm_start=True, n_iter=2).fit(X, Y).fit(X, Y)
    assert params(search).count({"x": 0.3, "n": 3}) == 1
    search.set_params(enqueue=[{"x": 0.3, "n": 3}, {"n": 6}]).fit(X, Y)
    assert params(search)[4]["n"] == 6 and len(params(search)) == 6


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"space": {"x": (0.0, 2.0), "n": (1, 6)}}, SpaceError, "`space` must be the space of the fit.*Got another"),
        ({"cv": 4}, ScoringError, "The folds must be those"),
        ({"return_train_score": True}, ScoringError, "It had test_score. Got test_score, train_score"),
        ({"scoring": "r2"}, ScoringError, "`scoring` must be that of the fit"),
        ({"estimator__penalty": 1.0}, ScoringError, "`estimator` must be that of the fit"),
        ({"recipe": "tpe"}, RecipeError, "`recipe` must be that of the fit"),
    ],
    ids=str,
)
def test_what_cannot_be_continued_is_refused_and_leaves_the_search_as_it_was(settings, error, says):
    search = bowl().fit(X, Y)
    before, results = search.best_estimator_, search.cv_results_
    with pytest.raises(error, match=says):
        search.set_params(warm_start=True, **settings).fit(X, Y)
    assert search.best_estimator_ is before and search.cv_results_ is results


def test_the_metric_to_optimize_cannot_change_in_the_middle():
    metrics = {"worth": lambda model, X, y: model.score(X, y), "far": lambda model, X, y: -((model.x - 0.9) ** 2)}
    search = bowl(scoring=metrics, refit="worth", warm_start=True).fit(X, Y)
    with pytest.raises(ScoringError, match="`refit` or `target` must name the metric .*'worth'. Got 'far'"):
        search.set_params(refit="far").fit(X, Y)


def test_data_with_another_number_of_rows_is_refused():
    search = bowl(warm_start=True).fit(X, Y)
    with pytest.raises(ScoringError, match=r"with 20 rows.*Got 18 rows"):
        search.fit(X[:18], Y[:18])


def test_a_space_that_was_tried_to_its_end_leaves_nothing_to_continue():
    search = bowl({"n": (1, 6)}, n_iter=5, warm_start=True).fit(X, Y)
    with pytest.warns(UserWarning, match="The space has 1 configurations left, fewer than n_iter=5"):
        search.fit(X, Y)
    with pytest.warns(UserWarning, match="Every configuration of the space was tried. Nothing was fitted"):
        search.fit(X, Y)
    assert sorted(each["n"] for each in params(search)) == [1, 2, 3, 4, 5, 6]


# -- what is kept ---------------------------------------------------------------------------------------------------


class InterruptsAt:
    """A scorer that presses Ctrl-C once, at a number of calls."""

    def __init__(self, call):
        self.call = call
        self.n_calls = 0

    def __call__(self, model, X, y):
        self.n_calls += 1
        if self.n_calls == self.call:
            raise KeyboardInterrupt
        return model.score(X, y)


@pytest.mark.parametrize("early_stopping", [False, True])
def test_ctrl_c_keeps_the_finished_candidates_and_refits_the_best(early_stopping):
    search = bowl(scoring=InterruptsAt(call=8), early_stopping=early_stopping, batch_size=1)
    with pytest.warns(UserWarning, match="interrupted after 3 of 12 candidates, which are kept. The best") as told:
        search.fit(X, Y)
    assert told[0].filename == __file__
    assert params(search) == params(bowl(n_iter=3).fit(X, Y))
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    assert search.best_estimator_.x == search.best_params_["x"]
    assert [trial.state.value for trial in search.optimizer_.trials] == ["complete"] * 3 + ["running"]


def test_ctrl_c_in_a_callback_keeps_the_whole_batch():
    search = bowl(callback=Interrupts(after=2), batch_size=4, refit=False)
    with pytest.warns(UserWarning, match="after 4 of 12 candidates, which are kept.$"):
        search.fit(X, Y)
    assert len(params(search)) == 4


@pytest.mark.parametrize("is_continued", [False, True])
def test_ctrl_c_before_the_first_result_is_not_caught(is_continued):
    search = bowl(n_iter=2, warm_start=True, scoring=InterruptsAt(call=5 if is_continued else 1))
    if is_continued:
        search.fit(X, Y)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert hasattr(search, "best_params_") == is_continued


def test_ctrl_c_between_the_folds_of_the_first_candidate_is_not_caught():
    with pytest.raises(KeyboardInterrupt):
        bowl(early_stopping=True, scoring=InterruptsAt(call=2)).fit(X, Y)


def test_a_second_ctrl_c_ends_the_refit_and_the_table_is_kept():
    search = bowl().set_params(estimator=InterruptedRefit())
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert len(params(search)) == 12 and not hasattr(search, "best_estimator_")
    assert search.best_params_ == params(search)[search.best_index_] and len(search.optimizer_.trials) == 12


def test_an_error_that_ends_the_search_leaves_what_was_finished():
    def complain(trial):
        if trial.number == 4:
            raise RuntimeError("no space left on device")

    search = bowl(callback=complain)
    with pytest.raises(RuntimeError, match="no space left"):
        search.fit(X, Y)
    assert params(search) == params(bowl(n_iter=5).fit(X, Y)) and search.best_index_ in range(5)
    assert search.cv == 2 and search.verbose == 0 and not hasattr(search, "best_estimator_")
    assert len(params(search.set_params(warm_start=True, callback=None, n_iter=2).fit(X, Y))) == 7


def test_a_fit_that_raises_leaves_what_was_finished():
    search = bowl(error_score="raise").set_params(estimator=Bowl(fails_above=0.6))
    with pytest.raises(RuntimeError, match="does not work"):
        search.fit(X, Y)
    assert 0 < len(params(search)) < 12 and all(each["x"] <= 0.6 for each in params(search))


# -- failures -------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.parametrize("infinity", [math.inf, -math.inf])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_an_infinite_score_is_a_failure(infinity, early_stopping):
    def scoring(model, X, y):
        return infinity if model.n == 5 else model.score(X, y)

    search = bowl(scoring=scoring, n_iter=16, early_stopping=early_stopping, enqueue=[{"n": 5}]).fit(X, Y)
    failed = np.array([each["n"] == 5 for each in params(search)])
    assert search.best_params_["n"] != 5 and math.isfinite(search.best_score_)
    assert np.isnan(search.cv_results_["mean_test_score"][failed]).all()
    assert (
        search.cv_results_["rank_test_score"][failed].min() > search.cv_results_["rank_test_score"][~failed].max() - 1
    )
    assert search.cv_results_["split0_test_score"][0] == infinity
    trial = search.optimizer_.trials[0]
    assert trial.state.value == "failed" and trial.error == f"its score is {infinity}"


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_many_failures_are_two_warnings_and_every_trial_has_its_error():
    with pytest.warns(FitFailedWarning) as told:
        search = bowl(batch_size=1).set_params(estimator=Bowl(fails_above=0.5)).fit(X, Y)
    failed = [each for each in search.optimizer_.trials if each.state.value == "failed"]
    assert len(failed) > 1 and all(
        each.error == f"RuntimeError: x = {each.config['x']} does not work" for each in failed
    )
    messages = [str(warning.message) for warning in told if warning.category is FitFailedWarning]
    assert len(messages) == 2 and "All the 2 fits failed" in messages[0]
    assert messages[1].startswith(f"{len(failed)} of 12 candidates failed.")


# -- verbose --------------------------------------------------------------------------------------------------------


def test_verbose_prints_one_line_per_candidate_with_the_best_so_far(capsys):
    search = bowl(verbose=1, batch_size=3).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    means = search.cv_results_["mean_test_score"]
    assert len(lines) == 12
    for i, line in enumerate(lines):
        assert line.startswith(f"{i + 1} of 12: score {means[i]:.4g}, best so far {means[: i + 1].max():.4g}, ")
    assert search.verbose == 1


@pytest.mark.filterwarnings("ignore")
def test_verbose_says_what_failed_and_what_was_stopped(capsys):
    space = {"x": Float(0.0, 1.0), "penalty": [0.0, 1.0, 5.0]}
    search = bowl(space, verbose=1, early_stopping=True, n_iter=20, cv=KFold(5), timeout=600)
    search.set_params(estimator=Bowl(fails_above=0.9)).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 20
    assert any(": failed (RuntimeError: x = " in line for line in lines)
    assert any(": stopped after " in line and "predicted score" in line for line in lines)


def test_more_verbose_adds_what_scikit_learn_says_of_each_fold(capsys):
    bowl(verbose=2, n_iter=2).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("[CV] END") for line in lines) == 4
    assert sum("best so far" in line for line in lines) == 2 and not any("Fitting" in line for line in lines)

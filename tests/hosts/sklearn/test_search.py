import math
import pickle
import warnings

import numpy as np
import pytest
import sklearn
from scipy import sparse
from scipy.stats import loguniform, uniform
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GroupKFold, KFold, RandomizedSearchCV, ShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from support.estimators import Bowl, X, Y

from auger import Float, Int, Optimizer, Space
from auger.errors import RecipeError, ScoringError, SpaceError
from auger.hosts.sklearn import AugerSearchCV
from auger.hosts.sklearn.search import batch_size
from auger.hosts.sklearn.spaces import read_space

SPACE = {"x": Float(0.0, 1.0), "n": (1, 6)}
IRIS = load_iris(return_X_y=True)


def bowl(space=SPACE, **settings):
    return AugerSearchCV(Bowl(), space, **{"n_iter": 16, "cv": 3, "random_state": 0, **settings})


def params(search):
    return search.cv_results_["params"]


# -- like RandomizedSearchCV ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", [None, "accuracy", ["accuracy", "f1_macro"]], ids=str)
@pytest.mark.parametrize("early_stopping", [False, True])
def test_the_results_have_the_columns_shapes_and_types_that_users_know(scoring, early_stopping):
    settings = {"n_iter": 6, "cv": 3, "scoring": scoring, "return_train_score": True, "random_state": 0}
    settings["refit"] = "accuracy" if isinstance(scoring, list) else True
    space = {"max_depth": [2, 3, None], "ccp_alpha": uniform(0, 0.1), "criterion": ["gini", "entropy"]}
    model = DecisionTreeClassifier(random_state=0)
    theirs = RandomizedSearchCV(model, space, **settings).fit(*IRIS)
    ours = AugerSearchCV(model, space, early_stopping=early_stopping, **settings).fit(*IRIS)
    more = {"origin", "reason", "is_stopped"} if early_stopping else {"origin", "reason"}
    assert ours.cv_results_.keys() == theirs.cv_results_.keys() | more
    for key, column in theirs.cv_results_.items():
        assert type(ours.cv_results_[key]) is type(column) and len(ours.cv_results_[key]) == 6
        if isinstance(column, np.ndarray):
            assert (ours.cv_results_[key].dtype, ours.cv_results_[key].shape) == (column.dtype, column.shape), key
    fitted = {name for name in vars(theirs) if name.endswith("_")}
    assert {name for name in vars(ours) if name.endswith("_")} == fitted | {"optimizer_"}
    assert ours.n_splits_ == 3


def test_what_is_best_is_best_by_the_table():
    search = bowl().fit(X, Y)
    results = search.cv_results_
    assert search.best_index_ == np.argmax(results["mean_test_score"]) == np.argmin(results["rank_test_score"])
    assert search.best_score_ == results["mean_test_score"][search.best_index_]
    assert search.best_params_ == results["params"][search.best_index_]
    assert search.best_estimator_.get_params()["x"] == search.best_params_["x"]
    np.testing.assert_array_equal(search.predict(X), np.zeros(20))
    # -(x - 0.3)^2 - |n - 3| - 0.0195: found, with a model for eleven of the sixteen
    assert search.best_params_["n"] == 3 and abs(search.best_params_["x"] - 0.3) < 0.1
    assert list(results["origin"]) == ["initial"] * 5 + ["model"] * 11
    assert all(reason.startswith("auto, ") for reason in results["reason"][5:])


def test_it_finds_more_than_random_search_at_the_same_cost():
    lost = []
    for seed in range(5):
        theirs = RandomizedSearchCV(Bowl(), {"x": uniform(), "n": range(1, 7)}, n_iter=25, cv=2, random_state=seed)
        lost.append(bowl(n_iter=25, cv=2, random_state=seed).fit(X, Y).best_score_ < theirs.fit(X, Y).best_score_)
    assert not any(lost)


# -- only a door ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", ["auto", "tpe", "bore-rf gamma=0.25 calibration=platt ensemble=2"])
@pytest.mark.parametrize("batch", [1, 3])
def test_the_candidates_are_those_of_an_optimizer_told_the_same_values(recipe, batch):
    search = bowl(recipe=recipe, batch_size=batch, random_state=7).fit(X, Y)
    optimizer = Optimizer(SPACE, recipe, seed=7)
    scores = search.cv_results_["mean_test_score"]
    configs = []
    while len(configs) < 16:
        n_first = optimizer.recipe.at(0, 0).n_initial
        trials = optimizer.ask(min(batch if configs else n_first, 16 - len(configs)))
        for trial in trials:
            optimizer.tell(trial, -scores[trial.number])
        configs += [trial.config for trial in trials]
    assert params(search) == configs


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_candidates_that_fail_are_failed_trials():
    with pytest.warns(FitFailedWarning):
        search = AugerSearchCV(Bowl(fails_above=0.6), SPACE, n_iter=16, cv=2, batch_size=1, random_state=3).fit(X, Y)
    scores = search.cv_results_["mean_test_score"]
    optimizer = Optimizer(SPACE, seed=3)
    for trial in optimizer.ask(5):
        told = {"error": "failed"} if math.isnan(scores[trial.number]) else {"value": -scores[trial.number]}
        optimizer.tell(trial, **told)
    assert 0 < np.isnan(scores[:5]).sum() < 5
    assert [each["x"] > 0.6 for each in params(search)] == np.isnan(scores).tolist()
    assert params(search)[5] == optimizer.ask().config


def test_the_same_random_state_gives_the_same_candidates():
    first, second, other = (bowl(random_state=seed).fit(X, Y) for seed in (1, 1, 2))
    assert params(first) == params(second) != params(other)
    drawn = [bowl(random_state=np.random.RandomState(5)).fit(X, Y) for _ in range(2)]
    assert params(drawn[0]) == params(drawn[1])


def test_two_jobs_give_the_candidates_of_the_batches_they_have():
    space = {"C": loguniform(1e-3, 1e3)}
    settings = {"n_iter": 13, "cv": 2, "random_state": 0}
    alone = AugerSearchCV(LogisticRegression(max_iter=500), space, batch_size=1, **settings).fit(*IRIS)
    both = AugerSearchCV(LogisticRegression(max_iter=500), space, n_jobs=2, **settings).fit(*IRIS)
    # two folds of one candidate are enough for two jobs
    assert params(alone) == params(both)
    np.testing.assert_array_equal(alone.cv_results_["mean_test_score"], both.cv_results_["mean_test_score"])


@pytest.mark.parametrize(
    ("n_jobs", "n_fits", "size"),
    [(1, 5, 1), (2, 5, 2), (3, 5, 3), (4, 5, 3), (4, 4, 1), (5, 5, 1), (8, 5, 3), (16, 5, 3), (64, 5, 12), (8, 1, 8)],
)
def test_a_batch_is_as_small_as_keeps_the_jobs_busy(n_jobs, n_fits, size):
    assert batch_size(n_jobs, n_fits) == size


# -- folds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("early_stopping", [False, True])
def test_all_candidates_have_the_same_folds_even_when_they_are_drawn(early_stopping):
    search = AugerSearchCV(
        Bowl(),
        {"n": (1, 30)},
        n_iter=14,
        cv=ShuffleSplit(3, test_size=4),
        batch_size=1,
        early_stopping=early_stopping,
        random_state=0,
    ).fit(X, Y)
    results = search.cv_results_
    # less what is the candidate's, what is left is the folds'
    left = [results[f"split{i}_test_score"] + abs(results["param_n"] - 3) + 0.04 for i in range(3)]
    for column in left:
        finite = column[np.isfinite(column)]
        np.testing.assert_allclose(np.asarray(finite, dtype=float), finite[0], atol=1e-12)


@pytest.mark.parametrize("early_stopping", [False, True])
def test_folds_can_be_a_generator_and_groups_reach_the_splitter(early_stopping):
    pairs = ((np.arange(10), np.arange(10, 20)), (np.arange(10, 20), np.arange(10)))
    search = bowl(cv=(pair for pair in pairs), early_stopping=early_stopping).fit(X, Y)
    assert search.n_splits_ == 2
    grouped = bowl(cv=GroupKFold(4), early_stopping=early_stopping).fit(X, Y, groups=np.arange(20) // 5)
    # the last group of four is rows 15 to 19: the mean of 30 ... 39 is 34.5
    score = grouped.cv_results_["split0_test_score"] + (grouped.cv_results_["param_x"] - 0.3) ** 2
    worth = score + abs(grouped.cv_results_["param_n"] - 3)
    assert {round(-1000 * value, 6) for value in worth} == {34.5} or early_stopping


# -- failures -------------------------------------------------------------------------------------------------------


def test_an_error_is_raised_when_asked_for():
    with pytest.raises(RuntimeError, match="does not work"):
        AugerSearchCV(Bowl(fails_above=0.2), SPACE, error_score="raise", random_state=0).fit(X, Y)


@pytest.mark.parametrize("early_stopping", [False, True])
def test_when_every_fit_fails_the_host_says_so(early_stopping):
    search = bowl(early_stopping=early_stopping).set_params(estimator=Bowl(fails_above=-1))
    with (
        pytest.warns(FitFailedWarning),
        pytest.raises(ValueError, match=r"All the \d+ fits failed(.|\n)*does not work"),
    ):
        search.fit(X, Y)


def test_a_number_for_failures_is_their_score():
    with pytest.warns(FitFailedWarning):
        search = bowl(error_score=-9.0, batch_size=1).set_params(estimator=Bowl(fails_above=0.6)).fit(X, Y)
    failed = np.array([each["x"] > 0.6 for each in params(search)])
    assert (search.cv_results_["mean_test_score"][failed] == -9.0).all()
    assert np.isfinite(search.cv_results_["mean_test_score"]).all() and failed.any()


def test_an_unknown_parameter_is_the_hosts_error_at_once():
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        AugerSearchCV(Bowl(), {"depth": (1.0, 3.0)}).fit(X, Y)


def test_scores_that_are_all_nan_end_as_they_do_in_scikit_learn():
    def nothing(estimator, X, y):
        return math.nan

    with pytest.warns(UserWarning, match="scores are non-finite"):
        search = bowl(scoring=nothing).fit(X, Y)
    assert search.best_index_ == 0 and math.isnan(search.best_score_)
    assert set(search.cv_results_["rank_test_score"]) == {1}
    assert "no value to learn from" in search.cv_results_["reason"][15]


def test_scores_that_are_all_the_same_are_no_trouble():
    search = AugerSearchCV(DummyClassifier(), {"random_state": (0, 1000)}, n_iter=13, cv=2, random_state=0)
    search.fit(np.zeros((12, 1)), np.arange(12) % 2)
    assert search.best_score_ == 0.5 and set(search.cv_results_["rank_test_score"]) == {1}


def test_a_target_of_one_class_is_the_estimators_business():
    search = AugerSearchCV(LogisticRegression(), {"C": (0.1, 1.0)}, n_iter=2, cv=2)
    with pytest.warns(FitFailedWarning), pytest.raises(ValueError, match="(.|\n)*at least 2 classes"):
        search.fit(IRIS[0], np.zeros(150))


# -- the size of things ---------------------------------------------------------------------------------------------


def test_one_candidate_is_enough():
    assert len(params(bowl(n_iter=1).fit(X, Y))) == 1


@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_small_space_is_tried_once_and_no_more(early_stopping):
    space = Space({"n": (1, 4), "x": [0.1, 0.2, 0.3, 0.4]}, constraints=["n != 2"])
    with pytest.warns(UserWarning, match="The space has 12 configurations, fewer than n_iter=50") as told:
        search = bowl(space, n_iter=50, early_stopping=early_stopping).fit(X, Y)
    assert told[0].filename == __file__
    assert len({tuple(each.items()) for each in params(search)}) == len(params(search)) == 12
    assert search.best_params_ == {"n": 3, "x": 0.3}


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"n_iter": 0}, ValueError, "'n_iter' parameter of AugerSearchCV must be an int in the range"),
        ({"batch_size": 0}, ValueError, "'batch_size' parameter"),
        ({"early_stopping": "yes"}, ValueError, "'early_stopping' parameter"),
        ({"random_state": -1}, ValueError, "'random_state' parameter"),
        ({"recipe": "bore-fr"}, RecipeError, "Did you mean 'bore-rf'"),
        ({"recipe": "bore-rf gama=0.2"}, RecipeError, "Did you mean 'gamma'"),
        ({"space": {"x": 3}}, SpaceError, "Parameter 'x' must be"),
        ({"space": "x"}, ValueError, "'space' parameter"),
        ({"space": Space({"n": (1, 4)}, constraints=["n > 4"])}, SpaceError, "constraints must leave something"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused_before_anything_is_fitted(settings, error, says):
    search = AugerSearchCV(Bowl(fails_above=-1), SPACE, error_score="raise").set_params(**settings)
    with pytest.raises(error, match=says):
        search.fit(X, Y)


# -- several metrics ------------------------------------------------------------------------------------------------

METRICS = {"worth": lambda model, X, y: model.score(X, y), "far": lambda model, X, y: -((model.x - 0.9) ** 2)}


@pytest.mark.parametrize(
    "scoring", [METRICS, lambda *arguments: {name: of(*arguments) for name, of in METRICS.items()}]
)
@pytest.mark.parametrize(("refit", "optimum"), [("worth", 0.3), ("far", 0.9)])
def test_the_metric_that_refit_names_is_optimized(scoring, refit, optimum):
    search = bowl({"x": (0.0, 1.0)}, n_iter=20, scoring=scoring, refit=refit).fit(X, Y)
    assert abs(search.best_params_["x"] - optimum) < 0.01
    assert search.best_score_ == search.cv_results_[f"mean_test_{refit}"].max()


@pytest.mark.parametrize(
    "scoring", [METRICS, lambda *arguments: {name: of(*arguments) for name, of in METRICS.items()}]
)
@pytest.mark.parametrize("refit", [False, lambda results: 3, "worth"], ids=["no", "callable", "another"])
def test_the_target_is_optimized_whatever_is_refitted(scoring, refit):
    search = bowl({"x": (0.0, 1.0)}, n_iter=20, scoring=scoring, refit=refit, target="far").fit(X, Y)
    assert abs(params(search)[search.cv_results_["rank_test_far"].argmin()]["x"] - 0.9) < 0.01
    if callable(refit):
        assert search.best_index_ == 3
    if refit == "worth":
        assert search.best_score_ == search.cv_results_["mean_test_worth"].max()


@pytest.mark.parametrize(
    ("scoring", "says"),
    [
        (METRICS, "'worth', 'far'. Got 'near'"),
        (None, "one metric"),
        (lambda *_: 1.0, "one metric"),
        ("r2", "one metric"),
    ],
    ids=["several", "none", "function", "one"],
)
def test_a_target_that_is_no_metric_is_refused(scoring, says):
    with pytest.raises(ScoringError, match=f"`target` must be one of several metrics: .*{says}"):
        bowl({"x": (0.0, 1.0)}, scoring=scoring, target="near", refit=False).fit(X, Y)


@pytest.mark.parametrize("refit", [False, lambda results: 0, "other"], ids=["no", "callable", "unknown"])
def test_when_it_is_not_clear_what_to_optimize_it_is_asked_for(refit):
    several = bowl(scoring=lambda *arguments: {name: of(*arguments) for name, of in METRICS.items()}, refit=refit)
    with pytest.raises(ScoringError, match="`refit` must name the metric to optimize.*'worth', 'far'"):
        several.fit(X, Y)


def test_declared_metrics_without_a_target_are_refused_before_any_fit():
    search = bowl(scoring=METRICS, refit=False, error_score="raise").set_params(estimator=Bowl(fails_above=-1))
    with pytest.raises(ScoringError, match="Got False"):
        search.fit(X, Y)


def test_refit_can_be_left_out_or_be_a_function():
    without = bowl(refit=False).fit(X, Y)
    assert (
        not hasattr(without, "best_estimator_") and without.best_score_ == without.cv_results_["mean_test_score"].max()
    )
    chosen = bowl(refit=lambda results: 5).fit(X, Y)
    assert chosen.best_index_ == 5 and chosen.best_params_ == params(chosen)[5]
    assert params(chosen) == params(without)
    single = bowl(scoring={"worth": METRICS["worth"]}, refit=False).fit(X, Y)
    assert params(single) == params(without)


def test_losses_are_minimized():
    # the best constant shrinks nothing
    search = AugerSearchCV(
        Ridge(),
        {"alpha": Float(1e-3, 1e6, log=True)},
        n_iter=12,
        cv=3,
        scoring=make_scorer(mean_absolute_error, greater_is_better=False),
        random_state=0,
    ).fit(X, X[:, 0])
    assert search.best_params_["alpha"] < 10 and search.best_score_ > -0.1


# -- pipelines ------------------------------------------------------------------------------------------------------


def test_a_pipeline_chooses_its_steps_and_their_settings():
    svc, tree = SVC(), DecisionTreeClassifier(random_state=0)
    space = {
        "scale": ["passthrough", StandardScaler(), MinMaxScaler()],
        "clf": [svc, tree],
        "clf__C": Float(1e-2, 1e3, log=True, when={"clf": svc}),
        "clf__max_depth": Int(1, 5, when={"clf": tree}),
    }
    search = AugerSearchCV(Pipeline([("scale", None), ("clf", svc)]), space, n_iter=14, cv=3, random_state=0)
    for each in (search, clone(search), pickle.loads(pickle.dumps(search))):
        each.fit(*IRIS)
        assert each.best_score_ > 0.95
        assert all(("clf__C" in p) == isinstance(p["clf"], SVC) for p in params(each))
        assert each.cv_results_["param_clf__C"].mask.any()
        assert [repr(p) for p in params(each)] == [repr(p) for p in params(search)]
    assert svc.C == 1.0 and not hasattr(svc, "classes_")  # the user's estimator is not changed


def test_a_list_of_dicts_is_searched_as_scikit_learns_searches_do():
    space = [
        {"clf": [SVC()], "clf__C": loguniform(1e-2, 1e3)},
        {"clf": [DecisionTreeClassifier(random_state=0)], "clf__max_depth": [1, 2, 3, None]},
    ]
    pipeline = Pipeline([("clf", SVC())])
    assert RandomizedSearchCV(pipeline, space, n_iter=4, cv=3).fit(*IRIS).best_score_ > 0.5
    search = AugerSearchCV(pipeline, space, n_iter=14, cv=3, random_state=0).fit(*IRIS)
    assert {type(each["clf"]) for each in params(search)} == {SVC, DecisionTreeClassifier}
    assert not any("branch" in name for each in params(search) for name in each)


# -- an estimator like others ---------------------------------------------------------------------------------------


def test_it_clones_pickles_and_tells_its_settings():
    search = bowl(Space(SPACE, constraints=["n != 2"]), early_stopping=True)
    twin = clone(search)
    assert twin.get_params().keys() == search.get_params().keys()
    assert search.get_params()["estimator__x"] == 0.5 and search.get_params()["n_iter"] == 16
    assert search.set_params(estimator__penalty=1.0, n_iter=12).estimator.penalty == 1.0
    fitted = twin.fit(X, Y)
    loaded = pickle.loads(pickle.dumps(fitted))
    assert loaded.best_params_ == fitted.best_params_ and params(loaded) == params(fitted)
    assert fitted.cv == 3 and params(loaded.fit(X, Y)) == params(fitted)


def test_weights_reach_the_fit_and_sparse_data_the_estimator():
    search = bowl(n_iter=2).fit(X, Y, sample_weight=np.full(20, 0.5))
    assert search.best_estimator_.weight_ == 10.0
    space = {"alpha": (0.1, 1.0)}
    assert AugerSearchCV(Ridge(), space, n_iter=2, cv=2).fit(sparse.csr_array(X), Y).predict(sparse.csr_array(X)).shape


def test_metadata_is_routed_as_in_scikit_learn():
    with sklearn.config_context(enable_metadata_routing=True):
        for early_stopping in (False, True):
            model = Bowl().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
            search = AugerSearchCV(
                model, SPACE, n_iter=2, cv=GroupKFold(2), early_stopping=early_stopping, random_state=0
            ).fit(X, Y, sample_weight=np.full(20, 0.5), groups=np.arange(20) % 2)
            assert search.best_estimator_.weight_ == 10.0


# -- early stopping -------------------------------------------------------------------------------------------------


def stopping_search(**settings):
    space = {"x": Float(0.0, 1.0), "penalty": [0.0, 1.0, 5.0]}
    return bowl(space, n_iter=30, cv=KFold(5), **settings)


def test_hopeless_candidates_are_stopped_marked_and_rank_last():
    search = stopping_search(early_stopping=True).fit(X, Y)
    results = search.cv_results_
    folds = np.array([results[f"split{i}_test_score"] for i in range(5)]).T
    stopped = results["is_stopped"]
    assert 3 < stopped.sum() < 30
    np.testing.assert_array_equal(stopped, np.isnan(folds).any(axis=1))
    # the folds that were run come first, and there is one at least
    assert all(np.isfinite(row[0]) and (np.diff(np.isnan(row).astype(int)) >= 0).all() for row in folds)
    np.testing.assert_array_equal(stopped, np.isnan(results["mean_test_score"]))
    assert results["rank_test_score"][stopped].min() > results["rank_test_score"][~stopped].max()
    assert all(
        ("; stopped after " in reason) == is_stopped
        for reason, is_stopped in zip(results["reason"], stopped, strict=True)
    )
    assert np.isfinite(results["mean_fit_time"]).all() and np.isfinite(results["std_score_time"]).all()
    assert not stopped[:4].any() and not stopped[search.best_index_]


def test_what_is_stopped_is_worse_than_what_is_best():
    search = stopping_search(early_stopping=True).fit(X, Y)
    values = [-((each["x"] - 0.3) ** 2) - each["penalty"] for each in params(search)]
    stopped = search.cv_results_["is_stopped"]
    assert np.argmax(values) == search.best_index_
    # two thirds at most are worse than the best third
    assert np.array(values)[stopped].max() < np.sort(values)[-len(values) // 3 :].max()
    assert search.best_score_ > stopping_search().fit(X, Y).best_score_ - 1e-3


def test_what_is_stopped_counts_as_pruned_by_the_optimizer():
    search = stopping_search(early_stopping=True, batch_size=1, recipe="tpe").fit(X, Y)
    results, search_space = search.cv_results_, read_space(search.param_distributions)
    optimizer = Optimizer(search_space.space, "tpe", seed=0)
    for number, expected in enumerate(params(search)):
        trial = optimizer.ask()
        assert trial.config == expected
        first = -results["split0_test_score"][number]  # tpe learns ranks only
        is_stopped = bool(results["is_stopped"][number])
        optimizer.tell(trial, first if is_stopped else -results["mean_test_score"][number], pruned=is_stopped)


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_candidate_that_fails_is_not_run_on_further_folds():
    with pytest.warns(FitFailedWarning):
        search = stopping_search(early_stopping=True).set_params(estimator=Bowl(fails_above=0.6)).fit(X, Y)
    failed = np.array([each["x"] > 0.6 for each in params(search)])
    assert failed.any() and search.cv_results_["is_stopped"][failed].all()
    assert all("failed on fold 1 of 5" in reason for reason in search.cv_results_["reason"][failed])


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_table_has_all_folds_even_when_no_candidate_got_through_them():
    def nan_from_the_second_fold_on(model, X, y):
        return math.nan if X[0, 0] > 0 else 0.0

    search = bowl(cv=5, early_stopping=True, scoring=nan_from_the_second_fold_on, n_iter=3).fit(X, Y)
    assert search.n_splits_ == 5 and np.isnan(search.cv_results_["split4_test_score"]).all()
    assert (search.cv_results_["split0_test_score"] == 0).all()


def test_one_fold_leaves_nothing_to_stop():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = bowl(early_stopping=True, cv=ShuffleSplit(1, random_state=0)).fit(X, Y)
    assert not search.cv_results_["is_stopped"].any() and search.n_splits_ == 1


def test_stopping_works_with_two_jobs_and_several_metrics():
    search = AugerSearchCV(
        LogisticRegression(max_iter=500),
        {"C": Float(1e-5, 1e3, log=True)},
        n_iter=16,
        cv=4,
        n_jobs=2,
        scoring=["accuracy", "f1_macro"],
        refit="f1_macro",
        early_stopping=True,
        random_state=0,
    ).fit(*IRIS)
    stopped = search.cv_results_["is_stopped"]
    assert stopped.any() and np.isnan(search.cv_results_["split3_test_accuracy"][stopped]).all()
    assert search.best_score_ == np.nanmax(search.cv_results_["mean_test_f1_macro"])

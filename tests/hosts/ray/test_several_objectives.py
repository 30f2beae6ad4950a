"""Several metrics, and limits of what trials report, without a Tuner; test_tune.py has one."""

import json
import math
import re

import pytest
from ray import tune

from auger import Optimizer, insight
from auger.errors import FileFormatError, ObjectiveError
from auger.hosts.ray import AugerSearch
from auger.hosts.ray.domains import read_domains
from auger.report import report_html
from auger.view import view

SPACE = {"x": tune.uniform(0.0, 1.0), "net": {"depth": tune.randint(1, 9), "act": tune.choice(["relu", "tanh"])}}
METRICS = {"metric": ["loss", "speed"], "mode": ["min", "max"]}


def search(**settings):
    return AugerSearch(SPACE, **{**METRICS, "seed": 0, **settings})


def measured(config):
    return {"loss": (config["x"] - 0.3) ** 2, "speed": config["x"] / config["net"]["depth"]}


def result(config, step=1, **more):
    return {**measured(config), "memory_mb": 100 * config["net"]["depth"], "training_iteration": step, **more}


def run(searcher, n, start=0):
    for key in map(str, range(start, start + n)):
        searcher.on_trial_complete(key, result(searcher.suggest(key)))


def test_suggestions_are_those_of_an_optimizer_that_is_told_the_same():
    searcher = search(constraints={"memory_mb": "<= 500"}, reference={"loss": 0.5, "speed": 0})
    domains = read_domains(SPACE)
    directions = {"loss": "minimize", "speed": "maximize"}
    optimizer = Optimizer(domains.space, directions=directions, reference=[0.5, 0.0], seed=0)
    assert searcher.optimizer.objectives == optimizer.objectives
    for key in map(str, range(20)):
        trial = optimizer.ask()
        config = domains.to_ray(trial.config)
        assert searcher.suggest(key) == config
        if key in "37":
            optimizer.tell(trial, error="crashed")
            searcher.on_trial_complete(key, error=True)
        else:
            optimizer.tell(trial, measured(config), constraints=[100 * config["net"]["depth"] - 500])
            searcher.on_trial_complete(key, result(config))
    fronts = [[(trial.number, trial.values) for trial in o.front] for o in (searcher.optimizer, optimizer)]
    assert fronts[0] == fronts[1]
    assert searcher.optimizer.choose("speed").config == optimizer.choose("speed").config
    assert max(domains.to_ray(trial.config)["net"]["depth"] for trial in searcher.optimizer.front) <= 5


def test_a_limit_holds_for_a_single_metric_too():
    searcher = AugerSearch(SPACE, constraints={"memory_mb": "<= 500"}, seed=0)
    searcher.set_search_properties("loss", "min", {})
    for key in map(str, range(12)):
        searcher.on_trial_complete(key, result(searcher.suggest(key)))
    depths = [trial.config["net/depth"] for trial in searcher.optimizer.trials]
    assert [trial.is_feasible for trial in searcher.optimizer.trials] == [depth <= 5 for depth in depths]
    assert searcher.optimizer.best.config["net/depth"] <= 5


@pytest.mark.parametrize(
    ("reported", "error"),
    [
        ({"loss": 1.0, "memory_mb": 1}, "it reported no 'speed'"),
        ({"loss": math.nan, "speed": 1.0, "memory_mb": 1}, "it reported NaN for 'loss'"),
        ({"loss": 1.0, "speed": "fast", "memory_mb": 1}, "it reported 'fast' for 'speed', which is not a number"),
        ({"loss": 1.0, "speed": 1.0}, "it reported no 'memory_mb'"),
        ({"loss": 1.0, "speed": 1.0, "memory_mb": math.nan}, "it reported NaN for 'memory_mb'"),
        (None, "it reported no 'loss'"),
    ],
)
def test_a_trial_that_does_not_report_all_that_is_needed_failed(reported, error):
    searcher = search(constraints={"memory_mb": "<= 500"})
    searcher.suggest("a")
    searcher.on_trial_complete("a", reported)
    trial = searcher.optimizer.trials[0]
    assert (trial.state.value, trial.error) == ("failed", error)


def test_an_infinite_value_is_a_failure():
    searcher = search()
    run(searcher, 3)
    searcher.suggest("a")
    searcher.on_trial_complete("a", {"loss": -math.inf, "speed": 1.0})
    assert searcher.optimizer.history.is_failure.tolist() == [False, False, False, True]


def test_trials_that_a_scheduler_stops_have_the_values_and_limits_of_their_last_step():
    searcher = search(constraints={"memory_mb": "<= 0"})
    configs = {key: searcher.suggest(key) for key in "abc"}
    for step in (1, 2, 3):
        searcher.on_trial_result("a", result(configs["a"], step, loss=1 / step))
    searcher.on_trial_result("c", result(configs["c"], 1, speed=math.nan))
    searcher.on_trial_complete("b", result(configs["b"], 2))
    twin = search(constraints={"memory_mb": "<= 0"})
    twin.set_state(json.loads(json.dumps(searcher.get_state())))
    for each in (searcher, twin):
        each.on_trial_complete("a")  # while it was paused
        each.on_trial_complete("c", result(configs["c"], 4))
        a, b, c = each.optimizer.trials
        assert [trial.state.value for trial in (a, b)] == ["pruned", "pruned"]
        assert a.values == (1 / 3, measured(configs["a"])["speed"])
        assert [step for step, *_ in a.intermediate_values] == [1, 2, 3]
        assert [len(row) for row in c.intermediate_values] == [3]  # step 4: at step 1 a value was missing
        assert a.constraints == (100.0 * configs["a"]["net"]["depth"],)
        assert each.suggest("next")


def test_a_restored_searcher_has_metrics_limits_and_reference_and_goes_on(tmp_path):
    path = str(tmp_path / "state.json")
    settings = {"constraints": {"memory_mb": ["<= 500", ">= 0"]}, "reference": [1.0, 0.0]}
    searcher = search(**settings)
    run(searcher, 14)
    searcher.save(path)
    for other in (AugerSearch(seed=7), search(**settings)):
        other.restore(path)
        assert other.metric == ["loss", "speed"] and other.optimizer.objectives == searcher.optimizer.objectives
        assert [other.suggest(key) for key in ("one", "two")] == [searcher.suggest(key) for key in ("one", "two")]
        other.on_trial_complete("one", result({"x": 0.5, "net": {"depth": 9}}))
        assert not other.optimizer.trials[14].is_feasible
    assert other.optimizer.front


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"metric": ["loss", "size"]}, r"saved with metric=\['loss', 'speed'\]. Got \['loss', 'size'\]"),
        ({"metric": "loss", "mode": "min"}, "saved with metric="),
        ({"mode": ["min", "min"]}, "saved with mode="),
        ({"constraints": {"memory_mb": "<= 600"}}, "saved with constraints="),
        ({"reference": [2.0, 0.0]}, r"saved with reference=\[1.0, 0.0\]"),
    ],
)
def test_other_objectives_than_those_of_the_saved_run_are_refused(settings, says, tmp_path):
    path = str(tmp_path / "state.json")
    search(constraints={"memory_mb": "<= 500"}, reference=[1.0, 0.0]).save(path)
    with pytest.raises(FileFormatError, match=says):
        search(**settings).restore(path)


def test_past_results_have_a_value_per_metric():
    points = [{"x": i / 20, "net": {"depth": 1, "act": "relu"}} for i in range(12)]
    searcher = search(points_to_evaluate=points, evaluated_rewards=[measured(point) for point in points])
    searcher.add_evaluated_point({"x": 0.9, "net": {"depth": 1, "act": "relu"}}, [0.0, 2.0])
    assert [trial.number for trial in searcher.optimizer.front] == [12]
    assert searcher.suggest("a") not in points
    with pytest.raises(ObjectiveError, match="must be 2 numbers, one per objective"):
        searcher.add_evaluated_point({"x": 0.8, "net": {"depth": 1, "act": "relu"}}, 0.5)
    assert len(searcher.optimizer.trials) == 14  # twelve points, one past result, one suggestion


def test_the_metric_of_the_tuner_may_be_one_of_several_for_schedulers_and_results():
    for metric, mode in ((None, None), ("loss", "min"), ("speed", "max")):
        searcher = AugerSearch(**METRICS, seed=0)
        assert searcher.set_search_properties(metric, mode, SPACE)
        assert searcher.metric == ["loss", "speed"] and searcher.mode == ["min", "max"]
        assert len(searcher.optimizer.objectives) == 2
    for metric, mode in (("size", "min"), ("loss", "max")):
        with pytest.raises(ObjectiveError, match="must be None, or one of AugerSearch's"):
            AugerSearch(**METRICS).set_search_properties(metric, mode, SPACE)
    with pytest.raises(ObjectiveError, match=r"A Tuner has one metric. .* Pass several to the searcher: AugerSearch\("):
        AugerSearch().set_search_properties(["loss", "speed"], ["min", "max"], SPACE)


def test_views_and_reports_have_the_metrics_and_the_front():
    searcher = search(constraints={"memory_mb": "<= 500"})
    run(searcher, 14)
    shown = view(searcher)
    assert shown.objectives.described() == {"loss": "minimize", "speed": "maximize"}
    assert [trial.number for trial in shown.front] == [trial.number for trial in searcher.optimizer.front]
    assert {trial.config["net/act"] for trial in shown.trials} == {"relu", "tanh"}
    assert insight.importance(searcher) and "speed" in report_html(searcher)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metric": ["loss", "speed"], "mode": "min"}, "For several objectives, `metric` and `mode` must be lists of"),
        (
            {"metric": ["loss", "speed"], "mode": ["min"]},
            "must be lists of two or more different names, and of as many",
        ),
        ({"metric": ["loss"], "mode": ["min"]}, "must be lists of two or more different names"),
        ({"metric": ["loss", "loss"], "mode": ["min", "min"]}, "must be lists of two or more different names"),
        ({"metric": ["loss", 3]}, "`metric` must be the name of a value that trials report. Got 3."),
        ({"mode": ["min", "obs"]}, '`mode` must be "min" or "max". Got \'obs\'.'),
        ({"constraints": {"memory_mb": 512}}, "The limit of 'memory_mb' must be a text such as '<= 512' or '>= 0.9'."),
        ({"reference": [1.0]}, "`reference` must be 2 numbers, one per objective ('loss', 'speed'). Got [1.0]."),
        ({"metric": "loss", "mode": "min", "reference": [1.0]}, "`reference` is for several objectives"),
    ],
    ids=str,
)
def test_wrong_objectives_are_refused(settings, message):
    with pytest.raises(ObjectiveError, match=re.escape(message)):
        search(**settings)

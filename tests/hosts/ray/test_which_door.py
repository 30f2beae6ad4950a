"""The column of Ray Tune in docs/which-door.md; test_tune.py runs whole Tuners."""

import inspect

import pytest
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from support.which_door import Proofs

from auger import Float, Space
from auger.hosts.ray import AugerSearch

proves = Proofs("Ray Tune")
DOMAINS = {"x": tune.uniform(0.0, 1.0), "act": "relu"}


def searcher(mode="min", **settings):
    search = AugerSearch(seed=0, **settings)
    search.set_search_properties("loss", mode, DOMAINS)
    return search


def arguments_of(settings):
    return inspect.signature(settings).parameters.keys()


@proves("direction", "Ray Tune", '`TuneConfig(mode="max")`')
def direction():
    search = searcher("max")
    for i, loss in enumerate((1.0, 3.0, 2.0)):
        search.suggest(str(i))
        search.on_trial_complete(str(i), {"loss": loss})
    assert search.optimizer.best.value == 3.0


@proves("time limit", "Ray Tune", "`TuneConfig(time_budget_s=60)`")
def time_limit():
    assert "time_budget_s" in arguments_of(tune.TuneConfig)


@proves("parallel", "Ray Tune", "Ray's own; `TuneConfig(max_concurrent_trials=4)`")
def parallel():
    search = searcher()
    assert len({search.suggest(str(i))["x"] for i in range(4)}) == 4
    assert "max_concurrent_trials" in arguments_of(tune.TuneConfig)


@proves("several objectives", "Ray Tune", '`AugerSearch(metric=["loss", "size"], mode=["min", "min"])`')
def several_objectives():
    search = AugerSearch(DOMAINS, metric=["loss", "size"], mode=["min", "min"], seed=0)
    for i, (loss, size) in enumerate([(1.0, 3.0), (2.0, 2.0), (2.0, 3.0)]):
        search.suggest(str(i))
        search.on_trial_complete(str(i), {"loss": loss, "size": size})
    assert [trial.number for trial in search.optimizer.front] == [0, 1]


@proves("queued", "Ray Tune", "`AugerSearch(points_to_evaluate=[config])`")
def queued():
    assert searcher(points_to_evaluate=[{"x": 0.25}]).suggest("0")["x"] == 0.25


@proves("fixed", "Ray Tune", "a constant in `param_space`")
def fixed():
    search = searcher()
    assert {search.suggest(str(i))["act"] for i in range(4)} == {"relu"}


@proves("pruning", "Ray Tune", "`TuneConfig(scheduler=ASHAScheduler())`")
def pruning():
    assert tune.TuneConfig(scheduler=ASHAScheduler(), search_alg=AugerSearch()).scheduler is not None


@proves("constraints of the space", "Ray Tune", '`AugerSearch(Space({...}, constraints=["x + y <= 1"]))`')
def constraints():
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}, constraints=["x + y <= 1"])
    search = AugerSearch(space, metric="loss", mode="min", seed=0)
    configs = [search.suggest(str(i)) for i in range(8)]
    assert all(config["x"] + config["y"] <= 1 for config in configs)


@proves("outcome constraints", "Ray Tune", '`AugerSearch(constraints={"memory_mb": "<= 512"})`')
def outcome_constraints():
    search = searcher(constraints={"memory_mb": "<= 512"})
    for i, (loss, memory) in enumerate([(1.0, 600), (2.0, 500)]):
        search.suggest(str(i))
        search.on_trial_complete(str(i), {"loss": loss, "memory_mb": memory})
    assert search.optimizer.best.value == 2.0


@proves("several runs per trial", "Ray Tune", "no: report the mean of several calls")
def several_runs():
    assert "repeats" not in arguments_of(AugerSearch)
    search = searcher()
    search.suggest("0")
    search.on_trial_complete("0", {"loss": (0.5 + 1.0 + 1.5) / 3})
    assert search.optimizer.best.value == 1.0


@proves("attributes", "Ray Tune", '`tune.report({"loss": ..., "size": ...})`')
def attributes():
    search = searcher()
    search.suggest("0")
    search.on_trial_complete("0", {"loss": 1.0, "size": 3})
    assert search.optimizer.best.value == 1.0


@proves("resume", "Ray Tune", "`Tuner.restore(path, trainable)`")
def resume():
    assert {"path", "trainable"} <= arguments_of(tune.Tuner.restore)


@proves("callbacks", "Ray Tune", "`RunConfig(callbacks=[...])`")
def callbacks():
    assert "callbacks" in arguments_of(tune.RunConfig)


@pytest.mark.parametrize("name", proves.parameters())
def test_a_cell_says_what_happens(name):
    proves.parameters()[name]()


def test_the_page_says_what_the_tests_run_and_nothing_else():
    assert proves.said() == proves.expected()

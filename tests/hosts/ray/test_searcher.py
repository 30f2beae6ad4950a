import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from ray import tune

from auger import AugerError, Float, Optimizer, Ordinal, Space, State, insight, plots
from auger.errors import ConfigError, FileFormatError, RecipeError, SpaceError, TrialError
from auger.hosts.ray import AugerSearch
from auger.hosts.ray.domains import read_domains
from auger.report import report_html
from auger.view import view

SPACE = {"x": tune.uniform(0.0, 1.0), "net": {"depth": tune.randint(1, 9), "act": tune.choice(["relu", "tanh"])}}


def loss(config):
    return (config["x"] - 0.3) ** 2 + config["net"]["depth"] / 9 + (config["net"]["act"] == "tanh")


def search(**settings):
    return AugerSearch(SPACE, metric="loss", mode="min", seed=0, **settings)


def run(searcher, ids, sign=1.0):
    for key in ids:
        searcher.on_trial_complete(key, {"loss": sign * loss(searcher.suggest(key)), "training_iteration": 1})


@pytest.mark.parametrize("recipe", ["auto", "bore-rf", "bore-rf gamma=sqrt calibration=platt", "bore-mlp ensemble=2"])
def test_suggestions_are_those_of_an_optimizer_that_is_told_the_same(recipe):
    searcher, domains = search(recipe=recipe), read_domains(SPACE)
    optimizer = Optimizer(domains.space, recipe, seed=0)
    for i in range(14):
        trial = optimizer.ask()
        assert searcher.suggest(str(i)) == domains.to_ray(trial.config)
        optimizer.tell(trial, loss(domains.to_ray(trial.config)))
        searcher.on_trial_complete(str(i), {"loss": loss(domains.to_ray(trial.config)), "training_iteration": 1})


def test_a_metric_to_be_maximized_is_the_same_with_the_other_sign():
    low, high = search(), AugerSearch(SPACE, metric="loss", mode="max", seed=0)
    run(low, "abcdefghijkl")
    run(high, "abcdefghijkl", sign=-1.0)
    assert low.suggest("next") == high.suggest("next")


def test_the_optimizer_has_the_values_of_the_metric_in_its_own_sign():
    high = AugerSearch(SPACE, metric="accuracy", mode="max", seed=0)
    high.suggest("a")
    high.on_trial_result("a", {"accuracy": 0.5, "training_iteration": 1})
    high.on_trial_complete("a", {"accuracy": 0.75, "training_iteration": 2, "time_total_s": 7.0})
    trial = high.optimizer.best
    assert (trial.value, trial.intermediate_values, trial.cost) == (0.75, ((1, 0.5), (2, 0.75)), 7.0)
    high.add_evaluated_point({"x": 0.1, "net": {"depth": 1, "act": "relu"}}, 0.9)
    assert high.optimizer.best.value == 0.9


def test_a_maximized_trial_that_ends_while_it_is_paused_has_its_last_value():
    high = AugerSearch(SPACE, metric="loss", mode="max", seed=0)
    for key in "ab":
        high.suggest(key)
    report(high, "a", 1, 0.5)
    end(high, "b", 9, 0.75)
    high.on_trial_complete("a")
    assert [trial.value for trial in high.optimizer.trials] == [0.5, 0.75] and states(high) == ["pruned", "complete"]


@pytest.mark.parametrize(
    ("metric", "mode", "says"), [("loss", "max", "same mode. Got 'max' and"), ("x", "min", "metric")]
)
def test_a_tuner_that_contradicts_the_searcher_is_refused(metric, mode, says):
    with pytest.raises(AugerError, match=says):
        search().set_search_properties(metric, mode, {})


def test_plots_insight_and_reports_show_the_choices_and_the_metric():
    space = {
        "x": tune.uniform(0.0, 1.0),
        "act": tune.choice(["relu", None, [1, 2], len]),
        "model": tune.choice([{"kind": "a", "rate": tune.qloguniform(0.01, 1.0, 0.01)}, {"kind": "b"}]),
    }
    searcher = AugerSearch(space, metric="accuracy", mode="max", seed=0)
    for i in range(14):
        config = searcher.suggest(str(i))
        searcher.on_trial_complete(str(i), {"accuracy": config["x"], "training_iteration": 1})
    run_of_ray = view(searcher)
    assert run_of_ray.objectives.names == ("accuracy",)
    assert run_of_ray.values_of(run_of_ray.best)[0] == searcher.optimizer.best.value
    parameters = run_of_ray.history.space.parameters
    assert parameters["act"].choices == ("relu", None, "[1, 2]", "<built-in function len>")
    assert parameters["model"].choices == ("{'kind': 'a', 'rate': ...}", "{'kind': 'b'}")
    assert list(parameters) == ["x", "act", "model", "model/0/rate / 0.01"]
    assert {trial.config["model"] for trial in run_of_ray.trials} == set(parameters["model"].choices)
    assert plots.slices(searcher).data and insight.importance(searcher) and "<html" in report_html(searcher)


def test_trials_that_run_together_are_different_and_asked_again_the_same():
    searcher = search()
    run(searcher, "abcdefghijkl")
    together = [searcher.suggest(str(i)) for i in range(4)]
    assert all(together.count(each) == 1 for each in together)
    assert searcher.suggest("2") == together[2]


def test_failures_nan_and_missing_metrics_are_learned_as_such(caplog):
    searcher = search()
    for key in "abcd":
        searcher.suggest(key)
    searcher.on_trial_complete("a", error=True)
    searcher.on_trial_complete("b", {"loss": math.nan})
    searcher.on_trial_complete("c", {"accuracy": 0.9})
    searcher.on_trial_complete("d", None)
    trials = searcher.optimizer.trials
    assert [trial.state for trial in trials] == [State.FAILED, State.COMPLETE, State.FAILED, State.FAILED]
    assert "no 'loss'" in trials[2].error and math.isnan(trials[1].value)
    searcher.on_trial_complete("d", {"loss": 1.0})
    searcher.on_trial_complete("never asked", {"loss": 1.0})
    assert [trial.state for trial in searcher.optimizer.trials] == [trial.state for trial in trials]
    assert "once more" in caplog.text and "never asked" in caplog.text


@pytest.mark.parametrize("number", [np.float32(0.5), np.int64(1), np.array(0.5), np.array([0.5])])
def test_an_array_with_one_element_is_a_number(number):
    searcher = search()
    searcher.suggest("a")
    searcher.on_trial_complete("a", {"loss": number})
    assert searcher.optimizer.trials[0].value == np.ravel(number)[0]


@pytest.mark.parametrize("wrong", ["0.5", True, np.array([0.5, 0.5]), np.array("low"), None])
def test_what_was_reported_in_the_place_of_a_number_is_told(wrong):
    searcher = search()
    searcher.suggest("a")
    searcher.on_trial_complete("a", {"loss": wrong})
    assert f"{str(wrong)!r} for 'loss', which is not a number" in searcher.optimizer.trials[0].error


def report(searcher, key, step, value):
    searcher.on_trial_result(key, {"loss": value, "training_iteration": step})


def cut(searcher, key, step, value):
    """As a scheduler does: the last result is not told before."""
    searcher.on_trial_complete(key, {"loss": value, "training_iteration": step, "done": True})


def end(searcher, key, step, value):
    """As a trial by itself: its last result comes twice."""
    report(searcher, key, step, value)
    cut(searcher, key, step, value)


def states(searcher):
    return [trial.state.value for trial in searcher.optimizer.trials]


def test_a_trial_that_a_scheduler_cut_is_pruned_and_one_that_ended_is_complete():
    searcher = search()
    for key in "abcd":
        searcher.suggest(key)
    end(searcher, "a", 9, 0.5)
    cut(searcher, "b", 3, 0.1)
    cut(searcher, "c", 9, 0.3)  # the scheduler's longest: as long as any
    end(searcher, "d", 2, 0.4)  # shorter, but by its own choice
    assert states(searcher) == ["complete", "pruned", "complete", "complete"]
    assert [trial.intermediate_values for trial in searcher.optimizer.trials] == [
        ((9, 0.5),),
        ((3, 0.1),),
        ((9, 0.3),),
        ((2, 0.4),),
    ]
    assert searcher.optimizer.best.value == 0.3


def test_a_trial_cut_while_none_was_longer_is_pruned_when_another_goes_on():
    searcher = search()
    for key in "abc":
        searcher.suggest(key)
    cut(searcher, "a", 1, 0.1)
    assert states(searcher)[0] == "complete"
    report(searcher, "b", 1, 0.2)
    assert states(searcher)[0] == "complete"
    report(searcher, "b", 2, 0.2)
    assert states(searcher) == ["pruned", "running", "running"]
    cut(searcher, "b", 9, 0.2)
    assert searcher.optimizer.best.number == 1 and searcher.optimizer.history.finished == [0, 1]


def test_a_trial_that_ends_while_it_is_paused_counts_with_its_last_value():
    searcher = search()
    for key in "abcd":
        searcher.suggest(key)
    for step in (1, 2, 3):
        report(searcher, "a", step, 1.0 / step)
        report(searcher, "b", step, 2.0 / step)
    end(searcher, "c", 9, 0.1)
    for key in "abd":  # as Hyperband stops those that it had paused; the last never began
        searcher.on_trial_complete(key)
    assert states(searcher) == ["pruned", "pruned", "complete", "failed"]
    assert searcher.optimizer.trials[1].value == 2.0 / 3


def test_points_are_tried_first_and_what_they_leave_out_is_proposed():
    full = {"x": 0.25, "net": {"depth": 2, "act": "tanh"}}
    searcher = search(points_to_evaluate=[full, {"net/depth": 7}, {}])
    assert searcher.suggest("a") == full
    assert searcher.suggest("b")["net"]["depth"] == 7
    assert [searcher.optimizer.trials[i].origin.value for i in range(2)] == ["given", "given"]
    run(searcher, "cdefghijklmn")
    assert searcher.optimizer.trials[-1].origin.value == "model"


def test_a_point_that_does_not_satisfy_the_constraints_is_refused_before_the_run():
    space = Space({"n": (1, 9), "m": (1, 9), "size": ["s", "l"]}, constraints=["n <= m"])
    for point in ({"n": 5, "m": 3}, {"n": 5, "m": 3, "size": "s"}):
        with pytest.raises(ConfigError, match="must satisfy the constraints. Got .*'n': 5"):
            AugerSearch(space, metric="loss", mode="min", points_to_evaluate=[point])


def test_a_space_of_ours_keeps_its_constraints_and_conditions_and_survives_a_restore(tmp_path):
    rate = Float(0.0, 1.0, when={"size": "l"})
    space = Space({"n": (1, 9), "m": (1, 9), "size": Ordinal(["s", "l"]), "rate": rate}, constraints=["n <= m"])
    searcher = AugerSearch(space, metric="loss", mode="min", seed=0, points_to_evaluate=[{"n": 8}])
    for i in range(14):
        config = searcher.suggest(str(i))
        assert config["n"] <= config["m"] and ("rate" in config) == (config["size"] == "l")
        searcher.on_trial_complete(str(i), {"loss": config["n"] + config.get("rate", 2.0)})
    assert searcher.optimizer.trials[0].config["n"] == 8
    with pytest.raises(ConfigError, match="'rate' must have a value"):
        searcher.add_evaluated_point({"n": 1, "m": 2, "size": "l"}, 3.0)
    searcher.save(str(tmp_path / "state.json"))
    restored = AugerSearch()
    restored.restore(str(tmp_path / "state.json"))
    assert [restored.suggest(key) for key in "ab"] == [searcher.suggest(key) for key in "ab"]


def test_the_tuners_metric_and_mode_count_where_the_space_is_given_here():
    searcher = AugerSearch(SPACE, seed=0)
    assert not searcher.set_search_properties("loss", "max", {})
    run(searcher, "a", sign=-1.0)
    assert searcher.optimizer.direction.value == "maximize" and searcher.optimizer.best.value < 0


def test_points_with_known_values_are_learned_and_not_tried():
    points = [{"x": i / 20, "net": {"depth": 1, "act": "relu"}} for i in range(12)]
    searcher = search(points_to_evaluate=points, evaluated_rewards=[loss(point) for point in points])
    assert len(searcher.optimizer.trials) == 12 and searcher.optimizer.best.config["x"] == 0.3
    assert searcher.suggest("a") not in points
    assert searcher.optimizer.trials[12].origin.value == "model"


def test_past_results_of_every_kind_are_taken_in():
    searcher = search()
    point = {"x": 0.5, "net": {"depth": 1, "act": "relu"}}
    searcher.add_evaluated_point(point, 0.5)
    searcher.add_evaluated_point({**point, "x": 0.6}, 0.5, pruned=True)
    searcher.add_evaluated_point({**point, "x": 0.7}, 0.5, error=True)
    assert states(searcher) == ["complete", "pruned", "failed"]
    with pytest.raises(TrialError, match="must be a number. Got 'low'"):
        searcher.add_evaluated_point({**point, "x": 0.8}, "low")


def test_a_restored_searcher_in_another_process_suggests_the_same(tmp_path):
    searcher = search()
    run(searcher, "abcdefghijklm")
    searcher.suggest("running")
    searcher.save(str(tmp_path / "state.json"))
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path.parent)!r})
from ray import tune
from auger.hosts.ray import AugerSearch
space = {{"x": tune.uniform(0.0, 1.0), "net": {{"depth": tune.randint(1, 9), "act": tune.choice(["relu", "tanh"])}}}}
early = AugerSearch(space, metric="loss", mode="min", seed=77)
early.restore({str(tmp_path / "state.json")!r})
late = AugerSearch(seed=77)
late.restore({str(tmp_path / "state.json")!r})
for each in (early, late):
    each.on_trial_complete("running", {{"loss": 0.5, "training_iteration": 1}})
    print([each.suggest(key) for key in ("one", "two", "three")])
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    searcher.on_trial_complete("running", {"loss": 0.5, "training_iteration": 1})
    expected = str([searcher.suggest(key) for key in ("one", "two", "three")])
    assert told[-2:] == [expected, expected]


def test_a_pickled_searcher_suggests_the_same():
    searcher = search()
    run(searcher, "abcdefghijklm")
    twin = pickle.loads(pickle.dumps(searcher))
    assert twin.suggest("next") == searcher.suggest("next")


def test_a_recipe_with_options_is_saved_and_restored_by_its_name(tmp_path):
    path = str(tmp_path / "state.json")
    searcher = search(recipe="tpe n_initial=6 gamma=1/4")
    run(searcher, "abcdefgh")
    searcher.save(path)
    again = search(recipe="tpe gamma=0.25 n_initial=6 weights=none")
    again.restore(path)
    assert again.suggest("next") == searcher.suggest("next")
    with pytest.raises(FileFormatError, match="saved with the recipe 'tpe gamma=0.25 n_initial=6'. Got 'tpe'"):
        search(recipe="tpe").restore(path)


def test_a_state_of_another_space_recipe_or_kind_is_refused(tmp_path):
    path = str(tmp_path / "state.json")
    search().save(path)
    with pytest.raises(FileFormatError, match="The space must be the one that the run was saved with"):
        AugerSearch({"x": tune.uniform(0, 2)}, metric="loss", mode="min").restore(path)
    with pytest.raises(FileFormatError, match="saved with the recipe 'auto'. Got 'bore-rf'"):
        search(recipe="bore-rf").restore(path)
    Optimizer({"x": (0.0, 1.0)}, seed=0).save(path)
    with pytest.raises(FileFormatError, match="damaged|cannot be loaded"):
        search().restore(path)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: AugerSearch(SPACE, metric="loss", mode="lowest"), AugerError, '"min" or "max". Got \'lowest\''),
        (lambda: AugerSearch(SPACE, metric=3, mode="min"), AugerError, "`metric` must be the name"),
        (lambda: AugerSearch({"epochs": 3}), SpaceError, "must have a domain"),
        (lambda: AugerSearch(recipe="bor-rf"), RecipeError, "Did you mean 'bore-rf'"),
        (lambda: AugerSearch(seed=-1), ValueError, "`seed` must be"),
        (lambda: search(points_to_evaluate=[3]), ConfigError, "Got 3 in it"),
        (lambda: search(points_to_evaluate=[{}], evaluated_rewards=[]), ConfigError, "each of the 1 points. Got 0"),
        (lambda: search(points_to_evaluate=[{"net": {"act": "lion"}}]), ConfigError, "'net/act' must be one of"),
        (lambda: AugerSearch().suggest("a"), SpaceError, "has no search space yet"),
        (lambda: AugerSearch(SPACE).suggest("a"), AugerError, "must have a metric and a mode"),
    ],
)
def test_wrong_settings_are_refused_with_what_they_must_be(make, error, message):
    with pytest.raises(error, match=message):
        make()

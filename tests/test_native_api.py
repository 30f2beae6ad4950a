"""What `Optimizer` takes and shows beyond asking and telling: directions, queued and fixed values, attributes, ..."""

import copy
import csv
import json
import math
import pickle
import threading
from datetime import datetime

import numpy as np
import optuna
import pandas as pd
import pytest

from auger import Float, Int, Optimizer, Origin, Recipe, Space, State
from auger.best import best_settings
from auger.classifiers import Forest
from auger.errors import AugerError, ConfigError, ObjectiveError, TrialError
from auger.hosts.optuna import AugerPruner
from auger.insight import why
from auger.maximizers import RandomSearch
from auger.view import view

FAST = Recipe("fast", Forest(n_trees=10), RandomSearch(100))
SPACE = {"x": (0.0, 1.0), "n": (1, 9)}
KERNELS = Space(
    {"kernel": ["rbf", "poly", "linear", "sigmoid"], "degree": Int(2, 5, when={"kernel": "poly"}), "C": (0.1, 10.0)}
)


def bowl(config):
    return (config["x"] - 0.3) ** 2 + config["n"]


def saved_and_loaded(optimizer, folder):
    optimizer.save(folder / "run.json")
    recipe = optimizer.recipe if optimizer.recipe is FAST else None
    return Optimizer.load(folder / "run.json", recipe=recipe)


# -- direction ----------------------------------------------------------------------------------------------


def pair(n=14, recipe="auto"):
    """The same run, minimized and maximized."""
    down, up = (Optimizer(SPACE, recipe, direction=name, seed=0) for name in ("minimize", "maximize"))
    for _ in range(n):
        first, second = down.ask(), up.ask()
        down.report(first, 1, bowl(first.config) + 1)
        up.report(second, 1, -bowl(second.config) - 1)
        down.tell(first, bowl(first.config))
        up.tell(second, -bowl(second.config))
    return down, up


def test_maximizing_is_minimizing_the_negative():
    down, up = pair()
    assert [trial.config for trial in up.trials] == [trial.config for trial in down.trials]
    assert [trial.value for trial in up.trials] == [-trial.value for trial in down.trials]
    assert up.best.number == down.best.number and up.best.value == -down.best.value
    assert [t.intermediate_values[0][1] for t in up.trials] == [-t.intermediate_values[0][1] for t in down.trials]


def test_what_is_recommended_has_the_sign_of_the_user():
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize", seed=0)
    rng = np.random.default_rng(0)
    x = rng.random(40)
    optimizer.add([{"x": float(v)} for v in x], 5 - (x - 0.3) ** 2 + rng.normal(0, 0.1, 40))
    advice = optimizer.recommend()
    assert advice.is_noisy and advice.estimate == pytest.approx(5.0, abs=0.2)
    assert advice.trial.value == optimizer.trials[advice.trial.number].value > 4
    assert "highest expected" in advice.reason


def test_a_view_knows_the_direction_of_an_optimizer_and_of_its_history():
    _, up = pair(3)
    for run in (view(up), view(up.history)):
        assert run.objectives.directions == ("maximize",)
        assert run.values_of(run.best) == (up.best.value,) and run.baseline.value == up.trials[0].value


def test_the_direction_is_saved_with_the_run(tmp_path):
    _, up = pair(12)
    loaded = saved_and_loaded(up, tmp_path)
    assert loaded.direction == "maximize" and loaded.trials == up.trials and loaded.ask() == up.ask()


def test_a_file_of_format_version_2_is_a_run_that_minimizes(tmp_path):
    down, _ = pair(3)
    down.save(tmp_path / "run.json")
    data = json.loads((tmp_path / "run.json").read_text())
    for key in ("objectives", "queue"):
        del data[key]
    for trial in data["history"]["trials"]:
        for key in ("cost", "started", "finished"):
            del trial[key]
    (tmp_path / "run.json").write_text(json.dumps({**data, "version": 2}))
    loaded = Optimizer.load(tmp_path / "run.json")
    assert loaded.direction == "minimize" and loaded.trials == down.trials


@pytest.mark.parametrize("direction", ["max", None, 1, ["minimize", "maximize"], ("maximize",)])
def test_a_direction_that_is_none_is_refused(direction):
    with pytest.raises(ObjectiveError, match="`direction` must be"):
        Optimizer(SPACE, direction=direction)


# -- queue and fixed values ---------------------------------------------------------------------------------


def test_enqueued_configs_are_asked_for_in_order_and_say_so():
    optimizer = Optimizer(SPACE, seed=0)
    optimizer.enqueue({"x": 0.125, "n": 3.0})
    optimizer.enqueue({"n": np.int64(7)})
    first, second, third = optimizer.ask(3)
    assert first.config == {"x": 0.125, "n": 3} and type(first.config["n"]) is int
    assert (first.origin, first.reason) == (Origin.GIVEN, "enqueued")
    assert second.config["n"] == 7 and second.provenance.fixed == ("n",) and "enqueued" in second.provenance.notes
    assert second.origin is Origin.INITIAL and "fixed: n; enqueued" in second.reason
    assert "enqueued" not in third.reason and optimizer.queue == []


def test_the_initial_design_goes_on_after_an_enqueued_config():
    plain, queued = Optimizer(SPACE, seed=0), Optimizer(SPACE, seed=0)
    queued.enqueue({"x": 0.5, "n": 5})
    queued.ask()
    assert [trial.config for trial in queued.ask(5)] == [trial.config for trial in plain.ask(5)]


def test_a_fixed_value_is_kept_to_the_last_digit_whoever_suggests_the_rest():
    optimizer = Optimizer({"lr": Float(1e-4, 0.1, log=True), "n": (1, 9)}, FAST, seed=0)
    for _ in range(14):
        trial = optimizer.ask(fixed={"lr": 0.001})
        assert trial.config["lr"] == 0.001
        optimizer.tell(trial, trial.config["n"])
    assert trial.origin is Origin.MODEL and trial.provenance.fixed == ("lr",)
    assert optimizer.ask().config["lr"] != 0.001


def test_a_parameter_with_a_fixed_value_is_active():
    optimizer = Optimizer(KERNELS, FAST, seed=0)
    assert {trial.config["kernel"] for trial in optimizer.ask(8, fixed={"degree": 4})} == {"poly"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kernel": "rbf", "degree": 3}, "Parameter 'degree' is active only when"),
        ({"gamma": 1.0}, "Unknown parameter 'gamma'"),
        ({"C": 11.0}, "Parameter 'C' must be between 0.1 and 10.0. Got 11.0"),
        ({"C": "1"}, "Parameter 'C' must be a finite number. Got '1'"),
        (["rbf"], "A config must map names of parameters to values"),
    ],
)
def test_values_that_no_config_has_are_refused_when_they_come(values, message):
    optimizer = Optimizer(KERNELS, seed=0)
    with pytest.raises(ConfigError, match=message):
        optimizer.enqueue(values)
    with pytest.raises(ConfigError, match=message):
        optimizer.ask(fixed=values)
    assert optimizer.queue == [] and optimizer.trials == []


def test_parents_whose_values_lie_apart_must_be_fixed_as_well():
    space = Space({"a": ["p", "q", "r"], "b": Int(0, 9, when={"a": ["p", "r"]})})
    with pytest.raises(ConfigError, match="Fix 'a', too, to one of 'p', 'r'"):
        space.limits({"b": 3})
    assert Optimizer(space, seed=0).ask(fixed={"a": "r", "b": 3}).config == {"a": "r", "b": 3}


def test_an_enqueued_config_must_satisfy_the_constraints():
    optimizer = Optimizer(Space({"a": (0, 9), "b": (0, 9)}, constraints=["a + b <= 5"]), seed=0)
    with pytest.raises(ConfigError, match="must satisfy the constraints"):
        optimizer.enqueue({"a": 4, "b": 4})
    with pytest.raises(ConfigError, match="The space must have a config with the values"):
        optimizer.enqueue({"a": 8})
    with pytest.raises(ConfigError, match="The space must have a config with the fixed values"):
        optimizer.ask(fixed={"a": 8})
    optimizer.enqueue({"a": 5})
    assert optimizer.ask().config == {"a": 5, "b": 0}


def test_an_enqueued_config_waits_while_a_fixed_value_contradicts_it():
    optimizer = Optimizer(SPACE, seed=0)
    optimizer.enqueue({"x": 0.5, "n": 3})
    assert optimizer.ask(fixed={"n": 4}).config["n"] == 4
    assert optimizer.queue == [{"x": 0.5, "n": 3}]
    assert optimizer.ask(fixed={"n": 3}).config == {"x": 0.5, "n": 3}


def test_the_queue_is_saved_with_the_run(tmp_path):
    optimizer = Optimizer({"layers": [(8,), (8, 8)], "x": (0.0, 1.0)}, seed=0)
    optimizer.enqueue({"layers": [8, 8]})
    loaded = saved_and_loaded(optimizer, tmp_path)
    assert loaded.queue == [{"layers": (8, 8)}] and loaded.ask() == optimizer.ask()


# -- what really ran ----------------------------------------------------------------------------------------


def test_the_model_learns_what_really_ran_and_neither_is_asked_for_again(tmp_path):
    optimizer = Optimizer({"n": (0, 9)}, FAST, seed=0)
    asked = optimizer.ask()
    ran = {"n": (asked.config["n"] + 1) % 10}
    done = optimizer.tell(asked, 1.0, config={"n": float(ran["n"])})
    assert (done.config, done.asked) == (ran, asked.config)
    assert optimizer.history.X.tolist() == optimizer.space.encode([ran]).tolist()
    loaded = saved_and_loaded(optimizer, tmp_path)
    assert loaded.trials == optimizer.trials
    for run in (optimizer, loaded):
        others = [trial.config["n"] for trial in run.ask(8)]
        assert sorted([*others, asked.config["n"], ran["n"]]) == list(range(10))


@pytest.mark.parametrize("name", ["auto", "bore-mlp"])
def test_a_run_with_other_configs_than_asked_for_goes_on_the_same_after_a_resume(name, tmp_path):
    optimizer = Optimizer(SPACE, name, seed=0)
    for _ in range(13):
        trial = optimizer.ask()
        config = {**trial.config, "x": round(trial.config["x"], 1)}
        optimizer.tell(trial, bowl(config), config=config)
    assert saved_and_loaded(optimizer, tmp_path).ask() == optimizer.ask()


def test_a_config_that_is_the_one_asked_for_changes_nothing():
    optimizer = Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    assert optimizer.tell(trial, 1.0, config=trial.config).asked is None


def test_a_config_outside_the_space_is_refused_and_the_trial_goes_on():
    optimizer = Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    with pytest.raises(ConfigError, match="Parameter 'x' must be between"):
        optimizer.tell(trial, 1.0, config={"x": 1.5, "n": 3})
    assert optimizer.tell(trial, 1.0).config == trial.config


def test_the_trial_of_another_optimizer_is_refused():
    mine, other = Optimizer(SPACE, seed=0), Optimizer(SPACE, seed=1)
    trial, stranger = mine.ask(), other.ask()
    for call in (
        lambda: mine.tell(stranger, 1.0),
        lambda: mine.report(stranger, 1, 1.0),
        lambda: mine.annotate(stranger, {}),
        lambda: mine.should_prune(stranger),
    ):
        with pytest.raises(TrialError, match="it is another optimizer's, or its config was changed"):
            call()
    assert mine.tell(trial, 1.0).state is State.COMPLETE


def test_a_trial_whose_config_was_changed_is_refused_with_the_way_out():
    optimizer = Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    trial.config["n"] = 5 if trial.config["n"] != 5 else 6
    with pytest.raises(TrialError, match=r"tell\(0, value, config=...\)"):
        optimizer.tell(trial, 1.0)
    assert optimizer.tell(0, 1.0, config=trial.config).config == trial.config


# -- attributes, times, numbers -----------------------------------------------------------------------------


def test_attributes_are_kept_saved_and_the_users_copy_is_not_ours(tmp_path):
    optimizer = Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    mine = {"shape": (2, np.int64(3)), "loss": math.nan, "tag": None, "deep": {"a": [True]}}
    optimizer.annotate(trial, mine)
    mine["deep"]["a"].append(1)
    done = optimizer.tell(trial, 1.0, attributes={"tag": "last", "acc": np.float32(0.5)})
    done.attributes["deep"]["a"].append(2)
    loaded = saved_and_loaded(optimizer, tmp_path)
    for run in (optimizer, loaded):
        kept = dict(run.trials[0].attributes)
        assert math.isnan(kept.pop("loss"))
        assert kept == {"shape": [2, 3], "tag": "last", "deep": {"a": [True]}, "acc": 0.5}


def test_a_finished_trial_can_be_annotated():
    optimizer = Optimizer(SPACE, seed=0)
    optimizer.tell(0 if optimizer.ask() else None, 1.0)
    assert optimizer.annotate(0, {"seen": True}).attributes == {"seen": True}


@pytest.mark.parametrize("attributes", [{"model": object()}, {"a": {1: 2}}, {3: 4}, "text", {"s": {1, 2}}])
def test_attributes_that_json_cannot_hold_are_refused_and_the_trial_goes_on(attributes):
    optimizer = Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    with pytest.raises(TrialError, match="attribute"):
        optimizer.tell(trial, 1.0, attributes=attributes)
    assert optimizer.tell(trial, 1.0).state is State.COMPLETE


def test_times_and_cost_are_recorded_and_saved(tmp_path):
    optimizer = Optimizer(SPACE, seed=0)
    before = datetime.now()
    first, second = optimizer.ask(2)
    optimizer.tell(first, 1.0)
    optimizer.tell(second, 1.0, cost=12)
    one, two = optimizer.trials
    assert before <= one.started <= one.finished <= datetime.now()
    assert one.cost == (one.finished - one.started).total_seconds() and two.cost == 12.0
    loaded = saved_and_loaded(optimizer, tmp_path)
    assert [(t.cost, t.started, t.finished) for t in loaded.trials] == [
        (t.cost, t.started, t.finished) for t in optimizer.trials
    ]


class Tensor:
    """What a tensor of another library looks like from here."""

    def __init__(self, *values):
        self.values = values

    def item(self):
        if len(self.values) != 1:
            raise RuntimeError("a Tensor with several elements cannot be converted to Scalar")
        return self.values[0]


@pytest.mark.parametrize("wrap", [Tensor, lambda v: np.array([[v]]), np.float64], ids=["tensor", "array", "scalar"])
def test_one_element_is_a_number_everywhere(wrap):
    optimizer = Optimizer(SPACE, direction="maximize", seed=0)
    trial = optimizer.ask(fixed={"x": wrap(0.5)})
    optimizer.report(trial, wrap(1), wrap(0.5))
    done = optimizer.tell(trial, wrap(2.0), constraints=[wrap(-1.0)], cost=wrap(3))
    assert (done.config["x"], done.value, done.constraints, done.cost) == (0.5, 2.0, (-1.0,), 3.0)
    assert done.intermediate_values == ((1.0, 0.5),)
    assert optimizer.add([{"x": wrap(0.25), "n": 3}], [wrap(1.0)])[0].value == 1.0


@pytest.mark.parametrize("value", [Tensor(1.0, 2.0), Tensor(True), Tensor("1"), np.array([True])])
def test_several_elements_and_booleans_are_no_number(value):
    optimizer = Optimizer(SPACE, seed=0)
    with pytest.raises(TrialError, match="must be one number"):
        optimizer.tell(optimizer.ask(), value)


# -- past results -------------------------------------------------------------------------------------------

CONFIGS = [{"x": 0.1, "n": 3.0}, {"x": 0.2, "n": 4}, {"x": 0.3, "n": 5}, {"x": 0.4, "n": 6}]


def test_failures_constraints_steps_and_attributes_of_past_results_are_taken():
    optimizer = Optimizer(SPACE, direction="maximize", seed=0)
    added = optimizer.add(
        CONFIGS,
        [1.0, None, 2.0, None],
        errors=[None, "boom", None, None],
        pruned=[False, False, False, True],
        constraints=[[-1.0], [], [2.0], []],
        intermediate_values=[{}, {}, [(1, 0.5)], {3: 0.75, 1: 0.25}],
        attributes=[{"a": 1}, {}, {}, {}],
    )
    assert [trial.state.value for trial in added] == ["complete", "failed", "complete", "pruned"]
    assert [trial.value for trial in added] == [1.0, None, 2.0, 0.75]
    assert added[1].error == "boom" and not added[2].is_feasible and added[0].attributes == {"a": 1}
    assert added[3].intermediate_values == ((1, 0.25), (3, 0.75))
    assert optimizer.best.number == 0 and type(added[0].config["n"]) is int


def test_a_past_result_without_a_value_failed():
    trial = Optimizer(SPACE, seed=0).add(CONFIGS[:1], [None])[0]
    assert (trial.state, trial.error) == (State.FAILED, "no value")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"configs": [*CONFIGS[:3], {"x": 7.0, "n": 1}]}, "row 3: Parameter 'x' must be between 0.0 and 1.0. Got 7.0"),
        ({"configs": [*CONFIGS[:3], {"x": 0.5, "n": 1.5}]}, "row 3: Parameter 'n' must be a whole number. Got 1.5"),
        ({"configs": [*CONFIGS[:3], {"x": 0.5}]}, "row 3: Parameter 'n' must have a value"),
        ({"configs": [*CONFIGS[:3], 5]}, "row 3: A config must map names"),
        ({"values": [1, 2, "high", 4]}, "row 2: The value of trial 2 must be one number. Got 'high'"),
        ({"errors": [None, "boom", None, None]}, "row 1: A result has a value or an error, not both"),
        ({"constraints": [[], [math.nan], [], []]}, "row 1: The constraints of trial 1 must not be NaN"),
        ({"intermediate_values": [{}, {}, {}, [1.0]]}, "row 3: The intermediate values must be pairs"),
        ({"attributes": [{}, {"a": object()}, {}, {}]}, "row 1: The attribute 'a' of trial 1 must be text"),
        ({"errors": [None]}, "`errors` must have one entry for each of the 4 configs. Got 1"),
        ({"values": "loss"}, "`values` must be the name of a column.* Only a DataFrame has columns by name"),
    ],
)
def test_a_wrong_past_result_is_named_by_its_row_and_nothing_is_added(change, message):
    optimizer = Optimizer(SPACE, seed=0)
    with pytest.raises(AugerError, match=message):
        optimizer.add(**{"configs": CONFIGS, "values": [1, 2, 3, 4], **change})
    assert optimizer.trials == []


def test_a_frame_is_taken_by_its_columns():
    frame = pd.DataFrame(
        {
            "kernel": ["rbf", "poly", "poly"],
            "degree": [None, 3.0, 4.0],
            "C": [1, 2, 3],
            "loss": [0.5, math.nan, 0.25],
            "crash": [None, "diverged", None],
            "over": [-1.0, 0.0, 2.0],
            "host": ["a", "b", None],
        },
        index=[7, 8, 9],
    )
    optimizer = Optimizer(KERNELS, seed=0)
    added = optimizer.add(frame, "loss", errors="crash", constraints=["over"], attributes=["host"])
    assert [trial.config for trial in added] == [
        {"kernel": "rbf", "C": 1},
        {"kernel": "poly", "degree": 3, "C": 2},
        {"kernel": "poly", "degree": 4, "C": 3},
    ]
    assert [trial.state.value for trial in added] == ["complete", "failed", "complete"]
    assert added[1].error == "diverged" and [trial.is_feasible for trial in added] == [True, True, False]
    assert added[2].attributes == {"host": None}


def test_a_frame_with_a_wrong_cell_or_column_is_refused():
    frame = pd.DataFrame({"x": [0.5, 0.5], "n": [1, 77], "loss": [1.0, 2.0]})
    with pytest.raises(ConfigError, match="row 1: Parameter 'n' must be between 1 and 9. Got 77"):
        Optimizer(SPACE, seed=0).add(frame, "loss")
    with pytest.raises(ConfigError, match=r"Got 'los'. Did you mean 'loss'\?"):
        Optimizer(SPACE, seed=0).add(frame, "los")
    with pytest.raises(ConfigError, match="A DataFrame must have a column for each parameter: 'x', 'n'"):
        Optimizer(SPACE, seed=0).add(frame[["loss"]], "loss")


# -- tables -------------------------------------------------------------------------------------------------


def a_run():
    space = Space({"kernel": ["rbf", "poly"], "degree": Int(2, 5, when={"kernel": "poly"}), "cost": (0.0, 1.0)})
    optimizer = Optimizer(space, direction="maximize", seed=0)
    optimizer.enqueue({"kernel": "poly", "degree": 3, "cost": 0.5})
    optimizer.enqueue({"kernel": "rbf", "cost": 0.25})
    first, second, _ = optimizer.ask(3)
    optimizer.tell(first, 2.0, attributes={"note": "ok", "kernel": "mine", "list": [1]}, cost=3)
    optimizer.tell(second, error="boom")
    return optimizer


def test_a_table_in_pandas_has_a_row_per_trial():
    frame = a_run().to_pandas()
    assert frame["number"].tolist() == [0, 1, 2] and frame["state"].tolist() == ["complete", "failed", "running"]
    assert frame["value"][0] == 2.0 and frame["value"].isna().tolist() == [False, True, True]
    assert frame["param:cost"].tolist()[:2] == [0.5, 0.25] and frame["cost"][0] == 3.0
    assert frame["degree"][0] == 3 and np.isnan(frame["degree"][1])
    assert frame["attribute:kernel"][0] == "mine" and frame["note"][0] == "ok" and frame["list"][0] == [1]
    assert frame["origin"].tolist()[:2] == ["given", "given"] and frame["reason"][0] == "enqueued"
    assert frame["error"][1] == "boom" and frame["started"].dtype.kind == "M"


def test_a_table_of_pandas_can_be_added_to_another_run():
    first = a_run()
    second = Optimizer(first.space, direction="maximize", seed=1)
    second.add(first.to_pandas().iloc[:2], "value", errors="error")
    assert [(t.config, t.value, t.error) for t in second.trials] == [
        (t.config, t.value, t.error) for t in first.trials[:2]
    ]


def test_a_csv_file_has_the_same_columns(tmp_path):
    optimizer = a_run()
    optimizer.to_csv(tmp_path / "trials.csv")
    with (tmp_path / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == optimizer.to_pandas().columns.tolist()
    assert [row["value"] for row in rows] == ["2.0", "", ""] and rows[0]["list"] == "[1]"
    assert [row["degree"] for row in rows[:2]] == ["3", ""]


# -- looks --------------------------------------------------------------------------------------------------


def test_representations_are_short_and_name_the_best():
    optimizer = Optimizer(SPACE, direction="maximize", seed=5)
    assert repr(optimizer) == "Optimizer('auto', direction='maximize', seed=5; no trials)"
    optimizer.enqueue({"x": 0.5, "n": 3})
    optimizer.tell(optimizer.ask(), 4.0)
    optimizer.tell(optimizer.ask(), error="boom")
    summary = "2 trials: 1 complete, 1 failed; best 4 at {'x': 0.5, 'n': 3}"
    assert repr(optimizer) == f"Optimizer('auto', direction='maximize', seed=5; {summary})"
    assert repr(optimizer.history) == f"History(x, n; {summary})"


def test_the_html_of_a_run_shows_the_best_settings_and_a_plot_and_escapes_what_it_shows():
    optimizer = Optimizer({"<b>x</b>": ["<script>", "&"], "y": (0.0, 1.0)}, seed=0)
    assert "no trials" in optimizer._repr_html_()
    for i in range(3):
        optimizer.tell(optimizer.ask(), float(i))
    html = optimizer._repr_html_()
    assert "<script" not in html and "<b>x" not in html and "&lt;b&gt;x&lt;/b&gt;" in html
    assert "Best value" in html and html.count("<circle") == 3


@pytest.mark.parametrize(
    "values",
    [[1.0, 1.0], [0.0, 0.0], [-1e308, 1e308, 0.0], [math.nan, math.inf, 1.0, 2.0], [1e-300, 1.0, 5.0], [1e308, 1e308]],
)
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_no_value_leaves_the_plot(values, direction):
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction=direction, seed=0)
    optimizer.add([{"x": i / 8} for i in range(len(values))], values)
    html = optimizer._repr_html_()
    assert "nan" not in html.split("<svg")[1] and "inf" not in html.split("<svg")[1]
    heights = [float(part.split('"')[0]) for part in html.split('cy="')[1:]]
    assert heights and all(0 <= height <= 190 for height in heights)


def test_the_html_of_a_long_run_stays_small():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.add([{"x": i / 5000} for i in range(5000)], [float(i % 97) for i in range(5000)])
    assert optimizer._repr_html_().count("<circle") <= 500


# -- early stopping -----------------------------------------------------------------------------------------

EPOCHS = 24


def curve(x, epoch):
    return (x - 0.3) ** 2 + 1 / epoch


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_should_prune_decides_as_the_pruner_does_in_optuna(direction):
    sign = -1.0 if direction == "maximize" else 1.0
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction=direction, seed=0)
    study = optuna.create_study(direction=direction, pruner=AugerPruner())
    n_pruned = 0
    for x in np.random.default_rng(0).random(14).tolist():
        optimizer.enqueue({"x": x})
        study.enqueue_trial({"x": x})
        ours, theirs = optimizer.ask(), study.ask()
        theirs.suggest_float("x", 0, 1)
        for epoch in range(1, EPOCHS + 1):
            value = sign * curve(x, epoch)
            optimizer.report(ours, epoch, value)
            theirs.report(value, epoch)
            is_pruned = optimizer.should_prune(ours)
            assert is_pruned == theirs.should_prune()
            if is_pruned:
                break
        n_pruned += is_pruned
        optimizer.tell(ours, value, pruned=is_pruned)
        study.tell(theirs, None if is_pruned else value, optuna.trial.TrialState.PRUNED if is_pruned else None)
    assert 3 <= n_pruned <= 12


def test_running_trials_do_not_change_what_should_prune_says():
    alone, busy = (Optimizer({"x": (0.0, 1.0)}, seed=0) for _ in range(2))
    for optimizer in (alone, busy):
        for x in (0.1, 0.3, 0.5):
            steps = {epoch: curve(x, epoch) for epoch in range(1, EPOCHS + 1)}
            optimizer.add([{"x": x}], [curve(x, EPOCHS)], intermediate_values=[steps])
    for trial in busy.ask(3):
        busy.report(trial, 5, 0.2)
    decisions = []
    for optimizer in (alone, busy):
        trial = optimizer.ask(fixed={"x": 0.9})
        optimizer.report(trial, 4, curve(0.9, 4))
        decisions.append(optimizer.should_prune(trial))
    assert decisions == [True, True]


def test_a_trial_that_reported_nothing_is_not_pruned():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    assert not optimizer.should_prune(optimizer.ask())


# -- threads ------------------------------------------------------------------------------------------------


def test_four_threads_may_share_an_optimizer():
    optimizer, errors, asked = Optimizer({"x": (0.0, 1.0), "n": (0, 10**6)}, FAST, seed=0), [], []

    def work():
        try:
            for _ in range(50):
                trial = optimizer.ask()
                asked.append(trial)
                optimizer.report(trial, 1, trial.config["n"])
                optimizer.tell(trial, trial.config["n"], attributes={"x": trial.config["x"]})
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(trial.number for trial in asked) == list(range(200))
    assert all(trial.value == trial.config["n"] == trial.intermediate_values[0][1] for trial in optimizer.trials)
    assert all(trial.attributes["x"] == trial.config["x"] for trial in optimizer.trials)
    assert {trial.number: trial.config for trial in asked} == {t.number: t.config for t in optimizer.trials}


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))], ids=["copy", "pickle"])
def test_an_optimizer_can_be_copied_and_pickled(twin_of):
    optimizer = Optimizer(SPACE, FAST, seed=0)
    optimizer.enqueue({"n": 3})
    for trial in optimizer.ask(3)[:2]:
        optimizer.tell(trial, 1.0)
    twin = twin_of(optimizer)
    twin.tell(2, 5.0)
    assert optimizer.trials[2].state is State.RUNNING and twin.trials[2].value == 5.0
    assert twin.ask().config["n"] >= 1


# -- looking at it ------------------------------------------------------------------------------------------


def test_a_running_trial_is_explained_by_past_results_which_have_no_times():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.add([{"x": i / 16} for i in range(12)], range(12))
    trial = optimizer.ask()
    assert why(optimizer, trial.number).p is not None


def test_the_report_of_a_run_that_maximizes_shows_the_users_own_sign():
    _, up = pair(12)
    best = best_settings(view(up))
    assert best.value == up.best.value < 0 and "highest" in best.reason

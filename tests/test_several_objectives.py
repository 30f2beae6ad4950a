"""Several objectives in Python: what a trial is told, the front, the choice from it, saved runs, and bad input."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger import AugerError, Float, Optimizer, Space, StopSearch, minimize, minimize_several
from auger.errors import NoCompletedTrialError, ObjectiveError, TrialError
from auger.objectives import Direction, Objectives, as_objectives
from auger.preference import as_preference, choose
from auger.trial import State, Trial

SPACE = Space({"x": Float(0.0, 1.0), "n": (1, 9), "act": ["relu", "tanh"]})
DIRECTIONS = {"error": "minimize", "speed": "maximize"}


def measured(config):
    return {"error": (config["x"] - 0.3) ** 2 + (config["act"] == "tanh"), "speed": config["x"] * config["n"]}


def run_of(n, **settings):
    optimizer = Optimizer(SPACE, directions=DIRECTIONS, seed=0, **settings)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, measured(trial.config))
    return optimizer


# -- what is told, and shown ----------------------------------------------------------------------------------


def test_values_go_in_and_come_out_in_the_users_own_sign_and_order():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions=DIRECTIONS, seed=0)
    for values in ([1.0, 2.0], {"speed": 2.0, "error": 1.0}, np.array([1.0, 2.0]), (1, np.float32(2))):
        assert optimizer.tell(optimizer.ask(), values).values == (1.0, 2.0)
    np.testing.assert_array_equal(optimizer.history.losses, [[1.0, -2.0]] * 4)
    trial = optimizer.report(optimizer.ask(), 1, {"error": 3.0, "speed": 4.0})
    trial = optimizer.report(trial, 2, [2.0, 5.0])
    assert trial.intermediate_values == ((1.0, 3.0, 4.0), (2.0, 2.0, 5.0))
    assert optimizer.tell(trial, pruned=True).values == (2.0, 5.0)


def test_the_front_has_the_trials_that_no_other_beats_the_best_in_the_first_objective_first():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions=DIRECTIONS, seed=0)
    optimizer.add([{"x": i / 10} for i in range(4)], [(2.0, 5.0), (1.0, 4.0), (3.0, 5.0), (0.5, 1.0)])
    assert [(trial.number, trial.values) for trial in optimizer.front] == [
        (3, (0.5, 1.0)),
        (1, (1.0, 4.0)),
        (0, (2.0, 5.0)),
    ]


def test_the_front_of_one_objective_is_its_best_trials():
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction="maximize", seed=0)
    optimizer.add([{"x": 0.1}, {"x": 0.2}, {"x": 0.3}], [1.0, 2.0, 2.0])
    assert [trial.number for trial in optimizer.front] == [1, 2]
    assert optimizer.choose().number == 1 and optimizer.choose("value").number == 1


@pytest.mark.parametrize("ask_for", ["best", "direction", "recommend"])
def test_what_only_one_objective_has_is_refused_with_the_way_out(ask_for):
    optimizer = run_of(2)
    with pytest.raises(ObjectiveError, match=f"`{ask_for}` is for a single objective. Got 'error', 'speed': "):
        getattr(optimizer, ask_for) if ask_for != "recommend" else optimizer.recommend()


def test_a_saved_run_goes_on_as_if_it_had_not_stopped(tmp_path):
    optimizer = run_of(14, reference={"error": 1.0, "speed": 0.0})
    trial = optimizer.ask()
    optimizer.tell(trial, error="out of memory")
    optimizer.tell(optimizer.report(optimizer.ask(), 1, [0.5, 0.5]), pruned=True)
    optimizer.save(tmp_path / "run.json")
    loaded = Optimizer.load(tmp_path / "run.json")
    assert (
        loaded.objectives
        == optimizer.objectives
        == Objectives((Direction.MINIMIZE, Direction.MAXIMIZE), ("error", "speed"), (1.0, -0.0))
    )
    assert loaded.trials == optimizer.trials and loaded.front == optimizer.front
    np.testing.assert_array_equal(loaded.history.y, optimizer.history.y)
    assert [trial.config for trial in loaded.ask(4)] == [trial.config for trial in optimizer.ask(4)]


@pytest.mark.parametrize(
    "damage",
    [
        {"directions": ["minimize"]},
        {"directions": ["minimize", "up"]},
        {"names": ["error", "error"]},
        {"names": "es"},
        {"reference": [1.0]},
        {"reference": ["1", 2]},
        {"directions": None},
    ],
)
def test_a_damaged_file_is_refused_by_name(damage, tmp_path):
    path = tmp_path / "run.json"
    run_of(2).save(path)
    data = json.loads(path.read_text())
    data["objectives"] |= damage
    path.write_text(json.dumps(data))
    with pytest.raises(AugerError, match="run.json"):
        Optimizer.load(path)


def test_a_table_has_a_column_per_objective(tmp_path):
    optimizer = run_of(3)
    optimizer.tell(optimizer.ask(), error="crashed")
    frame = optimizer.to_pandas()
    assert list(frame.columns[:5]) == ["number", "state", "value:error", "speed", "feasible"]
    assert frame["speed"].tolist()[:3] == [trial.values[1] for trial in optimizer.trials[:3]]
    assert math.isnan(frame["value:error"][3])
    optimizer.to_csv(tmp_path / "run.csv")
    read = pd.read_csv(tmp_path / "run.csv")
    np.testing.assert_allclose(read["speed"], frame["speed"])
    other = Optimizer(SPACE, directions=DIRECTIONS, seed=1)
    other.add(frame, ["value:error", "speed"], errors="error")
    assert [trial.values for trial in other.trials] == [trial.values for trial in optimizer.trials]


def test_columns_with_the_names_of_the_objectives_may_come_in_any_order():
    frame = pd.DataFrame({"x": [0.5, 0.6], "speed": [1.0, None], "error": [2.0, None]})
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions=DIRECTIONS, seed=0)
    first, second = optimizer.add(frame, ["speed", "error"])
    assert first.values == (2.0, 1.0) and second.state is State.FAILED
    frame.loc[1, "speed"] = 3.0
    with pytest.raises(TrialError, match="row 1: The value of 'error' of trial 3 must be one number. Got None"):
        optimizer.add(frame, ["speed", "error"])
    assert len(optimizer.trials) == 2


def test_notebooks_show_the_front():
    page = run_of(12)._repr_html_()
    assert "on the front" in page and "speed (maximized)" in page
    assert repr(run_of(12)).startswith(
        "Optimizer('auto', directions={'error': 'minimize', 'speed': 'maximize'}, seed=0"
    )


# -- a whole run ----------------------------------------------------------------------------------------------


def test_a_whole_run_finds_the_front_of_a_table():
    space = {"x": (0, 12), "y": (0, 12)}  # the front: y = 0 and x from 2 to 9

    def table(config):
        return [(config["x"] - 2) ** 2 + config["y"], (config["x"] - 9) ** 2 + config["y"]]

    result = minimize_several(table, space, directions=["minimize", "minimize"], n_trials=80, seed=0)
    assert [trial.config for trial in result.front] == [{"x": x, "y": 0} for x in range(2, 10)]
    assert result.choose({"value 0": 1, "value 1": 1}).config["x"] in (5, 6)
    assert result.choose("value 1").config["x"] == 9
    assert repr(result) == "FrontResult(8 trials on the front; 80 trials: 80 complete)"


def test_a_result_that_is_no_value_per_objective_fails_the_trial_but_the_first_is_refused():
    def fun(config):
        return [1.0] if fun.n == 2 else [config["x"], 1.0] if fun.n != 4 else [math.nan, 1.0]

    def count(trial):
        fun.n += 1

    fun.n = 0
    result = minimize_several(fun, {"x": (0.0, 1.0)}, directions=DIRECTIONS, n_trials=8, seed=0, callback=count)
    assert [trial.number for trial in result.trials if trial.state is State.FAILED] == [2, 4]
    assert "must be 2 numbers, one per objective ('error', 'speed')" in result.trials[2].error
    with pytest.raises(
        TrialError, match="`fun` must return one number per objective. The values of trial 0 must be 2 "
    ):
        minimize_several(lambda config: 1.0, {"x": (0.0, 1.0)}, directions=DIRECTIONS, n_trials=3)


def test_threads_callbacks_and_errors_are_those_of_minimize():
    seen = []

    def stop(trial):
        seen.append(trial.values)
        if len(seen) == 6:
            raise StopSearch

    result = minimize_several(measured, SPACE, directions=DIRECTIONS, n_trials=99, n_jobs=2, callback=stop)
    assert 6 <= len(result.trials) <= 8 and all(len(values) == 2 for values in seen)
    with pytest.raises(NoCompletedTrialError, match="No trial returned a value: 3 of 3 failed"):
        minimize_several(lambda config: 1 / 0, SPACE, directions=DIRECTIONS, n_trials=3)
    with pytest.raises(ObjectiveError, match="`minimize_several` needs several `directions`"):
        minimize_several(measured, SPACE, directions=["minimize"], n_trials=3)
    with pytest.raises(ObjectiveError, match="`direction` must be one of 'minimize' and 'maximize': it is that of a"):
        minimize(measured, SPACE, direction=["minimize", "maximize"], n_trials=3)


# -- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"directions": ["minimise", "maximize"]},
            "Direction 0 must be 'minimize' or 'maximize'. Got 'minimise'. Did you",
        ),
        ({"directions": {"loss": "down"}}, "The direction of 'loss' must be 'minimize' or 'maximize'. Got 'down'."),
        ({"directions": []}, "`directions` must have at least one direction"),
        (
            {"directions": "minimize"},
            "`directions` must be a list, or a dict of names. Got 'minimize'. Use `direction`",
        ),
        ({"directions": {"": "minimize", "b": "minimize"}}, "The name of an objective must be a text. Got ''."),
        ({"directions": {1: "minimize", "b": "minimize"}}, "The name of an objective must be a text. Got 1."),
        ({"directions": DIRECTIONS, "direction": "maximize"}, "Pass `direction` or `directions`, not both."),
        ({"reference": [1.0]}, "`reference` is for several objectives, which have `directions`"),
        ({"directions": ["minimize"], "reference": [1.0]}, "`reference` is for several objectives"),
        ({"directions": DIRECTIONS, "reference": [1.0]}, "`reference` must be 2 numbers, one per objective ('error', "),
        (
            {"directions": DIRECTIONS, "reference": {"error": 1.0}},
            "`reference` must be one per objective. Got none for 'sp",
        ),
        (
            {"directions": DIRECTIONS, "reference": {"err": 1, "speed": 1}},
            "There is no objective 'err'. Did you mean 'err",
        ),
        (
            {"directions": DIRECTIONS, "reference": [1, math.nan]},
            "The reference of 'speed' must be a finite number. Got n",
        ),
    ],
)
def test_wrong_objectives_are_refused(settings, message):
    with pytest.raises(ObjectiveError, match=re.escape(message)):
        Optimizer(SPACE, **settings)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (1.0, "The values of trial 0 must be 2 numbers, one per objective ('error', 'speed'). Got 1.0."),
        ([1.0], "must be 2 numbers, one per objective"),
        ([1.0, 2.0, 3.0], "must be 2 numbers, one per objective"),
        ("12", "must be 2 numbers, one per objective"),
        (np.ones((2, 2)), "must be 2 numbers, one per objective"),
        ({"error": 1.0}, "The values of trial 0 must be one per objective. Got none for 'speed'."),
        ({"error": 1.0, "sped": 2.0}, "There is no objective 'sped'. Did you mean 'speed'?"),
        ([1.0, "2"], "The value of 'speed' of trial 0 must be one number. Got '2' (str)."),
    ],
)
def test_wrong_values_are_refused_and_the_trial_goes_on(values, message):
    optimizer = Optimizer(SPACE, directions=DIRECTIONS, seed=0)
    trial = optimizer.ask()
    with pytest.raises(AugerError, match=re.escape(message)):
        optimizer.tell(trial, values)
    with pytest.raises(AugerError, match=re.escape(message.replace("value", "intermediate value"))):
        optimizer.report(trial, 1, values)
    assert optimizer.trials == [trial]
    assert optimizer.tell(trial, [1.0, 2.0]).state is State.COMPLETE


def test_nan_is_refused_at_the_end_of_a_trial_and_taken_on_its_way():
    optimizer = Optimizer(SPACE, directions=DIRECTIONS, seed=0)
    trial = optimizer.report(optimizer.ask(), 1, [1.0, math.nan])
    with pytest.raises(TrialError, match=re.escape("The value of 'speed' of trial 0 must be a number. Got nan.")):
        optimizer.tell(trial, [1.0, math.nan])
    assert optimizer.tell(trial, error="diverged").state is State.FAILED


@pytest.mark.parametrize("values", [[math.inf, 1.0], [1.0, math.inf], [-math.inf, 1.0]])
def test_an_infinity_of_either_sign_is_a_failure(values):
    optimizer = run_of(6)
    front = optimizer.front
    optimizer.tell(optimizer.ask(), values)
    assert optimizer.front == front and optimizer.history.is_failure[-1]
    optimizer.ask()


def test_another_number_of_constraints_than_before_is_refused():
    optimizer = Optimizer(SPACE, directions=DIRECTIONS, seed=0)
    optimizer.tell(optimizer.ask(), [1.0, 1.0], constraints=[0.5, -1.0])
    trial = optimizer.ask()
    with pytest.raises(
        TrialError, match=re.escape("The constraints of trial 1 must be 2 numbers, as in the trials bef")
    ):
        optimizer.tell(trial, [1.0, 1.0], constraints=[0.5])
    optimizer.tell(trial, [2.0, 2.0])  # none, as of a trial that is known to be feasible
    assert [trial.number for trial in optimizer.front] == [1]


# -- preferences ----------------------------------------------------------------------------------------------

SIZES = as_objectives({"accuracy": "maximize", "size": "minimize", "ms": "minimize"})
FRONT = [
    Trial(0, {}, State.COMPLETE, SIZES.minimized([0.90, 10.0, 5.0])),
    Trial(1, {}, State.COMPLETE, SIZES.minimized([0.95, 30.0, 4.0])),
    Trial(2, {}, State.COMPLETE, SIZES.minimized([0.97, 90.0, 9.0])),
    Trial(3, {}, State.COMPLETE, SIZES.minimized([0.80, 10.0, 1.0])),
]


@pytest.mark.parametrize(
    ("prefer", "number"),
    [
        ("accuracy", 2),
        ("size", 0),  # as small as 3, and more accurate: the first objective decides a tie
        ("size, ms", 3),
        ("accuracy >= 0.9, size", 0),
        ("accuracy>=0.91,size", 1),
        ("size <= 40", 1),
        ("size <= 40, ms <= 4.5, ms", 3),
        ("ms", 3),
        ({"accuracy": 1}, 2),
        ({"ms": 2, "size": 0}, 3),
        ({"accuracy": 1, "size": 1, "ms": 1}, 1),  # at most 0.375 of a range, where trial 0 loses 0.5
        (None, 1),
    ],
)
def test_a_preference_chooses_one_trial_of_the_front(prefer, number):
    assert choose(FRONT, SIZES, as_preference(prefer, SIZES)).number == number


@pytest.mark.parametrize(
    ("prefer", "message"),
    [
        (
            "",
            "A preference must be limits and names of objectives, such as 'error <= 0.1, size', or a dict of names and",
        ),
        (3, "A preference must be limits and names"),
        ("acuracy", "There is no objective 'acuracy'. Did you mean 'accuracy'?"),
        ("accuracy >= much", "The limit of 'accuracy' must be a number. Got 'accuracy >= much'."),
        ("accuracy <= 0.9", "A limit of 'accuracy', to be maximized, must be written >=. Got 'accuracy <= 0.9'."),
        ("size = 3", "A limit of 'size', to be minimized, must be written <=. Got 'size = 3'."),
        ({"size": -1}, "The weight of 'size' must be a number of at least 0. Got -1."),
        ({"size": "1"}, "The weight of 'size' must be a number of at least 0. Got '1'."),
        ({"size": 0}, "At least one weight must be above 0."),
        ({}, "At least one weight must be above 0."),
        ({"sise": 1}, "There is no objective 'sise'"),
    ],
)
def test_a_wrong_preference_is_refused(prefer, message):
    with pytest.raises(ObjectiveError, match=re.escape(message)):
        as_preference(prefer, SIZES)


def test_a_preference_that_no_trial_meets_says_how_far_they_are():
    wanted = "No trial of the front has 'accuracy' at least 0.99 and 'ms' at most 2. The best of 4 have 0.97 for 'accu"
    with pytest.raises(ObjectiveError, match=re.escape(wanted)):
        choose(FRONT, SIZES, as_preference("accuracy >= 0.99, ms <= 2", SIZES))
    assert choose([], SIZES, as_preference("accuracy >= 0.99", SIZES)) is None


@given(
    st.lists(st.tuples(*[st.floats(-1e308, 1e308)] * 3), min_size=1, max_size=12), st.tuples(*[st.floats(0, 1e9)] * 3)
)
def test_weights_choose_a_trial_that_no_other_beats_in_all_objectives(losses, weights):
    trials = [Trial(i, {}, State.COMPLETE, values) for i, values in enumerate(losses)]
    if any(weights):
        prefer = dict(zip(SIZES.names, weights, strict=True))
        chosen = choose(trials, SIZES, as_preference(prefer, SIZES))
        assert not any(all(a < b for a, b in zip(other.values, chosen.values, strict=True)) for other in trials)


def test_objectives_are_data():
    for reference in (None, [0.5, 1.0, 2.0]):
        objectives = as_objectives(SIZES.described(), reference)
        assert Objectives.from_json(json.loads(json.dumps(objectives.to_json()))) == objectives


# -- what a reviewer broke ------------------------------------------------------------------------------------


def test_nan_before_the_first_good_trial_fails_the_trial_and_not_the_run():
    def fun(config):
        fun.n += 1
        return {"error": math.nan if fun.n < 3 else 1.0, "speed": config["x"]}

    fun.n = 0
    result = minimize_several(fun, {"x": (0.0, 1.0)}, directions=DIRECTIONS, n_trials=6, seed=0)
    assert [trial.state for trial in result.trials[:3]] == [State.FAILED, State.FAILED, State.COMPLETE]


@pytest.mark.parametrize("recipe", ["bore-mlp", "lfbo-mlp"])
def test_a_network_follows_ranks_as_they_were_also_after_a_resume(recipe, tmp_path):
    optimizer = Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, recipe, directions=["minimize", "minimize"], seed=0)
    for _ in range(14):
        trial = optimizer.ask()
        x, y = trial.config["x"], trial.config["y"]
        optimizer.tell(trial, [x**2 + y, (x - 1) ** 2 + y])
    optimizer.save(tmp_path / "run.json")
    assert Optimizer.load(tmp_path / "run.json").ask().config == optimizer.ask().config


def test_past_results_have_as_many_constraints_as_the_trials_before():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    with pytest.raises(TrialError, match="row 1: The constraints of trial 1 must be 1 number, as in the trials before"):
        optimizer.add([{"x": 0.1}, {"x": 0.2}], [1.0, 2.0], constraints=[[-1.0], [-1.0, -1.0]])
    optimizer.tell(optimizer.ask(), 1.0, constraints=[-1.0])
    with pytest.raises(TrialError, match="row 0: The constraints of trial 1 must be 1 number"):
        optimizer.add([{"x": 0.1}], [1.0], constraints=[[-1.0, -1.0]])
    assert len(optimizer.trials) == 1


def test_a_table_goes_back_in_whatever_parameters_and_objectives_are_called():
    space, directions = {"size": (0.0, 1.0), "cost": (0.0, 1.0)}, {"size": "minimize", "number": "maximize"}
    first = Optimizer(space, directions=directions, seed=0)
    for _ in range(4):
        trial = first.ask()
        first.tell(trial, [10 * trial.config["size"], 5.0 + trial.config["cost"]])
    second = Optimizer(space, directions=directions, seed=0)
    second.add(first.to_pandas(), ["size", "number"])
    assert [(t.config, t.values) for t in second.trials] == [(t.config, t.values) for t in first.trials]


def test_a_series_is_read_by_its_names():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions=DIRECTIONS, seed=0)
    assert optimizer.tell(optimizer.ask(), pd.Series({"speed": 100.0, "error": 0.1})).values == (0.1, 100.0)
    assert optimizer.tell(optimizer.ask(), pd.Series([0.1, 100.0])).values == (0.1, 100.0)


def test_one_named_objective_may_be_told_by_its_name():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions={"loss": "minimize"}, seed=0)
    assert optimizer.tell(optimizer.ask(), {"loss": 1.0}).values == (1.0,)
    assert optimizer.tell(optimizer.ask(), 2.0).values == (2.0,) and optimizer.best.value == 1.0


def test_a_constraint_that_few_of_many_trials_have_is_learned_from_and_breaks_nothing():
    optimizer = Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, seed=0)
    rng = np.random.default_rng(0)
    configs = [{"x": x, "y": y} for x, y in rng.random((400, 2))]
    values = [(config["x"] - 0.3) ** 2 + config["y"] for config in configs]
    optimizer.add(configs, values, constraints=[[1.0] if i == 200 else () for i in range(400)])
    for _ in range(4):
        trial = optimizer.ask()
        optimizer.tell(trial, trial.config["x"])
    assert "Gaussian process" in " ".join(trial.model for trial in optimizer.trials)


def test_an_infinite_violation_keeps_the_search_away_like_a_finite_one():
    def best(violation):
        optimizer = Optimizer({f"x{i}": (0.0, 1.0) for i in range(3)}, seed=1)
        for _ in range(50):
            trial = optimizer.ask()
            total = sum(trial.config.values())
            optimizer.tell(trial, -total, constraints=[violation if total > 1.0 else -0.1])
        return optimizer.best.value

    assert best(math.inf) < -0.9 and best(1.0) < -0.9


@pytest.mark.parametrize("prefer", ["size,", ",size", " , "])
def test_an_empty_entry_of_a_preference_is_refused(prefer):
    with pytest.raises(ObjectiveError, match="must have a name or a limit between its commas"):
        as_preference(prefer, SIZES)

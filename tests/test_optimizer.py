import json
import math
import os
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auger import RECIPES, Categorical, Float, Int, Optimizer, Origin, Recipe, Space, State
from auger.classifiers import Forest
from auger.errors import ConfigError, FileFormatError, RecipeError, TrialError
from auger.maximizers import ByDomain, Gradient, LocalSearch, RandomSearch
from auger.testing.cases import choice_space, mixed_space, numeric_space, target, tiny_space

FAST = Recipe("fast", Forest(n_trees=10), RandomSearch(100))


def value_of(optimizer, trial):
    return float(target(optimizer.space.encode([trial.config]), optimizer.space)[0])


def run(optimizer, n):
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, value_of(optimizer, trial))
    return optimizer


@pytest.mark.parametrize("make_space", [numeric_space, mixed_space, choice_space])
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_works_on_every_kind_of_space(name, make_space):
    optimizer = run(Optimizer(make_space(), name, seed=0), 14)
    n_initial = optimizer.recipe.at(0, 0).n_initial
    assert [trial.state for trial in optimizer.trials] == [State.COMPLETE] * 14
    assert [trial.origin for trial in optimizer.trials] == [Origin.INITIAL] * n_initial + [Origin.MODEL] * (
        14 - n_initial
    )
    assert len({json.dumps(trial.config) for trial in optimizer.trials}) == 14


@pytest.mark.parametrize("name", RECIPES)
def test_a_saved_run_goes_on_exactly_as_the_one_that_was_not_interrupted(name, tmp_path):
    whole = run(Optimizer(mixed_space(), name, seed=1), 16)
    half = run(Optimizer(mixed_space(), name, seed=1), 12)
    half.ask()  # pending when the file is written
    half.save(tmp_path / "run.json")
    loaded = Optimizer.load(tmp_path / "run.json")
    assert loaded.trials == half.trials
    loaded.tell(12, value_of(loaded, loaded.trials[12]))
    assert run(loaded, 3).trials == whole.trials


def test_answers_in_another_order_than_asked_survive_a_resume(tmp_path):
    optimizer = run(Optimizer(mixed_space(), "bore-mlp", seed=2), 10)
    batch = optimizer.ask(4)
    for trial in reversed(batch[1:]):
        optimizer.tell(trial, value_of(optimizer, trial))
    optimizer.save(tmp_path / "run.json")
    assert Optimizer.load(tmp_path / "run.json").ask() == optimizer.ask()


SCRIPT = """
import sys
from contextlib import suppress
from auger import Optimizer
optimizer = Optimizer.load(sys.argv[1])
print([trial.config for trial in optimizer.ask(3)])
"""


@pytest.mark.parametrize("name", ["auto", "bore-xgb", "bore-mlp"])
def test_another_process_with_another_hash_seed_asks_the_same(name, tmp_path):
    optimizer = run(Optimizer(mixed_space(), name, seed=3), 12)
    path = tmp_path / "run.json"
    optimizer.save(path)
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == str([trial.config for trial in optimizer.ask(3)])


@pytest.mark.parametrize("make_space", [numeric_space, mixed_space, choice_space, tiny_space])
def test_a_batch_holds_different_configurations(make_space):
    optimizer = run(Optimizer(make_space(), FAST, seed=4), 2)
    n = min(12, int(min(optimizer.space.cardinality, 1000)) - 2)
    batch = optimizer.ask(n)
    assert len({json.dumps(trial.config) for trial in batch}) == n
    assert all(trial.state is State.RUNNING for trial in batch)


def test_ask_without_a_number_gives_a_trial_and_with_one_a_list():
    optimizer = Optimizer(numeric_space(), FAST, seed=0)
    assert optimizer.ask().number == 0
    assert [trial.number for trial in optimizer.ask(1)] == [1]


def test_a_seed_is_drawn_when_none_is_given_and_can_be_used_again():
    first = Optimizer(numeric_space())
    assert Optimizer(numeric_space(), seed=first.seed).ask() == first.ask()
    assert Optimizer(numeric_space()).seed != first.seed


def test_failed_pruned_and_infeasible_trials_are_kept_apart_from_the_best():
    optimizer = Optimizer(numeric_space(), FAST, seed=0)
    crashed, stopped, broken, good = optimizer.ask(4)
    assert optimizer.tell(crashed, error=ValueError("boom")).error == "ValueError: boom"
    assert optimizer.tell(stopped, 0.1, pruned=True).state is State.PRUNED
    assert optimizer.tell(broken, 0.2, constraints=[1.0]).violation == 1.0
    assert optimizer.tell(good.number, 5.0).value == 5.0
    assert optimizer.best.number == good.number
    run(optimizer, 12)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300, -1e300])
@pytest.mark.parametrize("name", ["auto", "bore-xgb", "lfbo-mlp", "bore-svm", "tpe"])
def test_strange_values_do_no_harm(name, bad):
    optimizer = Optimizer(mixed_space(), name, seed=0)
    for k in range(14):
        trial = optimizer.ask()
        optimizer.tell(trial, bad if k % 3 == 0 else value_of(optimizer, trial))
    assert optimizer.trials[-1].origin is Origin.MODEL


@pytest.mark.parametrize("value", [0.0, 1, 1e-300, 1e300, np.float32(2.5), np.int64(3), np.array(4.0)])
@pytest.mark.parametrize("name", ["auto", "bore-mlp"])
def test_values_that_are_all_equal_work(name, value):
    optimizer = Optimizer(mixed_space(), name, seed=0)
    for _ in range(12):
        optimizer.tell(optimizer.ask(), value)
    assert optimizer.best.value == float(value)


def test_a_run_in_which_everything_fails_goes_on_at_random():
    optimizer = Optimizer(tiny_space(), FAST, seed=0)
    for _ in range(12):
        optimizer.tell(optimizer.ask(), error="no")
    assert optimizer.best is None
    assert "no value to learn from" in optimizer.trials[-1].reason


def test_past_results_count_as_answers_and_are_not_proposed_again():
    optimizer = Optimizer(tiny_space(), FAST, seed=0)
    configs = optimizer.space.decode(optimizer.space.enumerate())[:5]
    added = optimizer.add(configs, [5, 4, 3, 2, 1])
    assert [trial.origin for trial in added] == [Origin.GIVEN] * 5
    assert optimizer.best.config == configs[4]
    assert optimizer.ask().config == optimizer.space.decode(optimizer.space.enumerate())[5]


def test_ten_past_results_spare_the_initial_design():
    optimizer = Optimizer(numeric_space(), FAST, seed=0)
    optimizer.add(optimizer.space.decode(optimizer.space.sample(10, np.random.default_rng(0))), range(10))
    assert optimizer.ask().origin is Origin.MODEL


def test_adding_checks_everything_before_it_adds_anything():
    optimizer = Optimizer({"x": Float(0.0, 1.0)}, seed=0)
    with pytest.raises(ConfigError, match="Parameter 'x' must be between 0.0 and 1.0. Got 7"):
        optimizer.add([{"x": 0.5}, {"x": 7}], [1.0, 2.0])
    with pytest.raises(TrialError, match="`values` must have one entry for each of the 1 configs. Got 2"):
        optimizer.add([{"x": 0.5}], [1.0, 2.0])
    with pytest.raises(TrialError, match="must be one number. Got 'high'"):
        optimizer.add([{"x": 0.5}, {"x": 0.6}], [1.0, "high"])
    with pytest.raises(ConfigError, match="must be a list of configs"):
        optimizer.add({"x": 0.5}, [1.0])
    assert optimizer.trials == []


def test_what_the_user_changes_in_a_trial_does_not_reach_the_history():
    optimizer = Optimizer({"x": Float(0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    trial.config["x"] = 99.0
    assert optimizer.trials[0].config["x"] <= 1.0


@pytest.mark.parametrize("value", [None, "1.0", [1.0], np.ones(2), np.ones((2, 2)), True, 1j, {"loss": 1.0}])
def test_a_value_that_is_not_one_number_is_refused_and_the_trial_goes_on(value):
    optimizer = Optimizer(numeric_space(), seed=0)
    trial = optimizer.ask()
    with pytest.raises(TrialError, match=r"trial 0 must be one number|Trial 0 must have a value"):
        optimizer.tell(trial, value)
    assert optimizer.tell(trial, 1.0).state is State.COMPLETE


def test_telling_an_unknown_or_finished_trial_is_refused():
    optimizer = Optimizer(numeric_space(), seed=0)
    trial = optimizer.ask()
    with pytest.raises(TrialError, match="must be one that was asked for, 0 to 0. Got 5"):
        optimizer.tell(5, 1.0)
    with pytest.raises(TrialError, match="must be one that was asked for, 0 to 0. Got 'first'"):
        optimizer.tell("first", 1.0)
    optimizer.tell(trial, 1.0)
    with pytest.raises(TrialError, match="Trial 0 must be running to be told. It is complete already"):
        optimizer.tell(trial, 2.0)
    assert optimizer.best.value == 1.0


def test_a_value_and_an_error_together_are_refused():
    optimizer = Optimizer(numeric_space(), seed=0)
    with pytest.raises(TrialError, match="takes a value or an error, not both"):
        optimizer.tell(optimizer.ask(), 1.0, error="but no")


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2"])
def test_asking_for_a_strange_number_of_trials_is_refused(n):
    optimizer = Optimizer(numeric_space(), seed=0)
    with pytest.raises(ValueError, match="`n` must be a whole number of at least 1"):
        optimizer.ask(n)


@pytest.mark.parametrize("seed", [-1, 1.5, "0", True])
def test_a_strange_seed_is_refused(seed):
    with pytest.raises(ValueError, match="`seed` must be a whole number of at least 0"):
        Optimizer(numeric_space(), seed=seed)


def test_an_unknown_recipe_names_the_nearest():
    with pytest.raises(RecipeError, match=r"Got 'bore-fr'. Did you mean 'bore-rf'\? Known: 'auto'"):
        Optimizer(numeric_space(), "bore-fr")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gamma": 0.0}, "`gamma` must be a number strictly between 0 and 1.* Got 0.0"),
        ({"gamma": 1}, "`gamma` must be a number strictly between 0 and 1.* Got 1"),
        ({"weights": "heavy"}, "`weights` must be 'none', 'improvement' or a function.* Got 'heavy'"),
        ({"n_initial": 1}, "`n_initial` of a Recipe must be a whole number of at least 2. Got 1"),
        ({"name": 3}, "`name` of a Recipe must be a non-empty string. Got 3"),
        ({"gamma": lambda n: 1.5}, "`gamma` must return a number strictly between 0 and 1. Got 1.5 for n=1"),
        ({"maximizer": Gradient()}, "Gradient needs a classifier with a gradient, such as MLP. Got Forest"),
        ({"maximizer": LocalSearch(n_climbs=1)}, "LocalSearch needs a classifier with a gradient, .* Got Forest"),
        (
            {"maximizer": ByDomain(RandomSearch(), Gradient())},
            "ByDomain needs a classifier with a gradient, such as MLP. Got Forest",
        ),
        ({"initial": "grid"}, "`initial` must be 'random' or 'sobol'. Got 'grid'"),
        ({"classifier": "rf"}, r"`classifier` must be an auger Classifier, such as Forest\(\). Got 'rf'"),
        ({"maximizer": "de"}, "`maximizer` must be an auger Maximizer. Got 'de'"),
    ],
)
def test_a_recipe_with_wrong_parts_is_refused(change, message):
    parts = {"name": "mine", "classifier": Forest(), "maximizer": RandomSearch(), **change}
    with pytest.raises(RecipeError, match=message):
        Recipe(**parts)


# -- files ------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    optimizer = run(Optimizer(mixed_space(), FAST, seed=0), 3)
    optimizer.tell(optimizer.ask(), math.nan)
    optimizer.tell(optimizer.ask(), -math.inf)
    optimizer.tell(optimizer.ask(), error="boom")
    optimizer.tell(optimizer.ask(), 3.0, constraints=[0.5, -1.0])
    path = tmp_path / "run.json"
    optimizer.save(path)
    return optimizer, path


def test_a_file_is_plain_json_with_a_version(saved):
    _, path = saved
    data = json.loads(path.read_text(), parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))
    assert (data["format"], data["version"]) == ("auger-optimizer", 5)


def test_nan_infinity_errors_and_constraints_survive(saved):
    optimizer, path = saved
    loaded = Optimizer.load(path, recipe=FAST)
    assert str(loaded.trials) == str(optimizer.trials)  # as text: NaN differs from itself


def test_a_recipe_of_ones_own_must_be_given_again(saved):
    _, path = saved
    with pytest.raises(RecipeError, match="saved with your own recipe 'fast', which a file cannot hold. Pass it again"):
        Optimizer.load(path)
    with pytest.raises(RecipeError, match="saved with your own recipe 'fast'. Got another: 'other'"):
        Optimizer.load(path, recipe=Recipe("other", Forest(), RandomSearch()))


def test_a_recipe_of_ones_own_under_a_built_in_name_is_not_taken_for_it(tmp_path):
    mine = Recipe("auto", Forest(n_trees=3), RandomSearch(10))
    Optimizer(tiny_space(), mine, seed=0).save(tmp_path / "run.json")
    with pytest.raises(RecipeError, match="your own recipe 'auto'"):
        Optimizer.load(tmp_path / "run.json")
    with pytest.raises(RecipeError, match="your own recipe 'auto'. Got another: 'auto'"):
        Optimizer.load(tmp_path / "run.json", recipe="auto")
    assert Optimizer.load(tmp_path / "run.json", recipe=mine).recipe == mine


def test_a_built_in_recipe_may_be_named_again_but_not_swapped(tmp_path):
    Optimizer(tiny_space(), "tpe", seed=0).save(tmp_path / "run.json")
    assert Optimizer.load(tmp_path / "run.json", recipe="tpe").recipe.name == "tpe"
    with pytest.raises(RecipeError, match="the built-in recipe 'tpe'. Got another: 'auto'"):
        Optimizer.load(tmp_path / "run.json", recipe="auto")


def test_constraints_that_are_functions_must_be_given_again(tmp_path):
    space = Space({"a": Int(0, 9), "b": Int(0, 9)}, constraints=["a <= 8", lambda config: config["a"] != config["b"]])
    optimizer = run(Optimizer(space, seed=0), 3)
    optimizer.save(tmp_path / "run.json")
    with pytest.raises(FileFormatError, match="1 constraints that are Python functions"):
        Optimizer.load(tmp_path / "run.json")
    again = Optimizer.load(tmp_path / "run.json", constraints=[lambda config: config["a"] != config["b"]])
    assert again.ask() == optimizer.ask()


def test_choices_that_are_tuples_survive(tmp_path):
    space = {"layers": Categorical([(32,), (64, 64), ((8, 8), "pool")]), "x": (0.0, 1.0)}
    optimizer = run(Optimizer(space, FAST, seed=0), 12)
    optimizer.save(tmp_path / "run.json")
    loaded = Optimizer.load(tmp_path / "run.json", recipe=FAST)
    assert loaded.trials == optimizer.trials
    assert loaded.ask() == optimizer.ask()


@settings(max_examples=60, deadline=None)
@given(cut=st.floats(0.0, 0.999))
def test_a_truncated_file_gives_a_clear_error(cut, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    optimizer = run(Optimizer(tiny_space(), FAST, seed=0), 2)
    optimizer.save(folder / "run.json")
    text = (folder / "run.json").read_bytes()
    (folder / "run.json").write_bytes(text[: int(cut * len(text))])
    with pytest.raises(FileFormatError, match=r"run\.json must be a JSON file that auger saved"):
        Optimizer.load(folder / "run.json", recipe=FAST)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1, 2]", "It is another JSON file"),
        ('{"format": "other"}', "It is another JSON file"),
        ('{"format": "auger-optimizer", "version": 99}', "must have a format version from 1 to 5. Got version 99"),
        ('{"format": "auger-optimizer", "version": 1}', "damaged: KeyError"),
        ("\x00\x01", "It is cut, or another file"),
    ],
)
def test_a_foreign_file_gives_a_clear_error(content, message, tmp_path):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(FileFormatError, match=message):
        Optimizer.load(path)


def damage_state(data):
    data["history"]["trials"][0]["state"] = "lost"


def damage_config(data):
    data["history"]["trials"][0]["config"]["rate"] = 1e9


def damage_finished(data):
    data["history"]["finished"].append(99)


def damage_marks(data):
    data["history"]["marks"][-1] += 1


def damage_seed(data):
    data["seed"] = None


def infinite_seed(data):
    data["seed"] = math.inf


def negative_seed(data):
    data["seed"] = -1


DAMAGES = [damage_state, damage_config, damage_finished, damage_marks, damage_seed, infinite_seed, negative_seed]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_gives_a_clear_error(damage, saved):
    _, path = saved
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(FileFormatError, match=r"run\.json .*[^.]\.$"):
        Optimizer.load(path, recipe=FAST)


def places(data, path=()):
    """Where everything stands in JSON: the keys and indices that lead to it."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_in_a_file_it_loads_or_gives_a_clear_error(saved, data):
    _, path = saved
    content = json.loads(path.read_text())
    *outer, last = data.draw(st.sampled_from([place for place in places(content) if place]))
    holder = content
    for key in outer:
        holder = holder[key]
    numbers = st.sampled_from([math.inf, -math.inf, math.nan, -1, 0.5, 10**400, 2**63])
    holder[last] = data.draw(numbers | st.none() | st.booleans() | st.text(max_size=3) | st.just([]) | st.just({}))
    damaged = path.with_name("damaged.json")
    damaged.write_text(json.dumps(content))
    with suppress(FileFormatError, RecipeError):
        Optimizer.load(damaged, recipe=FAST).ask()


def test_an_interrupt_in_the_middle_of_a_tell_loses_nothing_that_a_file_can_hold(saved):
    # as an interrupt leaves it: the trial is finished, the lists of answers do not know yet
    optimizer, path = saved
    trial = optimizer.ask()
    optimizer.tell(trial, 0.5)
    optimizer.history.finished.pop()
    optimizer.history.marks.pop()
    optimizer.save(path)
    loaded = Optimizer.load(path, recipe=FAST)
    assert loaded.trials[trial.number].value == 0.5
    assert loaded.history.finished[-1] == trial.number
    assert loaded.history.marks[-1] == len(loaded.history.finished)


def test_values_from_numpy_can_be_added_and_saved(tmp_path):
    space = Space(
        {"n": Int(1, 9), "x": Float(0.0, 1.0), "c": Categorical([True, False]), "t": Categorical([(1, 2), (3,)])}
    )
    optimizer = Optimizer(space, FAST, seed=0)
    config = {"n": np.int64(3), "x": np.float32(0.5), "c": np.bool_(True), "t": [1, 2]}
    optimizer.add(iter([config]), np.array([1.0]))
    optimizer.save(tmp_path / "run.json")
    assert Optimizer.load(tmp_path / "run.json", recipe=FAST).trials == optimizer.trials
    assert optimizer.trials[0].config == {"n": 3, "x": 0.5, "c": True, "t": (1, 2)}


def test_a_different_function_in_place_of_a_constraint_is_refused(tmp_path):
    def fits(config):
        return True

    def other(config):
        return True

    Optimizer(Space({"x": (0.0, 1.0)}, constraints=[fits]), seed=0).save(tmp_path / "run.json")
    with pytest.raises(FileFormatError, match="saved with the constraint fits. Got other instead"):
        Optimizer.load(tmp_path / "run.json", constraints=[other])


def test_a_saved_file_has_the_usual_permissions(saved):
    _, path = saved
    plain = path.with_name("plain")
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


def test_saving_into_a_missing_folder_names_the_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="run.json cannot be saved: the folder .*nowhere does not exist"):
        Optimizer(tiny_space(), seed=0).save(tmp_path / "nowhere" / "run.json")


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Optimizer.load(tmp_path / "none.json")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_regular_file_is_not_loaded_and_never_waited_for(tmp_path, make):
    make(tmp_path / "run.json")
    with pytest.raises(OSError, match=r"regular|directory"):
        Optimizer.load(tmp_path / "run.json")


def test_a_failed_save_leaves_the_old_file_and_no_litter(saved, monkeypatch):
    optimizer, path = saved
    before = path.read_bytes()

    def full_disk(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    run(optimizer, 1)
    with pytest.raises(OSError, match="No space left"):
        optimizer.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["run.json"]

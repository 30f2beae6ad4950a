"""What version 0.1 stored, read today. The files of a whole run are in other tests; these are the odd corners."""

import pickle

import pytest

from auger import Categorical, Float, Optimizer, Space
from auger.maximizers import Gradient
from auger.old_formats import load_pickle, recipe_name
from auger.recipes import as_recipe
from auger.saved_runs import VERSION
from auger.space.constraints import Expression


@pytest.mark.parametrize(
    ("value", "module", "old"),
    [
        (Float(0.0, 1.0, log=False), b"auger.space.numbers", b"auger.parameters.numbers"),
        (Categorical(("a", "b")), b"auger.space.choices", b"auger.parameters.choices"),
    ],
)
def test_a_parameter_pickled_under_its_old_module_is_read(value, module, old):
    data = pickle.dumps(value, protocol=2)
    assert module in data
    assert load_pickle(data.replace(module, old)) == value


def test_a_pickle_of_today_is_read():
    space = Space({"x": (0.0, 1.0), "n": (1, 9)}, constraints=["x * n <= 4"])
    twin = load_pickle(pickle.dumps(space))
    assert twin.to_json() == space.to_json()
    assert twin.decode(twin.encode([{"x": 0.5, "n": 3}])) == [{"x": 0.5, "n": 3}]
    assert all(isinstance(rule, Expression) for rule in twin.constraints)


def test_a_module_that_a_pickled_function_uses_may_have_moved():
    cloudpickle = pytest.importorskip("cloudpickle")
    data = b"ccloudpickle.cloudpickle\nsubimport\n(Vauger.constraints\ntR."
    assert cloudpickle.loads(b"ccloudpickle.cloudpickle\nsubimport\n(Vmath\ntR.").__name__ == "math"
    assert load_pickle(data).__name__ == "auger.space.constraints"


@pytest.mark.parametrize(
    ("name", "maximizer", "repeats"),
    [
        ("bore-mlp", Gradient(), False),
        ("bore-mlp gamma=sqrt ensemble=2 n_initial=5 initial=sobol", Gradient(), False),
        ("bore-mlp relaxed=true", Gradient(relaxed=True), False),
        ("bore-mlp repeats=true n_initial=5", Gradient(), True),
        ("bore-mlp relaxed=true repeats=true", Gradient(relaxed=True), True),
        ("bore-mlp maximizer=local", as_recipe("bore-rf maximizer=local").maximizer, False),
        ("lfbo-mlp gamma=0.2", Gradient(), False),
    ],
)
def test_a_recipe_that_was_stored_keeps_its_parts_under_the_name_of_today(name, maximizer, repeats):
    recipe = as_recipe(recipe_name(name))
    assert (recipe.maximizer, recipe.repeats) == (maximizer, repeats)
    assert recipe.name == recipe_name(name)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_saved_run_of_the_network_stays_the_recipe_it_was(version, tmp_path):
    path = tmp_path / "run.json"
    Optimizer({"a": list("abc")}, "bore-mlp").save(path)
    path.write_text(path.read_text().replace(f'"version": {VERSION}', f'"version": {version}'))
    assert Optimizer.load(path).recipe == as_recipe("bore-mlp relaxed=false")

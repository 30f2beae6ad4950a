"""The generator by itself: what it proposes, from which budget it learns, and what it makes of failures."""

import ConfigSpace as CS
import numpy as np
import pytest
from hpbandster.core.dispatcher import Job
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.configuration_spaces import configuration_spaces

from auger import RECIPES, Float, Int, Recipe, Space
from auger.classifiers import Forest
from auger.errors import RecipeError, SpaceError
from auger.hosts.configspace import from_configspace
from auger.hosts.hpbandster import AugerGenerator
from auger.hosts.hpbandster.budgets import Budgets
from auger.maximizers import RandomSearch

SPACE = Space({"x": (0.0, 1.0), "n": (1, 50)})


def finished(config, budget, loss):
    job = Job((0, 0, 0), config=config, budget=budget)
    job.result = None if loss is None else {"loss": loss, "info": None}
    return job


def search(generator, loss_of, n, budget=1.0):
    configs = []
    for _ in range(n):
        config, info = generator.get_config(budget)
        configs.append(config)
        generator.new_result(finished(config, budget, loss_of(config)))
    return configs, info


def everything():
    theirs = CS.ConfigurationSpace(seed=0)
    kind = CS.CategoricalHyperparameter("kind", ["svm", "forest"])
    rate = CS.UniformFloatHyperparameter("svm:C", 1e-3, 1e3, log=True)
    depth = CS.UniformIntegerHyperparameter("depth", 1, 21, q=5)
    size = CS.OrdinalHyperparameter("size", ["s", "m", "l"])
    fixed = CS.Constant("fixed", "f")
    theirs.add_hyperparameters([kind, rate, depth, size, fixed])
    theirs.add_conditions([CS.EqualsCondition(rate, kind, "svm"), CS.NotEqualsCondition(depth, kind, "svm")])
    theirs.add_forbidden_clause(
        CS.ForbiddenAndConjunction(CS.ForbiddenEqualsClause(size, "l"), CS.ForbiddenEqualsClause(kind, "forest"))
    )
    return theirs


OPTIONS = ("bore-rf gamma=0.25 calibration=isotonic", "bore-mlp gamma=sqrt ensemble=2", "auto gamma=decay n_initial=6")


@pytest.mark.parametrize("recipe", [*RECIPES, *OPTIONS])
def test_every_recipe_proposes_legal_configurations_by_its_name(recipe):
    theirs = everything()
    generator = AugerGenerator(theirs, recipe, seed=0)
    configs, info = search(generator, lambda config: config.get("svm:C", 500.0) + config.get("depth", 0), 16)
    for config in configs:
        CS.Configuration(theirs, values=config).is_valid_configuration()
        assert config["fixed"] == "f"
    assert info["model_based_pick"] is True and info["auger:origin"] == "model"
    assert len({tuple(sorted(config.items())) for config in configs}) == 16
    assert generator.recipe.name == recipe


def test_quantized_numbers_of_configspace_07_become_steps():
    assert from_configspace(everything()).parameters["depth"] == Int(1, 21, step=5, when={"kind": ["forest"]})
    theirs = CS.ConfigurationSpace()
    theirs.add_hyperparameter(CS.UniformFloatHyperparameter("x", 0.0, 1.0, q=0.25))
    assert from_configspace(theirs).parameters["x"] == Float(0, 1, step=0.25)


def test_a_log_scale_with_steps_is_refused():
    theirs = CS.ConfigurationSpace()
    theirs.add_hyperparameter(CS.UniformIntegerHyperparameter("x", 1, 9, q=2, log=True))
    with pytest.raises(SpaceError, match="'x': `q` must be None where `log` is True. Got 2.*OrdinalHyperparameter"):
        AugerGenerator(theirs)


@settings(max_examples=15)
@given(theirs=configuration_spaces())
def test_any_space_of_configspace_07_is_searched(theirs):
    try:
        generator = AugerGenerator(theirs, seed=0)
        proposed = [generator.get_config(budget)[0] for budget in (1.0, 3.0)]
    except SpaceError as error:
        assume("can never be active" not in str(error) and "must leave something" not in str(error))
        assume("different parents" not in str(error))
        raise
    for config, budget in zip(proposed, (1.0, 3.0), strict=True):
        CS.Configuration(theirs, values=config).is_valid_configuration()
        generator.new_result(finished(config, budget, 1.0))


def test_an_own_recipe_is_taken_and_an_unknown_name_is_refused():
    mine = Recipe("mine", Forest(n_trees=10), RandomSearch(50), gamma=0.2, n_initial=4)
    _, info = search(AugerGenerator(SPACE, mine, seed=0), lambda config: config["x"], 6)
    assert info["auger:provenance"]["model"] == "mine" and info["auger:provenance"]["score"] > 0
    with pytest.raises(RecipeError, match="Did you mean 'bore-rf'"):
        AugerGenerator(SPACE, "bore-fr")


def test_the_same_seed_gives_the_same_configurations():
    runs = [search(AugerGenerator(SPACE, seed=seed), lambda c: (c["x"] - 0.3) ** 2, 14)[0] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_the_highest_budget_with_enough_values_leads():
    budgets = Budgets(SPACE)
    assert budgets.lead(3) is None
    for i, budget in enumerate([1, 1, 1, 9, 9, 3, 3, 3, 3]):
        budgets.tell({"x": i / 10, "n": 1}, budget, float(i))
    assert budgets.lead(3) == 3
    budgets.tell({"x": 0.95, "n": 1}, 9, None)
    assert budgets.lead(3) == 3  # a failure is no value
    budgets.tell({"x": 0.96, "n": 1}, 9, 1.0)
    assert budgets.lead(3) == 9


def test_the_leading_budget_is_the_one_that_is_learned_from():
    generator = AugerGenerator(SPACE, "bore-rf", seed=0)
    rng = np.random.default_rng(0)
    for i in range(40):  # on the low budget high x is good, on the high one low x is
        config = {"x": float(rng.random()), "n": int(rng.integers(1, 51))}
        generator.new_result(finished(config, 1.0, 1 - config["x"]))
        if i % 2:
            generator.new_result(finished(config, 9.0, config["x"]))
    assert np.mean([generator.get_config(1.0)[0]["x"] for _ in range(10)]) < 0.35


def test_nothing_is_proposed_twice_whatever_the_budget_and_pending_or_not():
    generator = AugerGenerator(Space({"a": (1, 6), "b": ["x", "y"]}), "bore-rf", seed=0)
    proposed = set()
    for i in range(12):
        config, _ = generator.get_config(1.0)
        proposed.add(tuple(config.values()))
        if i % 3:  # every third stays under way
            generator.new_result(finished(config, float(3 ** (i % 2)), float(config["a"])))
    assert len(proposed) == 12
    generator.get_config(1.0)  # all were tried: one of them again


@pytest.mark.parametrize("loss", [None, float("nan"), float("inf"), float("-inf"), "text", [1.0], True])
def test_what_is_no_loss_is_a_failure_and_never_good(loss):
    generator = AugerGenerator(SPACE, "bore-rf", seed=0)
    rng = np.random.default_rng(0)
    for _ in range(30):
        config = {"x": float(rng.random()), "n": int(rng.integers(1, 51))}
        generator.new_result(finished(config, 1.0, loss if config["x"] > 0.5 else 1.0 - config["x"]))
    assert np.mean([generator.get_config(1.0)[0]["x"] <= 0.5 for _ in range(10)]) > 0.7


def test_a_configuration_that_failed_on_one_budget_is_failed_on_all():
    budgets = Budgets(SPACE)
    budgets.tell({"x": 0.5, "n": 1}, 1.0, None)
    for i in range(3):
        budgets.tell({"x": i / 4, "n": 2}, 9.0, 1.0)
    budgets.tell({"x": 0.9, "n": 3}, 1.0, None)
    states = [trial.state.value for trial in budgets._histories[9.0]]
    assert states == ["failed", "complete", "complete", "complete", "failed"]


@given(st.lists(st.tuples(st.sampled_from([1.0, 3.0, 9.0]), st.one_of(st.none(), st.floats())), max_size=25))
@settings(max_examples=20)
def test_any_order_of_results_leaves_something_to_propose(results):
    generator = AugerGenerator(SPACE, "tpe", seed=0)
    for budget, loss in results:
        config, _ = generator.get_config(budget)
        generator.new_result(finished(config, budget, loss))
    config, info = generator.get_config(1.0)
    assert SPACE.encode([config]).shape == (1, 2) and info["auger:provenance"]

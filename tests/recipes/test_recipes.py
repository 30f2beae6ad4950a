"""Recipes that take turns; what single ones refuse is tested with their parts."""

import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from auger import Optimizer, Recipe, Turns
from auger.classifiers import MLP, Boosting, ExtraTrees, Forest, GaussianProcess
from auger.errors import RecipeError
from auger.maximizers import Argmax, ByDomain, Evolution, Gradient, LocalSearch, RandomSearch
from auger.recipes import as_recipe
from auger.space import Float, Int, Space
from auger.suggest import suggest
from auger.testing.cases import history_of, mixed_space, target

PROCESS = Recipe("process", GaussianProcess(), LocalSearch())
FOREST = Recipe("forest", ExtraTrees(n_trees=5), RandomSearch(50))
TURNS = Turns("turns", (PROCESS, FOREST), until=20)


def history_with(n):
    space = mixed_space()
    X = space.sample(n, np.random.default_rng(0))
    return history_of(space, X, target(X, space))


@pytest.mark.parametrize(
    ("n", "whose"), [(10, "process"), (11, "forest"), (20, "process"), (21, "forest"), (22, "forest"), (23, "forest")]
)
def test_the_provenance_names_whose_turn_it_was(n, whose):
    assert suggest(history_with(n), TURNS, seed=0).provenance.model == whose


def test_a_turn_is_the_suggestion_of_the_recipe_itself():
    for n, alone in ((10, PROCESS), (11, FOREST), (30, FOREST)):
        history = history_with(n)
        assert np.array_equal(suggest(history, TURNS, seed=3).row, suggest(history, alone, seed=3).row, equal_nan=True)


def test_trials_running_together_take_turns_too():
    optimizer = Optimizer(mixed_space(), TURNS, seed=0)
    history = history_with(12)
    optimizer.add([trial.config for trial in history], history.y.tolist())
    models = [trial.model for trial in optimizer.ask(4)]
    assert models == ["process", "forest", "process", "forest"]


def test_a_resumed_run_goes_on_with_the_same_turns(tmp_path):
    optimizer = Optimizer(mixed_space(), TURNS, seed=1)
    history = history_with(13)
    optimizer.add([trial.config for trial in history], history.y.tolist())
    optimizer.save(tmp_path / "run.json")
    resumed = Optimizer.load(tmp_path / "run.json", recipe=TURNS)
    for _ in range(3):
        one, other = optimizer.ask(), resumed.ask()
        assert (one.config, one.reason) == (other.config, other.reason)


@dataclass(frozen=True)
class Skilled(ExtraTrees):
    """Trees that are as good at their work as they say."""

    said: float = 0.0

    def skill(self, X, labels, *, space):
        assert len(X) == len(labels.y)
        return self.said


@pytest.mark.parametrize(
    ("said", "whose"), [(0.79, "forest"), (0.8, "skilled"), (1.0, "skilled"), (math.nan, "forest")]
)
def test_a_first_recipe_of_skill_takes_all_turns(said, whose):
    skilled = Recipe("skilled", Skilled(said=said), RandomSearch(50))
    turns = Turns("turns", (skilled, FOREST), skill=0.8)
    assert [suggest(history_with(n), turns, seed=0).provenance.model for n in (12, 13)] == ["skilled", whose]


def test_in_a_finite_space_turns_stay_as_they_are():
    space = Space({"k": Int(0, 99), "c": ["a", "b"]})
    X = space.sample(13, np.random.default_rng(0))
    skilled = Recipe("skilled", Skilled(said=1.0), RandomSearch(50))
    history = history_of(space, X, np.arange(13.0))
    assert suggest(history, Turns("turns", (skilled, FOREST), skill=0.8), seed=0).provenance.model == "forest"


def test_without_a_least_skill_recipes_take_turns_whatever_it_is():
    skilled = Recipe("skilled", Skilled(said=1.0), RandomSearch(50))
    assert suggest(history_with(13), Turns("turns", (skilled, FOREST)), seed=0).provenance.model == "forest"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Turns("x", (PROCESS, FOREST), skill=0.0), "`skill` of Turns must be above 0 .* Got 0.0."),
        (lambda: Turns("x", (PROCESS, FOREST), skill=1.5), "`skill` of Turns must be above 0 .* Got 1.5."),
        (lambda: Turns("x", (PROCESS, FOREST), skill="high"), "`skill` of Turns must be above 0 .* Got 'high'."),
        (lambda: Turns("", (PROCESS, FOREST)), "`name` of a Turns must be a non-empty string. Got ''."),
        (lambda: Turns("x", (PROCESS,)), "`recipes` of Turns must be a tuple of at least two Recipes. Got "),
        (lambda: Turns("x", [PROCESS, FOREST]), "`recipes` of Turns must be a tuple of at least two Recipes. Got "),
        (lambda: Turns("x", (PROCESS, "forest")), "`recipes` of Turns must be a tuple of at least two Recipes. Got "),
        (lambda: Turns("x", (PROCESS, FOREST), until=-1), "`until` .* at least 0. Got -1."),
        (
            lambda: Turns("x", (PROCESS, Recipe("late", Forest(), RandomSearch(), n_initial=20))),
            "must have the same `n_initial` and `initial`. Got 'process' with 10 random, 'late' with 20 random.",
        ),
        (
            lambda: Turns("x", (PROCESS, Recipe("warm", MLP(), Gradient()))),
            "must not continue from its previous fit: .* Got 'warm' with MLP",
        ),
    ],
)
def test_what_cannot_take_turns_is_refused(made, message):
    with pytest.raises(RecipeError, match=message):
        made()


# -- the paper's ------------------------------------------------------------------------------------------

TREES = ByDomain(
    discrete=RandomSearch(n_samples=500, pick=Argmax()),
    continuous=Evolution(n_evaluations=2000, n_population=100, step=0.5, crossover=0.5, pick=Argmax()),
)
OF_PAPER = {
    "bore-rf": (Forest(n_trees=100, min_samples_split=2, min_samples_leaf=1, max_depth=None), TREES),
    "bore-xgb": (Boosting(n_rounds=100, learning_rate=0.3, min_child_weight=1.0, max_depth=6, loss="log"), TREES),
    "bore-mlp": (
        MLP(
            **{"n_layers": 2, "n_units": 32, "activation": None, "learning_rate": 1e-3, "batch_size": 64},
            **{"n_steps": 100, "n_networks": 1, "posterior": "none", "acquisition": "mean", "loss": "log"},
            **{"is_varied": False, "emphasis": 1.0, "patience": 0},
        ),
        Gradient(n_starts=3, relaxed=True, pick=Argmax()),
    ),
}


@pytest.mark.parametrize("name", OF_PAPER)
def test_the_recipes_of_the_paper_have_its_settings(name):
    """Section 5 and appendix J, written out: changed defaults of the parts must not change these recipes."""
    classifier, maximizer = OF_PAPER[name]
    fixed = {"gamma": 1 / 3, "weights": "none", "n_initial": 10, "initial": "random", "repeats": False}
    assert as_recipe(name) == Recipe(name, classifier, maximizer, **fixed, second_chance=0)


# -- auto ---------------------------------------------------------------------------------------------------


def run_of_auto(n):
    """The configs of a short run of `auto` in a space of every kind, as JSON."""
    optimizer = Optimizer(mixed_space(), seed=4)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, float(target(optimizer.space.encode([trial.config]), optimizer.space)[0]))
    return json.dumps([trial.config for trial in optimizer.trials])


@pytest.mark.parametrize("pure", ["", "1"])
def test_auto_proposes_the_same_in_another_process_and_without_its_compiled_part(pure):
    code = "import sys; sys.path.insert(0, sys.argv[1]); from test_recipes import run_of_auto; print(run_of_auto(30))"
    done = subprocess.run(
        [sys.executable, "-c", code, os.path.dirname(__file__)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"AUGER_PURE": pure},
    )
    assert done.stdout.strip() == run_of_auto(30)


def test_auto_says_which_half_proposed_a_trial():
    history = history_with(12)
    assert suggest(history, "auto", seed=0).provenance.model == "auto, Gaussian process"
    history.finish(
        history.start(history.space.decode(history.space.sample(1, np.random.default_rng(9)))[0]).number, value=1.0
    )
    assert suggest(history, "auto", seed=0).provenance.model == "auto, trees"


def history_of_a_bowl(n, d=3):
    space = Space({f"x{j}": Float(0.0, 1.0) for j in range(d)})
    X = space.sample(n, np.random.default_rng(0))
    return history_of(space, X, ((X - 0.3) ** 2).sum(axis=1))


@pytest.mark.parametrize(("n", "whose"), [(19, "auto, trees"), (21, "auto, Gaussian process")])
def test_in_auto_the_process_takes_all_turns_where_it_predicts_well(n, whose):
    history = history_of_a_bowl(n)
    assert [suggest(history, "auto", seed=0, number=k).provenance.model for k in (n + 1, n + 2)] == [
        "auto, Gaussian process",
        whose,
    ]


@pytest.mark.parametrize("n_pending", [1, 63])
def test_auto_proposes_different_trials_to_those_who_run_together(n_pending):
    history = history_with(40)
    optimizer = Optimizer(history.space, seed=0)
    optimizer.add([trial.config for trial in history], history.y.tolist())
    rows = history.space.encode([trial.config for trial in optimizer.ask(n_pending + 1)])
    assert len(np.unique(np.nan_to_num(rows, nan=-1.0), axis=0)) == n_pending + 1

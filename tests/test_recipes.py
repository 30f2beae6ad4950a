"""Recipes that take turns; what single ones refuse is tested with their parts."""

import numpy as np
import pytest

from auger import Optimizer, Recipe, Turns
from auger.classifiers import MLP, ExtraTrees, Forest, GaussianProcess
from auger.errors import RecipeError
from auger.maximizers import Gradient, LocalSearch, RandomSearch
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
def test_the_reason_names_whose_turn_it_was(n, whose):
    assert suggest(history_with(n), TURNS, seed=0).reason.startswith(f"{whose}: score ")


def test_a_turn_is_the_suggestion_of_the_recipe_itself():
    for n, alone in ((10, PROCESS), (11, FOREST), (30, FOREST)):
        history = history_with(n)
        assert np.array_equal(suggest(history, TURNS, seed=3).row, suggest(history, alone, seed=3).row, equal_nan=True)


def test_trials_running_together_take_turns_too():
    optimizer = Optimizer(mixed_space(), TURNS, seed=0)
    history = history_with(12)
    optimizer.add([trial.config for trial in history], history.y.tolist())
    reasons = [trial.reason.split(":")[0] for trial in optimizer.ask(4)]
    assert reasons == ["process", "forest", "process", "forest"]


def test_a_resumed_run_goes_on_with_the_same_turns(tmp_path):
    optimizer = Optimizer(mixed_space(), TURNS, seed=1)
    history = history_with(13)
    optimizer.add([trial.config for trial in history], history.y.tolist())
    optimizer.save(tmp_path / "run.json")
    resumed = Optimizer.load(tmp_path / "run.json", recipe=TURNS)
    for _ in range(3):
        one, other = optimizer.ask(), resumed.ask()
        assert (one.config, one.reason) == (other.config, other.reason)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Turns("", (PROCESS, FOREST)), "`name` of a Turns must be a non-empty string. Got ''."),
        (lambda: Turns("x", (PROCESS,)), "`recipes` of Turns must be a tuple of two Recipes or more. Got "),
        (lambda: Turns("x", [PROCESS, FOREST]), "`recipes` of Turns must be a tuple of two Recipes or more. Got "),
        (lambda: Turns("x", (PROCESS, "forest")), "`recipes` of Turns must be a tuple of two Recipes or more. Got "),
        (lambda: Turns("x", (PROCESS, FOREST), until=-1), "`until` .* at least 0. Got -1."),
        (
            lambda: Turns("x", (PROCESS, Recipe("late", Forest(), RandomSearch(), n_initial=20))),
            "must have the same `n_initial` and `initial`. Got 'process' with 10 random, 'late' with 20 random.",
        ),
        (
            lambda: Turns("x", (PROCESS, Recipe("warm", MLP(), Gradient()))),
            "must not learn from fit to fit, .* Got 'warm' with MLP",
        ),
    ],
)
def test_what_cannot_take_turns_is_refused(made, message):
    with pytest.raises(RecipeError, match=message):
        made()

from dataclasses import dataclass

import numpy as np
import pytest
from support.labels import plain

from auger import Categorical, Float, Int, Optimizer, Recipe, Space
from auger.classifiers import MLP, GaussianProcess, Score
from auger.errors import RecipeError
from auger.history import History
from auger.maximizers import Gradient
from auger.recipes import as_recipe, is_named
from auger.space import Views
from auger.types import Array

SPACE = Space({"a": Categorical(list("pqrs")), "n": Int(0, 4), "b": Categorical(list("xyz")), "u": Float(0.0, 1.0)})

# One column per choice; only that of q, of y and of u rises.
RISING = [-1, 4, -2, -3, -1, -0.5, 2, -1, 1]


@dataclass(frozen=True)
class Linear(Score):
    """A weight for each column of the one-hot view."""

    weights: Array
    views: Views

    def __call__(self, X):
        return self.views.one_hot(X) @ self.weights

    def ascent(self, X):
        return self(X), np.zeros(X.shape)

    def relaxed(self, V):
        return V @ self.weights, np.tile(self.weights, (len(V), 1))


def linear(space, weights):
    return Linear(np.array(weights, dtype=float), space.views(np.empty((0, len(space)))))


def proposed(score, space=SPACE, history=None, seed=0):
    maximizer = Gradient(relaxed=True)
    row = maximizer.maximize(score, space, history or History(SPACE), rng=np.random.default_rng(seed)).row
    return space.decode(row[np.newaxis])[0]


@pytest.mark.parametrize("seed", range(5))
def test_every_choice_is_the_one_whose_column_rises(seed):
    score = linear(SPACE, RISING)
    assert proposed(score, seed=seed) == {"a": "q", "n": 0, "b": "y", "u": 1.0}


def test_limits_are_kept():
    bottom, top = np.array([2.0, 0.5, np.nan, np.nan]), np.array([2.0, 0.5, np.nan, 0.25])
    config = proposed(linear(SPACE, RISING), SPACE.within(bottom, top))
    assert config == {"a": "r", "n": 2, "b": "y", "u": 0.25}


def test_inactive_parameters_are_left_out_and_constraints_are_kept():
    space = Space(
        {"a": Categorical(["p", "q"]), "n": Int(0, 4, when={"a": "p"}), "u": Float(0.0, 1.0)}, constraints=["u <= 0.5"]
    )
    score = linear(space, [-1, 1, 1, 1])  # every climb ends at u = 1, which is not allowed
    config = proposed(score, space, History(space))
    assert config["a"] == "q" and "n" not in config and 0.4 < config["u"] <= 0.5


def test_of_very_many_choices_any_that_share_a_column_may_be_proposed():
    space = Space({"many": Categorical(list(range(5000))), "u": Float(0.0, 1.0)})
    views = space.views(np.array([[7.0, 0.5], [9.0, 0.5]]))
    config = proposed(Linear(np.array([0.0, 0.0, 1.0, -1.0]), views), space, History(space))
    assert config["many"] in range(5000) and config["u"] == 0.0


def test_the_relaxed_gradient_of_a_network_agrees_with_finite_differences():
    rng = np.random.default_rng(0)
    X = SPACE.sample(40, rng)
    score = MLP(n_networks=2).fit(X, plain(X[:, 3] < 0.3), space=SPACE, rng=rng)
    V = rng.random((6, len(score.views.one_hot_column)))
    heights, slopes = score.relaxed(V)
    np.testing.assert_allclose(score.relaxed(score.views.one_hot(X))[0], score.ascent(X)[0])
    for i in range(V.shape[1]):
        step = np.zeros(V.shape[1])
        step[i] = 1e-6
        numeric = (score.relaxed(V + step)[0] - score.relaxed(V - step)[0]) / 2e-6
        np.testing.assert_allclose(slopes[:, i], numeric, rtol=1e-4, atol=1e-6)
    assert heights.shape == (6,)


def test_the_recipe_has_a_name_and_tunes_choices():
    recipe = as_recipe("bore-mlp repeats=true relaxed=true")
    assert recipe == as_recipe("bore-mlp repeats=true") and recipe.name == "bore-mlp repeats=true" and is_named(recipe)
    optimizer = Optimizer(SPACE, recipe, seed=0)
    for _ in range(40):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial.config["a"] != "q") + (trial.config["b"] != "z") + abs(trial.config["u"] - 0.3))
    assert optimizer.best.config["a"] == "q" and optimizer.best.config["b"] == "z"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: as_recipe("bore-rf relaxed=true"), "`relaxed` is for climbs along a gradient"),
        (lambda: as_recipe("bore-mlp relaxed=yes"), "must be one of 'false', 'true'. Got 'yes'"),
        (lambda: Recipe("mine", GaussianProcess(), Gradient(relaxed=True)), "needs a classifier that takes choices"),
        (lambda: Recipe("mine", MLP(), Gradient(), repeats="no"), "`repeats` must be True or False. Got 'no'"),
        (lambda: Gradient(relaxed="no"), "`relaxed` of a Gradient must be True or False. Got 'no'"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(RecipeError, match=message):
        make()


EVERY_MAXIMIZER = [
    *("bore-rf", "bore-mlp relaxed=false", "bore-mlp", "tpe", "auto", "bore-rulsif"),
    *(f"bore-rf maximizer={name}" for name in ("evolution", "local", "exhaustive")),
]


@pytest.mark.parametrize("name", EVERY_MAXIMIZER)
def test_configurations_repeat_only_where_the_recipe_says_so(name):
    space = {"a": list("abcd"), "b": list("abcd")}

    def n_different(name):
        optimizer = Optimizer(space, name, seed=0)
        for _ in range(16):
            trial = optimizer.ask()
            optimizer.tell(trial, (trial.config["a"] != "b") + (trial.config["b"] != "c") * 0.5)
        return len({tuple(trial.config.values()) for trial in optimizer.trials})

    assert n_different(name) == 16
    assert n_different(f"{name} repeats=true") < 16

import optuna
import pytest

from auger import Categorical, Float, Int, Ordinal, Space
from auger.hosts.optuna import AugerSampler, distributions, suggest_config

SPACE = Space(
    {
        "width": Ordinal([16, 64, 256], when={"model": "net"}),
        "model": Categorical(["tree", "net"]),
        "depth": Int(1, 9, when={"model": "tree"}),
        "rate": Float(1e-4, 1.0, log=True),
        "pads": Categorical([(1, 2), "[1, 2]", None]),
        "drop": Float(0.0, 0.5, step=0.1),
    },
    constraints=["rate + drop <= 1.2"],
)


def loss(config):
    return abs(config["rate"] - 0.01) + (config["model"] == "tree") * 0.1 * abs(config.get("depth", 0) - 5)


def test_a_given_space_is_searched_as_it_is():
    study = optuna.create_study(sampler=AugerSampler(space=SPACE, seed=0))
    configs = []

    def objective(trial):
        config = suggest_config(trial, SPACE)
        configs.append(config)
        return loss(config)

    study.optimize(objective, n_trials=25)
    X = SPACE.encode(configs)  # refuses what is no member
    assert SPACE.allowed(X).all()
    assert {trial.user_attrs["auger:origin"] for trial in study.trials} == {"initial", "model"}
    assert study.trials[-1].user_attrs["auger:reason"].startswith("auto")


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_direction_is_minded(direction):
    space = Space({"x": (0.0, 1.0)})
    study = optuna.create_study(direction=direction, sampler=AugerSampler(space=space, seed=1))
    study.optimize(lambda trial: (suggest_config(trial, space)["x"] - 0.5) ** 2, n_trials=20)
    assert (study.best_value < 1e-3) if direction == "minimize" else (study.best_value > 0.24)


def test_a_space_becomes_distributions():
    made = distributions(SPACE)
    assert list(made) == SPACE.names
    assert made["width"].choices == (16, 64, 256)
    assert made["pads"].choices == ("[1, 2] ", "[1, 2]", None)
    assert made["drop"] == optuna.distributions.FloatDistribution(0.0, 0.5, step=0.1)

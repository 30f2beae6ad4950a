"""Hyperband over a nameserver and two workers on this machine: how to train a small network, and for how many epochs.

pip install ".[hpbandster]" && python examples/hpbandster_study.py
"""

import logging
import warnings
from typing import Any

import ConfigSpace as CS
from hpbandster.core.nameserver import NameServer
from hpbandster.core.worker import Worker
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from auger.hosts.hpbandster import AugerHyperBand

X, Y = load_digits(return_X_y=True)
X_TRAIN, X_TEST, Y_TRAIN, Y_TEST = train_test_split(X / 16, Y, test_size=0.5, random_state=0)
QUIET = logging.getLogger("quiet")
QUIET.setLevel(logging.ERROR)
warnings.simplefilter("ignore", ConvergenceWarning)  # few epochs are the point


class Training(Worker):  # type: ignore[misc]
    """A budget is a number of epochs."""

    def compute(self, config: dict[str, Any], budget: float, **_: Any) -> dict[str, Any]:
        """The share of wrong answers after so many epochs."""
        network = MLPClassifier(
            config["width"],
            activation=config["activation"],
            solver=config["solver"],
            learning_rate_init=config["rate"],
            momentum=config.get("momentum", 0.9),
            max_iter=round(budget),
            random_state=0,
        )
        network.fit(X_TRAIN, Y_TRAIN)
        return {"loss": 1 - float(network.score(X_TEST, Y_TEST)), "info": None}


def space() -> CS.ConfigurationSpace:
    """Momentum belongs to one of the two solvers."""
    configspace = CS.ConfigurationSpace()
    solver = CS.CategoricalHyperparameter("solver", ["adam", "sgd"])
    momentum = CS.UniformFloatHyperparameter("momentum", 0.0, 0.99)
    configspace.add_hyperparameters(
        [
            solver,
            momentum,
            CS.UniformFloatHyperparameter("rate", 1e-4, 1.0, log=True),
            CS.OrdinalHyperparameter("width", [8, 16, 32, 64]),
            CS.CategoricalHyperparameter("activation", ["relu", "tanh", "logistic"]),
        ]
    )
    configspace.add_condition(CS.EqualsCondition(momentum, solver, "sgd"))
    return configspace


def main() -> None:
    """Nine brackets of Hyperband, from 1 to 9 epochs."""
    nameserver = NameServer(run_id="digits", host="127.0.0.1", port=0)
    host, port = nameserver.start()
    for number in range(2):
        worker = Training("digits", nameserver=host, nameserver_port=port, host=host, id=number, logger=QUIET)
        worker.run(background=True)
    optimizer = AugerHyperBand(
        space(),
        seed=0,
        run_id="digits",
        nameserver=host,
        nameserver_port=port,
        host=host,
        min_budget=1,
        max_budget=9,
        logger=QUIET,
    )
    try:
        result = optimizer.run(n_iterations=9, min_n_workers=2)
    finally:
        optimizer.shutdown(shutdown_workers=True)
        nameserver.shutdown()
    best = result.get_id2config_mapping()[result.get_incumbent_id()]
    loss = result.get_runs_by_id(result.get_incumbent_id())[-1].loss
    print(f"{len(result.get_all_runs())} runs, best {loss:.4f} with {best['config']}")
    print(f"its provenance: {best['config_info']['auger:provenance']}")


if __name__ == "__main__":
    main()

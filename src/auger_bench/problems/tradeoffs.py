"""Caricatures of tuning for quality and for speed, on mixed and conditional spaces; our own.

The second objective depends on choices and whole numbers only, so that the best fronts are known: for every choice, the
other parameters have best values for the first objective.

>>> TRADEOFFS["network-speed"]().objectives
('error', 'milliseconds')
"""

from __future__ import annotations

from auger.types import Config
from auger_bench.outcome import Outcome
from auger_bench.problems.caricatures import network, pipeline
from auger_bench.problems.interface import EXACT, Problem

_FACTOR = {"elu": 1.2, "gelu": 1.4, "relu": 1.0, "tanh": 1.3}


def network_speed() -> Problem:
    """The error of `network`, and the milliseconds of its prediction, which must fit into a memory."""
    inner = network()

    def function(config: Config) -> Outcome:
        layers, width = config["layers"], config["width"]
        weights = 16 * width + (layers - 1) * width**2
        milliseconds = 0.2 + 0.1 * layers + weights / 2000 * _FACTOR[config["activation"]] + 0.15 * config["norm"]
        return Outcome((inner(config), milliseconds), (weights / 3000 - 1,))

    return Problem(
        "network-speed",
        inner.space,
        function,
        optimum=-6.180065254675563,
        objectives=("error", "milliseconds"),
        constraints=("memory",),
        reference=(0.9, 8.0),
        source=EXACT,
    )


def pipeline_speed() -> Problem:
    """The error of `pipeline`, and the seconds of its training."""
    inner = pipeline()
    of_step = {"none": 0.0, "pca": 2.0, "select": 0.8}

    def function(config: Config) -> Outcome:
        seconds = of_step[config["step"]] + 0.15 * config.get("components", 0)
        if config["model"] == "forest":
            seconds += 0.5 + config["trees"] * config["depth"] / 80
        elif config["model"] == "linear":
            seconds += 1.0
        else:
            seconds += 9.0 if config["kernel"] == "rbf" else 2.0 * config["degree"]
        return Outcome((inner(config), seconds))

    return Problem(
        "pipeline-speed",
        inner.space,
        function,
        optimum=-9.61227791242272,
        objectives=("error", "seconds"),
        reference=(0.5, 25.0),
        source=EXACT,
    )


#: The problems of this file by name.
TRADEOFFS = {"network-speed": network_speed, "pipeline-speed": pipeline_speed}

"""Two facades of SMAC3 with their defaults.

`smac` is the facade for hyperparameter optimization: a random forest with log expected improvement.

`gp-ei` is the facade for black boxes, without torch: a Gaussian process with expected improvement over the best value.
It has a Matern kernel for numbers times a Hamming kernel for choices, a Sobol design for at most a quarter of the
budget, and draws one suggestion in twelve at random. Why not the better known bayesian-optimization library? On Branin
it is eight times as fast, its regret after 60 evaluations between 3e-6 and 3e-4 over three seeds, where this one had
1e-8 with the first of them. But it is unusable among choices: 200 evaluations of NAS-Bench-201 were not done after 500
seconds; here they take 200. It also prints.

The space is ConfigSpace's, converted by `auger.hosts.configspace`. Every config is tried once (``deterministic``). When
SMAC has no config left that it has not tried, as in a small finite space, we draw at random.

A failed trial is reported as crashed. Its cost, which SMAC's model learns too, is the worst value so far: SMAC's own
default, infinity, stops its model with an error. Before there is a value, failed trials stay under way.
"""

from __future__ import annotations

import logging
import math
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from auger.space import Space
from auger.types import Config
from auger_bench.methods.interface import Entry, Method, member, refuse_constraints


class SMACMethod(Method):
    """A facade of SMAC3, through its own ask and tell."""

    def __init__(self, space: Space, seed: int, n_evals: int, name: str, facade_name: str) -> None:
        import smac  # optional library

        from auger.hosts.configspace import to_configspace  # optional library

        refuse_constraints(space, name)
        self._space = space
        self._rng = np.random.default_rng(seed)
        logging.getLogger("smac").setLevel(logging.CRITICAL)  # it logs every retry
        # SMAC describes each run in a folder; without `save` in `tell` nothing follows, so the folder may go at once
        with tempfile.TemporaryDirectory() as folder:
            scenario = smac.Scenario(
                to_configspace(space),
                deterministic=True,
                n_trials=n_evals,
                seed=seed,
                output_directory=Path(folder),
            )
            facade = getattr(smac, facade_name)
            maximizer = facade.get_acquisition_maximizer(scenario)
            _start_in_order(maximizer)
            self._facade = facade(scenario, acquisition_maximizer=maximizer, logging_level=False, overwrite=True)
        self._trial: Any = None
        self._n_tried = 0  # different configs: SMAC asks for none twice
        self._worst = -math.inf
        self._failed: list[Any] = []

    def ask(self) -> Config:
        from auger.hosts.configspace import from_configuration  # optional library

        self._trial = self._next()
        if self._trial is None:
            return self._space.decode(self._space.sample(1, self._rng))[0]
        return member(self._space, from_configuration(self._trial.config))

    def _next(self) -> Any:
        """SMAC's next trial; None if it has none, now and from then on."""
        from smac.main.exceptions import ConfigurationSpaceExhaustedException  # optional library

        if self._n_tried >= self._space.cardinality:  # SMAC would search forever for another
            return None
        self._n_tried += 1
        try:
            with warnings.catch_warnings():
                # its local search takes the mean time of no steps when no neighbour is better
                warnings.simplefilter("ignore", RuntimeWarning)
                return self._facade.ask()
        except (StopIteration, ConfigurationSpaceExhaustedException):
            return None

    def tell(self, config: Config, value: float) -> None:
        if self._trial is None:
            return
        if math.isnan(value):
            self._failed.append(self._trial)
        else:
            self._worst = max(self._worst, value)
            self._report(self._trial, value, "SUCCESS")
        if self._worst > -math.inf:
            for trial in self._failed:
                self._report(trial, self._worst, "CRASHED")
            self._failed.clear()

    def _report(self, trial: Any, value: float, status: str) -> None:
        from smac.runhistory import StatusType, TrialValue  # optional library

        self._facade.tell(trial, TrialValue(value, status=StatusType[status]), save=False)


def _start_in_order(maximizer: Any) -> None:
    """Let SMAC's local search start from the same points in the same order in every process.

    It keeps them in a set of configurations, whose order follows the hash of strings, which Python draws anew for
    each process; the order decides which random numbers a start gets. SMAC 2.4.1, `LocalSearch`.
    """
    search = maximizer._local_search
    starts = search._get_init_points_from_previous_configs
    search._get_init_points_from_previous_configs = lambda *args: sorted(starts(*args), key=repr)


def _entry(name: str, summary: str, facade: str) -> Entry:
    return Entry(
        name,
        summary,
        lambda space, seed, n_evals: SMACMethod(space, seed, n_evals, name, facade),
        modules=("smac",),
        distributions=("smac", "ConfigSpace", "scikit-learn"),
    )


ENTRIES = (
    _entry("smac", "random forest of SMAC3, log expected improvement", "HyperparameterOptimizationFacade"),
    _entry("gp-ei", "Gaussian process of SMAC3, expected improvement", "BlackBoxFacade"),
)

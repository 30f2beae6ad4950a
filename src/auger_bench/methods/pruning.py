"""Methods that stop trials early: studies of Optuna with a sampler, and a pruner that is told intermediate values.

Hyperband and ASHA get the lowest and the highest fidelity, as their documentation recommends, and otherwise Optuna's
defaults: a third of the trials passes a rung of Hyperband, a quarter passes a rung of ASHA. The median rule has its
defaults. On a problem without fidelities each method is its sampler alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auger.space import Space
from auger.types import Config
from auger_bench.methods.interface import Entry
from auger_bench.methods.optuna import OptunaMethod

_Steps = tuple[int, ...]


class PruningMethod(OptunaMethod):
    """A study in memory with a pruner, which `prepare` creates from the steps."""

    is_stopping = True

    def __init__(
        self, space: Space, name: str, seed: int, sampler: Callable[[Any], Any], pruner: Callable[[Any, _Steps], Any]
    ) -> None:
        # Hyperband assigns trials to brackets by the name of the study
        super().__init__(space, name, sampler, study_name=f"{name}, seed {seed}")
        self._pruner = pruner

    def prepare(self, steps: _Steps) -> None:
        from optuna import pruners  # optional library

        self._study.pruner = self._pruner(pruners, steps)

    def report(self, config: Config, step: int, value: float) -> None:
        self._trial.report(value, step)

    def stops(self, config: Config) -> bool:
        from optuna.trial import TrialState  # optional library

        if not self._trial.should_prune():
            return False
        self._study.tell(self._trial, state=TrialState.PRUNED)
        return True


class AutoPruningMethod(PruningMethod):
    """The same with our sampler, which gets the space."""

    def __init__(self, space: Space, name: str, seed: int, pruner: Callable[[Any, _Steps], Any]) -> None:
        from auger.hosts.optuna import AugerSampler  # optional library

        super().__init__(space, name, seed, lambda _: AugerSampler(space=space, seed=seed), pruner)

    def ask(self) -> Config:
        from auger.hosts.optuna import suggest_config  # optional library

        self._trial = self._study.ask()
        return suggest_config(self._trial, self._space)


def _auger(pruners: Any, steps: _Steps) -> Any:
    from auger.hosts.optuna import AugerPruner  # optional library

    return AugerPruner()


def _hyperband(pruners: Any, steps: _Steps) -> Any:
    return pruners.HyperbandPruner(min_resource=steps[0], max_resource=steps[-1])


def _auto_entry(suffix: str, pruner_name: str, pruner: Callable[[Any, _Steps], Any]) -> Entry:
    name = f"auto-{suffix}"
    return _entry(
        name, f"auto and {pruner_name}", lambda space, seed, n_evals: AutoPruningMethod(space, name, seed, pruner)
    )


def _hyperband_entry(name: str, summary: str, sampler: str) -> Entry:
    def make(space: Space, seed: int, n_evals: int) -> PruningMethod:
        return PruningMethod(space, name, seed, lambda samplers: getattr(samplers, sampler)(seed=seed), _hyperband)

    return _entry(name, summary, make)


def _entry(name: str, summary: str, make: Callable[[Space, int, int], PruningMethod]) -> Entry:
    return Entry(name, summary, make, modules=("optuna", "scipy.optimize", "scipy.stats"), distributions=("optuna",))


ENTRIES = (
    _auto_entry("pruner", "AugerPruner", _auger),
    _auto_entry("hyperband", "Optuna's Hyperband", _hyperband),
    _auto_entry(
        "asha",
        "Optuna's asynchronous successive halving",
        lambda pruners, steps: pruners.SuccessiveHalvingPruner(min_resource=steps[0]),
    ),
    _auto_entry("median", "Optuna's median rule", lambda pruners, steps: pruners.MedianPruner()),
    _hyperband_entry("optuna-tpe-hyperband", "TPE of Optuna and its Hyperband", "TPESampler"),
    _hyperband_entry("random-hyperband", "random search and Optuna's Hyperband", "RandomSampler"),
)

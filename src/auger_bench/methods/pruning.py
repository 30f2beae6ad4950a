"""Methods that stop trials early, all of them studies of Optuna: a sampler, and a pruner that hears every fidelity.

Hyperband and ASHA are told the lowest and the highest fidelity, as their documentation asks for, and are else as Optuna
has them: a third of the trials goes on from a rung of Hyperband's, a quarter from one of ASHA's. The median rule has
nothing to be told. On a problem without fidelities all of them are their samplers.
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
    """A study in memory with a pruner, which is made once the steps are known."""

    is_stopping = True

    def __init__(
        self, space: Space, name: str, seed: int, sampler: Callable[[Any], Any], pruner: Callable[[_Steps], Any]
    ) -> None:
        # Hyperband deals trials out by the name of the study
        super().__init__(space, name, sampler, study_name=f"{name}, seed {seed}")
        self._pruner = pruner

    def prepare(self, steps: _Steps) -> None:
        self._study.pruner = self._pruner(steps)

    def report(self, config: Config, step: int, value: float) -> None:
        self._trial.report(value, step)

    def stops(self, config: Config) -> bool:
        from optuna.trial import TrialState  # optional library

        if not self._trial.should_prune():
            return False
        self._study.tell(self._trial, state=TrialState.PRUNED)
        return True


class AutoPruningMethod(PruningMethod):
    """The same with our sampler, which is told the space."""

    def __init__(self, space: Space, name: str, seed: int, pruner: Callable[[_Steps], Any]) -> None:
        from auger.hosts.optuna import AugerSampler  # optional library

        super().__init__(space, name, seed, lambda _: AugerSampler(space=space, seed=seed), pruner)

    def ask(self) -> Config:
        from auger.hosts.optuna import suggest_config  # optional library

        self._trial = self._study.ask()
        return suggest_config(self._trial, self._space)


def _auger(steps: _Steps) -> Any:
    from auger.hosts.optuna import AugerPruner  # optional library

    return AugerPruner()


def _hyperband(steps: _Steps) -> Any:
    from optuna.pruners import HyperbandPruner  # optional library

    return HyperbandPruner(min_resource=steps[0], max_resource=steps[-1])


def _asha(steps: _Steps) -> Any:
    from optuna.pruners import SuccessiveHalvingPruner  # optional library

    return SuccessiveHalvingPruner(min_resource=steps[0])


def _median(steps: _Steps) -> Any:
    from optuna.pruners import MedianPruner  # optional library

    return MedianPruner()


_PRUNERS: dict[str, tuple[str, Callable[[_Steps], Any]]] = {
    "pruner": ("AugerPruner", _auger),
    "hyperband": ("Optuna's Hyperband", _hyperband),
    "asha": ("Optuna's asynchronous successive halving", _asha),
    "median": ("Optuna's median rule", _median),
}


def _auto(pruner: str) -> Entry:
    name, (words, make) = f"auto-{pruner}", _PRUNERS[pruner]
    return _entry(name, f"auto and {words}", lambda space, seed, n_evals: AutoPruningMethod(space, name, seed, make))


def _other(name: str, summary: str, sampler: str, pruner: str) -> Entry:
    _, make = _PRUNERS[pruner]
    return _entry(
        name,
        summary,
        lambda space, seed, n_evals: PruningMethod(
            space, name, seed, lambda them: getattr(them, sampler)(seed=seed), make
        ),
    )


def _entry(name: str, summary: str, make: Callable[[Space, int, int], PruningMethod]) -> Entry:
    return Entry(name, summary, make, modules=("optuna", "scipy.optimize", "scipy.stats"), distributions=("optuna",))


ENTRIES = (
    *map(_auto, _PRUNERS),
    _other("optuna-tpe-hyperband", "TPE of Optuna and its Hyperband", "TPESampler", "hyperband"),
    _other("random-hyperband", "random search and Optuna's Hyperband", "RandomSampler", "hyperband"),
)

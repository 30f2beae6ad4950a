"""Hyperband with our suggestions in place of random configurations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import Pyro4
from ConfigSpace import ConfigurationSpace
from hpbandster.core.base_iteration import WarmStartIteration
from hpbandster.core.result import Result
from hpbandster.optimizers.hyperband import HyperBand
from Pyro4.errors import PyroError

from auger.checks import is_number
from auger.errors import ObjectiveError, SearchError
from auger.hosts.hpbandster.generator import AugerGenerator
from auger.recipes import Recipe, Turns
from auger.space import Space

# Arguments of our other doors, and why there are none here.
_REFUSED = {
    "directions": "HpBandSter takes one loss per run, and promotes configurations by it",
    "constraints": "a worker of HpBandSter reports a loss and nothing to limit beside it",
}

_WAY_OUT = "Use auger.Optimizer, which takes the same ConfigurationSpace: Optimizer(from_configspace(space), ...)."


class AugerHyperBand(HyperBand):  # type: ignore[misc]
    """An optimizer for HpBandSter in place of BOHB: Hyperband's brackets, filled by `AugerGenerator`.

    Args:
        configspace: a ConfigurationSpace, or a Space of ours.
        recipe, seed: as for `AugerGenerator`.
        eta, min_budget, max_budget: as for HpBandSter's BOHB: in each round 1/eta of the configurations go on to a
            budget eta times as large.
        previous_result: the Result of an earlier run, which this run learns from.
        settings: all other arguments of HpBandSter's Master: run_id, nameserver, nameserver_port, host, ...

    Raises:
        SearchError: the nameserver does not answer.
        ObjectiveError: for several objectives, or outcome constraints, which HpBandSter cannot carry.
    """

    def __init__(
        self,
        configspace: ConfigurationSpace | Space | Mapping[str, Any],
        recipe: str | Recipe | Turns = "auto",
        *,
        seed: int | None = None,
        eta: float = 3,
        min_budget: float = 0.01,
        max_budget: float = 1,
        previous_result: Result | None = None,
        **settings: Any,
    ) -> None:
        for name in _REFUSED.keys() & settings.keys():
            raise ObjectiveError(
                f"AugerHyperBand has no `{name}`: {_REFUSED[name]}. Got {settings[name]!r}. {_WAY_OUT}"
            )
        if not (is_number(eta) and eta >= 2):
            raise ValueError(f"`eta` must be a number of at least 2. Got {eta!r}.")
        if not (is_number(min_budget) and is_number(max_budget) and 0 < min_budget <= max_budget):
            raise ValueError(
                f"The budgets must be numbers with 0 < min_budget <= max_budget. Got {min_budget!r} and {max_budget!r}."
            )
        if re.search(r"[\s@]", str(settings.get("run_id", ""))):
            raise ValueError(
                f"`run_id` must not contain blanks or an @, because Pyro names workers by it. "
                f"Got {settings['run_id']!r}."
            )
        generator = AugerGenerator(configspace, recipe, seed=seed, logger=settings.get("logger"))
        _check_nameserver(settings.get("nameserver", "127.0.0.1"), settings.get("nameserver_port"))
        super().__init__(configspace=configspace, eta=eta, min_budget=min_budget, max_budget=max_budget, **settings)
        self.config_generator = generator
        if previous_result is not None:
            self.warmstart_iteration = [_Previous(previous_result, generator)]
        self.config.update(recipe=generator.recipe.name, seed=generator.seed)

    def job_callback(self, job: Any) -> None:
        """Take the result of a job. A loss that is no number is a crash: HpBandSter would wait for it forever."""
        _check_result(job)
        super().job_callback(job)


class _Previous(WarmStartIteration):  # type: ignore[misc]
    """The runs of an earlier result, including the crashed ones, on which HpBandSter itself would fail."""

    def register_result(self, job: Any, skip_sanity_checks: bool = False) -> None:
        _check_result(job)
        super().register_result(job, skip_sanity_checks)


def _check_nameserver(host: str | None, port: int | None) -> None:
    """Without a nameserver, HpBandSter's threads die and `run` waits forever."""
    try:
        Pyro4.locateNS(host=host, port=port)._pyroRelease()
    except PyroError as error:
        address = f"{host}:{port or Pyro4.config.NS_PORT}"
        raise SearchError(
            f"The nameserver at {address} does not answer: {error}. Start it before the optimizer.", None
        ) from error


def _check_result(job: Any) -> None:
    """Turn a result whose loss is no number into a crash. A result without ``info`` gets an empty one."""
    loss = job.result.get("loss") if isinstance(job.result, Mapping) else None
    if job.result is not None and not is_number(loss):
        is_several = isinstance(loss, (list, tuple, Mapping))
        why = f" For several objectives: {_REFUSED['directions']}. {_WAY_OUT}" if is_several else ""
        job.exception = f"The result must be a dict with a number as 'loss'. Got {job.result!r}.{why}"
        job.result = None
    elif job.result is not None:
        job.result = {"info": None, **job.result}  # HpBandSter fails at the end of the run where it is missing

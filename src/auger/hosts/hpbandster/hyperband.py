"""Hyperband with our proposals in place of random ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ConfigSpace import ConfigurationSpace
from hpbandster.core.base_iteration import WarmStartIteration
from hpbandster.core.dispatcher import Dispatcher
from hpbandster.core.result import Result
from hpbandster.optimizers.hyperband import HyperBand

from auger.checks import is_number
from auger.errors import SearchError
from auger.hosts.hpbandster.dispatcher import PatientDispatcher
from auger.hosts.hpbandster.generator import AugerGenerator
from auger.recipes import Recipe, Turns
from auger.space import Space


class AugerHyperBand(HyperBand):  # type: ignore[misc]
    """An optimizer of HpBandSter's, where BOHB would be: Hyperband's brackets, filled by `AugerGenerator`.

    Args:
        configspace: a ConfigurationSpace, or a Space of ours.
        recipe, seed: as for `AugerGenerator`.
        eta, min_budget, max_budget: as for HpBandSter's BOHB: in each round 1/eta of the configurations go on to a
            budget eta times as large.
        previous_result: of an earlier run, to begin with.
        settings: all other arguments of HpBandSter's Master: run_id, nameserver, nameserver_port, host, ...
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
        if not (is_number(eta) and eta >= 2):
            raise ValueError(f"`eta` must be a number of at least 2. Got {eta!r}.")
        if not (is_number(min_budget) and is_number(max_budget) and 0 < min_budget <= max_budget):
            raise ValueError(
                f"The budgets must be 0 < min_budget <= max_budget. Got {min_budget!r} and {max_budget!r}."
            )
        if re.search(r"[\s@]", str(settings.get("run_id", ""))):
            raise ValueError(
                f"`run_id` must not have blanks or an @, as Pyro names workers by it. Got {settings['run_id']!r}."
            )
        generator = AugerGenerator(configspace, recipe, seed=seed, logger=settings.get("logger"))
        self._fault: str | None = None
        super().__init__(configspace=configspace, eta=eta, min_budget=min_budget, max_budget=max_budget, **settings)
        self.config_generator = generator
        if previous_result is not None:
            self.warmstart_iteration = [_Previous(previous_result, generator)]
        self.config.update(recipe=generator.recipe.name, seed=generator.seed)

    @property
    def dispatcher(self) -> PatientDispatcher:
        """What sends jobs to workers."""
        return self._dispatcher

    @dispatcher.setter
    def dispatcher(self, made: Dispatcher) -> None:
        # HpBandSter makes its own while it makes the optimizer, and starts it right afterwards
        self._dispatcher = PatientDispatcher(made, self._give_up)

    def run(
        self, n_iterations: int = 1, min_n_workers: int = 1, iteration_kwargs: Mapping[str, Any] | None = None
    ) -> Result:
        """Run so many brackets, once so many workers are there.

        Raises:
            SearchError: where neither the nameserver nor any worker is left. What was found is in its ``optimizer``.
        """
        try:
            return super().run(n_iterations, min_n_workers, dict(iteration_kwargs or {}))
        except BaseException:
            with suppress(RuntimeError):  # HpBandSter holds it while it runs; results that come in wait for it
                self.thread_cond.release()
            raise

    def wait_for_workers(self, min_n_workers: int = 1) -> None:
        """Return when there are so many workers."""
        with self.thread_cond:
            while self.dispatcher.number_of_workers() < min_n_workers:
                self._check()
                self.dispatcher.trigger_discover_worker()
                self.thread_cond.wait(1)

    def job_callback(self, job: Any) -> None:
        """Take the result of a job. A loss that is no number is a crash: HpBandSter would wait for it for ever."""
        _check_result(job)
        super().job_callback(job)

    def active_iterations(self) -> list[int]:
        """The brackets that are not finished."""
        self._check()
        found: list[int] = super().active_iterations()
        return found

    def _queue_wait(self) -> None:
        if self.num_running_jobs >= self.job_queue_sizes[1]:
            while self.num_running_jobs > self.job_queue_sizes[0]:
                self._check()
                self.thread_cond.wait()

    def _give_up(self, why: str) -> None:
        with self.thread_cond:
            self._fault = why
            self.thread_cond.notify_all()

    def _check(self) -> None:
        if self._fault is not None:
            raise SearchError(f"The search cannot go on. {self._fault}.", self)


class _Previous(WarmStartIteration):  # type: ignore[misc]
    """The runs of an earlier result, crashed ones among them, at which HpBandSter itself would stop."""

    def register_result(self, job: Any, skip_sanity_checks: bool = False) -> None:
        _check_result(job)
        super().register_result(job, skip_sanity_checks)


def _check_result(job: Any) -> None:
    """Make a crash of a result whose loss is no number; one without further information is given an empty one."""
    loss = job.result.get("loss") if isinstance(job.result, Mapping) else None
    if job.result is not None and not is_number(loss):
        job.exception = f"The result must be a dict with a number as 'loss'. Got {job.result!r}."
        job.result = None
    elif job.result is not None:
        job.result = {"info": None, **job.result}  # over the lack of it HpBandSter would stumble at the end

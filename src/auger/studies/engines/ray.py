"""The trials of a study on a Ray cluster: an actor runs the program of one trial, on any node with room for it.

Everything else stays in this process: proposals, the storage, and the display. A trial whose node is lost counts as one
whose worker died, and runs again.
"""

from __future__ import annotations

import logging
import socket
import threading
from pathlib import Path
from typing import Any

import ray
from ray import exceptions

from auger.errors import AugerError
from auger.studies.definition import Definition, Reservation
from auger.studies.definition.value_rules import ReportedRow
from auger.studies.trial import OnReport, Outcome, run_trial
from auger.trial import State
from auger.types import Config

# Seconds between two looks at a trial: for its intermediate values, and whether it is to stop.
_LOOK = 0.25

# Seconds to wait for a cluster to answer.
_PATIENCE = 20.0

# What Ray raises when an actor, its process or its node is lost. Any other error means that the cluster is lost.
_LOST = (exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.NodeDiedError)


class ClusterError(AugerError, ConnectionError):
    """A Ray cluster that cannot be reached, or was lost."""


class _TrialActor:
    """One trial, on its node. `run` takes as long as the program; the other methods are called meanwhile."""

    def __init__(self) -> None:
        self._stop, self._prune = threading.Event(), threading.Event()
        self._reports: list[ReportedRow] = []

    def run(self, data: dict[str, Any], number: int, config: Config, has_reports: bool, repeat: int | None) -> Outcome:
        definition = Definition.from_json(data, storage="")
        if not Path(definition.home).is_dir():  # it would be created, and be empty
            node = ray.util.get_node_ip_address()
            return Outcome(State.FAILED, error=f"cannot start: the node {node} has no folder {definition.home}")
        report = self._report if has_reports else None
        return run_trial(definition, number, config, on_report=report, stop=self._stop, repeat=repeat)

    def _report(self, step: int, *values: float) -> bool:
        self._reports.append((step, *values))
        return self._prune.is_set()

    def reports(self, n_read: int) -> list[ReportedRow]:
        return self._reports[n_read:]

    def prune(self) -> None:
        self._prune.set()

    def stop(self) -> None:
        self._stop.set()


class RayEngine:
    """Runs trials on a cluster; `run_trial` is what `auger.studies.pool.pool.Pool` calls.

    Args:
        address: of the cluster, as ``ray.init`` takes it: "auto" for the cluster that this machine belongs to, "local"
            for a cluster on this machine that starts and ends with the engine.
    """

    def __init__(self, address: str = "auto") -> None:
        logging.getLogger("ray").setLevel(logging.ERROR)
        try:
            _check_address(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=None)
        except (OSError, exceptions.RayError, ValueError, RuntimeError) as error:
            raise ClusterError(f"There is no Ray cluster at {address!r}: {_first_line(error)}") from error
        self._actor = ray.remote(max_concurrency=4, max_restarts=0)(_TrialActor)

    def close(self) -> None:
        """Leave the cluster."""
        ray.shutdown()

    def why_waiting(self, reservation: Reservation) -> str | None:
        """Why trials will wait: no node of the cluster can hold one. None where a node can."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        amounts = reservation.amounts
        if any(all(node.get(name, 0) >= amount for name, amount in amounts.items()) for node in nodes):
            return None
        return (
            f"No node of the Ray cluster can hold a trial, which reserves {reservation}. Trials wait until one joins."
        )

    def run_trial(
        self,
        definition: Definition,
        number: int,
        config: Config,
        *,
        on_report: OnReport | None = None,
        stop: threading.Event,
        repeat: int | None = None,
    ) -> Outcome:
        """Run one trial on a node, and wait for its outcome. See `auger.studies.trial.run_trial`."""
        if stop.is_set():
            return Outcome(State.STOPPED, error="stopped before it began")
        try:
            actor = self._actor.options(**_options(definition.ray)).remote()
            answer = actor.run.remote(definition.to_json(), number, config, on_report is not None, repeat)
            try:
                return _wait_for_outcome(actor, answer, on_report, stop)
            finally:
                ray.kill(actor)
        except _LOST as error:
            return Outcome(State.DIED, error=f"its Ray node was lost ({type(error).__name__})")
        except exceptions.RayError as error:
            raise ClusterError(f"The Ray cluster was lost: {_first_line(error)}") from error


def _options(reservation: Reservation) -> dict[str, Any]:
    """A reservation as options of an actor."""
    return {
        "num_cpus": reservation.cpus,
        "num_gpus": reservation.gpus,
        "memory": reservation.memory,
        "resources": dict(reservation.resources) or None,
    }


def _check_address(address: str) -> None:
    """Raise an OSError where nothing listens at ``host:port``; Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()


def _wait_for_outcome(actor: Any, answer: Any, on_report: OnReport | None, stop: threading.Event) -> Outcome:
    """Wait for the outcome; pass on intermediate values to ``on_report``, and the request to stop to the actor."""
    n_read, is_stopped, is_pruned = 0, False, False
    first_reports = actor.reports.remote(0)  # answered as soon as the actor runs
    while True:
        done, _ = ray.wait([answer], timeout=_LOOK)
        has_begun = bool(ray.wait([first_reports], timeout=0)[0])
        if stop.is_set() and not is_stopped:
            if not has_begun:
                return Outcome(State.STOPPED, error="stopped before it began")
            is_stopped = True
            actor.stop.remote()
        if on_report is not None and has_begun:
            for row in ray.get(actor.reports.remote(n_read)):
                n_read += 1
                if on_report(*row) and not is_pruned:
                    is_pruned = True
                    actor.prune.remote()
        if done:
            outcome: Outcome = ray.get(answer)
            return outcome


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__

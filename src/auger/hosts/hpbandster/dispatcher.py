"""HpBandSter's dispatcher, which goes on where the original waits for ever.

The original holds its lock when one of its threads dies, and its threads die when a worker is gone just as a job is
sent to it, and when the nameserver does not answer. Here

- a job that cannot be sent, or whose worker died, is given to another worker; one that loses two workers has crashed;
- without a nameserver, known workers go on; with none of them left, the search ends with an error.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import Pyro4
from hpbandster.core.dispatcher import Dispatcher, Worker
from Pyro4.errors import CommunicationError, PyroError

# Without a nameserver and without a worker: so many looks for them before the search is given up.
_PATIENCE = 3


class PatientDispatcher(Dispatcher):  # type: ignore[misc]
    """Made in place of a plain dispatcher, which is not running yet.

    Args:
        plain: whose settings it takes over.
        give_up: called, from another thread, with what ended the search.
    """

    shutdown_all_threads: bool

    def __init__(self, plain: Dispatcher, give_up: Callable[[str], None]) -> None:
        super().__init__(
            plain.new_result_callback,
            run_id=plain.run_id,
            ping_interval=plain.ping_interval,
            nameserver=plain.nameserver,
            nameserver_port=plain.nameserver_port,
            host=plain.host,
            logger=plain.logger,
            queue_callback=plain.queue_callback,
        )
        self._give_up = give_up
        self._n_workers = 0  # as the optimizer knows it
        self._n_unanswered = 0
        self._lost: set[Any] = set()  # jobs whose worker died, by configuration and budget

    def run(self) -> None:
        """Serve until `shutdown`."""
        try:
            super().run()
        except (PyroError, OSError) as error:
            with self.discover_cond:
                was_running = self.shutdown_all_threads
                self.shutdown_all_threads = True
                self.discover_cond.notify_all()
            if was_running:  # the search is over, and there is no nameserver to sign off from
                self.logger.warning("DISPATCHER: the nameserver was gone at the end: %s", error)
            else:
                self._give_up(f"{self._address} does not answer: {error}. Start it before the optimizer")
        finally:
            for worker in self.worker_pool.values():
                worker.proxy._pyroRelease()

    def shutdown(self, shutdown_workers: bool = False) -> None:
        """End the threads and, if asked to, the workers."""
        if hasattr(self, "pyro_daemon"):
            super().shutdown(shutdown_workers)

    def shutdown_all_workers(self, rediscover: bool = False) -> None:
        """End those that can still be reached."""
        with self.discover_cond:
            for worker in self.worker_pool.values():
                with suppress(PyroError):
                    worker.shutdown()

    @property
    def _address(self) -> str:
        return f"The nameserver at {self.nameserver}:{self.nameserver_port or Pyro4.config.NS_PORT}"

    # -- workers ----------------------------------------------------------------------------------------------

    def discover_workers(self) -> None:
        """Look for workers and after them, every `ping_interval` seconds or when called; a thread of its own."""
        with self.discover_cond:
            while not self.shutdown_all_threads:
                is_answered = self._find_workers()
                crashed = self._visit_workers()
                self._n_unanswered = 0 if is_answered or self.worker_pool else self._n_unanswered + 1
                self._report(crashed)
                self.discover_cond.wait(1 if self._n_unanswered else self.ping_interval)
            self.runner_cond.notify_all()

    def _find_workers(self) -> bool:
        """Add those that the nameserver knows and that answer; whether it does."""
        try:
            with Pyro4.locateNS(host=self.nameserver, port=self.nameserver_port) as nameserver:
                found = nameserver.list(prefix=f"hpbandster.run_{self.run_id}.worker.")
        except PyroError as error:
            self.logger.warning("DISPATCHER: %s does not answer: %s", self._address, error)
            return False
        for name, uri in found.items():
            if name not in self.worker_pool:
                worker = Worker(name, uri)
                if _is_alive(worker):
                    self.logger.info("DISPATCHER: discovered new worker, %s", name)
                    self.worker_pool[name] = worker
        return True

    def _visit_workers(self) -> list[Any]:
        """Note who is idle, and give the jobs of the dead to others; those that crashed for good."""
        crashed = []
        for name, worker in list(self.worker_pool.items()):
            if _is_alive(worker):
                if worker.runs_job is None:
                    self.idle_workers.add(name)
                continue
            self.logger.info("DISPATCHER: removing dead worker, %s", name)
            self._forget(name)
            job = self.running_jobs.get(worker.runs_job)
            if job is None:
                continue
            lost = (job.id, job.kwargs.get("budget"))
            if lost in self._lost:
                crashed.append(job.id)
            else:
                self._lost.add(lost)
                del self.running_jobs[job.id]
                self.waiting_jobs.put(job)
        return crashed

    def _forget(self, name: str) -> None:
        del self.worker_pool[name]
        self.idle_workers.discard(name)

    def _report(self, crashed: list[Any]) -> None:
        """Tell the optimizer, without the lock: it holds its own while it waits for ours."""
        n_workers, self._n_workers = self._n_workers, len(self.worker_pool)
        self.runner_cond.notify_all()
        self.discover_cond.release()
        try:
            if self._n_unanswered >= _PATIENCE:
                self._give_up(f"{self._address} does not answer, and no worker is left")
            if n_workers != self._n_workers and self.queue_callback is not None:
                self.queue_callback(self._n_workers)
            for job_id in crashed:
                self.register_result(job_id, {"result": None, "exception": "Two workers died of it."})
        finally:
            self.discover_cond.acquire()

    # -- jobs -------------------------------------------------------------------------------------------------

    def job_runner(self) -> None:
        """Give waiting jobs to idle workers; a thread of its own."""
        with self.runner_cond:
            while not self.shutdown_all_threads:
                if self.waiting_jobs.empty() or not self.idle_workers:
                    self.runner_cond.wait()
                else:
                    self._start(self.waiting_jobs.get(), self.idle_workers.pop())

    def _start(self, job: Any, name: str) -> None:
        worker = self.worker_pool[name]
        job.time_it("started")
        job.worker_name, worker.runs_job = name, job.id
        self.running_jobs[job.id] = job
        try:
            worker.proxy.start_computation(self, job.id, **job.kwargs)
        except CommunicationError:
            self.logger.info("DISPATCHER: %s is gone, job %s goes to another worker", name, job.id)
            del self.running_jobs[job.id]
            self._forget(name)
            self.waiting_jobs.put(job)
            self.discover_cond.notify_all()  # to report how many are left


def _is_alive(worker: Worker) -> bool:
    try:
        return bool(worker.is_alive())
    except (PyroError, OSError):
        return False

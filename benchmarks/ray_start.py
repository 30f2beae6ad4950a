"""Why a run of Ray Tune can seem to stall: what its settings cost when the trials themselves take no time.

    pip install ".[ray]" && python benchmarks/ray_start.py

Each setting runs the same number of trials on a Ray of its own on this machine. A trial reports the process it runs in,
and the CPU seconds that the process had used before the trial began. A Markdown table on stdout: processes that trials
ran in, the CPU seconds of such a process before its first trial (median), wall-clock seconds until the first trial
reported and from there to the end of the run, and the ratio of that to the last row's.
"""

from __future__ import annotations

import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import argparse
import contextlib
import logging
import statistics
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from typing import Any

import ray
from ray import tune

from auger.hosts.ray import AugerSearch

SETTINGS: dict[str, dict[str, Any]] = {
    "Ray's defaults": {},
    "`max_concurrent_trials`": {"max_concurrent_trials": True},
    "`reuse_actors`": {"reuse_actors": True},
    "both": {"max_concurrent_trials": True, "reuse_actors": True},
}


@dataclass(frozen=True)
class Run:
    """What a run took: processes, CPU seconds of each before its first trial, and seconds to and from the first one."""

    n_processes: int
    cpu: float
    first: float
    rest: float


def nothing(config: dict[str, Any]) -> dict[str, float]:
    """A trial that ends at once."""
    return {"loss": config["x"], "process": os.getpid(), "cpu": time.process_time(), "at": time.time()}


def measured(n_trials: int, n_cpus: int, settings: dict[str, Any]) -> Run:
    """Run `n_trials` trials with some settings."""
    limit = {"max_concurrent_trials": n_cpus} if "max_concurrent_trials" in settings else {}
    ray.init("local", num_cpus=n_cpus, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
            tuner = tune.Tuner(
                nothing,
                param_space={"x": tune.uniform(0.0, 1.0)},
                tune_config=tune.TuneConfig(
                    search_alg=AugerSearch(seed=0),
                    metric="loss",
                    mode="min",
                    num_samples=n_trials,
                    **{**settings, **limit},
                ),
                run_config=tune.RunConfig(storage_path=folder, verbose=0),
            )
            began = time.time()
            results = [result.metrics for result in tuner.fit()]
            ended = time.time()
    finally:
        ray.shutdown()
    first: dict[int, float] = {}
    for metrics in results:
        first[metrics["process"]] = min(metrics["cpu"], first.get(metrics["process"], metrics["cpu"]))
    at = min(metrics["at"] for metrics in results)
    return Run(len(first), statistics.median(first.values()), at - began, ended - at)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--trials", type=int, default=12, metavar="N", help="trials per run")
    parser.add_argument("--cpus", type=int, default=2, metavar="N", help="CPUs that Ray may use")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # Ray's own
    runs = {}
    for name, settings in SETTINGS.items():
        print(name, file=sys.stderr)
        runs[name] = measured(options.trials, options.cpus, settings)
    last = list(runs.values())[-1].rest
    print(f"{options.trials} trials on {options.cpus} CPUs, Ray {ray.__version__}\n")
    print("| | processes | CPU s each | s to the first result | s for the others | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, run in runs.items():
        cells = (
            f"{run.n_processes}",
            f"{run.cpu:.1f}",
            f"{run.first:.1f}",
            f"{run.rest:.1f}",
            f"{run.rest / last:.1f}",
        )
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

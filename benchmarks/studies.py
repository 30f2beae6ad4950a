"""Overhead per trial in milliseconds: `auger tune` and Optuna's TPE on the same storages, side by side.

    pip install ".[bench,postgres]" && python benchmarks/studies.py [--postgres postgresql://user@host/database]

Each storage gets the same finished trials of ten mixed parameters. Then `auger tune` runs a program that does nothing,
whose own time is subtracted; Optuna asks, suggests the same parameters and tells, without a program. A Markdown table
on stdout: wall-clock medians, with the share of the sampler, and the ratio of the two.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.trial import create_trial
from overhead import mixed_space, value

from auger.studies.definition import Command, Definition
from auger.studies.pool.events import Event, TrialFinished
from auger.studies.pool.pool import Pool
from auger.studies.storage import Storage, open_storage
from auger.studies.study import Study, open_study

optuna.logging.set_verbosity(optuna.logging.ERROR)


@dataclass
class Stopwatch:
    """The seconds of each call of a function."""

    function: Any
    seconds: list[float]

    def __call__(self, *args: Any) -> Any:
        start = time.perf_counter()
        try:
            return self.function(*args)
        finally:
            self.seconds.append(time.perf_counter() - start)


def definition(storage: str, folder: Path, name: str, n_trials: int) -> Definition:
    """A study whose program prints a number and does nothing else."""
    command = Command(run=("echo", "1"), config=True)
    return Definition(name, mixed_space(), command, str(folder), storage, trials=n_trials, seed=0)


def filled(storage: Storage, folder: Path, name: str, n: int, n_more: int) -> Study:
    """A study with n finished trials and a budget of `n_more` others."""
    study = open_study(definition(str(storage.address), folder, name, n + n_more), storage)
    space = study.definition.space
    for config in space.decode(space.sample(n, np.random.default_rng(1))):
        params = study.params(config)
        trial = create_trial(value=value(config), params=params, distributions=study.distributions(params))
        storage.optuna.create_new_trial(study.key, template_trial=trial)
    return study


def ours(study: Study) -> tuple[float, float]:
    """Milliseconds per trial outside of the program, and the part of the sampler."""
    sampler: Any = study.optuna.sampler
    sampler.propose = watch = Stopwatch(sampler.propose, [])
    times: list[float] = []
    began = time.perf_counter()

    def take(event: Event) -> None:
        nonlocal began
        if isinstance(event, TrialFinished):
            now = time.perf_counter()
            times.append(now - began - event.seconds)
            began = now

    Pool(study, 1, take).run()
    return _ms(times[1:]), _ms(watch.seconds[1:])  # the first trial imports modules


def theirs(study: Study, n: int) -> tuple[float, float]:
    """The same of Optuna's TPE, without a program."""
    sampler: Any = optuna.samplers.TPESampler(seed=0)
    sampler.sample_relative = watch = Stopwatch(sampler.sample_relative, [])
    rival = optuna.load_study(study_name=study.definition.name, storage=study.storage.optuna, sampler=sampler)
    distributions = study.distributions(study.definition.space.names)
    times = []
    for _ in range(n):
        start = time.perf_counter()
        trial = rival.ask(distributions)
        rival.tell(trial, value(trial.params))
        times.append(time.perf_counter() - start)
    return _ms(times[1:]), _ms(watch.seconds[1:])


def _ms(seconds: list[float]) -> float:
    return 1e3 * statistics.median(seconds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--trials", type=int, default=1000, metavar="N", help="finished trials to begin with")
    parser.add_argument("--repeats", type=int, default=30, metavar="K", help="trials to measure")
    parser.add_argument(
        "--folder", type=Path, default=None, metavar="DIR", help="folder of the files; a temporary one by default"
    )
    parser.add_argument("--postgres", metavar="URL", help="a database in which two studies are created")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        storages = {"journal": f"{folder}/bench.journal", "SQLite": f"sqlite:///{folder}/bench.db"}
        if options.postgres:
            storages["PostgreSQL"] = options.postgres
        print(f"Milliseconds per trial after {options.trials:,} trials\n")
        print("| storage | `auger tune` | of it the sampler | Optuna TPE | of it the sampler | ratio |")
        print("|---|---:|---:|---:|---:|---:|")
        for name, text in storages.items():
            report(name, open_storage(text), Path(folder), options.trials, options.repeats)


def report(name: str, storage: Storage, folder: Path, n: int, n_more: int) -> None:
    """Measure one storage and print its row."""
    mark = f"bench-{time.time_ns()}"
    cells = []
    for measure in ("auger", "optuna"):
        print(f"{name}, {measure}", file=sys.stderr)
        study = filled(storage, folder, f"{mark}-{measure}", n, n_more)
        cells.append(ours(study) if measure == "auger" else theirs(study, n_more))
    (mine, my_sampler), (other, their_sampler) = cells
    columns = (name, *(f"{ms:.1f}" for ms in (mine, my_sampler, other, their_sampler)), f"{mine / other:.2f}")
    print(f"| {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()

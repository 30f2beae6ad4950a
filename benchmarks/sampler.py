"""CPU milliseconds per trial (ask, suggest, tell) of our sampler, beside Optuna's TPE and our bare Optimizer.

    pip install ".[bench]" && python benchmarks/sampler.py

A Markdown table on stdout, progress on stderr: one thread, ten parameters of every type, a study that holds n trials
already. In brackets the ratio to the Optimizer, which keeps its history itself.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import argparse
import cProfile
import pstats
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import BaseStorage, InMemoryStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import create_trial
from overhead import measure, mixed_space, n_asks, observations, table, value

from auger.hosts.optuna import AugerSampler, distributions

SAMPLERS: dict[str, Callable[[], Any]] = {
    "Optuna TPE": lambda: optuna.samplers.TPESampler(seed=0),
    "AugerSampler": lambda: AugerSampler(seed=0),
    "AugerSampler with a space": lambda: AugerSampler(space=mixed_space(), seed=0),
}


def filled(storage: BaseStorage, n: int) -> str:
    """A study of n trials in the storage; its name."""
    space = distributions(mixed_space())
    study = optuna.create_study(storage=storage)
    configs, values = observations(n)
    trials = [create_trial(params=c, distributions=space, value=v) for c, v in zip(configs, values, strict=True)]
    study.add_trials(trials)
    return str(study.study_name)


def cost(storage: BaseStorage, name: str, sampler: Any, n: int) -> float:
    """Mean CPU ms per trial of the sampler in a study of n trials, without the first, which reads the study."""
    study = optuna.load_study(study_name=name, storage=storage, sampler=sampler)
    space = distributions(mixed_space())
    times = []
    for _ in range(n_asks(n) + 1):
        start = time.process_time()
        trial = study.ask(space)
        study.tell(trial, value(trial.params))
        times.append(time.process_time() - start)
    return 1e3 * statistics.mean(times[1:])


def report(sizes: list[int]) -> None:
    """Measure everything and print the table."""
    bare = [measure("auto", n)[0] for n in sizes]
    rows = {"Optimizer": [f"{ms:.1f}" for ms in bare]}
    with tempfile.TemporaryDirectory() as folder:
        for storage_name in ("in memory", "journal"):
            cells: dict[str, list[str]] = {f"{name}, {storage_name}": [] for name in SAMPLERS}
            for n, base in zip(sizes, bare, strict=True):
                for name, make in SAMPLERS.items():
                    print(f"{name}, {storage_name}, n = {n}", file=sys.stderr)
                    backend = JournalFileBackend(str(Path(folder) / f"{name}-{n}.journal"))
                    storage: BaseStorage = JournalStorage(backend) if storage_name == "journal" else InMemoryStorage()
                    ms = cost(storage, filled(storage, n), make(), n)
                    cells[f"{name}, {storage_name}"].append(f"{ms:.1f} ({ms / base:.2f} x)")
            rows.update(cells)
    table("CPU ms per trial, 10 mixed parameters (ratio to the Optimizer)", sizes, rows)


def profile(n: int) -> None:
    """Print a profile of the sampler, in memory."""
    storage = InMemoryStorage()
    name = filled(storage, n)
    profiler = cProfile.Profile()
    profiler.runcall(cost, storage, name, AugerSampler(seed=0), n)
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(40)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10_000], metavar="N")
    parser.add_argument("--profile", type=int, metavar="N", help="print a profile with N trials instead")
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if options.profile:
        profile(options.profile)
    else:
        report(sorted(options.sizes))


if __name__ == "__main__":
    main()

"""One run: one method on one problem from one seed, in one process and one thread."""

from __future__ import annotations

import importlib
import json
import math
import platform
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from os import cpu_count
from pathlib import Path

import numpy as np

import auger
from auger.types import Config
from auger_bench.fidelity import Account, spend
from auger_bench.incumbent import Incumbent
from auger_bench.methods import Method, method
from auger_bench.methods.interface import version
from auger_bench.problems import Problem, problem
from auger_bench.records import Evaluation, Head, ResultsError, RunFile, file_of

# What a value depends on beyond the method's libraries, by the problem's family.
_SIMULATORS = {"racing": ("cvxpy", "clarabel"), "robot": ("box2d",)}

# Noise has a stream of its own: methods draw from [seed, number] too, and noise must not depend on their configs.
_NOISE = 1


@dataclass(frozen=True)
class Task:
    """What to run."""

    problem: str
    method: str
    seed: int
    n_evals: int

    def __str__(self) -> str:
        return f"{self.problem}, {self.method}, seed {self.seed}"

    def path(self, folder: Path) -> Path:
        """Where its results are kept."""
        return file_of(folder, self.problem, self.method, self.seed)

    def head(self) -> Head:
        """The first line of its file, if it were made here and now."""
        libraries = ("numpy", "scipy", *_SIMULATORS.get(self.problem.partition("-")[0], ()))
        versions = {
            "python": platform.python_version(),
            "auger": auger.__version__,
            **{name: version(name) for name in libraries},
            **method(self.method).versions(),
        }
        return Head(self.problem, self.method, self.seed, self.n_evals, versions, _machine())


@cache
def _machine() -> dict[str, str]:
    cpu = platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass  # not Linux, or a processor without a name
    return {"system": platform.system(), "cpu": cpu, "cores": str(cpu_count())}


def execute(task: Task, folder: Path, heard: Callable[[Evaluation], None] = lambda _: None) -> None:
    """Run a task, or what is left of it, appending each evaluation to its file. What breaks is recorded there.

    Evaluations already in the file are not repeated: the method is asked again from the start, which brings it to
    the state it had, and is told the recorded values. With a method that stops trials early, on a problem with
    fidelities, an evaluation is a unit of cost (see `auger_bench.fidelity`), and the run is made again from the start.

    Args:
        task: what to run.
        folder: of the results.
        heard: called with each new evaluation, after it is written.
    """
    file = RunFile(task.path(folder), task.head())
    try:
        if not file.run.is_complete:
            _go_on(task, file, heard)
    except ConnectionError:
        raise  # nobody listens to `heard` any more, which is no fault of the run
    except Exception as error:
        file.crash("".join(traceback.format_exception(error)).strip())
    finally:
        file.close()


def _go_on(task: Task, file: RunFile, heard: Callable[[Evaluation], None]) -> None:
    entry, black_box = method(task.method), problem(task.problem)
    for module in entry.modules:
        importlib.import_module(module)  # now, not inside the first suggestion's time
    optimizer = entry.make(black_box.space, task.seed, task.n_evals)
    if optimizer.is_stopping and black_box.fidelities:
        spend(optimizer, Account(black_box, file, heard, task.seed))
        return
    best = Incumbent(black_box)
    for past in file.run.evaluations:
        _replay(optimizer, past)
        best.update(past.observed, past.value)
    for number in range(len(file.run.evaluations), task.n_evals):
        evaluation = _evaluate(optimizer, black_box, best, number, task.seed)
        file.append(evaluation)
        heard(evaluation)


def _replay(optimizer: Method, past: Evaluation) -> None:
    config = optimizer.ask()
    if as_json(config) != past.config:
        raise ResultsError(
            f"This run cannot be resumed: at evaluation {past.number} its method now proposes {config!r}, and "
            f"{past.config!r} is recorded. Remove its file to repeat it."
        )
    optimizer.tell(config, past.observed)


def as_json(config: Config) -> Config:
    """The config as a results file gives it back."""
    result: Config = json.loads(json.dumps(config))
    return result


def _evaluate(optimizer: Method, black_box: Problem, best: Incumbent, number: int, seed: int) -> Evaluation:
    cpu, wall = time.process_time(), time.perf_counter()
    config = optimizer.ask()
    ask_cpu, ask_wall = time.process_time() - cpu, time.perf_counter() - wall
    observed, value, error = _observe(black_box, config, np.random.default_rng([seed, number, _NOISE]))
    best.update(observed, value)
    cpu, wall = time.process_time(), time.perf_counter()
    optimizer.tell(config, observed)
    tell_cpu, tell_wall = time.process_time() - cpu, time.perf_counter() - wall
    return Evaluation(
        number, config, observed, value, best.value, best.regret, ask_cpu, ask_wall, tell_cpu, tell_wall, error
    )


def _observe(black_box: Problem, config: Config, rng: np.random.Generator) -> tuple[float, float, str]:
    """The observed value, the noise-free one, and what went wrong."""
    try:
        value = black_box(config)
        observed = value if black_box.observe is None else black_box.observe(config, rng)
    except Exception as error:  # a crashing problem is part of the benchmark
        return math.nan, math.nan, f"{type(error).__name__}: {error}"
    return observed, value, ""

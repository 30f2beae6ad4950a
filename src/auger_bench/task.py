"""A task is one run: one method on one problem from one seed, executed in one process and one thread."""

from __future__ import annotations

import importlib
import json
import platform
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from os import cpu_count
from pathlib import Path

import numpy as np

import auger
from auger.types import Config
from auger_bench.fidelity import Account, spend
from auger_bench.measurement import Incumbent, MethodTimer, as_evaluation, evaluate
from auger_bench.methods import Method, method
from auger_bench.methods.interface import version
from auger_bench.outcome import Outcome
from auger_bench.problems import Problem, problem
from auger_bench.run_files import Evaluation, Head, ResultsError, RunFile, file_of

# The libraries that the values of a problem depend on, by the part of its name before the first hyphen.
_SIMULATORS = {"racing": ("cvxpy", "clarabel"), "robot": ("box2d",)}

# Noise has a stream of its own: methods draw from [seed, number] too, and noise must not depend on their configs.
_NOISE = 1


@dataclass(frozen=True)
class Task:
    """One run to make: which method on which problem, from which seed, for how many evaluations.

    Attributes:
        until_optimum: whether the run ends when its incumbent is the optimum, on a problem without noise.
    """

    problem: str
    method: str
    seed: int
    n_evals: int
    until_optimum: bool = False

    def __str__(self) -> str:
        return f"{self.problem}, {self.method}, seed {self.seed}"

    def path(self, folder: Path) -> Path:
        """The file of its results."""
        return file_of(folder, self.problem, self.method, self.seed)

    def head(self) -> Head:
        """The head of its file, with the versions and the machine of this process."""
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


def execute(task: Task, folder: Path, on_evaluation: Callable[[Evaluation], None] = lambda _: None) -> None:
    """Run a task, or what is left of it, and append each evaluation to its file. A crash is recorded there too.

    Evaluations already in the file are not repeated: the method is asked again from the start and told the recorded
    values, which brings it to the state it had. With a method that stops trials early, on a problem with fidelities,
    an evaluation is a unit of cost (see `auger_bench.fidelity`), and the run is made again from the start.

    Args:
        task: what to run.
        folder: the folder of the results.
        on_evaluation: called with each new evaluation, after it is written.
    """
    with closing(RunFile(task.path(folder), task.head())) as file:
        try:
            if not file.run.is_complete:
                _continue(task, file, on_evaluation)
        except ConnectionError:
            raise  # the receiver behind `on_evaluation` is gone, which is no fault of the run
        except Exception as error:
            file.crash("".join(traceback.format_exception(error)).strip())


def _continue(task: Task, file: RunFile, on_evaluation: Callable[[Evaluation], None]) -> None:
    entry, black_box = method(task.method), problem(task.problem)
    for module in entry.modules:
        importlib.import_module(module)  # now, so that the time of the first suggestion does not include it
    optimizer = entry.start(black_box, task.seed, task.n_evals)
    if optimizer.is_stopping and black_box.fidelities:
        spend(optimizer, Account(black_box, file, on_evaluation, task.seed))
        return
    incumbent = Incumbent(black_box)
    for past in file.run.evaluations:
        _replay(optimizer, past)
        incumbent.update(past.outcome, Outcome(past.values or (past.value,), past.constraints))
    for number in range(len(file.run.evaluations), task.n_evals):
        if task.until_optimum and incumbent.is_optimum:
            file.solve()
            return
        evaluation = _step(optimizer, black_box, incumbent, number, task.seed)
        file.append(evaluation)
        on_evaluation(evaluation)


def _replay(optimizer: Method, past: Evaluation) -> None:
    config = optimizer.ask()
    if as_json(config) != past.config:
        raise ResultsError(
            f"This run cannot be resumed: for evaluation {past.number} its method now suggests {config!r}, and "
            f"the file holds {past.config!r}. Remove the file to repeat the run."
        )
    optimizer.tell_outcome(config, past.outcome)


def as_json(config: Config) -> Config:
    """The config as it is read back from a file of results."""
    result: Config = json.loads(json.dumps(config))
    return result


def _step(optimizer: Method, black_box: Problem, incumbent: Incumbent, number: int, seed: int) -> Evaluation:
    """Ask the method, evaluate, and tell the method."""
    timer = MethodTimer()
    with timer.timing("ask"):
        config = optimizer.ask()
    result = evaluate(black_box, config, np.random.default_rng([seed, number, _NOISE]))
    incumbent.update(result.observed, result.outcome)
    with timer.timing("tell"):
        optimizer.tell_outcome(config, result.observed)
    return as_evaluation(number, config, result, incumbent, timer)

"""YAHPO Gym's surrogates: the loss of XGBoost on 119 tasks, and of a network on 34, as neural networks predict them.

``yahpo-xgboost-...``, followed by an OpenML task, is the log loss of XGBoost (``rbv2_xgboost``: 14 parameters, eight of
them under conditions), ``yahpo-lcbench-...`` the validation cross-entropy of a network after 52 epochs (7 parameters),
with the epochs before as fidelities. The optimum is unknown: these are functions of real numbers.

``yahpo-lcbench-costs-...`` has two objectives: the validation error in percent and the training time in seconds.
``yahpo-xgboost-costs-...`` has three: the error, the training time and the memory. There are the tasks whose best
hypervolume was searched for, `COSTS`; their reference points are about as bad as random configs.

The files (Pfisterer et al., 2022, Apache licence) must be in the folder of AUGER_DATA, such as
``yahpo/lcbench/model.onnx``; they are evaluated by ONNX Runtime.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from auger.errors import AugerError, nearest
from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config
from auger_bench.outcome import Outcome
from auger_bench.problems import data_folder
from auger_bench.problems.interface import SEARCHED, Problem, import_library


class _Scenario(NamedTuple):
    """The folder of a scenario, and the output that is minimized."""

    folder: str
    output: str


_SCENARIOS = {
    "yahpo-lcbench-": _Scenario("lcbench", "val_cross_entropy"),
    "yahpo-xgboost-": _Scenario("rbv2_xgboost", "logloss"),
}
_ERROR = {"lcbench": ("val_accuracy", 100.0), "rbv2_xgboost": ("acc", 1.0)}  # the output, and what a perfect one is
_COST_NAMES = {"lcbench": ("error", "seconds"), "rbv2_xgboost": ("error", "seconds", "memory")}
_COST_OUTPUTS = {"lcbench": ("time",), "rbv2_xgboost": ("timetrain", "memory")}


class _Front(NamedTuple):
    """A reference point, and the largest hypervolume that `benchmarks/best_fronts.py` found."""

    reference: tuple[float, ...]
    hypervolume: float


_FRONTS = {
    "yahpo-lcbench-costs-34539": _Front((20.0, 200.0), 3362.40634),
    "yahpo-lcbench-costs-167149": _Front((20.0, 130.0), 2342.32058),
    "yahpo-xgboost-costs-40975": _Front((0.35, 10.0, 400.0), 1046.75838),
    "yahpo-xgboost-costs-54": _Front((0.55, 10.0, 400.0), 956.737376),
}

#: The names of the problems with several objectives.
COSTS = tuple(_FRONTS)
_FILES = ("scenario.json", "encoding.json", "model.onnx")


def yahpo(name: str) -> Problem:
    """The loss of a learner on the task that the name ends with, or its error and its costs.

    Raises:
        AugerError: no such scenario or task.
        DataError: ONNX Runtime is not installed, or the files are not in AUGER_DATA.
    """
    prefix = next((prefix for prefix in _SCENARIOS if name.startswith(prefix)), None)
    if prefix is None:
        raise AugerError(f"A surrogate must be named {' or '.join(_SCENARIOS)} and a task. Got {name!r}.")
    scenario, task = _SCENARIOS[prefix], name.removeprefix(prefix)
    surrogate = _read(*(data_folder.need(name, f"yahpo/{scenario.folder}/{file}") for file in _FILES))
    if task.startswith("costs-"):
        return _several(name, surrogate, scenario.folder, task.removeprefix("costs-"))
    if task not in surrogate.tasks:
        raise AugerError(f"{scenario.folder} has no task {task!r}. {nearest(task, surrogate.tasks)}")
    problem = Problem(name, surrogate.space, lambda config: surrogate.predict(task, config, (scenario.output,))[0])
    return _with_epochs(problem, surrogate, task, scenario.output) if scenario.folder == "lcbench" else problem


def _with_epochs(problem: Problem, surrogate: _Surrogate, task: str, output: str) -> Problem:
    """The problem with each epoch but the last as a fidelity; continuing costs the added epochs."""
    n_epochs = int(surrogate.full_fidelity["epoch"])
    return replace(
        problem,
        fidelities=tuple(range(1, n_epochs)),
        cheaper=lambda config, epoch: surrogate.predict(task, config, (output,), {"epoch": epoch})[0],
        budget=n_epochs,
    )


def _several(name: str, surrogate: _Surrogate, folder: str, task: str) -> Problem:
    if name not in _FRONTS:
        raise AugerError(f"The best front of {name!r} is not recorded. {nearest(name, _FRONTS)}")
    (accuracy, perfect), costs = _ERROR[folder], _COST_OUTPUTS[folder]

    def outcome(config: Config) -> Outcome:
        share, *rest = surrogate.predict(task, config, (accuracy, *costs))
        return Outcome((perfect - share, *rest))

    return Problem(
        name,
        surrogate.space,
        outcome,
        optimum=-_FRONTS[name].hypervolume,
        objectives=_COST_NAMES[folder],
        reference=_FRONTS[name].reference,
        source=SEARCHED,
    )


class _Surrogate:
    """A network that predicts every output for every task.

    Attributes:
        tasks: their names.
        space: the parameters without task and fidelities.
        full_fidelity: name -> full value.
    """

    def __init__(self, description: dict[str, Any], codes: dict[str, dict[str, int]], model: Path) -> None:
        runtime = import_library("onnxruntime", "A surrogate of YAHPO needs ONNX Runtime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._description, self._codes = description, codes
        self._outputs = [output["name"] for output in description["outputs"]]
        self.tasks: list[str] = description["tasks"]
        self.full_fidelity: dict[str, float] = description["full_fidelity"]
        self.space = Space({name: _parameter(entry) for name, entry in description["parameters"].items()})

    def predict(
        self, task: str, config: Config, outputs: Sequence[str], fidelity: Mapping[str, float] | None = None
    ) -> list[float]:
        """These outputs for a config; inactive parameters are given as the source gives them, 0 or ``#na#``."""
        source = self._description
        row = {**config, **(fidelity or self.full_fidelity), source["task_parameter"]: task}
        choices = [self._codes[name][str(row.get(name, "#na#"))] for name in source["input_cat"]]
        numbers = [float(row.get(name, 0.0)) for name in source["input_cont"]]
        first, second = (entry.name for entry in self._session.get_inputs())
        inputs = {first: np.array([choices], dtype=np.int32), second: np.array([numbers], dtype=np.float32)}
        row_of_outputs = self._session.run(None, inputs)[0][0]
        return [float(row_of_outputs[self._outputs.index(output)]) for output in outputs]


@cache
def _read(description: Path, codes: Path, model: Path) -> _Surrogate:
    return _Surrogate(json.loads(description.read_text()), json.loads(codes.read_text()), model)


def _parameter(entry: dict[str, Any]) -> Parameter:
    when = entry.get("when", {})
    if entry["type"] == "categorical":
        return Categorical(entry["choices"], when=when)
    make = Int if entry["type"] == "int" else Float
    return make(entry["low"], entry["high"], log=entry["log"], when=when)

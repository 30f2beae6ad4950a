"""The whole question in one study: three objectives, two limits, a conditional space, pruning, crashes, and kills."""

import inspect
import json
import re
import sys

import numpy as np
from faults.processes import wait_until
from faults.study import Study, section
from optuna.trial import TrialState
from support.several_objectives import DIRECTIONS, LIMITS, N_STEPS, Crash, program

from auger import pareto

N_TRIALS = 14
SPACE = {
    "model": {"type": "categorical", "choices": ["tree", "net"]},
    "depth": {"type": "int", "low": 1, "high": 12, "when": {"model": "tree"}},
    "rate": {"type": "float", "low": 1e-3, "high": 1.0, "log": True, "when": {"model": "net"}},
    "width": {"type": "ordinal", "choices": [16, 32, 64, 128, 256], "when": {"model": "net"}},
    "share": {"type": "float", "low": 0.1, "high": 1.0},
}
MAIN = """
config = json.loads(os.environ["AUGER_CONFIG"])
for step in range(1, N_STEPS + 1):
    printed = program(config, step)
    time.sleep(0.02)
    print(json.dumps({"epoch": step, **{name: printed[name] for name in ("error", "speed", "size")}}), flush=True)
print(json.dumps({name: printed[name] for name in ("memory_mb", "heat")}))
"""


def write_program(folder):
    """The program that every door runs, as a script without auger."""
    parts = [
        "import json, os, time, zlib",
        f"N_STEPS = {N_STEPS}",
        inspect.getsource(Crash),
        inspect.getsource(program),
        MAIN,
    ]
    (folder / "program.py").write_text("\n\n".join(parts))


def outcome(config):
    try:
        return program(config)
    except Crash:
        return None


def test_a_study_of_all_that_there_is_survives_its_workers(scene, storage):
    """Two processes of two workers are killed twice; what is stored is what the program says."""
    write_program(scene.folder)
    study = Study.write(
        scene.folder,
        [sys.executable, "-S", "-E", "program.py"],
        SPACE,
        storage=storage,
        command={"config": True},
        direction=None,
        objectives=DIRECTIONS,
        constraints=LIMITS,
        recipe="auto",
        pruner="auger",
        trials=N_TRIALS,
        workers=2,
        retries=10,
    )
    with study.path.open("a") as file:
        file.write("\n".join(section("report", {"read": "json", "step": "epoch"})))
    for n_least in (3, 7):
        tune = scene.start("tune", study.path)
        tune.wait_for(lambda: n_finished(study) >= 1, "a trial has ended")
        worker = scene.start("worker", study.address, study.name, "--workers", 2)
        scene.wait_for(lambda n=n_least: n_finished(study) >= n, "some more have")
        tune.kill()
        worker.kill()
        wait_until(lambda: not scene.left(), "all of it is gone")
    scene.run("tune", study.path)

    # without those that were interrupted, and those that were one too many and never run
    trials = [trial for trial in study.trials() if not trial.user_attrs.keys() & {"auger:died", "auger:surplus"}]
    assert len(trials) == N_TRIALS
    assert {trial.state for trial in trials} <= {TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL}
    assert all((trial.state is TrialState.FAIL) == (outcome(trial.params) is None) for trial in trials)
    for trial in trials:
        if trial.state is TrialState.COMPLETE:
            expected = outcome(trial.params)
            assert trial.values == [expected[name] for name in DIRECTIONS]
            assert trial.constraints == {"heat": expected["heat"] - 60, "memory_mb": expected["memory_mb"] - 300}
    complete = [t for t in trials if t.state is TrialState.COMPLETE and max(t.constraints.values()) <= 0]
    signs = [1 if direction == "minimize" else -1 for direction in DIRECTIONS.values()]
    losses = [[sign * value for sign, value in zip(signs, t.values, strict=True)] for t in complete]
    on_front = [t.number for t, is_on in zip(complete, pareto.front(np.array(losses)), strict=True) if is_on]
    shown = json.loads(scene.run("best", study.path, "--front", "--json").stdout)
    assert sorted(member["number"] for member in shown["front"]) == on_front
    scene.run("report", study.path)
    page = study.path.with_suffix(".html").read_text(encoding="utf-8")
    assert re.findall(r"(\d+) of \d+ feasible trials? (?:is|are) on the front", page) == [str(len(on_front))]


def n_finished(study):
    try:
        return sum(trial.state.is_finished() for trial in study.trials())
    except (KeyError, OSError):  # not there yet
        return 0

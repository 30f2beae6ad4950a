"""One study with several objectives, outcome constraints, a conditional space and crashes, for every door."""

import zlib
from dataclasses import dataclass

from auger import Categorical, Float, Int, Optimizer, Ordinal, Space

SPACE = Space(
    {
        "model": Categorical(["tree", "net"]),
        "depth": Int(1, 12, when={"model": "tree"}),
        "rate": Float(1e-3, 1.0, log=True, when={"model": "net"}),
        "width": Ordinal([16, 32, 64, 128, 256], when={"model": "net"}),
        "share": Float(0.1, 1.0),
    }
)
DIRECTIONS = {"error": "minimize", "speed": "maximize", "size": "minimize"}
LIMITS = {"heat": "<= 60", "memory_mb": "<= 300"}  # in order of their names, as Optuna's are learned
N_TRIALS = 36
N_STEPS = 6


class Crash(RuntimeError):
    """What the program raises for one configuration of five."""


@dataclass(frozen=True)
class Run:
    """What came out of a study behind one door.

    Attributes:
        configs: as suggested, in order.
        states: of the trials.
        front: the numbers of the trials that no other beats.
        values: of the front, by the names of the objectives.
    """

    configs: list
    states: list
    front: list
    values: list

    @property
    def n_failed(self):
        return self.states.count("failed")


def program(config, step=N_STEPS):
    """What the program prints after a step: the objectives, and what is limited."""
    if zlib.crc32(repr(sorted(config.items())).encode()) % 5 == 0:
        raise Crash("out of luck")
    if config["model"] == "tree":
        error, size = 0.1 + abs(config["depth"] - 7) / 20, config["depth"] * 20.0
    else:
        error, size = 0.05 + abs(config["rate"] - 0.05) + 4 / config["width"], config["width"] * 2.0
    error += (1 - config["share"]) / 5
    return {
        "error": error + 0.5 / step,
        "speed": 100 * (1.3 - config["share"]) / (1 + size / 100) - 2 / step,
        "size": size,
        "memory_mb": size * config["share"],
        "heat": 10 + 80 * config["share"],
    }


def objectives_of(printed):
    return {name: printed[name] for name in DIRECTIONS}


def constraints_of(printed):
    return [printed["heat"] - 60, printed["memory_mb"] - 300]


def native(folder, *, is_limited=True, is_pruned=True, space=SPACE, n=N_TRIALS):
    """The study in Python, saved and loaded in the middle; the other doors must say the same."""
    optimizer, path = Optimizer(space, directions=DIRECTIONS, seed=0), folder / "run.json"
    for i in range(n):
        if i == n // 2:
            optimizer.save(path)
            optimizer = Optimizer.load(path)
        trial = optimizer.ask()
        try:
            stops = False
            for step in range(1, N_STEPS + 1):
                printed = program(trial.config, step)
                if is_pruned:
                    optimizer.report(trial, step, objectives_of(printed))
                    stops = step < N_STEPS and optimizer.should_prune(trial)
                if stops:
                    break
        except Crash as crash:
            optimizer.tell(trial, error=crash)
            continue
        limits = constraints_of(printed) if is_limited else ()
        optimizer.tell(trial, objectives_of(printed), pruned=stops, constraints=limits)
    return run_of(optimizer)


def run_of(optimizer):
    """What an Optimizer has to say of a study."""
    return Run(
        [trial.config for trial in optimizer.trials],
        [trial.state.value for trial in optimizer.trials],
        [trial.number for trial in optimizer.front],
        [dict(zip(DIRECTIONS, trial.values, strict=True)) for trial in optimizer.front],
    )

"""Runs with several objectives whose fronts are known by hand."""

import numpy as np

from auger import Categorical, Float, History, Int, Space
from auger.objectives import as_objectives
from auger.provenance import Origin, Provenance
from auger.trial import State, Trial

SPACE = Space({"x": Float(0.0, 1.0)})


def run_of(values, directions=None, *, constraints=(), reference=None, space=SPACE):
    """A history with these values, in the user's own sign; None is a failed trial."""
    n = next((len(own) for own in values if own is not None), 2)
    objectives = as_objectives(directions or {f"f{j}": "minimize" for j in range(n)}, reference)
    rows = space.decode(space.sample(len(values), np.random.default_rng(0))) if len(values) else []
    trials = [
        Trial(i, config, State.FAILED, error="crashed")
        if own is None
        else Trial(i, config, State.COMPLETE, objectives.minimized(own), constraints[i] if i < len(constraints) else ())
        for i, (config, own) in enumerate(zip(rows, values, strict=True))
    ]
    return History(space, trials, objectives=objectives)


#: loss and seconds are minimized: trials 1, 2 and 0 are the front, 3 is beaten by 1 and 2, 4 by all of them.
LINE = [(0.5, 1.0), (0.1, 9.0), (0.2, 4.0), (0.25, 9.0), (0.9, 9.5)]
LINE_OBJECTIVES = {"loss": "minimize", "seconds": "minimize"}

_NET = Space(
    {
        "lr": Float(1e-5, 1e-1, log=True),
        "layers": Int(1, 12),
        "width": Int(8, 1024, log=True),
        "act": Categorical(["relu", "tanh", "gelu"]),
        "dropout": Float(0.0, 0.6),
    }
)
_NET_OBJECTIVES = {
    "error": "minimize",
    "seconds": "minimize",
    "accuracy": "maximize",
    "memory": "minimize",
    "watts": "minimize",
}


def nets(n=300, k=3, *, n_constraints=2, seed=0):
    """Networks: the error falls with their size, and time and memory grow. A 23rd fails, some break a constraint."""
    objectives = as_objectives(dict(list(_NET_OBJECTIVES.items())[:k]))
    rng = np.random.default_rng(seed)
    trials = []
    for i, config in enumerate(_NET.decode(_NET.sample(n, rng))):
        size, noise = config["layers"] * config["width"], rng.random(5)
        error = 0.05 + 0.3 / np.log2(2 + size) + 0.02 * (np.log10(config["lr"]) + 3) ** 2
        error += 0.1 * abs(config["dropout"] - 0.2) + 0.01 * noise[0]
        seconds = 1 + 0.01 * size**0.8 * (1.3 if config["act"] == "gelu" else 1.0) + 0.1 * noise[1]
        memory = size / 100 + 10 * config["layers"] ** 0.5
        values = [error, seconds, 1 - error**2 - 0.05 * noise[2], memory, 3 * seconds + memory * noise[3]][:k]
        origin = Provenance(Origin.MODEL, "auto, trees", 0.5, n_answers=i)
        if i % 23 == 7:
            trials.append(Trial(i, config, State.FAILED, provenance=origin, error=f"out of memory: {i} MB"))
        else:
            limits = (memory - 60, seconds - 25)[:n_constraints]
            trials.append(Trial(i, config, State.COMPLETE, objectives.minimized(values), limits, origin))
    return History(_NET, trials, objectives=objectives)

"""Studies to report: small, large, busy, meaningless, conditional, failing, with several objectives, empty, hostile."""

import math
import warnings
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial
from support.fronts import nets
from support.studies import complete, failed, new_study

from auger import Categorical, Float, History, Int, Optimizer, Space
from auger.hosts.optuna.trials import attributes_of
from auger.objectives import as_objectives
from auger.provenance import Origin, Provenance
from auger.schema import FAILED, WORKER
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.trial import State, Trial
from auger.view import view

START = datetime(2026, 1, 5, 9, 0, 0)

#: What must be shown as text, wherever a user can put it.
EVIL = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "</script><script>alert(3)</script>",
    '"><svg onload=alert(4)>',
    "<a href='javascript:alert(5)'>link</a>",
    "${alert(6)} {{7*7}} \u2028\u2029 &lt;b&gt; %{x} \x1b[35m\x01\x7f\x9b\u202e\u2066\u200b\ufeff\ud800",
)


def small(folder, n=16):
    """A study of `auger tune`, with a command, defaults, a failure and a running trial."""
    study = new_study(folder, defaults={"x": 0.9, "kind": "b"}, trials=n + 1)
    coordinator = Coordinator(study, new_owner())
    for i in range(n):
        assignment = coordinator.ask(f"question {i}")
        x = assignment.trial.config["x"]
        coordinator.tell(
            assignment, failed("exit code 3: out of memory") if i == 5 else complete((x - 0.3) ** 2 + 0.01)
        )
    coordinator.ask("last")
    return study


def _trial(params, space, value=None, *, state=TrialState.COMPLETE, i=0, seconds=2.0, **more):
    start = START + timedelta(seconds=2 * i)
    if value is not None:
        more["values"] = list(value) if isinstance(value, tuple) else [value]
    trial = create_trial(params=params, distributions={name: space[name] for name in params}, state=state, **more)
    trial.datetime_start, trial.datetime_complete = start, start + timedelta(seconds=seconds)
    return trial


def study_of(trials, *, name="run", directions=("minimize",)):
    study = optuna.create_study(study_name=name, directions=list(directions))
    study.add_trials(trials)
    return study


def large(n=10_000):
    """Somebody else's study of many trials."""
    space = {f"p{i}": FloatDistribution(1e-3, 1e3, log=True) for i in range(6)}
    space |= {"layers": IntDistribution(1, 12), "kind": CategoricalDistribution(["relu", "tanh", "gelu"])}
    rng = np.random.default_rng(0)
    trials = []
    for i in range(n):
        params = {f"p{j}": float(10 ** rng.uniform(-3, 3)) for j in range(6)}
        params |= {"layers": int(rng.integers(1, 13)), "kind": ["relu", "tanh", "gelu"][rng.integers(3)]}
        value = sum(abs(math.log10(params[f"p{j}"]) - j / 3) for j in range(3)) + abs(params["layers"] - 4) / 4
        if i % 50 == 7:
            trials.append(_trial(params, space, state=TrialState.FAIL, i=i))
        elif i % 40 == 9:
            trials.append(_trial(params, space, state=TrialState.PRUNED, i=i, intermediate_values={0: 3.0, 1: 2.5}))
        else:
            trials.append(_trial(params, space, value, i=i))
    return study_of(trials, name="large")


def busy(n=60):
    """Everything at once: two processes with two trials each, conditions, pruned and failed trials, two models."""
    space = {
        "lr": FloatDistribution(1e-5, 1e-1, log=True),
        "depth": IntDistribution(1, 12),
        "optimizer": CategoricalDistribution(["adam", "sgd"]),
        "momentum": FloatDistribution(0.0, 0.99),
        "dropout": FloatDistribution(0.0, 0.6),
    }
    rng = np.random.default_rng(4)
    trials = []
    for i in range(n):
        spread = max(1.0 / (1 + i / 30), 0.25)  # a search that learns
        lr = float(10 ** np.clip(rng.normal(-3, 1.2 * spread), -5, -1))
        params = {"lr": lr, "depth": int(np.clip(rng.normal(6, 4 * spread), 1, 12).round())}
        params |= {
            "optimizer": "adam" if rng.uniform() > 0.5 * spread else "sgd",
            "dropout": float(rng.uniform(0, 0.6)),
        }
        if params["optimizer"] == "sgd":
            params["momentum"] = float(rng.uniform(0, 0.99))
        value = 0.1 + 0.2 * (math.log10(lr) + 3) ** 2 + 0.02 * (params["depth"] - 6) ** 2
        value += 0.3 * abs(params.get("momentum", 0.6) - 0.9)
        trials.append(_busy_trial(i, params, space, value))
    return study_of(trials, name="busy")


def _busy_trial(i, params, space, value):
    """A trial that is one of four at work: the third of ten is pruned at step 1, every tenth fails, others complete."""
    steps = {step: value * (1 + 3 / (step + 1)) for step in range(4)}
    is_early = i < 10
    origin = Provenance(
        Origin.INITIAL if is_early else Origin.MODEL,
        "" if is_early else ("auto, Gaussian process", "auto, trees")[i % 2],
        None if is_early else 0.5 + 0.01 * (i % 40),
        n_answers=i,
        n_initial=10 if is_early else None,
        sobol_point=i if is_early else None,
        notes=("the best of 2,000 candidates was tried before, so this is the second best",) if i % 9 == 8 else (),
    )
    worker = {"host": "node", "machine": "m", "process": 100 + i % 2, "started": 0, "worker": "w", "token": str(i)}
    more = {"system_attrs": attributes_of(origin), "user_attrs": {WORKER: worker}, "i": i, "seconds": 7.0}
    if i % 10 == 9:
        ending = {"error": f"exit code 1: loss is nan at step {i}", "exit_code": 1, "seconds": 3.0}
        more["user_attrs"] = {WORKER: worker, FAILED: ending}
        return _trial(params, space, state=TrialState.FAIL, **more)
    if i % 10 == 2 or value > 2:
        early = {step: steps[step] for step in (0, 1)}
        return _trial(params, space, state=TrialState.PRUNED, intermediate_values=early, **more)
    return _trial(params, space, value, intermediate_values=steps, **more)


def meaningless(n=30):
    """Values that no parameter has to do with."""
    space = {f"p{i}": FloatDistribution(0, 1) for i in range(5)}
    rng = np.random.default_rng(5)
    trials = [_trial({name: float(rng.uniform()) for name in space}, space, float(rng.normal()), i=i) for i in range(n)]
    return study_of(trials, name="meaningless")


def noisy():
    """The best expected value is not the best value."""
    optimizer, rng = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0), np.random.default_rng(0)
    for _ in range(40):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial.config["x"] - 0.5) ** 2 + 0.2 * rng.normal())
    return optimizer


def conditional():
    """Parameters that exist for some trials only."""
    space = {
        "model": CategoricalDistribution(["svm", "forest", None]),
        "C": FloatDistribution(1e-3, 1e3, log=True),
        "trees": IntDistribution(10, 200),
    }
    rng = np.random.default_rng(1)
    trials = []
    for i in range(60):
        model = ["svm", "forest", None][i % 3]
        params = {"model": model}
        if model == "svm":
            params["C"] = float(10 ** rng.uniform(-3, 3))
        elif model == "forest":
            params["trees"] = int(rng.integers(10, 201))
        value = {"svm": abs(math.log10(params.get("C", 1))), "forest": params.get("trees", 0) / 100, None: 4.0}[model]
        steps = {step: value + 3 / (step + 1) for step in range(4)}
        trials.append(_trial(params, space, value, i=i, intermediate_values=steps))
    return study_of(trials, name="conditional", directions=("maximize",))


def failing(folder):
    """Three trials of four fail, for two reasons with other numbers each time."""
    study = new_study(folder, trials=40, recipe="tpe")
    coordinator = Coordinator(study, new_owner())
    for i in range(24):
        assignment = coordinator.ask(f"question {i}")
        if i % 4 == 0:
            coordinator.tell(assignment, complete(assignment.trial.config["x"]))
        else:
            reason = f"out of memory: {i * 17} MB of {i} at 0x{i:04x}" if i % 2 else f"loss is nan in step {i}"
            coordinator.tell(assignment, failed(f"exit code 1: {reason}"))
    return study


def two_objectives():
    space = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}
    rng = np.random.default_rng(2)
    trials = []
    for i in range(40):
        x, y = rng.uniform(size=2).tolist()
        trials.append(_trial({"x": x, "y": y}, space, (x + y / 4, 1 - x + y), i=i))
    return study_of(trials, name="two", directions=("minimize", "maximize"))


def several(n=90):
    """Three objectives and two constraints, one of which has a name."""
    return replace(view(nets(n)), name="several", named_constraints=("memory_mb <= 60",))


def evil_several():
    """Names of objectives and constraints, and choices, on which a careless page would choke."""
    script, image, end, svg, link, rest = EVIL
    space = Space({image: Float(0.0, 1.0), link: Categorical(list(EVIL))})
    objectives = as_objectives({script: "minimize", svg + rest: "maximize", end: "minimize"})
    rows = space.decode(space.sample(24, np.random.default_rng(3)))
    trials = [
        Trial(i, config, State.COMPLETE, (config[image], i / 24, -config[image]), (i / 24 - 0.5, -1.0))
        for i, config in enumerate(rows)
    ]
    run = view(History(space, trials, objectives=objectives))
    return replace(run, name=script + rest, named_constraints=(image, end + rest))


def empty():
    return study_of([], name="empty")


def evil():
    """Names, choices and values on which a careless page would choke."""
    script, image, end, svg, link, rest = EVIL
    space = {image: FloatDistribution(0, 1), link: CategoricalDistribution(list(EVIL)), svg: IntDistribution(0, 9)}
    rng = np.random.default_rng(3)
    trials = []
    for i in range(24):
        params = {image: float(rng.uniform()), link: EVIL[i % 6], svg: i % 10}
        attributes = {"auger:origin": "model", "auger:reason": f"{end}: score 0.5 from {script}"}
        trials.append(_trial(params, space, params[image], i=i, user_attrs=attributes))
    study = study_of(trials, name=script + rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.set_metric_names([svg])
    return study


def evil_study(folder):
    """The same in a study of our own, with errors."""
    space = Space({EVIL[1]: Float(0.0, 1.0), EVIL[3]: Categorical(list(EVIL)), EVIL[4]: Int(0, 5)})
    study = new_study(folder, name=EVIL[1], space=space, trials=20, recipe="tpe")
    coordinator = Coordinator(study, new_owner())
    for i in range(12):
        assignment = coordinator.ask(f"question {i}")
        value = assignment.trial.config[EVIL[1]]
        coordinator.tell(assignment, failed(EVIL[i % 6] * 3) if i % 2 else complete(value))
    return study

"""Studies to report: small, large, conditional, failing, with several objectives, empty, and with hostile names."""

import math
import warnings
from datetime import datetime, timedelta

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial
from support.studies import complete, failed, new_study

from auger import Categorical, Float, Int, Space
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner

START = datetime(2026, 1, 5, 9, 0, 0)

#: What must be shown as text, wherever a user can put it.
EVIL = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "</script><script>alert(3)</script>",
    '"><svg onload=alert(4)>',
    "<a href='javascript:alert(5)'>link</a>",
    "${alert(6)} {{7*7}} \u2028\u2029 &lt;b&gt; %{x}",
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

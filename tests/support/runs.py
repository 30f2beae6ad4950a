"""Runs of `Optimizer` and of Optuna with values of your choice, for tests of plots."""

import itertools
import math
from datetime import datetime, timedelta

import optuna
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from auger import Float, Int, Optimizer, Space
from auger.insight import view

optuna.logging.set_verbosity(optuna.logging.ERROR)

EVIL = (
    "<b>bold</b>",
    '<a href="javascript:alert(1)">x</a>',
    "<script>alert(1)</script>",
    "&lt;b&gt; & co",
    "%{x} %{customdata} %{meta[0]}",
    "two\nlines\r\n\tand a tab",
    "$\\alpha$ and $x$",
    "\u202eturned\u0000\ud800",
    "long " * 60,
)

SPACE = Space(
    {
        "kernel": ["rbf", "poly"],
        "degree": Int(2, 5, when={"kernel": "poly"}),
        "C": Float(1e-3, 1e3, log=True),
    }
)


def optimized(n=25, *, space=SPACE, value=None, seed=0):
    """A run of our own whose models are quick."""
    optimizer = Optimizer(space, "tpe", seed=seed)
    for number in range(n):
        trial = optimizer.ask()
        if value is None:
            optimizer.tell(trial, abs(math.log10(trial.config["C"])) + 0.001 * number)
        else:
            value(optimizer, trial)
    return optimizer


def told(*values):
    """A run of one parameter with these values; None is a failed trial."""
    optimizer = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0)
    for value, trial in zip(values, optimizer.ask(len(values)) if values else [], strict=True):
        optimizer.tell(trial, value) if value is not None else optimizer.tell(trial, error="crashed")
    return optimizer


def study_of(*trials, directions=("minimize",), names=None):
    """An Optuna study; a trial is a dict of what `create_trial` takes, with `at` and `took` in seconds."""
    study = optuna.create_study(directions=list(directions), study_name="study")
    x = FloatDistribution(0.0, 1.0)
    for number, given in enumerate(trials):
        settings = {"params": {"x": number / max(len(trials), 1)}, "distributions": {"x": x}, **given}
        at, took = settings.pop("at", None), settings.pop("took", None)
        trial = create_trial(**settings)
        trial.datetime_start = datetime(2026, 1, 1) + timedelta(seconds=number if at is None else at)
        done = trial.state.is_finished()
        trial.datetime_complete = trial.datetime_start + timedelta(seconds=took or 1.0) if done else None
        study.add_trial(trial)
    return study


def pruned(steps, **more):
    return {"state": TrialState.PRUNED, "intermediate_values": steps, **more}


FAILED = {"state": TrialState.FAIL}
RUNNING = {"state": TrialState.RUNNING}


def two_objectives(n=20):
    grid = itertools.islice(itertools.product(range(5), repeat=2), n)
    return study_of(*({"values": [a, b]} for a, b in grid), directions=("minimize", "maximize"))


def arguments(name, source):
    """What else a plot wants, taken from the run itself."""
    made = view(source).history
    names = ["x", "y"] if made is None else [*made.space.names, *made.space.names]
    return {"slice_of_good": names[:1], "surface": names[:2]}.get(name, [])

"""Small studies in a storage, and outcomes of their trials."""

import dataclasses

import optuna

from auger import Float, Space
from auger.objectives import as_objectives
from auger.studies.definition import Command, Definition
from auger.studies.storage import open_storage
from auger.studies.study import open_study
from auger.studies.trial import Outcome
from auger.trial import State

optuna.logging.set_verbosity(optuna.logging.ERROR)

SPACE = Space({"x": Float(0.0, 1.0), "kind": ["a", "b"]})


def definition(folder, **changes):
    """A study whose program prints a number."""
    if "direction" in changes:
        changes["objectives"] = as_objectives(changes.pop("direction"))
    made = Definition(
        name="study",
        space=SPACE,
        command=Command(run=("echo", "0.5"), config=True),
        storage=str(folder / "study.journal"),
        home=str(folder),
        folder="trials",
        trials=4,
        seed=0,
    )
    return dataclasses.replace(made, **changes)


def new_study(folder, **changes):
    made = definition(folder, **changes)
    return open_study(made, open_storage(made.storage, folder=folder))


def complete(value):
    return Outcome(State.COMPLETE, value, None, 0.5, 0)


def failed(error="exit code 1"):
    return Outcome(State.FAILED, None, error, 0.5, 1)


STOPPED = Outcome(State.STOPPED, None, "stopped", 0.5, -15)

"""Trials as Optuna stores them, and the Trials that they must be translated to: one table for all doors."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from optuna.trial import FrozenTrial, TrialState, create_trial

from auger import Float, Space
from auger.hosts.optuna.parameters import columns_of
from auger.provenance import Origin, Provenance
from auger.trial import State, Trial

SPACE = Space({"x": Float(0.0, 1.0), "size": [(16, 8), (8,)]})

#: One configuration, in the user's own values and in Optuna's, which no storage could hold as a tuple.
CONFIG = {"x": 0.25, "size": (16, 8)}
PARAMS = {"x": 0.25, "size": "[16, 8]"}

START = datetime(2026, 1, 5, 9, 0, 0)
END = START + timedelta(seconds=2)
MODEL = Provenance(Origin.MODEL, "auto, trees", 0.5, 12, notes=("a note",))
MODEL_STORED = {
    "auger:origin": "model",
    "auger:provenance": {"model": "auto, trees", "score": 0.5, "n_answers": 12, "notes": ["a note"]},
}
OTHER = Provenance(Origin.OTHER)
OWNER = {"host": "box", "machine": "m", "process": 4711, "started": "1", "worker": "0f3a9c1e", "token": "t"}


def _ending(error, exit_code, seconds):
    return {"error": error, "exit_code": exit_code, "seconds": seconds}


@dataclass(frozen=True)
class Case:
    """A stored trial and its translation.

    Attributes:
        name: of the case.
        stored: arguments of `create_trial`, beside params and distributions.
        trial: the expected Trial, numbered 0, with the user's own values.
        is_answer: whether something is to be learned from it.
        directions: of the study.
    """

    name: str
    stored: dict[str, Any]
    trial: Trial
    is_answer: bool = True
    directions: tuple[str, ...] = ("minimize",)

    def __str__(self) -> str:
        return self.name

    @property
    def frozen(self) -> FrozenTrial:
        """The trial as Optuna has it."""
        params = PARAMS if self.trial.config else {}
        columns = columns_of(SPACE)
        frozen = create_trial(params=params, distributions={n: columns[n].distribution for n in params}, **self.stored)
        frozen.number = 0
        frozen.datetime_start, frozen.datetime_complete = self.trial.started, self.trial.finished
        return frozen


def _case(name, stored, *fields, is_answer=True, directions=("minimize",), config=CONFIG, **more):
    """A case; the trial began at START and ended at END after 2 s, unless `more` says otherwise."""
    trial = Trial(0, config, *fields, **{"started": START, "finished": END, "cost": 2.0, "provenance": OTHER, **more})
    return Case(name, stored, trial, is_answer, directions)


FAIL, PRUNED = TrialState.FAIL, TrialState.PRUNED

CASES = (
    _case(
        "complete",
        {"value": 0.5, "system_attrs": MODEL_STORED, "user_attrs": {"auger:worker": OWNER, "auger:beat": 3}},
        State.COMPLETE,
        (0.5,),
        provenance=MODEL,
        worker="process 4711 on box",
    ),
    _case("infinite", {"value": math.inf}, State.COMPLETE, (math.inf,)),
    _case(
        "pruned with reports",
        {"state": PRUNED, "value": 0.25, "intermediate_values": {1: 0.5, 3: 0.25}, "system_attrs": MODEL_STORED},
        State.PRUNED,
        (0.25,),
        intermediate_values=((1, 0.5), (3, 0.25)),
        provenance=MODEL,
    ),
    _case(
        "pruned with reports only",
        {"state": PRUNED, "intermediate_values": {3: 0.25, 1: 0.5}},
        State.PRUNED,
        (0.25,),
        intermediate_values=((1, 0.5), (3, 0.25)),
    ),
    _case("pruned without reports", {"state": PRUNED}, State.PRUNED),
    _case(
        "failed",
        {
            "state": FAIL,
            "system_attrs": MODEL_STORED,
            "user_attrs": {"auger:failed": _ending("exit code 3: no", 3, 0.021)},
        },
        State.FAILED,
        provenance=MODEL,
        error="exit code 3: no",
        cost=0.021,
    ),
    _case("failed in another program", {"state": FAIL}, State.FAILED),
    _case(
        "died",
        {"state": FAIL, "user_attrs": {"auger:died": _ending("its worker died", None, 0.0)}},
        State.DIED,
        is_answer=False,
        error="its worker died",
        cost=0.0,
    ),
    _case(
        "stopped",
        {"state": FAIL, "user_attrs": {"auger:stopped": _ending("stopped", -15, 1.2)}},
        State.STOPPED,
        is_answer=False,
        error="stopped",
        cost=1.2,
    ),
    _case(
        "late",
        {"value": 0.5, "user_attrs": {"auger:late": _ending(None, 0, 0.4)}},
        State.COMPLETE,
        (0.5,),
        cost=0.4,
    ),
    _case(
        "late and pruned",
        {
            "state": PRUNED,
            "value": 0.5,
            "intermediate_values": {1: 0.5},
            "user_attrs": {"auger:late": _ending(None, 0, 0.4)},
        },
        State.PRUNED,
        (0.5,),
        intermediate_values=((1, 0.5),),
        cost=0.4,
    ),
    _case(
        "told and given up at the same time",
        {"value": 0.5, "user_attrs": {"auger:died": _ending("its worker died", None, 0.0)}},
        State.COMPLETE,
        (0.5,),
    ),
    _case(
        "surplus",
        {"state": FAIL, "system_attrs": MODEL_STORED, "user_attrs": {"auger:surplus": True}},
        State.FAILED,
        is_answer=False,
        provenance=MODEL,
    ),
    _case(
        "running",
        {
            "state": TrialState.RUNNING,
            "intermediate_values": {1: math.nan},
            "system_attrs": MODEL_STORED,
            "user_attrs": {"auger:worker": OWNER, "auger:retry_of": 99},
        },
        State.RUNNING,
        is_answer=False,
        intermediate_values=((1, math.nan),),
        provenance=MODEL,
        worker="process 4711 on box",
        finished=None,
        cost=None,
    ),
    _case(
        "waiting",
        {"state": TrialState.WAITING, "system_attrs": {"fixed_params": {"x": 0.25}}},
        State.WAITING,
        is_answer=False,
        config={},
        provenance=Provenance(notes=("enqueued",)),
        started=None,
        finished=None,
        cost=None,
    ),
    _case(
        "imported",
        {
            "value": 0.5,
            "user_attrs": {"auger:imported": "results.csv"},
            "system_attrs": {
                "auger:origin": "given",
                "auger:provenance": {"notes": ["imported from results.csv"]},
            },
        },
        State.COMPLETE,
        (0.5,),
        provenance=Provenance(notes=("imported from results.csv",)),
        cost=None,
    ),
    _case(
        "infeasible",
        {"value": 0.5, "system_attrs": {"constraints": (-1.0, 0.5)}},
        State.COMPLETE,
        (0.5,),
        (-1.0, 0.5),
    ),
    _case(
        "NaN constraint",
        {"value": 0.5, "system_attrs": {"constraints": (math.nan,)}},
        State.COMPLETE,
        (0.5,),
        (math.inf,),
    ),
    _case(
        "maximized",
        {"value": 3.0, "intermediate_values": {1: 2.0}},
        State.COMPLETE,
        (-3.0,),
        directions=("maximize",),
        intermediate_values=((1, -2.0),),
    ),
    _case(
        "maximized and pruned",
        {"state": PRUNED, "intermediate_values": {1: 2.0, 2: -4.0}},
        State.PRUNED,
        (4.0,),
        directions=("maximize",),
        intermediate_values=((1, -2.0), (2, 4.0)),
    ),
    _case(
        "several objectives",
        {"values": [1.0, 2.0]},
        State.COMPLETE,
        (1.0, -2.0),
        directions=("minimize", "maximize"),
    ),
    _case(
        "user attributes of a version before 0.2",
        {"value": 0.5, "user_attrs": MODEL_STORED},
        State.COMPLETE,
        (0.5,),
        provenance=MODEL,
    ),
    _case(
        "sentence of version 0.1 about a model",
        {
            "value": 0.5,
            "user_attrs": {
                "auger:origin": "model",
                "auger:reason": "auto, trees: score 2.51 from 23 answers; one note; another",
            },
        },
        State.COMPLETE,
        (0.5,),
        provenance=Provenance(Origin.MODEL, "auto, trees", 2.51, 23, notes=("one note; another",)),
    ),
    _case(
        "other sentence of version 0.1",
        {
            "state": FAIL,
            "user_attrs": {
                "auger:origin": "initial",
                "auger:reason": "Sobol point 3: 3 of 10 answers in, no fit yet",
                "auger:failed": _ending("exit code 1", 1, 0.5),
            },
        },
        State.FAILED,
        provenance=Provenance(Origin.INITIAL, notes=("Sobol point 3: 3 of 10 answers in, no fit yet",)),
        error="exit code 1",
        cost=0.5,
    ),
    _case(
        "foreign",
        {"value": 0.5, "user_attrs": {"auger": 1, "note": "mine"}},
        State.COMPLETE,
        (0.5,),
        attributes={"auger": 1, "note": "mine"},
    ),
)

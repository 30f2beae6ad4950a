"""Optuna's trials as ours: the only place that translates a FrozenTrial, and what `auger.schema` says it may hold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from optuna.study import Study
from optuna.study._constrained_optimization import _CONSTRAINTS_KEY
from optuna.trial import FrozenTrial, TrialState

from auger import schema, text
from auger.checks import is_number, is_whole
from auger.objectives import Direction, Objectives
from auger.old_formats import provenance_of_user_attributes
from auger.provenance import Origin, Provenance
from auger.trial import State, Trial
from auger.types import Config

# Seconds that no trial takes: thirty years.
_LONGEST = 1e9

_STATES = {
    TrialState.WAITING: State.WAITING,
    TrialState.RUNNING: State.RUNNING,
    TrialState.COMPLETE: State.COMPLETE,
    TrialState.PRUNED: State.PRUNED,
    TrialState.FAIL: State.FAILED,
}


def objectives_of(study: Study) -> Objectives:
    """The objectives of a study, by the names that it has for them if there are several.

    Names are read from the storage, and a part of a study, which pruners see, has none.
    """
    directions = tuple(Direction(direction.name.lower()) for direction in study.directions)
    names = getattr(study, "metric_names", None) if len(directions) > 1 else None
    return Objectives(directions, tuple(names or ()))


def trial_of(
    frozen: FrozenTrial,
    objectives: Objectives,
    *,
    number: int | None = None,
    config: Config | None = None,
    constraints: Sequence[str] | None = None,
) -> Trial:
    """A trial as it is known everywhere.

    Args:
        frozen: as Optuna has it.
        objectives: of its study.
        number: another one than in its study.
        config: another one than Optuna's params: the user's own values behind them.
        constraints: the names of the outcome constraints of the study, in order; None for those of the trial. One that
            a constrained trial does not have is satisfied, and minus infinity: nothing else is known of it.
    """
    attributes, start, end = frozen.user_attrs, frozen.datetime_start, frozen.datetime_complete
    facts = ending(frozen)
    seconds = None
    if start and end and schema.IMPORTED not in attributes:
        seconds = max((end - start).total_seconds(), 0.0)  # the clock may have been set back
    return Trial(
        frozen.number if number is None else number,
        frozen.params if config is None else config,
        state_of(frozen),
        _values(frozen, objectives),
        _constraints(frozen, constraints),
        provenance_of(frozen),
        facts.get("error") and text.mask(str(facts["error"])),  # an earlier version stored it as it came
        _steps(frozen, objectives),
        facts.get("seconds", seconds),
        _worker(attributes.get(schema.WORKER)),
        start,
        end,
        {name: value for name, value in attributes.items() if not name.startswith(schema.PREFIX)},
        runs=tuple(float(objectives.signs[0] * row[0]) for row in runs_of(frozen)) if len(objectives) == 1 else (),
    )


def state_of(frozen: FrozenTrial) -> State:
    """Where a trial stands. One that Optuna knows as failed may have died, or was stopped."""
    if frozen.state is TrialState.FAIL:
        for name, state in ((schema.DIED, State.DIED), (schema.STOPPED, State.STOPPED)):
            if name in frozen.user_attrs:
                return state
    return _STATES[frozen.state]


def has_answer(frozen: FrozenTrial, forgotten: int = 0) -> bool:
    """Whether there is something to learn from a finished trial: it was run, and to an end that is not forgotten."""
    is_answer = state_of(frozen).is_answer and schema.SURPLUS not in frozen.user_attrs
    return is_answer and not is_forgotten(frozen, forgotten)


def is_forgotten(frozen: FrozenTrial, forgotten: int) -> bool:
    """Whether a trial is a failure that does not count any more: one with a number below ``forgotten``."""
    return frozen.number < forgotten and state_of(frozen) is State.FAILED


def ending(frozen: FrozenTrial) -> dict[str, Any]:
    """What `auger tune` stored about the end of a trial: error, exit_code, seconds; empty where it stored nothing.

    What is null, or no such thing, is left out: another program may have stored it.
    """
    if not frozen.user_attrs:
        return {}
    failures = (schema.DIED, schema.STOPPED, schema.FAILED)
    for name in failures if frozen.state is TrialState.FAIL else (schema.LATE,):
        facts = frozen.user_attrs.get(name)
        if isinstance(facts, dict):
            return {name: facts[name] for name, is_right in _FACTS.items() if is_right(facts.get(name))}
    return {}


def is_duration(value: Any) -> bool:
    """Whether it is a number of seconds that a trial may take."""
    return is_number(value) and bool(0.0 <= value < _LONGEST)


_FACTS: dict[str, Callable[[Any], bool]] = {
    "error": lambda error: isinstance(error, str),
    "exit_code": is_whole,
    "seconds": is_duration,
}


def runs_of(frozen: FrozenTrial) -> tuple[tuple[float, ...], ...]:
    """The numbers of each run of a trial that has ended, in the user's own sign; empty for a trial of a single run.

    They are the values, and then what the program gave for each outcome constraint.
    """
    runs = frozen.user_attrs.get(schema.RUNS)
    with suppress(TypeError, ValueError, OverflowError):  # of another program
        rows = [run if isinstance(run, list) else [run] for run in runs] if isinstance(runs, (list, tuple)) else []
        return tuple(tuple(map(float, row)) for row in rows) if all(rows) else ()
    return ()


def constraint_attributes(constraints: Mapping[str, float]) -> dict[str, float]:
    """Outcome constraints, each satisfied when <= 0, as the system attributes where Optuna's own samplers read them."""
    return {f"{_CONSTRAINTS_KEY}:{name}": excess for name, excess in constraints.items()}


def sorted_constraints(names: Iterable[str]) -> list[str]:
    """Names of outcome constraints in one order, since a database has them in any.

    Numbers come first, which the constraints of a function have in place of names, by their value.
    """
    return sorted(names, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))


def provenance_of(frozen: FrozenTrial) -> Provenance:
    """Where a trial came from."""
    attributes = frozen.system_attrs
    if schema.ORIGIN in attributes:
        with suppress(ValueError, TypeError, AttributeError, OverflowError):  # of another program, or a later version
            return Provenance.from_json(attributes[schema.ORIGIN], attributes.get(schema.PROVENANCE, {}))
        return Provenance(Origin.OTHER)
    old = provenance_of_user_attributes(frozen.user_attrs)
    if old is not None:
        return old
    if "fixed_params" in frozen.system_attrs:
        return Provenance(notes=("enqueued",))
    return Provenance(Origin.OTHER)


def attributes_of(provenance: Provenance) -> dict[str, Any]:
    """A provenance as system attributes of a trial; the last notes are left out where a storage could not hold all."""
    data = provenance.to_json()
    while data.get("notes") and len(json.dumps(data)) > schema.MAX_TEXT:
        data["notes"].pop()
    return {schema.ORIGIN: provenance.origin.value, schema.PROVENANCE: data}


def _constraints(frozen: FrozenTrial, names: Sequence[str] | None) -> tuple[float, ...]:
    by_name = frozen.constraints
    if not by_name:
        return ()
    values = [by_name.get(name, -math.inf) for name in (sorted_constraints(by_name) if names is None else names)]
    return tuple(math.inf if math.isnan(value) else value for value in values)


def _values(frozen: FrozenTrial, objectives: Objectives) -> tuple[float, ...]:
    """The values of a complete trial; of a pruned one the last that it reported."""
    if frozen.state is TrialState.COMPLETE:
        return tuple(map(float, objectives.minimized(frozen.values)))
    if frozen.state is not TrialState.PRUNED:
        return ()
    if len(objectives) > 1:
        steps = _steps(frozen, objectives)
        return steps[-1][1:] if steps else ()
    if frozen.values is not None:
        return (float(objectives.signs[0] * frozen.values[0]),)
    last = frozen.last_step
    return () if last is None else (float(objectives.signs[0] * frozen.intermediate_values[last]),)


def _steps(frozen: FrozenTrial, objectives: Objectives) -> tuple[tuple[float, ...], ...]:
    """The intermediate values by step; those of several objectives are ours, see `auger.hosts.optuna.reports`."""
    if len(objectives) == 1:
        sign = objectives.signs[0]
        return tuple((step, float(sign * value)) for step, value in frozen.intermediate_values.items())
    rows = []
    for name, values in frozen.system_attrs.items():
        if name.startswith(schema.STEP):
            with suppress(ValueError, TypeError):  # of another program
                rows.append((float(name.removeprefix(schema.STEP)), *objectives.minimized([*map(float, values)])))
    return tuple(sorted(rows))


def _worker(owner: Any) -> str:
    is_known = isinstance(owner, Mapping) and is_whole(owner.get("process")) and isinstance(owner.get("host"), str)
    return text.worker(owner["process"], owner["host"]) if is_known else ""

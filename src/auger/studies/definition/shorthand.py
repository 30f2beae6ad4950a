"""Parameters as people write them on a command line: ``lr=1e-5:1e-1:log``, ``depth=1:12``, ``act=relu,tanh``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from auger.characters import shown
from auger.errors import AugerError, StudyError
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.studies.definition.checks import check_parameter_name
from auger.text import written

#: Kind of parameter -> how it is written.
FORMS = {
    "float": "NAME=LOW:HIGH, with :log or :STEP behind it if wanted, such as lr=1e-5:1e-1:log",
    "int": "NAME=LOW:HIGH, with :log or :STEP behind it if wanted, such as depth=1:12",
    "choice": "NAME=A,B,... such as act=relu,tanh",
    "ordinal": "NAME=A,B,... in their order, such as batch=16,32,64",
}


def read_parameter(kind: str, written_as: str) -> tuple[str, Parameter]:
    """A parameter and its name.

    Args:
        kind: a key of `FORMS`.
        written_as: its form.

    Example:
        >>> read_parameter("int", "depth=1:12")
        ('depth', Int(low=1, high=12, log=False, step=1, when={}))
        >>> read_parameter("choice", "act=relu,tanh")
        ('act', Categorical(choices=('relu', 'tanh'), when={}))
    """
    name, equals, values = written_as.partition("=")
    if not (name.strip() and equals and values.strip()):
        raise StudyError(f"--{kind} must be {FORMS[kind]}. Got {written_as!r}.")
    try:
        check_parameter_name(name.strip())
        return name.strip(), _READERS[kind](values)
    except (AugerError, ValueError) as error:
        raise StudyError(f"--{kind} {shown(written_as)}: {error} Write {FORMS[kind]}.") from error


def _number(values: str, parameter: Callable[..., Parameter], read: Callable[[str], Any], article: str) -> Parameter:
    low, *rest = values.split(":")
    if len(rest) not in (1, 2):
        raise StudyError(f"there must be a lowest and a highest value, with a colon between them. Got {values!r}.")
    try:
        bounds = [read(low), read(rest[0])]
        settings = {} if len(rest) == 1 else {"log": True} if rest[1] == "log" else {"step": read(rest[1])}
    except ValueError as error:
        raise StudyError(f"each part must be {article}, and the last may be 'log'. Got {values!r}.") from error
    if not bounds[0] < bounds[1]:
        raise StudyError(f"the lowest value must be below the highest. Got {values!r}.")
    if settings.get("log") and bounds[0] <= 0:
        raise StudyError(f"with 'log', the lowest value must be above 0. Got {low!r}.")
    return parameter(*bounds, **settings)


def _float(values: str) -> Parameter:
    return _number(values, Float, float, "a number")


def _int(values: str) -> Parameter:
    return _number(values, Int, int, "a whole number")


def _choices(values: str) -> list[Any]:
    """Numbers, true and false where the program would get all choices as they were typed; texts otherwise."""
    parts = [part.strip() for part in values.split(",")]
    if "" in parts or len(parts) < 2:
        raise StudyError(f"there must be at least two choices, with a comma between them. Got {values!r}.")
    try:
        choices = [json.loads(part) for part in parts]
    except (ValueError, RecursionError):
        return parts
    is_same = all(isinstance(choice, (int, float)) for choice in choices) and list(map(written, choices)) == parts
    return choices if is_same else parts


_READERS: dict[str, Callable[[str], Parameter]] = {
    "float": _float,
    "int": _int,
    "choice": lambda values: Categorical(_choices(values)),
    "ordinal": lambda values: Ordinal(_choices(values)),
}

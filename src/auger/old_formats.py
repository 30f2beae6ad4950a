"""What version 0.1 stored, and earlier formats of 0.2: the only module that knows it.

Version 0.1 kept a trial's provenance as a sentence, in saved runs and in the user attribute ``auger:reason`` of stored
trials. What it said of a model is read back here; any other sentence is kept as a note. The saved states of Ray Tune's
searcher hold pickled spaces, whose classes had other modules. The recipe ``bore-mlp`` of saved runs before version 4,
and of definitions of studies before format 2, had climbs that keep choices.
"""

from __future__ import annotations

import importlib
import io
import pickle
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from auger import schema
from auger.provenance import Origin, Provenance

# "auto, trees: score 0.81 from 34 answers; the Gaussian process learned from ..."
_BY_MODEL = re.compile(
    r"(?P<model>.+?): score (?P<score>\S+) from (?P<n_answers>\d+) answers(?:; (?P<note>.+))?", re.DOTALL
)

# Modules of version 0.1 -> where their classes are now.
_MOVED = {
    "auger.constraints": "auger.space.constraints",
    "auger.grid": "auger.space.grid",
    "auger.parameters": "auger.space",
    "auger.parameters.choices": "auger.space.choices",
    "auger.parameters.interface": "auger.space.parameter",
    "auger.parameters.numbers": "auger.space.numbers",
}


def recipe_name(name: str) -> str:
    """The name of today for a recipe that was stored when the climbs of ``bore-mlp`` kept choices.

    Its options are in the order of today, that of `auger.recipes.options.OPTIONS`.

    Example:
        >>> recipe_name("bore-mlp gamma=0.25 n_initial=5"), recipe_name("bore-mlp relaxed=true"), recipe_name("bore-rf")
        ('bore-mlp gamma=0.25 relaxed=false n_initial=5', 'bore-mlp', 'bore-rf')
    """
    first, *words = name.split() or [""]
    if first != "bore-mlp":
        return name
    options = [word for word in words if word != "relaxed=true"]
    if not any(word.startswith(("relaxed=", "maximizer=")) for word in words):
        is_later = [word.startswith(("repeats=", "n_initial=", "initial=")) for word in options]
        options.insert(is_later.index(True) if any(is_later) else len(options), "relaxed=false")
    return " ".join([first, *options])


def values_of_result(data: dict[str, Any]) -> tuple[Any, ...]:
    """Take the value out of the facts of a result that was written when a trial had one value, None without one."""
    value = data.pop("value", None)
    return () if value is None else (value,)


def provenance_of_sentence(origin: str, sentence: str) -> Provenance:
    """The provenance that a sentence of version 0.1 tells of.

    Example:
        >>> provenance_of_sentence("model", "auto, trees: score 0.81 from 34 answers").score
        0.81
    """
    match = _BY_MODEL.fullmatch(sentence) if origin == Origin.MODEL else None
    if match is None:
        return Provenance(Origin(origin), notes=(sentence,) if sentence else ())
    notes = (match["note"],) if match["note"] else ()
    return Provenance(Origin.MODEL, match["model"], float(match["score"]), int(match["n_answers"]), notes=notes)


def provenance_of_user_attributes(attributes: Mapping[str, Any]) -> Provenance | None:
    """The provenance in the user attributes of a stored trial; None where there is none.

    Version 0.1 stored it there; a study that went on with a version between it and 0.2 has the data instead of the
    sentence.
    """
    if schema.ORIGIN not in attributes:
        return None
    if schema.PROVENANCE in attributes:
        return Provenance.from_json(attributes[schema.ORIGIN], attributes[schema.PROVENANCE])
    return provenance_of_sentence(attributes[schema.ORIGIN], attributes.get(schema.REASON, ""))


def trial_fields(item: Mapping[str, Any]) -> dict[str, Any]:
    """A trial in a saved run of format version 1, as version 2 has it."""
    provenance = provenance_of_sentence(item["origin"], item["reason"])
    return {
        "config": item["config"],
        "state": item["state"],
        "values": [] if item["value"] is None else [item["value"]],
        "constraints": item["constraints"],
        "origin": item["origin"],
        "provenance": provenance.to_json(),
        "error": item["error"],
        "intermediate_values": item.get("steps", []),
    }


def load_pickle(data: bytes) -> Any:
    """What was pickled, by cloudpickle too, now or by version 0.1."""
    return _Unpickler(io.BytesIO(data)).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name == "subimport" and module.endswith("cloudpickle"):  # how a function by value names a module it uses
            return _import_moved
        return super().find_class(_MOVED.get(module, module), name)


def _import_moved(module: str) -> ModuleType:
    return importlib.import_module(_MOVED.get(module, module))

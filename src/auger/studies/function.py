"""A Python function as the program of a trial: ``python function.py package.module:name``.

Run as a script, it does not import the rest of auger, which takes longer than many functions. The config comes in the
variable AUGER_CONFIG; what the function returns is left in ``value.json`` in the trial's folder, so the function may
print what it likes.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path[0] = ""  # the current folder, where the study file is, instead of this file's

import importlib
import json
import os
from collections.abc import Callable
from typing import Any


def main(name: str) -> None:
    """Call the function with the config of this trial, and leave its answer in the trial's folder."""
    answer = find(name)(json.loads(os.environ["AUGER_CONFIG"]))
    if isinstance(answer, (str, bytes, bool)) or answer is None:
        raise TypeError(f"{name} must return a number. Got {answer!r}.")
    leave(float(answer))


def find(name: str) -> Callable[[dict[str, Any]], Any]:
    """The function called ``package.module:name``."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} must be a function. Got {found!r}.")
    function: Callable[[dict[str, Any]], Any] = found
    return function


def leave(value: float) -> None:
    """Write the value beside its place, then move it there: it is whole or not there."""
    path = os.path.join(os.environ["AUGER_FOLDER"], "value.json")
    with open(f"{path}.tmp", "w") as file:
        json.dump({"value": value}, file)
    os.replace(f"{path}.tmp", path)


if __name__ == "__main__":
    main(sys.argv[1])

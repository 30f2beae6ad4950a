"""A Python function as the program of a trial: ``python function.py package.module:name``.

Run as a script, it does not import the rest of auger, which takes longer than many functions. The config comes in the
variable AUGER_CONFIG; what the function returns is left in ``value.json`` in the trial's folder, so the function may
print what it likes.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    # the current folder, where the study file is, instead of this file's: before anything else is imported
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    sys.path.insert(0, "")

import importlib
import json
import os

TYPE_CHECKING = False  # type checkers take it for True; to import it would take milliseconds of each trial
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def main(arguments: list[str]) -> None:
    """Call the function with the config of this trial; with ``--check`` before its name, see that it could be."""
    function = find(arguments[-1])
    if arguments[0] != "--check":
        leave(function(json.loads(os.environ["AUGER_CONFIG"])), arguments[-1])


def find(name: str) -> Callable[[dict[str, Any]], Any]:
    """The function called ``package.module:name``.

    Example:
        >>> find("math:exp")(0)
        1.0
    """
    module, _, path = name.partition(":")
    found: Callable[[dict[str, Any]], Any] = importlib.import_module(module)  # type: ignore[assignment]
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} must be a function of a config. Got {found!r}.")
    return found


def leave(answer: Any, name: str) -> None:
    """Write the answer beside its place, then move it there: it is whole or not there."""
    if answer is None or isinstance(answer, (bool, str, bytes)):
        raise TypeError(f"{name} must return a number. Got {answer!r}.")
    path = os.path.join(os.environ["AUGER_FOLDER"], "value.json")
    with open(f"{path}.tmp", "w") as file:
        json.dump({"value": float(answer)}, file)
    os.replace(f"{path}.tmp", path)


if __name__ == "__main__":
    main(sys.argv[1:])

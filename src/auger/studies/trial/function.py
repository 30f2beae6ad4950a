"""A Python function as the program of a trial: ``python function.py package.module:name``.

Run as a script, it does not import the rest of auger, which takes longer than many functions. The config comes in the
variable AUGER_CONFIG. What the function returns goes to ``value.json`` in the trial folder, so the function may print
anything.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    # before any other import: the current folder, where the study file is, replaces the folder of this script
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    sys.path.insert(0, "")

import importlib
import json
import os

TYPE_CHECKING = False  # type checkers take it for True; importing `typing` would cost milliseconds per trial
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def main(arguments: list[str]) -> None:
    """Call the function with the config of this trial; with ``--check`` before its name, only import it."""
    function = import_function(arguments[-1])
    if arguments[0] != "--check":
        write_value(function(json.loads(os.environ["AUGER_CONFIG"])), arguments[-1])


def import_function(name: str) -> Callable[[dict[str, Any]], Any]:
    """The function called ``package.module:name``.

    Example:
        >>> import_function("math:exp")(0)
        1.0
    """
    module, _, path = name.partition(":")
    function: Callable[[dict[str, Any]], Any] = importlib.import_module(module)  # type: ignore[assignment]
    for part in path.split("."):
        function = getattr(function, part)
    if not callable(function):
        raise TypeError(f"{name} must be a function that takes a config. Got {function!r}.")
    return function


def write_value(value: Any, name: str) -> None:
    """Write the value that the function ``name`` returned, to another file first: the result is whole or missing.

    `auger.files.write_whole` does the same for the rest of auger.
    """
    if value is None or isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name} must return a number. Got {value!r}.")
    path = os.path.join(os.environ["AUGER_FOLDER"], "value.json")
    temporary = f"{path}.{os.urandom(8).hex()}.tmp"
    with open(temporary, "x") as file:  # a new file: what has its name, such as a link, is not followed
        json.dump({"value": float(value)}, file)
    os.replace(temporary, path)


if __name__ == "__main__":
    main(sys.argv[1:])

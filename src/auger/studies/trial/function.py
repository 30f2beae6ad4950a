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
    """Write what the function ``name`` returned, to another file first: the result is whole or missing.

    `auger.files.write_whole` does the same for the rest of auger. In a dict, what is no number is written as it is, or
    as text: it may be no value, and whoever reads a value knows what it must be.
    """
    if value is None or isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name} must return a number, or a dict of numbers. Got {value!r}.")
    numbers = {key: _number(entry) for key, entry in value.items()} if isinstance(value, dict) else None
    path = os.path.join(os.environ["AUGER_FOLDER"], "value.json")
    temporary = f"{path}.{os.urandom(8).hex()}.tmp"
    with open(temporary, "x") as file:  # a new file: what has its name, such as a link, is not followed
        json.dump({"value": float(value)} if numbers is None else numbers, file)
    os.replace(temporary, path)


def _number(entry: Any) -> Any:
    """An entry of a dict as JSON types: a number, of NumPy or PyTorch as well, or what it is instead."""
    if entry is None or isinstance(entry, (bool, str)):
        return entry
    try:
        return float(entry)
    except (TypeError, ValueError, OverflowError):
        return repr(entry)


if __name__ == "__main__":
    main(sys.argv[1:])

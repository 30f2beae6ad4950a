"""What the commands print: the only door to the terminal, through which nothing goes that a terminal obeys."""

from __future__ import annotations

import io
import json
import math
import sys
from typing import Any

import typer

from auger.characters import shown_lines


def never_fail() -> None:
    """Have stdout write what its encoding does not have as escapes, as stderr does, instead of raising an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def echo(message: str, *, err: bool = False) -> None:
    """Print a message on stdout or stderr, fit to be shown."""
    typer.echo(shown_lines(message), err=err)


def echo_data(content: str) -> None:
    """Print data for other programs on stdout: as they are, unless it is a person at a terminal who gets them."""
    sys.stdout.write(shown_lines(content) if sys.stdout.isatty() else content)  # echo takes out what looks like a color


def echo_json(data: Any) -> None:
    """Print one line of JSON on stdout, at once; JSON has escapes of its own, and no NaN."""
    line = json.dumps(_finite(data), allow_nan=False).replace("\x7f", "\\u007f")
    print(line, flush=True)


def _finite(data: Any) -> Any:
    """The same with NaN and infinity, which JSON does not have, as text."""
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    if isinstance(data, dict):
        return {key: _finite(item) for key, item in data.items()}
    return [_finite(item) for item in data] if isinstance(data, (list, tuple)) else data

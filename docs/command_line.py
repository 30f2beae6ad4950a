"""A Sphinx extension that ends the page `command-line` with the help of every command, as it is printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from auger.cli.main import app

PAGE = "command-line"


def commands() -> list[tuple[str, ...]]:
    """The words of every command that does something, in the order of the help: ("tune",), ("bench", "run") ..."""
    return list(_leaves(get_command(app), ()))


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, TyperGroup):
        yield words
        return
    for name, member in command.commands.items():
        yield from _leaves(member, (*words, name))


def help_of(*words: str) -> str:
    """What `auger WORDS --help` prints."""
    printed = CliRunner().invoke(app, [*words, "--help"], prog_name="auger", env={"COLUMNS": "88"})
    assert printed.exit_code == 0, printed.output
    return printed.output.strip()


def sections() -> str:
    """A section of Markdown a command."""
    return "\n\n".join(f"## auger {' '.join(words)}\n\n```text\n{help_of(*words)}\n```" for words in commands())


def _complete(app: Any, name: str, source: list[str]) -> None:
    if name == PAGE:
        source[0] = f"{source[0]}\n{sections()}\n"


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", _complete)
    return {"parallel_read_safe": True}

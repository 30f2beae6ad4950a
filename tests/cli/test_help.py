"""The help of every command, and what the shell completes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from auger.cli.main import app


def commands(command, words=()):
    """The words of every command and every group of commands."""
    yield words
    for name, member in getattr(command, "commands", {}).items():
        yield from commands(member, (*words, name))


COMMANDS = list(commands(get_command(app)))


def help_of(words):
    run = CliRunner().invoke(app, [*words, "--help"], prog_name="auger", env={"COLUMNS": "80"})
    assert run.exit_code == 0
    return run.output


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_has_whole_sentences_and_no_double_brackets(words):
    text = help_of(words)
    _, _, listed = text.partition("Commands:\n")
    assert "..." not in listed and "[[" not in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_and_every_option_is_explained(words):
    command = get_command(app)
    for word in words:
        assert isinstance(command, TyperGroup)
        command = command.commands[word]
    assert command.help
    assert all(getattr(parameter, "help", "") for parameter in command.params), words


def completed(typed, folder):
    """What bash is told to offer after these words."""
    words = f"auger {typed}"
    environment = {**os.environ, "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    command = [Path(sys.executable).with_name("auger")]
    run = subprocess.run(
        command,
        env={**environment, "_AUGER_COMPLETE": "complete_bash"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.split()


def test_the_shell_completes_commands_study_files_and_storages(tmp_path):
    for name in ("svm.toml", "svm.journal", "svm.csv", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "deep.toml").touch()
    (tmp_path / "svm.trials").mkdir()
    assert completed("sta", tmp_path) == ["status"]
    assert completed("tune sv", tmp_path) == ["svm.journal", "svm.toml"]
    assert completed("best su", tmp_path) == ["sub/"]
    assert completed("report sub/", tmp_path) == ["sub/deep.toml"]
    assert completed("status nowhere/", tmp_path) == []
    assert completed("trials svm.toml --so", tmp_path) == ["--sort"]

"""Running `auger` as a command, and a small study file for it."""

import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from auger.cli.main import app

FILE = """\
[study]
name = "{name}"
trials = {trials}
seed = 0
[command]
run = ["sh", "-c", {script}, "sh", "{{x}}", "{{kind}}"]
[defaults]
x = 0.75
kind = "a b"
[space]
x = {{ type = "float", low = 0, high = {high} }}
kind = {{ type = "categorical", choices = ["a b", "$c"] }}
"""


def auger(*arguments, cwd, **options):
    """Run it to its end."""
    command = [sys.executable, "-m", "auger", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, **options)


def inside(*arguments, cwd):
    """Run it in this process: quick, without the exit codes of errors."""
    before = Path.cwd()
    os.chdir(cwd)
    try:
        result = CliRunner().invoke(app, [*map(str, arguments)])
    finally:
        os.chdir(before)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def write_study(folder, *, trials=6, script="echo $1", high=1, name="small"):
    path = folder / f"{name}.toml"
    path.write_text(FILE.format(name=name, trials=trials, script=f"'''{script}'''", high=high))
    return path

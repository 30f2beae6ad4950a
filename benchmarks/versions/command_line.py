"""The command line: study files run by `auger tune` with one worker, and what `auger trials --csv` lists then."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from versions.exact import Cases, Records, exact

# Columns whose cells depend on the clock or on the wording.
_LEFT_OUT = ("seconds", "error")

# All intermediate values are written at once, and the program stays until the pruner has seen them.
_PROGRAM = """\
import json, math, os, sys, time
config = json.loads(os.environ["AUGER_CONFIG"])
number = int(os.environ["AUGER_TRIAL"])
loss = abs(math.log10(config["rate"]) + 2) + abs(config["layers"] - 3) + (config["solver"] == "adam")
loss += abs(config.get("momentum", 0.5) - 0.9)
if "fail" in sys.argv and number % 5 == 3:
    sys.exit("no luck")
if "report" in sys.argv:
    print("\\n".join(json.dumps({"epoch": i, "loss": loss + 2 / i}) for i in range(1, 10)), flush=True)
    time.sleep(0.3)
print("loss", -loss if "up" in sys.argv else loss)
"""

_FILE = """\
[study]
name = "compared"
seed = 70
{settings}
[command]
run = {run}
config = true
{report}
[space]
rate = {{ type = "float", low = 1e-4, high = 1.0, log = true }}
layers = {{ type = "int", low = 1, high = 8 }}
solver = {{ type = "categorical", choices = ["adam", "sgd"] }}
batch = {{ type = "ordinal", choices = [16, 32, 64] }}
drop = {{ type = "float", low = 0.0, high = 0.5, step = 0.1 }}
momentum = {{ type = "float", low = 0.0, high = 0.99, when = {{ solver = ["sgd"] }} }}
[defaults]
rate = 0.1
layers = 1
solver = "adam"
batch = 32
drop = 0.0
"""

_REPORT = '[report]\nread = "json"\nkey = "loss"\nstep = "epoch"'


def command_line_cases() -> Cases:
    """Studies of every kind."""
    cases: dict[str, Callable[[Path], Records]] = {
        "journal, auto": partial(_tuned, {"trials": 20}),
        "journal, bore-rf with options": partial(_tuned, {"trials": 16, "recipe": "bore-rf gamma=0.25"}),
        "journal, bore-mlp": partial(_tuned, {"trials": 16, "recipe": "bore-mlp"}),
        "SQLite, maximized": partial(
            _tuned, {"trials": 16, "direction": "maximize", "storage": "sqlite:///s.db"}, "up"
        ),
        "constraints and failures": partial(
            _tuned, {"trials": 18, "constraints": ["rate * layers <= 2"], "recipe": "tpe"}, "fail"
        ),
        "pruned": partial(_tuned, {"trials": 18, "pruner": "auger"}, "report"),
        "resumed": _resumed,
        "imported": _imported,
    }
    return {name: partial(_in_a_folder, run) for name, run in cases.items()}


def _in_a_folder(run: Callable[[Path], Records]) -> Records:
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder))


def _auger(folder: Path, *arguments: str) -> str:
    """Run a command to its end. Returns what it printed on stdout."""
    command = [sys.executable, "-m", "auger", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"auger {' '.join(arguments)} ended with code {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def _write(folder: Path, settings: dict[str, Any], *words: str) -> None:
    """The study file; JSON's way to write text, numbers and lists is TOML's, too."""
    (folder / "program.py").write_text(_PROGRAM, encoding="utf-8")
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    run = json.dumps([sys.executable, "-S", "program.py", *words])
    text = _FILE.format(settings=lines, run=run, report=_REPORT if "report" in words else "")
    (folder / "study.toml").write_text(text, encoding="utf-8")


def _tuned(settings: dict[str, Any], *words_and_folder: Any) -> Records:
    *words, folder = words_and_folder
    _write(folder, settings, *words)
    _auger(folder, "tune", "study.toml")
    return _rows(folder)


def _rows(folder: Path) -> Records:
    """All trials, and the best one."""
    rows = list(csv.DictReader(io.StringIO(_auger(folder, "trials", "study.toml", "--csv"))))
    best = json.loads(_auger(folder, "best", "study.toml", "--json"))
    kept: Records = [{key: cell for key, cell in row.items() if key not in _LEFT_OUT} for row in rows]
    return [*kept, exact({key: best[key] for key in ("number", "config", "value", "estimate", "error")})]


def _resumed(folder: Path) -> Records:
    """The budget is raised twice."""
    records = []
    for trials in (6, 13, 20):
        _write(folder, {"trials": trials, "recipe": "lfbo-mlp"}, "fail")
        _auger(folder, "tune", "study.toml")
        records += _rows(folder)
    return records


def _imported(folder: Path) -> Records:
    """The trials of a study are brought into another."""
    _write(folder, {"trials": 12, "recipe": "tpe"}, "fail")
    _auger(folder, "tune", "study.toml")
    (folder / "past.csv").write_text(_auger(folder, "trials", "study.toml", "--csv"), encoding="utf-8")
    _write(folder, {"trials": 8, "storage": "other.journal"})
    _auger(folder, "import", "past.csv", "study.toml")
    _auger(folder, "tune", "study.toml")
    return _rows(folder)

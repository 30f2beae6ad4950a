"""Python functions as the programs of trials."""

import os
from pathlib import Path

import pytest
from support.programs import SPACE, outcome, printed

from auger.errors import StudyError
from auger.studies.definition import Command, Definition, Limits, ReportRule
from auger.studies.trial import check_program, read_result

MODULE = """
import json, sys
from pathlib import Path

def loss(config):
    print("noise 17"); print("more noise 18", file=sys.stderr)
    return (config["x"] - 0.25) ** 2

def numpy(config):
    import numpy as np
    return np.float32(0.5)
def whole(config): return 3
def nan(config): return float("nan")
def nothing(config): pass
def text(config): return "0.5"
def truth(config): return True
def array(config): return [1, 2]
def error(config): raise ValueError("no such luck")
def leave(config): sys.exit(0)
def where(config): return float(sys.path[0] in ("", str(Path(__file__).parent)))
def light(config): return float("auger" not in sys.modules)
def steps(config):
    for step in range(3):
        print(json.dumps({"step": step, "loss": 0.5}))
    return 0.25
class Model:
    @staticmethod
    def score(config): return 0.75
not_callable = 3
"""


def study(folder: Path, name: str, **settings) -> Definition:
    (folder / "package").mkdir(exist_ok=True)
    (folder / "package" / "train.py").write_text(MODULE)
    return Definition("f", SPACE, Command(function=f"package.train:{name}"), str(folder), **settings)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("loss", 0.0625),
        ("numpy", 0.5),
        ("whole", 3.0),
        ("Model.score", 0.75),
        ("where", 1.0),  # the folder of the study file is importable, and first
        ("light", 1.0),  # the rest of auger is not imported
    ],
)
def test_the_value_is_what_the_function_returns(tmp_path, name, expected):
    done = outcome(study(tmp_path, name))
    assert (done.state, done.value, done.error) == ("complete", expected, None)


def test_what_a_function_prints_is_kept_and_not_taken_for_its_value(tmp_path):
    definition = study(tmp_path, "loss")
    done = outcome(definition)
    assert (printed(definition), printed(definition, stream="stderr")) == ("noise 17\n", "more noise 18\n")
    assert read_result(definition.trials_folder, 0) == done


@pytest.mark.parametrize("trap", [os.mkfifo, lambda path: os.symlink("precious", path)], ids=["a pipe", "a link"])
def test_the_value_is_written_although_there_is_a_trap_in_the_folder(tmp_path, trap):
    folder = tmp_path / "f.trials" / "0"
    folder.mkdir(parents=True)
    for name in ("value.json", "value.json.tmp"):
        trap(folder / name)
    assert outcome(study(tmp_path, "loss")).value == 0.0625
    assert not (folder / "precious").exists()


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("nan", "returned NaN"),
        (
            "nothing",
            "exit code 1: TypeError: package.train:nothing must return a number, or a dict of numbers. Got None.",
        ),
        ("text", "exit code 1: TypeError: package.train:text must return a number, or a dict of numbers. Got '0.5'."),
        ("truth", "exit code 1: TypeError: package.train:truth must return a number, or a dict of numbers. Got True."),
        ("array", "exit code 1: TypeError: float() argument must be a string or a real number, not 'list'"),
        ("error", "exit code 1: ValueError: no such luck"),
        ("leave", "ended without returning a value"),
        ("none", "exit code 1: AttributeError: module 'package.train' has no attribute 'none'"),
    ],
)
def test_a_function_without_a_value_has_failed_and_it_is_said_why(tmp_path, name, error):
    done = outcome(study(tmp_path, name))
    assert (done.state, done.value, done.error) == ("failed", None, error)


def test_a_function_has_limits_and_values_on_the_way_like_a_program(tmp_path):
    reports = []
    definition = study(tmp_path, "steps", report=ReportRule(key="loss", step="step"), limits=Limits(60, None))
    done = outcome(definition, on_report=lambda *report: bool(reports.append(report)))
    assert (done.value, reports) == (0.25, [(0, 0.5), (1, 0.5), (2, 0.5)])


def test_a_function_that_can_be_called_passes_the_check(tmp_path):
    check_program(study(tmp_path, "loss"))


def test_the_check_knows_the_variables_of_the_command(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "inner.py").write_text("def one(config): return 1\n")
    environment = {"PYTHONPATH": "src", "X": "{x}"}
    definition = Definition("f", SPACE, Command(function="inner:one", environment=environment), str(tmp_path))
    check_program(definition)
    assert outcome(definition).value == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("package.train:lose", r"AttributeError: module 'package\.train' has no attribute 'lose'"),
        ("package.trian:loss", r"ModuleNotFoundError: No module named 'package\.trian'"),
        ("package.train:not_callable", r"TypeError: package\.train:not_callable must be a function"),
    ],
)
def test_a_function_that_cannot_be_called_is_refused_before_the_first_trial(tmp_path, name, message):
    study(tmp_path, "loss")
    definition = Definition("f", SPACE, Command(function=name), str(tmp_path))
    with pytest.raises(StudyError, match=rf"\[command\] function: {name} cannot be called from .*: {message}"):
        check_program(definition)


def test_the_folder_of_auger_itself_is_not_importable(tmp_path):
    (tmp_path / "command.py").write_text("def one(config): return 1\n")  # the name of a module of auger.studies
    assert outcome(Definition("f", SPACE, Command(function="command:one"), str(tmp_path))).value == 1
    ours = Definition("f", SPACE, Command(function="reaper:Reaper"), str(tmp_path))
    with pytest.raises(StudyError, match="No module named 'reaper'"):
        check_program(ours)


def test_a_safe_path_is_respected(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    assert outcome(study(tmp_path, "loss")).value == 0.0625

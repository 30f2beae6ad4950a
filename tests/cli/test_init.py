"""`auger init`: the commented example, and a draft for a program from its --help."""

import stat

import pytest
from support.command_line import inside
from support.processes import is_running, wait_until
from support.programs import write

from auger.errors import StudyError
from auger.studies.definition import read_study_file
from auger.studies.draft import help_text

ARGPARSE = """\
import argparse, pathlib, sys
parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
parser.add_argument("data")
parser.add_argument("--lr", type=float, default=0.01, help="learning rate")
parser.add_argument("-b", "--batch-size", type=int, default=64, help="rows per step")
parser.add_argument("--dropout", type=float, default=0.1, help="share of units")
parser.add_argument("--layers", type=int, default=2, help="how many")
parser.add_argument("--optimizer", choices=["adam", "sgd"], default="adam", help="which " * 60)
parser.add_argument("--epochs", type=int, default=10, help="passes")
parser.add_argument("--seed", type=int, default=0, help="of the dice")
parser.add_argument("--amp", action="store_true", help="half precision")
parser.add_argument("--nesterov", action=argparse.BooleanOptionalAction, default=False, help="momentum")
parser.add_argument("--out", help="a file")
arguments = parser.parse_args()
pathlib.Path("ran").write_text("")
print("loss", abs(arguments.lr - 0.1) + abs(arguments.layers - 3) + arguments.dropout)
"""


def test_the_example_is_written_and_nothing_is_overwritten(tmp_path):
    assert "study.toml is there" in inside("init", cwd=tmp_path).stderr
    read_study_file(tmp_path / "study.toml")
    with pytest.raises(StudyError, match=r"study\.toml already exists and was not overwritten"):
        inside("init", cwd=tmp_path)
    inside("init", "other.toml", cwd=tmp_path)
    assert (tmp_path / "other.toml").read_text() == (tmp_path / "study.toml").read_text()


def test_a_draft_for_a_script_has_the_ranges_that_its_help_suggests_and_runs(tmp_path):
    write(tmp_path, ARGPARSE, "train.py")
    said = inside("init", "--", "python", "train.py", "data.csv", cwd=tmp_path).stderr
    assert said == "train.toml proposes to tune 6 of 10 options. Check the ranges, then: auger try train.toml\n"
    assert not (tmp_path / "ran").exists()  # it was asked for its help only
    definition = read_study_file(tmp_path / "train.toml")
    parameters = {name: parameter.to_json() for name, parameter in definition.space.parameters.items()}
    assert parameters == {
        "lr": {"type": "float", "low": 0.0001, "high": 1.0, "log": True, "step": None},
        "batch_size": {"type": "ordinal", "choices": [16, 32, 64, 128, 256]},
        "dropout": {"type": "float", "low": 0.0, "high": 0.8, "log": False, "step": None},
        "layers": {"type": "int", "low": 1, "high": 6, "log": False, "step": 1},
        "optimizer": {"type": "categorical", "choices": ["adam", "sgd"]},
        "nesterov": {"type": "categorical", "choices": ["--nesterov", "--no-nesterov"]},
    }
    assert definition.command.run[:5] == ("python", "train.py", "data.csv", "--lr", "{lr}")
    tried = inside("try", "train.toml", cwd=tmp_path)
    assert tried.exit_code == 0 and (tmp_path / "ran").exists()
    text = (tmp_path / "train.toml").read_text()
    for flag, reason in (("--epochs", "budget"), ("--seed", "quality"), ("--amp", "switch"), ("--out", "no choices")):
        assert any(line.startswith(f"# {flag}") and reason in line for line in text.splitlines()), flag


def test_the_defaults_are_filled_in_where_the_help_tells_them_all(tmp_path):
    script = ARGPARSE.replace("argparse.BooleanOptionalAction, default=False", '"store_true"')
    write(tmp_path, script, "train.py")
    inside("init", "mine.toml", "--", "python", "train.py", "data.csv", "--lr=0.5", cwd=tmp_path)
    definition = read_study_file(tmp_path / "mine.toml")
    assert definition.defaults == {"batch_size": 64, "dropout": 0.1, "layers": 2, "optimizer": "adam"}
    assert "--lr=0.5" in definition.command.run  # what the command says already is not tuned


def test_a_program_with_click_or_typer_is_understood(tmp_path):
    script = """\
import typer
from typing import Annotated
from enum import Enum
class Kind(str, Enum):
    a = "a"
    b = "b"
Depth = Annotated[int, typer.Option(min=1, max=12)]
def main(rate: float = 0.5, depth: Depth = 3, kind: Kind = Kind.a, fast: bool = True):
    print(rate)
typer.run(main)
"""
    write(tmp_path, script, "train.py")
    inside("init", "--", "python", "train.py", cwd=tmp_path)
    definition = read_study_file(tmp_path / "train.toml")
    parameters = {name: parameter.to_json() for name, parameter in definition.space.parameters.items()}
    assert parameters["depth"] == {"type": "int", "low": 1, "high": 12, "log": False, "step": 1}
    assert parameters["kind"] == {"type": "categorical", "choices": ["a", "b"]}
    assert parameters["fast"] == {"type": "categorical", "choices": ["--fast", "--no-fast"]}
    assert (parameters["rate"]["low"], parameters["rate"]["high"]) == (0.005, 1.0)
    assert definition.defaults == {"rate": 0.5, "depth": 3, "kind": "a", "fast": "--fast"}
    assert inside("try", "train.toml", cwd=tmp_path).exit_code == 0


def test_a_program_that_never_ends_is_ended_with_its_children(tmp_path):
    path = write(tmp_path, "#!/bin/sh\nsleep 1000 & echo $! > child; wait\n", "slow")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(StudyError, match=r"^\./slow --help has not ended after 0\.5 s\.$"):
        help_text(["./slow"], tmp_path, time_limit=0.5)
    child = int((tmp_path / "child").read_text())
    wait_until(lambda: not is_running(child))


def test_of_help_without_end_no_more_is_read_than_anybody_reads(tmp_path):
    path = write(tmp_path, "#!/bin/sh\nexec yes\n", "endless")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(StudyError, match=r"^\./endless --help prints more than 4 MiB\.$"):
        help_text(["./endless"], tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nosuch"], r"^There is no program 'nosuch'"),
        (["sh", "-c", "touch ran"], r"^sh -c runs what follows it"),
        (["python3.11", "-c", "open('ran', 'w')"], r"^python3\.11 -c runs what follows it"),
        (["echo", "hello"], r"^echo hello --help lists no options, so nothing was written\. Its last line is 'hello"),
    ],
)
def test_what_has_no_help_is_refused_and_nothing_is_written(tmp_path, words, message):
    with pytest.raises(StudyError, match=message):
        inside("init", "--", *words, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []

"""Parameters in their shorthand, and studies without a study file."""

import pytest

from auger import Categorical, Float, Int, Ordinal
from auger.studies.definition import definition_without_file
from auger.studies.definition.shorthand import read_parameter
from auger.studies.definition.without_file import program_name


@pytest.mark.parametrize(
    ("kind", "written_as", "expected"),
    [
        ("float", "lr=1e-5:1e-1:log", Float(1e-5, 0.1, log=True)),
        ("float", "x=-1:1", Float(-1, 1)),
        ("float", "x=0:1:0.1", Float(0, 1, step=0.1)),
        ("int", "n=1:12", Int(1, 12)),
        ("int", "n=16:1024:log", Int(16, 1024, log=True)),
        ("int", "n=0:9:3", Int(0, 9, step=3)),
        ("choice", "a=relu, tanh", Categorical(["relu", "tanh"])),
        ("choice", "a=0.10,0.2", Categorical(["0.10", "0.2"])),  # the program gets what was typed
        ("choice", "a=-0,-3", Categorical(["-0", "-3"])),
        ("choice", "a=true,false", Categorical([True, False])),
        ("choice", "a=k=v,b", Categorical(["k=v", "b"])),
        ("ordinal", "a=16,32", Ordinal([16, 32])),
    ],
)
def test_a_parameter_is_read_from_its_shorthand(kind, written_as, expected):
    assert read_parameter(kind, written_as) == (written_as.partition("=")[0], expected)


def test_the_parameters_have_the_order_of_the_command(tmp_path):
    parameters = [("float", "x=0:1"), ("choice", "kind=a,b"), ("int", "n=1:2")]
    definition = definition_without_file(["run", "{n}", "--kind={kind}", "{x}"], parameters, home=tmp_path)
    assert definition.space.names == ["n", "kind", "x"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["./solve", "{x}"], "solve"),
        (["/usr/bin/gzip"], "gzip"),
        (["python", "-u", "-W", "error", "src/train.py", "--lr", "{lr}"], "train"),
        (["python3.11", "-m", "package.train"], "train"),
        (["env", "A=1", "python", "train.py"], "train"),
        (["sh", "run.sh", "data.csv"], "run"),
        (["sh", "-c", "a.out {x}"], "sh"),
        (["solver", "input.dat"], "solver"),
    ],
)
def test_a_study_is_named_after_its_program(words, name):
    assert program_name(words) == name

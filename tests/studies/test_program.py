"""What is started for a trial, and whether it could be."""

from dataclasses import replace

import pytest
from support.programs import program

from auger import Space
from auger.errors import StudyError
from auger.studies.trial import check_program
from auger.studies.trial.program import invocation


@pytest.mark.parametrize(
    "run", [("sh", "-c", "exit"), ("./here.sh",), ("python", "here.py"), ("python", "{x}.py"), ("{x}",)]
)
def test_a_program_that_is_there_passes_the_check(tmp_path, run):
    (tmp_path / "here.sh").write_text("#!/bin/sh\n")
    (tmp_path / "here.sh").chmod(0o755)
    (tmp_path / "here.py").touch()
    check_program(program(tmp_path, *run, space=Space({"x": ["none", "neither"]})))


def test_a_script_that_is_not_there_is_refused_before_the_first_trial(tmp_path):
    with pytest.raises(StudyError, match=r"\[command\] run: there is no script 'trian\.py' in /"):
        check_program(program(tmp_path, "python", "trian.py"))


@pytest.mark.parametrize("name", ["no-such-program", "./none.sh", "here.txt", "./here.txt"])
def test_a_program_that_is_not_there_is_refused_before_the_first_trial(tmp_path, name):
    (tmp_path / "here.txt").write_text("not executable")
    with pytest.raises(
        StudyError, match=rf"\[command\] run: there is no program '{name}', neither on the PATH nor in /"
    ):
        check_program(program(tmp_path, name))


def test_a_folder_that_is_not_there_is_refused_before_the_first_trial(tmp_path):
    definition = replace(program(tmp_path, "sh"), home=str(tmp_path / "none"))
    with pytest.raises(StudyError, match="The folder .*none, where the programs of the study run, does not exist"):
        check_program(definition)


def test_arguments_and_variables_are_those_of_the_trial(tmp_path):
    definition = program(tmp_path, "sh", "{x}", "{AUGER_TRIAL}", "{AUGER_FOLDER}/out", environment={"X": "{x}"})
    arguments, environment = invocation(definition, 3, {"x": 0.5})
    assert arguments == ["sh", "0.5", "3", f"{tmp_path}/small.trials/3/out"]
    assert {name: environment[name] for name in ("X", "AUGER_CONFIG", "AUGER_TRIAL", "AUGER_STUDY")} == {
        "X": "0.5",
        "AUGER_CONFIG": '{"x": 0.5}',
        "AUGER_TRIAL": "3",
        "AUGER_STUDY": "small",
    }


def test_python_programs_print_at_once_unless_the_user_says_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    assert invocation(program(tmp_path, "sh"), 0, {})[1]["PYTHONUNBUFFERED"] == "1"
    monkeypatch.setenv("PYTHONUNBUFFERED", "")
    assert invocation(program(tmp_path, "sh"), 0, {})[1]["PYTHONUNBUFFERED"] == ""

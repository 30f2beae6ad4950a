"""Files and arguments that are not what they should be: an error of a few lines, never a traceback, never a wait."""

import os
from pathlib import Path

import pytest
from support.command_line import auger, inside, write_study
from support.studies import definition

from auger.errors import AugerError, StudyError
from auger.studies.definition import Definition, read_study_file
from auger.studies.definition.shorthand import read_parameter
from auger.text import toml_value


def refused(*arguments, cwd):
    """The message of a command that is refused."""
    with pytest.raises((AugerError, OSError)) as error:
        inside(*arguments, cwd=cwd)
    return str(error.value)


THINGS = {
    "a pipe": os.mkfifo,
    "a device without end": lambda path: path.symlink_to("/dev/zero"),
    "a device without content": lambda path: path.symlink_to("/dev/null"),
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "memory": lambda path: path.symlink_to("/proc/self/mem"),
    "a huge file": lambda path: os.truncate(path, 2**40) if path.touch() is None else None,
}


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("s.toml", ["try", "s.toml"]),
        ("s.toml", ["status", "s.toml"]),
        ("s", ["tune", "s"]),
        ("s.csv", ["import", "s.csv", "small.toml"]),
    ],
    ids=lambda part: part if isinstance(part, str) else " ".join(part),
)
def test_what_is_no_ordinary_file_is_an_error_and_never_waited_for(tmp_path, thing, name, command):
    write_study(tmp_path)
    THINGS[thing](tmp_path / name)
    assert name in refused(*command, cwd=tmp_path)


@pytest.mark.parametrize("thing", ["a pipe", "a device without end", "a device without content"])
def test_a_report_is_never_written_into_what_is_no_ordinary_file(tmp_path, thing):
    study = write_study(tmp_path, trials=1)
    inside("tune", study, cwd=tmp_path)
    THINGS[thing](tmp_path / "s.html")
    assert "is not an HTML page" in refused("report", study, "--out", "s.html", cwd=tmp_path)


@pytest.mark.parametrize("kind", ["choice", "ordinal"])
def test_choices_that_are_nested_without_end_are_texts(kind):
    assert read_parameter(kind, f"x={'[' * 100_000},1")[1].choices == ("[" * 100_000, "1")


def test_fifty_thousand_choices_are_read_and_one_that_is_there_twice_is_named(tmp_path):
    path = tmp_path / "s.toml"
    head = "[command]\nrun = ['echo', '{x}']\n[space]\n"
    path.write_text(f"{head}x = {{ type = 'categorical', choices = {[*range(50_000)]} }}\n")
    assert read_study_file(path).space.parameters["x"].n_values == 50_000
    for twins in ([1, 2, 1], [1, 1.0], [["a", [1]], ["a", [True]]], ["b", "b"]):
        path.write_text(f"{head}x = {{ type = 'categorical', choices = {toml_value(twins)} }}\n")
        with pytest.raises(StudyError, match="must all differ"):
            read_study_file(path)


@pytest.mark.parametrize(
    "quoted",
    ["a" * 10**6, ["x"] * 10**5, {"a": [1] * 10**5}, "\u202e" * 10**5],
    ids=["text", "list", "table", "marks"],
)
@pytest.mark.parametrize("key", ["name", "direction", "recipe", "trials", "initial", "slots", "time"])
def test_an_error_is_not_longer_than_a_screen_whatever_it_quotes(tmp_path, key, quoted):
    path = tmp_path / "s.toml"
    table = '[command]\nrun = ["echo", "{x}"]\n[space]\nx = { type = "float", low = 0, high = 1 }\n'
    path.write_text(f"[study]\n{key} = {toml_value(quoted)}\n{table}")
    with pytest.raises(StudyError) as error:
        read_study_file(path)
    assert str(error.value).startswith(f"{path}, line 2: [study] {key}: ") and len(str(error.value)) < 4000


def test_of_many_bad_rows_the_first_are_listed_and_the_others_counted(tmp_path):
    study = write_study(tmp_path)
    (tmp_path / "s.csv").write_text("x,kind,value\n" + "2,a b,1\n" * 1000)
    done = auger("import", "s.csv", study, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("must be between") == 50 and "s.csv: 950 more bad rows\n" in done.stderr


@pytest.mark.parametrize("key", ["study.storage", "command.folder", "study.recipe"])
def test_a_zero_byte_in_a_path_is_refused_by_its_key(tmp_path, key):
    table, _, name = key.partition(".")
    tables = {"study": {}, "command": {"run": ["echo", "{x}"]}, "space": {"x": {"type": "int", "low": 0, "high": 1}}}
    tables[table][name] = "a\0b"
    path = tmp_path / "s.toml"
    path.write_text("\n".join(f"{key} = {toml_value(value)}" for key, value in tables.items()))
    with pytest.raises(StudyError, match="must not hold a zero byte") as error:
        read_study_file(path)
    assert error.value.key == key


@pytest.mark.parametrize(
    ("key", "value"), [("command", {"run": [], "function": None, "environment": "x", "config": False}), ("slots", 1)]
)
def test_a_stored_definition_of_wrong_types_is_damaged(tmp_path, key, value):
    stored = definition(tmp_path).to_json()
    with pytest.raises(StudyError, match="stored definition of the study is damaged"):
        Definition.from_json({**stored, key: value}, storage="a.journal")

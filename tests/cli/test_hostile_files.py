"""Files and arguments that are not what they should be: an error of a few lines, never a traceback, never a wait."""

import os
from pathlib import Path

import pytest
from support.command_line import inside, write_study

from auger.errors import AugerError


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

"""Keys of a study file, their lines, and errors about them."""

import pytest

from auger.errors import SpaceError, StudyError
from auger.studies.definition.location import errors_at, line_of

FILE = """\
# [study] in a comment
[study]
name = "a"      # name = 3

  trials=3
"seed" = 0
initial = [
  { C = 1.0 },
]
[command]
run = ["a", "name = {C}"]
[command.environment]
A = "1"
[space]
C = { type = "float" }
[space.degree]
low = 2
[[study.more]]
"""


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("study", 2),
        ("study.name", 3),
        ("study.trials", 5),
        ("study.seed", 6),
        ("study.initial", 7),
        ("study.more", 18),
        ("study.storage", 2),  # not there: its table
        ("command", 10),
        ("command.run", 11),
        ("command.environment", 12),
        ("space.C", 15),
        ("space.degree", 16),
        ("value", None),
        ("value.read", None),
    ],
)
def test_a_key_has_a_line(key, expected):
    assert line_of(FILE, key) == expected


def test_keys_with_dots_have_lines():
    assert line_of("study.name = 1\nspace.C.low = 2\n", "study.name") == 1
    assert line_of("study.name = 1\nspace.C.low = 2\n", "space.C") == 2


def test_an_error_without_a_key_gets_one():
    with pytest.raises(StudyError, match=r"^\[space\] C: too low$") as caught, errors_at("space.C"):
        raise SpaceError("too low")
    assert caught.value.key == "space.C"


def test_an_error_with_a_key_keeps_it():
    with pytest.raises(StudyError, match=r"^\[study\] seed: no$"), errors_at("space.C"):
        raise StudyError("no", "study.seed")

"""Study files and what is read like them: a definition, or an error that names the file or the key. Nothing else."""

import copy
import json
import math
import sys
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.studies import SPACE, new_study

from auger import Float, Int, Optimizer, Space
from auger.characters import is_shown
from auger.errors import AugerError, StudyError
from auger.studies.definition import Definition, read_study_file
from auger.studies.definition.shorthand import FORMS, read_parameter
from auger.studies.definition.starting_point import starting_point
from auger.studies.importing import read_results
from auger.text import toml_key, toml_value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEMPLATE = resources.files("auger.studies.definition").joinpath("template.toml").read_text(encoding="utf-8")
EXAMPLES = [path.read_text() for path in sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))]
FILES = [TEMPLATE, *EXAMPLES]

WORDS = """
float int categorical ordinal minimize none auto json regex file stdout stderr x lr kernel type low high step log when
choices name run function trials time pruner repeats slots gpus {x} {lr} -- 1h30m 2GB inf nan a/b ../x \x1b[31m \u202e
\0 {{ ( (a+)+ é 😀 AUGER_CONFIG random tpe
"""
words = st.sampled_from([*WORDS.split(), ""])
numbers = st.sampled_from(
    [0, 1, -1, 2, 3, 0.5, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 1e-320, 1e-308, 1e-9, 1e308, -1e308]
)
leaves = (
    words | numbers | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8"), max_size=5)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.just("x"), inner, max_size=3),
    max_leaves=6,
)


def paths_in(data, path=()):
    """The paths of everything inside."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from paths_in(value, (*path, key))


def mutated(data, draw, values):
    """A copy with one to three changes: another value, a key more, less or with another name, two values swapped."""
    data = copy.deepcopy(data)
    for _ in range(draw(st.integers(1, 3))):
        paths = [*paths_in(data)]
        if not paths:
            break
        path, other = draw(st.sampled_from(paths)), draw(st.sampled_from(paths))
        holder, key = at(data, path[:-1]), path[-1]
        change = draw(st.sampled_from(["replace", "replace", "remove", "rename", "add", "copy"]))
        if change == "replace":
            holder[key] = draw(values)
        elif change == "copy":
            holder[key] = copy.deepcopy(at(data, other))
        elif change == "remove":
            del holder[key]
        elif isinstance(holder, dict):
            new = draw(words)
            holder[new] = draw(values) if change == "add" else holder.pop(key)
        else:
            holder.insert(key, draw(values))
    return data


def at(data, path):
    for key in path:
        data = data[key]
    return data


def as_toml(data):
    """As TOML; tables are written as tables, their tables inside on one line."""
    is_table = {name: isinstance(table, dict) for name, table in data.items()}
    lines = [f"{toml_key(name)} = {toml_value(value)}" for name, value in data.items() if not is_table[name]]
    for name in filter(is_table.get, data):
        lines += [f"[{toml_key(name)}]", *(f"{toml_key(key)} = {toml_value(item)}" for key, item in data[name].items())]
    return "\n".join(lines)


def read(content, suffix=".toml"):
    """The definition in a file with this content, used once; None where it is refused with the name of the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"study{suffix}"
        path.write_bytes(content)
        try:
            definition = read_study_file(path)
        except StudyError as error:
            check(error, str(path))
            return None
        use(definition)
        return definition


def check(error, what=""):
    """An error is short, can be seen whole, and says what it is about."""
    assert what in str(error) and len(str(error)) < 5000
    assert all(is_shown(line) for line in str(error).split("\n"))


def use(definition):
    """What every study does: it is stored and loaded, begins with its first settings, and has some suggested."""
    stored = json.loads(json.dumps(definition.to_json()))
    assert Definition.from_json(stored, storage=definition.storage).to_json() == definition.to_json()
    configs = [*definition.first, starting_point(definition)[0], *definition.space.decode(sample(definition.space))]
    configs.append(Optimizer(definition.space, seed=0).ask().config)
    for config in configs:
        definition.space.encode([config])
        definition.command.arguments({**config, **dict.fromkeys(("AUGER_TRIAL", "AUGER_STUDY"), "1"), **VARIABLES})


VARIABLES = dict.fromkeys(("AUGER_CONFIG", "AUGER_FOLDER", "AUGER_REPEAT", "AUGER_SLOT"), "")


def sample(space):
    return space.sample(1, np.random.default_rng(0))


@pytest.mark.parametrize("text", FILES, ids=range(len(FILES)))
def test_the_files_that_are_changed_are_right_as_they_are(text):
    assert read(as_toml(tomllib.loads(text)).encode()) is not None


@given(st.data())
def test_other_values_other_keys_and_keys_that_are_gone(data):
    content = tomllib.loads(data.draw(st.sampled_from(FILES)))
    read(as_toml(mutated(content, data.draw, values)).encode())


@given(st.data())
def test_bytes_that_are_overwritten_removed_or_added(data):
    content = data.draw(st.sampled_from(FILES)).encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 80, len(content))))
    new = data.draw(
        st.binary(max_size=20) | st.sampled_from([b"\n", b"\r\n", b"\0", b"\xff", b"[", b'"""', b"\xef\xbb\xbf"])
    )
    read(content[:start] + new + content[end:])


@given(st.binary(max_size=200))
def test_any_bytes(content):
    read(content)


@given(st.sampled_from(["[", "{a=", "a.", "[[", "("]), st.integers(1, 2_000))
def test_nesting_without_end(part, n):
    read(f"[study]\ninitial = {part * n}".encode())
    read(f"{part * n}a = 1".encode())


@given(st.data())
def test_a_stored_definition_from_elsewhere(data):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_text(data.draw(st.sampled_from(FILES)))
        stored = json.loads(json.dumps(read_study_file(path).to_json()))
    changed = mutated(stored, data.draw, values | st.none())
    try:
        definition = Definition.from_json(json.loads(json.dumps(changed)), storage="a.journal")
    except AugerError as error:
        check(error)
    else:
        use(definition)


PARTS = """
x = : , log 1 0 -1 1e-5 1e400 inf nan true a é . _ 9223372036854775808 1_0 ' " { \x1b
"""
parts = st.sampled_from([*PARTS.split(), " "])


@given(st.sampled_from([*FORMS]), st.lists(parts, max_size=9).map("".join) | st.text(max_size=20))
def test_a_parameter_on_the_command_line(kind, written_as):
    for text in (written_as, f"x={written_as}"):
        try:
            name, parameter = read_parameter(kind, text)
        except StudyError as error:
            check(error, f"--{kind}")
        else:
            space = Space({name: parameter})
            assert space.decode(sample(space))


@pytest.fixture(scope="module")
def study():
    with TemporaryDirectory() as folder:
        space = Space({**SPACE.parameters, "n": Int(-3, 10**12), "y": Float(1e-9, 1e300, log=True)})
        yield new_study(Path(folder), space=space)


CELLS = """
x kind n y value state complete a b 0.5 1 -1 1e400 nan inf "" " ' =1+1 -0.5 \x1b[31m \u202e \0 true 3.0 1,5
"""
cells = st.sampled_from([*CELLS.split(), ""])


@given(st.lists(st.lists(cells, max_size=6).map(",".join), max_size=5).map("\n".join), st.binary(max_size=10))
def test_a_file_of_results(study, text, end):
    for start in ("", "x,kind,n,y,value\n", "x,kind,n,y,value\n0.5,a,3,1,0.5\n"):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "results.csv"
            path.write_bytes((start + text).encode() + end)
            try:
                table = read_results(path, study)
            except StudyError as error:
                check(error, "results.csv")
                continue
            for config, (value,) in table.good:
                assert study.definition.space.encode([config]).shape == (1, 4) and not math.isnan(value)

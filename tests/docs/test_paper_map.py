"""docs/paper-map.md has every part of the paper, and what it points to exists."""

import dataclasses
import importlib
import re
from pathlib import Path

import pytest
from support.paper_map import TESTS

from auger_bench.experiments import EXPERIMENTS
from auger_bench.methods.names import METHODS
from auger_bench.paper import FIGURES
from auger_bench.problems.names import PROBLEMS, SYNTHETIC

ROOT = Path(__file__).parents[2]
MAP = (ROOT / "docs" / "paper-map.md").read_text()
SPANS = sorted(set(re.findall(r"`([^`\n]+)`", MAP)))

# of the paper's source, counted by the LaTeX commands that number them
SECTIONS = (
    *(
        "1",
        "2",
        "2.1",
        "2.2",
        "2.3",
        "2.4",
        "3",
        "3.1",
        "3.2",
        "4",
        "5",
        "6",
        "7",
        "A",
        "B",
        "C",
        "D",
        "D.1",
        "D.2",
        "E",
    ),
    *("F", "G", "G.1", "G.2", "H", "I", "J", "J.1", "J.2", "J.3", "K", "K.1", "K.2", "K.3", "K.4", "L", "L.1", "L.2"),
    "L.3",
)
NUMBERS = {"Equations": 13, "Figures": 13, "Tables": 6}


def lines_of(heading):
    """The rows of the table below a heading."""
    table = MAP.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [line for line in table.splitlines() if line.startswith("| ")][1:]


def first_cells(heading):
    """What stands in the first column of the table below a heading."""
    return [line.split("|")[1].strip() for line in lines_of(heading)]


def test_every_section_is_there_in_order():
    assert [cell.split(" ")[0] for cell in first_cells("Sections")] == list(SECTIONS)


@pytest.mark.parametrize(("heading", "n"), NUMBERS.items(), ids=list(NUMBERS))
def test_every_equation_figure_and_table_is_there_in_order(heading, n):
    assert first_cells(heading) == [str(number) for number in range(1, n + 1)]


def resolve(name):
    """What a dotted name means: the longest part that is a module, then its attributes or the fields of a dataclass."""
    words = name.split(".")
    for n in range(len(words), 0, -1):
        try:
            found = importlib.import_module(".".join(words[:n]))
        except ModuleNotFoundError:
            continue
        for word in words[n:]:
            fields = (
                {field.name: field for field in dataclasses.fields(found)} if dataclasses.is_dataclass(found) else {}
            )
            found = fields[word] if word in fields else getattr(found, word)
        return found
    raise AssertionError(f"no module of {name}")


@pytest.mark.parametrize("name", [span for span in SPANS if re.fullmatch(r"auger(_bench)?(\.\w+)+", span)])
def test_a_name_means_something(name):
    resolve(name)


@pytest.mark.parametrize("path", [span for span in SPANS if span.startswith(("src/", "tests/"))])
def test_a_file_exists(path):
    assert (ROOT / path).is_file()


def test_methods_problems_and_experiments_are_known():
    known = {*EXPERIMENTS, *METHODS, *PROBLEMS, *SYNTHETIC}
    named = [span.split("+")[0] for span in SPANS if re.fullmatch(r"[a-z0-9]+([-+][a-z0-9.]+)+", span)]
    assert len(named) > 5
    assert set(named) <= known


def test_figures_are_drawn_by_the_commands_that_are_named():
    named = {span.split()[2] for span in SPANS if span.startswith("auger figures ")}
    assert named == {
        f"{name}-paper" for name in ("fcnet", "nas201", "robot-pushing", "racing", "calibration", "maximizer")
    }
    assert named <= set(FIGURES)


# What a row says in which there is nothing to test.
NOTHING_TO_TEST = re.compile(r"no code|no code; \[.*|below|see equations .*|a taxonomy; see table 6")


@pytest.mark.parametrize("heading", ["Sections", "Equations", "Algorithm", "Figures", "Tables"])
def test_every_row_has_a_test_or_nothing_to_test(heading):
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines_of(heading)]
    tested = [cells[0] for cells in rows if not NOTHING_TO_TEST.fullmatch(cells[-1])]
    keys = list(TESTS[heading])
    assert len(keys) == len(tested)
    for row, key in zip(tested, keys, strict=True):
        assert row == key or row.startswith(f"{key} ")


@pytest.mark.parametrize("path", sorted({path for rows in TESTS.values() for row in rows.values() for path in row}))
def test_tests_that_rows_name_are_there(path):
    named = {name for rows in TESTS.values() for row in rows.values() for name in row.get(path, [])}
    assert named
    assert named <= set(re.findall(r"^def (test_\w+)\(", (ROOT / "tests" / path).read_text(), re.MULTILINE))


# What the page may still say is not here.
NOT_HERE = {"several tasks, sequences and molecules"}


def test_nothing_else_is_said_not_to_be_here():
    said = re.findall(r"Not here: (.*?)(?: \||\.)", MAP) + re.findall(r"[^,;.]+ (?:is|are) not here", MAP)
    assert {words.strip() for words in said} == NOT_HERE


def test_a_name_that_means_nothing_is_found_out():
    with pytest.raises(AttributeError):
        resolve("auger.labels.Labels.zz")
    with pytest.raises(AttributeError):
        resolve("auger.nothing.label")

"""The page about security: every promise in its table has a test that exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
ROWS = [line for line in PAGE.partition("## Threats")[2].splitlines() if re.match(r"\| [^-*|]", line)][1:]


def test_every_threat_has_what_happens_and_a_test():
    assert len(ROWS) > 20
    for row in ROWS:
        assert re.fullmatch(
            r"\| [^|]+ \| [^|]+ \| `tests/[\w/]+\.py::test_\w+`(, `tests/[\w/]+\.py::test_\w+`)* \|", row
        ), row


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(tests/[\w/]+\.py::\w+)`", PAGE))))
def test_a_test_that_the_page_names_is_there(name):
    path, _, function = name.partition("::")
    tree = ast.parse((ROOT / path).read_text())
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}

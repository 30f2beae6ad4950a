import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
SNIPPET = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["hosts.ray.domains", "hosts.ray.searcher", "studies.engines.ray"])
def test_the_examples_of_a_module_run(name):
    assert doctest.testmod(importlib.import_module(f"auger.{name}")).failed == 0


def output_of(page, tmp_path):
    """What the snippets of a page print."""
    (tmp_path / "page.py").write_text("\n".join(SNIPPET.findall((DOCS / page).read_text())))
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_ADDRESS": "local"}
    environment["HOME"] = str(tmp_path)  # where Ray puts results
    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_snippets_of_the_page_run(tmp_path):
    output = output_of("ray.md", tmp_path)
    losses = re.findall(r"^(\S+) \{.*'model': \{'kind'", output, re.MULTILINE)  # Ray prints a table, too
    assert len(losses) == 2 and all(float(loss) < 0.1 for loss in losses)


def test_the_snippet_for_several_objectives_prints_a_front(tmp_path):
    output = output_of("objectives.md", tmp_path)
    assert re.findall(r"^\(0\.\d+, 0\.\d+\) \{'x': 0\.[0-8]", output, re.MULTILINE)

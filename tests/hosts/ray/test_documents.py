import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "ray.md"
SNIPPET = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["hosts.ray.domains", "hosts.ray.searcher", "studies.engines.ray"])
def test_the_examples_of_a_module_run(name):
    assert doctest.testmod(importlib.import_module(f"auger.{name}")).failed == 0


def test_the_snippets_of_the_page_run(tmp_path):
    (tmp_path / "page.py").write_text("\n".join(SNIPPET.findall(PAGE.read_text())))
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_ADDRESS": "local"}
    environment["HOME"] = str(tmp_path)  # where Ray puts results
    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    losses = re.findall(r"^(\S+) \{.*'model': \{'kind'", done.stdout, re.MULTILINE)  # Ray prints a table, too
    assert len(losses) == 2 and all(float(loss) < 0.1 for loss in losses)

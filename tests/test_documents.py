"""Every snippet in the README and in docs/ runs, each page from top to bottom, in a folder of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from faults.postgres import PASSWORD, Postgres

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_snippets_of_a_page_run(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"latency": 40.0}
    for snippet in SNIPPET.findall(page.read_text()):
        exec(compile(snippet, page.name, "exec"), namespace)


COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
SERVER = "postgresql://me@db.example.org/tuning"  # stands for one of the reader's


@pytest.fixture(scope="module")
def database():
    server = Postgres()
    server.start()
    yield server.database()
    server.remove()


@pytest.mark.parametrize("page", [page for page in PAGES if COMMANDS.search(page.read_text())], ids=name_of)
def test_the_commands_of_a_page_run(page, tmp_path, request):
    script = "\n".join(["set -eu", *COMMANDS.findall(page.read_text())])
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    if SERVER in script:
        script = script.replace(SERVER, request.getfixturevalue("database"))
        environment["PGPASSWORD"] = PASSWORD
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_ten_lines_of_the_readme_are_ten_and_find_something_good(capsys):
    ten = SNIPPET.findall((ROOT / "README.md").read_text())[0]
    assert len(ten.strip().splitlines()) <= 10
    namespace = {}
    exec(compile(ten, "README.md", "exec"), namespace)
    assert namespace["optimizer"].best.value < 0.2


def test_the_table_of_recipes_in_the_readme_is_complete():
    from auger import RECIPES

    table = (ROOT / "README.md").read_text().split("## Recipes")[1].split("## ")[0]
    assert set(RECIPES) <= set(re.findall(r"`([a-z-]+)`", table))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=name_of)
def test_no_line_outside_of_tables_is_longer_than_120_characters(page):
    lines = enumerate(page.read_text().splitlines(), start=1)
    assert [number for number, line in lines if len(line) > 120 and not line.startswith("|")] == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=name_of)
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target

"""The documentation site: built once with warnings as errors, then read like a visitor reads it."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from sphinx.util.inventory import InventoryFile
from typer.testing import CliRunner

import auger
from auger.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    page.relative_to(DOCS).with_suffix("").as_posix()
    for page in DOCS.rglob("*.md")
    if not page.is_relative_to(DOCS / "_build")
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; whatever Sphinx warns of ends the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", folder / "read"]
    done = subprocess.run([*command, DOCS, folder / "html"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return folder / "html"


class Page(HTMLParser):
    """What a page refers to, what can be referred to in it, and the pages its sidebar lists."""

    def __init__(self, path):
        super().__init__()
        self.references, self.anchors, self.listed = [], set(), set()
        self._depth_of_sidebar = 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.references += [given[key] for key in ("href", "src") if given.get(key)]
        self.anchors.add(given.get("id"))
        if tag == "div" and (self._depth_of_sidebar or "sidebar-tree" in given.get("class", "").split()):
            self._depth_of_sidebar += 1
        if tag == "a" and self._depth_of_sidebar:
            self.listed.add(given["href"])

    def handle_endtag(self, tag):
        if tag == "div" and self._depth_of_sidebar:
            self._depth_of_sidebar -= 1


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_page_of_the_folder_is_in_the_sidebar(site, pages):
    listed = {urlsplit(href).path for href in pages[site / "index.html"].listed}
    assert len(PAGES) > 15
    assert {f"{page}.html" for page in PAGES if page != "index"} <= listed


def broken(path, pages):
    """The references of a page that lead nowhere: no such file, or no such place in it."""
    for reference in pages[path].references:
        parts = urlsplit(reference)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        is_there = target.is_file()
        if is_there and parts.fragment and target in pages:
            is_there = unquote(parts.fragment) in pages[target].anchors
        if not is_there:
            yield reference


def test_every_link_and_picture_leads_somewhere(pages):
    assert sum(len(page.references) for page in pages.values()) > 1000
    wrong = {path.name: found for path in pages if (found := sorted(set(broken(path, pages)) - {"#"}))}
    assert not wrong


def test_the_crawler_finds_what_is_broken(tmp_path):
    (tmp_path / "other.html").write_text('<p id="here"></p>')
    (tmp_path / "page.html").write_text(
        '<a href="other.html#here"></a><a href="other.html#gone"></a><img src="gone.png"><a href="https://example.org"></a>'
    )
    pages = {path: Page(path) for path in tmp_path.iterdir()}
    assert list(broken(tmp_path / "page.html", pages)) == ["other.html#gone", "gone.png"]


def documented(site):
    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, name: name)
    return {name for kind, names in inventory.items() if kind.startswith("py:") for name in names}


@pytest.mark.parametrize(
    "room", ["auger", "auger.classifiers", "auger.maximizers", "auger_bench.problems", "auger.testing"]
)
def test_every_public_name_is_documented(site, room):
    __import__(room)
    names = {f"{room}.{name}" for name in sys.modules[room].__all__}
    assert names - documented(site) == set()


def listed_commands(*words):
    """The commands that the help of a command lists."""
    told = CliRunner().invoke(app, [*words, "--help"]).output
    return [line.split()[0] for line in told.split("Commands:")[1].strip().splitlines()]


def test_every_command_has_a_section_with_its_help(site, pages):
    commands = [("bench", name) for name in listed_commands("bench")]
    commands += [(name,) for name in listed_commands() if name != "bench"]
    assert len(commands) > 12
    anchors, text = pages[site / "command-line.html"].anchors, (site / "command-line.html").read_text()
    assert [words for words in commands if f"auger-{'-'.join(words)}" not in anchors] == []
    assert [words for words in commands if f"Usage: auger {' '.join(words)} " not in text] == []


def test_the_version_is_the_packages(site):
    assert f"auger {auger.__version__}" in (site / "index.html").read_text()

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from typer.testing import CliRunner

from auger.cli.main import app
from auger.errors import AugerError
from auger_bench.methods.interface import MissingLibraryError
from auger_bench.paper import FIGURES, formats_of, write

pytest.importorskip("matplotlib", reason="figures need matplotlib")


# `unseen` is drawn like the other experiments, and its 28 panels take as long as all others together
@pytest.mark.parametrize("name", [name for name in FIGURES if name != "unseen"])
def test_a_figure_is_written_as_a_picture_and_as_xml(tmp_path, name):
    paths = write(name, tmp_path / "new" / "folder", formats=["png", "svg"])
    assert [path.name for path in paths] == [f"{name}.png", f"{name}.svg"]
    png, svg = paths
    assert png.read_bytes().startswith(b"\x89PNG")
    assert 5_000 < png.stat().st_size < 150_000
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")


def test_the_same_figure_gives_the_same_file(tmp_path):
    one, two = (write("teaser", tmp_path / folder, formats=["svg"])[0].read_bytes() for folder in ("one", "two"))
    assert one == two


def test_only_the_steps_move():
    assert [name for name in FIGURES if "gif" in formats_of(name)] == ["steps"]


def test_an_unknown_figure_is_refused_and_the_nearest_named(tmp_path):
    with pytest.raises(AugerError, match="must be a figure of the paper. Got 'teser'. Did you mean 'teaser'"):
        write("teser", tmp_path)


@pytest.mark.parametrize(("formats", "words"), [(["pdf"], "one of png, svg, gif. Got 'pdf'"), ([], "Got none")])
def test_unknown_formats_are_refused(tmp_path, formats, words):
    with pytest.raises(AugerError, match=words):
        write("epochs", tmp_path, formats=formats)


def test_there_is_no_gif_of_what_does_not_move(tmp_path):
    with pytest.raises(AugerError, match="'epochs' is no animation, so it has no GIF. Animations: steps"):
        write("epochs", tmp_path, formats=["gif"])


@pytest.mark.parametrize("name", FIGURES)
def test_without_matplotlib_the_message_says_what_to_install(monkeypatch, tmp_path, name):
    for module in [module for module in sys.modules if module.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingLibraryError, match=r'pip install "auger\[figures\]"'):
        write(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


# --- the command line ---


def run(*arguments):
    result = CliRunner().invoke(app, ["figures", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_paths_go_to_stdout_and_talk_to_stderr(tmp_path):
    done = run("epochs", "singularities", "--out", tmp_path, "--format", "png")
    assert done.stdout.split() == [str(tmp_path / "epochs.png"), str(tmp_path / "singularities.png")]
    assert done.stderr.splitlines() == ["drawing epochs (1 of 2)", "drawing singularities (2 of 2)"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["epochs.png", "singularities.png"]


@pytest.mark.parametrize("formats", [["--format", "svg", "--format", "png,svg"], []], ids=str)
def test_formats_are_repeated_or_listed_and_all_by_default(tmp_path, formats):
    run("epochs", "--out", tmp_path, *formats)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["epochs.png", "epochs.svg"]


def test_all_that_moves_is_drawn_if_only_gifs_are_asked_for(tmp_path):
    path = tmp_path / "steps.gif"
    assert run("--out", tmp_path, "--format", "gif").stdout.split() == [str(path)]
    with Image.open(path) as moving:
        assert (moving.format, moving.n_frames) == ("GIF", 12)  # two an iteration
        assert moving.info["loop"] == 0  # again and again
    assert path.stat().st_size < 1_500_000


def test_the_list_has_every_figure_with_a_sentence_and_draws_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = run("--list").stdout.splitlines()
    assert [row.split()[0] for row in rows] == list(FIGURES)
    assert all(len(row.split()) > 5 for row in rows)
    assert not list(tmp_path.iterdir())


def test_a_wrong_name_is_told_before_any_figure_is_drawn(tmp_path):
    with pytest.raises(AugerError, match="Got 'epoch'. Did you mean 'epochs'"):
        run("teaser", "epoch", "--out", tmp_path)
    assert not list(tmp_path.iterdir())


# --- the gallery ---

DOCS = Path(__file__).parents[3] / "docs"


def test_the_gallery_shows_every_figure_with_its_command():
    page = (DOCS / "gallery.md").read_text()
    commands = {word for line in page.splitlines() if line.startswith("    auger figures") for word in line.split()}
    assert set(FIGURES) <= commands
    pictures = {f"{name}.{kind}" for name in FIGURES for kind in formats_of(name) if kind != "svg"}
    assert set(re.findall(r"\(figures/(.*?)\)", page)) == pictures
    pages = [page.read_text() for page in DOCS.rglob("*.md")]
    others = {name for text in pages for name in re.findall(r"\((?:\.\./)?figures/(.*?)\)", text)}
    assert {path.name for path in (DOCS / "figures").iterdir()} == pictures | others

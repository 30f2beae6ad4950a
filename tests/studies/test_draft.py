"""Options read from help texts of several kinds, and what is guessed of them."""

import pytest

from auger.studies.definition import read_study_file
from auger.studies.draft import HelpOption, guesses_of, read_options, study_text
from auger.studies.draft.guesses import guess

ARGPARSE = """\
usage: train [-h] [--lr LR] [--opt {adam,sgd}]

positional arguments:
  data

options:
  -h, --help            show this help message and exit
  --lr LR, -l LR        learning rate (default: 1e-3)
  --opt {adam,sgd}
                        which optimizer
                        to use (default: sgd)
  --cache, --no-cache   keep files
  --fast                be quick

group:
  --size N              a size, defaults to 32.
"""
CLICK = """\
Usage: train [OPTIONS]

Options:
  -l, --lr FLOAT                Learning rate.  [default: 0.1]
  --depth INTEGER RANGE         How deep.  [default: 3; 1<=x<=12]
  --opt [adam|sgd]              Which.
  --cache / --no-cache          Keep files.
  --help                        Show this message and exit.
"""
TYPER = """\
╭─ Options ──────────────────────────────────────────────────────────────╮
│ *  --name     -n      TEXT              Who. [required]                │
│    --lr               FLOAT             Rate. [default: 0.1]           │
│    --depth            INTEGER RANGE [1<=x<=12]  Deep. [default: 3]     │
│    --opt              [adam|sgd]        Which. [default: sgd]          │
│    --help                               Show this message and exit.    │
╰────────────────────────────────────────────────────────────────────────╯
"""
XZ = """\
  -z, --compress      force compression
  -0 ... -9           compression preset; default is 6; take compressor
                      usage into account before using 7-9!
  -T, --threads=NUM   use at most NUM threads; the default is 1
  -h, --help          display this short help and exit
"""


def facts(help_text):
    return [(option.name, option.metavar, option.choices, option.default) for option in read_options(help_text)]


def test_the_help_of_argparse_is_read():
    assert facts(ARGPARSE) == [
        ("lr", "LR", (), 0.001),
        ("opt", "{adam,sgd}", ("adam", "sgd"), "sgd"),
        ("cache", "", (), None),
        ("fast", "", (), None),
        ("size", "N", (), 32),
    ]


def test_the_help_of_click_is_read():
    assert facts(CLICK) == [
        ("lr", "FLOAT", (), 0.1),
        ("depth", "INTEGER RANGE", (), 3),
        ("opt", "[adam|sgd]", ("adam", "sgd"), None),
        ("cache", "", (), None),
    ]
    assert read_options(CLICK)[1].limits == (1, 12)


def test_the_boxes_of_typer_are_read():
    assert [(name, choices, default) for name, _, choices, default in facts(TYPER)] == [
        ("name", (), None),
        ("lr", (), 0.1),
        ("depth", (), 3),
        ("opt", ("adam", "sgd"), "sgd"),
    ]
    assert read_options(TYPER)[2].limits == (1, 12)


def test_the_levels_of_a_compressor_are_one_option():
    compress, level, threads = read_options(XZ)
    assert (compress.metavar, threads.metavar, threads.default) == ("", "NUM", 1)
    assert guess(level).parameter == {"type": "ordinal", "choices": [f"-{i}" for i in range(10)]}
    assert guess(level).default == "-6"


@pytest.mark.parametrize(
    ("name", "default", "expected"),
    [
        ("lr", 0.01, (0.0001, 1.0, True)),
        ("weight-decay", 1e-4, (1e-6, 0.01, True)),
        ("mutation-rate", 0.05, (0.0005, 1.0, True)),
        ("momentum", 0.9, (0.0, 0.99, None)),
        ("subsample", 1.0, (0.0, 1.0, None)),
        ("threshold", 2.5, (0.25, 25.0, True)),
        ("hidden", 128, (32, 512, True)),
        ("depth", 3, (1, 8, None)),
        ("offset", -1.5, None),
        ("shift", 0, None),
        ("seed", 42, None),
        ("num-workers", 4, None),
        ("max-iter", 100, None),
    ],
)
def test_a_range_lies_around_the_default_or_is_not_guessed(name, default, expected):
    parameter = guess(HelpOption((f"--{name}",), "X", default=default)).parameter
    if expected is None:
        assert parameter is None
        return
    assert (parameter["low"], parameter["high"], parameter.get("log")) == expected
    assert parameter["low"] <= default <= parameter["high"]


@pytest.mark.parametrize("help_text", [ARGPARSE, CLICK, TYPER, XZ])
def test_every_draft_is_a_study_file(tmp_path, help_text):
    words = ["./run", "{literal}", 'it\'s "here"']
    path = tmp_path / "draft.toml"
    path.write_text(study_text(words, guesses_of(read_options(help_text), words), "draft.toml"))
    definition = read_study_file(path)
    assert definition.command.arguments({})[:3] == words


def test_a_draft_without_a_range_says_what_to_write(tmp_path):
    text = study_text(["./run"], guesses_of(read_options("  --fast  be quick"), []), "draft.toml")
    assert "# No option has a range that could be guessed." in text and "# --fast: it is a switch  # be quick" in text

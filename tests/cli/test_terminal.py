"""What reaches the terminal of somebody who looks at a study of other people: their names, but no orders to it."""

import csv
import io
import json
import os
import pickle
import re
import shlex
import subprocess
import sys
import unicodedata
from pathlib import Path

import optuna
import pytest
from faults.processes import wait_until
from faults.terminal import InTerminal
from support.command_line import auger as run_auger
from support.command_line import inside
from support.studies import complete, failed, new_study

import auger
from auger import Categorical, Float, Space
from auger.characters import is_shown
from auger.cli.completion import study_places
from auger.errors import AugerError, StorageUnreachableError, StudyError
from auger.schema import WORKER
from auger.studies.definition import Command, ValueRule, read_study_file
from auger.studies.definition.shorthand import read_parameter
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import Owner, machine
from auger.studies.storage import open_storage

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# A color that is ours nowhere, a title, a link, a bell, carriage return and delete, C1 controls, marks of writing
# direction, characters without width, a fake line, and the markup of rich.
ORDERS = (
    "\x1b[35;45m", "\x1b]0;title\x07", "\x1b]8;;http://example.org\x07", "\x9b35m", "\x9d0;t\x9c", "\x85", "\r", "\b",
    "\x7f", "\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041", "\u2028", "\nlr=666", "[bold]", ":smile:",
)  # fmt: skip
NASTY = "".join(ORDERS)
PLAIN = "plain"

# One process runs all commands, because each would import everything again. It is told a line per command.
DRIVER = """
import json, sys
from auger.cli.main import main
for i, arguments in enumerate(json.load(open(sys.argv[1]))):
    print(f"\\n@@ {i}", flush=True)
    sys.argv = ["auger", *arguments]
    try:
        main()
    except SystemExit:
        pass
"""

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[^\[])?")
_CURSOR = re.compile(r"\x1b\[[0-9;?]*[A-Zhl]")


def owner(name):
    return Owner(f"host {name}", machine(), 7, "of another process", "w", "t")


def our_study(folder, name):
    """A study of `auger tune` as another program could have stored it: one complete trial, one failed, one running."""
    space = Space({f"lr {name}": Float(0.0, 1.0), f"act {name}": Categorical([f"relu {name}", f"tanh {name}", "x"])})
    line = re.sub("[\r\n]", " ", name)  # a line of output is one line
    script = f"import sys; sys.stderr.write({f'error {name}'!r}); print({f'loss {line}'!r}, 0.5)"
    command = Command((sys.executable, "-c", script, f"--{name}"), config=True, environment={"V": f"v {name}"})
    study = new_study(
        folder,
        name="ours",
        space=space,
        command=command,
        trials=6,
        recipe="tpe",
        value=ValueRule("regex", pattern=r"loss .*? (\S+)$"),
        defaults={f"lr {name}": 0.5, f"act {name}": f"relu {name}"},
        slots=(f"slot {name}",),
    )
    coordinator = Coordinator(study, owner(name))
    for outcome in (complete(0.5), failed(f"exit code 1: {name}")):
        coordinator.tell(coordinator.ask(outcome.error or ""), outcome)
    coordinator.ask("runs until its process dies")
    return study


def other_study(folder, name):
    """Studies of another program, with our attributes, which it may set, too."""
    storage = open_storage(str(folder / "other.journal"))
    for study_name in (f"study {name}", f"two {name}"):
        study = optuna.create_study(study_name=study_name, storage=storage.optuna, directions=["minimize"])
        study._storage.set_study_system_attr(study._study_id, "study:metric_names", [f"loss {name}"])
        for value in (0.25, 0.75):
            trial = study.ask()
            trial.suggest_float(f"x {name}", 0, 1)
            trial.suggest_categorical(f"kind {name}", [f"a {name}", "b"])
            trial.set_user_attr(f"note {name}", f"note {name}")
            study.tell(trial, value)
        running = study.ask()
        running.set_user_attr(WORKER, owner(name).to_json())
        study.tell(study.ask(), state=optuna.trial.TrialState.FAIL)


def write_files(folder, name):
    """A file of results and study files, each with one thing wrong."""
    with (folder / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"lr {name}", f"act {name}", "value", f"more {name}"])
        writer.writerow([0.25, f"none {name}", 0.5, ""])
        writer.writerow([0.25, f"tanh {name}", f"much {name}", ""])
    quoted = json.dumps(name)
    space = 'x = {{ type = "float", low = 0, high = 1 }}'
    run = '[command]\nrun = ["true", "{x}"]\n'
    files = {
        "table": f"[{quoted}]\n",
        "key": f"[study]\n{quoted} = 1\n",
        "value": f"[study]\ndirection = {quoted}\n",
        "name": f"[study]\nname = {quoted}\n{run}[space]\n{space}\n".format(x="{x}"),
        "parameter": f"{run}[space]\n{quoted} = 1\n",
        "type": f"{run}[space]\nx = {{ type = {quoted}, low = 0, high = 1 }}\n",
        "choice": f"{run}[space]\nx = {{ type = 'categorical', choices = [{quoted}, {quoted}] }}\n",
        "when": f"{run}[space]\nx = {{ type = 'int', low = 0, high = 1, when = {{ {quoted} = 1 }} }}\n",
        "default": f"{run}[space]\nx = {{ type = 'int', low = 0, high = 1 }}\n[defaults]\nx = {quoted}\n",
        "pattern": f"{run}[value]\nread = 'regex'\npattern = {json.dumps('(' + name)}\n[space]\n{space}\n".format(
            x="{x}"
        ),
        "toml": f"[study]\nname = '{name}\n",
    }
    for key, content in files.items():
        (folder / f"{key}.toml").write_text(content, encoding="utf-8")
    (folder / "help.py").write_text(
        f"print('usage: help.py\\n  --lr LR  the rate ' + {name!r} + ' (default: 0.1)')\n"
        f"print('  --act {{a,b}}  act (default: a)')\n"
    )
    return [f"{key}.toml" for key in files]


def commands(folder, name):
    """Every command, and every message about a thing with a name."""
    our_study(folder, name)
    other_study(folder, name)
    files = write_files(folder, name)
    ours, other = "study.journal", ("other.journal", f"study {name}")
    return [
        ["status", ours],
        ["status", "-v", ours],
        ["status", "--json", ours],
        ["best", ours],
        ["best", "--json", ours],
        ["best", "--command", ours],
        ["trials", ours],
        ["trials", "--csv", ours],
        ["trials", "--sort", f"lr {name}", ours],
        ["trials", "--sort", "nothing", ours],
        ["report", ours],
        ["try", ours],
        ["import", "results.csv", ours],
        ["import", "--skip-bad", "results.csv", ours],
        ["import", "results.csv", ours, "--value", f"no {name}"],
        ["tune", ours, "--trials", "9"],
        ["tune", ours, "--json", "--trials", "10"],
        ["worker", ours],
        ["worker", ours, "--workers", "3"],
        ["worker", ours, "--home", f"/nowhere/{name}"],
        ["status", *other],
        ["status", "--json", *other],
        ["best", *other],
        ["best", "--command", *other],
        ["trials", *other],
        ["trials", "--csv", *other],
        ["report", *other],
        ["tune", "other.journal", "--name", f"study {name}"],
        ["status", "other.journal"],
        ["status", "other.journal", f"no {name}"],
        ["rm", *other, "--yes"],
        ["clean", *other],
        ["status", f"{name}.journal"],
        ["try", f"{name}.toml"],
        *(["try", file] for file in files),
        ["try", "--float", f"{name}=0", "--", "true"],
        ["try", "--float", f"x{name}=0:1", "--", "true"],
        ["try", "--float", "x=0:1", "--", f"true{name}"],
        ["try", "--float", "x=0:1", "--", sys.executable, "-c", f"print({name!r}, 'no')", "{x}"],
        ["try", "--value-key", f"loss {name}", "--float", "x=0:1", "--", "echo", '{"a": 1}', "{x}"],
        ["init", "--", sys.executable, "help.py"],
        ["init", f"{name}/study.toml"],
        ["init", "study.toml"],
        ["clean", ours, "--yes"],
        ["rm", ours, "--yes"],
    ]


@pytest.fixture(scope="module")
def screens(tmp_path_factory):
    """What each command writes to a terminal, with names that are nasty, and with plain ones: (command, text) each."""
    running, written = {}, {}
    for kind, name in (("nasty", NASTY), ("plain", PLAIN)):
        folder = tmp_path_factory.mktemp(kind)
        arguments = commands(folder, name)
        (folder / "commands.json").write_text(json.dumps(arguments))
        (folder / "driver.py").write_text(DRIVER)
        terminal = InTerminal(
            [sys.executable, "driver.py", "commands.json"],
            folder=folder,
            environment={**os.environ, "COLUMNS": "200"},
            number=0,
            size=(50, 200),
        )
        running[kind] = terminal, arguments
    for kind, (terminal, arguments) in running.items():
        wait_until(lambda process=terminal.process: process.poll() is not None, "the end of all commands")
        terminal.close()
        texts = re.split(r"\n@@ \d+\r\n", terminal.written.decode())[1:]
        assert len(texts) == len(arguments), terminal.stdout
        written[kind] = [(shlex.join(words), text) for words, text in zip(arguments, texts, strict=True)]
    return written


def orders(text):
    """What a terminal would obey, or nobody would see: escape sequences, and characters that do not show."""
    text = text.replace("\r\n", "\n")
    sequences = set(_SEQUENCE.findall(text))
    rest = _SEQUENCE.sub("", text)
    return sequences | {c for c in rest if unicodedata.category(c)[0] == "C" and c != "\n"} | {*rest} & {"\u2028"}


def test_no_command_passes_on_what_a_terminal_obeys_or_nobody_sees(screens):
    allowed = set().union(*(orders(text) for _, text in screens["plain"]))
    assert {order for order in allowed if not _CURSOR.fullmatch(order)} <= orders_of_rich(allowed)
    for command, text in screens["nasty"]:
        forbidden = {order for order in orders(text) - allowed if not _CURSOR.fullmatch(order)}
        assert not forbidden, f"auger {command!a}\n{text!a}"


def orders_of_rich(allowed):
    """Colors, and the return to the begin of the line."""
    return {order for order in allowed if re.fullmatch(r"\x1b\[[0-9;]*m|\r", order)}


def test_no_command_ends_in_a_traceback_or_in_silence(screens):
    for command, text in [*screens["nasty"], *screens["plain"]]:
        assert "Traceback" not in text and text.strip(), f"auger {command!a}\n{text!a}"


def test_no_name_makes_a_line_of_its_own(screens):
    for command, text in screens["nasty"]:
        if "--csv" in command or ("lr=666" in command and "other.journal" not in command):
            continue  # a cell may have several lines, and so may what the user types
        assert not re.search(r"^lr=666", text, re.MULTILINE), f"auger {command!a}\n{text!a}"


def test_the_tests_reach_what_they_are_about(screens):
    """Each name is on some screen."""
    text = "".join(text for _, text in screens["plain"])
    for word in ("lr", "act", "relu", "error", "loss", "host", "slot", "study", "two", "x", "kind", "more", "no"):
        assert f"{word} {PLAIN}" in text, word


def test_names_of_any_language_and_emoji_are_shown_as_they_are(tmp_path):
    names = ["größe", "学习率", "ルート　値", "👩\u200d🔬", "1\u202f000", "क्\u200dष", "מהירות"]
    space = Space({name: Float(0.0, 1.0) for name in names})
    study = new_study(tmp_path, space=space)
    coordinator = Coordinator(study, owner(""))
    coordinator.tell(coordinator.ask("a"), complete(0.5))
    listed = inside("trials", "study.journal", cwd=tmp_path).output
    assert all(f"{name}=" in listed for name in names)


@pytest.mark.parametrize("name", ["\x1b[31mlr", "lr\n", "l\u202er", "l\u200br", "l\x85r", "pay\u200dpal"])
def test_a_parameter_whose_name_cannot_be_seen_is_refused_in_a_study_file_and_on_the_command_line(tmp_path, name):
    path = tmp_path / "a.toml"
    table = '{ type = "float", low = 0, high = 1 }'
    path.write_text(f"[command]\nrun = ['true']\nconfig = true\n[space]\n{json.dumps(name)} = {table}\n")
    with pytest.raises(StudyError, match="must be printable text") as refused:
        read_study_file(path)
    assert is_shown(str(refused.value))
    with pytest.raises(StudyError, match="must be printable text"):
        read_parameter("float", f"a{name}b=0:1")


@pytest.mark.parametrize("error", [AugerError, StudyError, StorageUnreachableError])
def test_no_error_of_ours_holds_what_a_terminal_obeys(error):
    raised = pickle.loads(pickle.dumps(error(f"two\nlines of {NASTY}")))
    assert str(raised).startswith("two\nlines of \\x1b[35;45m") and orders(str(raised)) == set()


def test_the_commands_print_by_one_function_only():
    folder = Path(auger.__file__).parent / "cli"
    prints = re.compile(r"(?<!console\.)\bprint\(|\.s?echo\(")
    printing = {path.name for path in folder.glob("*.py") if prints.search(path.read_text())}
    assert printing == {"echo.py"}


def test_a_csv_file_has_the_names_as_they_are_and_a_terminal_gets_escapes(tmp_path, screens):
    our_study(tmp_path, NASTY)
    written = inside("trials", "--csv", "study.journal", cwd=tmp_path).output
    assert f"relu {NASTY}" in next(csv.DictReader(io.StringIO(written, newline="")))[f"act {NASTY}"]
    on_screen = next(text for command, text in screens["nasty"] if command == "trials --csv study.journal")
    assert "relu \\x1b[35;45m" in on_screen


def test_json_stays_json_whatever_the_names(screens):
    for command, text in screens["nasty"]:
        if "--json" in command and "tune" not in command:
            assert json.loads(text)["study" if "status" in command else "config"], command
    events = next(text for command, text in screens["nasty"] if "--json --trials" in command)
    assert all(json.loads(line)["event"] for line in events.splitlines() if line.startswith("{"))


def test_the_settings_that_are_printed_are_toml_and_a_command_that_say_the_same(tmp_path):
    our_study(tmp_path, NASTY)
    settings = tomllib.loads(inside("best", "study.journal", cwd=tmp_path).stdout)
    assert settings == {f"lr {NASTY}": 0.5, f"act {NASTY}": f"relu {NASTY}"}
    command = inside("best", "--command", "study.journal", cwd=tmp_path).stdout
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True).stdout
    assert f"V=v {NASTY}".encode() in words.split(b"\0") and f"--{NASTY}".encode() in words.split(b"\0")


def test_the_shell_is_not_offered_a_file_whose_name_gives_orders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("plain.toml", "\x1b[35;45m.toml", "\u202e.journal"):
        Path(name).touch()
    assert study_places("") == ["plain.toml"]


@pytest.mark.parametrize("name", ["../../x", "con/../../etc", "..", "/etc/x", "\x1b[31m", "a\nb", "\u202e", "C:\\x"])
def test_no_file_is_written_elsewhere_because_of_the_name_of_a_study(tmp_path, name):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    storage = open_storage(str(folder / "a.journal"))
    study = optuna.create_study(study_name=name, storage=storage.optuna)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    inside("report", "a.journal", cwd=folder)
    (page,) = folder.glob("*.html")
    assert is_shown(page.name) and not page.name.startswith(".") and [*tmp_path.rglob("*.html")] == [page]
    if name != "..":
        with pytest.raises(StudyError, match="must be printable text without a slash"):
            new_study(folder, name=name)


@pytest.mark.parametrize("command", [["trials"], ["trials", "--csv"], ["status"], ["best"]], ids=" ".join)
def test_half_a_character_and_a_terminal_without_unicode_are_no_traceback(tmp_path, command):
    our_study(tmp_path, "値 \ud800")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = run_auger(*command, "study.journal", cwd=tmp_path, env=environment)
    assert done.returncode == 0 and "\\u5024" in done.stdout and "ud800" in done.stdout, done.stderr

"""Study files: what is wrong with one is said before the first trial, with its file, line and key."""

import re

import pytest
from support.programs import HEAD, write

from auger import Categorical, Float, Int, Ordinal
from auger.errors import StudyError
from auger.studies.definition import Command, Limits, ReportRule, Reservation, ValueRule, read_study_file

FULL = """\
[study]
name = "digits-svm"
direction = "maximize"
trials = 60
time = "1h30m"
workers = 2
seed = 0
recipe = "tpe"
storage = "sqlite:///digits.db"
retries = 2
pruner = "median"
constraints = ["C * width <= 10000"]
initial = [{ C = 1, kernel = "rbf", width = 16 }, { C = 2.5, kernel = "poly", degree = 3, width = 32 }]

[command]
run = ["python", "train.py", "--C", "{C}", "--kernel={kernel}", ["--degree", "{degree}"]]
environment = { WIDTH = "{width}" }
folder = "runs"
time_limit = "90s"
memory_limit = "2GB"

[value]
read = "json"
key = "accuracy"

[report]
read = "regex"
pattern = 'epoch (?P<step>\\d+): (?P<value>\\S+)'
stream = "stderr"

[ray]
cpus = 2
gpus = 0.5
memory = "4GB"
resources = { fast_disk = 1 }

[space]
C = { type = "float", low = 1e-3, high = 1e3, log = true }
kernel = { type = "categorical", choices = ["rbf", "poly"] }
degree = { type = "int", low = 2, high = 5, when = { kernel = ["poly"] } }

[space.width]
type = "ordinal"
choices = [16, 32, 64]

[defaults]
C = 1
kernel = "rbf"
width = 16
"""


def test_a_file_with_everything_is_read(tmp_path):
    definition = read_study_file(write(tmp_path, FULL))
    assert (definition.name, definition.objectives.described(), definition.trials, definition.time) == (
        "digits-svm",
        {"value": "maximize"},
        60,
        5400,
    )
    assert (definition.workers, definition.seed, definition.recipe, definition.retries) == (2, 0, "tpe", 2)
    assert (definition.storage, definition.pruner) == ("sqlite:///digits.db", "median")
    assert definition.home == str(tmp_path) and definition.trials_folder == tmp_path / "runs"
    assert definition.limits == Limits(90.0, 2_000_000_000)
    assert definition.ray == Reservation(2, 0.5, 4_000_000_000, {"fast_disk": 1})
    assert definition.command == Command(
        ("python", "train.py", "--C", "{C}", "--kernel={kernel}", ("--degree", "{degree}")),
        environment={"WIDTH": "{width}"},
    )
    assert definition.value == ValueRule("json", key="accuracy")
    pattern = r"epoch (?P<step>\d+): (?P<value>\S+)"
    assert definition.report == ReportRule("regex", pattern=pattern, stream="stderr")
    assert definition.space.parameters == {
        "C": Float(1e-3, 1e3, log=True),
        "kernel": Categorical(["rbf", "poly"]),
        "degree": Int(2, 5, when={"kernel": ["poly"]}),
        "width": Ordinal([16, 32, 64]),
    }
    assert [rule.text for rule in definition.space.constraints] == ["C * width <= 10000"]
    assert definition.defaults == {"C": 1.0, "kernel": "rbf", "width": 16}
    assert definition.initial[1] == {"C": 2.5, "kernel": "poly", "degree": 3, "width": 32}


def test_the_least_file_is_read_with_defaults(tmp_path):
    text = '[command]\nfunction = "package.train:loss"\n[space]\nx.type = "int"\nx.low = 1\nx.high = 3\n'
    definition = read_study_file(write(tmp_path, text, "mine.toml"))
    assert (definition.name, definition.objectives.described(), definition.trials, definition.workers) == (
        "mine",
        {"value": "minimize"},
        None,
        1,
    )
    assert definition.storage == str(tmp_path / "mine.journal")
    assert definition.command.function == "package.train:loss"


def test_a_storage_without_a_scheme_is_a_file_beside_the_study_file(tmp_path, monkeypatch):
    text = HEAD.replace("[command]", 'storage = "a.journal"\n[command]')
    monkeypatch.chdir("/")
    assert read_study_file(write(tmp_path, text)).storage == str(tmp_path / "a.journal")


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path):
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode())
    assert read_study_file(path).name == "small"


def broken(line, by):
    """The full file with one line replaced, and the number of that line."""
    lines = FULL.splitlines()
    number = next(i for i, text in enumerate(lines) if text.startswith(line))
    lines[number] = by
    return "\n".join(lines), number + 1


@pytest.mark.parametrize(
    ("line", "by", "message"),
    [
        # wrong types
        ("name", "name = 3", r"\[study\] name: must be printable text without a slash, .* Got 3\."),
        ("direction", "direction = 1", r"\[study\] direction: unknown value 1\. Known:"),
        ("direction", 'direction = "maximise"', r"\[study\] direction: .* Did you mean 'maximize'\?"),
        ("trials", 'trials = "60"', r'\[study\] trials: must be a whole number of at least 1\. Got "60"\.'),
        ("trials", "trials = -1", r"\[study\] trials: "),
        ("workers", "workers = 0", r"\[study\] workers: "),
        ("seed", "seed = 1.0", r"\[study\] seed: "),
        ("recipe", 'recipe = "tpo"', r"\[study\] recipe: .* Did you mean 'tpe'\?"),
        ("storage", "storage = 5", r"\[study\] storage: must be text in quotes\. Got 5\."),
        ("time ", 'time = "soon"', r'\[study\] time: must be a time above 0 .* Got "soon"\.'),
        ("pruner", 'pruner = "meridian"', r"\[study\] pruner: "),
        ("constraints", 'constraints = "C <= 1"', r"\[study\] constraints: must be a list of texts"),
        ("constraints", 'constraints = ["C <= "]', r"\[study\] constraints: Constraint 'C <= ' must be a Python"),
        ("constraints", 'constraints = ["c <= 1"]', r"\[study\] constraints: .* names 'c', which is not a parameter"),
        ("constraints", 'constraints = ["C < 0"]', r"\[study\] constraints: .* must leave something to try"),
        ("initial", "initial = { C = 1 }", r"\[study\] initial: must be a list of tables"),
        ("initial", "initial = [{ C = 1 }]", r"\[study\] initial: `kernel` is missing"),
        ("run", 'run = "python train.py"', r"\[command\] run: must be a list that begins with a program"),
        ("run", 'run = ["python", 3]', r'\[command\] run: must be a list of texts in quotes, such as "10"'),
        ("environment", 'environment = "A=1"', r"\[command\] environment: must be a table"),
        ("folder", "folder = 1", r"\[command\] folder: must be text in quotes"),
        ("time_limit", "time_limit = -1", r"\[command\] time_limit: must be a time above 0"),
        ("memory_limit", 'memory_limit = "2 apples"', r"\[command\] memory_limit: must be a size"),
        ("C = {", "C = 3", r"\[space\] C: must be a table such as { type = \"float\", low = 0, high = 1 }\. Got 3\."),
        ("C = {", 'C = { type = "flaot" }', r"\[space\] C: unknown type .flaot.\. Did you mean 'float'"),
        ("C = {", "C = { low = 1 }", r"\[space\] C: `type` is missing\. Known: 'float', 'int'"),
        ("C = {", 'C = { type = "float", low = 1 }', r"\[space\] C: `high` is missing\."),
        ("C = {", 'C = { type = "float", low = 1, hihg = 2}', r"\[space\] C: unknown key 'hihg'\. Did you mean 'high'"),
        ("C = {", 'C = { type = "float", low = 2, high = 1 }', r"\[space\] C: `low` must be below `high`\. Got"),
        ("kernel = {", 'kernel = { type = "categorical", choices = [2020-01-01] }', r"\[space\] kernel: a choice"),
        ("cpus", "cpus = -1", r"\[ray\] cpus: must be a whole number, or a share between 0 and 1\. Got -1\."),
        ("gpus", "gpus = 1.5", r"\[ray\] gpus: must be a whole number, or a share"),
        ("gpus", "gpus = true", r"\[ray\] gpus: must be a whole number, or a share .* Got true"),
        ("gpus", "gpus = inf", r"\[ray\] gpus: must be a whole number, or a share .* Got inf"),
        ("memory =", 'memory = "much"', r"\[ray\] memory: must be a size"),
        ("resources", "resources = 3", r"\[ray\] resources: must be a table such as"),
        ("resources", "resources = { disk = 0 }", r"\[ray\] resources: disk must be a whole number, or a share"),
        ("resources", "resources = { GPU = 1 }", r"\[ray\] resources: 'GPU' must be set with its own key, `gpus`"),
        # unknown keys
        ("cpus", "cpu = 2", r"\[ray\] cpu: unknown key\. Did you mean 'cpus'\?"),
        ("retries", "retires = 2", r"\[study\] retires: unknown key\. Did you mean 'retries'\?"),
        ("folder", "folders = 'runs'", r"\[command\] folders: unknown key\. Did you mean 'folder'\?"),
        ("key", 'kye = "accuracy"', r"\[value\] kye: unknown key\. Did you mean 'key'\?"),
        ("stream", 'steam = "stderr"', r"\[report\] steam: unknown key\. Did you mean 'stream'\?"),
        ("[value]", "[vlaue]", r"\[vlaue\]: unknown table\. Did you mean 'value'\?"),
        # placeholders and parameters
        ("run", 'run = ["a", "{C}", "{kernl}", "{degree}"]', r"\[command\] run: .* Did you mean 'kernel'\?"),
        ("run", 'run = ["a", "{kernel}", "{degree}"]', r"\[command\] run: the parameter 'C' never reaches the program"),
        ("environment", 'environment = { WIDTH = "{with}" }', r"\[command\] environment: '{with}' mentions {with}"),
        # value rules
        ("read = \"json\"", 'read = "JSON"', r'\[value\] read: unknown value "JSON"\.'),
        ("key", "key = 3", r"\[value\] key: must be text in quotes\. Got 3\."),
        ("pattern", "pattern = '('", r"\[report\] pattern: must be a valid regular expression\. Got '\(': missing \)"),
        ("pattern", "pattern = 'loss'", r"\[report\] pattern: must have one group"),
        # what does not fit together
        ("kernel = \"rbf\"", 'kernel = "linear"', r"\[defaults\]: `kernel` must be one of rbf, poly\."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_file_line_and_key(tmp_path, line, by, message):
    text, number = broken(line, by)
    path = write(tmp_path, text)
    where = r"\d+" if "defaults" in message else number
    with pytest.raises(StudyError, match=rf"study\.toml, line {where}: {message}"):
        read_study_file(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"study\.toml: \[space\]: must have at least one parameter"),
        ("[space]\n", r"study\.toml, line 1: \[space\]: must have at least one parameter"),
        ("[space]\nx = { type = 'int', low = 1, high = 2 }", r"study\.toml: \[command\]: must have either `run`"),
        (HEAD + "[value]\nread = 'json'", r"line 8: \[value\] read: `read = \"json\"` needs a `key`\."),
        (
            HEAD + "[space.y]\ntype = 'int'\nlow = 1\nhigh = 2\nwhen = { z = 1 }",
            r"\[space\] y: `when` mentions 'z', which is no other parameter",
        ),
        ("name = 'a'\n" + HEAD, r"study\.toml: 'name' must be inside one of the tables: \[study\]"),
        ("study = 3\n", r"study\.toml, line 1: \[study\]: must be a table\. Got 3\."),
        ("[[space]]\n", r"study\.toml, line 1: \[space\]: must be a table\. Got \[{}\]\."),
        ("[study\n", r"study\.toml: a study file must be valid TOML\. .*line 1"),
        ("x = " + "[" * 5000, r"study\.toml: a study file must be valid TOML\."),
        (
            HEAD.replace("[command]", "pruner = 'median'\n[command]"),
            r"line 3: \[study\] pruner: needs a \[report\] table",
        ),
        (HEAD.replace("run", "function = 'm:f'\nrun"), r"line 3: \[command\]: must have either"),
        (
            HEAD.replace('run = ["true", "{x}"]', "function = 'm:f'\n[value]\nread='json'"),
            r"\[value\]: must be left out with `function`",
        ),
    ],
)
def test_a_file_that_cannot_be_run_is_refused(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(StudyError, match=message):
        read_study_file(path)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "study.toml"
    path.write_bytes(b"[study]\nname = '\xff'")
    with pytest.raises(StudyError, match=r"study\.toml: a study file must be UTF-8 text\. Byte 16 is not\."):
        read_study_file(path)


def test_a_file_that_is_not_there_is_named_with_the_nearest_and_without_a_number_of_the_system(tmp_path):
    write(tmp_path, HEAD, "bake.toml")
    with pytest.raises(StudyError, match=r"^There is no study file \S*bkae\.toml\. Did you mean '\S*bake\.toml'\?$"):
        read_study_file(tmp_path / "bkae.toml")
    with pytest.raises(StudyError, match=r"^There is no study file \S*/x\.toml\. `auger init \S*x.toml` writes one"):
        read_study_file(tmp_path / "x.toml")
    with pytest.raises(StudyError, match=r"^The study file cannot be read\. \S+: is a directory\.$"):
        read_study_file(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("train.py", "import sys", "python train.py"),
        ("train.sh", "", "sh train.sh"),
        ("train", "#!/bin/sh\necho 1", "./train"),
    ],
)
def test_a_program_in_place_of_a_study_file_is_told_what_to_do_with_it(tmp_path, monkeypatch, name, content, command):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, content, name)
    with pytest.raises(StudyError) as caught:
        read_study_file(name)
    assert str(caught.value).startswith(f"{name} is a program, not a study file. `auger init -- {command}` proposes")
    assert f"-- {command} --lr {{lr}}`" in str(caught.value)
    assert "TOML" not in str(caught.value)


PYTHON_WORDS = re.compile(r"\b(None|True|False|dict|tuple|list\(|str|bool|int\)|hashable|Categorical|datetime|Float\()")


@pytest.mark.parametrize(
    "change",
    [
        ("trials = 2", "trials = true"),
        ("trials = 2", "direction = true"),
        ("trials = 2", "recipe = true"),
        ("trials = 2", "time = { a = true }"),
        ("trials = 2", "constraints = true"),
        ("trials = 2", "initial = [{ x = true }]"),
        ("trials = 2", "initial = [{ x = { a = true } }]"),
        ("trials = 2", "initial = [{}]"),
        ("trials = 2", "initial = [{ x = 1, y = false }]"),
        ("trials = 2", "storage = true"),
        ('name = "small"', "name = true"),
        ('["echo", "{x}"]', "true"),
        ('["echo", "{x}"]', '["echo", true, "{x}"]'),
        ('["echo", "{x}"]', '["echo", ["{x}", false]]'),
        ('run = ["echo", "{x}"]', "function = true"),
        ('"{x}"]', '"{x}"]\nenvironment = { A = true }'),
        ('"{x}"]', '"{x}"]\ntime_limit = true'),
        ('"{x}"]', '"{x}"]\nmemory_limit = [false]'),
        ('"{x}"]', '"{x}"]\nfolder = true'),
        ('"{x}"]', '"{x}"]\n[value]\nread = true'),
        ('"{x}"]', '"{x}"]\n[value]\nread = "json"\nkey = ["a", true]'),
        ('"{x}"]', '"{x}"]\n[ray]\nresources = { a = true }'),
        ('"{x}"]', '"{x}"]\n[defaults]\nx = true'),
        ("high = 1", "high = true"),
        ("high = 1", "high = 0"),
        ("high = 1", "high = 1, log = true"),
        ("high = 1", 'high = 1, log = "yes"'),
        ("high = 1", "high = 1, when = true"),
        ("high = 1", "high = 1, when = { x = [true] }"),
        ('type = "float", low', "low"),
        ('type = "float", low = 0, high = 1', 'type = "categorical", choices = "a"'),
        ('type = "float", low = 0, high = 1', 'type = "categorical", choices = [{ a = true }]'),
        ('type = "float", low = 0, high = 1', 'type = "categorical", choices = [2020-01-01]'),
        ('type = "float", low = 0, high = 1', 'type = "categorical", choices = [true, 1]'),
        ('{ type = "float", low = 0, high = 1 }', "[0, true]"),
    ],
    ids=lambda change: change[1],
)
def test_no_error_about_a_study_file_has_words_of_python(tmp_path, change):
    whole = '[study]\nname = "small"\ntrials = 2\n[command]\nrun = ["echo", "{x}"]\n[space]\n'
    whole += 'x = { type = "float", low = 0, high = 1 }\n'
    assert change[0] in whole
    with pytest.raises(StudyError) as caught:
        read_study_file(write(tmp_path, whole.replace(*change)))
    assert not PYTHON_WORDS.search(str(caught.value)), caught.value
    assert re.search(r"study\.toml, line \d+: \[", str(caught.value)), caught.value

"""The study file of `auger init`."""

import re
from dataclasses import fields
from importlib import resources

from support.programs import outcome, write

from auger.studies.definition import ReportRule, ValueRule, read_study_file
from auger.studies.definition.study_file import _KEYS
from auger.studies.trial import check_program

TEMPLATE = resources.files("auger.studies.definition").joinpath("template.toml").read_text(encoding="utf-8")


def test_the_template_runs_as_it_is(tmp_path):
    definition = read_study_file(write(tmp_path, TEMPLATE))
    check_program(definition)
    assert outcome(definition, definition.defaults).value == 0.09 + 2 + 0.4
    assert outcome(definition, {"rate": 0.01, "layers": 3, "solver": "sgd", "momentum": 0.5}).value == 0.4


def test_every_key_is_in_the_template():
    for table, keys in _KEYS.items():
        assert re.search(rf"^(# )?\[{table}\]", TEMPLATE, re.MULTILINE)
        for key in keys or ():
            assert re.search(rf"^(# )?{key} = ", TEMPLATE, re.MULTILINE), key
    for rule in (ValueRule, ReportRule):
        assert all(f"{field.name} = " in TEMPLATE for field in fields(rule))


def test_what_stands_behind_a_hash_could_stand_there_as_well(tmp_path):
    # one at a time, where a line with the same key does not stand there already
    lines = TEMPLATE.splitlines()
    tried = 0
    for number, line in enumerate(lines):
        match = re.match(r"# ((time|workers|slots|storage|retries|repeats|confirm|recipe|constraints|initial|"
                         r"environment|config|folder|time_limit|memory_limit|stream) = .*)", line)  # fmt: skip
        if match:
            changed = [*lines[:number], match[1], *lines[number + 1 :]]
            read_study_file(write(tmp_path, "\n".join(changed)))
            tried += 1
    assert tried == 16

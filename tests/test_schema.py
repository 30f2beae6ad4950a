"""The table of stored attributes is true: whoever it says writes or reads one names it."""

import pytest
from test_architecture import MODULES

from auger import schema


def constant_of(name):
    return next(key for key, value in vars(schema).items() if key.isupper() and value == name)


@pytest.mark.parametrize("attribute", schema.ATTRIBUTES, ids=lambda attribute: attribute.name)
def test_writers_and_readers_name_the_attribute(attribute):
    constant = constant_of(attribute.name)
    for module in (*attribute.writers, *attribute.readers):
        text = MODULES[f"auger.{module}"].read_text()
        via_trials = attribute.name in ("auger:origin", "auger:provenance") and "attributes_of" in text
        assert constant in text or via_trials, f"{module} does not name {constant}"


def test_nobody_else_names_them():
    for attribute in schema.ATTRIBUTES:
        told = {f"auger.{module}" for module in (*attribute.writers, *attribute.readers)} | {"auger.schema"}
        constant = f"schema.{constant_of(attribute.name)}"
        others = {name for name, path in MODULES.items() if constant in path.read_text()} - told
        assert not others, f"{others} use {constant}"


def test_names_are_listed_once_and_no_longer_written_ones_have_no_writer():
    names = [attribute.name for attribute in schema.ATTRIBUTES]
    assert len(set(names)) == len(names)
    assert all(not attribute.writers for attribute in schema.ATTRIBUTES if attribute.until is not None)

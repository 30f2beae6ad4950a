"""The table of stored attributes is true: whoever it says writes or reads one names it."""

import ast

import pytest
from test_architecture import MODULES

from auger import schema


def constant_of(attribute):
    return next(key for key, value in vars(schema).items() if key.isupper() and value == attribute.name)


def users(constant):
    """The modules that name a constant of the schema, by either way of importing it."""
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            is_imported = isinstance(node, ast.ImportFrom) and node.module == "auger.schema"
            if is_imported and constant in {alias.name for alias in node.names}:
                yield module
            if isinstance(node, ast.Attribute) and node.attr == constant and getattr(node.value, "id", "") == "schema":
                yield module


@pytest.mark.parametrize("attribute", schema.ATTRIBUTES, ids=lambda attribute: attribute.name)
def test_its_writers_and_readers_name_it_and_nobody_else_does(attribute):
    listed = {f"auger.{module}" for module in (*attribute.writers, *attribute.readers)}
    assert set(users(constant_of(attribute))) == listed


def test_names_are_listed_once_and_no_longer_written_ones_have_no_writer():
    names = [attribute.name for attribute in schema.ATTRIBUTES]
    assert len(set(names)) == len(names)
    assert all(not attribute.writers for attribute in schema.ATTRIBUTES if attribute.until is not None)

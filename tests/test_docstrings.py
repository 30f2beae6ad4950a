"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import auger
import auger_bench

# the last three need environments of their own, and have tests there
NOT_HERE = (
    "auger.__main__",
    "auger.classifiers._trees",
    "auger.hosts.hpbandster",
    "auger.hosts.ray",
    "auger.studies.engines.ray",
)
MODULES = [
    module.name
    for package in (auger, auger_bench)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", ["auger", *(name for name in MODULES if not name.startswith(NOT_HERE))])
def test_the_examples_of_a_module_run(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = ("auger.optimizer", "auger.space.space", "auger.recipes.presets", "auger_bench.problems.names")
    for name in modules:
        assert any(found.examples for found in finder.find(importlib.import_module(name)))

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["domains", "engine", "searcher"])
def test_the_examples_of_a_module_run(name):
    assert doctest.testmod(importlib.import_module(f"auger.hosts.ray.{name}")).failed == 0

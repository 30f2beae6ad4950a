"""What version 0.1 stored, read today. The files of a whole run are in other tests; these are the odd corners."""

import pickle

import pytest

from auger import Categorical, Float, Space
from auger.old_formats import load_pickle
from auger.space.constraints import Expression


@pytest.mark.parametrize(
    ("value", "module", "old"),
    [
        (Float(0.0, 1.0, log=False), b"auger.space.numbers", b"auger.parameters.numbers"),
        (Categorical(("a", "b")), b"auger.space.choices", b"auger.parameters.choices"),
    ],
)
def test_a_parameter_pickled_under_its_old_module_is_read(value, module, old):
    data = pickle.dumps(value, protocol=2)
    assert module in data
    assert load_pickle(data.replace(module, old)) == value


def test_a_pickle_of_today_is_read():
    space = Space({"x": (0.0, 1.0), "n": (1, 9)}, constraints=["x * n <= 4"])
    twin = load_pickle(pickle.dumps(space))
    assert twin.to_json() == space.to_json()
    assert twin.decode(twin.encode([{"x": 0.5, "n": 3}])) == [{"x": 0.5, "n": 3}]
    assert all(isinstance(rule, Expression) for rule in twin.constraints)


def test_a_module_that_a_pickled_function_uses_may_have_moved():
    cloudpickle = pytest.importorskip("cloudpickle")
    data = b"ccloudpickle.cloudpickle\nsubimport\n(Vauger.constraints\ntR."
    assert cloudpickle.loads(b"ccloudpickle.cloudpickle\nsubimport\n(Vmath\ntR.").__name__ == "math"
    assert load_pickle(data).__name__ == "auger.space.constraints"

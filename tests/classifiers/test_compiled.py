"""C and NumPy agree to the last bit."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.labels import labels_of, plain
from support.strategies import spaces

from auger.classifiers import ExtraTrees, compiled, trees
from auger_bench.problems import problem

pytestmark = pytest.mark.skipif(not compiled.is_available(), reason="the C core was not built, or AUGER_PURE is set")


@st.composite
def samples(draw):
    """Mixed and conditional spaces, repeated rows, repeated and extreme masses, all rows or some for each tree."""
    space = draw(spaces(constrained=False))
    n, n_different = draw(st.integers(2, 400)), draw(st.integers(1, 400))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = space.sample(n_different, rng)[rng.integers(n_different, size=n)]
    levels = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1 / 3, 1e-9, 1e12]), min_size=1, max_size=4)))
    positive, negative = levels[rng.integers(len(levels), size=(2, n))]
    if draw(st.booleans()):
        positive *= rng.random(n)
    positive[0], negative[1] = 1.0, 1.0
    settings = ExtraTrees(n_trees=draw(st.integers(1, 6)), max_rows=256, n_rows=draw(st.integers(2, 256)))
    sample = settings._sample(X, labels_of(positive, negative), space, rng)
    return sample, draw(st.integers(1, 6)), draw(st.integers(0, 2**64 - 1)), space.sample(50, rng)


@given(case=samples())
def test_c_and_numpy_grow_the_same_trees_and_score_alike_to_the_last_bit(case):
    sample, max_features, seed, X = case
    one, other = trees.grow(sample, max_features, seed), compiled.grow(sample, max_features, seed)
    for field in ("column", "threshold", "draw", "child", "value"):
        assert getattr(one, field).tobytes() == getattr(other, field).tobytes(), field
    assert trees.score(one, X).tobytes() == compiled.score(one, X).tobytes()


@pytest.mark.parametrize("few", [0, 10**9])
def test_how_numpy_goes_through_the_columns_changes_nothing(few, monkeypatch):
    space = problem("conditional").space
    X = space.sample(200, np.random.default_rng(0))
    sample = ExtraTrees()._sample(X, plain(np.arange(200) < 70), space, np.random.default_rng(0))
    monkeypatch.setattr(trees, "_FEW_ENTRIES", few)
    np.testing.assert_array_equal(trees.grow(sample, 2, 7).draw, compiled.grow(sample, 2, 7).draw)


@pytest.mark.parametrize(("value", "expected"), [("1", "False"), ("0", "True"), ("", "True")])
def test_an_environment_variable_asks_for_numpy(value, expected):
    code = "from auger.classifiers import compiled; print(compiled.is_available())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "AUGER_PURE": value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected

"""The tolerance pick against the definition of its distance, pair by pair."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import strategies

from auger.history import History
from auger.maximizers import Tolerance, pick
from auger.space import Float, Int, Space
from auger.trial import State, Trial


class Recorder:
    """In place of a generator: keeps the rows that tie, and takes the first."""

    def choice(self, options):
        self.options = options.tolist()
        return options[0]


def squared_distance(space, a, b):
    """The definition: choices are 0 or 1 apart, a choice and no choice 1/2; an inactive position is in the middle."""
    total = 0.0
    for is_ordered, p, q in zip(space.is_ordered, a.tolist(), b.tolist(), strict=True):
        if is_ordered:
            total += ((0.5 if math.isnan(p) else p) - (0.5 if math.isnan(q) else q)) ** 2
        elif math.isnan(p) != math.isnan(q):
            total += 0.5
        elif p != q and not math.isnan(p):
            total += 1.0
    return total


def farthest(space, X, seen):
    nearest = np.array([min(squared_distance(space, row, other) for other in seen) for row in X])
    return np.flatnonzero(nearest >= nearest.max() - 1e-12).tolist()


def history_of(space, X):
    """Rows of every state: all of them are tried or pending."""
    states = [State.COMPLETE, State.RUNNING, State.FAILED, State.PRUNED]
    trials = [
        Trial(i, config, states[i % 4], math.nan if i % 4 == 0 else None) for i, config in enumerate(space.decode(X))
    ]
    return History(space, trials)


def tied(X, space, history):
    recorder = Recorder()
    Tolerance(1.0).choose(X, np.ones(len(X)), space, history, rng=recorder)
    return recorder.options


@pytest.mark.parametrize("n_pairs", [1, 64, 2**18])
@given(space=strategies.spaces(constrained=False), n=st.integers(1, 40), m=st.integers(1, 20), seed=st.integers(0, 9))
def test_the_rows_farthest_from_all_trials_are_those_of_the_definition(n_pairs, space, n, m, seed):
    rng = np.random.default_rng(seed)
    seen, X = space.sample(n, rng), space.sample(m, rng)
    X = np.concatenate([X, X[: m // 2], seen[: n // 4]])  # rows that tie, and rows that were tried
    with pytest.MonkeyPatch.context() as patch:  # a few observations at a time, or all at once
        patch.setattr(pick, "_PAIRS", n_pairs)
        patch.setattr(pick, "_FEW_ROWS", 1)
        assert tied(X, space, history_of(space, seen)) == farthest(space, X, seen)


@pytest.mark.parametrize(
    "space",
    [
        Space({f"c{i}": ["p", "q", "r", "s"] for i in range(6)}),
        Space({f"i{i}": Int(0, 6) for i in range(5)}),
        Space({"k": ["p", "q"], "c": ["x", "y", "z"], "f": Float(0.0, 1.0, step=0.1), "i": Int(1, 3, when={"k": "p"})}),
    ],
    ids=["choices", "integers", "conditional"],
)
def test_equal_distances_tie_whatever_their_rounding(space):
    # on a grid hundreds of rows are equally far; which of them sums to the largest number is no reason to prefer it
    rng = np.random.default_rng(0)
    seen, X = space.sample(12, rng), space.sample(300, rng)
    expected = farthest(space, X, seen)
    assert len(expected) > 1
    assert tied(X, space, history_of(space, seen)) == expected

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.plots.thin import incumbents, thinned

values = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, float("nan"), float("inf"), -float("inf")]), max_size=30)


@given(values)
def test_an_incumbent_is_better_than_all_before_it(y):
    best, expected = float("inf"), []
    for value in y:
        expected.append(value < best)
        best = best if np.isnan(value) else min(best, value)
    assert incumbents(np.array(y)).tolist() == expected


@given(keep=st.lists(st.booleans(), max_size=120), limit=st.integers(2, 60))
def test_thinning_keeps_what_it_must_and_says_how_many_are_left(keep, limit):
    places, note = thinned(np.array(keep, dtype=bool), limit)
    assert len(places) <= max(limit, 0) and (np.diff(places) > 0).all()
    must = np.flatnonzero(keep)
    if len(keep) <= limit:
        assert places.tolist() == list(range(len(keep))) and note == ""
        return
    assert note.startswith(f"{len(places):,} of {len(keep):,} trials shown: ")
    if len(must) < limit:
        assert set(must) <= set(places)
    else:  # more incumbents than there is room for: the last one, which is the best, stays
        assert places[-1] == must[-1]


@pytest.mark.parametrize(
    ("n", "n_kept", "note"),
    [
        (10_000, 1, "1,668 of 10,000 trials shown: the best, and every 6th."),
        (2_001, 1, "1,001 of 2,001 trials shown: the best, and every 2nd."),
        (100_000, 1, "1,962 of 100,000 trials shown: the best, and every 51st."),
        (5_000, 5_000, "1,668 of 5,000 trials shown: every 3rd of the best."),
    ],
)
def test_the_words_of_thinning(n, n_kept, note):
    assert thinned(np.arange(n) < n_kept)[1] == note

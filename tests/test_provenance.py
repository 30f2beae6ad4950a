"""Where a trial came from: as data, as JSON, in words, and as version 0.1 wrote it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger import text
from auger.old_formats import provenance_of_sentence
from auger.provenance import Origin, Provenance

counts = st.none() | st.integers(0, 10**6)
provenances = st.builds(
    Provenance,
    st.sampled_from(Origin),
    st.text(max_size=20),
    st.none() | st.floats(allow_nan=False),
    counts,
    counts,
    counts,
    st.lists(st.text(min_size=1, max_size=20), max_size=3).map(tuple),
)


@given(provenances)
def test_json_leads_back(provenance):
    data = json.loads(json.dumps(provenance.to_json(), allow_nan=False))
    assert Provenance.from_json(provenance.origin.value, data) == provenance


def test_a_score_that_is_not_a_number_survives_json():
    data = Provenance(Origin.MODEL, "mine", math.nan).to_json()
    assert math.isnan(Provenance.from_json("model", data).score)


@pytest.mark.parametrize(
    ("provenance", "words"),
    [
        (Provenance(), ""),
        (Provenance(notes=("a past result",)), "a past result"),
        (Provenance(Origin.MODEL, "tpe", 0.5, 12), "tpe: score 0.5 from 12 answers"),
        (Provenance(Origin.MODEL, "tpe", 0.5, 12, notes=("a", "b")), "tpe: score 0.5 from 12 answers; a; b"),
        (Provenance(Origin.INITIAL, n_answers=2, n_initial=10), "drawn at random: 2 of 10 answers in, no fit yet"),
        (
            Provenance(Origin.INITIAL, n_answers=2, n_initial=10, sobol_point=7),
            "Sobol point 7: 2 of 10 answers in, no fit yet",
        ),
        (
            Provenance(Origin.RANDOM, n_answers=11),
            "drawn at random: no value to learn from, none of the 11 finished trials has one",
        ),
    ],
)
def test_the_words(provenance, words):
    assert text.reason(provenance) == words


@pytest.mark.parametrize(
    ("origin", "sentence", "provenance"),
    [
        ("model", "auto, trees: score 0.81 from 34 answers", Provenance(Origin.MODEL, "auto, trees", 0.81, 34)),
        (
            "model",
            "bore-rf gamma=0.25: score -1e-05 from 1200 answers; chosen among the 3 configurations left",
            Provenance(
                Origin.MODEL,
                "bore-rf gamma=0.25",
                -1e-05,
                1200,
                notes=("chosen among the 3 configurations left",),
            ),
        ),
        (
            "initial",
            "Sobol point 3: 3 of 10 answers in",
            Provenance(Origin.INITIAL, notes=("Sobol point 3: 3 of 10 answers in",)),
        ),
        ("given", "", Provenance(Origin.GIVEN)),
    ],
)
def test_sentences_of_version_0_1_are_read_and_worded_as_they_were(origin, sentence, provenance):
    assert provenance_of_sentence(origin, sentence) == provenance
    assert text.reason(provenance) == sentence

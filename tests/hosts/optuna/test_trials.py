import math
from dataclasses import replace

import optuna
import pytest
from support.translated_trials import CASES, MODEL, MODEL_STORED, PARAMS

from auger.hosts.optuna.trials import attributes_of, has_answer, objectives_of, provenance_of, trial_of
from auger.objectives import Direction
from auger.provenance import Origin, Provenance
from auger.view import view


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return request.param


@pytest.fixture
def study(case):
    study = optuna.create_study(directions=case.directions)
    study.add_trial(case.frozen)
    return study


def test_a_stored_trial_is_translated_field_by_field(case, study):
    expected = replace(case.trial, config=PARAMS if case.trial.config else {})
    assert repr(trial_of(study.trials[0], objectives_of(study))) == repr(expected)  # NaN is not equal to itself
    assert repr(view(study).trials) == repr((expected,))


def test_number_and_config_may_be_others(case, study):
    trial = trial_of(study.trials[0], objectives_of(study), number=7, config=case.trial.config)
    assert repr(trial) == repr(replace(case.trial, number=7))


def test_what_is_learned_from_is_what_has_an_answer(case, study):
    assert has_answer(study.trials[0]) == case.is_answer
    assert view(study).numbers.tolist() == [0] * case.is_answer


def test_directions_are_those_of_the_study(case, study):
    assert objectives_of(study).directions == tuple(map(Direction, case.directions))


def test_a_provenance_goes_through_attributes():
    assert attributes_of(MODEL) == MODEL_STORED
    for provenance in (MODEL, Provenance(), Provenance(Origin.MODEL, "auto", -math.inf, 3), Provenance(Origin.OTHER)):
        frozen = optuna.trial.create_trial(value=0.0, system_attrs=attributes_of(provenance))
        assert provenance_of(frozen) == provenance

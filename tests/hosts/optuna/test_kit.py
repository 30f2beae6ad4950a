"""Optuna's own conformance kit, as it comes."""

from collections.abc import Callable

import pytest
from optuna.samplers import BaseSampler
from optuna.testing import pytest_samplers
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
)

from auger.hosts.optuna import AugerSampler


class TestAugerSampler(BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return AugerSampler


def test_the_kit_has_no_other_cases_for_us():
    cases = {name for name in vars(pytest_samplers) if name.endswith("TestCase") and not name.startswith("_")}
    # the last is for samplers that refuse several objectives, which ours does not
    assert cases - {base.__name__ for base in TestAugerSampler.__bases__} == {"SingleOnlySamplerTestCase"}

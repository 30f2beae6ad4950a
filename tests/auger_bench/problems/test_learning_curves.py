"""The training in caricature: its optimum, and that it is what its description says."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import spearmanr

from auger.errors import AugerError
from auger_bench.problems import problem


@pytest.fixture(scope="module")
def curves():
    return problem("curves")


@pytest.fixture(scope="module")
def sample(curves):
    return curves.space.decode(curves.space.sample(600, np.random.default_rng(0)))


def test_no_configuration_is_better_than_the_minimizer(curves, sample):
    assert curves(curves.minimizer) == pytest.approx(curves.optimum, abs=1e-12)
    assert min(map(curves, sample)) > curves.optimum


def test_the_minimizer_is_a_minimum_along_every_parameter(curves):
    for name, kind in curves.space.parameters.items():
        for value in kind.decode(np.linspace(0, 1, 41)) if kind.is_ordered else kind.choices:
            assert curves({**curves.minimizer, name: value}) >= curves.optimum - 1e-12


def test_the_noise_of_a_configuration_is_always_the_same_and_another_at_each_epoch(curves, sample):
    again = problem("curves")
    assert [curves.cheaper(c, 7) for c in sample[:20]] == [again.cheaper(c, 7) for c in sample[:20]]
    late = [curves.cheaper(curves.minimizer, epoch) for epoch in range(40, 50)]
    assert any(b > a for a, b in pairwise(late))


def test_early_values_tell_something_and_late_ones_nearly_everything(curves, sample):
    ends = [curves(config) for config in sample]
    early, middle, late = (
        spearmanr([curves.cheaper(config, epoch) for config in sample], ends)[0] for epoch in (3, 17, 45)
    )
    assert 0.2 < early < 0.7 < middle < late
    assert late > 0.98


def test_curves_cross(curves):
    fast = {**curves.minimizer, "schedule": "constant", "rate": 0.05}
    assert curves.cheaper(fast, 5) < curves.cheaper(curves.minimizer, 5)
    assert curves(fast) > curves(curves.minimizer)


@pytest.mark.parametrize("epochs", [0, 50, 2.5, "3"])
def test_epochs_that_are_not_there_are_refused(curves, epochs):
    with pytest.raises(AugerError, match="`fidelity` must be a whole number from 1 to 49"):
        curves.cheaper(curves.minimizer, epochs)

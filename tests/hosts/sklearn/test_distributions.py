import numpy as np
import pytest
from scipy import stats

from auger import Categorical, Float, Int
from auger.errors import SpaceError
from auger.hosts.sklearn.distributions import from_distribution

EXACT = [
    (stats.uniform(), Float(0.0, 1.0)),
    (stats.uniform(2, 3), Float(2.0, 5.0)),
    (stats.uniform(loc=-1, scale=0.5), Float(-1.0, -0.5)),
    (stats.loguniform(1e-3, 1e2), Float(1e-3, 1e2, log=True)),
    (stats.reciprocal(0.5, 8), Float(0.5, 8.0, log=True)),
    (stats.loguniform(1, 10, scale=3), Float(3.0, 30.0, log=True)),
    (stats.loguniform(1, 10, 0, 3), Float(3.0, 30.0, log=True)),
    (stats.randint(1, 12), Int(1, 11)),
    (stats.randint(1, 12, loc=5), Int(6, 16)),
    (stats.randint(low=3, high=4), Categorical((3,))),
    (stats.uniform, Float(0.0, 1.0)),
]


@pytest.mark.parametrize(("distribution", "parameter"), EXACT, ids=lambda case: repr(case)[:40])
def test_a_distribution_that_is_a_range_becomes_that_range(distribution, parameter):
    entry = from_distribution(distribution, "x")
    assert entry.parameter == parameter and entry.decode is None


@pytest.mark.parametrize(
    "distribution",
    [
        stats.norm(3, 2),
        stats.expon(scale=100),
        stats.beta(2, 5),
        stats.lognorm(1.5),
        stats.loguniform(1, 10, loc=2),  # shifted: no longer even in the logarithm
        stats.rv_histogram(np.histogram([1, 2, 2, 3], bins=3)),
        stats.norm,
    ],
    ids=lambda case: getattr(case, "dist", case).name or "histogram",
)
def test_equally_likely_ranges_of_another_distribution_are_equal_parts_of_its_column(distribution):
    entry = from_distribution(distribution, "x")
    low, middle, high = (entry.decode(u) for u in entry.parameter.decode(np.array([0.0, 0.5, 1.0])))
    # 0.1 % is left out at either end
    np.testing.assert_allclose(distribution.cdf([low, middle, high]), [0.001, 0.5, 0.999], atol=1e-9)
    assert type(middle) is float


class Drawn:
    def rvs(self, random_state=None):
        return 1


@pytest.mark.parametrize(
    ("distribution", "says"),
    [
        (stats.poisson(3), r"'x' must be an Int.*Got scipy\.stats\.poisson\(3\)"),
        (stats.binom(5, p=0.5), r"Got scipy\.stats\.binom\(5, p=0\.5\)"),
        (stats.gamma, r"with its arguments.*Got scipy\.stats\.gamma without"),
        (stats.uniform([0, 1], [1, 1]), "a distribution of one number"),
        (stats.uniform(0, -1), "with valid, finite arguments"),
        (stats.uniform(0, np.inf), "with valid, finite arguments"),
        (stats.uniform(1, 1e-17), r"'x', scipy\.stats\.uniform\(1, 1e-17\): `low` of a Float must be below `high`"),
        (Drawn(), "which has `rvs` but no quantiles"),
        (stats.Normal(mu=3.0, sigma=2.0), r"frozen distributions, such as scipy\.stats\.norm.*Got Normal"),
        (stats.Uniform(a=1.0, b=2.0), "frozen distributions"),
    ],
    ids=range(10),
)
def test_what_cannot_be_searched_is_refused_with_what_to_use(distribution, says):
    with pytest.raises(SpaceError, match=says):
        from_distribution(distribution, "x")

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from auger.errors import AugerError
from auger.problems import problem
from auger.problems.functions import FAMILIES, FUNCTIONS, ackley

NAMES = [*FUNCTIONS, "ackley1", "levy1", "styblinski-tang1", "rosenbrock2", "ackley30"]


def at(black_box, x):
    return black_box(dict(zip(black_box.space.names, x, strict=True)))


@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_the_value_at_the_minimizer(name):
    black_box = problem(name)
    assert black_box(black_box.minimizer) == black_box.optimum
    black_box.space.encode([black_box.minimizer])


@pytest.mark.parametrize("name", NAMES)
def test_no_random_point_is_better(name):
    black_box = problem(name)
    configs = black_box.space.decode(black_box.space.sample(10_000, np.random.default_rng(0)))
    assert min(map(black_box, configs)) >= black_box.optimum


@pytest.mark.parametrize("method", ["Nelder-Mead", "L-BFGS-B"])
@pytest.mark.parametrize("name", NAMES)
def test_no_local_search_from_the_minimizer_improves_on_it(name, method):
    black_box = problem(name)
    bounds = [(kind.low, kind.high) for kind in black_box.space.parameters.values()]
    start = list(black_box.minimizer.values())
    found = optimize.minimize(lambda x: at(black_box, x), start, bounds=bounds, method=method)
    assert found.fun >= black_box.optimum - 1e-9


@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("teaser", [0.0], 0.0),
        ("teaser", [1.0], 0.3 + 0.1411200080598672),  # sin 3
        ("forrester", [0.0], 4 * 0.7568024953079282),  # sin -4
        ("forrester", [1.0], 16 * 0.9893582466233818),  # sin 8
        ("branin", [0.0, 0.0], 56 - 10 / (8 * math.pi)),
        ("branin", [math.pi, 0.0], 2.275**2 + 10 / (8 * math.pi)),
        ("ackley10", [0.0] * 10, 0.0),
        ("ackley10", [1.0] * 10, 20 - 20 * math.exp(-0.2)),
        ("ackley1", [0.5], 20 + math.e - 20 * math.exp(-0.1) - math.exp(-1)),
        ("rosenbrock6", [0.0] * 6, 5.0),
        ("rosenbrock2", [2.0, 3.0], 101.0),
        ("rosenbrock3", [-1.0, 1.0, 3.0], 4.0 + 400.0),
        ("levy8", [1.0] * 8, 0.0),
        ("levy2", [-3.0, -3.0], 1 + 10 * math.sin(1) ** 2 + 1),  # w = 0
        ("levy3", [3.0, 1.0, 5.0], 1 + 0.25 * (1 + 10 * math.cos(1) ** 2) + 1),  # w = 1.5, 1, 2
        ("levy1", [3.0], 1 + 0.25),
        ("styblinski-tang5", [0.0] * 5, 0.0),
        ("styblinski-tang5", [1.0, 1.0, 1.0, 2.0, -2.0], 3 * -5.0 - 19.0 - 29.0),
    ],
)
def test_values_worked_by_hand(name, x, value):
    assert at(problem(name), x) == pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "optimum"),
    [
        ("teaser", -0.5003596277),
        ("forrester", -6.0207400558),
        ("branin", 0.3978873577),
        ("hartmann6", -3.3223680114),
        ("styblinski-tang1", -39.16616570377142),
        ("styblinski-tang20", -39.16616570377142 * 20),
        ("styblinski-tang1000", -39.16616570377142 * 1000),
        ("ackley1000", 0.0),
        ("levy1000", 0.0),
        ("rosenbrock1000", 0.0),
    ],
)
def test_the_literature_agrees(name, optimum):
    assert problem(name).optimum == pytest.approx(optimum, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("teaser", -1.0, 2.0),
        ("forrester", 0.0, 1.0),
        ("ackley10", -32.768, 32.768),
        ("rosenbrock6", -5.0, 10.0),
        ("levy8", -10.0, 10.0),
        ("styblinski-tang5", -5.0, 5.0),
    ],
)
def test_the_domain_is_the_usual_one(name, low, high):
    assert {(kind.low, kind.high) for kind in problem(name).space.parameters.values()} == {(low, high)}


@given(st.lists(st.floats(-5, 10), min_size=2, max_size=20))
def test_rosenbrock_is_that_of_scipy(x):
    assert at(problem(f"rosenbrock{len(x)}"), x) == pytest.approx(optimize.rosen(x), rel=1e-12)


@given(family=st.sampled_from(sorted(FAMILIES)), d=st.integers(2, 50), data=st.data())
def test_the_functions_of_any_dimension_are_nowhere_below_their_optimum(family, d, data):
    black_box = FAMILIES[family](d)
    side = black_box.space.parameters["x0"]
    x = data.draw(st.lists(st.floats(side.low, side.high), min_size=d, max_size=d))
    assert at(black_box, x) >= black_box.optimum - 1e-12 * abs(black_box.optimum)
    assert (black_box.name, len(black_box.space)) == (f"{family}{d}", d)


@pytest.mark.parametrize("d", [0, -1, 1001, 2.0, True, "3", None])
def test_a_dimension_that_is_none_is_refused(d):
    with pytest.raises(AugerError, match="dimensions of 'ackley' must be a whole number from 1 to 1000. Got "):
        ackley(d)

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

from auger.gaussian_process.kernel import effects, matern, squares
from auger.space import Categorical, Float, Int, Ordinal, Space
from auger.testing.cases import spaces

SPACE = Space(
    {
        "kind": ["a", "b", "c"],
        "x": Float(0.0, 1.0),
        "k": Int(0, 4, when={"kind": "a"}),
        "sub": Categorical(("p", "q"), when={"kind": ["a", "b"]}),
        "size": Ordinal(("s", "m", "l")),
    }
)


def pair(first, second, space=SPACE):
    """Squared differences of two configs, by name."""
    V = space.euclidean(space.encode([first, second]))
    found = squares(V, space.euclidean_column, len(space))[:, 0]
    return dict(zip(space.names, found.round(12).tolist(), strict=True))


def test_matern_is_scikit_learns():
    r = np.linspace(0, 5, 50)
    expected = Matern(nu=2.5)(np.zeros((1, 1)), r[:, None])[0]
    np.testing.assert_allclose(matern(r**2)[0], expected, rtol=1e-12)


def test_the_slope_of_matern_is_its_derivative_along_log_lengthscale():
    r, h = np.linspace(0, 5, 50), 1e-6
    expected = (matern((r * np.exp(-h)) ** 2)[0] - matern((r * np.exp(h)) ** 2)[0]) / (2 * h)
    np.testing.assert_allclose(matern(r**2)[1] * r**2, expected, atol=1e-9)


def test_differences_are_the_ones_worked_by_hand():
    a = {"kind": "a", "x": 0.25, "k": 1, "sub": "p", "size": "s"}
    b = {"kind": "b", "x": 0.75, "sub": "q", "size": "l"}
    c = {"kind": "c", "x": 0.75, "size": "m"}
    assert pair(a, a) == {"kind": 0.0, "x": 0.0, "k": 0.0, "sub": 0.0, "size": 0.0}
    # k = 1 is at 0.25 of [0, 4], or at 0.3 as one of five values; inactive is in the middle
    gap = (0.5 - SPACE.encode([a])[0, 2]) ** 2
    ends = (SPACE.encode([b])[0, 4] - SPACE.encode([a])[0, 4]) ** 2
    assert pair(a, b) == pytest.approx({"kind": 1.0, "x": 0.25, "k": gap, "sub": 1.0, "size": ends})
    assert pair(b, c) == pytest.approx({"kind": 1.0, "x": 0.0, "k": 0.0, "sub": 1.0, "size": ends / 4})
    assert pair(c, c)["sub"] == 0.0  # inactive is a choice of its own


def test_any_two_choices_are_equally_far_apart():
    space = Space({"c": Categorical(tuple(range(7)))})
    V = space.euclidean(space.encode([{"c": k} for k in range(7)]))
    np.testing.assert_allclose(squares(V, space.euclidean_column, 1), 1.0)


@pytest.mark.parametrize("space", spaces())
def test_the_view_is_finite_and_each_column_has_an_owner(space):
    V = space.euclidean(space.sample(50, np.random.default_rng(0)))
    assert np.isfinite(V).all()
    assert V.shape[1] == len(space.euclidean_column)
    assert set(space.euclidean_column) == set(range(len(space)))


def test_pairs_go_column_by_column_through_the_lower_triangle():
    V = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert squares(V, np.zeros(1, dtype=int), 1)[0].tolist() == [1.0, 9.0, 49.0, 4.0, 36.0, 16.0]


def test_in_a_space_of_choices_effects_are_a_constant_and_the_share_of_choices_that_agree():
    space = Space({"a": ["x", "y", "z"], "b": ["x", "y"], "c": ["x", "y", "z", "w"]})
    X = space.sample(12, np.random.default_rng(0))
    f, g = effects(space.euclidean(X), np.empty(0, dtype=np.intp), 3)
    agree = (X[:, np.newaxis] == X).mean(axis=2)
    np.testing.assert_allclose(f @ f.T, (1 + 2 * agree) / 3, rtol=1e-12)
    assert g.shape == (12, 0)


def test_effects_have_a_variance_of_one_on_average():
    space = Space({"a": ["x", "y", "z"], "b": (0.0, 1.0), "c": (0.0, 1.0), "d": ["x", "y"]})
    X = space.sample(20_000, np.random.default_rng(0))
    views = space.views(X)
    f, _ = effects(views.euclidean(X), views.positions, 4)
    assert abs((f * f).sum(axis=1).mean() - 1.0) < 0.02

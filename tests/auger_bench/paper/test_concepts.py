"""The figures that explain the method: what each caption promises is there."""

from itertools import pairwise

import numpy as np
import pytest

from auger.classifiers import KDE, Boosting
from auger_bench.canvas import GOOD, NEXT, REST, TRUTH
from auger_bench.paper import density_ratio, epochs, labels, singularities, steps, teaser
from auger_bench.paper.exact_ratio import log_normal, relative_ratio

pytest.importorskip("matplotlib", reason="figures need matplotlib")


def line(axes, *, color=None, label=None):
    """The one line of a panel with this color or name: its points (x, y)."""
    (found,) = [
        each
        for each in axes.get_lines()
        if (color is None or each.get_color() == color) and (label is None or each.get_label() == label)
    ]
    return found.get_xdata(), found.get_ydata()


@pytest.fixture(scope="module")
def teaser_axes():
    return teaser.figure().axes


@pytest.fixture(scope="module")
def steps_axes():
    return [axes for part in steps.figure().subfigs for axes in part.axes]


# --- teaser ---


def test_the_teaser_has_27_observations_of_which_the_best_9_are_good(teaser_axes):
    _, main, _ = teaser_axes
    x_good, y_good = line(main, color=GOOD)
    x_rest, y_rest = line(main, color=REST)
    assert (len(x_good), len(x_rest)) == (9, 18)
    assert max(y_good) < min(y_rest)
    history, found = teaser.observations()
    np.testing.assert_array_equal(np.sort([*y_good, *y_rest]), np.sort(history.y))
    assert max(y_good) < found.tau < min(y_rest)


def test_the_curve_of_the_teaser_is_the_function_without_noise(teaser_axes):
    _, main, _ = teaser_axes
    x, y = line(main, color=TRUTH)
    np.testing.assert_allclose(y, np.sin(3 * x) + x**2 - 0.7 * x, atol=1e-12)
    assert (x[0], x[-1]) == (-1.0, 2.0)


def test_the_noise_of_the_teaser_is_that_of_the_paper():
    history, _ = teaser.observations()
    x = np.array([trial.config["x"] for trial in history])
    noise = history.y - (np.sin(3 * x) + x**2 - 0.7 * x)
    assert 0.1 < noise.std() < 0.3  # 0.2, of 27 draws


def test_the_densities_of_the_teaser_are_kernel_estimates_of_the_good_and_the_rest(teaser_axes):
    top = teaser_axes[0]
    history, found = teaser.observations()
    x_observed = np.array([trial.config["x"] for trial in history])
    for color, chosen in ((GOOD, found.z), (REST, ~found.z)):
        x, height = line(top, color=color)
        centers = x_observed[chosen]
        h = 1.06 * centers.std() * len(centers) ** (-1 / 5)  # the normal reference rule, written out
        expected = np.exp(log_normal(x[:, None], centers, h)).mean(axis=1)
        np.testing.assert_allclose(height, expected, rtol=1e-6)


def test_the_ratios_of_the_teaser_lie_between_0_and_3_and_peak_in_the_deeper_valley(teaser_axes):
    bottom = teaser_axes[2]
    for name in ("from a classifier", r"from $\ell$ and $g$"):
        x, ratio = line(bottom, label=name)
        assert ratio.min() >= 0.0 and ratio.max() <= 3.0
        assert -0.75 < x[np.argmax(ratio)] < 0.0


# --- singularities ---


def test_the_plain_ratio_diverges_and_the_relative_one_converges_to_4():
    _, right = singularities.figure().axes
    x, plain = line(right, label=r"$\gamma = 0$: $\ell / g$")
    _, relative = line(right, label=r"$\gamma = 1/4$")
    np.testing.assert_allclose(plain, np.exp(x - 0.5))
    assert plain[-1] > 1000
    assert np.all(np.diff(relative) > 0) and np.all(relative < 4)
    assert relative[-1] == pytest.approx(4.0, abs=0.01)


def test_the_densities_integrate_to_one():
    left, _ = singularities.figure().axes
    for color in (GOOD, REST):
        x, height = line(left, color=color)
        assert np.sum(height) * (x[1] - x[0]) == pytest.approx(1.0, abs=1e-3)


def test_a_relative_ratio_worked_by_hand():
    # l = 0.6, g = 0.2: 0.6 / (0.25 * 0.6 + 0.75 * 0.2) = 2; where g is 0 it is 1 / gamma, where l is 0 it is 0
    good, rest = np.array([0.6, 0.6, 1e-300]), np.array([0.2, 1e-300, 0.6])
    np.testing.assert_allclose(relative_ratio(np.log(good), np.log(rest), 0.25), [2.0, 4.0, 0.0], atol=1e-12)


# --- steps ---


def test_there_are_six_iterations_with_one_observation_more_each():
    found = steps.steps()
    assert [len(step.x) for step in found] == [4, 5, 6, 7, 8, 9]
    assert [int(step.labels.z.sum()) for step in found] == [1, 2, 2, 2, 2, 3]  # ceil(n / 4)
    for before, after in pairwise(found):
        np.testing.assert_array_equal(after.x[:-1], before.x)
        assert after.x[-1] == before.next  # what was proposed is what is evaluated


def test_the_observations_are_those_of_forrester_with_the_noise_of_the_paper():
    last = steps.steps()[-1]
    noise = last.y - (6 * last.x - 2) ** 2 * np.sin(12 * last.x - 4)
    assert 0.02 < noise.std() < 0.1  # 0.05, of 9 draws


def test_the_maximizer_that_is_marked_is_the_maximum_of_the_curve_that_is_drawn(steps_axes):
    bottoms = [axes for axes in steps_axes if axes.get_ylabel() == r"$\pi(x)$"]
    assert len(bottoms) == 6
    for bottom in bottoms:
        x, pi = line(bottom, color=TRUTH)
        marked = line(bottom, color=NEXT)[0][0]
        assert np.interp(marked, x, pi) >= pi.max() - 1e-4


def test_the_observations_below_tau_are_the_good_ones_in_every_iteration():
    for step in steps.steps():
        np.testing.assert_array_equal(step.y < step.labels.tau, step.labels.z)


def test_the_distribution_pane_crosses_gamma_where_the_good_ones_end(steps_axes):
    rights = [axes for axes in steps_axes if axes.get_xlabel() == r"$\Phi(y)$"]
    for right, step in zip(rights, steps.steps(), strict=True):
        phi, y = line(right, color=GOOD)
        assert phi[-1] >= 0.25 > (len(phi) - 1) / len(step.y)
        np.testing.assert_allclose(phi, [np.mean(step.y <= value) for value in y])


def test_the_dashed_lines_meet_on_the_distribution():
    """gamma and tau cross where the distribution function jumps to gamma or beyond."""
    for step in steps.steps():
        assert np.mean(step.y < step.tau) < 0.25 <= np.mean(step.y <= step.tau)
        np.testing.assert_array_equal(step.y <= step.tau, step.labels.z)


def test_the_circle_of_the_newest_observation_is_whole(steps_axes):
    circles = [each for axes in steps_axes for each in axes.get_lines() if each.get_marker() == "o"]
    assert len(circles) == 5 and not any(circle.get_clip_on() for circle in circles)


def test_the_steps_come_close_to_the_minimum():
    assert steps.steps()[-1].y.min() < -5.9  # it is -6.02


# --- labels ---


def test_at_most_one_old_label_flips_in_each_row_and_flips_are_framed():
    _, _, z = labels.evolution(labels.targets())
    found = labels.flips(z)
    assert found.sum(axis=1).max() == 1
    right = labels.figure().axes[2]
    frames = {(round(patch.get_y() + 0.5), round(patch.get_x() + 0.5)) for patch in right.patches}
    # a row of n answers is row n - 2 of the arrays, answer m is column m - 1
    assert frames == {(row + 2, column + 1) for row, column in np.argwhere(found)}


def test_the_labels_are_the_best_quarter_of_each_row():
    y, phi, z = labels.evolution(labels.targets())
    for row, n in enumerate(range(2, 25)):
        assert np.isnan(z[row, n:]).all() and not np.isnan(z[row, :n]).any()
        n_good = -(-n // 4)
        assert set(np.argsort(y[row, :n])[:n_good]) == set(np.flatnonzero(z[row, :n]))
        np.testing.assert_allclose(np.sort(phi[row, :n]), np.arange(1, n + 1) / n)


def test_flips_worked_by_hand():
    nan = np.nan
    z = np.array([[1, 0, nan, nan], [1, 0, 0, nan], [0, 0, 0, 1]], dtype=float)
    expected = np.zeros((3, 4), dtype=bool)
    expected[2, 0] = True  # a new label is none that flipped
    np.testing.assert_array_equal(labels.flips(z), expected)


# --- epochs ---


@pytest.fixture(scope="module")
def epochs_axes():
    return {axes.get_title(): axes for axes in epochs.figure().axes}


@pytest.mark.parametrize(
    ("batch_size", "n_steps", "n", "n_epochs"),
    [
        (64, 800, 512, 100),  # the paper's example
        (64, 800, 1, 800),  # and its other one: all 0 < N <= B
        (64, 800, 64, 800),
        (64, 800, 65, 400),
        (64, 100, 512, 12),  # floor(100 / 8)
        (32, 100, 512, 6),  # floor(100 / 16)
        (128, 200, 300, 66),  # floor(200 / 3)
    ],
)
def test_epochs_worked_by_hand(epochs_axes, batch_size, n_steps, n, n_epochs):
    lines = epochs_axes[f"$B = {batch_size}$"].get_lines()
    (found,) = [each for each in lines if each.get_label().split(",")[0] == f"$S = {n_steps}$"]
    assert dict(zip(found.get_xdata(), found.get_ydata(), strict=True))[n] == n_epochs


# --- density ratio ---


def test_the_samples_are_a_quarter_from_l_and_the_rest_from_g():
    good, rest = density_ratio.samples()
    assert (len(good), len(rest)) == (250, 750)
    assert 0.6 < np.mean(good < -0.5) < 0.8  # the share of its left part is 0.7
    assert rest.std() == pytest.approx(2.0, rel=0.1)


def test_classifiers_are_nearer_to_the_exact_ratio_than_density_estimates_and_so_are_their_maxima():
    panels = density_ratio.figure().axes
    assert [axes.get_title() for axes in panels] == ["densities", "MLP", "random forest", "XGBoost"]
    for axes in panels[1:]:
        x, exact = line(axes, label="exact")
        good = 0.3 * np.exp(log_normal(x, 2, 1)) + 0.7 * np.exp(log_normal(x, -3, 0.5))
        both = 0.25 * good + 0.75 * np.exp(log_normal(x, 0, 2))
        np.testing.assert_allclose(exact, good / both, rtol=1e-9)
        by_densities, by_classifier = (
            line(axes, label=name)[1] for name in ("from density estimates", "from a classifier")
        )
        errors = [np.sqrt(np.average((ratio - exact) ** 2, weights=both)) for ratio in (by_densities, by_classifier)]
        assert errors[1] < 0.6 * errors[0]
        peaks = [abs(x[np.argmax(ratio)] - x[np.argmax(exact)]) for ratio in (by_densities, by_classifier)]
        assert peaks[1] < peaks[0]


def test_a_missing_xgboost_is_said_in_its_panel(monkeypatch):
    quick = dict.fromkeys(["MLP", "random forest"], KDE())
    monkeypatch.setattr(density_ratio, "CLASSIFIERS", {**quick, "XGBoost": Boosting()})
    monkeypatch.setattr(density_ratio, "find_spec", lambda name: None)
    axes = density_ratio.figure().axes[3]
    assert [text.get_text() for text in axes.texts] == ['XGBoost is not installed:\npip install "auger[xgboost]"']
    assert {each.get_label() for each in axes.get_lines()} == {"exact", "from density estimates"}

"""The figures of the experiments, from the curves that come with the package."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from auger_bench.experiments import EXPERIMENTS
from auger_bench.method_styles import styles
from auger_bench.paper import FIGURES
from auger_bench.paper.recorded_curves import _SHORT, recorded_curves

pytest.importorskip("matplotlib", reason="figures need matplotlib")

RUNS = Path(__file__).parents[3] / "benchmarks" / "results"
EXPERIMENTS_OF_PAPER = ["fcnet", "nas201", "robot-pushing", "racing", "maximizer", "calibration"]


@pytest.mark.parametrize("name", [*EXPERIMENTS_OF_PAPER, "unseen", "horizon", "robot-pushing-long", "fidelity"])
def test_the_curves_end_where_the_recorded_runs_do(name):
    with (RUNS / f"{name}-runs.csv").open() as file:
        ends = ("n_evals", "evaluations_to_optimum")  # a run may have been told to end at the optimum
        rows = [row for row in csv.DictReader(file) if not row["crash"] and row["n_done"] in map(row.get, ends)]
    for curve in recorded_curves(name):
        last = [
            float(row["regret"] if curve.is_regret else row["value"])
            for row in rows
            if (row["problem"], row["method"]) == (curve.problem, curve.method)
        ]
        assert len(last) == curve.n_seeds
        assert curve.mean[-1] == pytest.approx(np.mean(last), rel=1e-5, abs=1e-12)
        assert (curve.lower <= curve.mean).all() and (curve.mean <= curve.upper).all()


@pytest.mark.parametrize("name", ["fcnet", "nas201", "robot-pushing", "racing"])
def test_an_experiment_has_a_panel_for_each_of_its_problems(name):
    drawn = FIGURES[name].figure()
    assert [axes.get_title() for axes in drawn.axes] == sorted(EXPERIMENTS[name].problems)
    for axes in drawn.axes:
        methods = {each.get_label() for each in axes.get_lines()}
        assert {"auto", "bore-rf", "bore-xgb", "bore-mlp, ours", "optuna-tpe", "random"} <= methods


def test_unseen_has_all_28_problems():
    problems = {p for name, each in EXPERIMENTS.items() if name.startswith("unseen") for p in each.problems}
    assert {curve.problem for curve in recorded_curves("unseen")} == problems


def test_a_curve_is_drawn_as_it_was_recorded():
    ucb = FIGURES["racing"].figure().axes[2]
    (curve,) = [c for c in recorded_curves("racing") if (c.problem, c.method) == ("racing-ucb", "auto")]
    (drawn,) = [each for each in ucb.get_lines() if each.get_label() == "auto"]
    np.testing.assert_array_equal(drawn.get_xdata(), curve.evaluations)
    np.testing.assert_array_equal(drawn.get_ydata(), curve.mean)
    assert ucb.get_xlim() == (1, 60)


@pytest.mark.parametrize("name", ["fcnet", "nas201", "robot-pushing", "robot-pushing-long", "racing", "horizon"])
def test_lines_of_the_same_stroke_have_colors_that_are_far_apart(name):
    looks = styles({_SHORT.get(curve.method, curve.method) for curve in recorded_curves(name)})
    for (one, look), (other, another) in combinations(looks.items(), 2):
        if look.dashes == another.dashes:
            channels = np.array([[int(each.color[i : i + 2], 16) for i in (1, 3, 5)] for each in (look, another)])
            assert np.linalg.norm(channels[0] - channels[1]) > 50, (one, other)


@pytest.mark.parametrize(
    ("name", "panels", "variants"),
    [
        (
            "maximizer",
            ["bore-rf", "bore-rf, with repeats", "bore-xgb", "bore-xgb, with repeats"],
            [f"{how} {limit}" for how in ("evolution", "random search") for limit in (50, 100, 200, 500)],
        ),
        (
            "calibration",
            ["bore-rf on racing-ucb", "bore-xgb on racing-ucb"],
            ["not calibrated", "Platt scaling", "isotonic regression"],
        ),
    ],
)
def test_ablations_have_a_panel_for_each_recipe_and_one_legend(name, panels, variants):
    drawn = FIGURES[name].figure()
    assert [axes.get_title() for axes in drawn.axes] == panels
    for axes in drawn.axes:
        assert {each.get_label() for each in axes.get_lines()} >= set(variants)
    assert {text.get_text() for text in drawn.legends[0].get_texts()} >= set(variants)


def test_the_variants_of_the_maximizer_are_told_apart():
    axes = next(axes for axes in FIGURES["maximizer"].figure().axes if axes.get_title() == "bore-xgb")
    lines = {each.get_label(): each.get_color() for each in axes.get_lines() if "0" in each.get_label()}
    assert len(set(lines.values())) == len(axes.collections) == 9  # each with a band
    assert lines["random search 1000"] == "#d55e00"


@pytest.mark.parametrize("name", ["fcnet", "nas201", "robot-pushing", "racing"])
def test_the_figure_of_the_paper_has_its_methods_alone(name):
    for axes in FIGURES[f"{name}-paper"].figure().axes:
        methods = {each.get_label() for each in axes.get_lines()}
        assert {"bore-rf", "bore-xgb", "hyperopt-tpe", "random"} <= methods
        assert not methods & {"auto", "optuna-tpe", "lfbo-rf", "cma-es"}


def test_the_figures_of_the_paper_have_its_panels_in_its_order_with_its_values():
    titles = {
        name: [axes.get_title() for axes in FIGURES[f"{name}-paper"].figure().axes] for name in ("fcnet", "racing")
    }
    assert titles["fcnet"] == ["protein", "naval", "parkinsons", "slice"]
    assert titles["racing"] == ["UC Berkeley (D = 12)", "ETH Zürich A (D = 20)", "ETH Zürich B (D = 21)"]
    labels = [FIGURES[name].figure().axes[0].get_ylabel() for name in ("robot-pushing-paper", "racing-paper", "racing")]
    assert labels == ["mean negative reward", "mean best lap time (s)", "mean best lap time (s)"]


def test_where_the_network_of_the_paper_was_not_run_ours_stands_for_it_by_its_name():
    for name in ("fcnet", "nas201", "robot-pushing", "racing"):
        recorded = {curve.method for curve in recorded_curves(name)}
        for axes in FIGURES[f"{name}-paper"].figure().axes:
            networks = {label for line in axes.get_lines() if (label := line.get_label()).startswith("bore-mlp")}
            assert networks == {"bore-mlp" if "bore-mlp" in recorded else "bore-mlp, ours"}


def test_the_ablations_of_the_paper_have_its_variants_alone():
    calibration = FIGURES["calibration-paper"].figure()
    assert [text.get_text() for text in calibration.legends[0].get_texts()] == [
        "not calibrated",
        "Platt scaling",
        "isotonic regression",
    ]
    assert [axes.get_title() for axes in calibration.axes] == ["bore-rf on UC Berkeley", "bore-xgb on UC Berkeley"]
    (isotonic,) = (line for line in calibration.axes[1].get_lines() if line.get_label() == "isotonic regression")
    (folds,) = (curve for curve in recorded_curves("calibration") if curve.method == "bore-xgb-isotonic-folds")
    np.testing.assert_array_equal(isotonic.get_ydata(), folds.mean)
    maximizer = FIGURES["maximizer-paper"].figure()
    assert [axes.get_title() for axes in maximizer.axes] == ["bore-rf", "bore-xgb"]
    limits = {line.get_label() for line in maximizer.axes[1].get_lines() if "0" in line.get_label()}
    assert limits == {f"{how} {limit}" for how in ("evolution", "random search") for limit in (50, 100, 200, 500)}


def test_the_legend_of_the_maximizer_has_a_row_for_each_of_the_two():
    texts = [text.get_text() for text in FIGURES["maximizer-paper"].figure().legends[0].get_texts()]
    # matplotlib fills a legend column by column
    assert texts == [f"{how} {limit}" for limit in (50, 100, 200, 500) for how in ("random search", "evolution")]


def test_horizons_are_500_evaluations_of_the_seven_tables():
    drawn = FIGURES["horizon"].figure()
    assert [axes.get_title() for axes in drawn.axes] == sorted(
        (*EXPERIMENTS["fcnet"].problems, *EXPERIMENTS["nas201"].problems)
    )
    assert {axes.get_xlim() for axes in drawn.axes} == {(1, 500)}


def test_fidelity_has_the_mean_and_the_interval_of_every_method_on_every_problem():
    drawn = FIGURES["fidelity"].figure()
    assert [axes.get_title() for axes in drawn.axes] == sorted(EXPERIMENTS["fidelity"].problems)
    names = [label.get_text() for label in drawn.axes[0].get_yticklabels()]  # of all panels of its row
    for axes in drawn.axes:
        ends = {curve.method: curve for curve in recorded_curves("fidelity") if curve.problem == axes.get_title()}
        assert set(names) == set(ends) and set(EXPERIMENTS["fidelity"].methods) <= set(names)
        for line in axes.get_lines():
            (x,), (row,) = line.get_xdata(), line.get_ydata()
            assert (names[row], x) == (line.get_label(), ends[names[row]].mean[-1])
        for line, interval in zip(axes.get_lines(), axes.collections, strict=True):
            ((low, _), (high, _)) = interval.get_segments()[0]
            curve = ends[line.get_label()]
            assert (low, high) == (curve.lower[-1], curve.upper[-1])
    assert "n = 10" in drawn.get_supxlabel() and "20 full evaluations" in drawn.get_supxlabel()

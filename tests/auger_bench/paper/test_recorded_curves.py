"""The figures of the experiments, from the curves that come with the package."""

import csv
from pathlib import Path

import numpy as np
import pytest

from auger_bench.experiments import EXPERIMENTS
from auger_bench.paper import FIGURES
from auger_bench.paper.recorded_curves import recorded_curves

pytest.importorskip("matplotlib", reason="figures need matplotlib")

RUNS = Path(__file__).parents[3] / "benchmarks" / "results"
EXPERIMENTS_OF_PAPER = ["fcnet", "nas201", "robot-pushing", "racing", "maximizer", "calibration"]


@pytest.mark.parametrize("name", [*EXPERIMENTS_OF_PAPER, "unseen"])
def test_the_curves_end_where_the_recorded_runs_do(name):
    with (RUNS / f"{name}-runs.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if not row["crash"] and row["n_done"] == row["n_evals"]]
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


@pytest.mark.parametrize(
    ("name", "panels", "variants"),
    [
        (
            "maximizer",
            ["bore-rf", "bore-xgb", "bore-xgb, with repeats"],
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
    axes = FIGURES["maximizer"].figure().axes[1]
    lines = {each.get_label(): each.get_color() for each in axes.get_lines() if "0" in each.get_label()}
    assert len(set(lines.values())) == len(axes.collections) == 9  # each with a band
    assert lines["random search 1000"] == "#d55e00"


@pytest.mark.parametrize("name", ["fcnet", "nas201", "robot-pushing", "racing"])
def test_the_figure_of_the_paper_has_its_methods_alone(name):
    for axes in FIGURES[f"{name}-paper"].figure().axes:
        methods = {each.get_label() for each in axes.get_lines()}
        assert {"bore-rf", "bore-xgb", "hyperopt-tpe", "random"} <= methods
        assert not methods & {"auto", "optuna-tpe", "lfbo-rf", "cma-es"}

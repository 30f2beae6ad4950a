"""The figure of the outlook says what the recorded runs say."""

import csv
from pathlib import Path

import pytest

from auger_bench.comparison import compare
from auger_bench.experiments import EXPERIMENTS
from auger_bench.methods import method
from auger_bench.paper import FIGURES
from auger_bench.paper.outlook import GROUPS, difference, final_regrets
from auger_bench.tables import read_runs

pytest.importorskip("matplotlib", reason="figures need matplotlib")

RUNS = Path(__file__).parents[3] / "benchmarks" / "results" / "outlook-runs.csv"
OF_PAPER = ("fcnet-", "nas201-")


def test_the_regrets_are_those_of_the_recorded_runs():
    with RUNS.open() as file:
        rows = [row for row in csv.DictReader(file) if row["regret"] and not row["crash"]]
    regrets = final_regrets()
    assert sum(len(seeds) for methods in regrets.values() for seeds in methods.values()) == len(rows) > 1000
    for row in rows:
        told = regrets[row["problem"]][row["method"]][int(row["seed"])]
        assert told == pytest.approx(float(row["regret"]), rel=1e-5)


@pytest.mark.parametrize("on_tables", [True, False])
@pytest.mark.parametrize("recipe", GROUPS)
def test_differences_are_those_of_the_table(recipe, on_tables):
    runs = [run for run in read_runs(RUNS.read_text()) if run.head.problem.startswith(OF_PAPER) == on_tables]
    table = {each.method: each for each in compare(runs, reference=recipe)}
    for name in GROUPS[recipe]:
        comparison = difference(name, recipe, on_tables=on_tables)
        assert comparison.decades == pytest.approx(-table[name].decades, abs=1e-4)
        assert comparison.error == pytest.approx(table[name].decades_error, abs=1e-4)


def test_everything_that_the_experiment_runs_is_drawn_or_compared_with():
    chosen = EXPERIMENTS["outlook"]
    drawn = {name for methods in GROUPS.values() for name in methods} | GROUPS.keys()
    assert {method(name).name for name in chosen.methods} - {"random", "optuna-tpe", "auto"} == drawn
    assert final_regrets().keys() == set(chosen.problems) - {"racing-ucb"}  # whose optimum nobody knows


def test_the_figure_has_a_dot_and_an_interval_for_each():
    names = [name for methods in GROUPS.values() for name in methods]
    for axes, on_tables in zip(FIGURES["outlook"].figure().axes, (True, False), strict=True):
        dots = {line.get_label(): line for line in axes.get_lines() if line.get_label() in names}
        assert list(dots) == names
        for row, (name, line) in enumerate(dots.items()):
            recipe = next(recipe for recipe, methods in GROUPS.items() if name in methods)
            assert line.get_ydata()[0] == row
            assert line.get_xdata()[0] == difference(name, recipe, on_tables=on_tables).decades

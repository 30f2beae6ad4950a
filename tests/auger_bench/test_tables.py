import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
from support.bench_runs import bench_run, bench_runs

from auger_bench.statistics import StatisticsError, curves
from auger_bench.tables import CURVE_COLUMNS, RUN_COLUMNS, curves_csv, markdown, read_curves, read_runs, runs_csv

NAN = math.nan


def read_tables(text):
    """Every Markdown table as header -> cells of the rows by their first cell: [(header, {first: cells})]."""
    found = []
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        if lines:
            rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
            assert len({len(row) for row in rows}) == 1
            assert set("".join(rows[1])) == set("-:")
            found.append((rows[0], {row[0]: row[1:] for row in rows[2:]}))
    return found


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


RUNS = bench_runs({"good": [1.0, 3.0], "optuna-tpe": [2.0, 4.0]}, optimum=0.0)


# --- Markdown ---


def test_the_heading_says_what_was_run_and_with_what():
    text = markdown(RUNS)
    assert text.startswith("2 evaluations; 2 seeds for each problem and method.\n\nLibraries: numpy 2.0.0\n")
    assert "Machine: cpu abacus" in text


def test_versions_that_differ_are_all_listed():
    runs = [*RUNS, bench_run("p", "good", 2, [1.0, 1.0], optimum=0.0, versions={"numpy": "1.26.4", "smac": "2.3.1"})]
    assert "Libraries: numpy 1.26.4 and 2.0.0, smac 2.3.1\n" in markdown(runs)


def test_other_budgets_are_listed_with_their_problems():
    text = markdown([*RUNS, bench_run("q", "good", 0, [1.0])])
    assert text.startswith("1 evaluation (q); 2 evaluations (p); 1 to 2 seeds")


def test_finals_are_median_and_mean_with_the_best_in_bold_and_the_best_method_first():
    header, rows = read_tables(markdown(RUNS))[0]
    assert header == ["method", "p"]
    assert list(rows.items()) == [("`good`", ["**2.00** (2.00)"]), ("`optuna-tpe`", ["3.00 (3.00)"])]


def test_the_summary_has_rank_tally_p_decades_and_cost():
    header, rows = read_tables(markdown(RUNS))[1]
    assert header[:2] == ["method", "mean rank"]
    assert rows["`good`"] == ["1.00", "2-0-0", "0.5", "+0.21 ± 0.09", "4.00", "1.00"]
    assert rows["`optuna-tpe`"] == ["2.00", "-", "-", "-", "4.00", "1.00"]


def test_each_problem_has_its_own_comparison():
    header, rows = read_tables(markdown(RUNS))[2]
    assert header == ["method", "p"]
    assert rows == {"`good`": ["2-0-0 (p 0.5)"]}


def test_without_the_reference_its_columns_are_left_out_and_a_line_says_so():
    text = markdown(RUNS, reference="smac")
    assert "No comparison: the reference `smac`" in text
    header, rows = read_tables(text)[1]
    assert header == ["method", "mean rank", "CPU ms per suggestion"]
    assert rows["`good`"] == ["1.00", "4.00"]
    assert len(read_tables(text)) == 2


def test_fewer_seeds_are_told_in_the_cell_and_for_the_ranks():
    text = markdown([*RUNS, bench_run("p", "slow", 1, [9.0, 0.5], optimum=0.0)])
    assert read_tables(text)[0][1]["`slow`"] == ["**0.500** (0.500), 1 seed"]
    assert "Mean rank over 1 problem, each pair of methods on the seeds that it shares." in text


def test_runs_left_out_are_named():
    runs = [
        *RUNS,
        bench_run("p", "good", 2, [1.0], n_evals=2, crash="boom"),
        bench_run("p", "good", 3, [1.0], n_evals=2),
        bench_run("p", "good", 4, [], n_evals=2),
        bench_run("p", "gone", 4, [], n_evals=2, crash="bang"),
    ]
    lines = markdown(runs).splitlines()
    assert "- `p`, `good`: left out: 1 crashed, 2 unfinished" in lines
    assert "- `p`, `gone`: left out: 1 crashed" in lines
    assert "left out" not in markdown(RUNS)


def test_the_optimum_has_a_table_where_somebody_finds_it():
    runs = bench_runs({"a": [0.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]}, optimum=0.0)
    header, rows = read_tables(markdown(runs))[1]
    assert header == ["method", "p"]
    assert rows == {"`a`": ["100% (2)"], "`b`": ["50% (2)"], "`c`": ["0%"]}
    assert read_tables(markdown(runs))[0][1]["`a`"] == ["**0** (0)"]


def test_values_are_marked_and_have_the_digits_that_tell_them_apart():
    header, rows = read_tables(markdown(bench_runs({"a": [100.023], "b": [100.058]})))[0]
    assert header == ["method", "p (value)"]
    assert rows == {"`a`": ["**100.023** (100.023)"], "`b`": ["100.058 (100.058)"]}


@pytest.mark.parametrize(
    ("regret", "text"), [(0.012, "0.0120"), (123456.0, "1.23e+05"), (100.0, "100"), (3e-7, "3.00e-07")]
)
def test_regrets_have_three_significant_digits(regret, text):
    _, rows = read_tables(markdown(bench_runs({"a": [regret]}, optimum=0.0)))[0]
    assert rows == {"`a`": [f"**{text}** ({text})"]}


def test_a_method_that_never_got_a_value_has_blanks():
    _, rows = read_tables(markdown(bench_runs({"a": [1.0], "b": [NAN]}, start=NAN)))[0]
    assert rows["`b`"] == ["- (-)"]


def test_a_problem_that_a_method_was_not_run_on_is_blank_and_told_with_the_rank():
    runs = RUNS + bench_runs({"optuna-tpe": [2.0, 2.0]}, problem="q", optimum=0.0)
    tables = read_tables(markdown(runs))
    assert tables[0][1]["`good`"] == ["**2.00** (2.00)", "-"]
    assert tables[1][1]["`good`"][0] == "1.00 (1 of 2 problems)"


def test_many_problems_are_split_by_family():
    names = [f"fcnet-{n}" for n in range(3)] + [f"nas-{n}" for n in range(9)] + ["branin", "ackley"]
    runs = [run for name in names for run in bench_runs({"a": [1.0], "b": [2.0]}, problem=name, optimum=0.0)]
    text = markdown(runs)
    headers = [header[1:] for header, _ in read_tables(text)[:4]]
    assert headers == [names[:3], names[3:10], names[10:12], ["ackley", "branin"]]
    assert "**fcnet**" in text and "**others**" in text


def test_seven_problems_stay_in_one_table():
    runs = [run for n in range(7) for run in bench_runs({"a": [1.0]}, problem=f"p{n}")]
    assert len(read_tables(markdown(runs))[0][0]) == 8


def test_nothing_complete_is_an_error():
    with pytest.raises(StatisticsError, match="At least one run must be complete"):
        markdown([])


# --- CSV ---


def test_every_run_has_a_row_that_reads_back_the_same():
    value = 0.1 + 0.2
    runs = [
        bench_run("p", "a", 1, [9.0, value], optimum=value, cpu=0.1),
        bench_run("p", "a", 0, [9.0, value], optimum=0.0),
        bench_run("q", "a", 0, [NAN], n_evals=5, crash='Traceback,\n  "quoted"'),
        bench_run("q", "b", 0, [], n_evals=5),
    ]
    text = runs_csv(runs)
    assert text.splitlines()[0] == ",".join(RUN_COLUMNS)
    rows = read_csv(text)
    assert [(row["problem"], row["method"], row["seed"]) for row in rows] == [
        ("p", "a", "0"),
        ("p", "a", "1"),
        ("q", "a", "0"),
        ("q", "b", "0"),
    ]
    assert (float(rows[0]["value"]), float(rows[0]["regret"]), rows[0]["evaluations_to_optimum"]) == (value, value, "")
    assert (float(rows[1]["regret"]), rows[1]["evaluations_to_optimum"], float(rows[1]["cpu_seconds"])) == (0, "2", 0.2)
    assert (rows[2]["n_evals"], rows[2]["n_done"], rows[2]["value"], rows[2]["regret"]) == ("5", "1", "nan", "")
    assert rows[2]["crash"] == 'Traceback,\n  "quoted"'
    assert (rows[3]["value"], rows[3]["cpu_seconds"], rows[3]["crash"]) == ("", "", "")


def test_runs_read_back_give_the_same_table_and_the_same_curves():
    runs = [
        *bench_runs({"good": [5.0, 1.0, 1.0], "optuna-tpe": [2.0, 4.0, 0.1]}, optimum=0.1),
        *bench_runs({"good": [NAN, NAN, 7.0], "optuna-tpe": [NAN, 3.0, 8.0]}, problem="q"),
        bench_run("q", "good", 9, [NAN, 2.0], n_evals=3, crash="a, b"),
    ]
    again = read_runs(runs_csv(runs))
    assert curves_csv(again) == curves_csv(runs)
    tables = [text.split("Final regret")[1] for text in (markdown(again), markdown(runs))]
    assert tables[0] == tables[1]
    assert runs_csv(again) == runs_csv(runs)


def test_a_run_that_ended_at_the_optimum_is_read_back_as_one():
    run = bench_run("p", "a", 0, [3.0, 1.0, 0.5, 0.5, 0.5], optimum=0.5)
    ended = replace(run, evaluations=run.evaluations[:3], is_solved=True)
    (again,) = read_runs(runs_csv([ended]))
    assert again.is_solved and again.is_complete and len(again.evaluations) == 3
    (unfinished,) = read_runs(runs_csv([replace(run, evaluations=run.evaluations[:2])]))
    assert not unfinished.is_complete


def test_runs_read_back_can_be_cut_after_their_first_evaluations():
    (run,) = read_runs(runs_csv([bench_run("p", "a", 0, [9.0, 5.0, 7.0, 1.0], optimum=1.0)]))
    assert [float(curve.mean[-1]) for curve in curves([run.first(3)])] == [6.0]


def test_a_file_of_other_columns_is_refused():
    with pytest.raises(StatisticsError, match="must have the columns problem, method, seed.* Got .'mine'"):
        read_runs("mine\n1\n")


def test_curves_have_rows_at_round_evaluations_and_at_the_last():
    runs = [bench_run("p", "a", seed, [float(100 - n + seed) for n in range(23)]) for seed in (0, 2)]
    text = curves_csv(runs)
    assert text.splitlines()[0] == ",".join(CURVE_COLUMNS)
    rows = read_csv(text)
    assert [int(row["evaluation"]) for row in rows] == [1, 2, 3, 5, 10, 15, 20, 23]
    assert [float(row["mean"]) for row in rows][:2] == [101.0, 100.0]
    assert {(row["quantity"], row["n_seeds"]) for row in rows} == {("value", "2")}
    assert all(float(row["lower"]) <= float(row["mean"]) <= float(row["upper"]) for row in rows)


def test_long_curves_have_about_fifty_rows():
    rows = read_csv(curves_csv([bench_run("p", "a", 0, [1.0] * 1001, optimum=0.0)]))
    assert len(rows) == 45  # 1, 2, 3, 5, forty steps of 25, 1001
    assert rows[-1]["evaluation"] == "1001"
    assert rows[0]["quantity"] == "regret"


def test_rows_of_very_long_curves_are_as_dense_in_every_decade():
    rows = read_csv(curves_csv([bench_run("p", "a", 0, [1.0] * 10_000, optimum=0.0)]))
    numbers = np.array([int(row["evaluation"]) for row in rows])
    assert {1, 2, 3, 5, 10, 100, 1000, 10_000} <= set(numbers) and len(rows) < 100
    late = numbers[numbers >= 10]
    assert (late[1:] / late[:-1]).max() < 1.2


def test_a_curve_of_one_evaluation_has_one_row():
    assert len(read_csv(curves_csv([bench_run("p", "a", 0, [1.0])]))) == 1


def test_curves_are_read_back_to_six_digits():
    runs = [bench_run("p", "a", seed, [NAN, 1e6 / 3 + seed, 2 / 3, -1e-9], optimum=-1.0) for seed in (0, 1)]
    runs += [bench_run("a, b", "b", 0, [1.0, 0.5])]
    written = {(curve.problem, curve.method): curve for curve in curves(runs)}
    found = read_curves(curves_csv(runs))
    assert [(curve.problem, curve.method) for curve in found] == list(written)
    for curve in found:
        whole = written[curve.problem, curve.method]
        assert (curve.is_regret, curve.n_seeds) == (whole.is_regret, whole.n_seeds)
        rows = curve.evaluations - 1
        for name in ("mean", "lower", "upper", "median"):
            np.testing.assert_allclose(getattr(curve, name), getattr(whole, name)[rows], rtol=1e-5)

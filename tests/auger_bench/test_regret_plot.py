import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from support import bench_runs
from support.bench_runs import bench_run

from auger.errors import AugerError
from auger_bench.method_styles import STYLES, Style, styles
from auger_bench.methods.interface import MissingLibraryError
from auger_bench.regret_plot import FigureError, draw, figure_of_curves, figure_of_runs, n_runs
from auger_bench.statistics import StatisticsError, curves
from auger_bench.tables import curves_csv, read_curves

pytest.importorskip("matplotlib", reason="figures need matplotlib")


def falling(problem, method, seed, *, optimum=None, n_evals=30):
    drops = np.random.default_rng(seed).exponential(1 / np.arange(1, n_evals + 1))
    return bench_run(problem, method, seed, np.minimum.accumulate(1.0 + drops).tolist(), optimum=optimum)


def family(problems, methods, *, optimum=None):
    return [falling(p, m, seed, optimum=optimum) for p in problems for m in methods for seed in range(3)]


RUNS = family(["p"], ["bore-rf", "optuna-tpe"], optimum=0.5)


def legend_labels(drawn):
    (legend,) = drawn.legends
    return [text.get_text() for text in legend.get_texts()]


def colors(axes):
    return {line.get_label(): line.get_color() for line in axes.get_lines()}


@pytest.mark.parametrize("name", ["figure.png", "figure.svg", "FIGURE.PNG"])
def test_a_file_is_written(tmp_path, name):
    draw(RUNS, tmp_path / name)
    assert (tmp_path / name).stat().st_size > 1000
    if name.endswith("svg"):
        assert ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")
    else:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_same_runs_give_the_same_file(tmp_path):
    draw(RUNS, tmp_path / "one.svg")
    draw(RUNS[::-1], str(tmp_path / "two.svg"))
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_drawing_leaves_pyplot_alone(tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(Path(bench_runs.__file__).parents[1])!r})
from support.bench_runs import bench_run
from auger_bench.regret_plot import draw
draw([bench_run("p", "a", 0, [2.0, 1.0])], {str(tmp_path / "a.png")!r})
print("matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_problem_has_a_panel_and_all_share_one_legend():
    drawn = figure_of_runs(family("abcdefg", ["bore-rf", "random", "optuna-tpe"]), title="Seven")
    assert [axes.get_title() for axes in drawn.axes] == list("abcdefg")
    assert sorted(legend_labels(drawn)) == ["bore-rf", "optuna-tpe", "random"]
    assert all(axes.get_legend() is None for axes in drawn.axes)
    assert drawn.get_suptitle() == "Seven"


def test_regret_has_a_log_scale_and_values_a_linear_one():
    runs = family(["known"], ["a"], optimum=0.5) + family(["unknown"], ["a"])
    known, unknown = figure_of_runs(runs).axes
    assert (known.get_yscale(), known.get_ylabel()) == ("log", "mean regret")
    assert (unknown.get_yscale(), unknown.get_ylabel()) == ("linear", "mean best value")


def test_regret_zero_is_drawn_at_a_marked_floor():
    runs = [bench_run("p", "a", 0, [5.0, 1.0, 0.0], optimum=0.0)]
    (axes,) = figure_of_runs(runs).axes
    line = next(line for line in axes.get_lines() if line.get_label() == "a")
    np.testing.assert_array_equal(line.get_ydata(), [5.0, 1.0, 0.5])
    assert [text.get_text() for text in axes.texts] == ["regret 0"]
    assert axes.get_ylim()[0] < 0.5


def test_no_tick_gives_the_floor_a_number():
    (axes,) = figure_of_runs([bench_run("p", "a", 0, [5.0, 0.2, 0.0], optimum=0.0)]).axes  # 0 is drawn at 0.1
    assert min(axes.get_yticks()) == 1.0


def test_no_floor_is_marked_where_nobody_is_there():
    (axes,) = figure_of_runs(RUNS).axes
    assert not axes.texts


def test_the_first_evaluations_do_not_set_the_height():
    values = [1000.0, 500.0] + [3.0 - n / 50 for n in range(48)]
    (axes,) = figure_of_runs([bench_run("p", "a", 0, values)]).axes
    assert axes.get_ylim()[1] < 4.0


@pytest.mark.parametrize("values", [[1.0], [float("nan")], [float("nan"), 1.0, 0.5], [0.0, 0.0], [-1.0, -1.0]], ids=str)
@pytest.mark.parametrize("optimum", [None, 0.0, -1.0])
def test_unpleasant_runs_are_drawn(tmp_path, values, optimum):
    draw([bench_run("p", "a", 0, values, optimum=optimum)], tmp_path / "a.png")
    assert (tmp_path / "a.png").exists()


def test_only_the_methods_asked_for_are_drawn():
    assert legend_labels(figure_of_runs(RUNS, methods=["optuna-tpe"])) == ["optuna-tpe"]


def test_a_method_without_runs_is_refused_and_the_nearest_named():
    with pytest.raises(FigureError, match="There is no complete run of method 'bore-fr'. Did you mean 'bore-rf'"):
        figure_of_runs(RUNS, methods=["bore-fr"])


def test_no_methods_are_refused():
    with pytest.raises(FigureError, match="at least one"):
        figure_of_runs(RUNS, methods=[])


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(FigureError, match=r"must end in .png or .svg. Got 'figure.gif'"):
        draw(RUNS, tmp_path / "figure.gif")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(AugerError, match="folder of a figure must exist"):
        draw(RUNS, tmp_path / "nowhere" / "figure.png")


def test_nothing_complete_is_an_error(tmp_path):
    with pytest.raises(StatisticsError, match="At least one run must be complete"):
        draw([], tmp_path / "figure.png")


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingLibraryError, match=r'pip install "auger\[figures\]"'):
        figure_of_runs(RUNS)


def test_curves_read_from_a_file_are_drawn_over_the_same_range():
    runs = family(["p"], ["bore-rf"], optimum=0.5) + family(["q"], ["bore-rf"])
    for whole, some in zip(
        figure_of_runs(runs).axes, figure_of_curves(read_curves(curves_csv(runs))).axes, strict=True
    ):
        assert some.get_xlim() == whole.get_xlim() == (1, 30)
        np.testing.assert_allclose(some.get_ylim(), whole.get_ylim(), rtol=0.2)


def test_styles_of_ones_own_set_the_order_of_the_legend():
    looks = {"random": Style("#111111"), "bore-rf": Style("#222222")}
    drawn = figure_of_curves(curves(family(["p"], ["bore-rf", "random"])), looks=looks)
    assert legend_labels(drawn) == ["random", "bore-rf"]
    assert colors(drawn.axes[0]) == {"random": "#111111", "bore-rf": "#222222"}


@pytest.mark.parametrize(("n_problems", "n_columns"), [(1, 1), (3, 3), (4, 2), (6, 3), (8, 4), (9, 3), (10, 4)])
def test_panels_stand_in_rows_that_fit_a_page(n_problems, n_columns):
    drawn = figure_of_runs(family([f"p{n}" for n in range(n_problems)], ["a"]))
    assert drawn.axes[0].get_subplotspec().get_gridspec().ncols == n_columns


# --- styles ---


def test_known_methods_all_look_different():
    assert len(set(STYLES.values())) == len(STYLES)
    assert len({style.color for style in STYLES.values()}) == len(STYLES)


def test_a_method_looks_the_same_in_every_panel_and_figure():
    both = figure_of_runs(family(["p", "q"], ["bore-rf", "smac"])).axes
    alone = figure_of_runs(family(["p"], ["smac"])).axes[0]
    assert colors(both[0]) == colors(both[1])
    assert colors(both[0])["smac"] == colors(alone)["smac"] == STYLES["smac"].color


def test_ours_are_solid_and_first_others_are_dashed_and_random_is_last():
    looks = styles(["random", "hebo", "optuna-tpe", "bore-rf-platt", "bore-rf"])
    assert list(looks) == ["bore-rf", "bore-rf-platt", "optuna-tpe", "hebo", "random"]
    assert [bool(style.dashes) for style in looks.values()] == [False, False, True, True, True]


def test_an_unknown_method_has_a_style_of_its_own():
    names = [f"method-{n}" for n in range(20)]
    looks = styles(names)
    assert len(set(looks.values())) == 20
    assert styles(["method-3"])["method-3"] == styles(["method-3", "smac"])["method-3"]


def test_limits_share_a_hue_that_grows_fuller():
    looks = styles([f"bore-rf-{kind}{limit}" for kind in ("rs", "de") for limit in (1000, 50, 200)])
    assert list(looks)[:3] == ["bore-rf-de50", "bore-rf-de200", "bore-rf-de1000"]
    blue = [int(looks[f"bore-rf-de{limit}"].color[1:3], 16) for limit in (50, 200, 1000)]
    assert blue == sorted(blue, reverse=True) and blue[-1] == 0  # less and less white in it
    assert looks["bore-rf-de1000"].color == "#0072b2"
    assert looks["bore-rf-rs1000"].color == "#d55e00"


def test_limits_of_two_bases_are_told_by_their_strokes():
    looks = styles(["bore-rf-rs50", "bore-xgb-rs50"])
    assert looks["bore-rf-rs50"].color == looks["bore-xgb-rs50"].color
    assert looks["bore-rf-rs50"].dashes != looks["bore-xgb-rs50"].dashes


def test_the_picture_says_of_how_many_runs_it_is():
    (legend,) = figure_of_runs(RUNS).legends
    assert legend.get_title().get_text() == n_runs(curves(RUNS))


def test_numbers_of_runs_that_differ_are_named():
    def curve(problem, method, n):
        return replace(curves(RUNS)[0], problem=problem, method=method, n_seeds=n)

    few = [curve("p", "smac", 2), *(curve("p", name, 20) for name in ("a", "b"))]
    assert n_runs(few) == "means of n = 20 runs with 95 % bands (smac: 2)"


def one_curve(problem, method, n_seeds, n_evals=30):
    return replace(curves([falling(problem, method, 0, optimum=0.5, n_evals=n_evals)])[0], n_seeds=n_seeds)


def test_a_panel_with_other_numbers_of_runs_says_so_itself():
    usual = [one_curve(problem, name, 20) for problem in "pq" for name in ("a", "b")]
    drawn = figure_of_curves([*usual, one_curve("r", "a", 20), one_curve("r", "b", 4)])
    assert drawn.legends[0].get_title().get_text() == "means of n = 20 runs with 95 % bands"
    assert [[text.get_text() for text in axes.texts] for axes in drawn.axes] == [[], [], ["n = 20\nb: 4"]]
    assert drawn.axes[2].texts[0].get_path_effects(), "no edge parts the words from curves behind them"


def test_of_numbers_that_are_as_frequent_the_largest_is_the_usual_one():
    by_panel = [one_curve(problem, name, n) for problem, n in (("p", 5), ("q", 10)) for name in ("a", "b")]
    drawn = figure_of_curves(by_panel)
    assert drawn.legends[0].get_title().get_text() == "means of n = 10 runs with 95 % bands"
    assert [[text.get_text() for text in axes.texts] for axes in drawn.axes] == [["n = 5"], []]


# --- lengths ---


def test_a_panel_is_as_wide_as_its_longest_curve():
    (axes,) = figure_of_curves([one_curve("p", "a", 5, n_evals=20), one_curve("p", "b", 9, n_evals=50)]).axes
    assert axes.get_xlim() == (1, 50) and axes.get_xscale() == "linear"
    assert {len(line.get_xdata()) for line in axes.get_lines()} == {20, 50}


@pytest.mark.parametrize("optimum", [None, 0.5])
def test_thousands_of_evaluations_have_a_logarithmic_axis_whose_height_holds_what_it_shows(optimum):
    long, short = (
        curves([falling("p", method, 0, optimum=optimum, n_evals=n)])[0] for method, n in (("a", 10_000), ("b", 40))
    )
    (axes,) = figure_of_curves([long, short]).axes
    assert axes.get_xlim() == (10, 10_000) and axes.get_xscale() == "log"
    low, high = axes.get_ylim()
    assert low <= long.mean[-1] and short.mean[10] <= high and long.mean[10] <= high


def test_panels_have_the_order_and_the_name_of_the_value_that_are_asked_for():
    drawn = figure_of_curves(curves(family(["p", "q"], ["a"])), problems=["q", "p"], value="lap time")
    assert [axes.get_title() for axes in drawn.axes] == ["q", "p"]
    assert drawn.axes[0].get_ylabel() == "mean lap time"

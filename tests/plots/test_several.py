"""Figures of runs with several objectives and outcome constraints, against answers worked by hand."""

import re
from dataclasses import replace

import numpy as np
import pytest
from support.fronts import LINE, LINE_OBJECTIVES, nets, run_of
from support.runs import EVIL, told

from auger import Optimizer
from auger.insight import importance, view
from auger.plots import PlotError, attainment, curves, drivers, feasibility, front, history, slices
from auger.plots import importance as importance_plot


@pytest.fixture(scope="module")
def line():
    return view(run_of(LINE, LINE_OBJECTIVES))


@pytest.fixture(scope="module")
def networks():
    return view(nets(120))


def trace(figure, name):
    return [own for own in figure.data if own.name.partition(":")[0] == name][-1]


def test_a_step_along_the_front_is_worded_below_and_where_it_starts(line):
    figure = front(line)
    assert figure.layout.meta["notes"] == [
        "From trial 1 to 2, 0.1 more loss buys 5 less seconds.",
        "From trial 2 to 0, 0.1 more loss buys 1 less seconds.",
    ]
    first, second, last = trace(figure, "front").hovertext
    assert first.endswith("<br>to trial 2: 0.1 more loss buys 5 less seconds")
    assert "to trial 0" in second and "to trial" not in last
    labels = {label.text: (label.x, label.y) for label in figure.layout.annotations[1:]}
    assert labels == {"1": (0.1, 9.0), "2": (0.2, 4.0), "0": (0.5, 1.0)}


def test_a_step_buys_what_the_user_wants_more_of():
    figure = front(run_of([(0.5, 1.0), (0.9, 0.2)], {"accuracy": "maximize", "speed": "maximize"}))
    assert figure.layout.meta["notes"] == ["From trial 1 to 0, 0.1 less accuracy buys 0.2 more speed."]


def test_numbers_stand_at_their_trials_on_a_logarithmic_axis():
    figure = front(run_of([(0.001, 9.0), (10.0, 1.0)]))
    assert figure.layout.xaxis.type == "log" and figure.layout.yaxis.type is None
    assert [(label.x, label.y) for label in figure.layout.annotations[1:]] == [(-3.0, 9.0), (1.0, 1.0)]


def test_the_star_is_the_compromise(line):
    star = trace(front(line), "compromise")
    assert (star.name, star.x, star.y) == ("compromise: trial 2", (0.2,), (4.0,))


def test_the_third_objective_is_a_color_the_best_end_of_which_is_the_same_for_both_directions(networks):
    figure = front(networks, ("error", "seconds"))
    marks = trace(figure, "front")
    numbers = [int(re.search(r"trial (\d+)", words)[1]) for words in marks.hovertext]
    assert list(marks.marker.color) == [networks.values_of(networks.by_number[number])[2] for number in numbers]
    assert len(numbers) > 1
    assert figure.layout.coloraxis.reversescale is False  # more accuracy is better
    assert front(networks, (0, 2)).layout.coloraxis.reversescale is True
    assert front(nets(60, 4)).layout.coloraxis.colorscale is None


def test_infeasible_and_beaten_trials_are_faint_and_counted(networks):
    figure = front(networks)
    infeasible = [trial for trial in networks.complete if not trial.is_feasible]
    crosses = trace(figure, "infeasible")
    assert crosses.name == f"infeasible: {len(infeasible)}"
    assert set(crosses.customdata) == {trial.number for trial in infeasible}
    assert crosses.marker.opacity < 0.5 and trace(figure, "beaten").marker.opacity < 0.7


def test_the_attained_volume_is_a_stair_that_ends_with_the_last_trial(line):
    stair, moves = attainment(line).data
    assert list(moves.x) == [0, 1, 2] and list(stair.x) == [0, 1, 2, 4]
    assert stair.y[-1] == stair.y[-2] and stair.line.shape == "hv"
    assert attainment(line).layout.meta["notes"] == [
        "The volume lies between loss 0.1 and 0.54, and seconds 1 and 9.8."
    ]
    with pytest.raises(PlotError, match="With one objective there is no front"):
        attainment(told(1.0))


def test_feasible_shares_have_a_line_per_constraint_and_one_for_all():
    limits = [(1.0, 2.0), (-1.0, 4.0), (-1.0, -1.0), (0.0, -1.0)]
    run = replace(view(run_of([(1.0, 1.0)] * 4, constraints=limits)), named_constraints=("memory",))
    lines = {own.name: list(own.y) for own in feasibility(run).data}
    assert lines["memory"] == pytest.approx([0, 1 / 2, 2 / 3, 3 / 4])
    assert lines["constraint 1"] == pytest.approx([0, 0, 1 / 3, 1 / 2]) == lines["all"]
    with pytest.raises(PlotError, match="No trial has an outcome constraint"):
        feasibility(told(1.0))


def test_of_many_constraints_the_strictest_are_drawn():
    limits = [tuple(1.0 if i < j else -1.0 for j in range(9)) for i in range(10)]
    figure = feasibility(run_of([(1.0, 1.0)] * 10, constraints=limits))
    assert [own.name for own in figure.data] == [*(f"constraint {j}" for j in range(3, 9)), "all"]
    assert "3 constraints that more trials satisfy are left out." in figure.layout.meta["notes"]


def test_a_parameter_has_a_bar_per_objective_and_an_arrow_where_it_has_a_trend(networks):
    figure = drivers(networks)
    bars = {own.name: own for own in figure.data}
    assert list(bars) == ["accuracy", "seconds", "error"]  # the first on top
    names = list(figure.layout.yaxis.ticktext)
    width = bars["seconds"].y.tolist().index(names.index("width"))
    assert bars["seconds"].x[width] > 0.2 and bars["seconds"].customdata[width] == "↑"
    assert all(own.customdata[own.y.tolist().index(names.index("act"))] == "" for own in figure.data)
    arrows = [label for label in figure.layout.annotations if label.text == "↑"]
    assert arrows and all(label.xref == "x" for label in arrows)


def test_what_matters_to_one_objective_is_drawn_by_itself(networks):
    figure = importance_plot(networks, objective="seconds")
    assert figure.layout.title.text == "Which parameters matter to seconds"
    ranking = importance(networks, objective=1)
    assert figure.layout.yaxis.ticktext[-1] == ranking.names[int(np.argmax(ranking.permutation))]
    with pytest.raises(PlotError, match=r"must be one of 0 \('error'\)"):
        importance_plot(networks, objective="speed")


def test_slices_are_of_the_objective_that_is_chosen(networks):
    figure = slices(networks, ["width"], objective="seconds")
    assert figure.layout.yaxis.title.text == "seconds"
    star = figure.data[-1]
    assert star.name == "best seconds" and star.y[0] == min(networks.values_of(trial)[1] for trial in networks.front)
    by_error, by_seconds = (
        [label.text for label in slices(networks, objective=j).layout.annotations] for j in range(2)
    )
    assert by_error != by_seconds and sorted(by_error) == sorted(by_seconds)
    with pytest.raises(PlotError, match=r"must be one of 0 \('error'\)"):
        slices(networks, objective=3)


def test_values_are_compared_with_the_baseline_of_their_objective(line):
    for objective, height in ((0, 0.5), (1, 1.0)):
        figure = history(line, objective=objective)
        assert figure.layout.shapes[0].y0 == height and figure.layout.annotations[0].text.startswith("first trial: ")


def test_intermediate_values_are_drawn_per_objective_and_pruned_trials_stand_at_theirs():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions={"loss": "minimize", "speed": "maximize"}, seed=0)
    for i in range(3):
        optimizer.tell(optimizer.report(optimizer.ask(), 1, [9.0, 1.0 + i]), [float(i), 4.0 * i])
    optimizer.tell(optimizer.report(optimizer.ask(), 1, [1.5, 3.0]), pruned=True)
    drawn = {own.name.partition(":")[0]: list(own.y) for own in curves(optimizer, objective="speed").data}
    assert drawn["pruned"] == [3.0] and drawn["best"] == [3.0] and drawn["complete"] == [1.0, None, 2.0]
    pruned = {own.name: list(own.y) for own in history(optimizer, objective=1).data}
    assert pruned["pruned"] == [3.0]
    with pytest.raises(PlotError, match="must be one of 0"):
        curves(optimizer, objective=2)


def test_hostile_names_are_shown_as_they_are():
    run = run_of(LINE, {EVIL[0]: "minimize", EVIL[2]: "minimize"})
    figure = front(run)
    assert figure.layout.xaxis.title.text.startswith("&lt;b&gt;bold")
    assert "&lt;script&gt;" in trace(figure, "front").hovertext[0]
    assert "<b>bold</b>" in figure.layout.meta["notes"][0]  # for pages, which escape it
    assert "&lt;b&gt;bold" in figure.layout.title.subtitle.text

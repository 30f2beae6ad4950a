from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.runs import FAILED, study_of, told

from auger.insight import view
from auger.plots import PlotError, front
from auger.plots.front import unbeaten


def dominated(points):
    """By the definition, pair by pair."""
    return [
        any(all(a <= b for a, b in zip(p, q, strict=True)) and tuple(p) != tuple(q) for p in points) for q in points
    ]


@given(st.integers(2, 3).flatmap(lambda k: st.lists(st.tuples(*[st.integers(0, 4)] * k), min_size=1, max_size=25)))
def test_unbeaten_points_are_those_that_no_other_dominates(points):
    assert unbeaten(np.array(points, dtype=float)).tolist() == [not beaten for beaten in dominated(points)]


def test_huge_values_do_not_overflow():
    assert unbeaten(np.array([[1e308, 1e308], [-1e308, 1.7e308], [1.7e308, 1.7e308]])).tolist() == [True, True, False]


def shown(figure):
    return {trace.name.partition(":")[0]: set(zip(trace.x, trace.y, strict=True)) for trace in figure.data}


@pytest.mark.parametrize(
    ("directions", "best", "corner"),
    [
        (("minimize", "minimize"), {(0, 0)}, "better ↙"),
        (("minimize", "maximize"), {(0, 2)}, "better ↖"),
        (("maximize", "minimize"), {(2, 0)}, "better ↘"),
        (("maximize", "maximize"), {(2, 1), (1, 2)}, "better ↗"),
    ],
)
def test_the_front_knows_the_directions(directions, best, corner):
    points = [(0, 0), (0, 2), (2, 0), (1, 1), (2, 1), (1, 2)]
    figure = front(study_of(*({"values": point} for point in points), FAILED, directions=directions))
    assert shown(figure)["front"] == best and shown(figure)["beaten"] == set(points) - best
    assert figure.layout.annotations[0].text == corner


def test_the_line_is_a_stair_from_the_best_of_the_first_objective_on():
    figure = front(study_of(*({"values": v} for v in [(3, 1), (1, 3), (2, 2)]), directions=["maximize", "maximize"]))
    line = figure.data[1]
    assert line.mode == "lines" and (list(line.x), list(line.y)) == ([3, 2, 1], [1, 2, 3])


def test_with_three_objectives_a_pair_is_chosen_and_the_others_unbeaten_are_shown():
    study = study_of(*({"values": v} for v in [(0, 0, 9), (1, 1, 1), (2, 2, 2)]), directions=["minimize"] * 3)
    figure = front(study)
    assert shown(figure)["front"] == {(0, 0)} and shown(figure)["unbeaten in all objectives"] == {(1, 1)}
    figure = front(study, ("value 2", 0))
    assert figure.layout.xaxis.title.text == "value 2 (minimize)" and shown(figure)["front"] == {(9, 0), (1, 1)}


def test_infeasible_trials_are_on_no_front():
    seen = view(study_of({"values": [0, 0]}, {"values": [1, 1]}, directions=["minimize"] * 2))
    rows = (replace(seen.rows[0], is_feasible=False), seen.rows[1])
    assert shown(front(replace(seen, rows=rows)))["front"] == {(1, 1)}


@pytest.mark.parametrize(
    ("objectives", "message"),
    [((0, 0), "two different"), ((0,), "two of this run's"), ("01", "two of this run's"), ((0, 7), "must be one of")],
)
def test_objectives_that_are_no_pair_are_refused(objectives, message):
    study = study_of({"values": [1, 2]}, directions=["minimize"] * 2)
    with pytest.raises(PlotError, match=message):
        front(study, objectives)


def test_one_objective_has_no_front():
    with pytest.raises(PlotError, match="A front needs two objectives. This run has one"):
        front(told(1.0))

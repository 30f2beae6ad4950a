from dataclasses import replace

import pytest
from support.runs import FAILED, study_of, told

from auger.insight import view
from auger.plots import PlotError, front


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
    assert shown(figure)["front"] == {(0, 0)} and shown(figure)["unbeaten in all"] == {(1, 1)}
    figure = front(study, ("value 2", 0))
    assert figure.layout.xaxis.title.text == "value 2 (minimize)" and shown(figure)["front"] == {(9, 0), (1, 1)}


def test_infeasible_trials_are_on_no_front():
    run = view(study_of({"values": [0, 0]}, {"values": [1, 1]}, directions=["minimize"] * 2))
    trials = (replace(run.trials[0], constraints=(1.0,)), run.trials[1])
    assert shown(front(replace(run, trials=trials)))["front"] == {(1, 1)}


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

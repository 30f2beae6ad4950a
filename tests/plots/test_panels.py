"""Slices and parallel coordinates: parameters as axes."""

import numpy as np
import pytest
from support.runs import FAILED, RUNNING, SPACE, optimized, pruned, study_of, told, two_objectives

from auger import Categorical, Float, Int, Optimizer, Ordinal, Space
from auger.plots import PlotError, parallel, slices
from auger.plots.parallel import MAX_LINES

RUN = [
    ({"kernel": "rbf", "C": 1.0}, 3.0),
    ({"kernel": "poly", "degree": 2, "C": 0.001}, 1.0),
    ({"kernel": "poly", "degree": 5, "C": 1000.0}, 2.0),
]


@pytest.fixture
def run():
    optimizer = Optimizer(SPACE, "tpe", seed=0)
    optimizer.add([config for config, _ in RUN], [value for _, value in RUN])
    return optimizer


def test_a_slice_shows_the_value_of_every_trial_that_has_the_parameter(run):
    figure = slices(run, ["degree", "C"])
    pairs = {}
    for trace in figure.data:
        pairs.setdefault(trace.xaxis, set()).update(zip(trace.x, trace.y, trace.customdata, strict=True))
    assert pairs == {"x": {(2, 1.0, 1), (5, 2.0, 2)}, "x2": {(1.0, 3.0, 0), (0.001, 1.0, 1), (1000.0, 2.0, 2)}}
    assert figure.layout.xaxis2.type == "log" and figure.layout.xaxis.type is None
    assert [note.text for note in figure.layout.annotations] == ["degree", "C"]


def test_choices_stand_near_their_places_and_have_their_names(run):
    figure = slices(run, ["kernel"])
    assert (figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext) == ((0, 1), ("rbf", "poly"))
    places = np.concatenate([trace.x for trace in figure.data])
    assert set(np.rint(places)) == {0, 1} and (abs(places - np.rint(places)) <= 0.25).all()


def test_the_good_and_the_best_stand_out(run):
    rest, good, best = slices(run, ["C"]).data
    assert [trace.name for trace in (rest, good, best)] == ["the rest", "good", "best"]
    assert list(good.customdata) == [1] and list(best.customdata) == [1] and sorted(rest.customdata) == [0, 2]


@pytest.mark.parametrize(("direction", "edge"), [("minimize", 0.97), ("maximize", 0.03)])
def test_pruned_and_failed_trials_are_in_the_slices(direction, edge):
    sign = 1 if direction == "minimize" else -1
    steps = ({0: sign * 9.0, 3: sign * 1.5}, {0: sign * 50.0})
    values = ({"value": sign * 1.0}, {"value": sign * 2.0})
    run = study_of(*values, *map(pruned, steps), FAILED, RUNNING, directions=[direction])
    marks = {}
    for trace in slices(run).data:
        axis = "edge" if trace.yaxis == "y2" else "value"
        marks.setdefault(trace.name, set()).update(
            (axis, *pair) for pair in zip(trace.customdata, trace.y, strict=True)
        )
    assert marks["pruned"] == {("value", 2, sign * 1.5), ("edge", 3, edge)}  # where that is far off, on the worse edge
    assert marks["no value"] == {("edge", 4, edge)}
    assert {number for group in marks.values() for _, number, _ in group} == {0, 1, 2, 3, 4}
    listed = [trace.name for trace in slices(run).data if trace.showlegend]
    assert sorted(listed) == sorted(marks)


def test_infeasible_trials_are_marked_in_the_slices():
    optimizer = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0)
    for trial, value, constraint in zip(optimizer.ask(3), (2.0, 0.0, 1.0), (-1.0, 1.0, 0.0), strict=True):
        optimizer.tell(trial, value, constraints=[constraint])
    marks = {trace.name: list(trace.customdata) for trace in slices(optimizer).data}
    assert marks["infeasible"] == [1] and marks["best"] == [2]


def test_more_than_twelve_parameters_are_cut_to_the_most_important_and_said_so():
    space = Space({f"p{i}": Float(0.0, 1.0) for i in range(14)})
    optimizer = optimized(30, space=space, value=lambda run, trial: run.tell(trial, trial.config["p13"]))
    figure = slices(optimizer)
    assert len(figure.layout.annotations) == 12 and figure.layout.annotations[0].text == "p13"
    assert figure.layout.meta["notes"][0] == "12 of 14 parameters shown, the most important."
    assert len(parallel(optimizer).data[0].dimensions) == 13


def test_unknown_parameters_are_refused_with_the_nearest(run):
    with pytest.raises(PlotError, match="There is no parameter 'degre'. Did you mean 'degree'?"):
        slices(run, ["degre"])
    for wrong in ([], "C"):
        with pytest.raises(PlotError, match="`names` must be a list of one parameter or more"):
            slices(run, wrong)


def axes(figure):
    return {each.label: each for each in figure.data[0].dimensions}


def test_a_line_passes_its_parameters_on_their_own_scales(run):
    figure = parallel(run)
    shown = axes(figure)
    # the best line comes last, to be drawn on top
    assert list(shown["value"]["values"]) == [3.0, 2.0, 1.0] and list(figure.data[0].line.color) == [0, 50, 100]
    assert list(shown["kernel"]["values"]) == [0, 1, 1] and shown["kernel"].ticktext == ("rbf", "poly")
    np.testing.assert_allclose(shown["C"]["values"], [0.5, 1.0, 0.0], atol=1e-12)


def test_a_parameter_that_a_trial_has_not_stands_below_its_axis(run):
    degree = axes(parallel(run))["degree"]
    assert list(degree["values"]) == [-0.12, 1.0, 0.0] and degree.range == (-0.12, 1.0)
    assert degree.ticktext == ("\N{EN DASH}", "2", "3", "4", "5") and degree.tickvals[0] == -0.12


def test_ticks_are_in_the_users_own_values():
    space = {
        "lr": Float(1e-4, 1.0, log=True),
        "size": Ordinal([16, 64, 256]),
        "n": Int(1, 3),
        "one": Categorical([None]),
    }
    optimizer = Optimizer(space, "tpe", seed=0)
    optimizer.add([{"lr": 1e-2, "size": 64, "n": 2, "one": None}], [1.0])
    shown = axes(parallel(optimizer))
    assert shown["lr"].ticktext == ("0.0001", "0.001", "0.01", "0.1", "1")
    assert shown["size"].ticktext == ("16", "64", "256") and list(shown["size"]["values"]) == [0.5]
    assert shown["n"].ticktext == ("1", "2", "3") and shown["one"].ticktext == ("None",)
    assert list(shown["lr"]["values"]) == [0.5]


def test_equal_values_share_a_rank_and_one_trial_is_the_best():
    assert list(parallel(told(1.0, 1.0, 2.0)).data[0].line.color) == [0, 100, 100]
    assert list(parallel(told(1.0)).data[0].line.color) == [100]


def test_lines_are_thinned_and_the_best_stays():
    figure = parallel(study_of(*({"value": float((number * 617) % 1201)} for number in range(1201))))
    values = axes(figure)["value"]["values"]
    assert len(values) <= MAX_LINES and values[-1] == 0.0
    assert figure.layout.meta["notes"][0].startswith(f"{len(values):,} of 1,201 trials shown")


def test_every_objective_has_an_axis():
    assert list(axes(parallel(two_objectives()))) == ["x", "value 0", "value 1"]

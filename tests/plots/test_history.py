from dataclasses import replace

import numpy as np
import pytest
from support.runs import FAILED, RUNNING, pruned, study_of, told, two_objectives

from auger import Optimizer
from auger.insight import view
from auger.plots import PlotError, history, slices
from auger.provenance import Origin, Provenance
from auger.view import Baseline


def traces(figure):
    return {trace.name.partition(":")[0]: trace for trace in figure.data}


def test_the_best_so_far_is_a_stair_to_the_last_trial():
    figure = history(told(3.0, 4.0, 1.0, 2.0, 1.0, 0.5, None, 7.0))
    line = traces(figure)["best so far"]
    assert list(line.x) == [0, 2, 5, 7] and list(line.y) == [3.0, 1.0, 0.5, 0.5]
    assert line.line.shape == "hv"


def test_the_star_is_the_trial_with_the_best_value():
    figure = history(told(3.0, 0.5, 1.0, None))
    star = figure.data[-1]
    assert star.name == "best: 0.5 (trial 1)" and (list(star.x), list(star.y)) == ([1], [0.5])
    assert figure.layout.meta["notes"] == []


def test_what_is_maximized_rises():
    figure = history(study_of({"value": 1.0}, {"value": 3.0}, {"value": 2.0}, FAILED, directions=["maximize"]))
    line = traces(figure)["best so far"]
    assert list(line.x) == [0, 1, 3] and list(line.y) == [1.0, 3.0, 3.0]
    assert list(traces(figure)["no value"].y) == [0.02]  # on the worse edge


def test_failed_and_infinite_trials_are_ticks_on_the_worse_edge():
    edge = traces(history(told(1.0, None, float("inf"), float("nan"), 2.0)))["no value"]
    assert list(edge.x) == [1, 2, 3] and list(edge.y) == [0.98] * 3 and edge.yaxis == "y2"
    assert "crashed" in edge.hovertext[0] and "value: inf" in edge.hovertext[1]


def test_trials_are_grouped_by_who_proposed_them_and_running_ones_are_left_out():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.add([{"x": 0.5}], [0.25])
    for _ in range(12):
        trial = optimizer.ask()
        optimizer.tell(trial, trial.config["x"])
    optimizer.ask()
    shown = traces(history(optimizer))
    assert list(shown) == ["initial", "given", "auto, Gaussian process", "auto, trees", "best so far", "best"]
    assert sum(len(trace.x) for name, trace in shown.items() if "best" not in name) == 13
    looks = {(trace.marker.color, trace.marker.symbol) for trace in shown.values() if trace.mode == "markers"}
    assert len(looks) == len(shown) - 1


def test_pruned_trials_stand_at_their_last_value_or_on_the_edge_where_that_is_far_off():
    study = study_of({"value": 1.0}, {"value": 2.0}, pruned({0: 9.0, 3: 1.5}), pruned({0: 50.0}), pruned({}), RUNNING)
    inside, edge = (trace for trace in history(study).data if trace.name == "pruned")
    assert (list(inside.x), list(inside.y)) == ([2], [1.5])
    assert (list(edge.x), list(edge.y)) == ([3, 4], [0.98, 0.98])
    assert (inside.showlegend, edge.showlegend) == (None, False)


def test_a_run_of_pruned_trials_only_is_drawn():
    figure = history(study_of(pruned({0: 2.0}), pruned({0: 1.0})))
    assert [list(trace.y) for trace in figure.data] == [[2.0, 1.0]]


def test_infeasible_trials_are_marked_and_never_the_best():
    optimizer = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0)
    for trial, value, constraint in zip(optimizer.ask(3), (2.0, 0.0, 1.0), (-1.0, 1.0, 0.0), strict=True):
        optimizer.tell(trial, value, constraints=[constraint])
    shown = traces(history(optimizer))
    assert list(shown["infeasible"].x) == [1] and list(shown["best so far"].y) == [2.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("values", "kind"), [((1.0, 1000.0), "log"), ((1.0, 50.0), None), ((-1.0, 1000.0), None), ((0.0, 1000.0), None)]
)
def test_the_axis_is_logarithmic_where_values_are_positive_and_span_decades(values, kind):
    assert history(told(*values)).layout.yaxis.type == kind


def test_a_few_values_far_off_are_left_outside_and_said_so():
    figure = history(told(*np.linspace(-1.0, 1.0, 30).tolist(), 1e6))
    assert figure.layout.yaxis.range[1] < 3
    assert figure.layout.meta["notes"] == ["1 far above the figure: double-click to see it."]
    figure = history(study_of(*({"value": v} for v in [*np.linspace(-1, 1, 30), -1e6]), directions=["maximize"]))
    assert figure.layout.yaxis.range[0] > -3 and "below" in figure.layout.meta["notes"][0]


def test_the_baseline_is_that_of_the_view():
    run = view(told(3.0, 1.0, 2.0))
    assert history(run).layout.annotations[0].text == "first trial: 3"
    figure = history(replace(run, baseline=Baseline(2, 2.0, "the defaults")))
    assert figure.layout.annotations[0].text == "defaults: 2" and figure.layout.shapes[0].y0 == 2.0


def test_where_values_are_noisy_the_star_is_the_recommended_trial():
    optimizer, rng = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0), np.random.default_rng(0)
    for _ in range(40):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial.config["x"] - 0.5) ** 2 + 0.2 * rng.normal())
    recommended, lowest = optimizer.recommend().trial, optimizer.best
    assert recommended.number != lowest.number
    best = f"(trial {recommended.number})"
    assert history(optimizer).data[-1].name.endswith(best)
    assert list(slices(optimizer).data[2].customdata) == [recommended.number]
    assert history(optimizer).layout.meta["notes"] == [
        "Values are noisy: the star is the trial with the best expected value."
    ]
    assert traces(history(optimizer))["best so far"].y[-1] == lowest.value


def test_an_objective_is_chosen_by_index_or_name():
    study = two_objectives(6)
    assert list(history(study, objective=1).data[0].y) == [0, 1, 2, 3, 4, 0]
    assert history(study, objective="value 1").layout.yaxis.title.text == "value 1"
    for wrong in (2, -1, "loss", True, None):
        with pytest.raises(PlotError, match=r"must be one of 0 \('value 0'\), 1 \('value 1'\). Got"):
            history(study, objective=wrong)


def test_a_run_that_always_improves_is_thinned_and_ends_with_the_best():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.add([{"x": n / 4500} for n in range(4500)], [float(-n) for n in range(4500)])
    figure = history(optimizer)
    line = traces(figure)["best so far"]
    assert len(line.x) <= 2001 and line.x[-1] == 4499 and line.y[-1] == -4499.0
    assert figure.layout.meta["notes"][0] == "1,501 of 4,500 trials shown: every 3rd of the best."


def test_of_many_models_the_rarest_are_others():
    run = view(told(*range(40)))
    models = [Provenance(Origin.MODEL, f"model {number // 3}", score=1.0) for number in range(40)]
    trials = [replace(trial, provenance=model) for trial, model in zip(run.trials, models, strict=True)]
    shown = traces(history(replace(run, trials=tuple(trials))))
    assert len(shown) == 8 + 3 and len(shown["others"].x) == 40 - 8 * 3


def test_values_above_zero_can_be_drawn_on_the_other_scale():
    figure = history(told(3.0, 1.0, 2.0))
    other = figure.layout.meta["other_scale"]
    assert figure.layout.yaxis.type is None and other["yaxis"]["type"] == "log"
    assert figure.layout.annotations[0].y == 3.0 and other["annotations"][0]["y"] == pytest.approx(np.log10(3.0))
    over_decades = history(told(1.0, 1000.0))
    assert over_decades.layout.yaxis.type == "log" and "type" not in over_decades.layout.meta["other_scale"]["yaxis"]
    for values in ((0.0, 1.0), (-1.0, 1000.0), (2.0, 2.0)):
        assert history(told(*values)).layout.meta["other_scale"] is None

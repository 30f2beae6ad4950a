"""Timelines and intermediate values."""

import pytest
from support.runs import FAILED, RUNNING, pruned, study_of, told
from support.studies import complete, failed, new_study

from auger import Optimizer
from auger.plots import PlotError, curves, timeline
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner


def bars(figure):
    return sorted(
        (row, start, length, trace.name.partition(":")[0])
        for trace in figure.data
        for row, start, length in zip(trace.y, trace.base, trace.x, strict=True)
    )


def test_trials_that_ran_at_the_same_time_stand_in_rows_of_their_own():
    study = study_of(
        {"value": 1.0, "at": 0, "took": 10},
        {**FAILED, "at": 5, "took": 10},
        {"value": 2.0, "at": 10, "took": 5},
        {**RUNNING, "at": 11},
    )
    figure = timeline(study)
    assert bars(figure) == [
        (0, 0.0, 10.0, "complete"),
        (0, 10.0, 5.0, "complete"),
        (1, 5.0, 10.0, "failed"),
        (2, 11.0, 4.0, "running"),  # until the latest time known
    ]
    assert figure.layout.yaxis.ticktext == ("1", "2", "3")
    assert figure.layout.xaxis.title.text == "seconds since 2026-01-01 00:00"


@pytest.mark.parametrize(("took", "unit"), [(119, "seconds"), (120, "minutes"), (7200, "hours"), (172800, "days")])
def test_time_is_told_in_units_that_fit(took, unit):
    figure = timeline(study_of({"value": 1.0, "took": took}))
    assert figure.layout.xaxis.title.text.startswith(unit)


def test_each_worker_of_a_study_has_a_row(tmp_path):
    study = new_study(tmp_path)
    first, second = Coordinator(study, new_owner()), Coordinator(study, new_owner())
    for coordinator, result in ((first, complete(0.5)), (second, failed()), (first, complete(0.25))):
        coordinator.tell(coordinator.ask("token"), result)
    figure = timeline(study)
    names = figure.layout.yaxis.ticktext
    assert len(names) == len({row for row, *_ in bars(figure)}) and all("process" in name for name in names)


def test_trials_that_a_worker_ran_at_the_same_time_stand_in_rows_of_their_own():
    def run_by(process, at, took=10):
        worker = {"process": process, "host": "node"}
        return {"value": 1.0, "at": at, "took": took, "user_attrs": {"auger:worker": worker}}

    figure = timeline(study_of(run_by(1, 0), run_by(1, 5), run_by(2, 6), run_by(1, 10), run_by(1, 12)))
    assert bars(figure) == [
        (0, 0.0, 10.0, "complete"),
        (0, 10.0, 10.0, "complete"),
        (1, 5.0, 10.0, "complete"),
        (2, 12.0, 10.0, "complete"),
        (3, 6.0, 10.0, "complete"),
    ]
    names = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert names == {0: "process 1 on node", 3: "process 2 on node"}


def test_of_many_trials_the_latest_are_shown_without_gaps():
    figure = timeline(study_of(*({"value": 0.0, "at": number} for number in range(2100))))
    minutes = [start for _, start, _, _ in bars(figure)]
    assert minutes == [second / 60 for second in range(2000)]
    assert figure.layout.meta["notes"] == ["The latest 2,000 of 2,100 trials shown."]


def test_past_results_have_no_times():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.add([{"x": 0.5}], [1.0])
    with pytest.raises(PlotError, match="It is not known when these trials ran."):
        timeline(optimizer)


def test_the_trials_of_an_optimizer_have_times():
    assert len(bars(timeline(told(1.0, None, 2.0)))) == 3


def test_intermediate_values_are_lines_with_gaps_and_the_best_stands_out():
    study = study_of(
        {"value": 1.0, "intermediate_values": {0: 3.0, 1: 1.0}},
        {"value": 2.0, "intermediate_values": {0: 4.0, 2: 2.0}},
        {"value": 3.0, "intermediate_values": {0: 5.0, 1: float("nan"), 2: 3.0}},
        pruned({0: 9.0}),
        {"value": 0.5},
    )
    shown = {trace.name: trace for trace in curves(study).data}
    assert list(shown) == ["pruned: 1", "complete: 3"]  # the best one of all reported nothing
    assert list(shown["complete: 3"].x) == [0, 1, None, 0, 2, None, 0, 2]
    assert list(shown["complete: 3"].y) == [3.0, 1.0, None, 4.0, 2.0, None, 5.0, 3.0]
    assert list(shown["complete: 3"].customdata) == [0, 0, None, 1, 1, None, 2, 2]
    assert "markers" in shown["pruned: 1"].mode  # a line through one point cannot be seen
    best = curves(study_of({"value": 1.0, "intermediate_values": {0: 2.0, 1: 1.0}}, pruned({0: 2.0}))).data[-1]
    assert best.name == "best: 1 (trial 0)" and list(best.y) == [2.0, 1.0]


def test_long_and_many_curves_are_thinned_to_their_ends():
    long = {"value": 0.0, "intermediate_values": {step: 1.0 / (step + 1) for step in range(1001)}}
    figure = curves(study_of(long, *({"value": 1.0, "intermediate_values": {0: 1.0, 1: 1.0}} for _ in range(150))))
    best = figure.data[-1]
    assert len(best.x) <= 100 and best.x[-1] == 1000
    assert figure.layout.meta["notes"][0] == "76 of 151 trials shown: the best, and every 2nd."


def test_a_run_without_intermediate_values_says_so():
    with pytest.raises(PlotError, match="No trial reported intermediate values."):
        curves(told(1.0))

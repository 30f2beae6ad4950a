"""Figures of what `auger.insight` finds: they show its numbers."""

import numpy as np
import pytest
from support.runs import optimized, told

from auger import insight, plots
from auger.insight import view
from auger.plots import PlotError


@pytest.fixture(scope="module")
def run():
    return view(optimized(40))


def test_importance_shows_the_most_important_at_the_top(run):
    figure, found = plots.importance(run), insight.importance(run)
    bars = next(trace for trace in figure.data if trace.name == "permutation")
    assert figure.layout.yaxis.ticktext[-1] == found.names[int(np.argmax(found.permutation))]
    assert (np.diff(bars.x) >= 0).all() and sum(value for value in bars.x if value > 0) == pytest.approx(1.0)
    assert len(bars.error_x.array) == len(found.names)


def test_parameters_that_do_not_matter_are_called_noise():
    noise = np.random.default_rng(0).normal(size=30).tolist()
    figure = plots.importance(optimized(30, value=lambda run, trial: run.tell(trial, noise[trial.number])))
    assert figure.layout.meta["notes"][0] == "By permutation, no parameter stands out of the noise."


def test_shares_of_the_importance_are_never_below_zero():
    for seed in range(3):  # what does not matter comes out a little below 0 or above
        noise = np.random.default_rng(seed).normal(size=30).tolist()
        run = view(optimized(30, value=lambda run, trial, noise=noise: run.tell(trial, noise[trial.number])))
        figure = plots.importance(run)
        bars = next(trace for trace in figure.data if trace.name == "permutation")
        assert (np.array(bars.x) >= 0).all() and (np.array(bars.error_x.arrayminus) <= bars.x).all()
        low, high = figure.layout.xaxis.range
        assert low == 0 and max(max(trace.x) for trace in figure.data) < high <= 1.02


def test_what_is_found_out_once_serves_all_figures_of_a_run(run):
    assert insight.importance(run) is insight.importance(run) and insight.report_card(run) is insight.report_card(run)
    assert insight.importance(optimized(12)) is not insight.importance(run)


def test_a_slice_of_a_number_is_a_line_in_its_band(run):
    figure, found = plots.slice_of_good(run, "C"), insight.one_slice(run, "C")
    low, high, mean = figure.data[:3]
    np.testing.assert_array_equal(mean.x, found.values)
    np.testing.assert_array_equal([low.y, high.y, mean.y], [found.low, found.high, found.p])
    assert figure.layout.xaxis.type == "log" and high.fill == "tonexty"


def test_a_slice_of_choices_is_a_bar_each(run):
    figure, found = plots.slice_of_good(run, "kernel"), insight.one_slice(run, "kernel")
    bars = figure.data[0]
    assert bars.type == "bar" and [("rbf", "poly")[place] for place in bars.x] == found.values
    np.testing.assert_array_equal(bars.y, found.p)


def test_all_trials_are_ticks_at_the_edges_of_a_slice(run):
    good, rest = plots.slice_of_good(run, "C").data[-2:]
    assert set(good.y) == {1.0} and set(rest.y) == {0.0} and len(good.x) + len(rest.x) == 40


def test_a_surface_shows_the_chance_and_the_trials(run):
    figure, found = plots.surface(run, "C", "kernel"), insight.two_slice(run, "C", "kernel")
    ground, rest, good = figure.data
    np.testing.assert_array_equal(ground.z, found.p.T)
    assert list(ground.x) == found.first_values and list(ground.y) == [0, 1]
    assert len(rest.x) + len(good.x) == 40 and len(good.x)
    with pytest.raises(PlotError, match="two different parameters. Got 'C' twice"):
        plots.surface(run, "C", "C")


def test_unknown_parameters_are_refused(run):
    with pytest.raises(PlotError, match="There is no parameter 'kernal'. Did you mean 'kernel'?"):
        plots.slice_of_good(run, "kernal")
    with pytest.raises(PlotError, match="There is no parameter 'gamma'"):
        plots.surface(run, "C", "gamma")


def test_reliability_shows_every_group_with_its_interval(run):
    figure, bins = plots.reliability(run), insight.report_card(run).reliability()
    marks = figure.data[1]
    np.testing.assert_allclose([marks.x, marks.y], [[each.p for each in bins], [each.share for each in bins]])
    np.testing.assert_allclose(marks.y + marks.error_y.array, [each.error_high for each in bins])
    np.testing.assert_allclose(marks.y - marks.error_y.arrayminus, [each.error_low for each in bins])
    assert [int(text) for text in marks.text] == [each.n for each in bins]


def test_skill_has_a_line_for_each_model_and_one_at_zero(run):
    figure = plots.skill(run)
    assert [trace.name for trace in figure.data] == ["tpe"]
    points = insight.report_card(run).by_model()["tpe"].over_time()
    assert list(figure.data[0].x) == [point.number for point in points]
    np.testing.assert_allclose(figure.data[0].y, [point.skill for point in points])
    assert (figure.layout.shapes[0].y0, figure.layout.shapes[0].y1) == (0, 0)


def test_a_forecast_ends_with_now_after_what_came_of_earlier_ones():
    run = optimized(60)
    figure, found = plots.forecast(run, k=5), insight.forecast(run, k=5)
    _, improved, did_not, now = figure.data
    assert (list(now.x), list(now.y)) == ([0], [found.p])
    assert len(improved.x) == sum(came for _, came in found.past)
    assert len(improved.x) + len(did_not.x) == len(found.past) > 0
    past = dict(zip([*improved.x, *did_not.x], [*improved.y, *did_not.y], strict=True))
    assert [past[place] for place in sorted(past)] == [p for p, _ in found.past]


@pytest.mark.parametrize("name", ["importance", "reliability", "skill", "forecast"])
def test_too_few_trials_say_so_in_the_words_of_insight(name):
    with pytest.raises(PlotError, match=r"\.$"):
        plots.PLOTS[name](told())

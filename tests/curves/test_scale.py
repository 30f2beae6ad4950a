"""Points of curves, thinned to stages, and the scale on which they compare."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.curves.points import Points, points_of, stage_of
from auger.curves.scale import scale_of

NAN, INF = math.nan, math.inf


def points(*made):
    """Of (stage, step, value) each."""
    return Points(*np.array(made, dtype=float).T)


# -- points ---------------------------------------------------------------------------------------------------


@given(st.floats(0, 1e12))
def test_a_stage_is_not_above_its_step_nor_far_below_and_is_its_own(step):
    stage = stage_of(step)
    assert step * 2 / 3 <= stage <= step
    assert stage_of(stage) == stage


@pytest.mark.parametrize(
    ("steps", "kept"),
    [
        ([], []),
        ([(0, 5.0), (1, 4.0)], [(0, 5.0), (1, 4.0)]),
        # 4 and 5 are one stage, of which the first counts; 8 to 11 are the last, of which the last counts
        ([(1, 9.0), (4, 8.0), (5, 7.0), (9, 6.0), (11, 5.0)], [(1, 9.0), (4, 8.0), (11, 5.0)]),
        ([(1, NAN), (2, INF), (3, 1.0), (4, -INF)], [(3, 1.0)]),
        ([(1, NAN)], []),
    ],
)
def test_a_curve_is_thinned_to_a_point_a_stage(steps, kept):
    found = points_of(steps)
    assert list(zip(found.step.tolist(), found.value.tolist(), strict=True)) == kept
    assert found.stage.tolist() == stage_of(found.step).tolist()


# -- the scale ------------------------------------------------------------------------------------------------


def test_how_far_is_the_logarithm_of_the_step_from_the_first_to_the_end():
    curve = points((1, 1, 3.0), (2, 2, 2.0), (4, 4, 1.5), (INF, 16, 1.0))
    assert scale_of([curve]).positions(curve).tolist() == [0.0, 0.25, 0.5, 1.0]
    from_0 = points((0, 0, 3.0), (1, 1, 2.0), (3, 3, 1.5), (INF, 15, 1.0))
    assert scale_of([from_0]).positions(from_0).tolist() == [0.0, 0.25, 0.5, 1.0]
    beyond = points((0.5, 0.5, 1.0), (64, 64, 1.0))
    assert scale_of([curve]).positions(beyond).tolist() == [0.0, 1.0]


def test_where_nobody_reports_all_is_the_end():
    scale = scale_of([points((INF, NAN, value)) for value in (1.0, 2.0, 4.0)])
    assert scale.positions(points((INF, NAN, 1.0))).tolist() == [1.0]


def test_stages_are_compared_by_those_who_came_to_both():
    """All that go on lose 3, and the rest were bad from the start: who goes on stays where it was."""
    curves = [points((1, 1, 5.0 + i / 10), (INF, 2, 2.0 + i / 10)) for i in range(6)]
    curves += [points((1, 1, 9.0 + i)) for i in range(6)]
    t = [scale_of(curves).targets(curve) for curve in curves]
    start, end = np.array(t[:6]).T
    # not exactly: below the median of all values the scale is straight, above it is bent
    assert np.abs(start - end).max() < 0.35
    assert (np.array(t[6:]) > end.max() + 0.5).all()


curves_of_numbers = st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=5), min_size=1, max_size=12)


@given(curves_of_numbers)
def test_targets_are_finite_keep_the_order_at_each_stage_and_lead_back_to_values(values):
    curves = [points(*((2.0**k, 2.0**k, value) for k, value in enumerate(each))) for each in values]
    curves[0].stage[-1] = INF
    scale = scale_of(curves)
    for stage in scale.stages:
        at = np.sort(np.concatenate([curve.value[curve.stage == stage] for curve in curves]))
        t = scale.targets(Points(np.full(len(at), stage), at, at))
        assert np.isfinite(t).all() and (np.diff(t) >= 0).all()
    end = curves[0].take(np.array([-1]))
    spread = max(np.abs(curve.value).max() for curve in curves)
    reachable = scale.compress.inverse(scale.compress(end.value))  # more than 1,000 scales above the median it is flat
    np.testing.assert_allclose(scale.final_values(scale.targets(end)), reachable, atol=1e-6 * (1 + spread))


def test_a_value_beyond_the_flat_end_of_the_scale_leads_back_to_where_that_begins():
    curves = [points((1, 1, 0.0), (2, 2, 0.25), (INF, 4, 251.0)), points((1, 1, 0.0), (2, 2, 0.0))]
    scale = scale_of(curves)
    assert scale.compress.scale == 0.25
    assert scale.final_values(scale.targets(curves[0]))[-1] == pytest.approx(250.0)

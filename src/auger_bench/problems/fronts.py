"""Test functions of the literature with several objectives: ZDT, DTLZ and WFG, whose best fronts are known.

ZDT: Zitzler, Deb and Thiele 2000. DTLZ: Deb, Thiele, Laumanns and Zitzler 2002. WFG: Huband, Hingston, Barone and While
2006. Best hypervolumes are integrals over the best front, in closed form except for ``zdt3`` and ``dtlz7``. The
reference points are about as bad as random configs, so that a search is measured from its start.

>>> FRONTS["zdt1"]().objectives, round(FRONTS["zdt1"]().optimum, 6)
(('f1', 'f2'), -6.266667)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from auger.space import Float
from auger.types import Array
from auger_bench.outcome import Outcome
from auger_bench.problems.interface import Problem, front_problem

#: The problems of this file by name.
FRONTS: dict[str, Callable[[], Problem]] = {}

_UNIT = Float(0.0, 1.0)


def _add(make: Callable[[], Problem]) -> Callable[[], Problem]:
    FRONTS[make.__name__] = make
    return make


# -- ZDT: the first parameter is the position on the front, the others are the distance from it ---------------------


@_add
def zdt1() -> Problem:
    """A convex front, 30 dimensions."""
    return _zdt("zdt1", lambda f, g: g * (1 - math.sqrt(f / g)), 1.1 * 6 - 1 / 3)


@_add
def zdt2() -> Problem:
    """A concave front, 30 dimensions."""
    return _zdt("zdt2", lambda f, g: g * (1 - (f / g) ** 2), 1.1 * 6 - 2 / 3)


@_add
def zdt3() -> Problem:
    """A front of five pieces, 30 dimensions."""
    return _zdt("zdt3", lambda f, g: g * (1 - math.sqrt(f / g) - f / g * math.sin(10 * math.pi * f)), 6.7217629087)


def _zdt(name: str, second: Callable[[float, float], float], hypervolume: float) -> Problem:
    def function(x: Array) -> Outcome:
        first, g = float(x[0]), 1 + 9 * float(x[1:].mean())
        return Outcome((first, second(first, g)))

    return front_problem(name, function, [_UNIT] * 30, reference=(1.1, 6.0), hypervolume=hypervolume)


@_add
def zdt4() -> Problem:
    """The front of `zdt1` behind 21^9 local ones, 10 dimensions."""

    def function(x: Array) -> Outcome:
        first, rest = float(x[0]), x[1:]
        g = 1 + 10 * len(rest) + float((rest**2 - 10 * np.cos(4 * np.pi * rest)).sum())
        return Outcome((first, g * (1 - math.sqrt(first / g))))

    axes = [_UNIT, *[Float(-5.0, 5.0)] * 9]
    return front_problem("zdt4", function, axes, reference=(1.1, 200.0), hypervolume=220 - 1 / 3)


@_add
def zdt6() -> Problem:
    """A concave front that few configs are near, and unevenly, 10 dimensions."""

    def function(x: Array) -> Outcome:
        first = 1 - math.exp(-4 * x[0]) * math.sin(6 * math.pi * x[0]) ** 6
        g = 1 + 9 * float(x[1:].mean()) ** 0.25
        return Outcome((first, g * (1 - (first / g) ** 2)))

    least = 0.2807753188  # of the first objective
    hypervolume = (1.1 - least) * 10 - (1 - least) + (1 - least**3) / 3
    return front_problem("zdt6", function, [_UNIT] * 10, reference=(1.1, 10.0), hypervolume=hypervolume)


# -- DTLZ: three objectives; the first two parameters are the position on the front ---------------------------------


@_add
def dtlz1() -> Problem:
    """A plane behind 11^5 local ones, 7 dimensions."""

    def function(x: Array) -> Outcome:
        return Outcome(simplex(x[:2], rugged(x[2:])))

    return front_problem("dtlz1", function, [_UNIT] * 7, reference=(400.0,) * 3, hypervolume=400.0**3 - 0.5**3 / 6)


@_add
def dtlz2() -> Problem:
    """A part of a sphere, 12 dimensions."""

    def function(x: Array) -> Outcome:
        return Outcome(sphere(x[:2], bowl(x[2:])))

    return front_problem("dtlz2", function, [_UNIT] * 12, reference=(2.0,) * 3, hypervolume=8 - math.pi / 6)


@_add
def dtlz7() -> Problem:
    """A front of four pieces, 22 dimensions."""

    def function(x: Array) -> Outcome:
        first, g = x[:2], 1 + 9 * float(x[2:].mean())
        shape = 3 - float((first / (1 + g) * (1 + np.sin(3 * np.pi * first))).sum())
        return Outcome((*first.tolist(), (1 + g) * shape))

    return front_problem("dtlz7", function, [_UNIT] * 22, reference=(1.1, 1.1, 20.0), hypervolume=18.9158951432)


def rugged(x: Array) -> float:
    """The distance of DTLZ1, with many local minima; 0 in the middle."""
    return 100 * float(len(x) + ((x - 0.5) ** 2 - np.cos(20 * np.pi * (x - 0.5))).sum())


def bowl(x: Array) -> float:
    """The distance of DTLZ2, with one minimum; 0 in the middle."""
    return float(((x - 0.5) ** 2).sum())


def simplex(position: Array, distance: float) -> tuple[float, ...]:
    """Objectives (m,) of a position (m - 1,) on a plane, where their sum is (1 + distance) / 2."""
    shares = np.append(position, 1.0)[::-1]  # the last objective is the one that only the first position changes
    rest = np.cumprod(np.append(1.0, position))[::-1]
    return tuple((0.5 * (1 + distance) * rest * np.append(1.0, 1 - shares[1:])).tolist())


def sphere(position: Array, distance: float) -> tuple[float, ...]:
    """Objectives (m,) of a position (m - 1,) on a sphere, where the sum of their squares is (1 + distance)^2."""
    angles = np.pi / 2 * position
    rest = np.cumprod(np.append(1.0, np.cos(angles)))[::-1]
    return tuple(((1 + distance) * rest * np.append(1.0, np.sin(angles)[::-1])).tolist())


# -- WFG: parameter i from 0 to 2 i; concave fronts of half-axes 2, 4, ... ------------------------------------------


@_add
def wfg4() -> Problem:
    """Two objectives, eight parameters with many local minima each."""

    def function(x: Array) -> Outcome:
        y = _multimodal(x / _ends(8), 30, 10, 0.35)
        return _ellipse(np.array([y[:2].mean(), y[2:].mean()]))

    return front_problem("wfg4", function, _wfg_axes(8), reference=(4.0, 6.0), hypervolume=24 - 2 * math.pi)


@_add
def wfg9() -> Problem:
    """Three objectives, eight parameters that are biased by those after them, deceptive, and not separable."""

    def function(x: Array) -> Outcome:
        y = x / _ends(8)
        after = np.cumsum(y[::-1])[::-1][1:] / np.arange(7, 0, -1)  # the mean of those that follow each
        y = np.append(_biased(y[:-1], after, 0.98 / 49.98, 0.02, 50), y[-1])
        y = np.concatenate([_deceptive(y[:4], 0.35, 0.001, 0.05), _multimodal(y[4:], 30, 95, 0.35)])
        return _ellipse(np.array([_entangled(y[:2]), _entangled(y[2:4]), _entangled(y[4:])]))

    return front_problem("wfg9", function, _wfg_axes(8), reference=(4.0, 6.0, 8.0), hypervolume=192 - 8 * math.pi)


def _ends(n: int) -> Array:
    return np.arange(2, 2 * n + 1, 2, dtype=np.float64)


def _wfg_axes(n: int) -> list[Float]:
    return [Float(0.0, end) for end in _ends(n).tolist()]


def _ellipse(y: Array) -> Outcome:
    """WFG's concave shape, half-axes 2, 4, ... and the distance from it, the last of y (m,), in each objective."""
    angles = np.pi / 2 * y[:-1]
    shape = np.cumprod(np.append(1.0, np.sin(angles)))[::-1] * np.append(1.0, np.cos(angles)[::-1])
    return Outcome(tuple((y[-1] + _ends(len(y)) * shape).tolist()))


def _multimodal(y: Array, n_waves: float, depth: float, best: float) -> Array:
    """WFG's s_multi: 0 at the best position, with waves around it."""
    away = np.abs(y - best) / (2 * (np.floor(best - y) + best))
    waves = np.cos((4 * n_waves + 2) * np.pi * (0.5 - away))
    return np.asarray((1 + waves + 4 * depth * away**2) / (depth + 2))


def _deceptive(y: Array, best: float, width: float, height: float) -> Array:
    """WFG's s_decept: 0 at the best position, in a narrow hole between slopes that lead away from it."""
    left = np.floor(y - best + width) * (1 - height + (best - width) / width) / (best - width)
    right = np.floor(best + width - y) * (1 - height + (1 - best - width) / width) / (1 - best - width)
    return np.asarray(1 + (np.abs(y - best) - width) * (left + right + 1 / width))


def _biased(y: Array, others: Array, a: float, low: float, high: float) -> Array:
    """WFG's b_param: y to a power between low and high that depends on others."""
    share = a - (1 - 2 * others) * np.abs(np.floor(0.5 - others) + a)
    return np.asarray(y ** (low + (high - low) * share))


def _entangled(y: Array) -> float:
    """WFG's r_nonsep in full degree: the mean, and the differences of each from all others."""
    n = len(y)
    total = y.sum() + sum(np.abs(y - np.roll(y, -k)).sum() for k in range(1, n))
    return float(total / (math.ceil(n / 2) * (1 + 2 * n - 2 * math.ceil(n / 2))))

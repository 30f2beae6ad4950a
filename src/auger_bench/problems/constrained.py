"""Problems with outcome constraints: of the literature and of engineering, and two of our own with little feasible.

Constraints are as published, turned so that they are satisfied at 0 and below. ``binh-korn``: Binh and Korn 1997.
``c1-dtlz1``, ``c2-dtlz2`` and ``car-side-impact``: Jain and Deb 2014. ``welded-beam`` with two objectives: Ray and Liew
2002. ``pressure-vessel``: Kannan and Kramer 1994.

>>> CONSTRAINED["binh-korn"]().constraints
('c1', 'c2')
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from auger.space import Float, Int, Parameter, Space
from auger.types import Array, Config
from auger_bench.outcome import Outcome
from auger_bench.problems.fronts import bowl, rugged, simplex, sphere
from auger_bench.problems.functions import FUNCTIONS
from auger_bench.problems.interface import SEARCHED, Problem, front_problem

#: The problems of this file by name.
CONSTRAINED: dict[str, Callable[[], Problem]] = {}

_UNIT = Float(0.0, 1.0)


def _add(make: Callable[[], Problem]) -> Callable[[], Problem]:
    CONSTRAINED[make.__name__.replace("_", "-")] = make
    return make


# -- several objectives ---------------------------------------------------------------------------------------------


@_add
def binh_korn() -> Problem:
    """Two objectives of two parameters; nine tenths of the space are feasible."""

    def function(x: Array) -> Outcome:
        a, b = x.tolist()
        constraints = ((a - 5) ** 2 + b**2 - 25, 7.7 - (a - 8) ** 2 - (b + 3) ** 2)
        return Outcome((4 * a**2 + 4 * b**2, (a - 5) ** 2 + (b - 5) ** 2), constraints)

    # the front: both parameters equal up to 3, then the first alone; below it lie 1368 + 992/3 + 16
    return front_problem(
        "binh-korn",
        function,
        [Float(0.0, 5.0), Float(0.0, 3.0)],
        reference=(140.0, 50.0),
        hypervolume=7000 - 1368 - 992 / 3 - 16,
        constraints=("c1", "c2"),
    )


@_add
def c1_dtlz1() -> Problem:
    """Two objectives of two parameters; 0.2 % of the space is feasible, a strip around the front."""

    def function(x: Array) -> Outcome:
        first, last = simplex(x[:1], rugged(x[1:]))
        return Outcome((first, last), (last / 0.6 + first / 0.5 - 1,))

    return front_problem(
        "c1-dtlz1", function, [_UNIT] * 2, reference=(0.6, 0.6), hypervolume=0.36 - 0.125, constraints=("c1",)
    )


@_add
def c2_dtlz2() -> Problem:
    """Two objectives of twelve parameters; the front has three pieces, at its ends and in the middle."""
    radius = 0.2

    def function(x: Array) -> Outcome:
        f = np.array(sphere(x[:1], bowl(x[1:])))
        to_end = min((f[0] - 1) ** 2 + f[1] ** 2, f[0] ** 2 + (f[1] - 1) ** 2)
        to_middle = ((f - math.sqrt(0.5)) ** 2).sum()
        return Outcome(tuple(f.tolist()), (float(min(to_end, to_middle)) - radius**2,))

    return front_problem(
        "c2-dtlz2",
        function,
        [_UNIT] * 12,
        reference=(1.1, 1.1),
        hypervolume=_three_arcs(2 * math.asin(radius / 2), 1.1),
        constraints=("c1",),
    )


def _three_arcs(end: float, side: float) -> float:
    """The hypervolume of the arcs of the unit circle within this angle of its ends, and of its middle."""

    def above(low: float, high: float) -> float:  # what lies above the arc between two angles, up to the side
        width, area = math.cos(low) - math.cos(high), (high - low) / 2 - (math.sin(2 * high) - math.sin(2 * low)) / 4
        return side * width - area

    middle = math.pi / 4
    pieces = [(math.pi / 2 - end, math.pi / 2), (middle - end, middle + end), (0.0, end)]
    total = sum(above(low, high) for low, high in pieces)
    # between two pieces, what the end of the left one dominates
    for (low, _), (_, high) in pairwise(pieces):
        total += (math.cos(high) - math.cos(low)) * (side - math.sin(low))
    return total + (side - 1.0) * side


@_add
def welded_beam() -> Problem:
    """Cost and deflection of a beam that is welded to a wall; limits of shear, stress, shape and load."""

    def function(config: Config) -> Outcome:
        h, b, length, t = (config[name] for name in ("weld_height", "thickness", "weld_length", "height"))
        middle = math.sqrt(0.25 * (length**2 + (h + t) ** 2))
        shear = 6000 / (math.sqrt(2) * h * length)
        inertia = 2 * 0.707 * h * length * (length**2 / 12 + 0.25 * (h + t) ** 2)
        bending = 6000 * (14 + 0.5 * length) * middle / inertia
        stress = math.sqrt(shear**2 + bending**2 + length * shear * bending / middle)
        load = 64746.022 * (1 - 0.0282346 * t) * t * b**3
        return Outcome(
            (1.10471 * h**2 * length + 0.04811 * t * b * (14 + length), 2.1952 / (t**3 * b)),
            (stress - 13600, 504000 / (t**2 * b) - 30000, h - b, 6000 - load),
        )

    return _design(
        "welded-beam",
        {
            "weld_height": Float(0.125, 5.0),
            "thickness": Float(0.125, 5.0),
            "weld_length": Float(0.1, 10.0),
            "height": Float(0.1, 10.0),
        },
        function,
        objectives=("cost", "deflection"),
        constraints=("shear", "stress", "shape", "load"),
        reference=(40.0, 0.015),
        hypervolume=0.51287935,
    )


@_add
def car_side_impact() -> Problem:
    """Weight of a car, force on a passenger and speed of two pillars when it is hit from the side; ten limits."""

    def function(config: Config) -> Outcome:
        x1, x2, x3, x4, x5, x6, x7 = config.values()
        force = 4.72 - 0.5 * x4 - 0.19 * x2 * x3
        pillar = 10.58 - 0.674 * x1 * x2 - 0.67275 * x2
        door = 16.45 - 0.489 * x3 * x7 - 0.843 * x5 * x6
        viscous_upper = 0.261 - 0.0159 * x1 * x2 - 0.06486 * x1 - 0.019 * x2 * x7 + 0.0144 * x3 * x5 + 0.0154464 * x6
        viscous_middle = (
            *(0.214, 0.00817 * x5, -0.045195 * x1, -0.0135168 * x1, 0.03099 * x2 * x6, -0.018 * x2 * x7),
            *(0.007176 * x3, 0.023232 * x3, -0.00364 * x5 * x6, -0.018 * x2**2),
        )
        return Outcome(
            (
                1.98 + 4.9 * x1 + 6.67 * x2 + 6.98 * x3 + 4.01 * x4 + 1.78 * x5 + 0.00001 * x6 + 2.73 * x7,
                force,
                (pillar + door) / 2,
            ),
            (
                1.16 - 0.3717 * x2 * x4 - 0.0092928 * x3 - 1,
                viscous_upper - 0.32,
                sum(viscous_middle) - 0.32,
                0.74 - 0.61 * x2 - 0.031296 * x3 - 0.031872 * x7 + 0.227 * x2**2 - 0.32,
                28.98 + 3.818 * x3 - 4.2 * x1 * x2 + 1.27296 * x6 - 2.68065 * x7 - 32,
                33.86 + 2.95 * x3 - 5.057 * x1 * x2 - 3.795 * x2 - 3.4431 * x7 + 1.45728 - 32,
                46.36 - 9.9 * x2 - 4.4505 * x1 - 32,
                force - 4,
                pillar - 9.9,
                door - 15.7,
            ),
        )

    middles = {f"x{i}": 1.0 for i in range(1, 8)} | {"x2": 0.9, "x5": 1.75, "x6": 0.8, "x7": 0.8}
    return _design(
        "car-side-impact",
        {name: Float(0.5 * middle, 1.5 * middle) for name, middle in middles.items()},
        lambda config: function({name: config[name] for name in middles}),
        objectives=("weight", "force", "speed"),
        constraints=tuple(f"c{i}" for i in range(1, 11)),
        reference=(45.0, 4.5, 13.5),
        hypervolume=43.3373231,
    )


def _design(
    name: str,
    parameters: Mapping[str, Parameter],
    function: Callable[[Config], Outcome],
    *,
    objectives: tuple[str, ...],
    constraints: tuple[str, ...],
    reference: tuple[float, ...],
    hypervolume: float,
) -> Problem:
    """A problem whose best hypervolume is known from a search only."""
    return Problem(
        name,
        Space(parameters),
        function,
        optimum=-hypervolume,
        objectives=objectives,
        constraints=constraints,
        reference=reference,
        source=SEARCHED,
    )


# -- one objective --------------------------------------------------------------------------------------------------


@_add
def pressure_vessel() -> Problem:
    """The cost of a vessel with two thicknesses in sixteenths of an inch; 40 % of the space is feasible."""

    def function(config: Config) -> Outcome:
        shell, head = config["shell"] / 16, config["head"] / 16
        r, length = config["radius"], config["length"]
        cost = 0.6224 * shell * r * length + 1.7781 * head * r**2 + 3.1661 * shell**2 * length + 19.84 * shell**2 * r
        volume = math.pi * r**2 * length + 4 / 3 * math.pi * r**3
        return Outcome((cost,), (0.0193 * r - shell, 0.00954 * r - head, 1_296_000 - volume))

    # as large as the shell allows, then as long as the volume asks for; a little inside, whatever rounding does
    radius = (1 - 1e-12) * 13 / 16 / 0.0193
    length = (1 + 1e-10) * (1_296_000 - 4 / 3 * math.pi * radius**3) / (math.pi * radius**2)
    minimizer = {"shell": 13, "head": 7, "radius": radius, "length": length}
    return Problem(
        "pressure-vessel",
        Space({"shell": Int(1, 99), "head": Int(1, 99), "radius": Float(10.0, 200.0), "length": Float(10.0, 200.0)}),
        function,
        optimum=function(minimizer).value,
        minimizer=minimizer,
        constraints=("shell", "head", "volume"),
        reference=(50_000.0,),
    )


@_add
def branin_disc() -> Problem:
    """`branin` on a disc of 1 % of the space, away from its minima; our own."""
    return _within_ball("branin", {"x": 2.2, "y": 9.1}, {"x": 2.0325538008710513, "y": 8.270446497015786}, 60.0)


@_add
def hartmann6_ball() -> Problem:
    """`hartmann6` in a ball of 1 % of the space, away from its minimum; our own."""
    center = {f"x{i}": position for i, position in enumerate((0.55, 0.45, 0.6, 0.6, 0.4, 0.45))}
    nearest = (
        *(0.38895573407729056, 0.3111691210860589, 0.5413539682478916),
        *(0.3750888555820681, 0.3273180929786602, 0.5917667071989494),
    )
    return _within_ball("hartmann6", center, {f"x{i}": position for i, position in enumerate(nearest)}, 0.0)


def _within_ball(inner: str, center: Config, border: Config, reference: float) -> Problem:
    """A function with one outcome constraint: its config must be in a ball that takes 1 % of the space.

    Distances are in units of the ranges of the parameters.

    Args:
        inner: the name of the function.
        center: the middle of the ball.
        border: the minimizer within the ball, on its border up to rounding.
        reference: the value that counts before there is a feasible config.
    """
    black_box = FUNCTIONS[inner]()
    space, d = black_box.space, len(black_box.space)
    middle = space.encode([center])[0]
    radius = (0.01 * math.gamma(d / 2 + 1)) ** (1 / d) / math.sqrt(math.pi)

    def function(config: Config) -> Outcome:
        away = space.encode([config])[0] - middle
        return Outcome((black_box(config),), (float(away @ away) - radius**2,))

    away = space.encode([border])[0] - middle
    minimizer = space.decode((middle + (1 - 1e-9) * away)[np.newaxis])[0]  # inside, whatever rounding does
    return Problem(
        f"{inner}-{'disc' if d == 2 else 'ball'}",
        space,
        function,
        optimum=function(minimizer).value,
        minimizer=minimizer,
        constraints=("distance",),
        reference=(reference,),
    )

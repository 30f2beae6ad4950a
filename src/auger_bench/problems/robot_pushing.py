"""Two robot hands push two objects across a table (Wang et al. 2018; section 5 of the BORE paper).

The view is from above, so there is no gravity; friction joints between the table and everything that moves model
sliding friction. The physics are Box2D's, in single precision: after many contacts, the last digits of the reward
depend on the machine.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.space import Float, Space
from auger.types import Config
from auger_bench.problems.interface import Problem, import_library

_Point = tuple[float, float]

_STARTS: tuple[_Point, _Point] = ((0.0, 2.0), (0.0, -2.0))  # m; object 1 is a box, object 2 a disk
_GOALS: tuple[_Point, _Point] = ((4.0, 3.5), (-4.0, 3.5))
_START_DISTANCE = sum(map(math.dist, _GOALS, _STARTS))

_TIME_STEP = 0.01  # s
_ITERATIONS = 10  # of the velocity solver and of the position solver, each step
_STEPS_PER_DURATION = 10  # a push of duration 2 to 30 lasts 20 to 300 steps
_COASTING_STEPS = 100  # after the longer push ended
_GAIN = 30.0  # 1/s: acceleration of a hand per unit of velocity still missing
_NOISE = 0.01  # m/s: standard deviation of a hand's velocity command


def robot_pushing() -> Problem:
    """Fourteen dimensions: where two hands start, how they move, and for how long.

    The reward is the distance, in meters, by which the two objects together came closer to their goals. It is
    maximized in the literature; here its *negative* is minimized. It is 0 where no hand touches an object (38 % of the
    space), and no value is below -11.0727, both objects on their goals. The lowest value is unknown.

    Calling the problem gives the noise-free value; `observe` adds the noise of the original, N(0, 0.01²) on each
    component of the two velocity commands.

    Parameters, for hand 1 (``r1_``) and hand 2 (``r2_``): start ``x``, ``y`` and ``angle``; commanded velocity
    ``vx``, ``vy``; ``duration`` of the push in tenths of a second; ``torque``, which has that name in the original
    although it is a commanded angular velocity.

    Raises:
        DataError: Box2D is not installed.
    """
    box2d = _import_box2d()

    def value(config: Config) -> float:
        return -_reward(box2d, _push(config, 1), _push(config, 2))

    def observe(config: Config, rng: np.random.Generator) -> float:
        noise = dict(zip(("r1_vx", "r1_vy", "r2_vx", "r2_vy"), rng.normal(0.0, _NOISE, size=4).tolist(), strict=True))
        return value(config | {name: config[name] + shift for name, shift in noise.items()})

    return Problem("robot-pushing", _space(), value, observe=observe)


def _space() -> Space:
    def hand(prefix: str) -> dict[str, Float]:
        return {
            f"{prefix}_x": Float(-5.0, 5.0),
            f"{prefix}_y": Float(-5.0, 5.0),
            f"{prefix}_vx": Float(-10.0, 10.0),
            f"{prefix}_vy": Float(-10.0, 10.0),
            f"{prefix}_duration": Float(2.0, 30.0),
            f"{prefix}_angle": Float(0.0, 2 * math.pi),
        }

    # the order of the original function, which has the two torques at the end
    torques = {"r1_torque": Float(-5.0, 5.0), "r2_torque": Float(-5.0, 5.0)}
    return Space(hand("r1") | hand("r2") | torques)


@dataclass(frozen=True)
class _Push:
    """The push of one hand."""

    position: _Point
    angle: float
    velocity: _Point  # commanded
    spin: float  # commanded angular velocity
    n_steps: int


def _push(config: Config, hand: int) -> _Push:
    x, y, vx, vy, duration, angle, torque = (
        float(config[f"r{hand}_{name}"]) for name in ("x", "y", "vx", "vy", "duration", "angle", "torque")
    )
    return _Push((x, y), angle, (vx, vy), torque, int(_STEPS_PER_DURATION * duration))


def _reward(box2d: Any, *pushes: _Push) -> float:
    """The sum of the distances by which the objects came closer to their goals."""
    world = box2d.b2World(gravity=(0.0, 0.0), doSleep=True)
    table = world.CreateStaticBody()

    def add_body(shape: Any, position: _Point, angle: float, density: float, friction: float, grip: float) -> Any:
        body = world.CreateDynamicBody(position=position, angle=angle)
        body.CreateFixture(shape=shape, density=density, friction=friction)
        world.CreateFrictionJoint(bodyA=table, bodyB=body, maxForce=grip, maxTorque=2.0)
        return body

    # objects first, then hands: the contact solver handles bodies in the order of their creation
    shapes = box2d.b2PolygonShape(box=(0.5, 0.5)), box2d.b2CircleShape(radius=1.0)
    objects = [add_body(shape, start, 0.0, 0.05, 0.01, 5.0) for shape, start in zip(shapes, _STARTS, strict=True)]
    hand = box2d.b2PolygonShape(box=(1.0, 0.3))
    hands = [add_body(hand, push.position, push.angle, 0.1, 0.1, 2.0) for push in pushes]

    for step in range(max(push.n_steps for push in pushes) + _COASTING_STEPS):
        for body, push in zip(hands, pushes, strict=True):
            if step < push.n_steps:
                _steer(body, push)
        world.Step(_TIME_STEP, _ITERATIONS, _ITERATIONS)
    return _START_DISTANCE - sum(math.dist(goal, body.position) for goal, body in zip(_GOALS, objects, strict=True))


def _steer(body: Any, push: _Push) -> None:
    """Accelerate a hand towards its commanded velocities, in proportion to the difference."""
    strength = body.mass * _GAIN
    # as in the original, the torque too is scaled by the mass, not by the moment of inertia
    body.ApplyTorque(strength * (push.spin - body.angularVelocity), True)
    vx, vy = body.linearVelocity
    body.ApplyForce((strength * (push.velocity[0] - vx), strength * (push.velocity[1] - vy)), body.position, True)


def _import_box2d() -> Any:
    with warnings.catch_warnings():
        # raised while its C module loads; turned into an error there, it crashes the interpreter
        warnings.filterwarnings("ignore", "builtin type [Ss]wig", DeprecationWarning)
        return import_library("Box2D", "Robot pushing needs Box2D")

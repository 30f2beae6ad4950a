import math
import subprocess
import sys

import numpy as np
import pytest

from auger.space import Float
from auger_bench.problems import DataError
from auger_bench.problems.robot_pushing import robot_pushing

# hands in two corners, at rest: nothing is touched
IDLE = {f"r{k}_{name}": 0.0 for k in (1, 2) for name in ("vx", "vy", "angle", "torque")} | {
    "r1_x": 4.0, "r1_y": 4.5, "r1_duration": 2.0, "r2_x": -4.0, "r2_y": -4.5, "r2_duration": 2.0,
}  # fmt: skip
# hand 2 stands upright, left of the box, and pushes it to the right
PUSH = IDLE | {"r2_x": -2.0, "r2_y": 2.0, "r2_angle": math.pi / 2, "r2_vx": 5.0, "r2_duration": 10.0}


@pytest.fixture
def check_points(data):
    return np.genfromtxt(data / "robot_pushing" / "check_points.csv", delimiter=",", names=True)


def test_every_check_point_is_reproduced(check_points):
    black_box = robot_pushing()
    assert len(check_points) == 50
    values = np.array([black_box({name: float(row[name]) for name in black_box.space.names}) for row in check_points])
    error = np.abs(values + check_points["reward"])
    assert error.max() < 1e-2
    assert error[check_points["sensitivity_1e6"] < 1e-5].max() < 1e-3


def test_the_space_is_that_of_the_original_in_its_order(check_points):
    space = robot_pushing().space
    assert tuple(space.names) == check_points.dtype.names[:14]
    hand = [Float(-5.0, 5.0)] * 2 + [Float(-10.0, 10.0)] * 2 + [Float(2.0, 30.0), Float(0.0, 2 * math.pi)]
    assert list(space.parameters.values()) == [*hand, *hand, Float(-5.0, 5.0), Float(-5.0, 5.0)]


def test_where_nothing_is_touched_the_value_is_zero():
    assert robot_pushing()(IDLE) == 0.0


def test_a_push_towards_the_goal_has_a_negative_value():
    bound = -(math.hypot(4, 1.5) + math.hypot(4, 5.5))  # both objects on their goals
    assert bound < robot_pushing()(PUSH) < -0.5


def test_the_optimum_is_unknown():
    assert (robot_pushing().name, robot_pushing().optimum, robot_pushing().minimizer) == ("robot-pushing", None, None)


def test_the_value_of_a_config_does_not_depend_on_what_was_evaluated_before():
    black_box = robot_pushing()
    first = black_box(PUSH)
    black_box(IDLE)
    assert black_box(PUSH) == first == robot_pushing()(PUSH)


def test_an_observation_differs_by_the_noise_of_the_commands_and_repeats_with_the_generator():
    black_box = robot_pushing()
    assert black_box.is_noisy
    seen = [black_box.observe(PUSH, np.random.default_rng(seed)) for seed in (0, 0, *range(1, 20))]
    assert seen[0] == seen[1]
    assert len(set(seen)) == 20
    assert 1e-3 < np.std(seen) < 0.1
    assert np.mean(seen) == pytest.approx(black_box(PUSH), abs=0.1)


def test_the_noise_moves_each_of_the_four_velocity_components_and_nothing_else():
    class Ones:
        def normal(self, mean, deviation, size):
            assert (mean, deviation) == (0.0, 0.01)
            return np.arange(size) + 1.0

    black_box = robot_pushing()
    before = dict(PUSH)
    moved = PUSH | {name: PUSH[name] + i for i, name in enumerate(("r1_vx", "r1_vy", "r2_vx", "r2_vy"), start=1)}
    assert black_box.observe(PUSH, Ones()) == black_box(moved)
    assert before == PUSH


def test_a_missing_box2d_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "Box2D", None)
    with pytest.raises(DataError, match=r'Box2D.*pip install "auger\[bench\]"'):
        robot_pushing()


def test_box2d_is_imported_late_and_survives_warnings_as_errors():
    # Box2D's import crashes the interpreter there when its warnings are left alone
    code = (
        "import sys; from auger_bench.problems.robot_pushing import robot_pushing; "
        "print('Box2D' in sys.modules); robot_pushing()"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("False", "")

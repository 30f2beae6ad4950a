import numpy as np
import pytest

from auger_bench.problems import problem
from auger_bench.problems import rover as module

ROVER = problem("rover")


def config_of(points):
    return {f"x{j}": float(x) for j, x in enumerate(np.asarray(points).ravel())}


def line(start, end):
    return np.linspace(start, end, 30)


def test_without_obstacles_a_straight_path_costs_its_length(monkeypatch):
    monkeypatch.setattr(module, "_centers", lambda: np.array([[5.0, 5.0]]))
    free = module.rover()
    straight = line((0.05, 0.05), (0.95, 0.95))
    assert free(config_of(straight)) == pytest.approx(0.9 * np.sqrt(2))
    missed = straight + np.array([0.02, 0.0])  # both ends miss by 0.02 along one axis
    assert free(config_of(missed)) == pytest.approx(0.9 * np.sqrt(2) + 10 * 0.04)
    detour = np.concatenate([line((0.05, 0.05), (0.95, 0.05))[::2], line((0.95, 0.05), (0.95, 0.95))[::2]])
    assert free(config_of(detour)) > free(config_of(straight))


def test_length_on_an_obstacle_costs_twenty_times_as_much(monkeypatch):
    monkeypatch.setattr(module, "_centers", lambda: np.array([[0.5, 0.5]]))
    straight = config_of(line((0.05, 0.05), (0.95, 0.95)))
    on_obstacle = 0.1 * np.sqrt(2)  # the square's diagonal
    assert module.rover()(straight) == pytest.approx(0.9 * np.sqrt(2) + 19 * on_obstacle, rel=0.01)


def test_start_and_goal_are_free_and_there_is_room_for_better_paths():
    assert ROVER(config_of(np.full((30, 2), 0.05))) == pytest.approx(10 * 1.8)  # stays at the start: no length
    values = [ROVER(config) for config in ROVER.space.decode(ROVER.space.sample(200, np.random.default_rng(0)))]
    assert min(values) > 2 * ROVER(config_of(line((0.05, 0.05), (0.95, 0.95))))
    assert ROVER(config_of(line((0.05, 0.05), (0.95, 0.95)))) > 1.5  # obstacles stand in its way

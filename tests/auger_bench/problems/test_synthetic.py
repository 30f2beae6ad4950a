import numpy as np
import pytest

from auger_bench.problems import SYNTHETIC, problem


@pytest.mark.parametrize("name", SYNTHETIC)
def test_the_stated_optimum_is_reached_where_it_is_said_to_be(name):
    black_box = problem(name)
    assert black_box(black_box.minimizer) == pytest.approx(black_box.optimum, abs=1e-9)
    black_box.space.encode([black_box.minimizer])


@pytest.mark.parametrize("name", SYNTHETIC)
def test_nothing_better_is_found_at_random_or_nearby(name):
    black_box = problem(name)
    space, rng = black_box.space, np.random.default_rng(0)
    near = space.mutate(np.repeat(space.encode([black_box.minimizer]), 2000, axis=0), rng)
    configs = space.decode(np.concatenate([space.sample(5000, rng), near]))
    assert min(map(black_box, configs)) >= black_box.optimum - 1e-9

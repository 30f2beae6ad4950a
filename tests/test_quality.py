"""Does it find better configurations than luck? Statistics over fixed seeds."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from auger import minimize
from auger_bench.problems import problem

N_EVALS, SEEDS = 40, range(20)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["branin", "hartmann6", "mixed", "conditional", "categorical"])
def test_auto_beats_random_search(name):
    black_box = problem(name)
    ours = [minimize(black_box, black_box.space, n_trials=N_EVALS, seed=seed).value for seed in SEEDS]
    luck = [
        min(map(black_box, black_box.space.decode(black_box.space.sample(N_EVALS, np.random.default_rng([seed, 1])))))
        for seed in SEEDS
    ]
    assert mannwhitneyu(ours, luck, alternative="less").pvalue < 0.01

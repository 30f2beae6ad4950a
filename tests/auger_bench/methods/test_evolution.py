import numpy as np

from auger.maximizers.evolution import children
from auger.space import Categorical, Float, Int, Space
from auger_bench.methods.evolution import DifferentialEvolution, RegularizedEvolution, mutate_one
from auger_bench.methods.random import RandomDraws
from auger_bench.problems import problem


def run(made, function, n):
    values = []
    for _ in range(n):
        config = made.ask()
        values.append(function(config))
        made.tell(config, values[-1])
    return values


def letters():
    return Space({name: ["x", "y", "z"] for name in "abcd"})


def differing(one, other):
    return [name for name in one if one[name] != other[name]]


def test_the_parent_is_the_best_of_the_population_when_all_take_part():
    # 200 draws out of 4 leave nobody out
    made = RegularizedEvolution(letters(), 0, n_population=4, n_sample=200)
    asked = []
    for value in (3.0, 1.0, 2.0, 4.0):
        asked.append(made.ask())
        made.tell(asked[-1], value)
    assert len(differing(made.ask(), asked[1])) == 1


def test_the_oldest_dies_even_when_it_is_the_best():
    made = RegularizedEvolution(letters(), 0, n_population=3, n_sample=200)
    asked = []
    for value in (0.0, 5.0, 6.0):  # the best is the oldest
        asked.append(made.ask())
        made.tell(asked[-1], value)
    child = made.ask()
    assert len(differing(child, asked[0])) == 1
    made.tell(child, 9.0)  # and now it is gone
    assert len(differing(made.ask(), asked[1])) == 1


def test_a_tournament_of_one_takes_anybody():
    made = RegularizedEvolution(letters(), 0, n_population=5, n_sample=1)
    first = []
    for value in range(5):
        first.append(made.ask())
        made.tell(first[-1], float(value))
    child = made.ask()
    assert any(len(differing(child, parent)) == 1 for parent in first)


def test_a_mutation_changes_one_active_parameter():
    space = Space(
        {
            "model": Categorical(("linear", "tree")),
            "depth": Int(1, 9, when={"model": "tree"}),
            "rate": Float(1e-4, 1.0, log=True),
            "constant": ["only"],
        }
    )
    rng = np.random.default_rng(0)
    changed = set()
    for latent in space.open(space.sample(200, rng), rng):
        child = mutate_one(latent, space, rng)
        (j,) = np.flatnonzero(child != latent)
        assert not np.isnan(space.close(latent[np.newaxis])[0, j])
        changed.add(space.names[j])
    assert changed == {"model", "depth", "rate"}


def test_a_child_that_is_not_worse_replaces_its_parent_and_a_worse_one_does_not():
    made = DifferentialEvolution(letters(), 0, n_population=4)
    run(made, lambda config: 1.0, 4)
    for value, is_in in ((1.0, True), (2.0, False), (float("nan"), False), (0.5, True)):
        turn, config = made._turn, made.ask()
        made.tell(config, value)
        row = made._space.close(made._rows[turn][np.newaxis])
        assert (made._space.decode(row)[0] == config and made._values[turn] == value) == is_in
    assert made._turn == 0


def test_a_child_takes_each_number_from_the_mutant_or_its_parent():
    # a + F (b - c) = 0.2 + 0.5 (0.8 - 0.4) = 0.4, and 0.9 + 0.5 (0.8 - 0.2) = 1.2, folded back to 0.8
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
    parent, a, b, c = (np.array([row]) for row in ([0.1, 0.3], [0.2, 0.9], [0.8, 0.8], [0.4, 0.2]))
    made = [
        tuple(children(parent, (a, b, c), space, np.random.default_rng(seed), step=0.5, crossover=0.5)[0].round(12))
        for seed in range(50)
    ]
    assert set(made) == {(0.4, 0.3), (0.1, 0.8), (0.4, 0.8)}  # never the parent itself


def test_evolution_beats_random_search_on_choices():
    categorical = problem("categorical")
    n, seeds = 250, range(5)

    def median(make):
        return np.median([min(run(make(seed), categorical, n)) for seed in seeds])

    drawn = median(lambda seed: RandomDraws(categorical.space, seed))
    assert median(lambda seed: DifferentialEvolution(categorical.space, seed)) < drawn - 0.5
    assert median(lambda seed: RegularizedEvolution(categorical.space, seed)) < drawn - 0.5

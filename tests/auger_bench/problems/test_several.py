"""Problems with several objectives or outcome constraints."""

import itertools
import json
import math

import cocoex
import numpy as np
import pytest

from auger.errors import AugerError
from auger.space import Space
from auger_bench.experiments import EXPERIMENTS
from auger_bench.hypervolume import hypervolume
from auger_bench.outcome import Outcome
from auger_bench.problems import PROBLEMS, Problem, problem
from auger_bench.problems import yahpo as yahpo_module
from auger_bench.problems.bbob import BIOBJECTIVE
from auger_bench.problems.interface import EXACT, SEARCHED
from auger_bench.problems.names import SEVERAL
from auger_bench.problems.yahpo import COSTS, yahpo

LISTED = {name for name in EXPERIMENTS if name.startswith("objectives")}
NAMES = sorted({*SEVERAL, *(name for key in LISTED for name in EXPERIMENTS[key].problems)})
FRONTS = [name for name in NAMES if "hypervolume" in PROBLEMS.get(name, "")]
TABLES = {
    "moot-ss-j-all": "SS-J",
    "moot-ss-q-all": "SS-Q",
    "moot-ss-u-all": "SS-U",
    "moot-health-commits-all": "Health-Commits0005",
    "moot-cocomo-all": "coc1000",
    "moot-billing-all": "billing10k",
}
SINGLE = [name for name in NAMES if name not in FRONTS]


def outcomes(black_box, n, seed=0):
    configs = black_box.space.decode(black_box.space.sample(n, np.random.default_rng(seed)))
    return [black_box.outcome(config) for config in configs]


@pytest.mark.parametrize("name", NAMES)
def test_an_outcome_has_a_finite_value_per_objective_and_constraint(name, data):
    black_box = problem(name)
    assert black_box.name == name and not black_box.is_plain
    for outcome in outcomes(black_box, 10):
        assert len(outcome.values) == len(black_box.objectives) == len(black_box.reference)
        assert len(outcome.constraints) == len(black_box.constraints)
        assert all(type(number) is float and math.isfinite(number) for number in outcome.values + outcome.constraints)


@pytest.mark.parametrize("name", FRONTS)
def test_no_sample_has_more_than_the_best_hypervolume(name, data):
    black_box = problem(name)
    assert black_box.source in (EXACT, SEARCHED)
    feasible = [outcome.values for outcome in outcomes(black_box, 300) if outcome.is_feasible]
    volume = hypervolume(feasible, black_box.reference)
    assert volume < -black_box.optimum
    assert black_box.regret(-volume) == pytest.approx(-black_box.optimum - volume)


def along(name, n):
    """Configs (n^p, d) on the best front of a test function, spread over it."""
    d, position = len(problem(name).space), np.linspace(0, 1, n)
    if name == "binh-korn":
        return np.array([*([x, x] for x in 3 * position), *([3 + 2 * x, 3.0] for x in position)])
    if name.startswith("zdt"):
        return np.array([[x, *[0.0] * (d - 1)] for x in position])
    if name.startswith("wfg"):
        return np.array([wfg_best(name, [2 * i * x for i in range(1, 3)], d) for x in position])
    two = name in ("c1-dtlz1", "c2-dtlz2")
    rest = [0.0 if name == "dtlz7" else 0.5] * (d - (1 if two else 2))
    return np.array([[*x, *rest] for x in itertools.product(position, repeat=1 if two else 2)])


def wfg_best(name, position, d):
    return [*position, *(0.35 * 2 * i for i in range(3, d + 1))]


@pytest.mark.parametrize(
    ("name", "share"),
    [
        *((name, 0.995) for name in ("zdt1", "zdt2", "zdt3", "zdt4", "zdt6", "wfg4")),
        *((name, 0.995) for name in ("dtlz1", "dtlz2", "binh-korn", "c1-dtlz1", "c2-dtlz2")),
        ("dtlz7", 0.99),
    ],
)
def test_points_on_the_known_front_have_nearly_the_best_hypervolume_and_no_more(name, share):
    black_box = problem(name)
    n = 40 if len(black_box.objectives) == 3 else 1000
    names = black_box.space.names
    outcomes = [black_box.outcome(dict(zip(names, row, strict=True))) for row in along(name, n).tolist()]
    values = [outcome.values for outcome in outcomes if outcome.is_feasible]
    volume = hypervolume(values, black_box.reference)
    assert share * -black_box.optimum < volume <= -black_box.optimum * (1 + 1e-9)


def test_the_front_of_wfg9_is_an_ellipsoid_where_its_distance_is_zero():
    black_box = problem("wfg9")
    x = np.zeros(8)
    x[7] = 16 * 0.35
    for i in range(6, -1, -1):  # each is biased by the mean of those after it, so from the last one
        after = float((x[i + 1 :] / (2.0 * np.arange(i + 2, 9))).mean())
        share = 0.98 / 49.98 - (1 - 2 * after) * abs(math.floor(0.5 - after) + 0.98 / 49.98)
        x[i] = 2 * (i + 1) * 0.35 ** (1 / (0.02 + 49.98 * share))
    values = np.array(black_box.outcome(dict(zip(black_box.space.names, x.tolist(), strict=True))).values)
    assert ((values / [2.0, 4.0, 6.0]) ** 2).sum() == pytest.approx(1.0, abs=1e-6)
    for outcome in outcomes(black_box, 300) + outcomes(problem("wfg4"), 300):
        half_axes = 2.0 * np.arange(1, len(outcome.values) + 1)
        assert ((outcome.values / half_axes) ** 2).sum() >= 1.0


def test_the_best_configs_of_network_speed_are_enumerated():
    black_box, values = problem("network-speed"), []
    rates = {"adam": -2.8, "rmsprop": -3.1, "sgd": -1.1}
    activations = ("elu", "gelu", "relu", "tanh")
    for optimizer, activation, norm, layers, width in itertools.product(
        rates, activations, (False, True), range(1, 7), range(8, 65, 4)
    ):
        config = {
            "rate": 10 ** (rates[optimizer] - (0 if norm else 0.15 * (layers - 1))),
            "decay": 10 ** (0.5 * (math.log2(width) - 5) - 4),
            "clip": 10**0.4,
            **{"epsilon": 1e-8, "workers": 1, "layers": layers, "width": width},
            **{"optimizer": optimizer, "activation": activation, "norm": norm},
        }
        outcome = black_box.outcome(config)
        if outcome.is_feasible:
            values.append(outcome.values)
    volume = hypervolume(values, black_box.reference)
    assert 0.99 * -black_box.optimum < volume <= -black_box.optimum  # every fourth width only


def test_the_best_configs_of_pipeline_speed_are_enumerated():
    black_box, values = problem("pipeline-speed"), []
    steps = [({"step": "none"}, 0.0), ({"step": "select", "share": 0.4}, 0.0)]
    for components, whiten in itertools.product(range(2, 21), (False, True)):
        steps.append(({"step": "pca", "components": components, "whiten": whiten}, 0.05 * (components - 9)))
    for step, change in steps:
        models = [
            {"model": "linear", "penalty": 10 ** (change - 1)},
            {"model": "svm", "kernel": "rbf", "penalty": 10**0.7, "gamma": 10 ** (-1.7 - change)},
        ]
        models += [
            {"model": "svm", "kernel": "poly", "degree": degree, "penalty": 10 ** (1.7 - 0.5 * degree)}
            for degree in range(2, 6)
        ]
        for trees, depth in itertools.product((10, 11, 12, 13, 15, 18, 22, 30, 50, 100, 200), range(1, 13)):
            features = 0.45 + 0.02 * (depth - 7) + 0.2 * change
            models.append({"model": "forest", "trees": trees, "depth": depth, "features": features})
        values += [black_box.outcome(step | model).values for model in models]
    volume = hypervolume(values, black_box.reference)
    assert 0.99 * -black_box.optimum < volume <= -black_box.optimum


# -- one objective with constraints -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SINGLE)
def test_the_minimizer_is_feasible_and_nothing_feasible_is_lower(name):
    black_box = problem(name)
    best = black_box.outcome(black_box.minimizer)
    assert best.is_feasible and best.value == pytest.approx(black_box.optimum, rel=1e-9)
    assert black_box(black_box.minimizer) == best.value
    assert black_box.optimum < black_box.reference[0]
    space = black_box.space
    near = space.mutate(np.repeat(space.encode([black_box.minimizer]), 300, axis=0), np.random.default_rng(0))
    tried = outcomes(black_box, 300) + [black_box.outcome(config) for config in space.decode(near)]
    assert min((o.value for o in tried if o.is_feasible), default=math.inf) >= black_box.optimum


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("branin-disc", 0.007, 0.013),
        ("hartmann6-ball", 0.007, 0.013),
        ("c1-dtlz1", 0.0005, 0.004),
        ("pressure-vessel", 0.37, 0.42),
        ("car-side-impact", 0.16, 0.22),
        ("binh-korn", 0.92, 0.96),
    ],
)
def test_the_feasible_share_of_the_space_is_what_is_said(name, low, high):
    n = 5000 if low < 0.01 else 2000
    assert low <= np.mean([outcome.is_feasible for outcome in outcomes(problem(name), n)]) <= high


def test_the_published_optimum_of_the_pressure_vessel():
    assert problem("pressure-vessel").optimum == pytest.approx(6059.714335, abs=1e-5)


# -- of data and libraries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bbob-constrained-f3-d5-i3", "bbob-constrained-f41-d10-i3"])
def test_values_and_constraints_are_those_of_coco(name):
    function, dimension, instance = (int(part[1:]) for part in name.split("-")[2:])
    suite = cocoex.Suite("bbob-constrained", "", f"dimensions:{dimension}")
    reference = suite.get_problem_by_function_dimension_instance(function, dimension, instance)
    black_box = problem(name)
    for config in black_box.space.decode(black_box.space.sample(5, np.random.default_rng(1))):
        x = np.array([config[f"x{j}"] for j in range(dimension)])
        assert black_box.outcome(config) == Outcome((reference(x),), tuple(reference.constraint(x)))


def test_two_objectives_are_those_of_coco():
    suite = cocoex.Suite("bbob-biobj", "", "dimensions:5")
    reference = suite.get_problem_by_function_dimension_instance(42, 5, 3)
    black_box = problem("bbob-biobj-f42-d5-i3")
    for config in black_box.space.decode(black_box.space.sample(5, np.random.default_rng(1))):
        assert black_box.outcome(config).values == tuple(reference(np.array(list(config.values()))))


@pytest.mark.parametrize("name", TABLES)
def test_the_hypervolume_of_a_table_is_that_of_its_description(name, data):
    black_box = problem(name)
    described = json.loads((data / "moot" / "tables.json").read_text())[TABLES[name]]
    signs = [-1.0 if direction == "maximize" else 1.0 for direction in described["objectives"].values()]
    worst, ideal = ([described[key][column] for column in black_box.objectives] for key in ("worst", "ideal"))
    assert black_box.objectives == tuple(described["objectives"])
    assert black_box.reference == tuple(np.multiply(signs, worst).tolist())
    volume = described["hypervolume_normalized"] * math.prod(np.abs(np.subtract(worst, ideal)).tolist())
    assert -black_box.optimum == pytest.approx(volume)


@pytest.mark.parametrize("name", ["fcnet-protein-seconds", "fcnet-naval-seconds"])
def test_error_is_that_of_the_table_and_seconds_depend_on_the_config(name, data):
    black_box, plain = problem(name), problem(name.removesuffix("-seconds"))
    configs = black_box.space.decode(black_box.space.sample(20, np.random.default_rng(0)))
    assert [black_box.outcome(config).values[0] for config in configs] == [plain(config) for config in configs]
    assert len({black_box.outcome(config).values[1] for config in configs}) == 20


@pytest.mark.parametrize(
    ("scenario", "accuracy", "perfect", "costs"),
    [("lcbench", "val_accuracy", 100.0, ("time",)), ("rbv2_xgboost", "acc", 1.0, ("timetrain", "memory"))],
)
def test_costs_are_outputs_of_the_surrogate(scenario, accuracy, perfect, costs, data, monkeypatch):
    name = "yahpo-lcbench-costs-1" if scenario == "lcbench" else "yahpo-xgboost-costs-1"
    folder = data / "yahpo" / scenario
    full = json.loads((folder / "scenario.json").read_text())["full_fidelity"]
    for point in json.loads((folder / "checks.json").read_text()):
        if point["fidelity"] == full:
            name = f"{name.rpartition('-')[0]}-{point['task']}"
            monkeypatch.setitem(yahpo_module._FRONTS, name, yahpo_module._Front((1.0,) * (1 + len(costs)), 1.0))
            expected = [perfect - point["outputs"][accuracy], *(point["outputs"][cost] for cost in costs)]
            assert yahpo(name).outcome(point["config"]).values == pytest.approx(expected, rel=1e-4, abs=1e-4)


# -- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("zdt1+noisy0.1", "`noisy` needs a problem with one objective and without outcome constraints. Got 'zdt1'"),
        ("branin-disc+noisy0.1", "`noisy` needs a problem with one objective"),
        ("bbob-biobj-f2-d5-i3", "best front of 'bbob-biobj-f2-d5-i3' is not recorded. Did you mean 'bbob-biobj-f"),
        ("bbob-constrained-f55-d5-i1", "functions 1 to 54, and instances 1 to 15 of each. Got 'bbob-constrained-f55"),
        ("bbob-constrained-f1-d7-i1", "must be one of 2, 3, 5, 10, 20, 40. Got 'bbob-constrained-f1-d7-i1'"),
        ("moot-ss-j-al", "Did you mean 'moot-ss-j-all'"),
        ("zdt5", "Did you mean 'zdt"),
    ],
)
def test_other_names_are_refused_with_what_there_is(name, message):
    with pytest.raises(AugerError, match=message):
        problem(name)


def test_a_surrogate_without_a_recorded_front_is_refused(data):
    with pytest.raises(AugerError, match="best front of 'yahpo-lcbench-costs-3945' is not recorded"):
        yahpo("yahpo-lcbench-costs-3945")


def test_calling_a_problem_with_several_objectives_says_what_to_call():
    with pytest.raises(AugerError, match="'zdt1' has several objectives: f1, f2. Call `outcome` for all values."):
        problem("zdt1")({})


def test_a_reference_point_of_the_wrong_length_or_an_unknown_optimum_is_refused():
    space = Space({"x": (0.0, 1.0)})
    with pytest.raises(AugerError, match=r"`reference` of 'two' must have 2 values.* Got \(1.0,\)"):
        Problem("two", space, lambda config: 0.0, -1.0, objectives=("a", "b"), reference=(1.0,))
    with pytest.raises(AugerError, match="must have 0 values"):
        Problem("one", space, lambda config: 0.0, -1.0, reference=(1.0,))
    with pytest.raises(AugerError, match="must have a known optimum, no noise and no fidelities"):
        Problem("two", space, lambda config: 0.0, objectives=("a", "b"), reference=(1.0, 1.0))


def test_wrappers_keep_objectives_constraints_and_the_best_hypervolume():
    black_box, moved = problem("binh-korn"), problem("binh-korn+shifted3")
    assert (moved.objectives, moved.constraints, moved.optimum) == (
        black_box.objectives,
        black_box.constraints,
        black_box.optimum,
    )
    volume = hypervolume([o.values for o in outcomes(moved, 500) if o.is_feasible], moved.reference)
    assert 0.9 * -moved.optimum < volume < -moved.optimum
    assert len(problem("zdt6+idle3").outcome(dict.fromkeys(problem("zdt6+idle3").space.names, 0.5)).values) == 2


def test_the_lists_of_the_experiments_share_no_problem_with_the_tuning_list():
    tuning = set(EXPERIMENTS["objectives-tuning"].problems)
    for name in LISTED - {"objectives-tuning"}:
        assert not tuning & set(EXPERIMENTS[name].problems)
    assert set(BIOBJECTIVE) | set(COSTS) <= set(PROBLEMS)

"""What becomes of each part of a ConfigurationSpace, and what is refused."""

import subprocess
import sys

import ConfigSpace as CS
import pytest

from auger import Categorical, Float, Int, Optimizer, Ordinal, Space
from auger.errors import ConfigError, SpaceError
from auger.hosts.configspace import from_configspace, from_configuration, to_configuration


def space_of(*parts, conditions=(), forbidden=()):
    theirs = CS.ConfigurationSpace(seed=0)
    theirs.add(*parts)
    for part in (*conditions, *forbidden):
        theirs.add(part)
    return theirs


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (CS.UniformFloatHyperparameter("x", -1, 3.5), Float(-1.0, 3.5)),
        (CS.UniformFloatHyperparameter("x", 1e-6, 1.0, log=True, default_value=0.1), Float(1e-6, 1.0, log=True)),
        (CS.UniformIntegerHyperparameter("x", -3, 12), Int(-3, 12)),
        (CS.UniformIntegerHyperparameter("x", 1, 1000, log=True), Int(1, 1000, log=True)),
        (CS.CategoricalHyperparameter("x", ["relu", "tanh"]), Categorical(("relu", "tanh"))),
        (CS.CategoricalHyperparameter("x", [1, 2], weights=[0.5, 0.5]), Categorical((1, 2))),
        (CS.OrdinalHyperparameter("x", ["s", "m", "l"], default_value="m"), Ordinal(("s", "m", "l"))),
        (CS.Constant("x", "adam"), Categorical(("adam",))),
        (CS.Constant("x", [1, 2]), Categorical(((1, 2),))),
    ],
    ids=repr,
)
def test_a_hyperparameter_has_its_equal(theirs, ours):
    assert from_configspace(space_of(theirs)).parameters == {"x": ours}


A = CS.CategoricalHyperparameter("a", ["x", "y", "z"])
N = CS.UniformIntegerHyperparameter("n", 1, 5)
SIZE = CS.OrdinalHyperparameter("size", [10, 5, 7])  # by place in the list, not by value
B = CS.UniformFloatHyperparameter("b", 0, 1)
EQUALS = CS.EqualsCondition(B, A, "x")


@pytest.mark.parametrize(
    ("condition", "when"),
    [
        (EQUALS, {"a": ["x"]}),
        (CS.InCondition(B, A, ["z", "x"]), {"a": ["x", "z"]}),
        (CS.NotEqualsCondition(B, A, "x"), {"a": ["y", "z"]}),
        (CS.NotEqualsCondition(B, N, 2), {"n": [1, 3, 4, 5]}),
        (CS.LessThanCondition(B, N, 3), {"n": [1, 2]}),
        (CS.GreaterThanCondition(B, SIZE, 10), {"size": [5, 7]}),
        (CS.LessThanCondition(B, SIZE, 7), {"size": [10, 5]}),
        (CS.AndConjunction(EQUALS, CS.GreaterThanCondition(B, N, 3)), {"a": ["x"], "n": [4, 5]}),
        (CS.AndConjunction(CS.NotEqualsCondition(B, A, "x"), CS.NotEqualsCondition(B, A, "y")), {"a": ["z"]}),
        (CS.OrConjunction(EQUALS, CS.EqualsCondition(B, A, "z")), {"a": ["x", "z"]}),
        (
            CS.OrConjunction(
                CS.AndConjunction(EQUALS, CS.EqualsCondition(B, N, 1)),
                CS.AndConjunction(EQUALS, CS.EqualsCondition(B, N, 4)),
            ),
            {"a": ["x"], "n": [1, 4]},
        ),
    ],
    ids=repr,
)
def test_a_condition_becomes_when(condition, when):
    space = from_configspace(space_of(A, N, SIZE, B, conditions=[condition]))
    assert space.parameters["b"].when == when


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        (CS.ForbiddenEqualsClause(A, "x"), "not (a == 'x')"),
        (CS.ForbiddenInClause(N, [1, 2]), "not (n in (1, 2))"),
        (CS.ForbiddenGreaterThanClause(B, 0.6), "not (b > 0.6)"),
        (CS.ForbiddenGreaterThanClause(SIZE, 10), "not (size in (5, 7))"),
        (CS.ForbiddenLessThanRelation(N, B), "not (n < b)"),
        (
            CS.ForbiddenAndConjunction(CS.ForbiddenEqualsClause(A, "y"), CS.ForbiddenLessThanEqualsClause(N, 2)),
            "not (a == 'y' and n <= 2)",
        ),
    ],
    ids=repr,
)
def test_a_forbidden_clause_becomes_a_constraint(clause, text):
    a = CS.CategoricalHyperparameter("a", ["x", "y", "z"], default_value="z")
    n = CS.UniformIntegerHyperparameter("n", 1, 5, default_value=5)
    space = from_configspace(space_of(a, n, SIZE, B, forbidden=[clause]))
    assert [rule.text for rule in space.constraints] == [text]


def test_each_part_of_a_forbidden_or_is_a_constraint_of_its_own():
    n = CS.UniformIntegerHyperparameter("n", 1, 5, default_value=5)
    clause = CS.ForbiddenAndConjunction(
        CS.ForbiddenLessThanClause(n, 3),
        CS.ForbiddenOrConjunction(CS.ForbiddenEqualsClause(A, "x"), CS.ForbiddenGreaterThanClause(B, 0.5)),
    )
    space = from_configspace(space_of(A, n, B, forbidden=[clause]))
    assert [rule.text for rule in space.constraints] == ["not (n < 3 and a == 'x')", "not (n < 3 and b > 0.5)"]


def test_a_name_that_is_no_identifier_is_constrained_by_a_function_that_can_be_saved_and_loaded(tmp_path):
    hyperparameter = CS.UniformIntegerHyperparameter("svm:n", 1, 5)
    space = from_configspace(space_of(hyperparameter, A, forbidden=[CS.ForbiddenLessThanClause(hyperparameter, 3)]))
    (rule,) = space.constraints
    assert (rule({"svm:n": 2}), rule({"svm:n": 3}), rule({})) == (False, True, True)
    optimizer = Optimizer(space, seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    optimizer.save(tmp_path / "run.json")
    loaded = Optimizer.load(tmp_path / "run.json", constraints=space.constraints)
    assert loaded.ask() == optimizer.ask()


@pytest.mark.parametrize(
    ("hyperparameter", "instead"),
    [
        (CS.NormalFloatHyperparameter("x", 0.5, 0.1, lower=0, upper=1), "UniformFloatHyperparameter"),
        (CS.NormalIntegerHyperparameter("x", 5, 2, lower=0, upper=9), "UniformIntegerHyperparameter"),
        (CS.BetaFloatHyperparameter("x", 2, 2, 0, 1), "UniformFloatHyperparameter"),
        (CS.BetaIntegerHyperparameter("x", 2, 2, 0, 9), "UniformIntegerHyperparameter"),
        (CS.CategoricalHyperparameter("x", ["a", "b"], weights=[1, 2]), "Leave the weights out"),
        (CS.UniformIntegerHyperparameter("x", 0, 2**41), "at most 2\\*\\*40 values"),
        (CS.Constant("x", {"a": 1}), "hashable"),
    ],
    ids=repr,
)
def test_a_hyperparameter_that_no_parameter_matches_is_refused_by_name(hyperparameter, instead):
    with pytest.raises(SpaceError, match=f"Hyperparameter 'x': .*{instead}"):
        from_configspace(space_of(hyperparameter))


BIG = CS.UniformIntegerHyperparameter("big", 1, 5000)
FRACTION = CS.UniformFloatHyperparameter("fraction", 0, 1)
M = CS.UniformIntegerHyperparameter("m", 1, 5)


@pytest.mark.parametrize(
    ("conditions", "why"),
    [
        ([CS.GreaterThanCondition(B, FRACTION, 0.5)], "continuous hyperparameter.*Make 'fraction'"),
        ([CS.EqualsCondition(B, FRACTION, 0.5)], "continuous hyperparameter"),
        ([CS.LessThanCondition(B, BIG, 100)], "5,000 values.*InCondition"),
        ([CS.OrConjunction(EQUALS, CS.EqualsCondition(B, N, 1))], "different parents.*a hyperparameter for each case"),
        ([CS.AndConjunction(EQUALS, CS.EqualsCondition(B, A, "y"))], "'b' can never be active"),
        ([CS.EqualsCondition(M, A, "x"), CS.NotEqualsCondition(B, M, 2)], "may be inactive.*InCondition"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_condition_that_when_cannot_express_is_refused(conditions, why):
    with pytest.raises(SpaceError, match=why):
        from_configspace(space_of(A, N, M, BIG, FRACTION, B, conditions=conditions))


@pytest.mark.parametrize("theirs", [None, {"x": (0, 1)}, Space({"x": (0, 1)}), CS.ConfigurationSpace()])
def test_what_is_no_configuration_space_or_holds_nothing_is_refused(theirs):
    with pytest.raises(SpaceError, match="ConfigurationSpace"):
        from_configspace(theirs)


def test_values_are_pythons_own_and_a_choice_that_is_a_list_finds_its_way_back():
    theirs = space_of(CS.CategoricalHyperparameter("layers", [[8, 8], [16]]), CS.Constant("c", [1]), N, A)
    config = from_configuration(theirs.sample_configuration())
    assert {type(value) for value in config.values()} == {tuple, int, str}
    configuration = to_configuration({**config, "layers": (16,)}, theirs)
    assert configuration["layers"] == [16] and configuration["c"] == [1]


@pytest.mark.parametrize(
    "config", [{"a": "w", "n": 1}, {"a": "x"}, {"a": "x", "n": 9}, {"a": "x", "n": 1, "unknown": 2}], ids=repr
)
def test_a_config_that_is_no_member_is_refused(config):
    with pytest.raises(ConfigError, match="ConfigSpace does not accept"):
        to_configuration(config, space_of(A, N))


def test_the_default_configuration_can_be_the_first_answer():
    theirs = space_of(A, N, B)
    optimizer = Optimizer(from_configspace(theirs), seed=0)
    optimizer.add([from_configuration(theirs.get_default_configuration())], [1.0])
    assert optimizer.best.config == {"a": "x", "n": 3, "b": 0.5}


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("None", "needs ConfigSpace, which is not installed"),
        ("'1.1.4'", "from 0.7.1 and below 0.8 or from 1.2 and below 2. Got 1.1.4"),
        ("'2.0.0'", "Got 2.0.0"),
    ],
)
def test_a_missing_or_unknown_version_is_told_at_import_with_what_installs_it(version, says):
    code = f"""
from importlib import metadata
real = metadata.version
def version(name):
    if name != "ConfigSpace": return real(name)
    if {version} is None: raise metadata.PackageNotFoundError(name)
    return {version}
metadata.version = version
import auger
try:
    import auger.hosts.configspace
except (auger.AugerError, ImportError) as error:
    print(isinstance(error, auger.AugerError), error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("True")
    assert says in done.stdout
    assert done.stdout.strip().endswith('Install it with: pip install "auger[configspace]"')


def test_a_configuration_space_that_was_not_translated_is_refused_with_what_to_do():
    theirs = space_of(CS.UniformFloatHyperparameter("x", 0, 1))
    with pytest.raises(SpaceError, match=r"Got a ConfigurationSpace. Translate it with `from_configspace\(space\)`"):
        Optimizer(theirs)


def test_a_trial_in_the_place_of_its_config_is_refused_by_name():
    theirs = space_of(CS.UniformFloatHyperparameter("x", 0, 1))
    with pytest.raises(ConfigError, match="such as `trial.config`. Got a Trial"):
        to_configuration(Optimizer(from_configspace(theirs), seed=0).ask(), theirs)


def test_the_default_configuration_is_tried_first():
    theirs = space_of(CS.UniformFloatHyperparameter("x", 0, 1, default_value=0.25), CS.Constant("c", "fixed"))
    optimizer = Optimizer(from_configspace(theirs), seed=0)
    optimizer.enqueue(from_configuration(theirs.get_default_configuration()))
    assert to_configuration(optimizer.ask().config, theirs) == theirs.get_default_configuration()

"""Members of a space are the same on both sides, in both directions."""

import ConfigSpace as CS
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.configuration_spaces import configuration_spaces, values
from support.strategies import configs, small, spaces

from auger import AugerError, Float, Optimizer
from auger.errors import SpaceError
from auger.hosts.configspace import from_configspace, from_configuration, to_configspace, to_configuration
from auger.space.constraints import holds


def read(theirs):
    try:
        return from_configspace(theirs)
    except SpaceError as error:
        assume("can never be active" not in str(error) and "different parents" not in str(error))
        raise


def sampled(theirs, n):
    try:
        drawn = theirs.sample_configuration(n)
    except Exception:  # clauses that leave next to nothing
        assume(False)
    return [configuration for configuration in drawn if is_valid(configuration)]


def is_valid(configuration):
    """ConfigSpace 1.2 also samples what is forbidden by ForbiddenLessThanEqualsClause."""
    try:
        configuration.check_valid_configuration()
    except ValueError:
        return False
    return True


def is_theirs(theirs, config):
    try:
        to_configuration(config, theirs)
    except AugerError:
        return False
    return True


def is_ours(space, config):
    try:
        space.encode([config])
    except AugerError:
        return False
    # by the config itself: a float in the middle of a range comes back from its row up to rounding
    return all(holds(constraint, [config])[0] for constraint in space.constraints)


def check_alike(config, other, space):
    """The same values; floats to the 13 digits of a range that both sides keep."""
    assert config.keys() == other.keys()
    for name, value in config.items():
        parameter = space.parameters[name]
        if isinstance(parameter, Float) and parameter.step is None:
            assert other[name] == pytest.approx(value, rel=1e-11, abs=1e-12 * max(1, parameter.high - parameter.low))
        else:
            assert other[name] == value


@settings(max_examples=25)  # drawing under tight clauses takes its time, on both sides
@given(theirs=configuration_spaces())
def test_every_configuration_they_sample_is_a_member_and_comes_back_as_it_was(theirs):
    space = read(theirs)
    for configuration in sampled(theirs, 10):
        config = from_configuration(configuration)
        assert is_ours(space, config)
        (again,) = space.decode(space.encode([config]))
        check_alike(config, again, space)
        check_alike(config, from_configuration(to_configuration(again, theirs)), space)


@settings(max_examples=25)  # drawing under tight clauses takes its time, on both sides
@given(theirs=configuration_spaces())
def test_every_member_of_ours_is_a_legal_configuration_of_theirs(theirs):
    space = read(theirs)
    try:
        X = space.sample(20, np.random.default_rng(0))
    except SpaceError:  # clauses that leave nothing
        assume(False)
    for config in space.decode(X):
        configuration = to_configuration(config, theirs)
        configuration.check_valid_configuration()
        check_alike(config, from_configuration(configuration), space)


@given(data=st.data(), theirs=configuration_spaces())
def test_both_sides_agree_on_what_is_a_member(data, theirs):
    space = read(theirs)
    # any values, with any of them missing: most are no members
    config = {each.name: data.draw(values(each)) for each in theirs.values() if data.draw(st.integers(0, 4))}
    assert is_theirs(theirs, config) == is_ours(space, config)


@settings(max_examples=25)  # drawing under tight clauses takes its time, on both sides
@given(theirs=configuration_spaces(names=("svm:C", "class", "a-b", "d")))
def test_names_that_no_expression_can_hold_are_no_obstacle(theirs):
    space = read(theirs)
    for configuration in sampled(theirs, 5):
        assert is_ours(space, from_configuration(configuration))


@settings(max_examples=25)  # drawing under tight clauses takes its time, on both sides
@given(theirs=configuration_spaces())
def test_their_space_read_and_written_again_has_the_same_members(theirs):
    space = read(theirs)
    written = to_configspace(space)
    for configuration in sampled(theirs, 5):
        config = from_configuration(configuration)
        check_alike(config, from_configuration(to_configuration(config, written)), space)
    for configuration in sampled(written, 5):
        to_configuration(from_configuration(configuration), theirs)


def write(space):
    """Ours as theirs, where ConfigSpace can hold it; what it cannot is refused by name."""
    try:
        return to_configspace(space)
    except SpaceError as error:
        message = str(error)
    assert any(repr(name) in message for name in space.names) or "constraint" in message
    assume(False)
    return None


@given(data=st.data())
def test_any_space_of_ours_is_written_or_refused_by_name(data):
    space = data.draw(spaces(constrained=False))
    theirs = write(space)
    config = data.draw(configs(space))
    check_alike(config, from_configuration(to_configuration(config, theirs)), space)


@settings(max_examples=25)
@given(data=st.data())
def test_a_small_space_of_ours_has_the_same_members_when_written(data):
    space = data.draw(spaces(small, max_size=4))
    theirs = write(space)
    for configuration in sampled(theirs, 10):
        assert is_ours(space, from_configuration(configuration))
    for config in space.decode(space.sample(10, np.random.default_rng(0))):
        assert is_theirs(theirs, config)


@pytest.mark.parametrize("recipe", ["auto", "bore-rf", "tpe"])
def test_everything_that_is_proposed_is_legal(recipe):
    theirs = CS.ConfigurationSpace({"a": (0.0, 1.0), "n": (1, 8), "kind": ["x", "y"], "fixed": "f"}, seed=0)
    child = CS.UniformFloatHyperparameter("svm:C", 1e-3, 1e3, log=True)
    theirs.add(child, CS.OrdinalHyperparameter("size", ["s", "m", "l"]))
    theirs.add(CS.EqualsCondition(theirs["svm:C"], theirs["kind"], "x"))
    theirs.add(
        CS.ForbiddenAndConjunction(
            CS.ForbiddenEqualsClause(theirs["size"], "l"), CS.ForbiddenGreaterThanClause(theirs["svm:C"], 10.0)
        )
    )
    optimizer = Optimizer(from_configspace(theirs), recipe, seed=0)
    for _ in range(25):
        trial = optimizer.ask()
        configuration = to_configuration(trial.config, theirs)
        optimizer.tell(trial, configuration["a"] + configuration["n"] + configuration.get("svm:C", 3.0))
    assert optimizer.best.config["fixed"] == "f"

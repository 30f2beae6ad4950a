"""The column of HpBandSter in docs/which-door.md; test_loopback.py runs it with its nameserver and workers."""

import inspect

import ConfigSpace
import pytest
from hpbandster.core.dispatcher import Job
from hpbandster.core.master import Master
from support.which_door import Proofs

from auger.errors import ObjectiveError
from auger.hosts.hpbandster import AugerGenerator, AugerHyperBand
from auger.hosts.hpbandster.hyperband import _check_result

proves = Proofs("HpBandSter")
ARGUMENTS = inspect.signature(AugerHyperBand).parameters.keys() | inspect.signature(Master).parameters.keys()


def space_of(*parameters):
    space = ConfigSpace.ConfigurationSpace()
    space.add_hyperparameters([ConfigSpace.UniformFloatHyperparameter("x", 0.0, 1.0), *parameters])
    return space


def has_no(*names):
    """HpBandSter has no such argument, and AugerHyperBand hands all others on to it."""
    assert not ARGUMENTS & set(names)


@proves("direction", "HpBandSter", "no: a loss is minimized; return its negative")
def direction():
    has_no("direction", "mode")


@proves("time limit", "HpBandSter", "no: HpBandSter counts brackets")
def time_limit():
    assert inspect.signature(Master.run).parameters.keys() == {
        "self",
        "n_iterations",
        "min_n_workers",
        "iteration_kwargs",
    }


@proves("parallel", "HpBandSter", "HpBandSter's workers")
def parallel():
    assert "min_n_workers" in inspect.signature(Master.run).parameters


@proves("several objectives", "HpBandSter", "no: one loss per run; a list is refused")
def several_objectives():
    with pytest.raises(ObjectiveError, match="no `directions`: HpBandSter takes one loss per run.*auger.Optimizer"):
        AugerHyperBand(space_of(), directions=["minimize", "minimize"])
    job = Job((0, 0, 0), config={"x": 0.5}, budget=1.0)
    job.result = {"loss": [1.0, 2.0]}
    _check_result(job)
    assert job.result is None and "For several objectives: HpBandSter takes one loss per run" in job.exception


@proves("queued", "HpBandSter", "no: HpBandSter has no queue")
def queued():
    has_no("enqueue", "initial", "points_to_evaluate")


@proves("fixed", "HpBandSter", '`Constant("act", "relu")`')
def fixed():
    generator = AugerGenerator(space_of(ConfigSpace.Constant("act", "relu")), seed=0)
    assert generator.get_config(1.0)[0]["act"] == "relu"


@proves("pruning", "HpBandSter", "Hyperband, `eta` and the budgets")
def pruning():
    assert {"eta", "min_budget", "max_budget"} <= ARGUMENTS


@proves("constraints of the space", "HpBandSter", "forbidden clauses")
def constraints():
    act = ConfigSpace.CategoricalHyperparameter("act", ["relu", "tanh"])
    space = space_of(act)
    space.add_forbidden_clause(ConfigSpace.ForbiddenEqualsClause(act, "tanh"))
    generator = AugerGenerator(space, seed=0)
    assert {generator.get_config(1.0)[0]["act"] for _ in range(8)} == {"relu"}


@proves("outcome constraints", "HpBandSter", "no: HpBandSter reports no constraints")
def outcome_constraints():
    has_no("constraints", "constraints_func")
    with pytest.raises(ObjectiveError, match="no `constraints`: a worker of HpBandSter reports a loss and nothing to"):
        AugerHyperBand(space_of(), constraints={"memory_mb": "<= 512"})


@proves("several runs per trial", "HpBandSter", "no: return the mean loss of several calls")
def several_runs():
    has_no("repeats", "n_repeats")


@proves("attributes", "HpBandSter", '`"info"` of a result')
def attributes():
    from hpbandster.core.result import Run

    assert "info" in inspect.signature(Run).parameters


@proves("resume", "HpBandSter", "`AugerHyperBand(previous_result=result)`")
def resume():
    assert "previous_result" in ARGUMENTS


@proves("callbacks", "HpBandSter", "`result_logger=` of the Master")
def callbacks():
    assert "result_logger" in inspect.signature(Master).parameters


@pytest.mark.parametrize("name", proves.parameters())
def test_a_cell_says_what_happens(name):
    proves.parameters()[name]()


def test_the_page_says_what_the_tests_run_and_nothing_else():
    assert proves.said() == proves.expected()

"""Runs with several objectives or outcome constraints: what is told, recorded, resumed and tabulated."""

import math

import pytest
from support.bench_runs import bench_run

from auger.errors import AugerError
from auger.space import Space
from auger_bench import task as task_module
from auger_bench.methods import METHODS, Entry, Method, method
from auger_bench.outcome import Outcome
from auger_bench.problems import Problem, problem
from auger_bench.run_files import read
from auger_bench.statistics import evaluations_to_feasible, finals, quantity
from auger_bench.tables import RUN_COLUMNS, markdown, read_runs, runs_csv
from auger_bench.task import Task, execute

INSTALLED = [name for name, entry in METHODS.items() if entry.make_several and entry.is_installed]
CAPABLE = [name for name in INSTALLED if not name.startswith(("bore-", "lfbo-", "auto-"))]


class Walk(Method):
    """Goes through the numbers of a line."""

    def __init__(self):
        self.told = []

    def ask(self):
        return {"x": float(len(self.told))}

    def tell(self, config, value):
        raise AssertionError("all values are told together")

    def tell_outcome(self, config, outcome):
        self.told.append(outcome)


def run_of(monkeypatch, folder, outcomes, **about):
    """A walk along these outcomes, the last of which is repeated; returns its run and what was told."""

    def function(config):
        outcome = outcomes[int(config["x"])]
        if outcome is None:
            raise ArithmeticError("fell off")
        return outcome

    black_box = Problem("line", Space({"x": (0.0, 9.0)}), function, **about)
    walks = []

    def make(space, seed, n_evals, n_objectives, n_constraints):
        assert (n_objectives, n_constraints) == (len(black_box.objectives), len(black_box.constraints))
        walks.append(Walk())
        return walks[-1]

    monkeypatch.setattr(task_module, "problem", lambda name: black_box)
    entry = Entry("walk", "a walk", lambda *_: pytest.fail("not for one objective"), make_several=make)
    monkeypatch.setattr(task_module, "method", lambda name: entry)
    task = Task("line", "walk", 0, len(outcomes))
    execute(task, folder)
    return read(task.path(folder)), walks[-1].told


TWO = {"optimum": -9.0, "objectives": ("a", "b"), "reference": (3.0, 3.0), "source": "exact"}
OUTCOMES = [
    Outcome((4.0, 0.0), (-1.0,)),  # beyond the reference point
    Outcome((0.0, 0.0), (0.5,)),  # not feasible
    None,
    Outcome((1.0, 2.0), (0.0,)),
    Outcome((2.0, 1.0), (-1.0,)),
    Outcome((2.0, 2.0), (-1.0,)),  # dominated
    Outcome((0.0, 0.0), (-1.0,)),
]


def test_the_regret_is_the_hypervolume_that_the_feasible_points_still_miss(monkeypatch, tmp_path):
    run, told = run_of(monkeypatch, tmp_path, OUTCOMES, constraints=("c",), **TWO)
    assert not run.crash
    assert [evaluation.incumbent for evaluation in run.evaluations] == [0.0, 0.0, 0.0, -2.0, -3.0, -3.0, -9.0]
    assert quantity(run).tolist() == [9.0, 9.0, 9.0, 7.0, 6.0, 6.0, 0.0]
    assert evaluations_to_feasible(run) == 1
    assert [evaluation.values for evaluation in run.evaluations][3:5] == [(1.0, 2.0), (2.0, 1.0)]
    assert [evaluation.constraints for evaluation in run.evaluations][:4] == [(-1.0,), (0.5,), (), (0.0,)]
    assert all(map(math.isnan, told[2].values)) and len(told[2].values) == 2
    assert told[3:] == OUTCOMES[3:]
    assert run.evaluations[2].error == "ArithmeticError: fell off"


def test_a_run_that_was_killed_goes_on_with_all_values_and_constraints(monkeypatch, tmp_path):
    whole, _ = run_of(monkeypatch, tmp_path / "whole", OUTCOMES, constraints=("c",), **TWO)
    run_of(monkeypatch, tmp_path / "part", OUTCOMES, constraints=("c",), **TWO)
    path = Task("line", "walk", 0, 7).path(tmp_path / "part")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
    part, told = run_of(monkeypatch, tmp_path / "part", OUTCOMES, constraints=("c",), **TWO)
    assert [evaluation.incumbent for evaluation in part.evaluations] == [e.incumbent for e in whole.evaluations]
    assert part.evaluations[3].outcome == whole.evaluations[3].outcome == told[3]
    assert [outcome.values for outcome in told[3:]] == [outcome.values for outcome in OUTCOMES[3:]]


def test_infinite_values_and_constraints_survive_the_file_and_count_for_nothing(monkeypatch, tmp_path):
    outcomes = [Outcome((-math.inf, 0.0), (-1.0,)), Outcome((0.0, 0.0), (math.inf,)), Outcome((0.0, 0.0), (math.nan,))]
    run, _ = run_of(monkeypatch, tmp_path, outcomes, constraints=("c",), **TWO)
    assert [evaluation.regret for evaluation in run.evaluations] == [9.0, 9.0, 9.0]
    assert run.evaluations[0].values == (-math.inf, 0.0) and run.evaluations[1].constraints == (math.inf,)
    assert evaluations_to_feasible(run) is None


ONE = {"optimum": 1.0, "constraints": ("c",), "reference": (5.0,)}


def test_with_one_objective_the_regret_is_that_of_the_best_feasible_value_up_to_the_reference(monkeypatch, tmp_path):
    outcomes = [Outcome((v,), (c,)) for v, c in ((2.0, 1.0), (9.0, 0.0), (4.0, -1.0), (4.5, -1.0), (1.0, 0.0))]
    run, told = run_of(monkeypatch, tmp_path, outcomes, **ONE)
    assert [evaluation.incumbent for evaluation in run.evaluations] == [5.0, 5.0, 4.0, 4.0, 1.0]
    assert quantity(run).tolist() == [4.0, 4.0, 3.0, 3.0, 0.0]
    assert [evaluation.value for evaluation in run.evaluations] == [2.0, 9.0, 4.0, 4.5, 1.0]
    assert evaluations_to_feasible(run) == 2 and told == outcomes


def test_tables_count_the_evaluations_to_the_first_feasible_config(monkeypatch, tmp_path):
    late, _ = run_of(monkeypatch, tmp_path / "a", [Outcome((2.0,), (c,)) for c in (1.0, 1.0, -1.0)], **ONE)
    never, _ = run_of(monkeypatch, tmp_path / "b", [Outcome((2.0,), (1.0,))] * 3, **ONE)
    runs = [late, type(late)(type(late.head)(**{**vars(never.head), "seed": 1}), never.evaluations)]
    [final] = finals(runs)
    assert (final.feasible, final.n_evals_to_feasible) == (0.5, 3)
    text = markdown(runs)
    assert "Runs that find a config which satisfies the outcome constraints" in text and "| `walk` | 50% (3) |" in text
    again = read_runs(runs_csv(runs))
    assert [evaluations_to_feasible(run) for run in again] == [3, None]
    assert runs_csv(again) == runs_csv(runs)
    assert finals(again) == finals(runs)


def test_runs_without_constraints_have_no_such_table_and_older_files_are_read():
    runs = [bench_run("p", name, 0, [3.0, 2.0], optimum=1.0) for name in ("auto", "optuna-tpe")]
    assert "outcome constraints" not in markdown(runs)
    text = runs_csv(runs)
    older = "\n".join(line.rpartition(",")[0] for line in text.splitlines())
    assert runs_csv(read_runs(older)) == text
    assert list(RUN_COLUMNS)[-1] == "evaluations_to_feasible"


# -- methods ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CAPABLE)
@pytest.mark.parametrize("black_box", ["network-speed", "pipeline-speed", "branin-disc"])
def test_methods_for_several_objectives_propose_members_and_repeat_with_the_seed(name, black_box):
    black_box = problem(black_box)

    def trace(seed):
        started, configs = METHODS[name].start(black_box, seed, 16), []
        for i in range(16):
            config = started.ask()
            configs.append(config)
            failed = Outcome((math.nan,) * len(black_box.objectives))
            started.tell_outcome(config, failed if i in (0, 12) else black_box.outcome(config))
        return configs

    configs = trace(3)
    assert black_box.space.decode(black_box.space.encode(configs)) == configs
    assert trace(3) == configs != trace(4)


@pytest.mark.parametrize("name", ["auto", "optuna-tpe"])
def test_a_model_learns_the_constraints(name):
    black_box = problem("branin-disc")
    shares = []
    for informed in (True, False):
        started, feasible = METHODS[name].start(black_box, 0, 60), []
        for _ in range(60):
            config = started.ask()
            outcome = black_box.outcome(config)
            feasible.append(outcome.is_feasible)
            started.tell_outcome(config, outcome if informed else Outcome(outcome.values, (-1.0,)))
        shares.append(sum(feasible[20:]))
    assert shares[0] > shares[1] + 5


@pytest.mark.parametrize(
    ("name", "black_box", "message"),
    [
        ("cma-es", "zdt1", "'cma-es' must have one objective and no outcome constraints. Got 'zdt1', .* 2 objectives."),
        ("de", "binh-korn", "Got 'binh-korn', which has 2 objectives and 2 outcome constraints."),
        ("hyperopt-tpe", "branin-disc", "Got 'branin-disc', which has 1 objective and 1 outcome constraint."),
    ],
)
def test_methods_for_one_objective_refuse_the_others_by_name(name, black_box, message):
    with pytest.raises(AugerError, match=message):
        method(name).start(problem(black_box), 0, 10)
    assert isinstance(method(name).start(problem("branin"), 0, 10), Method)

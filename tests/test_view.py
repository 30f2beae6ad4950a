import numpy as np
import optuna
import pytest
from optuna.trial import TrialState, create_trial
from support.command_line import inside
from support.studies import complete, failed, new_study

from auger import AugerError, Optimizer, minimize
from auger.errors import StudyError
from auger.hosts.optuna import AugerSampler
from auger.insight import advice, view
from auger.objectives import Direction, as_objectives
from auger.outcome_constraints import OutcomeConstraint
from auger.report import report_html
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.trial import Outcome
from auger.studies.view import stored_view
from auger.trial import State
from auger.view import Baseline


def test_a_result_an_optimizer_and_its_history_look_the_same():
    result = minimize(lambda config: (config["x"] - 0.3) ** 2, {"x": (0.0, 1.0)}, n_trials=12, seed=0)
    run = view(result)
    assert [trial.config for trial in run.trials] == [trial.config for trial in result.trials]
    assert run.best.number == result.optimizer.best.number
    assert view(result.optimizer).trials == run.trials == view(result.optimizer.history).trials
    assert view(run) is run
    assert {trial.model for trial in run.trials[5:]} == {"auto, Gaussian process", "auto, trees"}
    assert {trial.model for trial in run.trials[:5]} == {""}


def test_only_complete_trials_have_values_to_show():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    first, second, third, _ = optimizer.ask(4)
    optimizer.tell(first, error="out of memory")
    optimizer.report(second, 3, 0.6)
    optimizer.tell(second, 0.5, pruned=True)
    optimizer.tell(third, 0.7, constraints=[1.0])
    run = view(optimizer)
    assert [trial.state for trial in run.trials] == ["failed", "pruned", "complete", "running"]
    assert [run.values_of(trial) for trial in run.trials] == [(), (), (0.7,), ()]
    assert run.trials[0].error == "out of memory" and run.best is None
    assert run.trials[1].intermediate_values == ((3, 0.6),)


def test_what_is_no_run_is_refused_by_its_kind():
    with pytest.raises(AugerError, match="must be an Optimizer, a Result, a History or a study. Got dict"):
        view({})


def test_a_plain_optuna_study_shows_its_own_choices_and_conditions():
    def objective(trial):
        kernel = trial.suggest_categorical("kernel", ["rbf", "poly", None])
        if kernel == "poly":
            return trial.suggest_int("degree", 2, 5) + 10
        return -trial.suggest_float("C", 1e-3, 1e3, log=True)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(objective, n_trials=60)
    run = view(study)
    assert run.objectives.directions == (Direction.MAXIMIZE,) and not run.is_ours
    assert run.values_of(run.best) == (study.best_value,) and run.best.config == study.best_params
    assert dict(run.history.space.parameters["degree"].when) == {"kernel": ["poly"]}
    for decoded, trial in zip(run.history.space.decode(run.history.X), run.trials, strict=True):
        assert decoded.pop("C", None) == pytest.approx(trial.config.get("C"))
        assert decoded == {name: value for name, value in trial.config.items() if name != "C"}
    assert (run.history.y == [trial.value for trial in run.trials]).all()


def test_choices_that_python_calls_equal_are_told_apart_as_texts():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(lambda trial: float(trial.suggest_categorical("c", [1, True, "1"]) == "1"), n_trials=12)
    assert view(study).history.space.parameters["c"].choices == ("1", "True", "'1'")


def test_a_study_of_our_sampler_knows_its_recipe_and_space():
    sampler = AugerSampler("bore-rf", space={"x": (0.0, 1.0)}, seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    run = view(study)
    assert run.recipe.name == "bore-rf" and run.is_ours
    assert [trial.origin for trial in run.trials] == ["initial"] * 3


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")  # names of objectives are, in Optuna
def test_several_objectives_have_no_best_one_and_keep_their_names():
    study = optuna.create_study(directions=["minimize", "maximize"])
    study.set_metric_names(["loss", "speed"])
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), trial.params["x"] ** 2), n_trials=5)
    run = view(study)
    assert run.objectives.names == ("loss", "speed") and run.best is None
    assert run.values_of(run.trials[0]) == tuple(study.trials[0].values)


def test_a_study_without_trials_or_parameters_has_no_history():
    study = optuna.create_study()
    assert view(study).history is None and view(study).trials == ()
    study.add_trial(create_trial(state=TrialState.COMPLETE, value=1.0))
    assert view(study).history is None and view(study).best.number == 0


def test_numbers_lead_from_the_history_to_the_trials():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    slow = study.ask()
    slow.suggest_float("x", 0, 1)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    study.tell(slow, 0.5)
    run = view(study)
    assert run.numbers.tolist() == [1, 2, 0]
    assert [run.by_number[n].values[0] for n in run.numbers] == run.history.y.tolist()


def test_a_study_of_auger_tune_knows_its_workers_errors_and_configurations(tmp_path):
    study = new_study(tmp_path)
    coordinator = Coordinator(study, new_owner())
    coordinator.tell(coordinator.ask("one"), complete(0.5))
    coordinator.tell(coordinator.ask("two"), failed("exit code 1"))
    coordinator.ask("three")
    run = view(study)
    assert (run.name, run.recipe.name, run.is_ours) == ("study", "auto", True)
    assert [trial.state for trial in run.trials] == ["complete", "failed", "running"]
    assert run.trials[1].error == "exit code 1" and run.trials[1].worker.startswith("process ")
    assert [trial.cost for trial in run.trials[1:2]] == [0.5]
    assert len(run.history) == 2 and run.numbers.tolist() == [0, 1]
    assert run.facts["storage"] == str(tmp_path / "study.journal")


def test_a_storage_shows_our_studies_and_those_of_others(tmp_path):
    study = new_study(tmp_path)
    optuna.create_study(storage=study.storage.optuna, study_name="theirs")
    assert stored_view(study.storage, "study").recipe.name == "auto"
    assert stored_view(study.storage, "theirs").name == "theirs" and stored_view(study.storage, "theirs").trials == ()
    with pytest.raises(StudyError, match="There is no study 'other'"):
        stored_view(study.storage, "other")


def test_a_study_names_its_outcome_constraints(tmp_path):
    limits = (OutcomeConstraint("memory_mb", True, 512.0), OutcomeConstraint("recall", False, 0.9))
    objectives = as_objectives({"loss": "minimize"})
    run = view(new_study(tmp_path, objectives=objectives, outcome_constraints=limits))
    assert run.named_constraints == ("memory_mb <= 512", "recall >= 0.9") and run.constraints == ()


def test_constraints_without_a_name_are_counted():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.tell(optimizer.ask(), 1.0, constraints=[1.0, -2.0])
    optimizer.tell(optimizer.ask(), error="crashed")
    run = view(optimizer)
    assert run.constraints == ("constraint 0", "constraint 1")
    np.testing.assert_array_equal(run.limits, [[1.0, -2.0], [np.nan, np.nan]])


def test_a_run_with_several_objectives_is_compared_with_its_first_trial():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions={"loss": "minimize", "speed": "maximize"}, seed=0)
    optimizer.tell(optimizer.ask(), [np.inf, 1.0])
    optimizer.tell(optimizer.ask(), [3.0, 2.0])
    run = view(optimizer)
    assert (run.baseline.number, run.baseline.value) == (1, 3.0)
    assert [run.only(j).baseline.value for j in range(2)] == [3.0, 2.0]


def test_an_infeasible_trial_is_no_baseline():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.tell(optimizer.ask(), 1.0, constraints=[0.5])
    assert view(optimizer).baseline is None
    optimizer.tell(optimizer.ask(), 3.0, constraints=[-1.0])
    assert view(optimizer).baseline == Baseline(1, 3.0, "the first feasible trial")


@pytest.mark.parametrize(
    ("objectives", "headline"),
    [
        ({"loss": "minimize"}, "Use trial 1: its loss is 3. The defaults break a limit."),
        (
            {"loss": "minimize", "size": "minimize"},
            "Use trial 1, which no other beats: loss 3 and size 2. The defaults break a limit.",
        ),
    ],
)
def test_infeasible_defaults_are_not_compared_with(tmp_path, objectives, headline):
    study = new_study(
        tmp_path,
        objectives=as_objectives(objectives),
        outcome_constraints=(OutcomeConstraint("memory_mb", True, 512.0),),
        defaults={"x": 0.5, "kind": "a"},
    )
    coordinator = Coordinator(study, new_owner())
    for i, (value, memory) in enumerate([(1.0, 950.0), (3.0, 500.0)]):
        values = (value, 2.0)[: len(objectives)]
        coordinator.tell(coordinator.ask(str(i)), Outcome(State.COMPLETE, values, constraints=(memory,)))
    run = stored_view(study.storage)
    assert run.baseline is None and run.is_default_infeasible and advice(run).text == headline
    page = report_html(run).partition('<script type="text/plain" id="data">')[0]
    assert "The defaults break a limit." in page and "the defaults" not in page
    status = inside("status", str(tmp_path / "study.journal"), cwd=tmp_path).stdout
    assert "The defaults break a limit." in status and "better than" not in status

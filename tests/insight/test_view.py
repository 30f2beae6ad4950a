import optuna
import pytest
from optuna.trial import TrialState, create_trial
from support.stored_studies import complete, failed, new_study

from auger import AugerError, Optimizer, minimize
from auger.errors import StudyError
from auger.hosts.optuna import AugerSampler
from auger.insight import view
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.view import stored_view


def test_a_result_an_optimizer_and_its_history_look_the_same():
    result = minimize(lambda config: (config["x"] - 0.3) ** 2, {"x": (0.0, 1.0)}, n_trials=12, seed=0)
    seen = view(result)
    assert [row.config for row in seen.rows] == [trial.config for trial in result.trials]
    assert seen.best.number == result.optimizer.best.number
    assert view(result.optimizer).rows == seen.rows == view(result.optimizer.history).rows
    assert view(seen) is seen
    assert {row.model for row in seen.rows[10:]} == {"auto, Gaussian process", "auto, trees"}
    assert {row.model for row in seen.rows[:10]} == {""}


def test_failed_pruned_and_running_trials_have_no_values():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    first, second, third, _ = optimizer.ask(4)
    optimizer.tell(first, error="out of memory")
    optimizer.report(second, 3, 0.6)
    optimizer.tell(second, 0.5, pruned=True)
    optimizer.tell(third, 0.7, constraints=[1.0])
    seen = view(optimizer)
    assert [row.state for row in seen.rows] == ["failed", "pruned", "complete", "running"]
    assert [row.values for row in seen.rows] == [(), (), (0.7,), ()]
    assert seen.rows[0].error == "out of memory" and seen.best is None
    assert seen.rows[1].steps == {3: 0.6}


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
    seen = view(study)
    assert seen.directions == ("maximize",) and not seen.is_ours
    assert seen.best.values == (study.best_value,) and seen.best.config == study.best_params
    assert dict(seen.history.space.parameters["degree"].when) == {"kernel": ["poly"]}
    for decoded, row in zip(seen.history.space.decode(seen.history.X), seen.rows, strict=True):
        assert decoded.pop("C", None) == pytest.approx(row.config.get("C"))
        assert decoded == {name: value for name, value in row.config.items() if name != "C"}
    assert (seen.history.y == [-row.values[0] for row in seen.rows]).all()


def test_choices_that_python_calls_equal_are_told_apart_as_texts():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(lambda trial: float(trial.suggest_categorical("c", [1, True, "1"]) == "1"), n_trials=12)
    assert view(study).history.space.parameters["c"].choices == ("1", "True", "'1'")


def test_a_study_of_our_sampler_knows_its_recipe_and_space():
    sampler = AugerSampler("bore-rf", space={"x": (0.0, 1.0)}, seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    seen = view(study)
    assert seen.recipe.name == "bore-rf" and seen.is_ours
    assert [row.origin for row in seen.rows] == ["initial"] * 3


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")  # names of objectives are, in Optuna
def test_several_objectives_have_no_best_one_and_keep_their_names():
    study = optuna.create_study(directions=["minimize", "maximize"])
    study.set_metric_names(["loss", "speed"])
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), trial.params["x"] ** 2), n_trials=5)
    seen = view(study)
    assert seen.objectives == ("loss", "speed") and seen.best is None
    assert seen.rows[0].values == tuple(study.trials[0].values)


def test_a_study_without_trials_or_parameters_has_no_history():
    study = optuna.create_study()
    assert view(study).history is None and view(study).rows == ()
    study.add_trial(create_trial(state=TrialState.COMPLETE, value=1.0))
    assert view(study).history is None and view(study).best.number == 0


def test_numbers_lead_from_the_history_to_the_trials():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    slow = study.ask()
    slow.suggest_float("x", 0, 1)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    study.tell(slow, 0.5)
    seen = view(study)
    assert seen.numbers.tolist() == [1, 2, 0]
    assert [seen.by_number[n].values[0] for n in seen.numbers] == seen.history.y.tolist()


def test_a_study_of_auger_tune_knows_its_workers_errors_and_configurations(tmp_path):
    study = new_study(tmp_path)
    coordinator = Coordinator(study, new_owner())
    coordinator.tell(coordinator.ask("one"), complete(0.5))
    coordinator.tell(coordinator.ask("two"), failed("exit code 1"))
    coordinator.ask("three")
    seen = view(study)
    assert (seen.name, seen.recipe.name, seen.is_ours) == ("study", "auto", True)
    assert [row.state for row in seen.rows] == ["complete", "failed", "running"]
    assert seen.rows[1].error == "exit code 1" and seen.rows[1].worker.startswith("process ")
    assert [row.seconds for row in seen.rows[1:2]] == [0.5]
    assert len(seen.history) == 2 and seen.numbers.tolist() == [0, 1]
    assert seen.facts["storage"] == str(tmp_path / "study.journal")


def test_a_storage_shows_our_studies_and_those_of_others(tmp_path):
    study = new_study(tmp_path)
    optuna.create_study(storage=study.storage.optuna, study_name="theirs")
    assert stored_view(study.storage, "study").recipe.name == "auto"
    assert stored_view(study.storage, "theirs").name == "theirs" and stored_view(study.storage, "theirs").rows == ()
    with pytest.raises(StudyError, match="There is no study 'other'"):
        stored_view(study.storage, "other")

"""Every cell of docs/which-door.md, run; those of Ray Tune and HpBandSter are in the folders of their tests."""

import json
import time
import warnings
from statistics import mean

import optuna
import pytest
from ConfigSpace import ConfigurationSpace, Constant, ForbiddenEqualsClause
from sklearn.datasets import load_iris
from sklearn.model_selection import RepeatedKFold
from sklearn.svm import SVC
from support.command_line import inside, write_study
from support.which_door import Proofs, cells

from auger import AugerError, Categorical, Float, Optimizer, Space, minimize, minimize_several
from auger.hosts.configspace import from_configspace
from auger.hosts.optuna import AugerPruner, AugerSampler, suggest_config
from auger.hosts.sklearn import AugerSearchCV
from auger.studies.definition import read_study_file

optuna.logging.set_verbosity(optuna.logging.WARNING)

proves = Proofs("Python", "Optuna", "scikit-learn", "ConfigSpace", "study file")
SPACE = {"x": Float(0.0, 1.0), "act": Categorical(["relu", "tanh"])}
RULE = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}, constraints=["x + y <= 1"])


def value_of(config):
    return abs(config["x"] - 0.3) + (config["act"] == "tanh")


def two_values(config):
    return value_of(config), config["x"]


def objective(trial):
    return value_of({"x": trial.suggest_float("x", 0, 1), "act": trial.suggest_categorical("act", ["relu", "tanh"])})


def waiting(*_):
    time.sleep(0.01)
    return 1.0


def study_of(**settings):
    return optuna.create_study(sampler=AugerSampler(seed=0), **settings)


def searched(space=None, **settings):
    """A fitted search with two folds."""
    settings = {"n_iter": 3, "cv": 2, "random_state": 0, **settings}
    search = AugerSearchCV(SVC(), space or {"C": Float(0.1, 10.0, log=True), "kernel": ["rbf", "linear"]}, **settings)
    return search.fit(*load_iris(return_X_y=True))


def definition(tmp_path, study="", command="", space=""):
    """A study file with these lines, as it is read."""
    path = tmp_path / "study.toml"
    path.write_text(
        f'[study]\ntrials = 3\n{study}\n[command]\nrun = ["true", "{{x}}", "{{y}}"]\n{command}\n'
        '[space]\nx = {type = "float", low = 0.0, high = 1.0}\ny = {type = "float", low = 0.0, high = 1.0}\n' + space
    )
    return read_study_file(path)


def front_of(tmp_path, study):
    """The front of a study of three trials with the sizes 1, 0, 0.5, whose memory is 1,000 times that."""
    path = tmp_path / "front.toml"
    path.write_text(
        f"[study]\ntrials = 3\ninitial = [{{ x = 1 }}, {{ x = 0 }}, {{ x = 0.5 }}]\n{study}\n"
        '[command]\nrun = ["echo", "size={x} seconds=-{x} memory_mb={x}e3"]\n'
        '[space]\nx = {type = "float", low = 0, high = 1}\n'
    )
    inside("tune", path, cwd=tmp_path)
    found = json.loads(inside("best", path, "--json", cwd=tmp_path).stdout)
    return [member["number"] for member in found["front"]]


# -- Python ---------------------------------------------------------------------------------------------


@proves("direction", "Python", '`Optimizer(space, direction="maximize")`')
def direction_in_python(tmp_path):
    optimizer = Optimizer(SPACE, direction="maximize", seed=0)
    for value in (1.0, 3.0, 2.0):
        optimizer.tell(optimizer.ask(), value)
    assert optimizer.best.value == 3.0


@proves("time limit", "Python", "`minimize(f, space, timeout=60)`")
def time_limit_in_python(tmp_path):
    assert 1 <= len(minimize(waiting, SPACE, timeout=0.05).trials) < 50


@proves("parallel", "Python", "`minimize(..., n_jobs=4)`; `ask(4)`; threads may share an `Optimizer`")
def parallel_in_python(tmp_path):
    assert len(minimize(waiting, SPACE, n_trials=6, n_jobs=4).trials) == 6
    assert len({trial.number for trial in Optimizer(SPACE).ask(4)}) == 4


@proves(
    "several objectives",
    "Python",
    '`Optimizer(space, directions={"error": "minimize", "speed": "maximize"})`, `front`, `choose(prefer)`; '
    "`minimize_several(...)`",
)
def several_objectives_in_python(tmp_path):
    optimizer = Optimizer(SPACE, directions={"error": "minimize", "speed": "maximize"}, seed=0)
    for values in ((1.0, 3.0), {"error": 0.5, "speed": 2.0}, (1.0, 2.0)):
        optimizer.tell(optimizer.ask(), values)
    assert [trial.number for trial in optimizer.front] == [1, 0]
    assert optimizer.choose("speed >= 2.5, error").number == 0
    result = minimize_several(two_values, SPACE, directions=["minimize", "minimize"], n_trials=8, seed=0)
    assert result.front


@proves("queued", "Python", "`enqueue(config)`; `minimize(..., enqueue=[config])`")
def queued_in_python(tmp_path):
    optimizer = Optimizer(SPACE, seed=0)
    optimizer.enqueue({"x": 0.25})
    assert optimizer.ask().config["x"] == 0.25
    assert minimize(value_of, SPACE, n_trials=2, enqueue=[{"x": 0.5, "act": "tanh"}]).trials[0].config["x"] == 0.5


@proves("fixed", "Python", '`ask(fixed={"act": "relu"})`; `minimize(..., fixed={"act": "relu"})`')
def fixed_in_python(tmp_path):
    optimizer = Optimizer(SPACE, seed=0)
    assert {optimizer.ask(fixed={"act": "relu"}).config["act"] for _ in range(8)} == {"relu"}
    result = minimize(value_of, SPACE, n_trials=12, fixed={"act": "relu"}, seed=0)
    assert {trial.config["act"] for trial in result.trials} == {"relu"}


@proves("pruning", "Python", "`report(trial, step, value)`, `should_prune(trial)`")
def pruning_in_python(tmp_path):
    optimizer, n_pruned = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0), 0
    for _ in range(30):
        trial = optimizer.ask()
        for step in range(1, 10):
            optimizer.report(trial, step, trial.config["x"] + 1 / step)
            if optimizer.should_prune(trial):
                optimizer.tell(trial, pruned=True)
                n_pruned += 1
                break
        else:
            optimizer.tell(trial, trial.config["x"])
    assert n_pruned > 0


@proves("constraints of the space", "Python", '`Space({...}, constraints=["x + y <= 1"])`')
def constraints_in_python(tmp_path):
    optimizer = Optimizer(RULE, seed=0)
    assert all(trial.config["x"] + trial.config["y"] <= 1 for trial in optimizer.ask(20))


@proves("outcome constraints", "Python", "`tell(trial, value, constraints=[...])`")
def outcome_constraints_in_python(tmp_path):
    optimizer = Optimizer(SPACE, seed=0)
    optimizer.tell(optimizer.ask(), 1.0, constraints=[0.5])
    optimizer.tell(optimizer.ask(), 2.0, constraints=[-0.5])
    assert optimizer.best.value == 2.0


@proves("several runs per trial", "Python", "no: return the mean of several calls")
def several_runs_in_python(tmp_path):
    with pytest.raises(TypeError, match="repeats"):
        minimize(value_of, SPACE, n_trials=2, repeats=3)
    optimizer = Optimizer(SPACE)
    with pytest.raises(AugerError, match="one number"):
        optimizer.tell(optimizer.ask(), [1.0, 2.0, 3.0])
    noise = iter([0.1, -0.1, 0.0] * 2)
    result = minimize(lambda config: mean(value_of(config) + next(noise) for _ in range(3)), SPACE, n_trials=2)
    assert all(trial.value == pytest.approx(value_of(trial.config)) for trial in result.trials)


@proves("attributes", "Python", "`tell(trial, value, attributes={...})`, `annotate(trial, {...})`")
def attributes_in_python(tmp_path):
    optimizer = Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    optimizer.annotate(trial, {"host": "a"})
    optimizer.tell(trial, 1.0, attributes={"size": 3})
    assert optimizer.trials[0].attributes == {"host": "a", "size": 3}


@proves("resume", "Python", "`save(path)`, `Optimizer.load(path)`")
def resume_in_python(tmp_path):
    optimizer = Optimizer(SPACE, seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    optimizer.save(tmp_path / "run.json")
    assert Optimizer.load(tmp_path / "run.json").ask().config == optimizer.ask().config


@proves("callbacks", "Python", "`minimize(..., callback=f)`")
def callbacks_in_python(tmp_path):
    numbers = []
    minimize(value_of, SPACE, n_trials=3, callback=lambda trial: numbers.append(trial.number))
    assert numbers == [0, 1, 2]


# -- Optuna ---------------------------------------------------------------------------------------------


@proves("direction", "Optuna", '`create_study(direction="maximize")`')
def direction_in_optuna(tmp_path):
    study = study_of(direction="maximize")
    study.optimize(objective, n_trials=40)
    assert study.best_value > 1.6


@proves("time limit", "Optuna", "`study.optimize(f, timeout=60)`")
def time_limit_in_optuna(tmp_path):
    study = study_of()
    study.optimize(waiting, timeout=0.05)
    assert 1 <= len(study.trials) < 50


@proves("parallel", "Optuna", "`study.optimize(f, n_jobs=4)`; processes on one storage")
def parallel_in_optuna(tmp_path):
    study = study_of()
    study.optimize(objective, n_trials=16, n_jobs=4)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 16


@proves("several objectives", "Optuna", '`create_study(directions=["minimize", "maximize"])`, `best_trials`')
def several_objectives_in_optuna(tmp_path):
    study = study_of(directions=["minimize", "maximize"])
    study.optimize(lambda trial: (objective(trial), trial.params["x"]), n_trials=15)
    assert study.best_trials


@proves("queued", "Optuna", "`study.enqueue_trial(params)`")
def queued_in_optuna(tmp_path):
    study = study_of()
    study.enqueue_trial({"x": 0.25})
    study.optimize(objective, n_trials=2)
    assert study.trials[0].params["x"] == 0.25


@proves("fixed", "Optuna", '`PartialFixedSampler({"act": "relu"}, AugerSampler())`')
def fixed_in_optuna(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.PartialFixedSampler({"act": "relu"}, AugerSampler(seed=0))
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=12)
    assert {trial.params["act"] for trial in study.trials} == {"relu"}


@proves("pruning", "Optuna", "`create_study(pruner=AugerPruner())`, or another pruner")
def pruning_in_optuna(tmp_path):
    def steps(trial):
        x = trial.suggest_float("x", 0, 1)
        for step in range(1, 10):
            trial.report(x + 1 / step, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return x

    study = optuna.create_study(sampler=AugerSampler("tpe", seed=0), pruner=AugerPruner())
    study.optimize(steps, n_trials=30)
    assert optuna.trial.TrialState.PRUNED in {trial.state for trial in study.trials}


@proves("constraints of the space", "Optuna", '`AugerSampler(space=Space({...}, constraints=["x + y <= 1"]))`')
def constraints_in_optuna(tmp_path):
    study = optuna.create_study(sampler=AugerSampler(space=RULE, seed=0))
    study.optimize(lambda trial: sum(suggest_config(trial, RULE).values()), n_trials=15)
    assert all(trial.params["x"] + trial.params["y"] <= 1 for trial in study.trials)


@proves("outcome constraints", "Optuna", "`trial.set_constraint(name, value)`; `AugerSampler(constraints_func=f)`")
def outcome_constraints_in_optuna(tmp_path):
    study = optuna.create_study(sampler=AugerSampler(seed=0, constraints_func=lambda trial: [trial.params["x"] - 0.5]))
    study.optimize(objective, n_trials=6)
    study.sampler = AugerSampler(seed=0)
    study.optimize(lambda trial: objective(trial) + (trial.set_constraint("small", 0.5) or 0), n_trials=2)
    assert all(trial.constraints for trial in study.trials)


@proves("several runs per trial", "Optuna", "no: return the mean of several calls")
def several_runs_in_optuna(tmp_path):
    with pytest.raises(TypeError, match="repeats"):
        AugerSampler(repeats=3)
    study = study_of()
    study.optimize(lambda trial: mean(objective(trial) + noise for noise in (0.1, -0.1)), n_trials=2)
    assert all(trial.value == pytest.approx(value_of(trial.params)) for trial in study.trials)


@proves("attributes", "Optuna", "`trial.set_user_attr(key, value)`")
def attributes_in_optuna(tmp_path):
    study = study_of()
    study.optimize(lambda trial: trial.set_user_attr("size", 3) or objective(trial), n_trials=1)
    assert study.trials[0].user_attrs == {"size": 3}


@proves("resume", "Optuna", "`create_study(storage=..., load_if_exists=True)`")
def resume_in_optuna(tmp_path):
    for n in (2, 4):
        storage = f"sqlite:///{tmp_path}/study.db"
        study = study_of(storage=storage, study_name="s", load_if_exists=True)
        study.optimize(objective, n_trials=2)
        assert len(study.trials) == n


@proves("callbacks", "Optuna", "`study.optimize(f, callbacks=[g])`")
def callbacks_in_optuna(tmp_path):
    study = study_of()
    study.optimize(objective, n_trials=5, callbacks=[lambda study, trial: study.stop()])
    assert len(study.trials) == 1


# -- scikit-learn ---------------------------------------------------------------------------------------


@proves("direction", "scikit-learn", "scores are maximized, as everywhere in scikit-learn")
def direction_in_sklearn(tmp_path):
    search = searched()
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert search.optimizer_.best.value == pytest.approx(search.best_score_)


@proves("time limit", "scikit-learn", "`AugerSearchCV(..., n_iter=None, timeout=60)`")
def time_limit_in_sklearn(tmp_path):
    assert len(searched(n_iter=None, timeout=0.05).cv_results_["params"]) >= 1


@proves("parallel", "scikit-learn", "`AugerSearchCV(..., n_jobs=4)`")
def parallel_in_sklearn(tmp_path):
    assert len(searched(n_jobs=2).cv_results_["params"]) == 3


@proves(
    "several objectives",
    "scikit-learn",
    '`AugerSearchCV(..., target=["accuracy", "fit_time"], refit="accuracy >= 0.9, fit_time")`, `front_`',
)
def several_objectives_in_sklearn(tmp_path):
    search = searched(
        scoring=["accuracy"],
        target=["accuracy", "fit_time"],
        refit="accuracy >= 0.1, fit_time",
        enqueue=[{"C": 1.0, "kernel": "linear"}],
    )
    assert search.best_index_ in search.front_
    with pytest.raises(AugerError, match="`refit` must name the metric"):
        searched(scoring=["accuracy", "f1_macro"], refit=False)


@proves("queued", "scikit-learn", "`AugerSearchCV(..., enqueue=[params])`")
def queued_in_sklearn(tmp_path):
    assert searched(enqueue=[{"C": 2.0, "kernel": "rbf"}]).cv_results_["params"][0] == {"C": 2.0, "kernel": "rbf"}


@proves("fixed", "scikit-learn", 'a list with one choice, `{"kernel": ["rbf"]}`')
def fixed_in_sklearn(tmp_path):
    search = searched({"C": Float(0.1, 10.0), "kernel": ["rbf"]})
    assert {params["kernel"] for params in search.cv_results_["params"]} == {"rbf"}


@proves("pruning", "scikit-learn", "`AugerSearchCV(..., early_stopping=True)`")
def pruning_in_sklearn(tmp_path):
    assert "is_stopped" in searched(early_stopping=True).cv_results_


@proves("constraints of the space", "scikit-learn", '`Space({...}, constraints=["x + y <= 1"])`')
def constraints_in_sklearn(tmp_path):
    space = Space({"C": Float(0.1, 10.0), "gamma": Float(0.1, 10.0)}, constraints=["C + gamma <= 4"])
    assert all(params["C"] + params["gamma"] <= 4 for params in searched(space).cv_results_["params"])


@proves(
    "outcome constraints",
    "scikit-learn",
    'no: scikit-learn refits by scores; limit an objective in `refit`, `"accuracy >= 0.9, fit_time"`',
)
def outcome_constraints_in_sklearn(tmp_path):
    with pytest.raises(TypeError, match="constraints"):
        searched(constraints=lambda params: [0.0])


@proves("several runs per trial", "scikit-learn", "`AugerSearchCV(..., cv=RepeatedKFold(n_repeats=3))`")
def several_runs_in_sklearn(tmp_path):
    results = searched(cv=RepeatedKFold(n_splits=2, n_repeats=3, random_state=0)).cv_results_
    assert "split5_test_score" in results and "split6_test_score" not in results


@proves("attributes", "scikit-learn", "no: `cv_results_` has the columns of scikit-learn")
def attributes_in_sklearn(tmp_path):
    assert {"params", "mean_fit_time", "origin"} <= searched().cv_results_.keys()


@proves("resume", "scikit-learn", "`AugerSearchCV(..., warm_start=True)`, then `fit` again")
def resume_in_sklearn(tmp_path):
    search = searched(warm_start=True)
    assert len(search.fit(*load_iris(return_X_y=True)).cv_results_["params"]) == 6


@proves("callbacks", "scikit-learn", "`AugerSearchCV(..., callback=f)`")
def callbacks_in_sklearn(tmp_path):
    trials = []
    searched(callback=trials.append)
    assert [trial.number for trial in trials] == [0, 1, 2]


# -- ConfigSpace ----------------------------------------------------------------------------------------


def as_in_python(tmp_path):
    optimizer = Optimizer(from_configspace(ConfigurationSpace({"x": (0.0, 1.0)})), seed=0)
    assert 0.0 <= optimizer.ask().config["x"] <= 1.0


for feature, door in cells():
    if door == "ConfigSpace" and feature not in ("fixed", "constraints of the space"):
        proves(feature, door, "as in Python")(as_in_python)


@proves("fixed", "ConfigSpace", '`Constant("act", "relu")`')
def fixed_in_configspace(tmp_path):
    space = ConfigurationSpace({"x": (0.0, 1.0)})
    space.add(Constant("act", "relu"))
    assert Optimizer(from_configspace(space), seed=0).ask().config["act"] == "relu"


@proves("constraints of the space", "ConfigSpace", "forbidden clauses")
def constraints_in_configspace(tmp_path):
    space = ConfigurationSpace({"act": ["relu", "tanh"], "n": (1, 9)})
    space.add(ForbiddenEqualsClause(space["act"], "tanh"))
    assert {trial.config["act"] for trial in Optimizer(from_configspace(space), seed=0).ask(9)} == {"relu"}


# -- study file -----------------------------------------------------------------------------------------


@proves("direction", "study file", '`direction = "maximize"`')
def direction_in_a_study_file(tmp_path):
    assert definition(tmp_path, 'direction = "maximize"').objectives.described() == {"value": "maximize"}


@proves("time limit", "study file", '`time = "1m"`')
def time_limit_in_a_study_file(tmp_path):
    assert definition(tmp_path, 'time = "1m"').time == 60


@proves("parallel", "study file", "`workers = 4`; `auger worker`")
def parallel_in_a_study_file(tmp_path):
    assert definition(tmp_path, "workers = 4").workers == 4


@proves("several objectives", "study file", '`objectives = { size = "minimize", seconds = "minimize" }`')
def several_objectives_in_a_study_file(tmp_path):
    assert front_of(tmp_path, 'objectives = { size = "minimize", seconds = "minimize" }') == [1, 2, 0]


@proves("queued", "study file", "`initial = [{ x = 0.5 }]`, and `[defaults]`")
def queued_in_a_study_file(tmp_path):
    assert definition(tmp_path, "initial = [{ x = 0.5, y = 0.5 }]").initial


@proves("fixed", "study file", "write the value into `run`")
def fixed_in_a_study_file(tmp_path):
    arguments = definition(tmp_path, command='environment = { ACT = "relu" }').command
    assert dict(arguments.environment) == {"ACT": "relu"} and arguments.run[0] == "true"


@proves("pruning", "study file", '`pruner = "auger"`')
def pruning_in_a_study_file(tmp_path):
    assert definition(
        tmp_path, 'pruner = "auger"', space='[report]\nread = "json"\nkey = "loss"\nstep = "epoch"'
    ).pruner


@proves("constraints of the space", "study file", '`constraints = ["x + y <= 1"]`')
def constraints_in_a_study_file(tmp_path):
    assert definition(tmp_path, 'constraints = ["x + y <= 1"]').space.constraints


@proves("outcome constraints", "study file", '`constraints = { memory_mb = "<= 512" }`')
def outcome_constraints_in_a_study_file(tmp_path):
    limit = 'objectives = { size = "minimize", seconds = "minimize" }\nconstraints = { memory_mb = "<= 512" }'
    assert front_of(tmp_path, limit) == [1, 2]


@proves("several runs per trial", "study file", "`repeats = 3`, and `confirm = 5` for the best")
def several_runs_in_a_study_file(tmp_path):
    read = definition(tmp_path, "repeats = 3\nconfirm = 5")
    assert (read.repeats, read.confirm) == (3, 5)


@proves("attributes", "study file", "no: trial folders keep the output")
def attributes_in_a_study_file(tmp_path):
    with pytest.raises(AugerError, match="attributes"):
        definition(tmp_path, 'attributes = ["size"]')


@proves("resume", "study file", "the same command again")
def resume_in_a_study_file(tmp_path):
    path = write_study(tmp_path, trials=3)
    inside("tune", path, cwd=tmp_path)
    path.write_text(path.read_text().replace("trials = 3", "trials = 5"))
    assert inside("tune", path, cwd=tmp_path).exit_code == 0
    assert len(inside("trials", path, "--csv", cwd=tmp_path).stdout.splitlines()) == 1 + 5


@proves("callbacks", "study file", "no: `auger status` and the report show a run")
def callbacks_in_a_study_file(tmp_path):
    with pytest.raises(AugerError, match="callbacks"):
        definition(tmp_path, 'callbacks = ["print"]')


@pytest.mark.parametrize("name", proves.parameters())
def test_a_cell_says_what_happens(name, tmp_path):
    proves.parameters()[name](tmp_path)


def test_the_page_says_what_the_tests_run_and_nothing_else():
    assert proves.said() == proves.expected()

"""The same study behind every door: several objectives, outcome constraints, a conditional space, and crashes.

Behind each door it has as much of them as the door carries, is interrupted in the middle, and must then be what the
`Optimizer` makes of as much. Ray's door is in tests/hosts/ray.
"""

import inspect
import json
import warnings
from dataclasses import replace

import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from sklearn.base import BaseEstimator
from sklearn.exceptions import FitFailedWarning
from support.command_line import inside
from support.several_objectives import (
    DIRECTIONS,
    LIMITS,
    N_STEPS,
    N_TRIALS,
    SPACE,
    Crash,
    Run,
    constraints_of,
    native,
    objectives_of,
    program,
)

from auger import Space
from auger.hosts.configspace import from_configspace, to_configspace
from auger.hosts.optuna import AugerPruner, AugerSampler, report, should_prune, suggest_config
from auger.hosts.sklearn import AugerSearchCV
from auger.outcome_constraints import as_outcome_constraints
from auger.studies.definition import read_study_file
from auger.studies.definition.value_rules import last_reading
from auger.studies.pool.pool import Pool
from auger.studies.storage import open_storage
from auger.studies.study import load_study, open_study
from auger.studies.trial import Outcome
from auger.trial import State
from auger.view import view

optuna.logging.set_verbosity(optuna.logging.CRITICAL)


def in_optuna(folder):
    def objective(trial):
        config = suggest_config(trial, SPACE)
        for step in range(1, N_STEPS + 1):
            printed = program(config, step)
            report(trial, list(objectives_of(printed).values()), step)
            stops = step < N_STEPS and should_prune(trial)
            if stops:
                break
        for name, value in zip(LIMITS, constraints_of(printed), strict=True):
            trial.set_constraint(name, value)
        if stops:
            raise optuna.TrialPruned
        return tuple(objectives_of(printed).values())

    for _ in range(2):
        study = optuna.create_study(
            storage=JournalStorage(JournalFileBackend(f"{folder}/study.journal")),
            study_name="study",
            load_if_exists=True,
            directions=list(DIRECTIONS.values()),
            sampler=AugerSampler(space=SPACE, seed=0),
            pruner=AugerPruner(),
        )
        study.optimize(objective, n_trials=N_TRIALS // 2, catch=Crash)
    shown = view(study)
    assert {trial.number for trial in study.best_trials} == {trial.number for trial in shown.front}
    return Run(
        [trial.params for trial in study.trials],
        [trial.state.value for trial in shown.trials],
        [trial.number for trial in shown.front],
        [dict(zip(DIRECTIONS, study.trials[trial.number].values, strict=True)) for trial in shown.front],
    )


class Model(BaseEstimator):
    """Fits as the program runs."""

    def __init__(self, model=None, depth=None, rate=None, width=None, share=None):
        self.model, self.depth, self.rate, self.width, self.share = model, depth, rate, width, share

    def fit(self, X, y=None):
        config = {name: value for name, value in self.get_params().items() if value is not None}
        self.printed_ = program(config)
        return self


def scores(model, X, y):
    """As scikit-learn likes it: higher is better."""
    return {name: model.printed_[name] * (-1 if DIRECTIONS[name] == "minimize" else 1) for name in DIRECTIONS}


def in_sklearn(folder):
    search = AugerSearchCV(
        Model(),
        SPACE,
        n_iter=N_TRIALS // 2,
        cv=2,
        scoring=scores,
        target=list(DIRECTIONS),
        refit="error",
        batch_size=1,
        random_state=0,
        warm_start=True,
    )
    X, y = np.zeros((4, 1)), np.arange(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        warnings.filterwarnings("ignore", "One or more of the test scores")
        search.fit(X, y).fit(X, y)
    means = {name: search.cv_results_[f"mean_test_{name}"] for name in DIRECTIONS}
    return Run(
        search.cv_results_["params"],
        [trial.state.value for trial in search.optimizer_.trials],
        search.front_.tolist(),
        [
            {name: means[name][i] * (-1 if DIRECTIONS[name] == "minimize" else 1) for name in DIRECTIONS}
            for i in search.front_
        ],
    )


REWRITTEN = from_configspace(to_configspace(SPACE))
REORDERED = Space({name: SPACE.parameters[name] for name in REWRITTEN.names})  # parents first

STUDY_FILE = """
[study]
name = "study"
seed = 0
trials = {trials}
objectives = {{ error = "minimize", speed = "maximize", size = "minimize" }}
constraints = {{ heat = "<= 60", memory_mb = "<= 300" }}
[command]
function = "program:run"
[space]
model = {{ type = "categorical", choices = ["tree", "net"] }}
depth = {{ type = "int", low = 1, high = 12, when = {{ model = "tree" }} }}
rate = {{ type = "float", low = 1e-3, high = 1.0, log = true, when = {{ model = "net" }} }}
width = {{ type = "ordinal", choices = [16, 32, 64, 128, 256], when = {{ model = "net" }} }}
share = {{ type = "float", low = 0.1, high = 1.0 }}
"""


def in_study_file(folder):
    source = inspect.getsource(program)
    constants = f"import zlib\nN_STEPS = {N_STEPS}\nclass Crash(Exception): pass\n"
    (folder / "program.py").write_text(f"{constants}{source}\ndef run(config):\n    return program(config)\n")
    for trials in (N_TRIALS // 2, N_TRIALS):
        (folder / "study.toml").write_text(STUDY_FILE.format(trials=trials))
        result = inside("tune", "study.toml", cwd=folder)
        assert result.exit_code == 0, result.output
    return run_of_study(load_study(open_storage(str(folder / "study.journal"))))


def run_of_study(study):
    shown = view(study)
    return Run(
        [trial.config for trial in shown.trials],
        [trial.state.value for trial in shown.trials],
        [trial.number for trial in shown.front],
        [dict(zip(DIRECTIONS, shown.values_of(trial), strict=True)) for trial in shown.front],
    )


def in_this_process(definition, number, config, *, on_report=None, **_):
    """Runs a trial as `run_trial` does, without a process, which would end before a pruner could say anything."""
    try:
        for step in range(1, N_STEPS + 1):
            line = json.dumps({"step": step, **program(config, step)})
            for row in definition.report.reports(line, definition.objectives.names):
                if on_report(*row) and step < N_STEPS:
                    return Outcome(State.PRUNED)
    except Crash as crash:
        return Outcome(State.FAILED, error=str(crash), exit_code=1)
    numbers = [last_reading(line, rule).raw for rule in definition.rules.values()]
    return Outcome(State.COMPLETE, tuple(map(float, numbers)), exit_code=0)


def in_study_file_with_pruner(folder):
    """One process runs half of the trials, and another goes on from what is stored."""
    text = STUDY_FILE.format(trials=N_TRIALS).replace("seed = 0", 'seed = 0\npruner = "auger"')
    text = "\n".join(line for line in text.splitlines() if not line.startswith("constraints"))
    (folder / "study.toml").write_text(f'{text}\n[report]\nstep = "step"\n')
    for n in (N_TRIALS // 2, N_TRIALS):
        definition = replace(read_study_file(folder / "study.toml"), trials=n)
        study = open_study(definition, open_storage(definition.storage))
        Pool(study, 1, lambda event: None, run=in_this_process).run()
    return run_of_study(study)


# A door: how to run the study behind it, and what it carries of it beside the objectives. A door whose suggestions
# come in another order, as those of several workers do, would compare the rest only.
DOORS = {
    "Optuna": (in_optuna, {}),
    "scikit-learn": (in_sklearn, {"is_limited": False, "is_pruned": False}),
    "study file": (in_study_file, {"is_pruned": False}),
    # what a pruned trial would have come to is not known of what is limited
    "study file with a pruner": (in_study_file_with_pruner, {"is_limited": False}),
    "ConfigSpace": (lambda folder: native(folder, space=REWRITTEN), {"space": REORDERED}),
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the `Optimizer` says, by what a door carries."""
    runs = {}

    def run(**carried):
        key = repr(carried)
        if key not in runs:
            runs[key] = native(tmp_path_factory.mktemp("native"), **carried)
        return runs[key]

    return run


def test_the_study_has_all_that_it_is_about(expected):
    run = expected()
    limits = as_outcome_constraints(LIMITS)
    assert [limit.excess(program({"model": "tree", "depth": 2, "share": 0.5})[limit.name]) for limit in limits] == (
        constraints_of(program({"model": "tree", "depth": 2, "share": 0.5}))
    )
    assert 0.05 * N_TRIALS <= run.n_failed <= 0.35 * N_TRIALS
    assert run.states.count("pruned") >= 2
    assert {config["model"] for config in run.configs} == {"tree", "net"}
    assert len(run.front) >= 3 and all(max(constraints_of(program(run.configs[i]))) <= 0 for i in run.front)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_has_the_same_suggestions_answers_and_front(door, expected, tmp_path):
    study, carried = DOORS[door]
    run, reference = study(tmp_path), expected(**carried)
    assert run.configs == reference.configs
    assert run.states == reference.states and run.n_failed == reference.n_failed
    assert run.front == reference.front
    assert [pytest.approx(values) for values in run.values] == reference.values

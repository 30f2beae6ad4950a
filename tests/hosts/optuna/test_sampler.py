import copy
import inspect
import json
import math
import os
import pickle
import re
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState, create_trial

from auger import Categorical, Float, Int, Optimizer, Ordinal, Recipe, Space, text
from auger.classifiers import KDE
from auger.errors import RecipeError, SpaceError
from auger.hosts.optuna import AugerSampler, distributions, suggest_config
from auger.hosts.optuna.keywords import unknown_keyword
from auger.hosts.optuna.trials import objectives_of, provenance_of
from auger.maximizers import RandomSearch
from auger.view import view

SPACE = Space(
    {
        "width": Ordinal([16, 64, 256], when={"model": "net"}),
        "model": Categorical(["tree", "net"]),
        "depth": Int(1, 9, when={"model": "tree"}),
        "rate": Float(1e-4, 1.0, log=True),
        "pads": Categorical([(1, 2), "[1, 2]", None]),
        "drop": Float(0.0, 0.5, step=0.1),
    },
    constraints=["rate + drop <= 1.2"],
)


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def study_of(sampler=None, **more):
    return optuna.create_study(sampler=sampler or AugerSampler(seed=0), **more)


def loss(config):
    return abs(math.log10(config["rate"]) + 2) + (config["model"] == "tree") * 0.1 * abs(config.get("depth", 0) - 5)


def branches(trial):
    """Three branches, one of them nested; the best is 0, at a forest of depth 7."""
    model = trial.suggest_categorical("model", ["svm", "forest", None])
    if model == "svm":
        value = 1.0 + abs(math.log10(trial.suggest_float("C", 1e-3, 1e3, log=True)))
        if trial.suggest_categorical("kernel", ["rbf", "poly"]) == "poly":
            value += abs(trial.suggest_int("degree", 2, 5) - 3)
        return value
    if model == "forest":
        return abs(trial.suggest_int("depth", 1, 30) - 7) / 10 + (trial.suggest_float("share", 0, 1) - 0.3) ** 2
    return 2.0 + trial.suggest_float("C", 1e-3, 1e3, log=True) / 1e3


def origins(study):
    return [trial.system_attrs.get("auger:origin") for trial in study.trials]


def reasons(study):
    return [text.reason(provenance_of(trial)) for trial in study.trials]


# -- a space that is given ----------------------------------------------------------------------------------


def test_a_given_space_is_searched_exactly_as_by_the_optimizer():
    study, optimizer = study_of(AugerSampler(space=SPACE, seed=3)), Optimizer(SPACE, seed=3)
    for _ in range(16):
        trial, twin = study.ask(), optimizer.ask()
        config = suggest_config(trial, SPACE)
        assert config == twin.config
        study.tell(trial, loss(config))
        optimizer.tell(twin, loss(config))
    assert origins(study) == [trial.origin.value for trial in optimizer.trials]
    assert reasons(study) == [trial.reason for trial in optimizer.trials]


def test_a_given_space_may_be_a_plain_dict():
    study = study_of(AugerSampler(space={"x": (0.0, 1.0)}, seed=0))
    assert study.ask({"x": FloatDistribution(0, 1)}).user_attrs == {}
    assert provenance_of(study.trials[0]).sobol_point == 0


def test_only_active_parameters_are_proposed_from_a_given_space():
    sampler = AugerSampler(space=SPACE, seed=0)
    study = study_of(sampler)
    for _ in range(5):
        proposed = sampler.propose(study, study.trials).params
        trial = study.ask()
        config = suggest_config(trial, SPACE)
        assert proposed == trial.params
        study.tell(trial, loss(config))


def test_a_proposal_can_be_had_without_a_trial():
    sampler = AugerSampler(space=SPACE, seed=0)
    study = study_of(sampler)
    proposal = sampler.propose(study, [])
    assert len(study.trials) == 0
    trial = study.ask()
    suggest_config(trial, SPACE)
    assert trial.params == proposal.params
    assert provenance_of(study.trials[0]) == proposal.provenance


def test_what_a_given_space_does_not_hold_is_drawn_and_says_so():
    study = study_of(AugerSampler(space=SPACE, seed=0))
    trial = study.ask()
    suggest_config(trial, SPACE)
    assert 0 <= trial.suggest_float("more", 0, 1) <= 1
    assert reasons(study)[0].endswith("more: never asked for before, drawn from its range")


def test_what_is_not_active_in_a_given_space_is_drawn_and_says_so():
    space = Space({"on": Categorical([False]), "x": Float(0.0, 1.0, when={"on": True})} | {"on": [False, True]})
    study = study_of(AugerSampler(space=space, seed=0))
    study.enqueue_trial({"on": False})
    trial = study.ask()
    trial.suggest_categorical("on", [False, True])
    assert 0 <= trial.suggest_float("x", 0, 1) <= 1
    assert reasons(study)[0].endswith("x: not active in the declared space, drawn from its range")


# -- a space that is found ----------------------------------------------------------------------------------


def test_a_define_by_run_space_is_found_and_modelled_whole():
    study = study_of()
    study.enqueue_trial({"model": "svm", "kernel": "poly"})
    study.optimize(branches, n_trials=40)
    space = study.sampler._update(study)[0].search_space.space
    assert {name: dict(kind.when) for name, kind in space.parameters.items()} == {
        "C": {"model": [0, 2]},
        "degree": {"kernel": [1]},
        "depth": {"model": [1]},
        "kernel": {"model": [0]},
        "model": {},
        "share": {"model": [1]},
    }
    assert study.best_value < 0.15


def test_nothing_that_was_seen_before_is_drawn_at_random():
    study = study_of()
    study.optimize(branches, n_trials=40)
    drawn = [name for reason in reasons(study) for name in reason.split("; ") if "never asked for before" in name]
    assert len(drawn) == len({name for trial in study.trials for name in trial.params}) > 4  # each once
    assert origins(study)[0] == "random"
    assert set(origins(study)[1:5]) == {"initial"}
    assert set(origins(study)[5:]) == {"model"}


def test_a_parameter_that_depends_on_a_continuous_one_is_proposed_always():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        return (x - 0.7) ** 2 + ((trial.suggest_float("y", 0, 1) - 0.2) ** 2 if x > 0.5 else 1.0)

    study = study_of()
    study.optimize(objective, n_trials=30)
    assert study.sampler._update(study)[0].search_space.space.parameters["y"].when == {}
    assert study.best_value < 1e-3
    assert sum("never asked" in reason for reason in reasons(study)) <= 2


def test_a_branch_that_asks_for_what_was_not_expected_there_is_served_by_the_model():
    def objective(trial, kinds):
        kind = trial.suggest_categorical("kind", ["a", "b", "c"])
        assert kind in kinds
        return 1.0 if kind == "b" else (trial.suggest_float("x", 0, 1) - 0.25) ** 2

    study = study_of()
    for kind in "abababababab":
        study.enqueue_trial({"kind": kind})
    study.optimize(lambda trial: objective(trial, "ab"), n_trials=12)
    assert study.sampler._update(study)[0].search_space.space.parameters["x"].when == {"kind": [0]}
    study.enqueue_trial({"kind": "c"})
    study.optimize(lambda trial: objective(trial, "c"), n_trials=1)
    assert "; x: auto" in reasons(study)[-1]
    assert study.sampler._update(study)[0].search_space.space.parameters["x"].when == {"kind": [0, 2]}


def test_choices_of_every_type_come_back_as_they_are():
    choices = [None, True, "1", 2, 2.5, float("nan")]
    study = study_of()

    def objective(trial):
        choice = trial.suggest_categorical("choice", choices)
        assert any(choice is each for each in choices)
        return choices.index(choice)

    study.optimize(objective, n_trials=14)
    assert len({str(trial.params["choice"]) for trial in study.trials[:6]}) == 6  # each once before any repeats


@pytest.mark.parametrize(
    "recipe",
    [
        "bore-rf",
        "bore-mlp",
        "lfbo-rf",
        "tpe",
        "bore-rf gamma=0.25 calibration=isotonic",
        "bore-mlp gamma=sqrt ensemble=2",
    ],
)
def test_every_recipe_can_be_used(recipe):
    study = study_of(AugerSampler(recipe, seed=0))
    study.optimize(branches, n_trials=14)
    assert recipe in reasons(study)[-1]


def test_options_of_a_recipe_are_those_of_its_parts():
    parts = Recipe("tpe gamma=0.1 n_initial=5", KDE(), RandomSearch(), gamma=0.1, n_initial=5)
    by_text, by_parts, plain = (study_of(AugerSampler(made, seed=0)) for made in (parts.name, parts, "tpe"))
    for study in (by_text, by_parts, plain):
        study.optimize(branches, n_trials=12)
    params = [[trial.params for trial in study.trials] for study in (by_text, by_parts, plain)]
    assert params[0] == params[1] != params[2]
    assert pickle.loads(pickle.dumps(AugerSampler("tpe gamma=sqrt"))).recipe == AugerSampler("tpe gamma=sqrt").recipe


def test_unknown_recipes_and_wrong_seeds_are_refused():
    with pytest.raises(RecipeError, match="Did you mean 'gamma'"):
        AugerSampler("tpe gama=0.1")
    with pytest.raises(RecipeError, match="Did you mean 'bore-rf'"):
        AugerSampler("bore-fr")
    with pytest.raises(ValueError, match="`seed` must be a whole number of at least 0"):
        AugerSampler(seed=-1)


# -- ranges that change -------------------------------------------------------------------------------------


def test_a_range_that_depends_on_another_parameter_is_kept_by_the_model():
    def objective(trial):
        x = trial.suggest_float("x", 1, 10)
        y = trial.suggest_int("y", 0, int(x))
        assert 0 <= y <= x
        return (x - 7.5) ** 2 + (y - 5) ** 2

    study = study_of()
    study.optimize(objective, n_trials=40)
    assert study.best_value < 0.05
    again = [reason for reason in reasons(study)[10:] if "; y:" in reason]
    assert all("y: auto" in reason for reason in again)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("high", [10**8, 10**12])
def test_a_huge_range_that_varies_is_not_listed(high, log):
    study = study_of()
    tracemalloc.start()
    study.optimize(lambda t: t.suggest_int("n", 1, high if t.number % 3 else 5, log=log) + t.number, n_trials=25)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20
    assert all(trial.params["n"] <= 5 for trial in study.trials[::3])


def test_a_range_that_was_narrowed_for_good_is_searched_as_it_is():
    def objective(trial, high):
        x, z = trial.suggest_float("x", 0, high), trial.suggest_float("z", 0, 1)
        return (x - 9) ** 2 + (z - x / 10) ** 2

    study = study_of()
    study.optimize(lambda trial: objective(trial, 10), n_trials=20)
    study.optimize(lambda trial: objective(trial, 5), n_trials=24)
    assert all(trial.params["x"] <= 5 for trial in study.trials[20:])
    assert not any("; x:" in reason for reason in reasons(study)[31:])  # ten have agreed: proposed within it
    best = min(study.trials[20:], key=lambda trial: trial.value)
    assert best.params["x"] > 4.9
    assert abs(best.params["z"] - 0.5) < 0.1


def test_a_range_that_was_widened_is_searched_to_its_new_end():
    study = study_of()
    study.optimize(lambda trial: -trial.suggest_float("x", 0, 10), n_trials=15)
    study.optimize(lambda trial: -trial.suggest_float("x", 0, 20), n_trials=15)
    assert study.best_params["x"] > 19


def test_another_step_moves_values_to_its_grid():
    study = study_of()
    study.optimize(lambda trial: trial.suggest_float("x", 0, 10, step=2.5), n_trials=12)
    study.optimize(lambda trial: abs(trial.suggest_float("x", 0, 12, step=3) - 6), n_trials=12)
    assert all(trial.params["x"] in (0, 3, 6, 9, 12) for trial in study.trials[12:])
    assert study.best_value == 0


# -- enqueued, added, failed, pruned ------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "tried"), [(0, {0, 2}), (4, {1, 3})])
def test_failures_that_are_forgotten_are_tried_again(before, tried):
    """Of four values, 1 and 3 have failed; where that is forgotten, 0 and 2 have succeeded."""
    study = study_of(AugerSampler(seed=0, space={"n": Int(0, 3)}, forget_failures_before=before))
    distribution = {"n": IntDistribution(0, 3)}
    for n in (1, 3):
        study.add_trial(create_trial(state=TrialState.FAIL, params={"n": n}, distributions=distribution))
    for n in (0, 2) if before else ():
        study.add_trial(create_trial(value=float(n), params={"n": n}, distributions=distribution))
    study.optimize(lambda trial: trial.suggest_int("n", 0, 3), n_trials=2)
    assert {trial.params["n"] for trial in study.trials[-2:]} == tried


@pytest.mark.parametrize("before", [-1, 1.5, None])
def test_what_is_forgotten_is_a_whole_number(before):
    with pytest.raises(ValueError, match="`forget_failures_before` must be a whole number of at least 0"):
        AugerSampler(forget_failures_before=before)


def test_the_rest_of_an_enqueued_trial_fits_what_was_given():
    def objective(trial):
        kernel, C = trial.suggest_categorical("kernel", ["rbf", "poly"]), trial.suggest_float("C", 0, 1)
        if kernel == "poly":
            return 1 + abs(trial.suggest_int("degree", 2, 9) - 6) + (C - 0.8) ** 2
        return (C - 0.2) ** 2

    study = study_of()
    study.optimize(objective, n_trials=12)
    for _ in range(12):
        study.enqueue_trial({"kernel": "poly"})
    study.optimize(objective, n_trials=12)
    assert all(trial.params["kernel"] == "poly" for trial in study.trials[12:])
    assert all("C" not in reason.split(": ")[0] for reason in reasons(study)[12:])
    best = min(study.trials[12:], key=lambda trial: trial.value)
    assert best.params["degree"] == 6
    assert abs(best.params["C"] - 0.8) < 0.15


def test_what_is_enqueued_in_full_is_run_as_it_is():
    study = study_of()
    study.enqueue_trial({"x": 0.125})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert study.trials[0].params == {"x": 0.125}
    assert origins(study) == [None]  # not ours


def test_a_given_value_that_breaks_the_spaces_own_constraint_is_run_all_the_same():
    space = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints=["x + y <= 1", "x <= 0.5"])
    study = study_of(AugerSampler(space=space, seed=0))
    study.enqueue_trial({"x": 0.75})
    trial = study.ask()
    assert suggest_config(trial, space)["x"] == 0.75
    assert "no member of the space has the values that are fixed" in reasons(study)[0]


def test_trials_added_from_another_study_are_learned_from_at_once():
    first = study_of(optuna.samplers.RandomSampler(seed=0))
    first.optimize(branches, n_trials=30)
    second = study_of()
    second.add_trials(first.trials)
    second.optimize(branches, n_trials=5)
    assert origins(second)[30:] == ["model"] * 5
    assert min(trial.value for trial in second.trials[30:]) < 0.3


def test_failures_are_learned_from():
    def objective(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        if x > 0.4:
            raise RuntimeError("does not fit in memory")
        return (x - 0.4) ** 2 + (y - 0.5) ** 2

    study = study_of()
    study.optimize(objective, n_trials=40, catch=RuntimeError)
    n_failed = sum(trial.state is TrialState.FAIL for trial in study.trials[20:])
    assert n_failed < 8  # of 20; random search fails 12 times
    assert study.best_value < 0.01


def test_values_that_are_not_a_number_fail_and_teach():
    study = study_of()
    study.optimize(lambda trial: math.nan if trial.suggest_float("x", 0, 1) < 0.8 else trial.params["x"], n_trials=25)
    assert sum(trial.state is TrialState.COMPLETE for trial in study.trials[12:]) > 5


def curve(trial):
    """A learning curve that falls to a floor set by the parameters."""
    lr, wd = trial.suggest_float("lr", 1e-5, 1, log=True), trial.suggest_float("wd", 1e-6, 0.1, log=True)
    floor = 0.05 * (math.log10(lr) + 3) ** 2 + 0.02 * (math.log10(wd) + 4) ** 2
    for step in range(1, 28):
        trial.report(floor + math.exp(-0.3 * step), step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return floor


@pytest.mark.parametrize(
    "pruner",
    [
        optuna.pruners.MedianPruner(),
        optuna.pruners.SuccessiveHalvingPruner(),
        optuna.pruners.HyperbandPruner(1, 27, 3),
        optuna.pruners.HyperbandPruner(),  # its brackets are dealt out anew once it knows how long a trial is
    ],
    ids=["median", "halving", "hyperband", "hyperband-auto"],
)
def test_pruned_trials_are_learned_from(pruner):
    study = study_of(pruner=pruner, study_name="curves")
    study.optimize(curve, n_trials=40)
    states = [trial.state for trial in study.trials]
    assert TrialState.PRUNED in states
    assert study.best_value < 0.02
    assert "from 39 answers" in reasons(study)[-1]  # of every bracket


# -- several workers ----------------------------------------------------------------------------------------


@pytest.fixture(params=["memory", "journal", "sqlite"])
def storage(request, tmp_path):
    if request.param == "memory":
        memory = optuna.storages.InMemoryStorage()
        return lambda: memory
    if request.param == "sqlite":
        return lambda: optuna.storages.RDBStorage(f"sqlite:///{tmp_path}/study.db")
    return lambda: optuna.storages.JournalStorage(JournalFileBackend(str(tmp_path / "study.journal")))


@pytest.mark.parametrize("n_told", [0, 12])
def test_workers_on_one_storage_do_not_propose_the_same(storage, n_told):
    workers = [
        optuna.create_study(storage=storage(), study_name="s", sampler=AugerSampler(seed=7), load_if_exists=True)
        for _ in range(2)
    ]
    kinds = {"n": IntDistribution(1, 4), "m": IntDistribution(1, 6)}
    tried = []
    for number in range(24):
        trial = workers[number % 2].ask(kinds)
        tried.append((trial.params["n"], trial.params["m"]))
        if number < n_told:
            workers[number % 2].tell(trial, float(sum(tried[-1])))
    assert len(set(tried)) == 24  # the whole space: each proposal knew of all that are running


def test_a_proposal_is_known_to_others_before_the_objective_has_asked_for_it(storage):
    mine, other = (
        optuna.create_study(storage=storage(), study_name="s", sampler=AugerSampler(seed=7), load_if_exists=True)
        for _ in range(2)
    )
    kinds = {"choice": optuna.distributions.CategoricalDistribution(["a", None]), "n": IntDistribution(1, 9)}
    mine.tell(mine.ask(kinds), 1.0)
    mine.ask(kinds)  # one is running, and so is
    trial = mine.ask()
    trial.suggest_int("n", 1, 9)  # not the choice yet
    known, running = other.sampler._update(other)
    wanted = known.search_space.encode([trial.relative_params])
    np.testing.assert_array_equal(known.pending(running, 99)[-1:], wanted)


def test_threads_do_not_propose_the_same():
    study = study_of()
    barrier = threading.Barrier(4)

    def objective(trial):
        barrier.wait(timeout=60)  # all four have asked for nothing yet
        value = trial.suggest_int("a", 1, 8) + trial.suggest_int("b", 1, 10)
        barrier.wait(timeout=60)  # and all have now
        return value

    study.tell(study.ask({"a": IntDistribution(1, 8), "b": IntDistribution(1, 10)}), 5.0)
    study.optimize(objective, n_trials=60, n_jobs=4)
    assert len({tuple(sorted(trial.params.items())) for trial in study.trials}) == 61


def test_one_sampler_serves_several_studies():
    sampler = AugerSampler(seed=0)
    first, second = study_of(sampler), study_of(sampler, direction="maximize")
    for study in (first, second, first, second):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1) - 0.5) ** 2, n_trials=10)
    assert first.best_value < 1e-3
    assert second.best_value > 0.24


def test_a_study_that_is_deleted_is_forgotten():
    storage, sampler = optuna.storages.InMemoryStorage(), AugerSampler(seed=0)
    for name in ("x", "y"):
        study = optuna.create_study(storage=storage, study_name="s", sampler=sampler)
        study.optimize(lambda trial, name=name: trial.suggest_float(name, 0, 1), n_trials=3)
        assert list(sampler._update(study)[0].search_space.columns) == [name]
        optuna.delete_study(storage=storage, study_name="s")


# -- the same again -----------------------------------------------------------------------------------------


def trials_of(study):
    return [trial.params for trial in study.trials]


def test_a_resumed_study_goes_on_as_if_it_had_not_stopped(storage):
    whole = study_of(AugerSampler(seed=5))
    whole.optimize(branches, n_trials=18)
    for _ in range(3):
        part = optuna.create_study(storage=storage(), study_name="s", sampler=AugerSampler(seed=5), load_if_exists=True)
        part.optimize(branches, n_trials=6)
    assert trials_of(part) == trials_of(whole)


SCRIPT = """
import optuna
from auger.hosts.optuna import AugerSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)

def objective(trial):
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return trial.suggest_float("x", 0, 1)
    return trial.suggest_int("n", 1, 9) * trial.suggest_float("z", 1e-3, 1, log=True)

study = optuna.create_study(sampler=AugerSampler(seed=11))
study.optimize(objective, n_trials=14)
print([trial.params for trial in study.trials])
"""


def test_the_same_seed_gives_the_same_trials_in_another_process():
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert "'x'" in runs[0]


@pytest.mark.parametrize("twin", [lambda sampler: pickle.loads(pickle.dumps(sampler)), copy.deepcopy])
def test_a_copy_of_a_sampler_proposes_the_same(twin):
    study = study_of(AugerSampler(space=Space({"x": (0.0, 1.0)})))  # with a seed that it drew itself
    kinds = distributions(Space({"x": (0.0, 1.0)}))
    for _ in range(12):
        trial = study.ask(kinds)
        study.tell(trial, trial.params["x"])
    other = optuna.create_study(sampler=twin(study.sampler))
    other.add_trials(study.trials)
    assert other.ask(kinds).params == study.ask(kinds).params


def test_reseeding_keeps_the_seed():
    sampler = AugerSampler(seed=0)
    sampler.reseed_rng()
    study, twin = study_of(sampler), study_of(AugerSampler(seed=0))
    for each in (study, twin):
        each.optimize(branches, n_trials=3)
    assert trials_of(study) == trials_of(twin)


def test_two_seeds_are_two_runs():
    runs = []
    for seed in (1, 2):
        study = study_of(AugerSampler(seed=seed))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        runs.append(trials_of(study))
    assert not any(mine == other for mine, other in zip(*runs, strict=True))


# -- several objectives and constraints ---------------------------------------------------------------------


def tradeoff(trial):
    x = [trial.suggest_float(f"x{i}", 0, 1) for i in range(4)]
    g = 1 + 9 * sum(x[1:]) / 3
    return x[0], -g * (1 - math.sqrt(x[0] / g))


def test_several_objectives_are_pursued_in_their_directions():
    study = study_of(directions=["minimize", "maximize"])
    study.optimize(tradeoff, n_trials=40)
    front = study.best_trials
    assert len(front) >= 8
    assert sum(trial.params["x1"] + trial.params["x2"] + trial.params["x3"] < 0.1 for trial in front) >= 5
    assert np.ptp([trial.values[0] for trial in front]) > 0.5  # spread out


@pytest.mark.parametrize("how", ["function", "objective"])
def test_constraints_are_minded(how):
    def objective(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        if how == "objective":
            trial.set_constraint("sum", 1.2 - x - y)
        return x**2 + y**2

    def constraints(trial):
        return (1.2 - trial.params["x"] - trial.params["y"],)

    bests = []
    for seed in range(3):
        study = study_of(AugerSampler(seed=seed, constraints_func=constraints if how == "function" else None))
        study.optimize(objective, n_trials=40)
        feasible = [trial for trial in study.trials if all(c <= 0 for c in trial.constraints.values())]
        assert all(len(trial.constraints) == 1 for trial in study.trials)
        assert np.mean([trial in feasible for trial in study.trials[20:]]) > 0.3  # the best lies on the border
        bests.append(min(trial.value for trial in feasible))
    assert max(bests) < 0.725  # 0.72 is the best


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_several_objectives_with_constraints_from_both_sides_are_those_of_the_front():
    def objective(trial):
        values = tradeoff(trial)
        trial.set_constraint("first", 0.2 - trial.params["x0"])
        if trial.number % 2:
            trial.set_constraint("second", trial.params["x0"] - 0.8)
        return values

    def function(trial):
        return [trial.params["x1"] - 0.5]

    study = study_of(AugerSampler(seed=0, constraints_func=function), directions=["minimize", "maximize"])
    study.set_metric_names(["first", "second"])
    study.optimize(objective, n_trials=30)
    shown = view(study)
    assert [trial.number for trial in shown.front] == [
        trial.number for trial in sorted(study.best_trials, key=lambda trial: trial.values[0])
    ]
    assert all(trial.params["x0"] >= 0.2 and trial.params["x1"] <= 0.5 for trial in study.best_trials)
    assert shown.objectives.names == ("first", "second") == objectives_of(study).names
    known, _ = study.sampler._histories.find(study)
    assert known.history.constraints.shape[1] == 3 and known.history.objectives == shown.objectives


def test_a_trial_added_with_results_of_others_needs_no_attributes():
    study = study_of()
    study.add_trial(create_trial(params={"x": 0.5}, distributions={"x": FloatDistribution(0, 1)}, value=1.0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    assert origins(study) == [None, "initial", "initial"]


def test_of_many_notes_as_many_are_kept_as_storages_hold():
    study = study_of()
    study.optimize(
        lambda trial: sum(trial.suggest_float(f"a rather long name {i}", 0, 1) for i in range(60)), n_trials=1
    )
    stored = study.trials[0].system_attrs["auger:provenance"]
    assert 1900 < len(json.dumps(stored)) <= 2000
    assert stored["notes"][0].startswith("a rather long name 0: never asked for before")


# -- what the user asked for, and what the sampler is not ---------------------------------------------------


@pytest.mark.parametrize("storage", [None, "sqlite", "journal"])
def test_user_attributes_are_the_users_alone(storage, tmp_path):
    path = tmp_path / "study"
    stored = {
        None: lambda: None,
        "sqlite": lambda: f"sqlite:///{path}.db",
        "journal": lambda: optuna.storages.JournalStorage(JournalFileBackend(f"{path}.journal")),
    }[storage]()
    study = study_of(storage=stored)
    study.optimize(branches, n_trials=12)
    assert all(trial.user_attrs == {} for trial in study.trials)
    assert set(origins(study)) >= {"initial", "model"}
    assert all(isinstance(trial.system_attrs["auger:provenance"], dict) for trial in study.trials)


class Writes(optuna.storages.InMemoryStorage):
    """Counts the attributes of trials that are written, by name."""

    def __init__(self):
        super().__init__()
        self.names = []

    def set_trial_system_attr(self, trial_id, key, value):
        self.names.append(key)
        super().set_trial_system_attr(trial_id, key, value)


def test_an_attribute_is_written_again_only_when_it_has_changed():
    study = study_of(storage=Writes())
    study.optimize(lambda trial: sum(trial.suggest_float(f"x{i}", 0, 1) for i in range(5)), n_trials=3)
    # the first trial draws each parameter for itself, and has one more note each time
    assert study._storage.names.count("auger:origin") == 3
    assert study._storage.names.count("auger:provenance") == 5 + 1 + 1


DECLARED = Space(
    {"x": Float(0, 1), "n": Int(1, 64, log=True), "c": Categorical(["a", "b"]), "s": Float(0, 1, step=0.1)}
)


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("x", lambda trial: trial.suggest_float("x", 0, 2)),
        ("x", lambda trial: trial.suggest_float("x", 0.25, 1)),
        ("x", lambda trial: trial.suggest_float("x", 0, 1, step=0.5)),
        ("x", lambda trial: trial.suggest_int("x", 0, 1)),
        ("x", lambda trial: trial.suggest_float("x", 0.5, 0.5)),
        ("n", lambda trial: trial.suggest_int("n", 1, 64)),
        ("n", lambda trial: trial.suggest_int("n", 1, 65, log=True)),
        ("c", lambda trial: trial.suggest_categorical("c", ["a", "b", "c"])),
        ("c", lambda trial: trial.suggest_categorical("c", ["a"])),
        ("s", lambda trial: trial.suggest_float("s", 0, 1, step=0.2)),
    ],
)
def test_a_range_that_contradicts_the_declared_one_is_an_error_that_names_both(name, ask):
    study = study_of(AugerSampler(space=DECLARED, seed=0))
    with pytest.raises(SpaceError) as caught:
        study.optimize(lambda trial: float(ask(trial) == 0), n_trials=1)
    assert f"parameter {name!r}" in str(caught.value)
    assert repr(DECLARED.parameters[name]) in str(caught.value)
    assert "Distribution(" in str(caught.value)


def test_a_contradiction_is_told_before_anything_is_evaluated():
    study = study_of(AugerSampler(space=DECLARED, seed=0))
    evaluated = []

    def objective(trial):
        evaluated.append(trial.suggest_float("x", 0, 2))
        return 0.0

    with pytest.raises(SpaceError):
        study.optimize(objective, n_trials=1)
    assert evaluated == []


def test_a_contradiction_in_an_enqueued_trial_is_told_too():
    study = study_of(AugerSampler(space=DECLARED, seed=0))
    study.enqueue_trial({"x": 0.5})
    with pytest.raises(SpaceError, match="parameter 'x'"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 2), n_trials=1)


def test_ranges_that_are_the_declared_ones_in_other_words_are_taken():
    study = study_of(AugerSampler(space=DECLARED, seed=0))

    def objective(trial):
        x = trial.suggest_float("x", 0, 0.1 * 3 + 0.7)
        return x + trial.suggest_int("n", 1, 64, log=True) + (trial.suggest_categorical("c", ["b", "a"]) == "a")

    study.optimize(objective, n_trials=15)
    assert origins(study)[-1] == "model"


def test_every_distribution_of_a_space_is_taken_as_declared():
    study = study_of(AugerSampler(space=SPACE, seed=0))
    for _ in range(3):
        trial = study.ask(distributions(SPACE))
        study.tell(trial, 1.0)
    study.optimize(lambda trial: loss(suggest_config(trial, SPACE)), n_trials=12)
    assert len(study.trials) == 15


@pytest.mark.parametrize(
    ("keyword", "hint"),
    [
        ({"n_startup_trials": 5}, 'AugerSampler("auto n_initial=5")'),
        ({"n_startup_trials": 0}, 'AugerSampler("auto n_initial=2")'),
        ({"gamma": 0.25}, 'AugerSampler("auto gamma=0.25")'),
        ({"gamma": lambda n: 3}, 'AugerSampler("auto gamma=0.1")'),
        ({"multivariate": True}, "Leave it out: all parameters are modelled together"),
        ({"constant_liar": True}, "Leave it out: trials that run count as pending"),
        ({"n_ei_candidates": 24}, 'AugerSampler("bore-rf maximizer=local")'),
        ({"sead": 1}, "Did you mean 'seed'?"),
    ],
)
def test_a_keyword_of_another_sampler_gets_a_hint(keyword, hint):
    with pytest.raises(TypeError) as caught:
        AugerSampler(**keyword)
    assert repr(next(iter(keyword))) in str(caught.value) and hint in str(caught.value)


def test_every_keyword_of_optunas_model_based_samplers_has_a_hint_or_is_ours():
    ours = set(inspect.signature(AugerSampler).parameters)
    for sampler in (optuna.samplers.TPESampler, optuna.samplers.GPSampler):
        for name in inspect.signature(sampler).parameters.keys() - ours:
            assert "It has" not in str(unknown_keyword({name: None}, []))


def test_recipes_in_hints_exist():
    for keyword, value in {"n_startup_trials": 0, "gamma": None, "weights": None, "n_ei_candidates": 1}.items():
        hint = str(unknown_keyword({keyword: value}, []))
        AugerSampler(re.search(r'AugerSampler\("(.*?)"', hint)[1], preload=False)


@pytest.mark.filterwarnings("ignore:PartialFixedSampler is experimental")
def test_values_that_a_partial_fixed_sampler_fixes_are_known_to_the_model():
    study = study_of(AugerSampler(seed=0))

    def objective(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        return (x - y) ** 2 + 0.1 * x  # the best y for x = 0.9 is not the best of all

    study.optimize(objective, n_trials=20)
    study.sampler = optuna.samplers.PartialFixedSampler({"x": 0.9}, AugerSampler(seed=0))
    study.optimize(objective, n_trials=16)
    assert all(trial.params["x"] == 0.9 for trial in study.trials[20:])
    assert min(abs(trial.params["y"] - 0.9) for trial in study.trials[20:]) < 0.05

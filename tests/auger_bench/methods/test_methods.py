"""What every method must do, ours or not: propose members, survive failures, repeat itself, leave nothing behind."""

import json
import logging
import math
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import replace
from importlib import metadata

import numpy as np
import pytest

from auger.classifiers import Boosting, Calibrated, Forest
from auger.errors import AugerError, SpaceError
from auger.maximizers import Evolution, RandomSearch
from auger.optimizer import Optimizer
from auger.space import Categorical, Float, Int, Ordinal, Space
from auger_bench.methods import METHODS, Entry, MissingLibraryError, method
from auger_bench.methods.interface import version
from auger_bench.methods.optuna import OptunaMethod
from auger_bench.methods.recipes import ENTRIES as RECIPES
from auger_bench.problems import problem

HERE = [entry.name for entry in METHODS.values() if entry.is_installed]  # some want torch, which is large
OURS = [entry.name for entry in RECIPES]
RIVALS = [name for name in HERE if name not in OURS]
LIBRARIES = [name for name in RIVALS if METHODS[name].modules]
SLOW = ("smac", "gp-ei", "hebo", "ax")
# enough to get past each one's random start: 20 trials for HyperOpt, 10 answers for Optuna, a population of 100
N_EVALS = dict.fromkeys(OURS, 14) | dict.fromkeys(RIVALS, 24) | dict.fromkeys(SLOW, 9) | {"re": 110, "hebo": 16}


def everything():
    """Every kind of parameter and condition: nested, of two parents, under a choice, an integer, an ordinal."""
    return Space(
        {
            "model": Categorical((None, (1, 2), True)),
            "layers": Int(1, 3),
            "width": Int(2, 10, step=4, when={"layers": [2, 3], "model": [None, True]}),
            "size": Ordinal(("small", "medium", "large")),
            "share": Float(0.0, 1.0, step=1 / 3, when={"size": "medium"}),
            "constant": ["only"],
            "single": Ordinal((7,)),
            "count": Int(1, 10**9, log=True),
            "rate": Float(1e-4, 1.0, log=True, when={"model": [None, True]}),
            "shift": Float(-3.0, -1.0),
            "depth": Int(5, 6, when={"width": 2}),
        }
    )


SPACES = {
    "continuous": lambda: Space({"x": Float(-5.0, 10.0), "y": Float(0.0, 15.0)}),
    "one number": lambda: Space({"x": Float(0.0, 1.0)}),
    "choices": lambda: Space({name: ["x", "y", "z"] for name in "abcd"}),
    "tiny": lambda: Space({"a": ["x", "y"], "b": Int(1, 3)}),
    "one member": lambda: Space({"a": ["only"], "b": Ordinal((1,))}),
    "everything": everything,
}


def trace(name, space, *, seed=3, n=None, fails=lambda i: i < 5 or i == 6):
    """The configs that a method asks for; its first five evaluations fail, and one later."""
    n = n or N_EVALS[name]
    made = METHODS[name].make(space, seed, n)
    configs = []
    for i in range(n):
        config = made.ask()
        configs.append(config)
        row = np.nan_to_num(space.encode([config]))
        made.tell(config, math.nan if fails(i) else float(np.abs(row - 0.3).sum()))
    return configs


def check_members(configs, space):
    for config in configs:
        back = space.decode(space.encode([config]))[0]
        assert config == back
        assert [type(config[name]) for name in back] == [type(value) for value in back.values()]


@pytest.mark.parametrize("kind", [kind for kind in SPACES if kind != "everything"])
@pytest.mark.parametrize("name", RIVALS)
def test_every_proposal_is_a_member_of_any_space(name, kind):
    space = SPACES[kind]()
    check_members(trace(name, space), space)


@pytest.mark.parametrize("name", HERE)
def test_proposals_are_members_of_a_space_with_everything_and_repeat_with_the_seed(name):
    space = everything()
    configs = trace(name, space)
    check_members(configs, space)
    assert trace(name, everything()) == configs


@pytest.mark.parametrize("name", [name for name in RIVALS if name not in SLOW])
def test_another_seed_proposes_other_configs(name):
    assert trace(name, everything(), seed=4) != trace(name, everything(), seed=3)


@pytest.mark.parametrize("name", RIVALS)
def test_failures_alone_end_no_method(name):
    space = SPACES["tiny"]()
    check_members(trace(name, space, n=8, fails=lambda i: True), space)


@pytest.mark.parametrize("name", RIVALS)
def test_equal_values_end_no_method(name):
    space = everything()
    n = 6 if name in SLOW else N_EVALS[name]
    made = METHODS[name].make(space, 0, n)
    configs = []
    for _ in range(n):
        configs.append(made.ask())
        made.tell(configs[-1], 1.0)
    check_members(configs, space)


def test_libraries_propose_the_same_in_a_process_with_another_hash_seed():
    code = """
import json, runpy, sys
theirs = runpy.run_path(sys.argv[1])
traces = {name: theirs["trace"](name, theirs["everything"]()) for name in theirs["LIBRARIES"]}
print(json.dumps(traces))
"""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    command = [sys.executable, "-c", code, __file__]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
    )
    here = {name: trace(name, everything()) for name in LIBRARIES}
    assert json.loads(done.stdout) == json.loads(json.dumps(here))


@pytest.mark.parametrize("name", RIVALS)
def test_a_run_leaves_no_files_and_no_global_state_behind(name, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def state():
        root = logging.getLogger()
        drawn = np.random.get_state()  # noqa: NPY002
        return [root.level, list(root.handlers), list(warnings.filters), drawn[1].tolist(), drawn[2:]]

    before = state()
    trace(name, SPACES["continuous"](), n=6)
    assert state() == before
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["cma-es", "gp-ei", "hyperopt-tpe", "optuna-tpe", "smac"])
def test_libraries_without_constraints_refuse_them(name):
    space = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints=["x + y <= 1"])
    with pytest.raises(SpaceError, match=f"The space of method '{name}' must have no constraints. Got 1."):
        METHODS[name].make(space, 0, 10)


@pytest.mark.parametrize("name", ["random", "de", "re"])
def test_ours_keep_to_the_constraints(name):
    space = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints=["x + y <= 1"])
    configs = trace(name, space, n=120)
    assert space.allowed(space.encode(configs)).all()


@pytest.mark.parametrize("make", [everything, SPACES["choices"], SPACES["continuous"]])
def test_optuna_can_be_given_its_first_configs(make):
    space = make()
    first = space.decode(space.sample(6, np.random.default_rng(1)))
    study = OptunaMethod(space, "given", lambda them: them.TPESampler(seed=0), first)
    assert [study.ask() for _ in first] == first


def test_a_batch_is_asked_for_before_any_of_it_is_told():
    space = SPACES["continuous"]()
    batches, auto = METHODS["auto-batch8"].make(space, 1, 24), Optimizer(space, "auto", seed=1)
    for _ in range(3):
        trials = auto.ask(8)
        for trial in trials:
            config = batches.ask()
            assert config == trial.config
            batches.tell(config, config["x"] ** 2 + config["y"])
        for trial in trials:
            auto.tell(trial, trial.config["x"] ** 2 + trial.config["y"])


def test_a_trial_of_a_fleet_is_replaced_as_soon_as_it_is_told():
    space = SPACES["continuous"]()
    fleet, auto = METHODS["auto-fleet8"].make(space, 1, 24), Optimizer(space, "auto", seed=1)
    running = auto.ask(8)
    for _ in range(24):
        config, trial = fleet.ask(), running.pop(0)
        assert config == trial.config
        fleet.tell(config, config["x"] ** 2 + config["y"])
        auto.tell(trial, config["x"] ** 2 + config["y"])
        running.append(auto.ask())


def test_methods_are_listed_by_name_rivals_first():
    rivals = ["random", "de", "re", "cma-es", "hyperopt-tpe", "optuna-tpe", "optuna-nsga2"]
    rivals += ["optuna-nsga3", "optuna-gp", "optuna-gp-auto", "smac", "gp-ei", "turbo", "hebo", "ax", "auto"]
    assert list(METHODS)[: len(rivals)] == rivals
    assert list(METHODS)[-1] == "random-hyperband"
    assert all(name == entry.name for name, entry in METHODS.items())


def test_an_unknown_method_names_the_nearest():
    with pytest.raises(
        AugerError, match="`name` must be a method, or a recipe with options. Got 'smack'. Did you mean 'smac'?"
    ):
        method("smack")


def test_a_missing_library_says_what_installs_it():
    entry = Entry("far", "none", METHODS["random"].make, modules=("no_such_library",), distributions=("no-such",))
    assert not entry.is_installed
    with pytest.raises(
        MissingLibraryError, match="'far' needs 'no-such', which cannot be imported. Install with: pip install"
    ):
        entry.check()


@pytest.mark.parametrize("name", HERE)
def test_versions_are_those_of_installed_distributions(name):
    METHODS[name].check()
    assert set(METHODS[name].versions()) == set(METHODS[name].distributions)


def test_listing_the_methods_imports_none_of_their_libraries():
    code = "import sys, auger_bench.methods; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {module for entry in METHODS.values() for module in entry.modules}
    assert heavy.isdisjoint(done.stdout.split())


@pytest.mark.parametrize(("there", "found"), [({"xgboost": "3.1.0"}, "3.1.0"), ({}, "unknown")])
def test_a_library_by_another_name_or_none_has_a_version_too(monkeypatch, there, found):
    def missing_or(name):
        if name not in there:
            raise metadata.PackageNotFoundError(name)
        return there[name]

    monkeypatch.setattr(metadata, "version", missing_or)
    assert version.__wrapped__("xgboost-cpu") == found


@pytest.mark.parametrize("names", [("random", "de", "re"), ("bore-rf", "bore-mlp", "lfbo-rf", "tpe")])
def test_methods_with_the_same_random_start_begin_alike_at_the_same_seed(names):
    """As docs/benchmarks.md says; the rest share nothing."""
    space = problem("branin").space
    starts = {
        name: method(name).make(space, 3, 9).ask()[space.names[0]] for name in (*names, "cma-es", "optuna-tpe", "auto")
    }
    assert len({starts[name] for name in names}) == 1
    assert len(set(starts.values())) == 4


CLASSIFIERS = {"bore-rf": Forest(), "bore-xgb": Boosting()}


@pytest.mark.parametrize("base", CLASSIFIERS)
def test_the_names_of_the_ablations_say_what_is_different(base):
    """Appendix G: the limits of both maximizers, without repeats and with them, and calibration in both ways."""
    space = SPACES["choices"]()

    def recipe(suffix):
        return method(f"{base}{suffix}").make(space, 0, 14)._optimizer.recipe

    plain = recipe("")
    for limit in (50, 100, 200, 500):
        for suffix, repeats in (("", False), ("-repeats", True)):
            for how, maximizer in (("rs", RandomSearch(limit)), ("de", Evolution(limit))):
                changed = recipe(f"-{how}{limit}{suffix}")
                assert changed == replace(plain, maximizer=maximizer, repeats=repeats)
    for how in ("platt", "isotonic"):
        assert recipe(f"-{how}").classifier == Calibrated(CLASSIFIERS[base], how)
        folds = Calibrated(CLASSIFIERS[base], how, n_folds=2, averages_folds=True)
        assert recipe(f"-{how}-folds").classifier == folds

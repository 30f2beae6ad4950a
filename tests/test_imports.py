"""Which modules a suggestion imports, in a process of its own: a user's clock may run while it does."""

import subprocess
import sys

import pytest

# Every library that a part of a recipe imports.
VARIANTS = ["auto", "tpe", "bore-mlp", "bore-svm ensemble=2", "bore-rf calibration=isotonic", "bore-xgb"]

OPTUNA = """
import optuna
from auger.hosts.optuna import AugerSampler
optuna.logging.set_verbosity(optuna.logging.WARNING)
def objective(trial):
    x, choice = trial.suggest_float("x", 0, 1), trial.suggest_categorical("c", ["a", "b"])
    return x + trial.suggest_int("n", 1, 9) * (choice == "a")
study = optuna.create_study(sampler=AugerSampler({arguments}))
study.optimize(objective, n_trials=1)  # Optuna itself imports something, too
before = set(sys.modules)
study.optimize(objective, n_trials={n_trials})
"""

NATIVE = """
import auger
optimizer = auger.Optimizer(dict(x=(0.0, 1.0), c=["a", "b"], n=(1, 9)), {recipe!r}, seed=0)
before = set(sys.modules)
for _ in range(14):
    trial = optimizer.ask()
    optimizer.tell(trial, trial.config["x"] + trial.config["n"] * (trial.config["c"] == "a"))
"""


def imported(code):
    """The modules of other packages that code imports after it has set `before`."""
    code = f"import sys\n{code}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split() if name.split(".")[0] not in sys.stdlib_module_names]


def test_an_optuna_study_imports_nothing_after_the_sampler_was_made():
    assert imported(OPTUNA.format(arguments="seed=0", n_trials=14)) == []


def test_the_first_suggestions_need_no_model_and_import_nothing():
    assert imported(OPTUNA.format(arguments="seed=0, preload=False", n_trials=4)) == []


@pytest.mark.parametrize("recipe", VARIANTS)
def test_a_native_run_imports_nothing_after_the_optimizer_was_made(recipe):
    assert imported(NATIVE.format(recipe=recipe)) == []


def test_opening_a_study_imports_no_library_of_a_model(tmp_path):
    space = '[space]\nx = { type = "float", low = 0.0, high = 1.0 }\n'
    (tmp_path / "study.toml").write_text(
        f'[study]\nname = "a"\ntrials = 3\n[command]\nrun = ["true", "{{x}}"]\n{space}'
    )
    code = f"""
from auger.cli.studies import find_study
before = set(sys.modules)
find_study({str(tmp_path / "study.toml")!r}, is_new_ok=True)
"""
    libraries = {"scipy", "sklearn", "threadpoolctl"}
    assert libraries.isdisjoint(name.split(".")[0] for name in imported(code))

"""An Optuna study with branches, stopped and resumed: which model, and with which settings, on a bundled data set.

pip install . && python examples/optuna_study.py [study.journal]
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from auger.hosts.optuna import AugerSampler
from auger.insight import why

X, Y = load_wine(return_X_y=True)


def model_of(trial: optuna.Trial) -> Any:
    """Each branch asks for its own settings; the sampler finds out which belong together."""
    if trial.suggest_categorical("model", ["svm", "forest"]) == "forest":
        depth, share = trial.suggest_int("depth", 1, 12), trial.suggest_float("share", 0.1, 1.0)
        return RandomForestClassifier(n_estimators=30, max_depth=depth, max_features=share, random_state=0)
    kernel, C = trial.suggest_categorical("kernel", ["rbf", "poly"]), trial.suggest_float("C", 1e-3, 1e3, log=True)
    if kernel == "poly":
        svm = SVC(kernel="poly", C=C, degree=trial.suggest_int("degree", 2, 5))
    else:
        svm = SVC(kernel="rbf", C=C, gamma=trial.suggest_float("gamma", 1e-4, 1e1, log=True))
    return make_pipeline(StandardScaler(), svm)


def objective(trial: optuna.Trial) -> float:
    """The share of wrong answers in cross-validation."""
    return 1.0 - float(cross_val_score(model_of(trial), X, Y, cv=5).mean())


def main() -> None:
    """Two halves of a study, as if the machine had been switched off in between."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "study.journal")
    for _ in range(2):
        storage = JournalStorage(JournalFileBackend(str(path)))
        study = optuna.create_study(
            study_name="wine", storage=storage, sampler=AugerSampler(seed=0), load_if_exists=True
        )
        study.optimize(objective, n_trials=20)
        print(f"{len(study.trials)} trials, best {study.best_value:.4f} with {study.best_params}")
    print(why(study, study.trials[-1].number).text)


if __name__ == "__main__":
    main()

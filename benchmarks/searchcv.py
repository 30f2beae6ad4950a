"""AugerSearchCV beside scikit-learn's searches: best score in cross-validation, and on data that was held out.

    pip install . && python benchmarks/searchcv.py

A Markdown table on stdout, progress on stderr. All searches get the same space (a list of dicts with distributions of
SciPy), the same folds and the same cost: --iters candidates on all folds or, for successive halving, as many fits on
parts of the data as add up to the same number of rows. One core.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import loguniform, randint, uniform
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import ElasticNet
from sklearn.model_selection import HalvingRandomSearchCV, KFold, RandomizedSearchCV, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, StandardScaler
from sklearn.svm import SVC, SVR

from auger.hosts.sklearn import AugerSearchCV

N_FOLDS = 5


@dataclass(frozen=True)
class Task:
    """A data set, a model and the space of its settings; `n_rows` of the data are used."""

    load: Callable[..., Any]
    model: Any
    space: Any
    scoring: str
    n_rows: int | None = None


def digits() -> Task:
    """Handwritten digits: which scaling, and a support vector machine or neighbors."""
    model = Pipeline([("scale", StandardScaler()), ("clf", SVC())])
    scale = ["passthrough", StandardScaler(), MinMaxScaler()]
    space = [
        {"scale": scale, "clf": [SVC()], "clf__C": loguniform(1e-3, 1e3), "clf__gamma": loguniform(1e-5, 1e1)},
        {"scale": scale, "clf": [KNeighborsClassifier()], "clf__n_neighbors": randint(1, 31), "clf__p": uniform(1, 3)},
    ]
    return Task(load_digits, model, space, "accuracy", 400)


def breast_cancer() -> Task:
    """Histogram boosting, by log loss."""
    model = HistGradientBoostingClassifier(max_iter=15, early_stopping=False, random_state=0)
    space = {
        "learning_rate": loguniform(1e-2, 2.0),
        "max_leaf_nodes": randint(2, 32),
        "min_samples_leaf": randint(1, 60),
        "l2_regularization": loguniform(1e-4, 1e2),
        "max_features": uniform(0.1, 0.9),
    }
    return Task(load_breast_cancer, model, space, "neg_log_loss")


def diabetes() -> Task:
    """A regression: an elastic net or a support vector machine, after one of three scalings."""
    model = Pipeline([("scale", StandardScaler()), ("model", SVR())])
    scale = [StandardScaler(), MinMaxScaler(), PowerTransformer()]
    svr = {"model__gamma": loguniform(1e-4, 1e1), "model__epsilon": loguniform(1e-1, 1e2)}
    space = [
        {"scale": scale, "model": [SVR()], "model__C": loguniform(1e-1, 1e3), **svr},
        {
            "scale": scale,
            "model": [ElasticNet()],
            "model__alpha": loguniform(1e-3, 1e2),
            "model__l1_ratio": uniform(0, 1),
        },
    ]
    return Task(load_diabetes, model, space, "neg_mean_absolute_error")


TASKS: dict[str, Callable[[], Task]] = {"digits": digits, "breast_cancer": breast_cancer, "diabetes": diabetes}


def searches(task: Task, n_iter: int, n_rows: int, seed: int) -> dict[str, Any]:
    """The contestants. Successive halving: three rungs of the same cost, the last on all rows."""
    folds = KFold if task.scoring.startswith("neg_mean") else StratifiedKFold
    common: dict[str, Any] = {"scoring": task.scoring, "cv": folds(N_FOLDS, shuffle=True, random_state=seed)}
    common["random_state"] = seed
    plain = {"n_iter": n_iter, **common}
    halving = {
        "n_candidates": 3 * n_iter,
        "min_resources": n_rows // 9,
        "factor": 3,
        "return_train_score": False,
        **common,
    }
    return {
        "RandomizedSearchCV": RandomizedSearchCV(task.model, task.space, **plain),
        "HalvingRandomSearchCV": HalvingRandomSearchCV(task.model, task.space, **halving),
        "AugerSearchCV": AugerSearchCV(task.model, task.space, **plain),
        "AugerSearchCV, early_stopping": AugerSearchCV(task.model, task.space, early_stopping=True, **plain),
    }


@dataclass(frozen=True)
class Run:
    """One search: its best score, that on held-out data, the rows fitted relative to n_iter x folds, CPU seconds."""

    best: float
    held_out: float
    cost: float
    seconds: float


def run(search: Any, data: tuple[Any, ...], n_iter: int) -> Run:
    """Search on the training rows, score on the others."""
    X, X_test, y, y_test = data
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # solvers that stop before they converge
        search.fit(X, y)
    results = search.cv_results_
    scores = np.array([results[f"split{i}_test_score"] for i in range(N_FOLDS)])
    share = results["n_resources"] / len(y) if "n_resources" in results else 1.0
    cost = float(np.sum(np.isfinite(scores) * share)) / (n_iter * N_FOLDS)
    return Run(search.best_score_, search.score(X_test, y_test), cost, time.process_time() - start)


def report(names: list[str], n_iter: int, n_seeds: int) -> None:
    """Run everything and print the table."""
    print(f"| {n_iter} candidates, {n_seeds} seeds | best score in CV | held-out score | fits | CPU s |")
    print("|---|---:|---:|---:|---:|")
    for name in names:
        task = TASKS[name]()
        runs: dict[str, list[Run]] = {}
        for seed in range(n_seeds):
            X, y = task.load(return_X_y=True)
            rows = np.random.default_rng(seed).permutation(len(y))[: task.n_rows]
            is_classes = not task.scoring.startswith("neg_mean")
            X, y = X[rows], y[rows]
            data = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y if is_classes else None)
            for method, search in searches(task, n_iter, len(data[0]), seed).items():
                runs.setdefault(method, []).append(run(search, tuple(data), n_iter))
                print(name, seed, method, runs[method][-1], file=sys.stderr)
        print(f"| **{name}**, {task.scoring} | | | | |")
        for method, own in runs.items():
            print(f"| {method} | {_row(own, runs['RandomizedSearchCV'])} |")


def _row(runs: list[Run], rival: list[Run]) -> str:
    cells = []
    for key in ("best", "held_out"):
        values = [getattr(run, key) for run in runs]
        ahead = [value - getattr(other, key) for value, other in zip(values, rival, strict=True)]
        error = statistics.stdev(ahead) / len(ahead) ** 0.5 if len(ahead) > 1 else float("nan")
        beside = "" if runs is rival else f" ({statistics.mean(ahead):+.4f} ± {error:.4f})"
        cells.append(f"{statistics.mean(values):.4f}{beside}")
    cells.append(f"{statistics.mean(run.cost for run in runs):.0%}")
    cells.append(f"{statistics.mean(run.seconds for run in runs):.1f}")
    return " | ".join(cells)


def main() -> None:
    """Read the arguments and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS), metavar="TASK")
    parser.add_argument("--iters", type=int, default=30, metavar="N", help="candidates per search")
    parser.add_argument("--seeds", type=int, default=5, metavar="N")
    options = parser.parse_args()
    report(options.tasks, options.iters, options.seeds)


if __name__ == "__main__":
    main()

"""The scikit-learn door: the candidates of `AugerSearchCV`."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from scipy import stats
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from auger import Float, Int, Ordinal
from auger.hosts.sklearn import AugerSearchCV
from versions.exact import Cases, Records, exact

_TREE = {"max_depth": Int(1, 12), "min_samples_split": Int(2, 60, log=True), "criterion": ["gini", "entropy"]}
_SVM = {"C": Float(1e-3, 1e3, log=True), "gamma": stats.loguniform(1e-4, 1.0), "kernel": ["rbf", "poly"]}
_LISTS = [{"kernel": ["rbf"], "gamma": Float(1e-4, 1.0, log=True)}, {"kernel": ["poly"], "degree": Ordinal([2, 3, 4])}]


def sklearn_cases() -> Cases:
    """Searches of every kind."""
    knn = {"n_neighbors": Int(1, 40), "weights": ["uniform", "distance"], "p": stats.randint(1, 4)}
    made: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "tree": (DecisionTreeClassifier(random_state=0), _TREE, {}),
        "distributions": (SVC(), _SVM, {}),
        "list of spaces": (SVC(), _LISTS, {}),
        "bore-rf": (DecisionTreeClassifier(random_state=0), _TREE, {"recipe": "bore-rf"}),
        "batches": (KNeighborsClassifier(), knn, {"batch_size": 4}),
        "early stopping": (DecisionTreeClassifier(random_state=0), _TREE, {"early_stopping": True, "batch_size": 2}),
        "two metrics": (SVC(), _SVM, {"scoring": ["accuracy", "f1_macro"], "refit": "f1_macro"}),
        "failures": (SVC(), {"C": Float(-1.0, 2.0), "gamma": Float(1e-3, 1.0, log=True)}, {}),
        "small space": (KNeighborsClassifier(), {"n_neighbors": [1, 3, 5], "p": [1, 2]}, {}),
    }
    return {name: partial(_search, *parts) for name, parts in made.items()}


def _search(estimator: Any, space: Any, settings: dict[str, Any]) -> Records:
    search = AugerSearchCV(
        estimator, space, n_iter=22, cv=KFold(4, shuffle=True, random_state=0), random_state=30, n_jobs=1, **settings
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(*load_iris(return_X_y=True))
    table = search.cv_results_
    return [
        {"config": exact(params), "origin": str(origin)}
        for params, origin in zip(table["params"], table["origin"], strict=True)
    ]

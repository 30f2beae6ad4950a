"""Tell benign from malignant tumors with a pipeline whose parts are settings, too."""

from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.svm import SVC

SCALERS = {"standard": StandardScaler, "robust": RobustScaler, "none": lambda: "passthrough"}


def error(config: dict[str, Any]) -> float:
    """The share of tumors that are told wrong, by five-fold cross-validation. Inactive settings are not in there."""
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = make_pipeline(SCALERS[config["scaler"]](), _reducer(config), _model(config))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(1 - cross_val_score(pipeline, X, y, cv=folds).mean())


def _reducer(config: dict[str, Any]) -> Any:
    if config["reducer"] == "none":
        return "passthrough"
    return PCA(config["components"]) if config["reducer"] == "pca" else SelectKBest(k=config["components"])


def _model(config: dict[str, Any]) -> Any:
    if config["model"] == "svm":
        settings = {name: config[name] for name in ("C", "kernel", "gamma", "degree") if name in config}
        return SVC(**settings, max_iter=100_000)
    if config["model"] == "neighbors":
        return KNeighborsClassifier(config["neighbors"], weights=config["weights"])
    return RandomForestClassifier(config["trees"], max_features=config["max_features"], random_state=0)

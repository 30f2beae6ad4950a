"""Tune a function on a bundled data set: handwritten digits, three kinds of classifier.

pip install . && python examples/minimize.py
"""

import time
from typing import Any

from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import auger
from auger import Float, Int, Space

SPACE = Space(
    {
        "model": ["svm", "neighbors", "trees"],
        # the settings of a model exist only when it is chosen
        "C": Float(1e-2, 1e3, log=True, when={"model": "svm"}),
        "gamma": Float(1e-4, 1e1, log=True, when={"model": "svm"}),
        "n_neighbors": Int(1, 30, log=True, when={"model": "neighbors"}),
        "p": Float(1.0, 4.0, when={"model": "neighbors"}),
        "max_depth": Int(2, 20, when={"model": "trees"}),
        "max_features": Float(0.02, 1.0, log=True, when={"model": "trees"}),
    }
)
X, y = load_digits(return_X_y=True)
N_TRIALS = 40


def error(config: dict[str, Any]) -> float:
    """Share of digits that are read wrongly, by three-fold cross-validation."""
    settings = {name: value for name, value in config.items() if name != "model"}
    if config["model"] == "svm":
        model = SVC(**settings)
    elif config["model"] == "neighbors":
        model = KNeighborsClassifier(**settings)
    else:
        model = ExtraTreesClassifier(n_estimators=50, random_state=0, **settings)
    return float(1 - cross_val_score(make_pipeline(MinMaxScaler(), model), X, y, cv=3).mean())


def main() -> None:
    """Search, showing each trial as it ends, then the best settings."""
    start, best = time.monotonic(), float("inf")

    def show(trial: auger.Trial) -> None:
        nonlocal best
        value = float("nan") if trial.value is None else trial.value
        mark = "  <- best so far" if value < best else ""
        best = min(best, value)
        settings = ", ".join(f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v}" for k, v in trial.config.items())
        left = (time.monotonic() - start) / (trial.number + 1) * (N_TRIALS - trial.number - 1)
        print(f"{trial.number + 1:3}/{N_TRIALS}  {left:3.0f} s left  error {value:.4f}  {settings}{mark}", flush=True)

    result = auger.minimize(error, SPACE, n_trials=N_TRIALS, seed=0, callback=show)
    defaults = error({"model": "svm"})
    print(f"\nBest settings, found in {time.monotonic() - start:.0f} s:")
    for name, value in result.config.items():
        print(f"  {name} = {value!r}")
    print(f"Error {result.value:.4f}; scikit-learn's default SVC on the same folds: {defaults:.4f}.")


if __name__ == "__main__":
    main()

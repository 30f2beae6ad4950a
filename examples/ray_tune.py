"""Tune a small model with Ray Tune: a searcher like another, with early stopping by ASHA on top.

pip install ".[ray]"; python examples/ray_tune.py
"""

from __future__ import annotations

from typing import Any

from ray import tune
from ray.tune.schedulers import ASHAScheduler
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split

from auger.hosts.ray import AugerSearch

SPACE = {
    "penalty": tune.choice([{"kind": "l2"}, {"kind": "elasticnet", "l1_ratio": tune.uniform(0.0, 1.0)}]),
    "alpha": tune.loguniform(1e-6, 1e-1),
    "eta0": tune.loguniform(1e-3, 1.0),
    "schedule": tune.choice(["constant", "invscaling", "adaptive"]),
}


def train(config: dict[str, Any]) -> None:
    """Report the error on held-out digits after each of nine passes over the data."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16.0, y, random_state=0)
    model = SGDClassifier(
        penalty=config["penalty"]["kind"],
        l1_ratio=config["penalty"].get("l1_ratio", 0.15),
        alpha=config["alpha"],
        learning_rate=config["schedule"],
        eta0=config["eta0"],
        random_state=0,
    )
    for _ in range(9):
        model.partial_fit(X_train, y_train, classes=range(10))
        tune.report({"error": 1.0 - model.score(X_test, y_test)})


def main() -> None:
    """Run 20 trials, two at a time."""
    tuner = tune.Tuner(
        train,
        param_space=SPACE,
        tune_config=tune.TuneConfig(
            search_alg=AugerSearch(seed=0),
            scheduler=ASHAScheduler(max_t=9, grace_period=1),
            metric="error",
            mode="min",
            num_samples=20,
            max_concurrent_trials=2,
            reuse_actors=True,  # a process for each trial takes seconds to start, see docs/ray.md
        ),
    )
    best = tuner.fit().get_best_result()
    print(f"error {best.metrics['error']:.3f} with {best.config}")


if __name__ == "__main__":
    main()

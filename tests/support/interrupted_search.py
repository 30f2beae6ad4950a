"""A search that a test interrupts from outside. Its fourth candidate takes an hour, and its refit as long as asked for.

python interrupted_search.py JOBS SECONDS_OF_REFIT
"""

import signal
import sys
import time

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from auger.hosts.sklearn import AugerSearchCV


class Slow(RegressorMixin, BaseEstimator):
    """Takes ``seconds`` for a fit on a part of the rows, and ``seconds_of_refit`` for one on all of them."""

    def __init__(self, x=0.5, seconds=0.0, seconds_of_refit=0.0):
        self.x = x
        self.seconds = seconds
        self.seconds_of_refit = seconds_of_refit

    def fit(self, X, y):
        time.sleep(self.seconds if len(X) < 20 else self.seconds_of_refit)
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), self.x)


def main(n_jobs, seconds_of_refit):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have turned it off
    rows = np.arange(40.0).reshape(20, 2)
    search = AugerSearchCV(
        Slow(seconds_of_refit=seconds_of_refit),
        {"x": (0.0, 1.0), "seconds": [0.0, 3600.0]},
        n_iter=8,
        cv=2,
        enqueue=[{"seconds": 0.0}] * 3 + [{"seconds": 3600.0}],
        batch_size=1,
        n_jobs=n_jobs,
        callback=lambda trial: print("done", trial.number, flush=True),
        random_state=0,
    )
    try:
        search.fit(rows, rows[:, 0])
    except KeyboardInterrupt:
        print("interrupted")
    print("kept", len(search.cv_results_["params"]), "refitted", hasattr(search, "best_estimator_"))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))

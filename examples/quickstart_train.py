"""Predict how diabetes progresses within a year, and print how far off the predictions are.

A program as it could be without auger: settings come as arguments, the last number it prints is what counts.
"""

import argparse

from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_val_score
from sklearn.svm import SVR


def main() -> None:
    """Train with the settings of the command line, and print the error of five-fold cross-validation."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--epsilon", type=float, default=0.1)
    parser.add_argument("--gamma", type=float, default=1.0, help="a multiple of scikit-learn's default, 'scale'")
    parser.add_argument("--kernel", default="rbf")
    parser.add_argument("--degree", type=int, default=3)
    settings = vars(parser.parse_args())

    X, y = load_diabetes(return_X_y=True)
    settings["gamma"] /= X.shape[1] * X.var()
    folds = KFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(SVR(**settings), X, y, cv=folds, scoring="neg_root_mean_squared_error")
    print("root mean squared error", -scores.mean())


if __name__ == "__main__":
    main()

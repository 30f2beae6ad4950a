"""Train a neural network to read handwritten digits, epoch by epoch, and print how well it does after each."""

import argparse
import json

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

N_EPOCHS = 15


def main() -> None:
    """Print one line of JSON per epoch."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=1e-4)
    parser.add_argument("--solver", default="adam")
    parser.add_argument("--momentum", type=float, default=0.9)
    settings = parser.parse_args()

    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.3, random_state=0, stratify=y)
    network = MLPClassifier(
        hidden_layer_sizes=[settings.width] * settings.layers,
        batch_size=settings.batch,
        learning_rate_init=settings.rate,
        alpha=settings.decay,
        solver=settings.solver,
        momentum=settings.momentum,
        random_state=0,
    )
    for epoch in range(N_EPOCHS):
        network.partial_fit(X_train, y_train, classes=np.unique(y))
        print(json.dumps({"epoch": epoch, "accuracy": network.score(X_test, y_test)}))


if __name__ == "__main__":
    main()

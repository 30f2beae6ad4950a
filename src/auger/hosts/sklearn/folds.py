"""Splits that stay the same for all candidates of a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.metadata_routing import get_routing_for_object


class Folds:
    """A splitter that splits once, and then returns the same folds again.

    Candidates come in batches. A splitter that shuffles without a seed would make new folds for each batch, and the
    search would take the difference between folds for a difference between candidates.
    """

    def __init__(self, cv: Any) -> None:
        self.cv = cv
        self.pairs: list[tuple[Any, Any]] = []

    def split(self, X: Any, y: Any = None, **params: Any) -> list[tuple[Any, Any]]:
        """The pairs of training and test rows."""
        if not self.pairs:
            self.pairs = list(self.cv.split(X, y, **params))
        return self.pairs

    def get_n_splits(self, X: Any = None, y: Any = None, **params: Any) -> int:
        """Always 1: a search with this splitter runs one fold at a time."""
        return 1

    def get_metadata_routing(self) -> Any:
        """The metadata that the wrapped splitter asks for."""
        return get_routing_for_object(self.cv)


class OneFold:
    """One of the folds, as a splitter."""

    def __init__(self, folds: Folds, number: int) -> None:
        self.folds = folds
        self.number = number

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[tuple[Any, Any]]:
        """Its training and test rows."""
        yield self.folds.split(X, y, **params)[self.number]

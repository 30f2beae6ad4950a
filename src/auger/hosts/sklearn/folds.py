"""Splits that stay the same for all candidates of a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import joblib
from sklearn.utils.metadata_routing import get_routing_for_object

from auger.errors import ScoringError

Pairs = list[tuple[Any, Any]]


class Folds:
    """A splitter that splits once, and then returns the same folds again.

    Candidates come in batches. A splitter that shuffles without a seed would make new folds for each batch, and the
    search would take the difference between folds for a difference between candidates.

    Args:
        cv: the splitter.
        is_one_by_one: whether the search runs one fold at a time.
        earlier: the folds of the fit that is continued: the new ones must be the same, or are taken from it.
    """

    def __init__(self, cv: Any, *, is_one_by_one: bool, earlier: KeptFolds | None = None) -> None:
        self.cv = cv
        self.is_one_by_one = is_one_by_one
        self.earlier = earlier
        self.pairs: Pairs = [] if earlier is None else earlier.pairs
        self.n_rows = 0
        self.n_folds = 0

    def split(self, X: Any, y: Any = None, **params: Any) -> Pairs:
        """The pairs of training and test rows."""
        if not self.pairs:
            pairs = list(self.cv.split(X, y, **params))
            if self.earlier is not None and joblib.hash(pairs) != self.earlier.digest:
                raise ScoringError(
                    "The folds must be those of the fit that `warm_start` continues, otherwise its scores cannot be "
                    "compared with new ones. Got others: the data or `cv` changed, or `cv` shuffles without a seed. "
                    "Set `warm_start` before the first fit to keep its folds."
                )
            self.pairs = pairs
        return self.pairs

    def get_n_splits(self, X: Any = None, y: Any = None, **params: Any) -> int:
        """The number of folds that run together: 1 for a search that runs one at a time."""
        self.n_rows = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        if self.earlier is not None and self.n_rows != self.earlier.n_rows:
            raise ScoringError(
                f"The data must be those of the fit that `warm_start` continues, with {self.earlier.n_rows} rows, "
                f"otherwise its scores cannot be compared with new ones. Got {self.n_rows} rows."
            )
        self.n_folds = len(self.pairs) or int(self.cv.get_n_splits(X, y, **params))
        return 1 if self.is_one_by_one else self.n_folds

    def get_metadata_routing(self) -> Any:
        """The metadata that the wrapped splitter asks for."""
        return get_routing_for_object(self.cv)


class KeptFolds:
    """What a search remembers of its folds.

    Attributes:
        n_rows: the number of rows of the data.
        digest: tells other folds from these.
        pairs: the folds themselves, where the search is to be continued; empty otherwise, because they are large.
    """

    def __init__(self, folds: Folds, *, is_whole: bool) -> None:
        self.n_rows = folds.n_rows
        self.digest: str = joblib.hash(folds.pairs)
        self.pairs: Pairs = folds.pairs if is_whole else []


class OneFold:
    """One of the folds, as a splitter."""

    def __init__(self, folds: Folds, number: int) -> None:
        self.folds = folds
        self.number = number

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[tuple[Any, Any]]:
        """Its training and test rows."""
        yield self.folds.split(X, y, **params)[self.number]

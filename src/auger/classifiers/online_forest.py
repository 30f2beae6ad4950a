"""A forest that follows the answers: a tree is grown again only when its rows or their labels have changed.

After each answer one row is new, and at most one old label flips (appendix F of the paper); online forests (Saffari et
al., 2009) use that. Here every tree has a small sample of the rows. Of many rows, few samples hold the new one or the
one that flipped, and all other trees stay: the more answers there are, the less there is to do.

Which rows are in which sample depends on nothing but their content and number. So the forest is a function of the data
alone: it does not matter which answer came first, and a forest that follows is the same as one that is grown at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from auger.checks import check_settings
from auger.classifiers import fingerprints
from auger.classifiers.fingerprints import Marks
from auger.classifiers.forest import Forest, share_of_good, unchecked, view_of_trees
from auger.classifiers.interface import Classifier, Score
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space, Views
from auger.types import Array, Index, Mask

# A bootstrap of many rows holds 1 - 1/e of them, some more than once.
_MOST = 1 - 1 / math.e

# The dice of the trees, for all runs.
_DICE = 2009


@dataclass(frozen=True)
class OnlineForest(Classifier):
    """A forest whose trees learn from samples of the rows, and are kept as long as their samples are the same.

    A sample holds as many rows as a bootstrap, each once, up to ``rows_per_tree``, and at least one of each class. Of
    equal rows it holds all or none. With improvement weights every label changes a little with every answer, and all
    trees are grown again.

    Args:
        forest: the number of trees, and how each is grown.
        rows_per_tree: the size of the samples where there are many rows. The smaller, the fewer trees change with an
            answer.

    Example:
        >>> OnlineForest(Forest(n_trees=50)).forest.n_trees
        50
    """

    forest: Forest = Forest()
    rows_per_tree: int = 256

    is_incremental = True

    def __post_init__(self) -> None:
        if not isinstance(self.forest, Forest):
            raise ClassifierError(f"`forest` of an OnlineForest must be a Forest. Got {self.forest!r}.")
        check_settings(self, ClassifierError, rows_per_tree=2)

    @property
    def libraries(self) -> tuple[str, ...]:
        return self.forest.libraries

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        index, target, weight = labels.rows()
        views = space.views(X)
        marks = fingerprints.of_rows(X)[index]
        examples = fingerprints.of_examples(marks, target, weight)
        earlier = previous if isinstance(previous, _OnlineForestScore) else None
        kept = earlier.trees if earlier and earlier.can_go_on(self, views) else ()
        rows, trees = view_of_trees(views, X)[index], []
        has_gaps = bool(np.isnan(rows).any())
        with unchecked(has_gaps=has_gaps):
            for j, (salt, seed) in enumerate(_dice(self.forest.n_trees)):
                members = _sample(marks, target, salt, self.rows_per_tree)
                content = int(examples[members].sum())  # the same in any order
                if kept and kept[j].content == content:
                    trees.append(kept[j])
                    continue
                tree = self.forest.tree(rows[members], target[members], weight[members], seed=seed, has_gaps=has_gaps)
                trees.append(_Tree(tree, content))
        return _OnlineForestScore(self, tuple(trees), views)


class _Tree(NamedTuple):
    """A tree of scikit-learn's, and a number for the content of the sample that it was grown from."""

    tree: Any
    content: int


@dataclass(frozen=True, eq=False)
class _OnlineForestScore(Score):
    classifier: OnlineForest
    trees: tuple[_Tree, ...]
    views: Views

    def can_go_on(self, classifier: OnlineForest, views: Views) -> bool:
        """Whether this classifier would grow the same trees from samples of the same content."""
        return classifier == self.classifier and views.has_columns_of(self.views)

    def __call__(self, X: Array) -> Array:
        return share_of_good([each.tree for each in self.trees], view_of_trees(self.views, X))


@cache
def _dice(n_trees: int) -> list[tuple[np.uint64, int]]:
    """For each tree a number that draws its sample, and a seed that it is grown from."""
    drawn = np.random.default_rng(_DICE).integers(2**64, dtype=np.uint64, size=(n_trees, 2))
    return [(salt, int(seed) >> 33) for salt, seed in drawn]


def _sample(marks: Marks, target: Mask, salt: np.uint64, size: int) -> Index:
    """The examples in the sample of a tree, in ascending order: those of the lowest numbers, and one of each class.

    Equal rows have equal numbers: all of them are in a sample, or none.
    """
    numbers = fingerprints.mixed(marks ^ salt)
    last = max(min(int(_MOST * len(marks)), size), 1) - 1
    limit = np.partition(numbers, last)[last]
    limits = np.where(target, max(limit, numbers[target].min()), max(limit, numbers[~target].min()))
    return np.flatnonzero(numbers <= limits)

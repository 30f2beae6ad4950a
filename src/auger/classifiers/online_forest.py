"""A forest that follows the answers: a tree is grown again only when its rows or their labels have changed.

After each answer one row is new, and at most one old label flips (appendix F of the paper); online forests (Saffari et
al., 2009) use that. Here every tree has a small sample of the rows. Of many rows, few samples hold the new one or the
one that flipped, and all other trees stay: the more answers there are, the less there is to do.

Which rows are in which sample depends on nothing but their content. So the forest is a function of the data alone: it
does not matter which answer came first, and a forest that follows is the same as one that is grown at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.checks import check_settings
from auger.classifiers import fingerprints
from auger.classifiers.fingerprints import Marks
from auger.classifiers.forest import Forest, share_of_good, unchecked, view_of_trees
from auger.classifiers.interface import Classifier, Score
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space, Views
from auger.types import Array, Mask

# A bootstrap of many rows holds 1 - 1/e of them, some more than once.
_MOST = 1 - 1 / math.e

# The dice of the trees, for all runs.
_DICE = 2009


@dataclass(frozen=True)
class OnlineForest(Classifier):
    """A forest whose trees learn from samples of the rows, and are kept as long as their samples are the same.

    A sample holds as many rows as a bootstrap, each once, up to ``rows_per_tree``; of both classes in proportion. With
    improvement weights every label changes a little with every answer, and all trees are grown again.

    Args:
        forest: the number of trees, and how each is grown.
        rows_per_tree: the largest sample. The smaller, the fewer trees change with an answer.

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
        salts, seeds = _dice(self.forest.n_trees)
        is_member = _samples(marks, target, salts, self.rows_per_tree)
        contents = np.sum(np.where(is_member, examples, np.uint64(0)), axis=1)  # the same in any order
        kept = previous.kept(self, views, contents) if isinstance(previous, _OnlineForestScore) else {}
        rows, trees = view_of_trees(views, X)[index], []
        has_gaps = bool(np.isnan(rows).any())
        with unchecked(has_gaps=has_gaps):
            for j, seed in enumerate(seeds):
                tree = kept.get(j)
                if tree is None:
                    members = np.flatnonzero(is_member[j])
                    members = members[np.argsort(examples[members])]  # whatever the order of the answers
                    tree = self.forest.tree(
                        rows[members], target[members], weight[members], seed=seed, has_gaps=has_gaps
                    )
                trees.append(tree)
        return _OnlineForestScore(self, trees, contents, views)


@dataclass(frozen=True, eq=False)
class _OnlineForestScore(Score):
    """The trees, and what each has learned from.

    Attributes:
        contents: one number for the sample of each tree, shape (n_trees,).
    """

    classifier: OnlineForest
    trees: list[Any]
    contents: Marks
    views: Views

    def kept(self, classifier: OnlineForest, views: Views, contents: Marks) -> dict[int, Any]:
        """The trees that this classifier would grow again from samples of these contents, by their position."""
        if classifier != self.classifier or not views.has_columns_of(self.views):
            return {}
        return {int(j): self.trees[j] for j in np.flatnonzero(contents == self.contents)}

    def __call__(self, X: Array) -> Array:
        return share_of_good(self.trees, view_of_trees(self.views, X))


def _dice(n_trees: int) -> tuple[Marks, list[int]]:
    """For each tree a number that draws its sample, and a seed that it is grown from."""
    rng = np.random.default_rng(_DICE)
    salts, seeds = rng.integers(2**64, dtype=np.uint64, size=(n_trees, 2)).T
    return salts, (seeds >> np.uint64(33)).tolist()


def _samples(marks: Marks, target: Mask, salts: Marks, size: int) -> Mask:
    """Which examples are in the sample of which tree, shape (n_trees, n): of each class those of the lowest numbers.

    Equal rows have equal numbers: all of them are in a sample, or none.
    """
    numbers = fingerprints.mixed(marks ^ salts[:, np.newaxis])
    share = min(_MOST, size / len(marks))
    is_member = np.zeros(numbers.shape, dtype=bool)
    for columns in (np.flatnonzero(target), np.flatnonzero(~target)):
        own = numbers[:, columns]
        last = max(math.ceil(share * len(columns) - 1e-9), 1) - 1
        is_member[:, columns] = own <= np.partition(own, last, axis=1)[:, [last]]
    return is_member

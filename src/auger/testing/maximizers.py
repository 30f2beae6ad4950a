"""What every maximizer must do, as a list of checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from auger.classifiers.interface import Score
from auger.history import History
from auger.maximizers.interface import Maximizer, Proposal
from auger.space import Categorical, Space, Views
from auger.testing.cases import choice_space, history_of, mixed_space, numeric_space, spaces, target, tiny_space
from auger.types import Array

Check = Callable[[Maximizer], None]


def maximizer_checks() -> list[Check]:
    """The checks; each takes a maximizer and raises an AssertionError where it falls short."""
    return [
        proposes_members_of_the_space,
        beats_a_random_member,
        is_a_function_of_its_arguments_and_the_generator,
        never_repeats_while_something_is_left,
        avoids_what_is_pending,
        says_when_the_space_is_exhausted,
        breaks_ties_at_random,
        takes_a_space_of_one_configuration,
        works_before_anything_was_tried,
        scores_rows_that_are_members_only,
    ]


def check_maximizer(maximizer: Maximizer) -> None:
    """Run every check on one maximizer."""
    for check in maximizer_checks():
        check(maximizer)


@dataclass(frozen=True)
class _OnSpace(Score):
    """A score that is known for all rows of a space."""

    space: Space

    @property
    def views(self) -> Views:  # type: ignore[override]  # of scores that learn, it is a field
        return self.space.views(np.empty((0, len(self.space))))


class Peak(_OnSpace):
    """A score whose highest point is known: the negative of `auger.testing.cases.target`, with its gradient."""

    def __call__(self, X: Array) -> Array:
        return -target(X, self.space)

    def ascent(self, X: Array) -> tuple[Array, Array]:
        slope = np.where(self.space.is_ordered & ~np.isnan(X), -np.sign(X - 0.3), 0.0)
        return -target(X, self.space), slope

    def mean_shift(self, V: Array) -> Array:
        code = self.views.one_hot_code
        return np.tile(np.where(np.isnan(code), 0.3, code == 0.0), (len(V), 1))


class Flat(_OnSpace):
    """The same score everywhere."""

    def __call__(self, X: Array) -> Array:
        return np.zeros(len(X))

    def ascent(self, X: Array) -> tuple[Array, Array]:
        return np.zeros(len(X)), np.zeros(X.shape)

    def mean_shift(self, V: Array) -> Array:
        return V


class Picky(Peak):
    """A Peak that refuses rows which are not members. Only `ascent` and steps may see rows between the values."""

    def __call__(self, X: Array) -> Array:
        np.testing.assert_array_equal(self.space.encode(self.space.decode(X)), X)
        assert self.space.allowed(X).all(), "only allowed rows may be scored."
        return super().__call__(X)


def _history(space: Space, n: int, seed: int = 0) -> History:
    X = space.sample(n, np.random.default_rng(seed))
    return history_of(space, X, target(X, space))


def _run(maximizer: Maximizer, score: Score, space: Space, history: History, seed: int = 0) -> Proposal:
    n_before = len(history)
    proposal = maximizer.maximize(score, space, history, rng=np.random.default_rng(seed))
    assert isinstance(proposal, Proposal), f"maximize must return a Proposal. Got {proposal!r}."
    assert proposal.row.shape == (len(space),), f"the row must have shape ({len(space)},). Got {proposal.row.shape}."
    assert len(history) == n_before, "the history must not be changed."
    return proposal


def proposes_members_of_the_space(maximizer: Maximizer) -> None:
    """The row decodes to a config that encodes to the same row, and satisfies the constraints."""
    for space in spaces():
        history = _history(space, 12)
        for seed in range(5):
            row = _run(maximizer, Peak(space), space, history, seed).row[np.newaxis]
            np.testing.assert_array_equal(space.encode(space.decode(row)), row)
            assert space.allowed(row).all(), f"{space.decode(row)[0]} breaks a constraint."


def beats_a_random_member(maximizer: Maximizer) -> None:
    """The score of the proposal is above that of nine in ten random members, and is the score of its row."""
    for space in spaces():
        score, history = Peak(space), _history(space, 12)
        usual = np.quantile(score(space.sample(1000, np.random.default_rng(1))), 0.9)
        for seed in range(5):
            proposal = _run(maximizer, score, space, history, seed)
            assert proposal.score >= usual, (
                f"the score must be above {usual:.3g}. Got {proposal.score:.3g} on {space!r}."
            )
            np.testing.assert_allclose(proposal.score, score(proposal.row[np.newaxis])[0])


def is_a_function_of_its_arguments_and_the_generator(maximizer: Maximizer) -> None:
    """The same generator gives the same row."""
    space = mixed_space()
    history = _history(space, 12)
    first = _run(maximizer, Peak(space), space, history, seed=3).row
    np.testing.assert_array_equal(first, _run(maximizer, Peak(space), space, history, seed=3).row)


def never_repeats_while_something_is_left(maximizer: Maximizer) -> None:
    """Filling a small finite space takes exactly as many proposals as it has configurations."""
    for space in (tiny_space(), choice_space()):
        history = History(space)
        for seed in range(int(space.cardinality)):
            row = _run(maximizer, Peak(space), space, history, seed).row
            assert not history.contains(row[np.newaxis])[0], f"proposal {seed} was tried before."
            history.finish(history.start(space.decode(row[np.newaxis])[0], row=row).number, value=float(seed))


def avoids_what_is_pending(maximizer: Maximizer) -> None:
    """A running trial is not proposed again, as a finished one is not."""
    space = tiny_space()
    history = History(space)
    for config in space.decode(space.enumerate())[:-1]:
        history.start(config)
    row = _run(maximizer, Peak(space), space, history).row
    np.testing.assert_array_equal(row, space.enumerate()[-1])


def says_when_the_space_is_exhausted(maximizer: Maximizer) -> None:
    """With everything tried there is still a proposal, and a note that says it is a repeat."""
    space = tiny_space()
    X = space.enumerate()
    proposal = _run(maximizer, Peak(space), space, history_of(space, X, target(X, space)))
    assert "exhausted" in proposal.note, f"the note must say that the space is exhausted. Got {proposal.note!r}."


def breaks_ties_at_random(maximizer: Maximizer) -> None:
    """A flat score does not always lead to the same row."""
    space = numeric_space()
    history = _history(space, 5)
    rows = {_run(maximizer, Flat(space), space, history, seed).row.tobytes() for seed in range(10)}
    assert len(rows) > 1, "ten generators must not all give the same row on a flat score."


def takes_a_space_of_one_configuration(maximizer: Maximizer) -> None:
    """There is only one thing to propose."""
    space = Space({"only": Categorical(("this",))})
    np.testing.assert_array_equal(_run(maximizer, Flat(space), space, History(space)).row, [0.0])


def works_before_anything_was_tried(maximizer: Maximizer) -> None:
    """There is a proposal with an empty history."""
    for space in spaces():
        assert space.allowed(_run(maximizer, Peak(space), space, History(space)).row[np.newaxis]).all()


def scores_rows_that_are_members_only(maximizer: Maximizer) -> None:
    """The score is never asked about a relaxation: choices are codes, integers are integers."""
    for space in spaces():
        _run(maximizer, Picky(space), space, _history(space, 12))

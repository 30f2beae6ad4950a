"""One suggestion, from the history to the next configuration: the only module that takes all steps.

    values -> labels -> classifier -> score -> maximizer -> a new member of the space

`suggest` is a plain function of the seed, the trial's number and the history. Hosts that keep the history
themselves call it directly; `Optimizer` is a thin shell around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from auger import text
from auger.classifiers import Score
from auger.curves import final_losses, values_of
from auger.history import History
from auger.labels import Labels, label
from auger.maximizers.pool import unseen
from auger.provenance import Origin, Provenance
from auger.recipes import Recipe, Turns, as_recipe
from auger.second_chance import second_chance
from auger.space import Space
from auger.threads import one_thread
from auger.trial import State
from auger.types import Array, Index

# Streams of random numbers that belong to the run, not to a trial: [seed, stream, ...].
# A trial's own stream is [seed, 0, number].
_TRIAL, _DESIGN, _CHAIN = range(3)


# The predicted losses of pruned trials; None where nothing is predicted.
_Predicted = Callable[[], Array | None]


@dataclass(frozen=True)
class Suggestion:
    """What to try next, and why.

    Attributes:
        row: shape (d,), the encoded configuration.
        provenance: which model and score, or why no model was asked.
    """

    row: Array
    provenance: Provenance

    @property
    def origin(self) -> Origin:
        """Who proposes it: the initial design, a model, or chance."""
        return self.provenance.origin

    @property
    def reason(self) -> str:
        """Why, in words."""
        return text.reason(self.provenance)


@dataclass
class Memory:
    """Saves classifiers from repeating earlier fits. Without it, a suggestion is the same and takes longer.

    Attributes:
        chain: of a warm classifier: how many groups of answers were fitted, and the last score. Replaced as a whole, so
            that an interrupt leaves it consistent.
        last: the last score of an incremental classifier.
    """

    chain: tuple[int, Score | None] = (0, None)
    last: Score | None = None


def suggest(
    history: History,
    recipe: str | Recipe | Turns,
    *,
    seed: int,
    number: int | None = None,
    space: Space | None = None,
    within: tuple[Array, Array] | None = None,
    memory: Memory | None = None,
) -> Suggestion:
    """Propose the configuration of the next trial.

    Args:
        history: the trials so far; running trials count as pending and are learned as not good.
        recipe: a Recipe, Turns, or the name of a recipe, with options if wanted.
        seed: of the whole run. Same seed, number and history (trials, and the order of their answers): same
            suggestion, in any process.
        number: of the new trial, where a host numbers the trials of many workers; no two numbers draw from the same
            random stream, or get the same point of the initial design. None: the trial is the next of the history.
        space: to propose from, instead of the space of the history: the same columns with other conditions.
        within: limits of the encoded columns that this suggestion must keep, see `Space.within`. Once there are
            enough answers within them, only those are learned from: the better ones outside are out of reach.
        memory: the run's memory of warm fits; without it they are repeated.

    Returns:
        A member of the space (within the limits) that was neither evaluated nor is pending, as long as there is one;
        any member from a model whose recipe allows repeats.
    """
    space = history.space if space is None else space
    limited = space if within is None else space.within(*within)
    n_answers = len(history.finished)
    stream = len(history) if number is None else number
    whole = as_recipe(recipe)
    recipe = whole.at(stream, n_answers)
    rng, fit_rng = np.random.default_rng([seed, _TRIAL, stream]).spawn(2)
    if n_answers < recipe.n_initial:
        point = sum(trial.origin is Origin.INITIAL for trial in history) if number is None else number
        return _initial(limited, history, recipe, [seed, _DESIGN], point, rng)
    if np.isnan(history.y).all():
        return _random(limited, history, rng, Provenance(Origin.RANDOM, n_answers=n_answers))
    if within is None and whole.second_chance and stream % whole.second_chance == 0:
        chance = second_chance(history, space, rng)
        if chance is not None:
            return Suggestion(chance.row, Provenance(Origin.RANDOM, notes=(chance.note,)))
    rows = _within(history, within, recipe.n_initial)
    predicted = cache(lambda: final_losses(history, rows))  # two models may ask for them
    with one_thread():
        recipe = _skilled(whole, recipe, history, space, rows, predicted)
        score = _fit(history, space, rows, recipe, seed, fit_rng, memory, predicted)
        tried = history.allowing_repeats() if recipe.repeats else history
        proposal = recipe.maximizer.maximize(score, limited, tried, rng=rng)
    notes = tuple(note for note in (score.note, proposal.note) if note)
    return Suggestion(proposal.row, Provenance(Origin.MODEL, recipe.name, proposal.score, n_answers, notes=notes))


def _initial(
    space: Space,
    history: History,
    recipe: Recipe,
    seed: list[int],
    point: int,
    rng: np.random.Generator,
) -> Suggestion:
    provenance = Provenance(Origin.INITIAL, n_answers=len(history.finished), n_initial=recipe.n_initial)
    if recipe.initial == "sobol":
        row = space.sobol(1, seed=seed, skip=point)
        if not history.contains(row)[0]:
            return Suggestion(row[0], replace(provenance, sobol_point=point))
    return _random(space, history, rng, provenance)


def _random(space: Space, history: History, rng: np.random.Generator, provenance: Provenance) -> Suggestion:
    row = space.sample(1, rng)
    if not history.contains(row)[0]:
        return Suggestion(row[0], provenance)
    rows, note = unseen(space, history, rng=rng)
    return Suggestion(rows[rng.integers(len(rows))], replace(provenance, notes=(note,) if note else ()))


def _within(history: History, limits: tuple[Array, Array] | None, n_least: int) -> Index | None:
    """Numbers of the trials that keep the limits; None for all, and where fewer than ``n_least`` have a value."""
    if limits is None:
        return None
    X, (bottom, top) = history.X, limits
    rows = np.flatnonzero(~((bottom > X) | (top < X)).any(axis=1))  # NaN is neither
    return rows if np.count_nonzero(~np.isnan(history.y[rows])) >= n_least else None


def _skilled(
    whole: Recipe | Turns, recipe: Recipe, history: History, space: Space, rows: Index | None, predicted: _Predicted
) -> Recipe:
    """The recipe whose turn it is, or the first of Turns while its classifier predicts well enough.

    In a finite space turns stay as they are: nothing was gained there.
    """
    if not isinstance(whole, Turns) or whole.skill is None or recipe is whole.recipes[0] or space.is_finite:
        return recipe
    first = whole.recipes[0]
    X = history.X if rows is None else history.X[rows]
    skill = first.classifier.skill(X, _labels(history, first, rows, predicted()), space=space)
    return first if skill >= whole.skill else recipe


def _fit(
    history: History,
    space: Space,
    rows: Index | None,
    recipe: Recipe,
    seed: int,
    rng: np.random.Generator,
    memory: Memory | None,
    predicted: _Predicted,
) -> Score:
    memory = memory or Memory()
    previous = memory.last if recipe.classifier.is_incremental else None
    if recipe.classifier.is_warm:
        previous = _follow(history, space, recipe, seed, memory)
        if previous is not None and not history.has_state(State.RUNNING).any():
            return previous  # fitted to all answers, and nothing is pending
    X = history.X if rows is None else history.X[rows]
    labels = _labels(history, recipe, rows, predicted())
    score = recipe.classifier.fit(X, labels, space=space, rng=rng, previous=previous)
    if recipe.classifier.is_incremental:
        memory.last = score
    return score


def _labels(history: History, recipe: Recipe, among: Index | None, losses: Array | None) -> Labels:
    """The labels of trials, given the predicted losses of those that were pruned, see `auger.curves.final_losses`."""
    values = None if losses is None else values_of(history, losses, among)
    return label(
        history, gamma=recipe.gamma, weights=recipe.weights, among=among, final_values=values, final_losses=losses
    )


def _labels_then(history: History, recipe: Recipe, among: Index) -> Labels:
    """The labels of some trials when there were no others. Later trials change ranks of several objectives."""
    if len(history.objectives) == 1:
        return _labels(history, recipe, among, final_losses(history, among))
    part = history.restricted_to(among)
    return _labels(part, recipe, None, final_losses(part))


def _follow(history: History, space: Space, recipe: Recipe, seed: int, memory: Memory) -> Score | None:
    """Fit a warm classifier once for every answer that came, each time from the fit before (section 3.2).

    The chain of fits depends on the order of the answers only, so a resumed run arrives at the same weights.
    """
    n_links, score = memory.chain
    for n_answers in history.marks[n_links:]:
        among = history.seen_by(n_answers)
        if n_answers >= recipe.n_initial and not np.isnan(history.y[among]).all():
            labels = _labels_then(history, recipe, among)
            rng = np.random.default_rng([seed, _CHAIN, n_answers])
            score = recipe.classifier.fit(history.X[among], labels, space=space, rng=rng, previous=score)
        n_links += 1
        memory.chain = (n_links, score)
    return score

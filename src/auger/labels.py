"""Which observations count as good.

y (n,)         values, to be minimized
gamma          the share of good values, in (0, 1)
tau            the threshold between good and rest, the gamma-quantile of y (Algorithm 1 of the paper)
z (n,)         True where good: z = [y <= tau]

Rank first, then cut. Trials rank by kind, then by value:

    complete and feasible, by value
    pruned, by the last value
    complete but infeasible, by the size of the violation
    failed, and any whose value is NaN or infinite, whatever the sign
    running (pending)

A pruned trial with a predicted final value (see `auger.curves.final_values`) counts as complete with that value, but
never as better than the best complete trial. While no trial is complete, the predictions order the pruned trials among
themselves, ahead of those without a prediction.

Of m answers, the best ceil(gamma * m) are good, though never one of the last two kinds: where most trials fail, all
others are good, and the classifier first learns what does not fail. Ties are broken by age, earlier first, so the
number of good trials is exact, and each class always has a member. An answer moves ranks by at most one, so with a
fixed gamma at most one old label flips (appendix F); unless trials were pruned, whose predicted final values may change
with every answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from auger.errors import RecipeError
from auger.history import History, lowest
from auger.pareto import boxes, front
from auger.trial import State
from auger.types import Array, Index, Mask

Gamma = float | Callable[[int], float]
Weights = str | Callable[[Array, float], Array]

# A good observation that only ties with the threshold keeps this share of the largest weight: at zero the
# class would be empty when all good values tie.
_SMALLEST_WEIGHT = 1e-5

# Volumes end a tenth of the width beyond the worst losses. The front of the rest is that of the best so many of them,
# and of up to so many members, by the number of objectives.
_END = 1.1
_MOST_MEMBERS = {2: 1024, 3: 128, 4: 64}
_MOST_BEHIND = 1024


class Kind(IntEnum):
    """Kinds of trial, best first."""

    FEASIBLE = 0  # complete, with a finite value; or pruned, with a predicted final value
    PRUNED = 1
    INFEASIBLE = 2
    UNRANKED = 3  # failed, or the value is NaN or infinite
    PENDING = 4


@dataclass(frozen=True)
class Labels:
    """What a classifier learns to predict.

    Attributes:
        z: shape (n,), True where good. At least one of each.
        y: shape (n,), the values that were ranked; NaN for none. A pruned trial that counts as complete has
            its predicted final value.
        tau: the threshold, halfway between the worst good value and the best of the rest, so that each good
            value improves on it.
        positive: shape (n,), how much each row counts as an example of good.
        negative: shape (n,), how much it counts as an example of the rest.
        kind: shape (n,), the `Kind` of each trial; None for labels without a history (see `kinds`).
        losses: shape (n, k), the minimized values of several objectives, or of one with outcome constraints; NaN in
            the whole row of a trial without them. None for one objective without constraints, which `y` says all of.
        constraints: shape (n, m), the outcome constraints, satisfied when <= 0; NaN where unknown. None without any.
        reference: shape (k,), the worst losses of interest; None to learn them.
        is_predicted: shape (n,), which trials were pruned and have predicted losses; None for none.

    Without weights a good row has masses (1, 0) and any other (0, 1). With weights every row is an example of
    the rest, drawn from p(x), and a good one is also an example of good, in proportion to its weight (LFBO);
    both classes then have the same total mass, and the mean weight over `rows` is 1.
    """

    z: Mask
    y: Array
    tau: float
    positive: Array
    negative: Array
    kind: Index | None = None
    losses: Array | None = None
    constraints: Array | None = None
    reference: Array | None = None
    is_predicted: Mask | None = None

    @property
    def kinds(self) -> Index:
        """The kind of each row, shape (n,). Without a history, a row with a finite value is feasible."""
        return np.where(np.isfinite(self.y), Kind.FEASIBLE, Kind.UNRANKED) if self.kind is None else self.kind

    @property
    def is_weighted(self) -> bool:
        """Whether any example has a mass other than 0 and 1."""
        masses = np.concatenate([self.positive, self.negative])
        return bool(np.any((masses != 0) & (masses != 1)))

    def rows(self) -> tuple[Index, Mask, Array]:
        """The labels as plain weighted examples, for classifiers with two hard classes.

        Returns:
            (index, target, weight), each of shape (k,). Example i is row ``index[i]`` with class ``target[i]``.
        """
        good, rest = np.flatnonzero(self.positive > 0), np.flatnonzero(self.negative > 0)
        index = np.concatenate([good, rest])
        target = np.arange(len(index)) < len(good)
        return index, target, np.concatenate([self.positive[good], self.negative[rest]])

    def take(self, rows: Index) -> Labels:
        """The labels of some of the rows, at the same threshold."""
        return replace(
            self,
            z=self.z[rows],
            y=self.y[rows],
            positive=self.positive[rows],
            negative=self.negative[rows],
            kind=None if self.kind is None else self.kind[rows],
            losses=None if self.losses is None else self.losses[rows],
            constraints=None if self.constraints is None else self.constraints[rows],
            is_predicted=None if self.is_predicted is None else self.is_predicted[rows],
        )

    @property
    def share(self) -> float:
        """The share of the mass that is good, which is gamma, up to rounding, without weights."""
        good = float(self.positive.sum())
        return good / (good + float(self.negative.sum()))


def check_gamma(gamma: Gamma) -> None:
    """Refuse a gamma outside (0, 1); a function is tried on a few numbers of answers."""
    if callable(gamma):
        for n in (1, 10, 1000):
            share_of(gamma, n)
    elif not _is_share(gamma):
        raise RecipeError(
            f"`gamma` must be a number strictly between 0 and 1, or a function of n that returns one. Got {gamma!r}."
        )


def _is_share(value: object) -> bool:
    return isinstance(value, (float, np.floating)) and 0.0 < float(value) < 1.0


def check_weights(weights: Weights) -> None:
    """Refuse weights that are neither 'none', 'improvement' nor callable."""
    if not callable(weights) and not (isinstance(weights, str) and weights in ("none", "improvement")):
        raise RecipeError(f"`weights` must be 'none', 'improvement' or a function of (y, tau). Got {weights!r}.")


def label(
    history: History,
    *,
    gamma: Gamma,
    weights: Weights = "none",
    among: Index | None = None,
    final_values: Array | None = None,
    final_losses: Array | None = None,
) -> Labels:
    """Label the trials of a history.

    Args:
        history: the trials.
        gamma: the share of good trials.
        weights: how much each good trial counts.
        among: numbers of the trials to label, two or more; None for all.
        final_values: predicted final values of pruned trials, one entry per trial ``among``, NaN for the others; see
            `auger.curves.final_values`. None for no predictions.
        final_losses: the same for each of several objectives, shape (len(among), k); see `auger.curves.final_losses`.

    Example:
        >>> from auger.space import Space
        >>> history = History(Space({"x": (0.0, 1.0)}))
        >>> for x, y in [(0.1, 3.0), (0.2, 1.0), (0.3, float("nan")), (0.4, 2.0)]:
        ...     _ = history.finish(history.start({"x": x}).number, value=y)
        >>> labels = label(history, gamma=1 / 3)
        >>> labels.z.tolist(), labels.tau
        ([False, True, False, True], 2.5)
    """
    if not callable(gamma):
        check_gamma(gamma)
    check_weights(weights)
    rows = slice(None) if among is None else among
    y = np.array(history.y[rows])
    assert len(y) >= 2
    kinds = kinds_of(history, rows)
    within = np.where(kinds == Kind.INFEASIBLE, history.violation[rows], y)
    if final_values is not None:
        _rank_pruned(final_values, kinds, y, within)
    n_answers = int(np.count_nonzero(kinds < Kind.PENDING))
    n_ranked = int(np.count_nonzero(kinds < Kind.UNRANKED))
    share = share_of(gamma, max(n_answers, 1))
    # 0.1 * 30 = 3.0000000000000004 still means three
    n_good = max(min(math.ceil(share * n_answers - 1e-9), n_ranked, len(y) - 1), 1)
    order = _best_first(kinds, within, n_good + 1)
    z = np.zeros(len(y), dtype=bool)
    z[order[:n_good]] = True
    comparable = np.where(kinds == Kind.FEASIBLE, y, np.nan)
    tau = _threshold(comparable[order[:n_good]], float(comparable[order[n_good]]))
    columns = _columns(history, rows, kinds, y, final_losses)
    if weights == "none":
        return Labels(z, y, tau, z.astype(np.float64), (~z).astype(np.float64), kinds, *columns)
    gains = _gains(columns[0], z, comparable) if weights == "improvement" else None
    utility = _utility(weights, comparable[z], tau) if gains is None else gains
    positive = np.zeros(len(y))
    positive[z] = utility
    half = (n_good + len(y)) / 2
    return Labels(z, y, tau, positive * (half / utility.sum()), np.full(len(y), half / len(y)), kinds, *columns)


def _columns(
    history: History, rows: Index | slice, kinds: Index, y: Array, final_losses: Array | None
) -> tuple[Array | None, Array | None, Array | None, Mask | None]:
    """Losses, constraints, reference and predictions as `Labels` has them, for models of several columns."""
    losses, constraints = history.losses[rows], history.constraints[rows]
    k, m = losses.shape[1], constraints.shape[1]
    if k == 1 and not m:
        return None, None, None, None
    is_predicted = history.has_state(State.PRUNED)[rows] & (kinds == Kind.FEASIBLE)
    has_loss = ((kinds == Kind.FEASIBLE) & ~is_predicted) | (kinds == Kind.INFEASIBLE)
    losses = np.where(has_loss[:, np.newaxis], losses, np.nan)
    if k == 1:
        losses[is_predicted, 0] = y[is_predicted]
    elif final_losses is not None:
        losses[is_predicted] = final_losses[is_predicted]
    reference = history.objectives.reference
    worst = None if reference is None else np.array(reference, dtype=np.float64)
    return losses, constraints if m else None, worst, is_predicted if is_predicted.any() else None


def share_of(gamma: Gamma, n: int) -> float:
    """Gamma for n answers, in (0, 1)."""
    if not callable(gamma):
        return gamma
    share = gamma(n)
    if not _is_share(share):
        raise RecipeError(f"`gamma` must return a number strictly between 0 and 1. Got {share!r} for n={n}.")
    return share


def kinds_of(history: History, rows: Index | slice) -> Index:
    """The `Kind` of some trials of a history, shape (len(rows),)."""
    y = history.y[rows]
    kinds = np.full(len(y), Kind.UNRANKED)
    kinds[history.has_state(State.RUNNING)[rows]] = Kind.PENDING
    kinds[(history.has_state(State.PRUNED) & ~history.is_failure)[rows]] = Kind.PRUNED
    complete = history.has_state(State.COMPLETE)[rows] & np.isfinite(y)
    kinds[complete] = Kind.FEASIBLE
    kinds[complete & (history.violation[rows] > 0)] = Kind.INFEASIBLE
    return kinds


def _rank_pruned(final_values: Array, kinds: Index, y: Array, within: Array) -> None:
    """Rank pruned trials by their predicted final values (n,); kinds, y and within (n,) are changed in place."""
    is_pruned, is_predicted = kinds == Kind.PRUNED, ~np.isnan(final_values)
    stopped, others = np.flatnonzero(is_pruned & is_predicted), np.flatnonzero(is_pruned & ~is_predicted)
    predicted = final_values[stopped]
    if np.any(kinds == Kind.FEASIBLE):
        best = y[kinds == Kind.FEASIBLE].min()
        y[stopped] = np.maximum(predicted, best)
        within[stopped] = np.maximum(predicted, np.nextafter(best, np.inf))  # behind the best, also if it is younger
        kinds[stopped] = Kind.FEASIBLE
    else:
        order = [stopped[np.argsort(predicted, kind="stable")], others[np.argsort(y[others], kind="stable")]]
        within[np.concatenate(order)] = np.arange(len(stopped) + len(others))


def _best_first(kinds: Index, within: Array, n: int) -> Index:
    """The n best rows: by kind, then by the value within the kind (NaN last), then by age.

    The start of ``np.lexsort((within, kinds))``, without sorting the others.
    """
    parts: list[Index] = []
    for kind in Kind:
        members = np.flatnonzero(kinds == kind)
        parts.append(members[lowest(within[members], n)])
        n -= len(parts[-1])
        if not n:
            break
    return np.concatenate(parts)


def _threshold(good: Array, rest: float) -> float:
    """Halfway between the worst good value and the best of the rest, without overflow.

    The worst good value itself where the rest has no larger finite one, NaN where no good value is comparable.
    """
    good = good[~np.isnan(good)]
    worst = float(good[-1]) if len(good) else math.nan
    return worst + (rest / 2 - worst / 2) if math.isfinite(worst) and math.isfinite(rest) and rest > worst else worst


def _utility(weights: Weights, y: Array, tau: float) -> Array:
    """The weight of each good trial, shape (n_good,), all above 0, in any unit.

    A trial without a comparable value (pruned, infeasible) gets the smallest weight.
    """
    has_value = ~np.isnan(y)
    utility = np.zeros(len(y))
    if has_value.any() and not math.isnan(tau):
        values = y[has_value]
        utility[has_value] = _custom(weights, values, tau) if callable(weights) else _improvement(values, tau)
    largest = utility.max()
    if largest == 0:
        return np.ones(len(y))
    return np.asarray(np.maximum(utility / largest, _SMALLEST_WEIGHT))


def _gains(losses: Array | None, z: Mask, comparable: Array) -> Array | None:
    """The weights of good trials (n_good,) with several objectives: the volume that each adds to that of the rest.

    None where ranks (n,), NaN for what is not feasible, must do: with one objective, where nothing feasible is in both
    classes, or where no trial adds anything; and, because of the cost, where very many of the rest are on their front.
    """
    if losses is None or losses.shape[1] == 1:
        return None
    has_loss = ~np.isnan(comparable) & np.isfinite(losses).all(axis=1)
    behind = np.flatnonzero(has_loss & ~z)
    good, rest = losses[z & has_loss], losses[behind[lowest(comparable[behind], _MOST_BEHIND)]]
    if not len(good) or not len(rest):
        return None
    best, worst = np.minimum(good.min(axis=0), rest.min(axis=0)), np.maximum(good.max(axis=0), rest.max(axis=0))
    width = np.where(worst > best, worst / 2 - best / 2, 1.0)  # halves, so that 1e308 - (-1e308) does not overflow
    good, rest = (some / 2 / width - best / 2 / width for some in (good, rest))
    members = rest[front(rest)]
    if len(members) > _MOST_MEMBERS.get(losses.shape[1], 0):
        return None
    low, high = boxes(members, np.full(losses.shape[1], _END))
    gains = np.array([np.maximum(high - np.maximum(loss, low), 0.0).prod(axis=1).sum() for loss in good])
    if not gains.max() > 0:
        return None
    weights = np.full(int(z.sum()), _SMALLEST_WEIGHT)
    weights[has_loss[z]] = np.maximum(gains / gains.max(), _SMALLEST_WEIGHT)
    return weights


def _improvement(y: Array, tau: float) -> Array:
    """max(tau - y, 0) up to a factor: the utility behind expected improvement (section 2.1 of the paper)."""
    return np.asarray(np.maximum(tau / 2 - y / 2, 0.0))  # halves, so that 1e308 - (-1e308) does not overflow


def _custom(weights: Callable[[Array, float], Array], y: Array, tau: float) -> Array:
    returned = weights(y.copy(), tau)
    try:
        utility = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        utility = np.empty(0)
    if utility.shape != y.shape or not np.isfinite(utility).all() or (utility < 0).any():
        raise RecipeError(
            f"`weights` must return one finite number >= 0 for each of the {len(y)} good values. Got {returned!r}."
        )
    return utility

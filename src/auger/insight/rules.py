"""Short rules that good trials follow, such as "lr <= 0.003 and depth >= 6".

A rule is a few conditions on parameters that hold together. It is the better the more good trials it holds for beyond
what chance would give it, in standard deviations: sqrt(n) (share - base), with n trials, the share of good ones among
them and among all. So neither a handful of good trials makes a rule, nor what holds for nearly everything. The best one
is grown condition by condition; then the trials it holds for are set aside, and the next one is looked for among the
others.

Of many rules that are tried one looks good by chance. So labels are dealt out anew, at random, and the best rule for
them is found in the same way: what does not beat that is no rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.checks import check_whole
from auger.errors import AugerError
from auger.insight.lens import look
from auger.insight.rule_conditions import Condition, conditions, rule_text
from auger.types import Array, Mask
from auger.view import view

_MOST_CONDITIONS = 3
# So many rules are kept to be grown further.
_N_KEPT = 8
# A further condition has to make a rule better by this share, to be worth reading.
_LEAST_GAIN = 0.05
# Two rules say the same if more than this share of the trials that either holds for are those of both.
_MOST_SHARED = 0.5
# Labels are dealt anew so many times: a rule that beats them all is one that chance finds in one of twenty runs.
_N_DEALS = 19
# The share of good trials is estimated as if so many more had been seen, with as many good ones among them as overall.
_N_PRIOR = 4


@dataclass(frozen=True)
class Rule:
    """What good trials have in common.

    Attributes:
        text: the rule, in the names and values of the user.
        p: P(good) where it holds, drawn towards the share of good trials overall, the more so the fewer there are. It
            was chosen among many because it looks good: expect a little less.
        n_trials: how many trials it holds for.
        n_good: how many of those are good.
    """

    text: str
    p: float
    n_trials: int
    n_good: int


def rules(source: Any, *, n: int = 5) -> list[Rule]:
    """Up to ``n`` short rules that tell good trials from the rest, best first; none where chance finds as good ones.

    Example:
        >>> from auger import minimize
        >>> space = {"depth": (1, 40), "idle": (0.0, 1.0)}
        >>> result = minimize(lambda config: abs(config["depth"] - 3), space, n_trials=40, seed=0)
        >>> "depth" in rules(result)[0].text
        True
    """
    check_whole(n, 1, "`n`, the number of rules,", AugerError)
    lens = look(view(source))
    if isinstance(lens, str):
        return []
    candidates = conditions(lens.space, lens.X, lens.z)
    if not candidates:
        return []
    holds = np.array([condition.holds for condition in candidates], dtype=np.float64)
    least = _by_chance(holds, lens.z)
    chosen_rules: list[tuple[list[Condition], Mask]] = []
    left = np.ones(len(lens.z), dtype=bool)
    while len(chosen_rules) < n and lens.z[left].any():
        quality, chosen = _best(holds[:, left], lens.z[left])
        if quality <= least:
            break
        mask = np.all([candidates[i].holds for i in chosen], axis=0)
        if any(_shared(mask, other) > _MOST_SHARED for _, other in chosen_rules):
            break
        chosen_rules.append(([candidates[i] for i in chosen], mask))
        left &= ~mask
    return [_rule(rule_text(lens.space, together), mask, lens.z) for together, mask in chosen_rules]


def _best(holds: Array, z: Mask) -> tuple[float, list[int]]:
    """The quality of the best rule, and which of the conditions (c, m) it is made of, for rows with labels (m,)."""
    kept: list[tuple[float, list[int], Array]] = [(0.0, [], np.ones(len(z)))]
    best: tuple[float, list[int]] = (0.0, [])
    for _ in range(_MOST_CONDITIONS):
        grown: dict[bytes, tuple[float, list[int], Array]] = {}
        masks = np.array([mask for _, _, mask in kept])
        quality = _quality(holds @ (masks * z).T, holds @ masks.T, float(z.mean()))  # (c, kept)
        for flat in np.argsort(-quality, axis=None, kind="stable")[: 4 * _N_KEPT].tolist():
            i, k = divmod(flat, len(kept))
            mask = masks[k] * holds[i]
            if quality[i, k] > kept[k][0] * (1 + _LEAST_GAIN):
                grown.setdefault(mask.tobytes(), (float(quality[i, k]), [*kept[k][1], i], mask))
        kept = list(grown.values())[:_N_KEPT]
        if not kept:
            break
        best = max(best, kept[0][:2], key=lambda rule: rule[0])
    return best


def _quality(n_good: Array, n: Array, base: float) -> Array:
    """How far the number of good trials is above what chance gives n trials, in standard deviations, up to a factor."""
    return np.asarray((n_good - base * n) / np.sqrt(np.maximum(n, 1.0)))


def _by_chance(holds: Array, z: Mask) -> float:
    """The quality of the best rule for labels that were dealt out at random, the highest of several deals."""
    rng = np.random.default_rng(0)
    return max(_best(holds, rng.permutation(z))[0] for _ in range(_N_DEALS))


def _shared(one: Mask, other: Mask) -> float:
    return float((one & other).sum() / (one | other).sum())


def _rule(words: str, mask: Mask, z: Mask) -> Rule:
    n_trials, n_good = int(mask.sum()), int((mask & z).sum())
    return Rule(words, (n_good + _N_PRIOR * float(z.mean())) / (n_trials + _N_PRIOR), n_trials, n_good)

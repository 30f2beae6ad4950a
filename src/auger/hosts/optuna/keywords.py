"""Keyword arguments of Optuna's own samplers: what stands for them here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from auger.errors import did_you_mean

_PENDING = "Leave it out: trials that run count as pending, and trials that run together spread out."
_WHOLE = "Leave it out: all parameters are modelled together, and conditions are learned from the trials."
_NOTES = "Leave it out: the system attribute auger:provenance of a trial says where its values come from."
_PRIOR = "Leave it out: it belongs to Parzen estimators."
_START = "Use study.enqueue_trial({...}) for configurations to begin with."

# name -> what to do instead; a function of the value where that depends on it
_HINTS: dict[str, str | Callable[[Any], str]] = {
    "n_startup_trials": lambda n: f'Use AugerSampler("auto n_initial={max(n, 2) if isinstance(n, int) else 5}").',
    "gamma": lambda share: f'Use AugerSampler("auto gamma={share if isinstance(share, float) else 0.1}").',
    "weights": 'Use AugerSampler("auto weights=improvement"), or weights=none.',
    "n_ei_candidates": 'Use AugerSampler("bore-rf maximizer=local"), or another maximizer of docs/recipes.md.',
    "multivariate": _WHOLE,
    "group": _WHOLE,
    "constant_liar": _PENDING,
    "warn_independent_sampling": _NOTES,
    "independent_sampler": _WHOLE,
    "consider_prior": _PRIOR,
    "prior_weight": _PRIOR,
    "consider_magic_clip": _PRIOR,
    "consider_endpoints": _PRIOR,
    "categorical_distance_func": "Declare choices with an order as auger.Ordinal, in AugerSampler(space=...).",
    "search_space": "Use AugerSampler(space=...), with an auger.Space.",
    "x0": _START,
    "source_trials": "Use study.add_trials(...): the model learns from them at once.",
    "consider_pruned_trials": "Leave it out: pruned trials rank by their predicted final value.",
    "deterministic_objective": "Leave it out: how noisy the values are is estimated.",
}


def unknown_keyword(keywords: Mapping[str, Any], known: Iterable[str]) -> TypeError:
    """What is wrong with the first of keyword arguments that AugerSampler does not have, and what to use instead.

    Example:
        >>> str(unknown_keyword({"n_startup_trials": 5}, ["recipe", "seed"]))
        'AugerSampler has no argument \\'n_startup_trials\\'. Use AugerSampler("auto n_initial=5").'
    """
    name, value = next(iter(keywords.items()))
    hint = _HINTS.get(name)
    if hint is None:
        known = list(known)
        hint = f"{did_you_mean(name, known)} It has {', '.join(known)}.".lstrip()
    return TypeError(f"AugerSampler has no argument {name!r}. {hint(value) if callable(hint) else hint}")

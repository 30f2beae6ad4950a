"""What to change, and what it buys: the settings to use as changes of what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auger import text
from auger.insight.feasibility import feasibility
from auger.insight.front import front, why_on_front
from auger.insight.importance import most_important
from auger.insight.memory import best_settings
from auger.view import View, view


@dataclass(frozen=True)
class Advice:
    """What to do after a run.

    Attributes:
        changes: the parameters whose values differ from the baseline's, the most important first, and their new values.
            Empty where there is no baseline, nothing better than it, or no single best trial.
        text: all of it in a sentence.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""


def advice(source: Any) -> Advice:
    """What to change, and what it buys.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda c: 2.0 - round(c["x"]), {"x": (0.0, 1.0)}, n_trials=3, seed=0)
        >>> advice(result).text
        'Set x to 0.513: value falls from 2 (the first trial) to 1, 50 % better.'
    """
    run = view(source)
    if len(run.objectives) > 1 and run.front:
        return Advice(text=_trade_off(run) + _of_infeasible_defaults(run))
    best = best_settings(run)
    if best is None:
        nearest = feasibility(run).nearest
        if nearest is None:
            return Advice(text=text.NO_ADVICE)
        return Advice(text=text.none_feasible(len(run.complete), nearest, why_on_front(run, nearest).broken))
    direction, name = run.objectives.directions[0], run.objectives.names[0]
    after = best.expected
    if best.baseline is None:
        baseline = None if run.baseline is None else run.baseline.name
        words = text.no_change(baseline, best.number, name, after, len(run.complete))
        return Advice(text=words + _of_infeasible_defaults(run))
    before = best.baseline.value
    if not direction.sign * after < direction.sign * before:
        return Advice(text=text.no_gain(best.baseline.name, name, before, after))
    changes = _changes(run, best.config, run.by_number[best.baseline.number].config)
    if not changes:  # the baseline has only more parameters, in a study of another program
        return Advice(text=text.no_change(None, best.number, name, after, len(run.complete)))
    words = text.advice(
        changes, name, before=before, baseline=best.baseline.name, after=after, error=best.error, gain=best.gain
    )
    return Advice(changes, words)


def _trade_off(view: View) -> str:
    """How far each objective gets, and the compromise."""
    of_run, names = front(view), view.objectives.names
    values = {number: view.values_of(view.by_number[number]) for number in of_run.best.values()}
    before = None if view.baseline is None else view.values_of(view.by_number[view.baseline.number])
    ends = {
        name: (view.objectives.directions[j], number, values[number][j], None if before is None else before[j])
        for j, (name, number) in enumerate(of_run.best.items())
    }
    chosen = of_run.compromise
    between = {} if chosen is None else dict(zip(names, view.values_of(view.by_number[chosen]), strict=True))
    return text.trade_off(
        len(of_run.members),
        ends,
        baseline="" if view.baseline is None else view.baseline.name,
        compromise=None if chosen is None else (chosen, between),
    )


def _of_infeasible_defaults(view: View) -> str:
    """Why there is no comparison with the defaults; empty where that is not it."""
    return f" {text.DEFAULTS_INFEASIBLE}" if view.is_default_infeasible else ""


def _changes(view: View, config: Mapping[str, Any], baseline: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that differ from the baseline's, the most important first."""
    ranking = most_important(view, len(config)) if view.history is not None else []
    names = [*(name for name in ranking if name in config), *(name for name in config if name not in ranking)]
    return {name: config[name] for name in names if name not in baseline or baseline[name] != config[name]}

"""What to change, and what it buys: the settings to use as changes of what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auger import text
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
    if len(run.objectives) > 1:
        ends = [dict(zip(run.objectives.names, run.values_of(trial), strict=True)) for trial in run.front]
        return Advice(text=text.trade_off(ends) if ends else text.NO_ADVICE)
    best = best_settings(run)
    if best is None:
        return Advice(text=text.NO_ADVICE)
    direction, name = run.objectives.directions[0], run.objectives.names[0]
    after = best.expected
    if best.baseline is None:
        baseline = None if run.baseline is None else run.baseline.name
        return Advice(text=text.no_change(baseline, best.number, name, after, len(run.complete)))
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


def _changes(view: View, config: Mapping[str, Any], baseline: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that differ from the baseline's, the most important first."""
    ranking = most_important(view, len(config)) if view.history is not None else []
    names = [*(name for name in ranking if name in config), *(name for name in config if name not in ranking)]
    return {name: config[name] for name in names if name not in baseline or baseline[name] != config[name]}

"""What a search optimizes: one metric, or several metrics and times; and which candidate it refits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auger.errors import ScoringError
from auger.objectives import Objectives, as_objectives
from auger.preference import Preference, as_preference

#: What scikit-learn measures of every fit, beside its scores. Less is better; of a metric, more is.
TIMES = ("fit_time", "score_time")

# What `cv_results_` calls a single metric that has no name.
_SINGLE = "score"


def several_objectives(target: Any) -> Objectives | None:
    """The objectives that a list of targets names; None for a single metric.

    Example:
        >>> several_objectives(["accuracy", "fit_time"]).described()
        {'accuracy': 'maximize', 'fit_time': 'minimize'}
    """
    if target is None or isinstance(target, str):
        return None
    names = list(target)
    if len(names) < 2 or len(set(map(str, names))) < len(names) or not all(isinstance(name, str) for name in names):
        raise ScoringError(
            f"`target` must be the name of one metric, or a list of two or more different ones. Got {target!r}."
        )
    return as_objectives({name: "minimize" if name in TIMES else "maximize" for name in names})


def metrics_to_optimize(target: Any, refit: Any, metrics: Sequence[str]) -> tuple[str | None, ...]:
    """The names of what is optimized: of one metric, see `metric_to_optimize`, or of those that ``target`` lists.

    Example:
        >>> metrics_to_optimize(["score", "fit_time"], "score", [])
        ('score', 'fit_time')
    """
    objectives = several_objectives(target)
    if objectives is None:
        return (metric_to_optimize(target, refit, metrics),)
    metrics = metrics or [_SINGLE]
    for name in objectives.names:
        if name in TIMES and name in metrics:
            raise ScoringError(
                f"`scoring` must give its metric {name!r} another name: {name!r} in `target` is the time that "
                "scikit-learn measures."
            )
        if name not in metrics and name not in TIMES:
            listed = ", ".join(map(repr, [*metrics, *TIMES]))
            raise ScoringError(f"`target` must be names of metrics, or times: {listed}. Got {name!r}.")
    return objectives.names


def metric_to_optimize(target: str | None, refit: Any, metrics: Sequence[str]) -> str | None:
    """The name of the metric to optimize: the only one, or the one that ``target``, or else ``refit``, names.

    No ``metrics`` means a single metric without a name, and the result is None.

    Example:
        >>> metric_to_optimize(None, "recall", ["precision", "recall"])
        'recall'
    """
    if target is not None:
        if target not in metrics:
            listed = ", ".join(map(repr, metrics)) or "`scoring` has one metric, without a name"
            raise ScoringError(f"`target` must be one of several metrics: {listed}. Got {target!r}.")
        return target
    if not metrics:
        return None
    if isinstance(refit, str) and refit in metrics:
        return refit
    if len(metrics) == 1:
        return metrics[0]
    raise ScoringError(
        f"`refit` must name the metric to optimize when there are several: {', '.join(map(repr, metrics))}. "
        f"Got {refit!r}. To keep this `refit`, name the metric with `target`, or list several there."
    )


def measured(outcome: Mapping[str, Any], name: str | None) -> float:
    """What an outcome of scikit-learn says of a metric, or of a time; a fit that failed took no time: NaN."""
    scores = outcome["test_scores"]
    if isinstance(scores, Mapping) and name in scores:
        return float(scores[name])
    if name in TIMES:
        return float("nan") if outcome["fit_error"] else float(outcome[name])
    return float(scores)


def preference_of(refit: Any, objectives: Objectives) -> Preference | None:
    """Which candidate of the front ``refit`` names; None where it leaves that to a function, or wants none."""
    if refit is True:
        names = ", ".join(map(repr, objectives.names))
        raise ScoringError(
            f"`refit` must say which candidate of the front to refit where `target` lists several objectives "
            f"({names}): the name of one, a preference such as '{objectives.names[0]} >= 0.9, {objectives.names[1]}', "
            "a dict of names and weights, or a function of `cv_results_`; or False for none. Got True."
        )
    return None if refit is False or callable(refit) else as_preference(refit, objectives)

"""A search as a `View`, for plots, reports and explanations."""

from __future__ import annotations

from dataclasses import replace

from sklearn.exceptions import NotFittedError

from auger.hosts.sklearn.search import AugerSearchCV
from auger.view import View, view


def view_of(search: AugerSearchCV) -> View:
    """What a fitted search has tried; its values are mean scores."""
    if not hasattr(search, "optimizer_"):
        raise NotFittedError("This AugerSearchCV is not fitted yet: there is nothing to look at. Call `fit` first.")
    run = view(search.optimizer_, name=f"AugerSearchCV of {type(search.estimator).__name__}")
    if len(run.objectives) > 1:
        return run
    metric = "score"
    if search.multimetric_:
        metric = next((name for name in (search.target, search.refit) if isinstance(name, str)), metric)
    return replace(run, objectives=replace(run.objectives, names=(metric,)))

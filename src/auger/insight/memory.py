"""Slow explanations are computed once per View, for every figure and text that needs them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from auger import best
from auger.view import View, view

Explain = TypeVar("Explain", bound=Callable[..., Any])


def remembered(explain: Explain) -> Explain:
    """The same function of a source and settings, which remembers its results for as long as the View lives.

    The View of an Optimizer that goes on has more answers than before: then results are computed again. A setting that
    is None counts as left out.
    """
    results_of: dict[int, tuple[weakref.ref[View], dict[Any, Any]]] = {}

    @wraps(explain)
    def remembering(source: Any, **settings: Any) -> Any:
        run = view(source)
        address = id(run)
        if address not in results_of:
            results_of[address] = (weakref.ref(run, lambda _: results_of.pop(address, None)), {})
        results = results_of[address][1]
        n_answers = 0 if run.history is None else len(run.history.finished)
        key = (n_answers, *sorted((name, value) for name, value in settings.items() if value is not None))
        if key not in results:
            results[key] = explain(run, **settings)
        return results[key]

    return cast(Explain, remembering)


#: The settings to use: the report and the star of every figure show the same trial.
best_settings = remembered(best.best_settings)

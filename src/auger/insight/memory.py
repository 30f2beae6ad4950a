"""What takes long to find out about a run is found out once, for all that asks about the same View of it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from auger.view import View, view

Find = TypeVar("Find", bound=Callable[..., Any])


def remembered(find: Find) -> Find:
    """The same function of a source and settings, which remembers its answers for the latest View.

    Of an Optimizer that goes on, a View shows more answers than before: those are asked about anew.
    """
    latest: list[tuple[weakref.ref[View], dict[Any, Any]]] = []

    @wraps(find)
    def found(source: Any, **settings: Any) -> Any:
        seen = view(source)
        if not latest or latest[0][0]() is not seen:
            latest[:] = [(weakref.ref(seen), {})]
        answers = latest[0][1]
        n_answers = 0 if seen.history is None else len(seen.history.finished)
        key = (n_answers, *sorted(settings.items()))
        if key not in answers:
            answers[key] = find(seen, **settings)
        return answers[key]

    return cast(Find, found)

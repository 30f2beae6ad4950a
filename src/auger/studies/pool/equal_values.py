"""Notices that different settings have exactly the same value: they have no effect, or the wrong number is read."""

from __future__ import annotations

import json

from auger.studies.pool.events import Event, Listener, TrialFinished, ValuesEqual
from auger.studies.study import Study
from auger.trial import State
from auger.types import Config

# So many different settings with one value are no chance any more.
N_SETTINGS = 5


class EqualValues:
    """A listener that passes on every event, and once, when it is time, `ValuesEqual`.

    Args:
        study: whose events they are.
        listener: to pass events on to.
    """

    def __init__(self, study: Study, listener: Listener) -> None:
        self._listener = listener
        self._values: set[float] = set()
        self._configs: set[str] = set()
        self._is_over = False
        for trial in study.translate(study.trials()):
            if trial.state is State.COMPLETE and trial.values:
                self._take(trial.config, study.objectives.original(trial.values)[0])

    def __call__(self, event: Event) -> None:
        """Pass on an event."""
        self._listener(event)
        if isinstance(event, TrialFinished) and event.state is State.COMPLETE and event.value is not None:
            self._take(event.config, event.value)
            if len(self._configs) >= N_SETTINGS and not self._is_over:
                self._is_over = True
                self._listener(ValuesEqual(event.value, len(self._configs)))

    def _take(self, config: Config, value: float) -> None:
        """Remember the value of some settings; nothing more once two values differ."""
        if self._is_over:
            return
        self._values.add(value)
        self._configs.add(json.dumps(config, sort_keys=True))
        self._is_over = len(self._values) > 1

"""Notices values that are probably not what the user means: a wrong number, or the same for all settings."""

from __future__ import annotations

import json
from pathlib import Path

from auger.studies.definition import Definition
from auger.studies.definition.doubts import doubt
from auger.studies.pool.events import Event, Listener, TrialFinished, ValueDoubted, ValuesEqual
from auger.studies.study import Study
from auger.studies.trial import kept_output
from auger.text import mask
from auger.trial import State
from auger.types import Config

# So many different settings with one value are no chance any more.
N_SETTINGS = 5


class ValueChecks:
    """A listener that passes on every event, and `ValueDoubted` and `ValuesEqual` once each, when it is time.

    Args:
        study: whose events they are.
        listener: to pass events on to.
    """

    def __init__(self, study: Study, listener: Listener) -> None:
        self._listener, self._definition = listener, study.definition
        self._values: set[tuple[float, ...]] = set()
        self._names = study.objectives.names
        self._configs: set[str] = set()
        self._is_over = False
        for trial in study.translate(study.trials()):
            if trial.state is State.COMPLETE and trial.values:
                self._take(trial.config, study.objectives.original(trial.values))

    def __call__(self, event: Event) -> None:
        """Pass on an event."""
        self._listener(event)
        if isinstance(event, TrialFinished) and event.state is State.COMPLETE:
            values = {name: event.numbers[name] for name in self._names}
            doubted = None if self._values else doubted_value(self._definition, event.number)
            if doubted is not None:
                self._listener(doubted)
            self._take(event.config, tuple(values.values()))
            if len(self._configs) >= N_SETTINGS and not self._is_over:
                self._is_over = True
                self._listener(ValuesEqual(event.value, len(self._configs), values))

    def _take(self, config: Config, values: tuple[float, ...]) -> None:
        """Remember the values of some settings; nothing more once two differ."""
        if self._is_over:
            return
        self._values.add(values)
        self._configs.add(json.dumps(config, sort_keys=True))
        self._is_over = len(self._values) > 1


def doubted_value(definition: Definition, number: int) -> ValueDoubted | None:
    """A doubt about the value of a trial, by what it printed; None without one, or where the output is not here."""
    if len(definition.names) > 1:
        return None
    (rule,) = definition.rules.values()
    folder = definition.folder_of(number, 0 if definition.repeats > 1 else None)
    number_doubt = doubt(kept_output(Path(folder, rule.path or rule.stream)), rule)
    if number_doubt is None:
        return None
    read, named = number_doubt.read, number_doubt.named
    return ValueDoubted(number, str(read.raw), mask(read.line), str(named.raw), mask(named.line), number_doubt.pattern)

"""A searcher of Ray Tune as a `View`, with the choices themselves in place of their indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from auger.hosts.ray.domains import Domains
from auger.hosts.ray.searcher import AugerSearch
from auger.space import Categorical, Space
from auger.trial import Trial
from auger.view import View, view


def view_of(search: AugerSearch) -> View:
    """What a searcher has suggested, and what came of it. Its values are those of the metric, or of several."""
    run = view(search.optimizer, name="Ray Tune")
    assert run.history is not None
    names = _Names.of(search.domains)
    trials = tuple(map(names.trial, run.trials))
    history = run.history.in_space(names.space(run.history.space), run.history.X)
    history.trials[:] = trials
    objectives = run.objectives if len(run.objectives) > 1 else replace(run.objectives, names=(str(search.metric),))
    limits = tuple(f"{limit.name} {'<=' if limit.is_upper else '>='} {limit.bound:g}" for limit in search._limits)
    return replace(run, objectives=objectives, trials=trials, history=history, named_constraints=limits)


@dataclass(frozen=True)
class _Names:
    """What people read in place of indices and counts.

    Attributes:
        choices: name of a parameter -> its choices.
        labels: name of a parameter -> what to call it, where its values count steps.
    """

    choices: Mapping[str, tuple[Any, ...]]
    labels: Mapping[str, str]

    @classmethod
    def of(cls, domains: Domains) -> _Names:
        choices = {name: _distinct(choices) for name, choices in domains.choices.items()}
        return cls(choices, {name: f"{name} / {step:g}" for name, step in domains.steps.items()})

    def trial(self, trial: Trial) -> Trial:
        config = {
            self.labels.get(name, name): self.choices[name][value] if name in self.choices else value
            for name, value in trial.config.items()
        }
        return replace(trial, config=config)

    def space(self, space: Space) -> Space:
        if not self.choices and not self.labels:
            return space
        renamed: dict[str, Any] = {}
        parameters: dict[str, Any] = dict(space.parameters)
        for name, parameter in parameters.items():
            when = {
                parent: [self.choices[parent][index] for index in values] if parent in self.choices else values
                for parent, values in space.conditions(name).items()
            }
            is_choice = name in self.choices
            new = Categorical(self.choices[name], when=when) if is_choice else replace(parameter, when=when)
            renamed[self.labels.get(name, name)] = new
        return Space(renamed)  # Ray's spaces have no constraints


def _distinct(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """The choices, as text where they are neither text nor numbers; with their indices where two would be equal."""
    plain = [c if c is None or type(c) in (str, bool, int, float) else repr(c) for c in choices]
    return (
        tuple(plain) if len(set(plain)) == len(plain) else tuple(f"{i}: {choice!r}" for i, choice in enumerate(plain))
    )

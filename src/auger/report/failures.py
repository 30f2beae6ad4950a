"""Failed trials by their cause: numbers are left out, so that the same cause with other numbers is the same group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from auger import text
from auger.markup import Markup, element, joined
from auger.report.markup import table
from auger.text.causes import cause
from auger.trial import State, Trial
from auger.view import View

#: States of trials that have no answer because something went wrong.
FAILED = (State.FAILED, State.DIED, State.STOPPED)

# The most groups of failures; and the most letters of an error.
_MAX_GROUPS, _MAX_ERROR = 20, 500


@dataclass(frozen=True)
class Failure:
    """Trials that failed for the same cause.

    Attributes:
        cause: the error without its numbers.
        state: failed, died or stopped.
        trials: by number.
    """

    cause: str
    state: State
    trials: tuple[Trial, ...]


def failures(trials: Iterable[Trial]) -> list[Failure]:
    """The groups, the most frequent first."""
    groups: dict[tuple[State, str], list[Trial]] = {}
    for trial in trials:
        if trial.state in FAILED:
            groups.setdefault((trial.state, cause(trial.error)), []).append(trial)
    grouped = [Failure(why, state, tuple(members)) for (state, why), members in groups.items()]
    return sorted(grouped, key=lambda group: (-len(group.trials), group.trials[0].number))


def failed_trials(view: View) -> Markup:
    """Failed trials by their cause, each group with an example."""
    groups = failures(trial for trial in view.trials if trial.number not in view.superseded)
    if not groups:
        return element("p", "No trial has failed.")
    n, n_ended = sum(len(group.trials) for group in groups), view.standing.finished + view.standing.due
    summary = f"{text.count(n, 'trial')} of {n_ended:,} failed, for {text.count(len(groups), 'reason')}."
    rows: list[list[object]] = [
        [text.mask(group.cause), group.state.value, f"{len(group.trials):,}", _example(group.trials[0])]
        for group in groups[:_MAX_GROUPS]
    ]
    more = f"{len(groups) - _MAX_GROUPS} rarer reasons are left out." if len(groups) > _MAX_GROUPS else ""
    how = f"Numbers in the reasons are shown as #, so that equal causes count together. {more}".rstrip()
    listed = table(["reason", "state", "trials", "for example"], rows, label="Failures by reason")
    return joined(element("p", summary), listed, element("p", how, class_="how"))


def _example(trial: Trial) -> Markup:
    error = text.mask(trial.error or "")
    shown = error if len(error) <= _MAX_ERROR else f"{error[:_MAX_ERROR]}…"
    return joined(
        element("div", f"trial {trial.number}"),
        shown and element("pre", shown, class_="error"),
        element("code", text.settings(trial.config)),
    )

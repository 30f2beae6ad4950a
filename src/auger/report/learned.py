"""What matters and what was learned: importance, slices, rules, interactions, and why a trial was tried."""

from __future__ import annotations

from functools import partial

from auger import insight, text
from auger.best import Best
from auger.insight.importance import most_important
from auger.markup import Markup, element, joined
from auger.report.markup import table
from auger.report.page_figures import PageFigures, attempt
from auger.report.sentences import NOTHING
from auger.view import View

# The most slices of P(good): those of the most important parameters.
_MAX_SLICES = 6


def what_matters(view: View, figures: PageFigures) -> Markup:
    """The parameters: how much each matters, and where the good values are."""
    several = len(view.objectives) > 1
    shuffled = (
        "The longer the bar, the worse the classifier tells good trials from the rest when this parameter is "
        "shuffled; whiskers show how sure that is."
    )
    gather = "Each panel shows every trial at its value of one parameter: look for where the good ones gather."
    on_front = " Good trials are those on the front or near it, in every objective." if several else ""
    return joined(
        figures.add("importance", "Importance of the parameters", shuffled + on_front),
        figures.add(
            "drivers",
            "What drives each objective",
            "Here, good is to be among the best in one objective. An arrow says that the objective rises (↑) or falls "
            "(↓) as the parameter rises.",
        )
        if several
        else None,
        figures.per_objective("slices", "Value by parameter", gather, min_width=520)
        if several
        else figures.add("slices", "Value by parameter", gather, min_width=520),
        figures.add(
            "parallel",
            "Parallel coordinates",
            "A line is a trial, an axis is a parameter: where good trials run in a bundle, they agree.",
            min_width=80 * (_n_parameters(view) + 1 + len(view.objectives)),
        ),
    )


def what_was_learned(view: View, figures: PageFigures, best: Best | None) -> Markup:
    """The classifier in words and pictures.

    Args:
        view: the run.
        figures: takes the figures.
        best: the settings to use, whose trial is explained before the latest.
    """
    return joined(
        attempt("Rules of good trials", lambda: _rules(view, figures)),
        attempt("Chance of being good", lambda: _slices(view, figures)),
        attempt("Parameters that work together", lambda: _pairs(view, figures)),
        *(
            attempt(f"Why {which} was tried", partial(_reason, view, number))
            for which, number in _explained(view, best)
        ),
    )


def _rules(view: View, figures: PageFigures) -> Markup:
    rules = insight.rules(view)
    if not rules:
        return figures.sentences.missing("No rule tells good trials from the rest yet.")
    rows: list[list[object]] = [
        [rule.text, text.percent(rule.p), f"{rule.n_good} of {rule.n_trials}"] for rule in rules
    ]
    caption = "How likely a trial is good where the rule holds, and how many of the trials there were good."
    listed = table(["rule", "chance of good", "good trials"], rows, label="Rules of good trials")
    return joined(listed, element("p", caption, class_="how"))


def _slices(view: View, figures: PageFigures) -> Markup:
    if view.history is None:
        return figures.sentences.missing("No parameter is known yet.")
    names = most_important(view, _MAX_SLICES)
    slices = [
        figures.add("slice_of_good", f"By {name}", "", name, key=f"good-{i}", level=4) for i, name in enumerate(names)
    ]
    if not any(slices):
        return NOTHING
    n = _n_parameters(view)
    note = "The line is the classifier's mean over the other parameters, the band where most of it lies."
    if len(names) < n:
        note += f" These are the {len(names)} most important of {n} parameters."
    return joined(element("div", *slices, class_="grid"), element("p", note, class_="how"))


def _n_parameters(view: View) -> int:
    return 0 if view.history is None else len(view.history.space)


def _pairs(view: View, figures: PageFigures) -> Markup:
    pairs = insight.interactions(view)
    if not pairs:
        return figures.sentences.missing("No pair of parameters is known to work together.")
    rows: list[list[object]] = [[f"{pair.first} and {pair.second}", f"{pair.strength:.3g}"] for pair in pairs]
    caption = "How much the effect of one depends on the other: 0 is not at all."
    first, second = pairs[0].first, pairs[0].second
    surface = figures.add(
        "surface",
        f"Chance of being good by {first} and {second}",
        "The lighter, the likelier a trial there is good; the other parameters are averaged over.",
        first,
        second,
        level=4,
    )
    return joined(table(["pair", "strength"], rows, label="Interactions"), element("p", caption, class_="how"), surface)


def _explained(view: View, best: Best | None) -> list[tuple[str, int]]:
    """Which trials are explained, and their numbers."""
    chosen = [] if best is None else [("the best trial", best.number)]
    compromise = insight.front(view).compromise if len(view.objectives) > 1 else None
    if compromise is not None:
        chosen = [("the compromise", compromise)]
    if view.trials and view.trials[-1].number not in [number for _, number in chosen]:
        chosen.append(("the latest trial", view.trials[-1].number))
    return chosen


def _reason(view: View, number: int) -> Markup:
    words = insight.why(view, number).text
    return element("p", words if len(view.objectives) == 1 else f"{words} {insight.why_on_front(view, number).text}")

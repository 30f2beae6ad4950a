"""What matters and what was learned: importance, slices, rules, interactions, and why a trial was tried."""

from __future__ import annotations

from functools import partial

from auger import insight, plots
from auger.report.figures import Figures, attempt, missing
from auger.report.markup import Markup, element, joined, table
from auger.view import View

# The most slices of P(good): those of the most important parameters.
_MAX_SLICES = 6


def what_matters(seen: View, figures: Figures) -> Markup:
    """The parameters: how much each matters, and where the good values are."""
    return joined(
        figures.place(
            "importance",
            "Importance of the parameters",
            "The longer the bar, the worse the classifier tells good trials from the rest when this parameter is "
            "shuffled; whiskers show how sure that is.",
            partial(plots.importance, seen),
        ),
        figures.place(
            "slices",
            "Value by parameter",
            "Each panel shows every trial at its value of one parameter: look for where the good ones gather.",
            partial(plots.slices, seen),
            min_width=520,
        ),
        figures.place(
            "parallel",
            "Parallel coordinates",
            "A line is a trial, an axis a parameter: good trials that run in a bundle agree on what is good.",
            partial(plots.parallel, seen),
            min_width=80 * (_n_parameters(seen) + 2),
        ),
    )


def what_was_learned(seen: View, figures: Figures, best: int | None) -> Markup:
    """The classifier in words and pictures.

    Args:
        seen: the run.
        figures: takes the figures.
        best: the number of the trial whose settings to use, explained before the latest.
    """
    return joined(
        attempt("Rules of good trials", lambda: _rules(seen)),
        attempt("Chance of being good", lambda: _slices(seen, figures)),
        attempt("Parameters that work together", lambda: _pairs(seen, figures)),
        *(
            attempt(f"Why {which} was tried", partial(_reason, seen, number))
            for which, number in _explained(seen, best)
        ),
    )


def _rules(seen: View) -> Markup:
    found = insight.rules(seen)
    if not found:
        return missing("No rule tells good trials from the rest yet.")
    rows: list[list[object]] = [
        [rule.text, f"{100 * rule.p:.0f} %", f"{rule.n_good} of {rule.n_trials}"] for rule in found
    ]
    caption = "How likely a trial is good where the rule holds, and how many of those tried there were."
    listed = table(["rule", "chance of good", "good trials"], rows, label="Rules of good trials")
    return joined(listed, element("p", caption, class_="how"))


def _slices(seen: View, figures: Figures) -> Markup:
    if seen.history is None:
        return missing("No parameter is known yet.")
    names = _most_important(seen)
    made = [
        figures.place(
            f"good-{i}",
            f"By {name}",
            "",
            partial(plots.slice_of_good, seen, name),
            level=4,
        )
        for i, name in enumerate(names)
    ]
    n = _n_parameters(seen)
    note = "The line is the classifier's mean over the other parameters, the band where most of it lies."
    if len(names) < n:
        note += f" These are the {len(names)} most important of {n} parameters."
    return joined(element("div", *made, class_="grid"), element("p", note, class_="how"))


def _n_parameters(seen: View) -> int:
    return 0 if seen.history is None else len(seen.history.space)


def _most_important(seen: View) -> list[str]:
    found = insight.importance(seen)
    if not len(found.permutation):
        return list(seen.history.space.names[:_MAX_SLICES]) if seen.history is not None else []
    order = sorted(range(len(found.names)), key=lambda i: -found.permutation[i])
    return [found.names[i] for i in order[:_MAX_SLICES]]


def _pairs(seen: View, figures: Figures) -> Markup:
    pairs = insight.interactions(seen)
    if not pairs:
        return missing("No pair of parameters is known to work together.")
    rows: list[list[object]] = [[f"{pair.first} and {pair.second}", f"{pair.strength:.3g}"] for pair in pairs]
    caption = "How much the effect of the one depends on the other: 0 is not at all."
    first, second = pairs[0].first, pairs[0].second
    surface = figures.place(
        "surface",
        f"Chance of being good by {first} and {second}",
        "The lighter, the likelier a trial there is good; the other parameters are averaged over.",
        partial(plots.surface, seen, first, second),
        level=4,
    )
    return joined(table(["pair", "strength"], rows, label="Interactions"), element("p", caption, class_="how"), surface)


def _explained(seen: View, best: int | None) -> list[tuple[str, int]]:
    """Which trials are explained, and their numbers."""
    chosen = [] if best is None else [("the best trial", best)]
    if seen.rows and seen.rows[-1].number != best:
        chosen.append(("the latest trial", seen.rows[-1].number))
    return chosen


def _reason(seen: View, number: int) -> Markup:
    return element("p", insight.why(seen, number).text)

"""`auger status`: where a study stands."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auger import text
from auger.cli.echo import echo, echo_json
from auger.cli.front import FrontOf
from auger.cli.studies import ANY, JSON, NAME, find_view, no_best

if TYPE_CHECKING:
    from auger.best import Best
    from auger.insight.report_card import ReportCard
    from auger.studies.study import Study
    from auger.view import View

# With so few trials judged, a score says nothing yet.
_N_JUDGED = 10


def status(
    where: Annotated[str, ANY],
    study: Annotated[str | None, NAME] = None,
    is_verbose: Annotated[bool, typer.Option("-v", "--verbose", help="With the figures behind the words.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show how far a study is, its best settings, and how it goes."""
    from auger.best import best_settings
    from auger.insight.report_card import report_card

    view, opened = find_view(where, study)
    facts = _facts(view, opened)
    best, card = best_settings(view), report_card(view)
    if is_json:
        front = FrontOf(view, opened).to_json() if len(view.objectives) > 1 else {}
        echo_json({**facts, **front, "best": None if best is None else best.to_json(), "model": _card_json(card)})
        return
    for name, line in [*_status_lines(view, facts, best), *_model_lines(card, is_verbose), *_work_lines(facts)]:
        echo(f"{name:8} {line}".rstrip())


# -- facts ----------------------------------------------------------------------------------------------


def _facts(view: View, study: Study | None) -> dict[str, Any]:
    """Where a study stands, as JSON types; workers are known of a study of `auger tune` only."""
    standing = view.standing
    directions = [direction.value for direction in view.objectives.directions]
    return {
        "study": view.name,
        "storage": view.facts.get("storage", ""),
        "direction": directions[0] if len(directions) == 1 else directions,
        "objectives": view.objectives.described(),
        "constraints": FrontOf(view, study).limits,
        "trials": view.budget,
        "finished": standing.finished,
        "complete": standing.complete,
        "infeasible": sum(not trial.is_feasible for trial in view.complete),
        "failed": standing.failed,
        "pruned": standing.pruned,
        "running": standing.running + standing.waiting,
        "due": standing.due,
        "imported": standing.imported,
        "forgotten": standing.forgotten,
        "confirmations": standing.confirmed,
        "seconds": round(view.seconds or 0.0, 3),
        "workers": [] if study is None else _workers(study),
    }


def _workers(study: Study) -> list[dict[str, Any]]:
    """The processes that are at work."""
    from auger.studies.pool.owners import running_owners

    running = [frozen for frozen in study.trials() if not frozen.state.is_finished()]
    owners = [owner for owner, _ in running_owners(running).values()]
    workers = Counter((owner.host, owner.process, owner.is_gone) for owner in owners)
    return [
        {"host": host, "process": process, "trials": n, "is_gone": is_gone}
        for (host, process, is_gone), n in workers.items()
    ]


def _card_json(card: ReportCard) -> dict[str, Any] | None:
    """How good the model is, as JSON types; None before it was judged."""
    if not card.n:
        return None
    models = {name: _scores(part) for name, part in card.by_model().items()}
    return {**_scores(card), "gamma": card.gamma, "models": models, "note": card.note}


def _scores(card: ReportCard) -> dict[str, Any]:
    scores = {name: getattr(card, name) for name in ("skill", "skill_error", "auc", "log_loss", "brier", "base_rate")}
    return {"trials": card.n, **{name: None if math.isnan(score) else score for name, score in scores.items()}}


# -- words ----------------------------------------------------------------------------------------------


def _status_lines(view: View, facts: dict[str, Any], best: Best | None) -> list[tuple[str, str]]:
    """The study, its trials and its best settings: a name and a text per line."""
    of = "" if facts["trials"] is None else f" of {facts['trials']:,}"
    names = ("complete", "failed", "pruned", "running", "imported", "forgotten")
    counts = [*((facts[name], name) for name in names), (facts["due"], "to be run again")]
    parts = [f"{n:,} {name}" for n, name in counts if n]
    if facts["infeasible"]:
        parts.insert(1, f"{facts['infeasible']:,} of them infeasible")
    if facts["confirmations"]:
        parts.append(text.count(facts["confirmations"], "confirmation"))
    lines = [("study", f"{text.shown(facts['study'])}, {_goal(view)}, in {facts['storage']}")]
    lines.append(("trials", f"{facts['finished']:,}{of} done" + (f": {', '.join(parts)}" if parts else "")))
    if facts["constraints"]:
        if view.is_default_infeasible:
            lines.append(("", text.DEFAULTS_INFEASIBLE))
        limits = ", ".join(f"{text.shown(name)} {limit}" for name, limit in facts["constraints"].items())
        lines.insert(1, ("limits", limits))
    if len(view.objectives) > 1 and view.front:
        return [*lines, *_front_lines(view)]
    if best is None:
        return [*lines, ("best", no_best(view))]
    lines.append(("best", f"{best.headline}, trial {best.number}"))
    if best.comparison is not None:
        lines.append(("", best.comparison))
    return [*lines, ("", text.settings(best.config))]


def _front_lines(view: View) -> list[tuple[str, str]]:
    """How many trials no other beats, and the best in each objective."""
    front = FrontOf(view, None)
    lines = [("front", text.front(len(view.front)))]
    for i, name in enumerate(view.objectives.names):
        trial = front.choose(name)
        if trial is not None:
            others = {other: number for other, number in front.numbers(trial).items() if other != name}
            value = view.objectives.original(trial.values)[i]
            shown = f"{text.shown(name)} {text.number(value)}, trial {trial.number}, with {text.numbers(others)}"
            lines.append(("best" if i == 0 else "", shown))
    return lines


def _goal(view: View) -> str:
    pairs = list(zip(view.objectives.names, view.objectives.directions, strict=True))
    if len(pairs) == 1:
        name = "" if pairs[0][0] == "value" else f"{text.shown(pairs[0][0])} "
        return f"{name}to be {pairs[0][1].value}d"
    return " and ".join(f"{text.shown(name)} to be {direction.value}d" for name, direction in pairs)


def _model_lines(card: ReportCard, is_verbose: bool) -> list[tuple[str, str]]:
    if card.n < _N_JUDGED:
        return []
    lines = [("model", text.model_skill(card.skill, card.skill_error))]
    if is_verbose:
        lines += [("", line) for line in _figures(card)]
    return lines


def _figures(card: ReportCard) -> list[str]:
    auc = "" if math.isnan(card.auc) else f", AUC {card.auc:.2f}"
    lines = [f"skill {card.skill:.2f} against the base rate{auc} over {text.count(card.n, 'trial')}"]
    lines += [f"{name}: skill {part.skill:.2f} over {part.n}" for name, part in card.by_model().items()]
    return [*lines, card.note] if card.note else lines


def _work_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """How long it takes, and who is at work."""
    lines = []
    if facts["finished"] and facts["seconds"]:
        lines.append(("rate", _rate(facts)))
    for worker in facts["workers"]:
        running = f"{worker['trials']} running" + (", but the process is gone" if worker["is_gone"] else "")
        lines.append(("worker", f"{text.worker(worker['process'], worker['host'])}: {running}"))
    return lines


def _rate(facts: dict[str, Any]) -> str:
    seconds_per_trial = facts["seconds"] / facts["finished"]
    rate = f"a trial every {text.duration(seconds_per_trial)}, {text.duration(facts['seconds'])} in all"
    left = 0 if facts["trials"] is None else facts["trials"] - facts["finished"]
    return f"{rate}; about {text.duration(left * seconds_per_trial)} for the {left} left" if left > 0 else rate

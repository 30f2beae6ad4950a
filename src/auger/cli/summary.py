"""What `auger tune` prints at its end: what is best, where the outputs are, and how to go on."""

from __future__ import annotations

from pathlib import Path

from auger import text
from auger.best import Best, best_settings
from auger.cli.echo import echo
from auger.cli.front import FrontOf
from auger.cli.studies import no_best
from auger.studies.pool.breakdown import N_ALIKE, Breakdown
from auger.studies.pool.events import Finished
from auger.studies.storage import is_outage
from auger.studies.study import Study
from auger.studies.view import view_of
from auger.types import Config
from auger.view import View

_BEGINNINGS = {"interrupted": "Interrupted after", "time": "Time is up after", "broken": "Stopped after"}


def print_summary(study: Study, ended: Finished, source: str, *, is_last: bool) -> None:
    """Print messages on stderr, and the settings on stdout: ``auger tune study.toml > best.toml``."""
    echo(_counts(study, ended, is_last), err=True)
    if ended.broken is not None:
        echo(_broken(ended.broken), err=True)
        return
    if not is_last:
        return
    try:
        view = view_of(study)
    except Exception as error:
        if not is_outage(error):
            raise
        echo("The storage does not answer. What has finished is told to it by the next command.", err=True)
        return
    best = best_settings(view)
    config = _print_front(FrontOf(view, study)) if best is None else best.config
    if best is not None:
        echo(_best(best), err=True)
        echo(text.toml(best.config))
    if config is None:
        echo(_no_success(study, view), err=True)
    else:
        echo(f"Outputs of the trials: {text.near(study.definition.trials_folder)}/<number>/", err=True)
    if ended.reason == "interrupted":
        echo("Next: the same command goes on from here.", err=True)
    elif config is not None:
        echo(f"Next: auger report {source}", err=True)
        if best is None:
            echo(f"Another trial of the front: auger best {source} --by NAME, or --prefer LIMITS", err=True)


def _print_front(front: FrontOf) -> Config | None:
    """Print the trials that no other beats, and the settings of a compromise, which are returned; None without any."""
    chosen = front.choose(None) if len(front.view.objectives) > 1 else None
    if chosen is None:
        return None
    complete = front.view.complete
    n_infeasible = sum(not trial.is_feasible for trial in complete)
    echo(f"Front: {text.front(len(front.view.front), n_infeasible, len(complete))}", err=True)
    for line in front.lines(chosen):
        echo(line, err=True)
    echo(f"Trial {chosen.number} is {text.choice(None)}.", err=True)
    echo(text.toml(chosen.config))
    return chosen.config


def _counts(study: Study, ended: Finished, is_last: bool) -> str:
    counts, budget = ended.counts, study.definition.trials
    of = "" if budget is None or counts.finished >= budget else f" of {budget}"
    parts = [f"{n} {what}" for n, what in ((counts.failed, "failed"), (counts.pruned, "pruned")) if n]
    how = f" ({', '.join(parts)})" if parts else ""
    if not ended.run and ended.reason == "trials" and budget is not None and is_last:
        return f"Nothing to run: {counts.finished} of {budget} trials were done before{how}. For more, raise --trials."
    begin = _BEGINNINGS.get(ended.reason, "Done:")
    total = f"{begin} {counts.finished}{of} trials{how}"
    if is_last:
        return f"{total}, {text.duration(ended.seconds)} this time."
    return f"{total}, {ended.run} of them here in {text.duration(ended.seconds)}."


def _broken(breakdown: Breakdown) -> str:
    return text.broken(
        number=breakdown.number,
        is_defaults=breakdown.is_defaults,
        n_alike=N_ALIKE,
        error=breakdown.error,
        stream=breakdown.stream,
        lines=breakdown.lines,
        folder=text.near(Path(breakdown.folder)),
    )


def _best(best: Best) -> str:
    lines = [f"Best: {best.headline}, trial {best.number}"]
    if best.comparison is not None:
        lines.append(f"That is {best.comparison}.")
    if best.estimate is not None:
        lines.append(f"It is {best.reason}.")
    return "\n".join(lines)


def _no_success(study: Study, view: View) -> str:
    if view.complete:
        return no_best(view)
    failed = [trial for trial in view.trials if trial.error]
    if not failed:
        return "No trial has succeeded yet."
    last = failed[-1]
    return (
        f"No trial succeeded. The last error, of trial {last.number}: {text.clean(last.error or '')}\n"
        f"Its output: {text.near(study.definition.trials_folder / str(last.number))}/\n"
        f"When the program is mended, `auger tune --forget` forgets the failures."
    )

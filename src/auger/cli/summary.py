"""The last words of `auger tune`: what is best, where the outputs are, and how to go on."""

from __future__ import annotations

import typer

from auger import text as words
from auger.studies.pool.events import Finished
from auger.studies.pool.progress import ending
from auger.studies.results import Best, best
from auger.studies.storage import is_outage
from auger.studies.study import Study


def say_how_it_ended(study: Study, ended: Finished, source: str, *, is_last: bool) -> None:
    """Talk on stderr, and on stdout the settings: ``auger tune study.toml > best.toml``."""
    typer.echo(_counts(study, ended, is_last), err=True)
    if not is_last:
        return
    try:
        found = best(study)
    except Exception as error:
        if not is_outage(error):
            raise
        typer.echo("The storage does not answer. What has finished is told to it by the next command.", err=True)
        return
    if found is None:
        typer.echo(_no_success(study), err=True)
    else:
        typer.echo(_best(found), err=True)
        typer.echo(words.toml(found.config))
        typer.echo(f"Outputs of the trials: {words.near(study.definition.trials_folder)}/<number>/", err=True)
        typer.echo(f"Settings again: auger best {source} (--json, --command)", err=True)
        typer.echo(f"How it went: auger status {source}", err=True)
        typer.echo(f"With plots and explanations: auger report {source}", err=True)
    if ended.reason == "interrupted":
        typer.echo("The same command goes on from here.", err=True)


def _counts(study: Study, ended: Finished, is_last: bool) -> str:
    counts, budget = ended.counts, study.definition.trials
    of = "" if budget is None or counts.finished >= budget else f" of {budget}"
    parts = [f"{n} {what}" for n, what in ((counts.failed, "failed"), (counts.pruned, "pruned")) if n]
    how = f" ({', '.join(parts)})" if parts else ""
    begin = {"interrupted": "Interrupted after", "time": "Time is up after"}.get(ended.reason, "Done:")
    total = f"{begin} {counts.finished}{of} trials{how}"
    if is_last:
        return f"{total}, {words.duration(ended.seconds)} this time."
    return f"{total}, {ended.run} of them here in {words.duration(ended.seconds)}."


def _best(found: Best) -> str:
    text = f"Best: {words.number(found.value)}, trial {found.number}"
    better = words.gain(found)
    if better is not None:
        text += f", {better}"
    if found.estimate is not None and found.error is not None:
        expected = f"{words.number(found.estimate)} ± {found.error:.2g}"
        text += f"\nValues are noisy: expect {expected} of it. It is {found.reason}"
    return f"{text}."


def _no_success(study: Study) -> str:
    failed = [trial for trial in study.trials() if ending(trial)[1].get("error")]
    if not failed:
        return "No trial has succeeded yet."
    last = failed[-1]
    error = words.clean(ending(last)[1]["error"])
    return (
        f"No trial succeeded. The last error, of trial {last.number}: {error}\n"
        f"Its output: {words.near(study.definition.trials_folder / str(last.number))}/"
    )

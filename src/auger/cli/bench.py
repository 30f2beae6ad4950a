"""`auger bench`: the paper's experiments, and any other comparison of methods on problems."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from fnmatch import filter as matching
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="The paper's experiments, and comparisons of your own.", no_args_is_help=True)

_OUT = typer.Option("--out", metavar="DIR", help="Folder of the results; an unfinished one is continued.")
_JOBS = typer.Option(metavar="J", help="Runs at a time, a process and a thread each.  [default: one a core]")
_LIST = "comma-separated; * stands for anything, 'all' for all there are."


@app.command()
def run(
    problems: Annotated[str, typer.Option(metavar="NAMES", help=f"Problems, {_LIST}")],
    methods: Annotated[str, typer.Option(metavar="NAMES", help=f"Methods, {_LIST}")],
    evals: Annotated[int, typer.Option(metavar="N", help="Evaluations a run.")],
    out: Annotated[Path, _OUT],
    seeds: Annotated[int, typer.Option(metavar="K", help="Runs of each method on each problem: seeds 0 to K - 1.")] = 5,
    jobs: Annotated[int | None, _JOBS] = None,
) -> None:
    """Run methods on problems. Repeat the command to go on after a stop; finished runs are kept."""
    from auger.bench.methods import METHODS  # noqa: PLC0415  (not needed for --help)
    from auger.problems import PROBLEMS  # noqa: PLC0415

    _run(_names(problems, PROBLEMS), _names(methods, METHODS), evals, seeds, jobs, out)


@app.command()
def experiment(
    name: Annotated[str, typer.Argument(help="Which one; `auger bench experiments` lists them.")],
    out: Annotated[Path, _OUT],
    methods: Annotated[str | None, typer.Option(metavar="NAMES", help=f"Only these methods, {_LIST}")] = None,
    evals: Annotated[int | None, typer.Option(metavar="N", help="Evaluations a run.")] = None,
    seeds: Annotated[int | None, typer.Option(metavar="K", help="Runs of each method on each problem.")] = None,
    jobs: Annotated[int | None, _JOBS] = None,
) -> None:
    """Run an experiment of the paper, or a part of it."""
    from auger.bench import experiments as paper  # noqa: PLC0415

    chosen = paper.experiment(name)
    wanted = list(chosen.methods) if methods is None else _names(methods, chosen.methods)
    n_evals, n_seeds = evals or chosen.n_evals, seeds or chosen.n_seeds
    _run(list(chosen.problems), wanted, n_evals, n_seeds, jobs, out)


@app.command()
def experiments() -> None:
    """List the experiments of the paper."""
    from auger.bench.experiments import EXPERIMENTS  # noqa: PLC0415

    for each in EXPERIMENTS.values():
        typer.echo(f"{each.name:15} {each.summary}")
        typer.echo(f"{'':15} {each.n_evals} evaluations, {each.n_seeds} seeds: {', '.join(each.problems)}")


@app.command()
def problems() -> None:
    """List the problems."""
    from auger.problems import PROBLEMS  # noqa: PLC0415

    _print_table(PROBLEMS.items())


@app.command()
def methods() -> None:
    """List the methods, and what those need that cannot run here."""
    from auger.bench.methods import METHODS  # noqa: PLC0415

    for name, entry in METHODS.items():
        needs = "" if entry.is_installed else f"  (not installed: {entry.install})"
        typer.echo(f"{name:18} {entry.summary}{needs}")


def _print_table(rows: Iterable[tuple[str, str]]) -> None:
    pairs = list(rows)
    width = max(len(name) for name, _ in pairs)
    for name, text in pairs:
        typer.echo(f"{name:{width}}  {text}")


def _names(text: str, known: Iterable[str]) -> list[str]:
    """The names meant, in order, each once. One that matches nothing stays: whoever looks it up knows what to say."""
    every = list(known)
    chosen: dict[str, None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = every if part == "all" else matching(every, part)
        chosen.update(dict.fromkeys(found or [part]))
    return list(chosen)


def _run(problems: list[str], methods: list[str], evals: int, seeds: int, jobs: int | None, out: Path) -> None:
    from auger.bench import runner  # noqa: PLC0415
    from auger.bench.methods import method  # noqa: PLC0415
    from auger.bench.progress import Bars, Lines  # noqa: PLC0415
    from auger.problems import problem  # noqa: PLC0415

    for name in methods:
        method(name).check()
    todo = runner.tasks(problems, methods, n_evals=evals, n_seeds=seeds)
    for name in problems:
        problem(name)  # its data and libraries are there, or this says what provides them
    progress = Bars() if sys.stderr.isatty() else Lines(lambda line: typer.echo(line, err=True))
    try:
        outcome = runner.run(todo, out, n_jobs=jobs or os.cpu_count() or 1, progress=progress)
    except KeyboardInterrupt:
        typer.echo(f"Stopped. Everything evaluated so far is in {out}; the same command goes on from there.", err=True)
        raise typer.Exit(130) from None
    typer.echo(f"{outcome.n_done} runs done, {outcome.n_found} were complete before, in {out}", err=True)
    for task, reason in outcome.crashes.items():
        typer.echo(f"crashed: {task}: {reason.splitlines()[-1]}", err=True)
    if outcome.crashes:
        typer.echo("Their files hold the reasons in full; the same command tries them again.", err=True)
        raise typer.Exit(1)

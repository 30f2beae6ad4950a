"""`auger bench`: the paper's experiments, and any other comparison of methods on problems."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from enum import Enum
from fnmatch import filter as matching
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auger.errors import AugerError, nearest

if TYPE_CHECKING:
    from auger_bench.run_files import Run

app = typer.Typer(help="The paper's experiments, and comparisons of your own.", no_args_is_help=True)

_OUT = typer.Option("--out", metavar="DIR", help="Folder of the results; an unfinished one is continued.")
_JOBS = typer.Option(min=1, metavar="J", help="Runs at a time, a process and a thread each.  [default: one a core]")
_FOLDER = typer.Argument(metavar="DIR", help="Folder written by `auger bench run` or `auger bench experiment`.")
_LIST = "comma-separated; * stands for anything, 'all' for all there are."
_ONLY = typer.Option(metavar="NAMES", help=f"Only these methods, {_LIST}")
_ONLY_PROBLEMS = typer.Option(metavar="NAMES", help=f"Only these problems, {_LIST}")


class Format(str, Enum):
    """What `table` prints."""

    markdown = "markdown"
    runs = "runs"
    curves = "curves"


@app.command()
def run(
    problems: Annotated[str, typer.Option(metavar="NAMES", help=f"Problems, {_LIST}")],
    methods: Annotated[
        str, typer.Option(metavar="NAMES", help=f"Methods, {_LIST} Recipes may have options: 'bore-rf gamma=0.25'.")
    ],
    evals: Annotated[int, typer.Option(min=1, metavar="N", help="Evaluations a run.")],
    out: Annotated[Path, _OUT],
    seeds: Annotated[
        int, typer.Option(min=1, metavar="K", help="Runs of each method on each problem: seeds 0 to K - 1.")
    ] = 5,
    jobs: Annotated[int | None, _JOBS] = None,
) -> None:
    """Run methods on problems. Repeat the command to go on after a stop; finished runs are kept."""
    from auger_bench.methods import METHODS  # not needed for --help
    from auger_bench.problems import PROBLEMS

    _run(_names(problems, PROBLEMS), _names(methods, METHODS), evals, seeds, jobs, out)


@app.command()
def experiment(
    name: Annotated[str, typer.Argument(help="Which one; `auger bench experiments` lists them.")],
    out: Annotated[Path, _OUT],
    methods: Annotated[str | None, _ONLY] = None,
    evals: Annotated[int | None, typer.Option(min=1, metavar="N", help="Evaluations a run.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, metavar="K", help="Runs of each method on each problem.")] = None,
    jobs: Annotated[int | None, _JOBS] = None,
) -> None:
    """Run an experiment of the paper, or one of those behind `auto`, or a part of it."""
    from auger_bench import experiments as paper

    chosen = paper.experiment(name)
    wanted = list(chosen.methods) if methods is None else _names(methods, chosen.methods)
    n_evals, n_seeds = evals or chosen.n_evals, seeds or chosen.n_seeds
    _run(list(chosen.problems), wanted, n_evals, n_seeds, jobs, out)


@app.command()
def table(
    folder: Annotated[Path, _FOLDER],
    methods: Annotated[str | None, _ONLY] = None,
    problems: Annotated[str | None, _ONLY_PROBLEMS] = None,
    reference: Annotated[
        str | None, typer.Option(metavar="NAME", help="The method to compare with.  [default: optuna-tpe]")
    ] = None,
    format: Annotated[
        Format, typer.Option(help="Tables to read, or CSV with a row a run, or with the curves of the figures.")
    ] = Format.markdown,
    at: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Where things stood after N evaluations.  [default: all]")
    ] = None,
) -> None:
    """Print what came out: regret, ranks, wins and losses, and what a suggestion costs."""
    from auger_bench import tables

    runs = _load(folder, problems, methods)
    if at is not None:
        runs = [run.first(at) for run in runs]
    if reference is not None:
        _check_there(reference, "method", runs, folder)
    if format is Format.markdown:
        typer.echo(tables.markdown(runs, reference=reference or "optuna-tpe"), nl=False)
    else:
        make = tables.runs_csv if format is Format.runs else tables.curves_csv
        typer.echo(make(runs), nl=False)


@app.command()
def plot(
    folder: Annotated[Path, _FOLDER],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The picture: .png or .svg.")],
    methods: Annotated[str | None, _ONLY] = None,
    problems: Annotated[str | None, _ONLY_PROBLEMS] = None,
) -> None:
    """Draw the regret over evaluations, a panel a problem, as the paper's figures."""
    from auger_bench.regret_plot import draw

    draw(_load(folder, problems, methods), out)
    typer.echo(str(out))


@app.command()
def experiments() -> None:
    """List the experiments of the paper, and those behind `auto`."""
    from auger_bench.experiments import EXPERIMENTS

    for each in EXPERIMENTS.values():
        typer.echo(f"{each.name:18} {each.summary}")
        if each.in_paper:
            typer.echo(f"{'':18} in the paper: {each.in_paper}")
        typer.echo(f"{'':18} here: {each.n_evals} evaluations, {each.n_seeds} seeds: {', '.join(each.problems)}")


@app.command()
def problems() -> None:
    """List the problems."""
    from auger_bench.problems import PROBLEMS

    _print_table(PROBLEMS.items())


@app.command()
def methods() -> None:
    """List the methods, and what those need that cannot run here."""
    from auger_bench.methods import METHODS

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
    if not text.strip(", "):
        raise AugerError(f"A list of names must hold at least one. Got {text!r}. Known: {', '.join(every)}.")
    chosen: dict[str, None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = every if part == "all" else matching(every, part)
        chosen.update(dict.fromkeys(found or [part]))
    return list(chosen)


def _load(folder: Path, problems: str | None, methods: str | None) -> list[Run]:
    """The runs of a folder, or those of the problems and methods named."""
    from auger_bench.run_files import load

    runs = load(folder)
    for text, attribute in ((problems, "problem"), (methods, "method")):
        if text is None:
            continue
        wanted = _names(text, sorted({getattr(run.head, attribute) for run in runs}))
        for name in wanted:
            _check_there(name, attribute, runs, folder)
        runs = [run for run in runs if getattr(run.head, attribute) in wanted]
    return runs


def _check_there(name: str, attribute: str, runs: list[Run], folder: Path) -> None:
    there = sorted({getattr(run.head, attribute) for run in runs})
    if name not in there:
        raise AugerError(f"There is no run of {attribute} {name!r} in {folder}. {nearest(name, there)}")


def _run(problems: list[str], methods: list[str], evals: int, seeds: int, jobs: int | None, out: Path) -> None:
    from auger_bench import runner
    from auger_bench.methods import method
    from auger_bench.problems import problem
    from auger_bench.progress import Bars, Lines

    entries = [method(name) for name in methods]
    for entry in entries:
        entry.check()
    names = list(dict.fromkeys(entry.name for entry in entries))  # a recipe may be spelled in several ways
    todo = runner.tasks(problems, names, n_evals=evals, n_seeds=seeds)
    for name in problems:
        problem(name)  # its data and libraries are there, or this says what provides them
    progress = Bars() if sys.stderr.isatty() else Lines(lambda line: typer.echo(line, err=True))
    try:
        outcome = runner.run(todo, out, n_jobs=jobs or os.cpu_count() or 1, progress=progress)
    except KeyboardInterrupt:
        typer.echo(f"Stopped. Everything evaluated so far is in {out}; the same command goes on from there.", err=True)
        raise typer.Exit(130) from None
    typer.echo(f"{outcome.n_done} runs done, {outcome.n_before} were complete before, in {out}", err=True)
    for task, reason in outcome.crashes.items():
        typer.echo(f"crashed: {task}: {reason.splitlines()[-1]}", err=True)
    if outcome.crashes:
        typer.echo(
            "The same command tries them again. What could be recorded of the reasons is in their files.", err=True
        )
        raise typer.Exit(1)

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

app = typer.Typer(help="Compare optimizers: the paper's experiments, or yours.", no_args_is_help=True)

_OUT = typer.Option("--out", metavar="DIR", help="Folder of the results; unfinished runs in it are continued.")
_JOBS = typer.Option(
    min=1, metavar="J", help="Runs at the same time, one process and one thread each.  [default: one per core]"
)
_RESULTS = typer.Argument(
    metavar="RESULTS...",
    help="Folders written by `auger bench run` or `experiment`, and CSV files of `auger bench table --format runs`. "
    "Where two have the same run, the later one counts.",
)
_UNTIL = typer.Option(
    "--until-optimum",
    help="End a run at the optimum, where that is known and there is no noise: no later value counts.",
)
_LIST = "comma-separated; * matches any text, 'all' is every name."
_ONLY = typer.Option(metavar="NAMES", help=f"Only these methods, {_LIST}")
_ONLY_PROBLEMS = typer.Option(metavar="NAMES", help=f"Only these problems, {_LIST}")


class Format(str, Enum):
    """The formats of `table`."""

    markdown = "markdown"
    runs = "runs"
    curves = "curves"


@app.command()
def run(
    problems: Annotated[str, typer.Option(metavar="NAMES", help=f"Problems, {_LIST}")],
    methods: Annotated[
        str, typer.Option(metavar="NAMES", help=f"Methods, {_LIST} Recipes may have options: 'bore-rf gamma=0.25'.")
    ],
    evals: Annotated[int, typer.Option(min=1, metavar="N", help="Evaluations per run.")],
    out: Annotated[Path, _OUT],
    seeds: Annotated[
        int, typer.Option(min=1, metavar="K", help="Runs of each method on each problem: seeds 0 to K - 1.")
    ] = 5,
    jobs: Annotated[int | None, _JOBS] = None,
    until_optimum: Annotated[bool, _UNTIL] = False,
) -> None:
    """Run methods on problems. After a stop, the same command continues; finished runs are kept."""
    from auger_bench.methods import METHODS  # not needed for --help
    from auger_bench.problems import PROBLEMS

    _run(_names(problems, PROBLEMS), _names(methods, METHODS), evals, seeds, jobs, out, until_optimum)


@app.command()
def experiment(
    name: Annotated[str, typer.Argument(help="Name of the experiment; `auger bench experiments` lists them.")],
    out: Annotated[Path, _OUT],
    methods: Annotated[str | None, _ONLY] = None,
    evals: Annotated[int | None, typer.Option(min=1, metavar="N", help="Evaluations per run.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, metavar="K", help="Runs of each method on each problem.")] = None,
    jobs: Annotated[int | None, _JOBS] = None,
    until_optimum: Annotated[bool, _UNTIL] = False,
) -> None:
    """Run an experiment of the paper, or one behind `auto`.

    Options select a part of it.
    """
    from auger_bench import experiments

    chosen = experiments.experiment(name)
    wanted = list(chosen.methods) if methods is None else _names(methods, chosen.methods)
    n_evals, n_seeds = evals or chosen.n_evals, seeds or chosen.n_seeds
    _run(list(chosen.problems), wanted, n_evals, n_seeds, jobs, out, until_optimum)


@app.command()
def table(
    results: Annotated[list[Path], _RESULTS],
    methods: Annotated[str | None, _ONLY] = None,
    problems: Annotated[str | None, _ONLY_PROBLEMS] = None,
    reference: Annotated[
        str | None, typer.Option(metavar="NAME", help="The method to compare with.  [default: optuna-tpe]")
    ] = None,
    format: Annotated[
        Format, typer.Option(help="Tables to read, CSV with one row per run, or CSV with the curves of the figures.")
    ] = Format.markdown,
    at: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N evaluations of each run.  [default: all]")
    ] = None,
) -> None:
    """Print regret, ranks, wins, and CPU time per suggestion."""
    from auger_bench import tables

    runs = _load(results, problems, methods)
    if at is not None:
        runs = [run.first(at) for run in runs]
    if reference is not None:
        _check_has_runs(reference, "method", runs, results)
    if format is Format.markdown:
        typer.echo(tables.markdown(runs, reference=reference or "optuna-tpe"), nl=False)
    else:
        to_csv = tables.runs_csv if format is Format.runs else tables.curves_csv
        typer.echo(to_csv(runs), nl=False)


@app.command()
def plot(
    results: Annotated[list[Path], _RESULTS],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="File of the figure, .png or .svg.")],
    methods: Annotated[str | None, _ONLY] = None,
    problems: Annotated[str | None, _ONLY_PROBLEMS] = None,
) -> None:
    """Draw the regret over evaluations, one panel per problem.

    The panels look like those of the paper's figures.
    """
    from auger_bench.regret_plot import draw

    draw(_load(results, problems, methods), out)
    typer.echo(str(out))


@app.command()
def experiments() -> None:
    """List the experiments of the paper and those behind `auto`."""
    from auger_bench.experiments import EXPERIMENTS

    for name, entry in EXPERIMENTS.items():
        typer.echo(f"{name:18} {entry.summary}")
        if entry.in_paper:
            typer.echo(f"{'':18} in the paper: {entry.in_paper}")
        typer.echo(f"{'':18} here: {entry.n_evals} evaluations, {entry.n_seeds} seeds: {', '.join(entry.problems)}")


@app.command()
def problems() -> None:
    """List the problems."""
    from auger_bench.problems import PROBLEMS

    width = max(map(len, PROBLEMS))
    for name, summary in PROBLEMS.items():
        typer.echo(f"{name:{width}}  {summary}")


@app.command()
def methods() -> None:
    """List the methods, and how to install missing ones."""
    from auger_bench.methods import METHODS

    for name, entry in METHODS.items():
        needs = "" if entry.is_installed else f"  (not installed: {entry.install})"
        several = "; several objectives and constraints" if entry.make_several else ""
        typer.echo(f"{name:18} {entry.summary}{several}{needs}")


def _names(text: str, available: Iterable[str]) -> list[str]:
    """The names that a list selects, in its order, each once. A part without a match is kept: its lookup will fail."""
    every = list(available)
    if not text.strip(", "):
        raise AugerError(f"A list of names must hold at least one of: {', '.join(every)}. Got {text!r}.")
    chosen: dict[str, None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        chosen.update(dict.fromkeys((every if part == "all" else matching(every, part)) or [part]))
    return list(chosen)


def _load(results: list[Path], problems: str | None, methods: str | None) -> list[Run]:
    """The runs of folders and files, or those of the selected problems and methods."""
    by_name = {
        (run.head.problem, run.head.method, run.head.seed): run for source in results for run in _load_source(source)
    }
    runs = list(by_name.values())
    for text, attribute in ((problems, "problem"), (methods, "method")):
        if text is None:
            continue
        wanted = _names(text, sorted({getattr(run.head, attribute) for run in runs}))
        for name in wanted:
            _check_has_runs(name, attribute, runs, results)
        runs = [run for run in runs if getattr(run.head, attribute) in wanted]
    return runs


def _load_source(source: Path) -> list[Run]:
    from auger_bench.run_files import load
    from auger_bench.tables import read_runs

    return read_runs(source.read_text(encoding="utf-8")) if source.is_file() else load(source)


def _check_has_runs(name: str, attribute: str, runs: list[Run], results: list[Path]) -> None:
    names = sorted({getattr(run.head, attribute) for run in runs})
    if name not in names:
        where = ", ".join(map(str, results))
        raise AugerError(f"There is no run of {attribute} {name!r} in {where}. {nearest(name, names)}")


def _run(
    problems: list[str],
    methods: list[str],
    evals: int,
    seeds: int,
    jobs: int | None,
    out: Path,
    until_optimum: bool,
) -> None:
    from auger_bench import runner
    from auger_bench.methods import method
    from auger_bench.problems import problem
    from auger_bench.progress import Bars, Lines

    entries = [method(name) for name in methods]
    for entry in entries:
        entry.check()
    names = list(dict.fromkeys(entry.name for entry in entries))  # one recipe can be written in several ways
    todo = runner.tasks(problems, names, n_evals=evals, n_seeds=seeds, until_optimum=until_optimum)
    for name in problems:
        black_box = problem(name)  # raises if data or libraries are missing
        for entry in entries:
            entry.check_suits(black_box)
    progress = Bars() if sys.stderr.isatty() else Lines(lambda line: typer.echo(line, err=True))
    try:
        outcome = runner.run(todo, out, n_jobs=jobs or os.cpu_count() or 1, progress=progress)
    except KeyboardInterrupt:
        typer.echo(f"Stopped. All finished evaluations are in {out}; the same command continues from there.", err=True)
        raise typer.Exit(130) from None
    typer.echo(f"{outcome.n_done} runs done, {outcome.n_before} were complete before, in {out}", err=True)
    for task, reason in outcome.crashes.items():
        typer.echo(f"crashed: {task}: {reason.splitlines()[-1]}", err=True)
    if outcome.crashes:
        typer.echo(
            "The same command tries them again. Their files hold the reasons, as far as they could be recorded.",
            err=True,
        )
        raise typer.Exit(1)

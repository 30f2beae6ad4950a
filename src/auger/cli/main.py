"""`auger`, and what all its commands share."""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from typing import Annotated

import typer

import auger
from auger import text
from auger.cli import init, report, status, studies, trials, tryout, tune, upkeep
from auger.cli.echo import echo, never_fail
from auger.cli.program import WithProgram
from auger.errors import AugerError, StorageUnreachableError

app = typer.Typer(
    name="auger",
    help="Find good settings for anything expensive to try.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=WithProgram, epilog=tune.EXIT_CODES)(tune.tune)
app.command(epilog=tune.EXIT_CODES)(tune.worker)
app.command("try", cls=WithProgram, epilog=tryout.EXIT_CODES)(tryout.try_)
app.command(cls=WithProgram)(init.init)
app.command()(status.status)
app.command()(studies.best)
app.command()(trials.trials)
app.command()(report.report)
app.command("import")(studies.import_)
app.command()(studies.dashboard)
app.command()(upkeep.clean)
app.command()(upkeep.rm)


def _add_installed_commands() -> None:
    """Add the commands of other packages: entry points of the group "auger.commands", Typers or functions."""
    for entry in entry_points(group="auger.commands"):
        command = entry.load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=entry.name)
        else:
            app.command(entry.name)(command)


_add_installed_commands()


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        echo(f"auger {auger.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; an expected error becomes one line on stderr."""
    never_fail()
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except (AugerError, OSError) as error:
        message = error if isinstance(error, AugerError) else text.system_error(error)
        echo(f"auger: {message}", err=True)
        sys.exit(3 if isinstance(error, StorageUnreachableError) else 2)
    except Exception as error:
        if not _is_of_a_database(error):
            raise
        from auger.studies.storage import error_line

        echo(f"auger: The storage does not answer: {error_line(error)}", err=True)
        sys.exit(3)
    finally:
        _flush()


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has ended, which is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_of_a_database(error: Exception) -> bool:
    """Whether a storage was lost in a command that does not wait for it."""
    if "sqlalchemy" not in sys.modules:
        return False
    from auger.studies.storage import is_outage

    return is_outage(error)

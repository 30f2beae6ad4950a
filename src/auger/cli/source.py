"""Where the commands `tune` and `try` have their study from: a study file, a function, a storage, or options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auger.cli.program import Program
from auger.cli.studies import find_study
from auger.errors import StudyError
from auger.files import read_regular

if TYPE_CHECKING:
    from auger.studies.definition import Definition
    from auger.studies.storage import Storage

# How a journal of Optuna begins.
_JOURNAL = b'{"op_code"'


@dataclass(frozen=True)
class Source:
    """A study that is to be run.

    Attributes:
        definition: of the study.
        words: that name it in other commands; None where only its storage does.
        storage: where it is stored, opened; None where it may be new.
    """

    definition: Definition
    words: str | None = None
    storage: Storage | None = None


def find_source(study: str | None, space: Path | None, program: Program) -> Source:
    """The study that a command line names or describes.

    Args:
        study: a study file, a storage, or a function.
        space: the study file of a function.
        program: what followed ``--``, and its options.
    """
    from auger.studies.definition import is_function_name, read_study_file

    if program.words:
        if study is not None or space is not None:
            raise StudyError(f"Before the -- there must be options only. Got {str(study or space)!r}, too.")
        return Source(program.definition())
    if study is None:
        raise StudyError("Name a study file (`auger init` writes one), or a program after --.")
    is_stored = _is_storage(study)
    for option, value in {**program.options, "--name": None if is_stored else program.name}.items():
        if value is not None:
            raise StudyError(f"{option}: only for a program after --. A study file or a storage says it itself.")
    if is_stored:
        stored = find_study(study, program.name)
        words = study if program.name is None else f"{study} {program.name}"
        return Source(stored.definition, words, stored.storage)
    if space is not None:
        return Source(read_study_file(space, function=study))
    if is_function_name(study) and not Path(study).exists():
        raise StudyError(
            f"A function needs its space: auger tune {study} --space FILE, or "
            f"auger tune --float x=0:1 -- {study} with all of its parameters."
        )
    return Source(read_study_file(Path(study)), study)


def _is_storage(study: str) -> bool:
    """Whether it is the address of a storage: a URL, or a journal, whatever its ending."""
    if "://" in study or study.endswith(".journal"):
        return True
    try:
        return read_regular(Path(study), len(_JOURNAL), follow=True) == _JOURNAL
    except OSError:
        return False

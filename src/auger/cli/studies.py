"""Commands about studies that are there: status, best, trials, import, dashboard; and `auger init`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from auger.errors import StudyError

if TYPE_CHECKING:
    from auger.studies.study import Study


def quiet() -> None:
    """Optuna says what it does on stderr; so do we, in our own words."""
    import optuna  # noqa: PLC0415

    optuna.logging.set_verbosity(optuna.logging.ERROR)


def find_study(where: str, name: str | None = None) -> Study:
    """The study of a study file, or of a storage, by name where it holds several."""
    from auger.studies.file import read_study_file  # noqa: PLC0415
    from auger.studies.storage import open_storage  # noqa: PLC0415
    from auger.studies.study import load_study  # noqa: PLC0415

    quiet()
    if not where.endswith(".toml"):
        return load_study(open_storage(where, is_new_ok=False), name)
    if name is not None:
        raise StudyError(f"{where} is a study file: it names its study itself. Got {name!r} as well.")
    definition = read_study_file(Path(where))
    return load_study(open_storage(definition.storage, folder=Path(definition.home), is_new_ok=False), definition.name)

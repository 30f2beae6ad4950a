"""Upkeep of studies: trial folders deleted, a study removed, or set aside so that another can have its name."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import optuna
from optuna.trial import FrozenTrial

from auger.errors import StudyError
from auger.hosts.optuna.trials import state_of
from auger.schema import DEFINITION
from auger.studies.pool.owners import running_owners
from auger.studies.pool.slots import LOCKS
from auger.studies.storage import Storage
from auger.studies.study import Study, load_study, names_of
from auger.studies.trial.outcome import RESULT, read_result
from auger.studies.trial.tryout import FOLDER as TRYOUT

# What a storage file has beside it: locks, the lines that were cut off a journal, SQLite's own logs.
_COMPANIONS = ("", ".turn", ".lock", ".torn", "-wal", "-shm")


@dataclass(frozen=True)
class Belongings:
    """What is removed together.

    Attributes:
        n_trials: trials in the storage.
        folders: trial folders, and that of the last tryout.
        size: bytes of the files in them.
        files: the storage and what belongs to it, unless it is a server or holds other studies.
    """

    n_trials: int
    folders: tuple[Path, ...]
    size: int
    files: tuple[Path, ...] = ()


def folders_to_clean(study: Study, *, keep: Collection[int]) -> Belongings:
    """The folders of the finished trials, but not of those numbered ``keep``.

    A trial that has not ended keeps its folder: if its process has died, its result may be there.
    """
    numbers = [frozen.number for frozen in study.trials() if frozen.state.is_finished() and frozen.number not in keep]
    return _belongings(study, numbers)


def belongings_of(study: Study) -> Belongings:
    """Everything that `remove` removes. Raises a StudyError while a process works on the study."""
    check_nobody_works(study)
    address = study.storage.address
    is_alone = address.path is not None and names_of(study.storage) == [study.definition.name]
    files = [Path(f"{address.path}{ending}") for ending in _COMPANIONS] if is_alone else []
    belongings = _belongings(study, range(len(study.trials())))
    return replace(belongings, files=tuple(path for path in files if path.exists() or path.is_symlink()))


def delete_folders(study: Study, belongings: Belongings) -> None:
    """Delete trial folders, and the folder that holds them if nothing else is in it."""
    for folder in belongings.folders:
        shutil.rmtree(folder)
    with suppress(OSError):  # not empty, or not there
        study.definition.trials_folder.rmdir()


def remove(study: Study, belongings: Belongings) -> None:
    """Remove a study from its storage, and everything that belongs to it."""
    shutil.rmtree(study.definition.trials_folder / LOCKS, ignore_errors=True)
    delete_folders(study, belongings)
    with study.storage.turn(study.definition.name):
        study.storage.optuna.delete_study(study.key)
    if study.storage.engine is not None:
        study.storage.engine.dispose()
    for path in belongings.files:
        path.unlink(missing_ok=True)


def set_aside(storage: Storage, name: str, *, home: str) -> str | None:
    """Give a study another name, so that a new one can begin under its own.

    The study is copied before it is deleted: whatever happens meanwhile, nothing is lost. Its trial folders move along.

    Args:
        storage: of the study.
        name: of the study; where there is none, nothing is done.
        home: the folder of the study file, which may not be where the study was begun.

    Returns:
        The other name; None where there was no trial to keep.

    Raises:
        StudyError: a process works on the study.
    """
    if name not in names_of(storage):
        return None
    stored = load_study(storage, name)
    study = replace(stored, definition=replace(stored.definition, home=home))
    check_nobody_works(study)
    new_name = _copy(study) if study.trials() else None
    storage.optuna.delete_study(study.key)
    return new_name


def check_nobody_works(study: Study) -> None:
    """Raise a StudyError while a process works on a study, as far as can be told from here."""
    for number, (owner, _) in running_owners(study.trials()).items():
        if not owner.is_gone:
            raise StudyError(
                f"Somebody works on the study {study.definition.name!r}: trial {number} is run by {owner}. Stop it "
                f"first (Ctrl-C twice). If that machine is lost, `auger worker` gives its trials up after 90 seconds."
            )


def _copy(study: Study) -> str:
    """Copy a study under the next free name, and move its trial folders there."""
    storage, definition, names = study.storage, study.definition, names_of(study.storage)
    counter = 1
    while f"{definition.name}-{counter}" in names or Path(f"{definition.trials_folder}-{counter}").exists():
        counter += 1
    name = f"{definition.name}-{counter}"
    optuna.copy_study(
        from_study_name=definition.name, from_storage=storage.optuna, to_storage=storage.optuna, to_study_name=name
    )
    new_definition = replace(definition, name=name, folder=f"{definition.folder}-{counter}")
    copy = optuna.load_study(study_name=name, storage=storage.optuna)
    copy.set_user_attr(DEFINITION, new_definition.to_json())
    for folder in _folders(study, range(len(study.trials()))):
        new_definition.trials_folder.mkdir(parents=True, exist_ok=True)
        folder.rename(new_definition.trials_folder / folder.name)
    return name


def _belongings(study: Study, numbers: Iterable[int]) -> Belongings:
    folders = _folders(study, [*numbers, TRYOUT])
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return Belongings(len(study.trials()), folders, sum(path.stat().st_size for path in files))


def _folders(study: Study, names: Iterable[int | str]) -> tuple[Path, ...]:
    """The folders of these trials, and of a tryout, as far as they are there and of this study."""
    trials = {str(frozen.number): frozen for frozen in study.trials()}
    folders = [study.definition.trials_folder / str(name) for name in names]
    there = [folder for folder in folders if folder.is_dir() and not folder.is_symlink()]
    return tuple(folder for folder in there if folder.name == TRYOUT or _is_own(study, folder, trials[folder.name]))


def _is_own(study: Study, folder: Path, frozen: FrozenTrial) -> bool:
    """Whether a folder is that of a trial: a study of the same name in another storage has folders of the same names.

    The result in it tells, or those of its runs; an unfinished trial has none.
    """
    config = study.config(frozen.params)
    places = [folder, *(run for run in folder.iterdir() if run.is_dir())]
    with_result = [place for place in places if (place / RESULT).exists()]
    if not with_result:
        return not state_of(frozen).is_answer
    n_numbers = study.definition.n_numbers
    return any(read_result(place.parent, place.name, config, n_numbers=n_numbers) is not None for place in with_result)

"""What the shell offers for an argument that names a study."""

from __future__ import annotations

from pathlib import Path

from auger.characters import is_shown

# What names a study: its file, or its journal. A database is named by a URL, which shells take for several words.
_ENDINGS = (".toml", ".journal")


def study_places(incomplete: str) -> list[str]:
    """The study files and journals that begin with what was typed, and the folders that may hold some."""
    folder, slash, name = incomplete.rpartition("/")
    try:
        paths = sorted(Path(folder or slash or ".").iterdir())
    except OSError:
        return []
    paths = [path for path in paths if path.name.startswith(name) and is_shown(path.name)]  # a shell prints them raw
    folders = [f"{path.name}/" for path in paths if path.is_dir() and path.suffix != ".trials"]
    files = [path.name for path in paths if path.name.endswith(_ENDINGS) and not path.is_dir()]
    return [f"{folder}{slash}{offer}" for offer in [*files, *folders] if name or not offer.startswith(".")]

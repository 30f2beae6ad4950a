import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def data(monkeypatch):
    """The folder of benchmark data, named by AUGER_DATA for the length of a test."""
    folder = Path(os.environ.get("AUGER_DATA") or BESIDE)
    if not folder.is_dir():
        pytest.skip(f"needs the benchmark data: no folder {folder}; set AUGER_DATA to one")
    monkeypatch.setenv("AUGER_DATA", str(folder))
    return folder

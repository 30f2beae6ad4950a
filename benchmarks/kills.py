"""Kill the processes of running studies at random, for as long as one likes, and compare with the programs' own ledger.

    pip install ".[test]" && python benchmarks/kills.py [--kills 1000] [--storages journal,sqlite,postgres] [--seed 1]

The same as tests/faults/test_random_kills.py, which does a hundred kills of each storage. One line per storage on
stdout: kills by target, trials, programs that ran again, and faults: what was lost, wrong, beyond the budget, orphaned
or stuck. The first fault ends the script with an error that shows it. PostgreSQL is started for the occasion.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

STORAGES = {"journal": "study.journal", "sqlite": "sqlite:///study.db", "postgres": ""}


@contextmanager
def address_of(name: str) -> Iterator[str]:
    """The address of a new storage, for the length of a block."""
    if name != "postgres":
        yield STORAGES[name]
        return
    server: Any = importlib.import_module("faults.postgres").Postgres()
    server.start()
    try:
        yield server.database()
    finally:
        server.remove()


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000, help="of each storage")
    parser.add_argument("--storages", default=",".join(STORAGES))
    parser.add_argument("--seed", type=int, default=1, help="of the dice; the processes have their own")
    options = parser.parse_args()
    havoc: Any = importlib.import_module("faults.random_kills").Havoc
    open_scene: Any = importlib.import_module("faults.scene").open_scene
    for name in options.storages.split(","):
        began = time.monotonic()
        folder = Path(tempfile.mkdtemp(prefix="auger-kills-"))
        with address_of(name) as address, open_scene(folder, "kills") as scene:
            account = havoc(scene, address, options.seed).run(options.kills)
        shutil.rmtree(folder)  # it stays where something went wrong
        print(f"{name}: {account}; {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()

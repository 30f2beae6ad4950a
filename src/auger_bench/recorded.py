"""The curves of the experiments as we ran them, for figures that need no run: they come with the package.

`auger bench table DIR --format curves` writes such files; docs/benchmarks.md and docs/auto.md have the commands behind
each, and every run's end is in the repository, in benchmarks/results.
"""

from __future__ import annotations

from importlib.resources import files

from auger_bench.statistics import Curve
from auger_bench.tables import read_curves


def recorded(name: str) -> list[Curve]:
    """The curves recorded of an experiment of the paper, or of "unseen", that behind `auto`.

    Example:
        >>> sorted({curve.problem for curve in recorded("racing")})
        ['racing-ethz-a', 'racing-ethz-b', 'racing-ucb']
    """
    return read_curves((files("auger_bench") / "results" / f"{name}.csv").read_text(encoding="utf-8"))

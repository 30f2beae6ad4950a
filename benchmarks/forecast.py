"""How often `auger.insight.forecast` is right: small studies on random functions, and the forecasts during them.

200 studies with trees and random search, which are cheap, and 60 with `auto`, the default.

    python benchmarks/forecast.py run        writes benchmarks/results/forecast.csv (a few minutes)
    python benchmarks/forecast.py            prints the table and draws docs/figures/forecast.png from it

The numbers inside the forecast were chosen on other functions (seeds below 200).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from auger import Recipe, minimize
from auger.classifiers import ExtraTrees
from auger.insight.forecast import chance, improvements
from auger.maximizers import RandomSearch
from auger.types import Array, Config
from auger.view import view

HOME = Path(__file__).resolve().parent.parent
RESULTS = HOME / "benchmarks" / "results" / "forecast.csv"
FIGURE = HOME / "docs" / "figures" / "forecast.png"

FIRST_SEED, N_TRIALS = 1000, 60
AHEAD = (5, 10, 20)
TIMES = (10, 15, 20, 30, 40, 50)
RECIPES: dict[str, Recipe | str] = {
    "trees": Recipe("trees", ExtraTrees(), RandomSearch(200), gamma=0.15),
    "auto": "auto",
}
N_STUDIES = {"trees": 200, "auto": 60}
N_INITIAL = 10

COLORS = ("#0072B2", "#D55E00", "#009E73")  # Okabe and Ito's

KINDS = ("bowl", "waves", "noisy waves", "waves in steps", "waves in a bowl")


@dataclass(frozen=True)
class Run:
    """One study; `improved` has one letter per trial, 1 if it improved on all before it, else 0."""

    recipe: str
    study: int
    kind: str
    dimensions: int
    improved: str


@dataclass(frozen=True)
class Forecast:
    """The forecast p after n trials of a study for the next k trials, and whether one of them improved."""

    recipe: str
    study: int
    n: int
    k: int
    p: float
    improved: bool


def function(seed: int) -> tuple[str, int, Callable[[Array], float]]:
    """A random function on the unit cube: its kind, the number of dimensions, and the function."""
    rng = np.random.default_rng(seed)
    kind, d = KINDS[seed % len(KINDS)], 1 + seed // len(KINDS) % 4
    frequency = rng.normal(size=(100, d)) / rng.uniform(0.1, 0.8, size=d)
    phase, height = rng.uniform(0, 2 * np.pi, 100), rng.normal(size=100) * np.sqrt(2 / 100)
    center, noise = rng.uniform(size=d), np.random.default_rng([seed, 1])

    def value(x: Array) -> float:
        bowl, waves = float(((x - center) ** 2).sum()), float(height @ np.cos(frequency @ x + phase))
        return {
            "bowl": lambda: bowl,
            "waves": lambda: waves,
            "noisy waves": lambda: waves + 0.2 * float(noise.normal()),
            "waves in steps": lambda: round(waves, 1),
            "waves in a bowl": lambda: waves + 2 * bowl,
        }[kind]()

    return kind, d, value


def run(recipe: str, seed: int) -> Run:
    """A study of a random function."""
    kind, d, value = function(seed)

    def objective(config: Config) -> float:
        return value(np.array(list(config.values())))

    space = {f"x{j}": (0.0, 1.0) for j in range(d)}
    result = minimize(objective, space, n_trials=N_TRIALS, seed=seed, recipe=RECIPES[recipe])
    return Run(recipe, seed, kind, d, "".join("1" if is_better else "0" for is_better in improvements(view(result))))


def forecasts_of(run: Run) -> Iterator[Forecast]:
    """The forecasts during a study."""
    improved = np.array(list(run.improved)) == "1"
    for n in TIMES:
        for k in AHEAD:
            if n + k <= len(improved):
                p = chance(improved[:n], k, start=N_INITIAL)
                yield Forecast(run.recipe, run.study, n, k, p, bool(improved[n : n + k].any()))


def calibration_error(p: Array, z: Array, n_bins: int = 10) -> float:
    """The mean distance between forecast and share over groups of equal width, weighted by their sizes (ECE)."""
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    return sum(abs(float((p - z)[bins == b].sum())) for b in range(n_bins)) / len(p)


def errors_by_chance(forecasts: list[Forecast], n_draws: int = 400) -> tuple[float, float, float]:
    """The calibration error; its 95 % point if all forecasts were true; its standard error over studies.

    Forecasts of one study are right or wrong together. So for the second, whole studies are drawn with replacement, and
    the mean error of their forecasts is subtracted: the rest is chance.
    """
    p, z = np.array([f.p for f in forecasts]), np.array([f.improved for f in forecasts], dtype=float)
    ids = np.array([f.study for f in forecasts])
    parts = [np.flatnonzero(ids == i) for i in np.unique(ids)]
    bins = np.minimum((p * 10).astype(int), 9)
    miss = np.array([(p - z)[bins == b].mean() if (bins == b).any() else 0.0 for b in range(10)])
    rng = np.random.default_rng(0)
    drawn, by_chance = [], []
    for _ in range(n_draws):
        rows = np.concatenate([parts[i] for i in rng.integers(len(parts), size=len(parts))])
        drawn.append(calibration_error(p[rows], z[rows]))
        away = (p - z - miss[bins])[rows]
        by_chance.append(sum(abs(float(away[bins[rows] == b].sum())) for b in range(10)) / len(rows))
    return calibration_error(p, z), float(np.quantile(by_chance, 0.95)), float(np.std(drawn))


def write(runs: list[Run]) -> None:
    """Write the studies to their file."""
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Run)])
        writer.writerows(map(astuple, runs))


def read() -> list[Run]:
    """Read the studies from their file."""
    with RESULTS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [Run(row["recipe"], int(row["study"]), row["kind"], int(row["dimensions"]), row["improved"]) for row in rows]


def table(forecasts: list[Forecast]) -> str:
    """Forecasts and what happened, by recipe and by the number of trials ahead."""
    columns = ["recipe", "trials ahead", "forecasts", "mean forecast", "improved", "calibration error"]
    lines = [
        "| " + " | ".join([*columns, "its standard error", "by chance, up to"]) + " |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for recipe in N_STUDIES:
        for k in (*AHEAD, None):
            part = [f for f in forecasts if f.recipe == recipe and k in (f.k, None)]
            p, z = np.mean([f.p for f in part]), np.mean([f.improved for f in part])
            error, by_chance, spread = errors_by_chance(part)
            numbers = (f"{number:.3f}" for number in (p, z, error, spread, by_chance))
            lines.append(f"| {recipe} | {'all' if k is None else k} | {len(part):,} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def draw(forecasts: list[Forecast]) -> None:
    """The reliability diagrams, one for each recipe."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, both = pyplot.subplots(1, 2, figsize=(8.6, 4.4), layout="constrained", sharey=True)
    for axes, recipe in zip(both, N_STUDIES, strict=True):
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, zorder=0)
        for k, color, marker, shift in zip(AHEAD, COLORS, "osD", (-0.008, 0.0, 0.008), strict=True):
            part = [f for f in forecasts if (f.recipe, f.k) == (recipe, k)]
            p, z = np.array([f.p for f in part]), np.array([f.improved for f in part])
            bins = np.minimum((p * 10).astype(int), 9)
            for b in np.unique(bins).tolist():
                rows = bins == b
                low, high = binomtest(int(z[rows].sum()), int(rows.sum())).proportion_ci(method="wilson")
                at = float(p[rows].mean()) + shift
                axes.plot([at, at], [low, high], color=color, linewidth=1)
                label = f"{k} trials ahead" if b == bins.min() else None
                axes.plot(at, z[rows].mean(), marker, color=color, markersize=3 + np.sqrt(rows.sum()) / 4, label=label)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="forecast probability of an improvement")
        axes.set_title(f"{recipe}: {N_STUDIES[recipe]} studies of {N_TRIALS} trials", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    both[0].set_ylabel("share that improved")
    legend = both[0].legend(frameon=False, loc="upper left")
    for handle in legend.legend_handles:
        handle.set_markersize(6)
    figure.savefig(FIGURE, dpi=150)


def main() -> None:
    """Run the studies if asked to; then print and draw from their file."""
    if sys.argv[1:] == ["run"]:
        write([run(name, seed) for name, n in N_STUDIES.items() for seed in range(FIRST_SEED, FIRST_SEED + n)])
    forecasts = [forecast for study in read() for forecast in forecasts_of(study)]
    print(table(forecasts))
    draw(forecasts)


if __name__ == "__main__":
    main()

"""CPU milliseconds of one suggestion, for every recipe, beside Optuna's TPE in the same run on one thread.

    pip install ".[bench]" && python bench/overhead.py

Three tables on stdout (Markdown), progress on stderr: the whole ask and tell; what of it is the library's own
(everything but the classifier's fit and score); and the fixed costs (import, encoding).
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from auger import RECIPES, Categorical, Float, Int, Optimizer, Ordinal, Space
from auger.classifiers import Classifier, Score
from auger.labels import Labels
from auger.recipes import recipe
from auger.types import Array


def mixed_space() -> Space:
    """Ten parameters of every kind."""
    floats = {f"float{i}": Float(0.0, 1.0) for i in range(3)}
    logs = {f"log{i}": Float(1e-5, 1.0, log=True) for i in range(2)}
    ints = {"int0": Int(1, 100), "int1": Int(1, 1000, log=True)}
    choices = {"choice0": Categorical(("a", "b", "c")), "choice1": Categorical(("p", "q"))}
    return Space({**floats, **logs, **ints, **choices, "order": Ordinal((16, 32, 64, 128, 256))})


@dataclass
class Stopwatch:
    """CPU seconds spent inside the classifier."""

    inside: float = 0.0

    def time(self, call: Callable[[], Any]) -> Any:
        """Run a call on the clock."""
        start = time.process_time()
        try:
            return call()
        finally:
            self.inside += time.process_time() - start


@dataclass
class TimedScore(Score):
    """A score on the clock."""

    score: Score
    watch: Stopwatch

    def __call__(self, X: Array) -> Array:
        return np.asarray(self.watch.time(lambda: self.score(X)))

    def ascent(self, X: Array) -> tuple[Array, Array]:
        height, slope = self.watch.time(lambda: self.score.ascent(X))
        return height, slope


@dataclass(frozen=True)
class Timed(Classifier):
    """A classifier on the clock."""

    classifier: Classifier
    watch: Stopwatch = field(default_factory=Stopwatch)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_warm", self.classifier.is_warm)
        object.__setattr__(self, "has_gradient", self.classifier.has_gradient)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        before = previous.score if isinstance(previous, TimedScore) else None
        fitted = self.watch.time(lambda: self.classifier.fit(X, labels, space=space, rng=rng, previous=before))
        return TimedScore(fitted, self.watch)


def value(config: dict[str, Any]) -> float:
    """Something to learn: five of the ten parameters matter."""
    off = (config["float0"] - 0.3) ** 2 + (np.log10(config["log0"]) + 2) ** 2 / 25 + (config["int0"] / 100 - 0.6) ** 2
    return float(off + (config["choice0"] != "b") * 0.1 + abs(np.log2(config["order"]) - 6) * 0.05)


def measure(name: str, n: int, n_asks: int) -> tuple[float, float]:
    """Median CPU ms of ask and tell with n observations, and of the library's own part."""
    timed = Timed(recipe(name).classifier)
    optimizer = Optimizer(mixed_space(), replace(recipe(name), classifier=timed), seed=0)
    configs = optimizer.space.decode(optimizer.space.sample(n, np.random.default_rng(1)))
    optimizer.add(configs, [value(config) for config in configs])
    optimizer.tell(optimizer.ask(), 1.0)  # imports and caches
    whole, own = [], []
    for _ in range(n_asks):
        timed.watch.inside, start = 0.0, time.process_time()
        trial = optimizer.ask()
        optimizer.tell(trial, value(trial.config))
        whole.append(time.process_time() - start)
        own.append(whole[-1] - timed.watch.inside)
    return 1e3 * statistics.median(whole), 1e3 * statistics.median(own)


def measure_optuna(n: int, n_asks: int) -> float:
    """Median CPU ms of ask, suggest and tell of Optuna's default sampler."""
    import optuna  # noqa: PLC0415

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = mixed_space()
    distributions: dict[str, Any] = {}
    for key, kind in space.parameters.items():
        if isinstance(kind, Float):
            distributions[key] = optuna.distributions.FloatDistribution(kind.low, kind.high, log=kind.log)
        elif isinstance(kind, Int):
            distributions[key] = optuna.distributions.IntDistribution(kind.low, kind.high, log=kind.log)
        elif isinstance(kind, Categorical | Ordinal):
            distributions[key] = optuna.distributions.CategoricalDistribution(kind.choices)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    configs = space.decode(space.sample(n, np.random.default_rng(1)))
    study.add_trials(
        [
            optuna.trial.create_trial(params=config, distributions=distributions, value=value(config))
            for config in configs
        ]
    )
    study.tell(study.ask(distributions), 1.0)
    times = []
    for _ in range(n_asks):
        start = time.process_time()
        trial = study.ask(distributions)
        study.tell(trial, value(trial.params))
        times.append(time.process_time() - start)
    return 1e3 * statistics.median(times)


def encoding_ms(n: int) -> float:
    """Milliseconds to encode n configs of the mixed space, best of five."""
    space = mixed_space()
    configs = space.decode(space.sample(n, np.random.default_rng(0)))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        space.encode(configs)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def import_ms(statement: str) -> float:
    """Milliseconds to run an import in a new process beyond starting Python, best of five; bytecode compiled."""
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

    def best(code: str) -> float:
        times = []
        for _ in range(6):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            times.append(time.perf_counter() - start)
        return min(times)

    return 1e3 * (best(statement) - best("pass"))


def table(title: str, sizes: list[int], rows: dict[str, list[str]]) -> None:
    """Print one Markdown table."""
    print(f"\n{title}\n\n| | {' | '.join(f'n = {n:,}' for n in sizes)} |\n|---|{'---:|' * len(sizes)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--recipes", nargs="+", default=list(RECIPES), choices=RECIPES, metavar="RECIPE")
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10_000], metavar="N")
    options = parser.parse_args()
    n_asks = {n: 11 if n <= 1000 else 3 for n in options.sizes}
    tpe = {n: measure_optuna(n, n_asks[n]) for n in options.sizes}
    whole = {"Optuna TPE": [f"{tpe[n]:.1f}" for n in options.sizes]}
    own: dict[str, list[str]] = {}
    for name in options.recipes:
        whole[f"`{name}`"], own[f"`{name}`"] = [], []
        for n in options.sizes:
            print(f"{name}, n = {n}", file=sys.stderr)
            total, ours = measure(name, n, n_asks[n])
            whole[f"`{name}`"].append(f"{total:.1f} ({total / tpe[n]:.2f} x)")
            own[f"`{name}`"].append(f"{ours:.2f}")
    table("CPU ms of ask + tell, 10 mixed parameters (ratio to Optuna TPE)", options.sizes, whole)
    table("CPU ms of it that are neither the classifier's fit nor its score", options.sizes, own)
    print("\nFixed costs\n\n| | ms |\n|---|---:|")
    print(f"| encode 10,000 configs | {encoding_ms(10_000):.1f} |")
    print(f"| `import auger` (NumPy included) | {import_ms('import auger'):.0f} |")
    print(f"| `import numpy` alone | {import_ms('import numpy'):.0f} |")


if __name__ == "__main__":
    main()

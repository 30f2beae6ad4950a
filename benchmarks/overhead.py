"""CPU milliseconds per suggestion for every recipe, beside Optuna's TPE in the same run on one thread.

    pip install ".[bench]" && python benchmarks/overhead.py

Three tables on stdout (Markdown), progress on stderr: the whole ask and tell; the part outside of the classifier's fit
and score; and the fixed costs (import, encoding, memory). A dash stands where a
suggestion would take longer than --limit, judged by the next smaller size.

With --edges, one other table: what a suggestion costs where a choice has very many values, or a range is very long, as
a ratio to one of ten values; and the first suggestion after 20,000 results of earlier, natively and in Optuna.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import argparse
import functools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auger import RECIPES, Categorical, Float, Int, Optimizer, Ordinal, Space
from auger.classifiers import Classifier, Score
from auger.errors import AugerError
from auger.recipes import as_recipe
from auger.space import Parameter
from auger.types import Config

_RIVAL = "Optuna TPE"


def mixed_space() -> Space:
    """Ten parameters of every type."""
    floats = {f"float{i}": Float(0.0, 1.0) for i in range(3)}
    logs = {f"log{i}": Float(1e-5, 1.0, log=True) for i in range(2)}
    ints = {"int0": Int(1, 100), "int1": Int(1, 1000, log=True)}
    choices = {"choice0": Categorical(("a", "b", "c")), "choice1": Categorical(("p", "q"))}
    return Space({**floats, **logs, **ints, **choices, "order": Ordinal((16, 32, 64, 128, 256))})


@dataclass
class Stopwatch:
    """CPU seconds spent inside classifiers and their scores."""

    inside: float = 0.0
    depth: int = 0

    def timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """The method with its time measured; of nested calls, the outer one counts."""

        @functools.wraps(method)
        def run(*args: Any, **kwargs: Any) -> Any:
            self.depth, start = self.depth + 1, time.process_time()
            try:
                return method(*args, **kwargs)
            finally:
                self.depth -= 1
                self.inside += 0.0 if self.depth else time.process_time() - start

        return run

    @contextmanager
    def on_all(self) -> Iterator[None]:
        """Time every classifier and score, in whatever recipe they are."""
        classes = [*_subclasses(Classifier), *_subclasses(Score)]
        names = ("fit", "__call__", "ascent")
        before = [(cls, name, vars(cls)[name]) for cls in classes for name in names if name in vars(cls)]
        for cls, name, method in before:
            setattr(cls, name, self.timed(method))
        try:
            yield
        finally:
            for cls, name, method in before:
                setattr(cls, name, method)


def _subclasses(base: type[Any]) -> list[type[Any]]:
    return [cls for child in base.__subclasses__() for cls in (child, *_subclasses(child))]


def value(config: dict[str, Any]) -> float:
    """Something to learn: five of the ten parameters matter."""
    off = (config["float0"] - 0.3) ** 2 + (np.log10(config["log0"]) + 2) ** 2 / 25 + (config["int0"] / 100 - 0.6) ** 2
    return float(off + (config["choice0"] != "b") * 0.1 + abs(np.log2(config["order"]) - 6) * 0.05)


@functools.cache
def observations(n: int) -> tuple[list[Config], list[float]]:
    """n configs and their values, the same for every method."""
    space = mixed_space()
    configs = space.decode(space.sample(n, np.random.default_rng(1)))
    return configs, [value(config) for config in configs]


def measure(name: str, n: int) -> tuple[float, float]:
    """Mean CPU ms of ask and tell with n observations, and of the library's own part."""
    optimizer, watch = Optimizer(mixed_space(), name, seed=0), Stopwatch()
    optimizer.add(*observations(n))
    optimizer.tell(optimizer.ask(), 1.0)  # imports and caches
    whole, own = [], []
    with watch.on_all():
        for _ in range(n_asks(n)):
            watch.inside, start = 0.0, time.process_time()
            trial = optimizer.ask()
            optimizer.tell(trial, value(trial.config))
            whole.append(time.process_time() - start)
            own.append(whole[-1] - watch.inside)
    return 1e3 * statistics.mean(whole), 1e3 * statistics.mean(own)


def n_asks(n: int) -> int:
    """The number of suggestions to measure with n observations: an even one, as `auto` takes turns.

    XGBoost that follows the answers starts anew in one of eleven.
    """
    return 22 if n <= 10_000 else 4


def recipe(text: str) -> str:
    """The name of a recipe, with options."""
    try:
        return as_recipe(text).name
    except AugerError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def measure_optuna(n: int) -> float:
    """Mean CPU ms of ask, suggest and tell of Optuna's default sampler."""
    import optuna

    distributions = distributions_of(mixed_space())
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.add_trials(
        [
            optuna.trial.create_trial(params=config, distributions=distributions, value=observed)
            for config, observed in zip(*observations(n), strict=True)
        ]
    )
    study.tell(study.ask(distributions), 1.0)
    times = []
    for _ in range(n_asks(n)):
        start = time.process_time()
        trial = study.ask(distributions)
        study.tell(trial, value(trial.params))
        times.append(time.process_time() - start)
    return 1e3 * statistics.mean(times)


def distributions_of(space: Space) -> dict[str, Any]:
    """The parameters as Optuna has them; its log is quiet from now on."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    distributions: dict[str, Any] = {}
    for key, parameter in space.parameters.items():
        if isinstance(parameter, Float):
            distributions[key] = optuna.distributions.FloatDistribution(
                parameter.low, parameter.high, log=parameter.log
            )
        elif isinstance(parameter, Int):
            distributions[key] = optuna.distributions.IntDistribution(parameter.low, parameter.high, log=parameter.log)
        elif isinstance(parameter, Categorical | Ordinal):
            distributions[key] = optuna.distributions.CategoricalDistribution(parameter.choices)
    return distributions


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


def memory_mb(name: str, n: int) -> float:
    """Peak MB of n observations of 20 parameters and ten suggestions, beyond a process that made one suggestion."""
    parameters = mixed_space().parameters.items()
    space = Space({f"{key}{i}": parameter for i in range(2) for key, parameter in parameters})
    rng = np.random.default_rng(0)
    n_block = 1000  # added in blocks, so that the caller's own copy does not count

    def run(n: int) -> Optimizer:
        optimizer = Optimizer(space, name, seed=0)
        for start in range(0, n, n_block):
            configs = space.decode(space.sample(min(n_block, n - start), rng))
            optimizer.add(configs, rng.random(len(configs)))
        return optimizer

    run(n_block).ask()
    before = peak_mb()
    optimizer = run(n)
    for _ in range(10):
        optimizer.tell(optimizer.ask(), 0.5)
    return peak_mb() - before


def peak_mb() -> float:
    """The most memory this process ever held. Linux only: ``ru_maxrss`` starts with that of the parent process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) / 1e6 for line in lines if line.startswith("VmHWM:"))


def in_a_new_process(*arguments: str, **environment: str) -> list[float]:
    """The numbers this script prints when called with the arguments."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, check=True, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    return [float(word) for word in done.stdout.split()]


def table(title: str, sizes: list[int], rows: dict[str, list[str]]) -> None:
    """Print one Markdown table."""
    print(f"\n{title}\n\n| | {' | '.join(f'n = {n:,}' for n in sizes)} |\n|---|{'---:|' * len(sizes)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--recipes", nargs="+", type=recipe, default=list(RECIPES), metavar="RECIPE")
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10_000, 100_000], metavar="N")
    parser.add_argument("--edges", action="store_true", help="only the costs of very many choices and results")
    parser.add_argument("--limit", type=float, default=5.0, metavar="S", help="the most CPU seconds per suggestion")
    # the measurements in new processes
    parser.add_argument("--measure", metavar="RECIPE", help=argparse.SUPPRESS)
    parser.add_argument("--memory", metavar="RECIPE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(*measure(options.measure, options.sizes[0]))
    elif options.memory:
        print(memory_mb(options.memory, options.sizes[0]))
    elif options.edges:
        edges(options.recipes)
    else:
        report(options.recipes, sorted(options.sizes), options.limit)


def report(recipes: list[str], sizes: list[int], limit: float) -> None:
    """Measure everything and print the tables."""
    contestants: dict[str, Callable[[int], list[float]]] = {_RIVAL: lambda n: [measure_optuna(n)]}
    for name in recipes:
        contestants[f"`{name}`"] = functools.partial(_measured, name)
        if name == "auto":
            contestants["`auto`, NumPy only"] = functools.partial(_measured_pure, name)
    times: dict[str, list[list[float]]] = {name: [] for name in contestants}
    # size by size, so that the methods that are compared run close together
    for i, n in enumerate(sizes):
        for name, run in contestants.items():
            measured = times[name]
            # times grow at least in proportion to n; a method left out once stays out, except for the rival
            if i and name != _RIVAL and (not measured[-1] or measured[-1][0] * n / sizes[i - 1] > 1e3 * limit):
                measured.append([])
                continue
            print(f"{name}, n = {n}", file=sys.stderr)
            measured.append(run(n))
    rival = [ms[0] for ms in times.pop(_RIVAL)]
    whole = {_RIVAL: [f"{ms:.1f}" for ms in rival]}
    own = {}
    for name, rows in times.items():
        whole[name] = [
            f"{ms[0]:.1f} ({ms[0] / base:.3f} x)" if ms else "-" for ms, base in zip(rows, rival, strict=True)
        ]
        own[name] = [f"{ms[1]:.2f}" if ms else "-" for ms in rows]
    table("CPU ms of ask + tell, 10 mixed parameters (ratio to Optuna TPE)", sizes, whole)
    table("CPU ms of it that are neither the classifier's fit nor its score", sizes, own)
    print("\nFixed costs\n\n| | |\n|---|---:|")
    print(f"| encode 10,000 configs | {encoding_ms(10_000):.1f} ms |")
    print(f"| `import auger` (NumPy included) | {import_ms('import auger'):.0f} ms |")
    print(f"| `import numpy` alone | {import_ms('import numpy'):.0f} ms |")
    (megabytes,) = in_a_new_process("--memory", recipes[0], "--sizes", "100000")
    print(f"| 100,000 observations of 20 parameters, `{recipes[0]}` | {megabytes:.0f} MB |")


def edges(recipes: list[str]) -> None:
    """Print what very many choices and results cost."""
    spaces: dict[str, Parameter] = {
        "10 choices": Categorical(list(range(10))),
        "1,000 choices": Categorical(list(range(1000))),
        "100,000 choices": Categorical(list(range(100_000))),
        "1,000,000 choices": Categorical(list(range(1_000_000))),
        "100,000 choices in order": Ordinal(list(range(100_000))),
        "Int(1, 10**12)": Int(1, 10**12),
    }
    print(f"\nCPU ms of ask + tell, 30 results (ratio to 10 choices)\n\n| | {' | '.join(spaces)} |")
    print(f"|---|{'---:|' * len(spaces)}")
    for name in recipes:
        print(f"{name}, many choices", file=sys.stderr)
        times = [edge_ms(name, Space({"many": parameter, "x": Float(0.0, 1.0)})) for parameter in spaces.values()]
        print(f"| `{name}` | {' | '.join(f'{ms:.1f} ({ms / times[0]:.2f} x)' for ms in times)} |")
    print("\nCPU ms with 20,000 results of earlier\n\n| | |\n|---|---:|")
    for title, ms in first_asks_ms(20_000).items():
        print(f"| {title} | {ms:.0f} |")


def edge_ms(name: str, space: Space) -> float:
    """Mean CPU ms of ask and tell with 30 observations of a space."""
    optimizer, rng = Optimizer(space, name, seed=0), np.random.default_rng(0)
    optimizer.add(space.decode(space.sample(30, rng)), rng.random(30))
    optimizer.tell(optimizer.ask(), 0.5)  # imports and caches
    start = time.process_time()
    for _ in range(10):
        optimizer.tell(optimizer.ask(), rng.random())
    return 100 * (time.process_time() - start)


def first_asks_ms(n: int) -> dict[str, float]:
    """CPU ms to take in n observations and to ask once, imports not counted."""
    import optuna

    from auger.hosts.optuna import AugerSampler

    measure("auto", 20)  # imports
    measured: dict[str, float] = {}
    configs, values = observations(n)
    optimizer = Optimizer(mixed_space(), seed=0)
    start = time.process_time()
    optimizer.add(configs, values)
    middle = time.process_time()
    optimizer.ask()
    measured["`Optimizer.add`"] = 1e3 * (middle - start)
    measured["the first `Optimizer.ask`"] = 1e3 * (time.process_time() - middle)
    distributions = distributions_of(mixed_space())
    study = optuna.create_study(sampler=AugerSampler(seed=0))
    study.add_trials(
        [
            optuna.trial.create_trial(params=config, distributions=distributions, value=observed)
            for config, observed in zip(configs, values, strict=True)
        ]
    )
    start = time.process_time()
    study.ask(distributions)
    measured["the first `Study.ask` of Optuna, which takes them in"] = 1e3 * (time.process_time() - start)
    return measured


def _measured(name: str, n: int) -> list[float]:
    return list(measure(name, n))


def _measured_pure(name: str, n: int) -> list[float]:
    # the choice between C and NumPy is made once per process
    return in_a_new_process("--measure", name, "--sizes", str(n), AUGER_PURE="1")


if __name__ == "__main__":
    main()

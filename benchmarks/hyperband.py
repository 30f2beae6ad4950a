"""BOHB, Hyperband with random configurations, and ours under Hyperband, at equal total budget.

    python benchmarks/hyperband.py --problems curves,lcbench-126026 --seeds 10 --evals 30 --out results

in HpBandSter's environment (docs/hpbandster.md). The brackets and BOHB are HpBandSter's own, without its network. The
records are those of `auger bench run`, so `auger bench table` and `auger bench plot` show them beside other methods;
the unit is the cost of a full evaluation.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # one thread per run, set before NumPy is imported

import argparse
import logging
import math
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from hpbandster.core.dispatcher import Job
from hpbandster.optimizers.config_generators.bohb import BOHB
from hpbandster.optimizers.config_generators.random_sampling import RandomSampling
from hpbandster.optimizers.hyperband import HyperBand

from auger.hosts.configspace import from_configuration, to_configspace
from auger.hosts.hpbandster import AugerGenerator
from auger.space import Categorical, Int, Parameter, Space
from auger.types import Config
from auger_bench.fidelity import Account, Spent
from auger_bench.methods.interface import version
from auger_bench.problems import Problem, problem
from auger_bench.run_files import RunFile, file_of, read
from auger_bench.task import Task

#: Method -> its config generator, for a ConfigurationSpace and a seed.
METHODS: dict[str, Callable[[Any, int], Any]] = {
    "hpbandster-bohb": lambda space, seed: BOHB(space),
    "hpbandster-random": lambda space, seed: RandomSampling(space),
    "hpbandster-auger": lambda space, seed: AugerGenerator(space, seed=seed),
    "hpbandster-bore-rf": lambda space, seed: AugerGenerator(space, "bore-rf", seed=seed),
}


def rungs(black_box: Problem) -> tuple[float, list[int]]:
    """eta, and the budgets of a bracket: the full one and thirds of thirds of it, each at the nearest fidelity."""
    assert black_box.budget is not None
    lowest = black_box.fidelities[0]
    if len(black_box.fidelities) == 1:
        return black_box.budget / lowest, [lowest, black_box.budget]
    n = math.floor(math.log(black_box.budget / lowest) / math.log(3) + 1e-9)
    wanted = [black_box.budget / 3**k for k in range(n, 0, -1)]
    lower = [min(black_box.fidelities, key=lambda fidelity: abs(fidelity - budget)) for budget in wanted]
    return 3.0, [*lower, black_box.budget]


def numbered(space: Space) -> Space:
    """The space with an Int for each Ordinal and each stepped number: BOHB supports neither."""
    return Space(
        {
            name: Int(0, n - 1, when=parameter.when) if (n := _n_levels(parameter)) else parameter
            for name, parameter in space.parameters.items()
        }
    )


def _n_levels(parameter: Parameter) -> int:
    """The number of values of an Ordinal or a stepped number; 0 for other parameters, and for those with one value."""
    is_plain_int = isinstance(parameter, Int) and parameter.step == 1
    if isinstance(parameter, Categorical) or parameter.n_values in (None, 1) or is_plain_int:
        return 0
    return parameter.n_values or 0


def member(space: Space, config: Config) -> Config:
    """The config of the space for a config of `numbered`."""
    values = {}
    for name, value in config.items():
        parameter = space.parameters[name]
        values[name] = parameter.decode(parameter.levels()[[value]])[0] if _n_levels(parameter) else value
    return space.decode(space.encode([values]))[0]


def search(generator: Any, black_box: Problem, account: Account) -> None:
    """Bracket after bracket until the account is empty."""
    eta, budgets = rungs(black_box)
    bands = SimpleNamespace(
        eta=eta, budgets=np.array(budgets, dtype=float), max_SH_iter=len(budgets), config_generator=generator
    )
    trained: dict[Any, int] = {}
    number = 0
    while True:
        bracket = HyperBand.get_next_iteration(bands, number)
        number += 1
        while True:
            with account.timing("ask"):
                next_run = bracket.get_next_run()
            if next_run is None:
                break
            name, config, budget = next_run
            job = Job(name, config=config, budget=budget)
            own_config = member(black_box.space, from_configuration(config))
            value = account.train(own_config, round(budget), since=trained.get(name, 0))
            trained[name] = round(budget)
            job.result = None if math.isnan(value) else {"loss": value, "info": None}
            with account.timing("tell"):
                bracket.register_result(job)
                generator.new_result(job)


def run(name: str, method: str, seed: int, n_evals: int, folder: Path) -> float:
    """Make one run, or what is left of it; returns its last incumbent."""
    black_box = problem(name)
    head = Task(name, "random", seed, n_evals).head()
    versions = {**head.versions, **{library: version(library) for library in ("hpbandster", "ConfigSpace")}}
    head = replace(head, method=method, versions=versions)
    path = file_of(folder, name, method, seed)
    file = RunFile(path, head)
    try:
        if not file.run.is_complete:
            space = to_configspace(numbered(black_box.space))
            space.seed(seed)
            np.random.seed(seed)  # noqa: NPY002  (what BOHB draws from)
            with suppress(Spent):
                search(METHODS[method](space, seed), black_box, Account(black_box, file, seed=seed))
    finally:
        file.close()
    finished = read(path)
    assert finished is not None
    return finished.evaluations[-1].incumbent


def main() -> None:
    """Every combination, one seed after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="curves", help="comma-separated names")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--evals", type=int, default=30, help="budget of a run, in full evaluations")
    parser.add_argument("--out", type=Path, required=True, help="the folder of results")
    options = parser.parse_args()
    logging.getLogger("hpbandster").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")  # libraries that are no longer maintained
    for seed in range(options.seeds):
        for name in options.problems.split(","):
            for method in options.methods.split(","):
                value = run(name, method, seed, options.evals, options.out)
                print(f"{name}, {method}, seed {seed}: {value:.6g}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

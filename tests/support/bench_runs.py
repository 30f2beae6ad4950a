"""Runs of the benchmark with values of your choice."""

import math

from auger_bench.run_files import Evaluation, Head, Run

VERSIONS = {"numpy": "2.0.0"}
MACHINE = {"cpu": "abacus"}


def bench_run(problem, method, seed, values, *, optimum=None, n_evals=None, crash="", cpu=0.002, versions=VERSIONS):
    """A run whose incumbents are these values; it asks for `cpu` seconds and tells for as many again."""
    evaluations = [
        Evaluation(
            number=number,
            config={"x": number},
            observed=value,
            value=value,
            incumbent=value,
            regret=None if optimum is None else value - optimum,
            ask_cpu=cpu,
            ask_wall=cpu,
            tell_cpu=cpu,
            tell_wall=cpu,
            error="no luck" if math.isnan(value) else "",
        )
        for number, value in enumerate(values)
    ]
    head = Head(problem, method, seed, len(values) if n_evals is None else n_evals, versions, MACHINE)
    return Run(head, evaluations, crash)


def bench_runs(finals, *, problem="p", optimum=None, start=None):
    """Runs of two evaluations from method -> the last incumbent of seeds 0, 1, ...; the first one is 100."""
    return [
        bench_run(problem, method, seed, [100.0 if start is None else start, value], optimum=optimum)
        for method, values in finals.items()
        for seed, value in enumerate(values)
    ]

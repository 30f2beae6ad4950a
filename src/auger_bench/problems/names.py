"""Problems by name, for command lines and benchmarks.

A name is a key of `PROBLEMS`, or the name of a family with a dimension ("ackley7"). Any number of wrappers may follow,
each with its number: "hartmann6+shifted3+noisy0.1". A problem has exactly one name, made of characters that every file
system accepts.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable

from auger.errors import AugerError, nearest
from auger.text.format import count
from auger_bench.problems.bbob import bbob
from auger_bench.problems.caricatures import CARICATURES
from auger_bench.problems.constrained import CONSTRAINED
from auger_bench.problems.families import FAMILIES, FAMILY_MEMBERS, MAX_DIMENSIONS
from auger_bench.problems.fronts import FRONTS
from auger_bench.problems.functions import FUNCTIONS
from auger_bench.problems.interface import EXACT, SEARCHED, Problem
from auger_bench.problems.kernels import kernel
from auger_bench.problems.learning_curves import CURVES
from auger_bench.problems.mixed_spaces import MIXED_SPACES
from auger_bench.problems.moot import moot
from auger_bench.problems.racing import racing
from auger_bench.problems.robot_pushing import robot_pushing
from auger_bench.problems.rover import rover
from auger_bench.problems.tabular import TABULAR, tabular
from auger_bench.problems.tradeoffs import TRADEOFFS
from auger_bench.problems.wrappers import WRAPPERS
from auger_bench.problems.yahpo import yahpo

#: The problems that need no other library and no data, and whose optimum is known: name -> function that returns the
#: problem.
SYNTHETIC = FUNCTIONS | FAMILY_MEMBERS | MIXED_SPACES | CARICATURES | CURVES
#: Those with several objectives or outcome constraints, which need no other library and no data either.
SEVERAL = FRONTS | CONSTRAINED | TRADEOFFS

_FCNET = "9 ordinals and choices, 62,208 members"
_NAS201 = "6 choices of 5, 15,625 members"
_LCBENCH = "7 ordinals, 28,800 members"
_ALL_EPOCHS = f"fidelities {', '.join(map(str, range(1, 52)))}"
_EPOCHS = "fidelities 1, 2, 3, 4, 6, 9, 13, 17, 18, 26, 27, 39"
_NEEDS = "needs auger[bench]"
_TABLE = f"{_NEEDS} and a table file"
_CONVOLUTION = "7 levels and switches under constraints, 4,362 members, some fail"
_DEDISPERSION = "6 levels and switches under constraints, 11,130 members"


def _floats(black_box: Problem) -> str:
    return f"{count(len(black_box.space), 'Float')}; optimum {black_box.optimum:.6g}"


def _several(black_box: Problem, parameters: str = "") -> str:
    """The line of a problem with several objectives or constraints; ``parameters`` where not all are Floats."""
    parts = [parameters or count(len(black_box.space), "Float")]
    if len(black_box.objectives) > 1:
        parts.append(f"{len(black_box.objectives)} objectives: {', '.join(black_box.objectives)}")
    if black_box.constraints:
        parts.append(count(len(black_box.constraints), "constraint"))
    if len(black_box.objectives) > 1:
        assert black_box.optimum is not None
        parts.append(f"hypervolume {-black_box.optimum:.6g} ({black_box.source})")
    else:
        parts.append(f"optimum {black_box.optimum:.6g}")
    return "; ".join(parts)


_MIXED = {
    "pressure-vessel": "4 Ints and Floats",
    "network-speed": "10 numbers and choices",
    "pipeline-speed": "12 parameters under conditions",
}

# The same for problems that need data or a library: parameters, objectives, best hypervolume.
_WHOLE_TABLES = {
    "fcnet-protein-seconds": (_FCNET, "error, seconds", 135.067),
    "fcnet-naval-seconds": (_FCNET, "error, seconds", 112.42),
    "fcnet-parkinsons-seconds": (_FCNET, "error, seconds", 33.9809),
    "fcnet-slice-seconds": (_FCNET, "error, seconds", 209.842),
    "moot-ss-j-all": ("6 switches and levels", "Throughput, Latency", 7975740000.0),
    "moot-ss-k-all": ("6 switches and levels", "Throughput, Latency", 1900520000.0),
    "moot-ss-q-all": ("12 switches and levels", "Performance, Energy, Cpu", 6427370000.0),
    "moot-ss-r-all": ("13 switches and levels", "Performance, Cpu", 614540.0),
    "moot-ss-t-all": ("12 switches and levels", "Performance, Benchmark-cpu", 118661000.0),
    "moot-ss-u-all": ("17 switches and levels", "Benchmark-iperf, Benchmark-cpu", 10307.2),
    "moot-health-commits-all": ("5 levels and a choice", "MRE, ACC, PRED40", 0.982435),
    "moot-health-issues-all": ("5 levels and a choice", "MRE, ACC, PRED40", 0.973608),
    "moot-cocomo-all": ("20 levels", "LOC, AEXP, PLEx, RISK, EFFORT", 289458000000.0),
    "moot-billing-all": ("14 switches", "Cost, Defects, Featuresused", 1207.0),
}
_SEARCHED_FRONTS = {
    "bbob-biobj-f1-d5-i3": ("5 Floats", "f1, f2", 2885.34),
    "bbob-biobj-f16-d10-i3": ("10 Floats", "f1, f2", 5.69381e9),
    "bbob-biobj-f25-d5-i3": ("5 Floats", "f1, f2", 5.00638e6),
    "bbob-biobj-f33-d10-i3": ("10 Floats", "f1, f2", 7.15644e9),
    "bbob-biobj-f42-d5-i3": ("5 Floats", "f1, f2", 4887.88),
    "bbob-biobj-f50-d10-i3": ("10 Floats", "f1, f2", 423.114),
    "yahpo-lcbench-costs-34539": ("7 Floats and Ints", "error, seconds", 3362.41),
    "yahpo-lcbench-costs-167149": ("7 Floats and Ints", "error, seconds", 2342.32),
    "yahpo-xgboost-costs-40975": ("14 parameters under conditions", "error, seconds, memory", 1046.76),
    "yahpo-xgboost-costs-54": ("14 parameters under conditions", "error, seconds, memory", 956.737),
}


def _with_data(name: str) -> str:
    parameters, objectives, volume = (_WHOLE_TABLES | _SEARCHED_FRONTS)[name]
    n, source = objectives.count(",") + 1, EXACT if name in _WHOLE_TABLES else SEARCHED
    needs = {"moot": _TABLE, "yahpo": f"{_NEEDS} and its files"}.get(name.partition("-")[0], _NEEDS)
    return f"{parameters}; {n} objectives: {objectives}; hypervolume {volume:.6g} ({source}); {needs}"


#: The names in listings, each with one line that needs no data: parameters, objectives and constraints, optimum
#: or hypervolume and whether that is exact, and where it has them, noise, fidelities and requirements.
PROBLEMS = {
    **{name: _floats(make()) for name, make in FUNCTIONS.items()},
    **{name: f"{_floats(make())}; in any dimension" for name, make in FAMILY_MEMBERS.items()},
    **{name: f"{_floats(FAMILY_MEMBERS[name]())}; in any dimension from 2" for name in ("rosenbrock6", "dixon-price6")},
    "mixed": "6 parameters of every kind; optimum 0",
    "conditional": "8 parameters under conditions, two levels deep; optimum 0",
    "categorical": "8 choices of 5, 390,625 members; optimum 0",
    "trap": "8 parameters under conditions, deceptive; optimum 0",
    "compiler": "18 flags and levels, 5,242,880 members; optimum 83.8",
    "pipeline": "12 parameters under conditions, two levels deep; optimum 0.08",
    "network": "10 numbers and choices, two without effect; optimum 0.06",
    "ackley-mixed": "10 parameters, 5 of them Floats; optimum 0",
    "curves": f"5 parameters of a training; optimum 0.05; fidelities {', '.join(map(str, range(1, 50)))}",
    "fcnet-protein": f"{_FCNET}; optimum 0.221379; {_NEEDS}",
    "fcnet-naval": f"{_FCNET}; optimum 3.19113e-05; {_NEEDS}",
    "fcnet-parkinsons": f"{_FCNET}; optimum 0.00670593; {_NEEDS}",
    "fcnet-slice": f"{_FCNET}; optimum 0.000191599; {_NEEDS}",
    "nas201-cifar10": f"{_NAS201}; optimum 8.39333; fidelity 12 (Parquet files); {_NEEDS}",
    "nas201-cifar100": f"{_NAS201}; optimum 26.5067; fidelity 12 (Parquet files); {_NEEDS}",
    "nas201-imagenet16": f"{_NAS201}; optimum 53.2667; fidelity 12 (Parquet files); {_NEEDS}",
    "fcnet-protein-noisy": f"{_FCNET}; optimum 0.221379; noisy; {_NEEDS}",
    "fcnet-naval-noisy": f"{_FCNET}; optimum 3.19113e-05; noisy; {_NEEDS}",
    "fcnet-parkinsons-noisy": f"{_FCNET}; optimum 0.00670593; noisy; {_NEEDS}",
    "fcnet-slice-noisy": f"{_FCNET}; optimum 0.000191599; noisy; {_NEEDS}",
    "lcbench-3945": f"{_LCBENCH}; optimum 0.141436; {_EPOCHS}; {_TABLE}",
    "lcbench-126026": f"{_LCBENCH}; optimum 0.0257364; {_EPOCHS}; {_TABLE}",
    "lcbench-168330": f"{_LCBENCH}; optimum 0.381657; {_EPOCHS}; {_TABLE}",
    "lcbench-189906": f"{_LCBENCH}; optimum 0.133946; {_EPOCHS}; {_TABLE}",
    "robot-pushing": f"14 Floats; optimum unknown; noisy; {_NEEDS}",
    "racing-ucb": f"12 Floats; optimum unknown; {_NEEDS}",
    "racing-ethz-a": f"20 Floats; optimum unknown; {_NEEDS}",
    "racing-ethz-b": f"21 Floats; optimum unknown; {_NEEDS}",
    "rover": "60 Floats; optimum unknown",
    "bbob-f8-d10-i2": f"10 Floats; optimum -1000; functions 1 to 24, dimensions 2 to 40, instances 1 to 15; {_NEEDS}",
    "bbob-mixint-f8-d10-i2": f"10 Ints and Floats; optimum -10; in 5, 10, 20, 40, 80 or 160 dimensions; {_NEEDS}",
    "kernel-convolution-a100": f"{_CONVOLUTION}; optimum 0.5536; {_TABLE}",
    "kernel-convolution-a4000": f"{_CONVOLUTION}; optimum 1.02117; {_TABLE}",
    "kernel-convolution-mi250x": f"{_CONVOLUTION}; optimum 0.658796; {_TABLE}",
    "kernel-convolution-w6600": f"{_CONVOLUTION}; optimum 1.72762; {_TABLE}",
    "kernel-dedispersion-a100": f"{_DEDISPERSION}; optimum 68.1166; {_TABLE}",
    "kernel-dedispersion-a4000": f"{_DEDISPERSION}; optimum 147.698; {_TABLE}",
    "kernel-dedispersion-mi250x": f"{_DEDISPERSION}; optimum 49.5725; {_TABLE}",
    "kernel-dedispersion-w6600": f"{_DEDISPERSION}; optimum 135.081; {_TABLE}",
    "moot-ss-j-throughput": f"6 switches and levels; optimum -232000; {_TABLE}",
    "moot-ss-j-latency": f"6 switches and levels; optimum 1.9; {_TABLE}",
    "moot-ss-k-throughput": f"6 switches and levels; optimum -34740; {_TABLE}",
    "moot-ss-k-latency": f"6 switches and levels; optimum 3.3172; {_TABLE}",
    "moot-ss-q-performance": f"12 switches and levels; optimum 5183.8; {_TABLE}",
    "moot-ss-q-cpu": f"12 switches and levels; optimum 25.599; {_TABLE}",
    "moot-ss-r-performance": f"13 switches and levels; optimum 28470.8; {_TABLE}",
    "moot-ss-r-cpu": f"13 switches and levels; optimum 3.42105; {_TABLE}",
    "moot-ss-t-performance": f"12 switches and levels; optimum 9645.6; {_TABLE}",
    "moot-ss-t-cpu": f"12 switches and levels; optimum 25.3196; {_TABLE}",
    "moot-ss-u-iperf": f"17 switches and levels; optimum 21.556; {_TABLE}",
    "moot-ss-u-cpu": f"17 switches and levels; optimum 24.8936; {_TABLE}",
    "moot-health-commits": f"5 levels and a choice; optimum 0; {_TABLE}",
    "moot-health-issues": f"5 levels and a choice; optimum 0; {_TABLE}",
    "moot-cocomo-effort": f"20 levels; optimum 19; {_TABLE}",
    "moot-billing-cost": f"14 switches; optimum 215; {_TABLE}",
    **{name: _several(make(), _MIXED.get(name, "")) for name, make in SEVERAL.items()},
    **{name: _with_data(name) for name in (*_WHOLE_TABLES, *_SEARCHED_FRONTS)},
    "bbob-constrained-f3-d5-i3": f"5 Floats; 9 constraints; optimum 1527.86; functions 1 to 54; {_NEEDS}",
    "yahpo-lcbench-7593": f"7 Floats and Ints; optimum unknown; {_ALL_EPOCHS}; 34 tasks; {_NEEDS} and its files",
    "yahpo-xgboost-1590": f"14 parameters under conditions; optimum unknown; 119 tasks; {_NEEDS} and its files",
}


def problem(name: str) -> Problem:
    """The problem of that name.

    Raises:
        AugerError: no such problem.
        DataError: a library or data file that it needs is not on this machine; the message says how to get it.

    Example:
        >>> round(problem("branin").optimum, 6)
        0.397887
        >>> problem("ackley3+noisy0.5").is_noisy
        True
    """
    first, *rest = str(name).split("+")
    result = _unwrapped(first)
    for part in rest:
        result = _wrap(result, part)
    if result.name != name:  # "ackley07" or "branin+noisy0.10": with two names, one problem would have two results
        raise AugerError(f"`name` must be written {result.name!r}. Got {name!r}.")
    return result


# How the names of problems begin that are loaded -> what loads them.
_LOADERS: dict[str, Callable[[str], Problem]] = {
    "racing-": lambda name: racing(name.removeprefix("racing-")),
    "kernel-": kernel,
    "moot-": moot,
    "yahpo-": yahpo,
    "bbob-": bbob,
}
# Of these, the listing has one member each.
_OPEN = ("yahpo-", "bbob-")


def _unwrapped(name: str) -> Problem:
    if name in SYNTHETIC:
        return SYNTHETIC[name]()
    if name in SEVERAL:
        return SEVERAL[name]()
    if name in TABULAR:
        return tabular(name)
    if name == "robot-pushing":
        return robot_pushing()
    if name == "rover":
        return rover()
    if name in PROBLEMS or name.startswith(_OPEN):
        return next(load for prefix, load in _LOADERS.items() if name.startswith(prefix))(name)
    for family, make in FAMILIES.items():
        if name.startswith(family):
            dimension = name.removeprefix(family)
            if not re.fullmatch("[0-9]{1,9}", dimension):
                raise AugerError(
                    f"{family!r} must be followed by its dimension, a whole number up to {MAX_DIMENSIONS}, as in "
                    f"'{family}10'. Got {name!r}."
                )
            return make(int(dimension))
    raise AugerError(f"`name` must be a problem. Got {name!r}. {nearest(name, PROBLEMS)}")


def _wrap(inner: Problem, part: str) -> Problem:
    number = part.lstrip(string.ascii_lowercase)
    wrapper = part.removesuffix(number)
    if wrapper not in WRAPPERS:
        raise AugerError(
            f"The part after '+' in the name of a problem must be a wrapper and its number. Got {part!r} after "
            f"{inner.name!r}. {nearest(wrapper, WRAPPERS)}"
        )
    wrap, number_type = WRAPPERS[wrapper]
    pattern, wanted, example = "[0-9]{1,18}", "a whole number", "3"
    if number_type is float:
        pattern, wanted, example = r"[0-9]+(\.[0-9]+)?", "a plain decimal number", "0.1"
    if not re.fullmatch(pattern, number):
        raise AugerError(
            f"{wrapper!r} must be followed by {wanted}, as in '{inner.name}+{wrapper}{example}'. Got {part!r}."
        )
    return wrap(inner, number_type(number))

"""Experiments by name, the paper's and those behind `auto`: which methods, on which problems, for how long.

Fewer runs than in the paper by default, and fewer evaluations of robot pushing: what two cores can do in hours. A value
of FCNet is the mean of its four trainings; the authors' code draws one of the four (``fcnet-...-noisy``).
"""

from __future__ import annotations

from dataclasses import dataclass

from auger.errors import AugerError, nearest
from auger_bench.methods import pruning
from auger_bench.methods.recipes import CALIBRATIONS, INGREDIENTS, LIMITS, REPEATS

# The paper's methods, and those in common use today; slow methods can be added by name.
_PAPER = ("bore-rf", "bore-xgb", "bore-mlp")
_LATER = ("lfbo-rf", "lfbo-xgb", "lfbo-mlp", "auto")
_PEERS = ("random", "hyperopt-tpe", "optuna-tpe", "smac", "gp-ei")

# How `auto` was tuned (docs/auto.md): its ingredients were chosen on the first list, with other shifts; no setting was
# chosen on the other lists. Problems whose minimum is in the middle, or the same along every axis, are shifted.
_TUNING = (
    *("branin+shifted1", "hartmann6+shifted2", "ackley5+shifted3", "ackley10+shifted4", "rosenbrock6+shifted5"),
    *("levy8+shifted6", "styblinski-tang5+shifted7", "mixed+shifted8", "conditional+shifted9", "trap+shifted10"),
    *("ackley16+shifted11", "rosenbrock12+shifted12", "levy16+shifted13"),
    *("categorical", "fcnet-protein", "fcnet-parkinsons", "nas201-cifar100"),
)
_CONTINUOUS = (
    *("six-hump-camel+shifted1", "goldstein-price+shifted2", "hartmann3+shifted3", "shekel+shifted4"),
    *("griewank6+shifted5", "rastrigin5+shifted6", "zakharov6+shifted7", "dixon-price6+shifted8", "michalewicz5"),
    *("cosines8+shifted9", "steps6+shifted10", "rotated-ellipsoid6+shifted11", "rotated-rastrigin5+shifted12"),
)
_TABLES = (
    *("fcnet-slice", "fcnet-naval", "nas201-cifar10", "nas201-imagenet16", "compiler"),
    *("lcbench-3945", "lcbench-126026", "lcbench-168330", "lcbench-189906"),
)
_MIXED = (
    *("pipeline+shifted1", "pipeline+shifted2", "network+shifted3", "network+shifted4"),
    *("ackley-mixed+shifted5", "ackley-mixed+shifted6"),
)
_RIVALS = ("auto", "optuna-tpe", "random", "hyperopt-tpe", "cma-es", "de", "smac", *_PAPER)


@dataclass(frozen=True)
class Experiment:
    """An experiment as one command.

    Attributes:
        name: its name on the command line.
        summary: one line for listings.
        in_paper: section of the paper, and the number of runs there; empty if the paper does not have it.
        problems, methods: their names.
        n_evals: evaluations per run.
        n_seeds: runs of each method on each problem.
    """

    name: str
    summary: str
    in_paper: str
    problems: tuple[str, ...]
    methods: tuple[str, ...]
    n_evals: int
    n_seeds: int


def _limits(base: str) -> tuple[str, ...]:
    return tuple(
        f"{base}-{maximizer}{n}{suffix}"
        for suffix in ("", REPEATS)
        for maximizer, limits in LIMITS.items()
        for n in limits
    )


_OF_PAPER = (
    Experiment(
        "fcnet",
        "tuning a two-layer network, from tables",
        "section 5, HPOBench: 100 runs",
        ("fcnet-protein", "fcnet-naval", "fcnet-parkinsons", "fcnet-slice"),
        (*_PEERS, "re", *_PAPER, *_LATER),
        n_evals=200,
        n_seeds=20,
    ),
    Experiment(
        "nas201",
        "neural architecture search, from tables",
        "section 5, NASBench201: 100 runs",
        ("nas201-cifar10", "nas201-cifar100", "nas201-imagenet16"),
        (*_PEERS, "re", *_PAPER, *_LATER),
        n_evals=200,
        n_seeds=20,
    ),
    Experiment(
        "robot-pushing",
        "two robot hands push two objects; without a Gaussian process, as in the paper",
        "section 5, robot pushing: 50 runs of about 10,000 evaluations",
        ("robot-pushing",),
        ("random", "hyperopt-tpe", "optuna-tpe", "smac", "de", "cma-es", *_PAPER, *_LATER),
        n_evals=1000,
        n_seeds=5,
    ),
    Experiment(
        "racing",
        "the fastest line round a track",
        "section 5, racing lines: 100 runs",
        ("racing-ucb", "racing-ethz-a", "racing-ethz-b"),
        (*_PEERS, "de", "cma-es", *_PAPER, *_LATER),
        n_evals=60,
        n_seeds=10,
    ),
    Experiment(
        "maximizer",
        "random search and differential evolution as maximizers, at several limits, without repeats and with them",
        "appendix G.1: 100 runs",
        ("nas201-cifar10",),
        (*_limits("bore-rf"), *_limits("bore-xgb")),
        n_evals=200,
        n_seeds=20,
    ),
    Experiment(
        "calibration",
        "forest and boosting, plain and calibrated in four ways",
        "section 5 and appendix G.2: 100 runs",
        ("racing-ucb",),
        tuple(
            f"{base}{suffix}"
            for base in ("bore-rf", "bore-xgb")
            for suffix in ("", *(f"-{calibration}" for calibration in CALIBRATIONS))
        ),
        n_evals=60,
        n_seeds=20,
    ),
)

_UNSEEN = tuple(
    Experiment(
        f"unseen-{name}",
        f"{description} that `auto` was not tuned on",
        "",
        problems,
        _RIVALS,
        n_evals=100,
        n_seeds=15,
    )
    for name, description, problems in (
        ("continuous", "functions of real numbers", _CONTINUOUS),
        ("tables", "tables, and a function of flags,", _TABLES),
        ("mixed", "mixed and conditional problems", _MIXED),
    )
)
# Sections 3 and 6, and appendices: what the paper suggests and does not try, beside its own recipes and `auto`. No
# setting of what it suggests was chosen on any of these problems.
_OUTLOOK = Experiment(
    "outlook",
    "what the paper suggests for later, beside its own recipes and `auto`",
    "sections 3.1, 3.2 and 6, appendices F and L: not run there",
    (
        *("fcnet-parkinsons", "fcnet-slice", "nas201-cifar100", "nas201-imagenet16", "racing-ucb"),
        *("dixon-price6+shifted8", "cosines8+shifted9", "pipeline+shifted1", "ackley-mixed+shifted5", "compiler"),
    ),
    (
        *("random", "optuna-tpe", "auto", *_PAPER),
        *("bore-rulsif", "bore-ulsif", "bore-kliep", "bore-kmm"),
        *("bore-mlp loss=exponential", "bore-mlp loss=kliep", "bore-mlp loss=lsif"),
        *("bore-xgb loss=exponential", "bore-xgb loss=kliep", "bore-xgb loss=lsif"),
        *("bore-mlp posterior=dropout", "bore-mlp posterior=laplace", "bore-mlp ensemble=5 varied=true"),
        *("bore-mlp ensemble=5 varied=true acquisition=upper", "bore-mlp posterior=laplace acquisition=thompson"),
        *("bore-rf online=true", "bore-xgb online=true"),
        *("bore-mlp patience=5", "bore-mlp emphasis=4", "bore-mlp emphasis=4 patience=5"),
        *("bore-xgb gamma=decay", "bore-xgb gamma=linear", "bore-xgb gamma=sqrt", "bore-rf gamma=decay"),
    ),
    n_evals=100,
    n_seeds=10,
)
# A second list to confirm on, for changes that were chosen with both lists above: first instances of these functions
# are for choosing, second ones for confirming.
_COCO = Experiment(
    "coco",
    "COCO's functions in 10 and 20 dimensions, instances that `auto` was not tuned on",
    "",
    tuple(f"bbob-f{f}-d{d}-i2" for d in (10, 20) for f in range(1, 25)),
    ("auto", "optuna-tpe", "random", "cma-es", "turbo", "optuna-gp"),
    n_evals=100,
    n_seeds=10,
)
# The strongest rivals, some of which need minutes for a run: few functions of each kind, third instances.
_STRONGEST = Experiment(
    "strongest",
    "HEBO, Ax and other strong rivals on COCO's real and mixed-integer functions, and on YAHPO's surrogates",
    "",
    (
        *("bbob-f6-d10-i3", "bbob-f8-d20-i3", "bbob-f10-d5-i3", "bbob-f13-d20-i3"),
        *("bbob-f15-d10-i3", "bbob-f17-d40-i3", "bbob-f20-d5-i3", "bbob-f21-d10-i3"),
        *("bbob-mixint-f3-d10-i3", "bbob-mixint-f8-d10-i3", "bbob-mixint-f15-d5-i3", "bbob-mixint-f21-d20-i3"),
        *("yahpo-xgboost-1590", "yahpo-xgboost-40984", "yahpo-lcbench-7593", "yahpo-lcbench-167168"),
    ),
    ("auto", "optuna-tpe", "random", "cma-es", "turbo", "optuna-gp", "hebo", "ax"),
    n_evals=100,
    n_seeds=10,
)
_LONG = Experiment(
    "long",
    "a thousand evaluations in 10 to 60 dimensions, instances that `auto` was not tuned on",
    "",
    (
        *("bbob-f2-d10-i3", "bbob-f8-d10-i3", "bbob-f15-d10-i3", "bbob-f21-d10-i3"),
        *("bbob-f6-d20-i3", "bbob-f10-d20-i3", "bbob-f13-d20-i3", "bbob-f17-d20-i3", "bbob-f20-d20-i3"),
        *("bbob-f8-d40-i3", "bbob-f12-d40-i3", "bbob-f19-d40-i3", "levy60+shifted21", "rosenbrock60+shifted22"),
    ),
    ("auto", "auto-whole", "random", "cma-es", "turbo", "optuna-tpe"),
    n_evals=1000,
    n_seeds=10,
)
# Few of many parameters matter, or all of them.
_LARGE = Experiment(
    "large",
    "60 to 500 parameters, problems that `auto` was not tuned on",
    "",
    (
        *("rover", "hartmann6+shifted41+idle94", "levy8+shifted42+idle292", "branin+shifted43+idle498"),
        *("levy100+shifted44", "rosenbrock100+shifted45", "styblinski-tang200+shifted46", "dixon-price500+shifted47"),
    ),
    ("auto", "optuna-tpe", "random", "cma-es"),
    n_evals=300,
    n_seeds=3,
)
_INGREDIENTS = Experiment(
    "ingredients",
    "`auto` without each of its ingredients, on the problems it was tuned on",
    "",
    _TUNING,
    ("random", "optuna-tpe", "auto", *INGREDIENTS),
    n_evals=100,
    n_seeds=15,
)

# `AugerPruner` was tuned on lcbench-3945, nas201-cifar100 and curves+shifted1, 11 and 12.
_FIDELITY = Experiment(
    "fidelity",
    "trials that are stopped early, at equal total cost: the unit is the cost of a full evaluation",
    "",
    (
        *("nas201-cifar10", "nas201-imagenet16", "lcbench-126026", "lcbench-168330", "lcbench-189906"),
        *("curves+shifted2", "curves+shifted3"),
    ),
    ("auto", *(entry.name for entry in pruning.ENTRIES)),
    n_evals=20,
    n_seeds=10,
)

# Several objectives and outcome constraints. What `auto` does with them was chosen on zdt1, zdt2, zdt3, dtlz2,
# binh-korn, c2-dtlz2, welded-beam, a made-up network, and three functions of which 1 % of the space is feasible: a
# sphere and branin in a ball, and one with two narrow constraints. Nothing was chosen on the problems of these lists;
# branin-disc is too close to one of those to be among them.
_FRONT_PROBLEMS = (
    *("zdt4", "zdt6", "dtlz1", "dtlz7", "wfg4", "wfg9", "network-speed", "pipeline-speed"),
    *("bbob-biobj-f1-d5-i3", "bbob-biobj-f16-d10-i3", "bbob-biobj-f25-d5-i3"),
    *("bbob-biobj-f33-d10-i3", "bbob-biobj-f42-d5-i3", "bbob-biobj-f50-d10-i3"),
    *("fcnet-naval-seconds", "fcnet-slice-seconds"),
    *("moot-ss-k-all", "moot-ss-q-all", "moot-ss-t-all"),
    *("moot-ss-u-all", "moot-health-commits-all", "moot-billing-all"),
    *("yahpo-lcbench-costs-34539", "yahpo-lcbench-costs-167149"),
    *("yahpo-xgboost-costs-40975", "yahpo-xgboost-costs-54"),
)
_CONSTRAINED_PROBLEMS = (
    *("c1-dtlz1", "car-side-impact", "pressure-vessel", "hartmann6-ball"),
    *("bbob-constrained-f3-d5-i3", "bbob-constrained-f15-d10-i3", "bbob-constrained-f27-d5-i3"),
)
_FRONT_RIVALS = ("auto", "optuna-tpe", "optuna-nsga2", "optuna-nsga3", "random", "optuna-gp")
_OBJECTIVES = tuple(
    Experiment(name, summary, "", problems, _FRONT_RIVALS, n_evals=100, n_seeds=10)
    for name, summary, problems in (
        ("objectives", "two and three objectives, on problems that `auto` was not tuned on", _FRONT_PROBLEMS),
        (
            "objectives-constrained",
            "outcome constraints, with one objective and several, on problems that `auto` was not tuned on",
            _CONSTRAINED_PROBLEMS,
        ),
        (
            "objectives-tuning",
            "the problems with several objectives or constraints that `auto` was tuned on",
            ("zdt1", "zdt2", "zdt3", "dtlz2", "binh-korn", "c2-dtlz2", "welded-beam", "branin-disc"),
        ),
    )
)

# Tasks of YAHPO's surrogates on which nothing of the pruner was chosen.
_FIDELITY_YAHPO = Experiment(
    "fidelity-yahpo",
    "the same on surrogates of networks, whose optimum is unknown",
    "",
    tuple(
        f"yahpo-lcbench-{task}"
        for task in ("126025", "126026", "167104", "167149", "167181", "168329", "189862", "189909")
    ),
    ("auto", "auto-pruner", "auto-hyperband", "auto-asha", "optuna-tpe-hyperband"),
    n_evals=20,
    n_seeds=6,
)

#: The experiments by name.
EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        *(*_OF_PAPER, _OUTLOOK, *_UNSEEN, _COCO, _STRONGEST, _LONG, _LARGE),
        *(_INGREDIENTS, *_OBJECTIVES, _FIDELITY, _FIDELITY_YAHPO),
    )
}


def experiment(name: str) -> Experiment:
    """The experiment of that name.

    Example:
        >>> experiment("racing").n_evals
        60
    """
    if name not in EXPERIMENTS:
        raise AugerError(f"`name` must be an experiment. Got {name!r}. {nearest(name, EXPERIMENTS)}")
    return EXPERIMENTS[name]

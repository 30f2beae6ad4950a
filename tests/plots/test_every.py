"""What every plot owes, whatever it is given."""

import json
import pickle
import re
import subprocess
import sys

import numpy as np
import optuna
import plotly.graph_objects as go
import pytest
from optuna.trial import TrialState
from support.fronts import nets, run_of
from support.runs import EVIL, FAILED, RUNNING, arguments, optimized, pruned, study_of, told, two_objectives

from auger import Categorical, Float, History, Optimizer, Space
from auger.errors import AugerError
from auger.insight import view
from auger.plots import PLOTS, PlotError


def evil_run():
    """Every text that a user can put somewhere, put there."""
    names = [f"{text} {place}" for place, text in enumerate(EVIL)]
    study = optuna.create_study(study_name=EVIL[1], directions=["minimize"])
    kinds = {
        EVIL[0]: optuna.distributions.CategoricalDistribution(names),
        EVIL[1]: optuna.distributions.FloatDistribution(0.0, 1.0),
        EVIL[4]: optuna.distributions.CategoricalDistribution([*names[:2], None]),
    }
    for number in range(24):
        params = {EVIL[0]: names[number % len(names)], EVIL[1]: number / 24, EVIL[4]: names[number % 2]}
        attributes = {"auger:origin": "model", "auger:reason": f"{EVIL[number % len(EVIL)]}: score 1"}
        study.add_trial(
            optuna.trial.create_trial(
                value=float((number * 7) % 24) + 0.5,
                params=params,
                distributions=kinds,
                user_attrs=attributes,
                intermediate_values={0: 1.0, 1: 2.0},
            )
        )
    return study


def failing(optimizer, trial):
    optimizer.tell(trial, error=EVIL[trial.number % len(EVIL)])


def strange(optimizer, trial):
    values = [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, 0.0]
    optimizer.tell(trial, values[trial.number % len(values)])


SOURCES = {
    "an empty history": lambda: History(Space({"x": (0.0, 1.0)})),
    "an empty study": optuna.create_study,
    "one running trial": lambda: study_of(RUNNING),
    "one trial": lambda: told(1.0),
    "two trials": lambda: told(1.0, 2.0),
    "all failed": lambda: optimized(12, value=failing),
    "constant values": lambda: told(*[2.0] * 14),
    "strange values": lambda: optimized(21, value=strange),
    "NaN only": lambda: told(*[float("nan")] * 12),
    "a single choice": lambda: optimized(
        12, space=Space({"x": Categorical(["only"]), "y": (0.0, 1.0)}), value=lambda run, trial: run.tell(trial, 1.0)
    ),
    "a maximized study with all states": lambda: study_of(
        *({"value": float(n), "intermediate_values": {0: 0.5, 5: float(n)}} for n in range(12)),
        pruned({0: 1.0}),
        FAILED,
        RUNNING,
        {"state": TrialState.WAITING},
        directions=["maximize"],
    ),
    "two objectives": two_objectives,
    "a study without parameters": lambda: study_of({"value": 1.0, "params": {}, "distributions": {}}),
    "texts full of markup": evil_run,
    "conditions": lambda: optimized(20),
    "three objectives, two constraints": lambda: nets(60),
    "five objectives": lambda: nets(40, 5),
    "no trial is feasible": lambda: run_of([(1.0, 2.0)] * 12, constraints=[(1.0,)] * 12),
    "equal trials": lambda: run_of([(1.0, 2.0)] * 12),
    "a constant objective": lambda: run_of([(float(i), 2.0) for i in range(12)]),
    "values far apart": lambda: run_of([(1e308, -1e308), (-1e308, 1e308), (0.0, 0.0), (5e-324, 3.0)]),
    "objectives full of markup": lambda: run_of(
        [(float(i), float(-i)) for i in range(12)],
        dict.fromkeys(EVIL[:2], "minimize"),
        constraints=[(1.0 - i,) for i in range(12)],
    ),
    "a huge range": lambda: optimized(
        12, space=Space({"x": Float(-1e308, 1e307), "y": Float(1e-300, 1e300, log=True)}), value=strange
    ),
}


@pytest.fixture(scope="module", params=SOURCES, ids=str)
def source(request):
    return view(SOURCES[request.param]())


def strings(part, path=()):
    """Every text of a figure with where it stands."""
    if isinstance(part, str):
        yield path, part
    elif isinstance(part, dict):
        for key, each in part.items():
            yield from strings(each, (*path, key))
    elif isinstance(part, (list, tuple)):
        for each in part:
            yield from strings(each, path)


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


# our own markup
OURS = re.compile(r"</?[bi]>|<br>|<extra></extra>")


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_a_full_figure_or_a_sentence(name, source):
    try:
        figure = PLOTS[name](source, *arguments(name, source))
    except PlotError as raised:
        error = str(raised)
    else:
        error = ""
    if error:
        assert re.fullmatch(r"[^\n]+[.)]", error)
        return
    assert isinstance(figure, go.Figure)
    made = json.loads(figure.to_json(), parse_constant=refuse)
    assert any(trace.get("x") or trace.get("z") or trace.get("dimensions") for trace in made["data"])
    assert json.loads(pickle.loads(pickle.dumps(figure)).to_json()) == made
    assert made["layout"]["paper_bgcolor"] == made["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert "width" not in made["layout"]
    for path, shown in strings(made):
        if path[-2:] != ("meta", "notes"):  # for pages, which escape them themselves
            check_text(path, shown)


def check_text(path, shown):
    """Nothing but our own markup, and our own templates where they belong."""
    if path[-1] == "bdata":  # numbers
        return
    assert shown.isprintable()
    if path[-2:] == ("dimensions", "ticktext"):  # not read as markup
        return
    assert not re.search(r"[<>$]|&(?!(amp|lt|gt|#36|#37);)", OURS.sub("", shown)), path
    templates = re.findall(r"%\{(\w*)", shown)
    assert set(templates) <= ({"x", "y", "z", "customdata", "text"} if path[-1] == "hovertemplate" else set()), path


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(size=(2, 10_000)).tolist()
    optimizer = Optimizer({"x": (0.0, 1.0), "kind": ["a", "b"]}, seed=0)
    values = [a + b for a, b in zip(x, noise, strict=True)]
    optimizer.add([{"x": a, "kind": "ab"[b > 0.5]} for a, b in zip(x, noise, strict=True)], values)
    return view(optimizer)


SEVERAL = {"front", "attainment", "feasibility"}


@pytest.mark.parametrize("name", sorted(PLOTS.keys() - SEVERAL - {"timeline", "curves", "reliability", "skill"}))
def test_ten_thousand_trials_make_a_small_figure(name, many):
    assert len(PLOTS[name](many, *arguments(name, many)).to_json()) < 500_000


@pytest.fixture(scope="module")
def many_with_three_objectives():
    return view(nets(10_000))


@pytest.mark.parametrize("name", sorted({*SEVERAL, "drivers", "slices", "parallel"}))
def test_ten_thousand_trials_of_three_objectives_make_a_small_figure(name, many_with_three_objectives):
    assert len(PLOTS[name](many_with_three_objectives).to_json()) < 500_000


@pytest.mark.parametrize("name", PLOTS)
def test_what_is_no_run_is_refused(name):
    with pytest.raises(AugerError, match="Got dict"):
        PLOTS[name]({}, *["x", "y"][: {"slice_of_good": 1, "surface": 2}.get(name, 0)])


def test_no_plotting_library_is_imported_before_the_first_figure():
    code = "import sys, auger, auger.plots; print({'plotly', 'pandas', 'matplotlib', 'optuna'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

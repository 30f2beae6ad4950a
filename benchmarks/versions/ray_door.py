"""The Ray Tune door: `AugerSearch`, driven as a Tuner does, without a cluster."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ray import tune

from auger import Float, Ordinal, Space
from auger.hosts.ray import AugerSearch
from versions.exact import Cases, Records, exact
from versions.native import FEW

_NETS = [{"kind": "mlp", "layers": tune.randint(1, 5)}, {"kind": "linear", "penalty": tune.loguniform(1e-4, 1.0)}]
_SPACE = {
    "x": tune.uniform(0.0, 1.0),
    "rate": tune.loguniform(1e-5, 1e-1),
    "net": tune.choice(_NETS),
    "units": tune.lograndint(4, 512),
    "drop": tune.quniform(0.0, 0.5, 0.1),
    "epochs": 5,
}


def ray_cases() -> Cases:
    """Searchers of every kind."""
    kinds: dict[str, Callable[[str], Records]] = {
        "plain": partial(_plain, mode="min"),
        "maximized": partial(_plain, mode="max"),
        "several running": _running,
        "cut by a scheduler": _cut,
        "points to evaluate": _points,
        "rewards known": _rewards,
        "a space of ours": _ours,
        "saved and restored": _saved,
    }
    return {f"{name}, {recipe}": partial(run, recipe) for name, run in kinds.items() for recipe in FEW}


def _loss(config: dict[str, Any]) -> float:
    net = config["net"]
    extra = net["layers"] if net["kind"] == "mlp" else abs(math.log10(net["penalty"]) + 2)
    return float((config["x"] - 0.3) ** 2 + abs(math.log10(config["rate"]) + 3) + extra + config["units"] / 512)


def _searcher(recipe: str, **settings: Any) -> AugerSearch:
    return AugerSearch(_SPACE, "loss", settings.pop("mode", "min"), recipe=recipe, seed=50, **settings)


def _suggested(searcher: AugerSearch, key: str) -> dict[str, Any]:
    config = searcher.suggest(key)
    assert config is not None
    return config


def _plain(recipe: str, mode: str) -> Records:
    searcher = _searcher(recipe, mode=mode)
    return _go_on(searcher, range(20), sign=1.0 if mode == "min" else -1.0)


def _go_on(searcher: AugerSearch, numbers: range, sign: float = 1.0) -> Records:
    """Trials one after the other; some fail."""
    records = []
    for i in numbers:
        config = _suggested(searcher, f"t{i}")
        records.append(exact(config))
        if i % 6 == 4:
            searcher.on_trial_complete(f"t{i}", error=True)
        else:
            searcher.on_trial_complete(f"t{i}", {"loss": sign * _loss(config), "training_iteration": 1})
    return records


def _running(recipe: str) -> Records:
    searcher, records = _searcher(recipe), []
    for batch in range(5):
        configs = {f"{batch}-{i}": _suggested(searcher, f"{batch}-{i}") for i in range(4)}
        records += [exact(config) for config in configs.values()]
        for key in reversed(configs):
            searcher.on_trial_complete(key, {"loss": _loss(configs[key]), "training_iteration": 1})
    return records


def _cut(recipe: str) -> Records:
    """Every third trial runs to the end; a scheduler stops the others."""
    searcher, records = _searcher(recipe), []
    for i in range(20):
        config = _suggested(searcher, str(i))
        records.append(exact(config))
        last = 9 if i % 3 == 0 else 1 + i % 4
        for step in range(1, last + 1):
            result = {"loss": _loss(config) + 1 / step, "training_iteration": step}
            if step < last or last == 9:
                searcher.on_trial_result(str(i), result)
        searcher.on_trial_complete(str(i), None if i % 7 == 5 else result)
    return records


def _points(recipe: str) -> Records:
    whole = {"x": 0.5, "rate": 1e-3, "net": {"kind": "mlp", "layers": 2}, "units": 64, "drop": 0.2}
    searcher = _searcher(recipe, points_to_evaluate=[whole, {"x": 0.25}])
    return _go_on(searcher, range(18))


def _rewards(recipe: str) -> Records:
    net = {"kind": "linear", "penalty": 0.01}
    points = [
        {"x": i / 12, "rate": 10.0 ** -(1 + i / 4), "net": net, "units": 4 + 9 * i, "drop": 0.1} for i in range(12)
    ]
    rewards = [_loss(point) for point in points]
    return _go_on(_searcher(recipe, points_to_evaluate=points, evaluated_rewards=rewards), range(8))


def _ours(recipe: str) -> Records:
    space = Space(
        {"x": (0.0, 1.0), "y": Float(1e-3, 1.0, log=True), "size": Ordinal([1, 2, 4])}, constraints=["x >= y"]
    )
    searcher, records = AugerSearch(space, "loss", "min", recipe=recipe, seed=51), []
    for i in range(20):
        config = _suggested(searcher, str(i))
        records.append(exact(config))
        searcher.on_trial_complete(
            str(i), {"loss": config["x"] - config["y"] + config["size"], "training_iteration": 1}
        )
    return records


def _saved(recipe: str) -> Records:
    """Saved with a trial running, and restored by a new searcher that knows no space."""
    searcher = _searcher(recipe, points_to_evaluate=[{"x": 0.75}])
    records = _go_on(searcher, range(13))
    running = _suggested(searcher, "running")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "search.json"))
        searcher.save(path)
        restored = AugerSearch(recipe=recipe)
        restored.restore(path)
    records += [exact(running), exact(restored.suggest("running"))]
    records += _go_on(restored, range(13, 17))
    restored.on_trial_complete("running", {"loss": _loss(running), "training_iteration": 1})
    return records + _go_on(restored, range(17, 20))

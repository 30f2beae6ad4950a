"""The HpBandSter door: `AugerGenerator`, driven as its optimizers do, without workers."""

from __future__ import annotations

from functools import partial
from typing import Any

from hpbandster.core.dispatcher import Job

from auger.hosts.hpbandster import AugerGenerator
from versions.configspace_door import theirs, value_of_known
from versions.exact import Cases, Records, suggested
from versions.native import FEW
from versions.spaces import conditional


def hpbandster_cases() -> Cases:
    """A space of ConfigSpace's and one of ours, on one budget and on several."""
    cases: Cases = {}
    for recipe in FEW:
        cases[f"one budget, {recipe}"] = partial(_one, theirs, recipe)
        cases[f"one budget, a space of ours, {recipe}"] = partial(_one, conditional, recipe)
        cases[f"successive halving, {recipe}"] = partial(_halving, recipe)
    return cases


def _finish(generator: AugerGenerator, config: dict[str, Any], budget: float, loss: float | None) -> None:
    job = Job((0, 0, 0), config=config, budget=budget)
    job.result = None if loss is None else {"loss": loss, "info": None}
    generator.new_result(job)


def _loss(generator: AugerGenerator, config: dict[str, Any], budget: float) -> float:
    return value_of_known(generator.space, config) + 1 / budget


def _one(make: Any, recipe: str) -> Records:
    """One configuration after the other; some crash."""
    generator, records = AugerGenerator(make(), recipe, seed=60), []
    for i in range(20):
        config, info = generator.get_config(1.0)
        records.append(suggested(config, info["auger:origin"]))
        _finish(generator, config, 1.0, None if i % 6 == 4 else _loss(generator, config, 1.0))
    return records


def _halving(recipe: str) -> Records:
    """Brackets of nine configurations, of which three and then one go on."""
    generator, records = AugerGenerator(theirs(), recipe, seed=61), []
    for _ in range(4):
        configs = []
        for _ in range(9):
            config, info = generator.get_config(1.0)
            configs.append(config)
            records.append(suggested(config, info["auger:origin"]))
        for budget, n_left in ((1.0, 9), (3.0, 3), (9.0, 1)):
            configs = sorted(configs, key=lambda config: _loss(generator, config, 1.0))[:n_left]
            for i, config in enumerate(configs):
                _finish(generator, config, budget, None if i == 7 else _loss(generator, config, budget))
    return records

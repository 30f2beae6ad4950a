"""The config generator: it fills HpBandSter's brackets with suggestions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ConfigSpace import ConfigurationSpace
from hpbandster.core.base_config_generator import base_config_generator

from auger.checks import check_seed, is_number
from auger.hosts.configspace import from_configspace, from_configuration, to_configuration
from auger.hosts.hpbandster.budgets import Budgets
from auger.provenance import Origin
from auger.recipes import Recipe, Turns, as_recipe
from auger.schema import ORIGIN, PROVENANCE
from auger.space import Space, as_space


class AugerGenerator(base_config_generator):  # type: ignore[misc]
    """Suggests configurations to any optimizer of HpBandSter's.

    It learns from the highest budget with enough results: as many as the recipe wants before its first fit.
    Running configurations count as pending. A crashed one (no result, or a loss that is no finite number) is never
    good. The ``config_info`` of each configuration holds ``auger:origin`` and ``auger:provenance`` (see
    `auger.provenance`).

    Args:
        configspace: a ConfigurationSpace, with its conditions and forbidden clauses, or a Space or plain dict of ours.
        recipe: the name of a recipe (see `auger.RECIPES`), with options if wanted (``"bore-rf gamma=0.25"``); or a
            Recipe or Turns of your own.
        seed: a whole number >= 0. Same seed and same results in the same order: same configurations. None draws one.
        logger: a logger in place of HpBandSter's own.
    """

    def __init__(
        self,
        configspace: Any,
        recipe: str | Recipe | Turns = "auto",
        *,
        seed: int | None = None,
        logger: Any = None,
    ) -> None:
        super().__init__(logger=logger)
        self.recipe = as_recipe(recipe)
        self.seed = check_seed(seed)
        is_theirs = isinstance(configspace, ConfigurationSpace)
        self._theirs: ConfigurationSpace | None = configspace if is_theirs else None
        self._budgets = Budgets(from_configspace(configspace) if is_theirs else as_space(configspace))

    @property
    def space(self) -> Space:
        """The space that is searched."""
        return self._budgets.space

    def get_config(self, budget: float) -> tuple[dict[str, Any], dict[str, Any]]:
        """The next configuration, the same for every ``budget`` it may begin with, and its ``config_info``."""
        suggestion = self._budgets.ask(self.recipe, self.seed)
        config = self.space.decode(suggestion.row[None])[0]
        if self._theirs is not None:
            config = dict(to_configuration(config, self._theirs))
        origin = suggestion.provenance.origin
        info = {"model_based_pick": origin is Origin.MODEL, ORIGIN: origin.value}
        return config, {**info, PROVENANCE: suggestion.provenance.to_json()}

    def new_result(self, job: Any, update_model: bool = True) -> None:
        """Learn the result of a job. HpBandSter calls this for each finished job, those of a previous run included."""
        super().new_result(job)
        loss: Any = job.result.get("loss") if isinstance(job.result, Mapping) else None
        # minus infinity is a crash too, as in BOHB: it does not compare
        value = float(loss) if is_number(loss) and math.isfinite(loss) else None
        self._budgets.tell(from_configuration(job.kwargs["config"]), float(job.kwargs["budget"]), value)

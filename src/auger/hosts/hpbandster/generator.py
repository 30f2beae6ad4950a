"""The config generator: HpBandSter's brackets on one side, `suggest` on the other."""

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
from auger.schema import ORIGIN, REASON
from auger.space import Space, as_space


class AugerGenerator(base_config_generator):  # type: ignore[misc]
    """Proposes configurations to any optimizer of HpBandSter's.

    The highest budget with enough results is learned from: as many as the recipe wants before its first fit.
    Configurations that run elsewhere are pending, crashed ones (no result, or a loss that is no finite number) are
    never good. Each configuration tells its origin and the reason in its ``config_info``.

    Args:
        configspace: a ConfigurationSpace, with its conditions and forbidden clauses, or a Space or plain dict of ours.
        recipe: the name of a recipe (see `auger.RECIPES`), with options if wanted (``"bore-rf gamma=0.25"``); or a
            Recipe or Turns of your own.
        seed: a whole number >= 0. Same seed and same results in the same order: same configurations. None draws one.
        logger: HpBandSter's logger, if not its own.
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
        """What is searched."""
        return self._budgets.space

    def get_config(self, budget: float) -> tuple[dict[str, Any], dict[str, Any]]:
        """The next configuration, whatever the budget it begins with, and where it comes from."""
        made = self._budgets.ask(self.recipe, self.seed)
        config = self.space.decode(made.row[None])[0]
        if self._theirs is not None:
            config = dict(to_configuration(config, self._theirs))
        info = {"model_based_pick": made.origin is Origin.MODEL, ORIGIN: made.origin.value, REASON: made.reason}
        return config, info

    def new_result(self, job: Any, update_model: bool = True) -> None:
        """Learn what became of a job: HpBandSter calls it for each that ends, and for those of a previous run."""
        super().new_result(job)
        loss: Any = job.result.get("loss") if isinstance(job.result, Mapping) else None
        # minus infinity too: what cannot be compared is no result, and BOHB holds it so
        value = float(loss) if is_number(loss) and math.isfinite(loss) else None
        self._budgets.tell(from_configuration(job.kwargs["config"]), float(job.kwargs["budget"]), value)

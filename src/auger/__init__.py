"""Find good settings for anything expensive to try (BORE, Tiao et al., ICML 2021).

Two front doors: `minimize` for a person in a hurry, `Optimizer` (ask and tell) for everyone else.
"""

from auger.density_ratio import relative_density_ratio
from auger.errors import AugerError, StopSearch
from auger.history import History
from auger.minimize import FrontResult, Result, minimize, minimize_several
from auger.optimizer import Optimizer
from auger.provenance import Origin, Provenance
from auger.recipes import RECIPES, Recipe, Turns
from auger.recommend import Recommendation, recommend
from auger.space import Categorical, Float, Int, Ordinal, Space
from auger.suggest import suggest
from auger.trial import State, Trial

__version__ = "0.2.0"

__all__ = [
    "RECIPES",
    "AugerError",
    "Categorical",
    "Float",
    "FrontResult",
    "History",
    "Int",
    "Optimizer",
    "Ordinal",
    "Origin",
    "Provenance",
    "Recipe",
    "Recommendation",
    "Result",
    "Space",
    "State",
    "StopSearch",
    "Trial",
    "Turns",
    "minimize",
    "minimize_several",
    "recommend",
    "relative_density_ratio",
    "suggest",
]

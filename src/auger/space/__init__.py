"""The search space: parameters, when they are active, their constraints, and how configs become numbers."""

from auger.space.choices import Categorical, Ordinal, hashable
from auger.space.limits import Limits, limits_of
from auger.space.numbers import Float, Int
from auger.space.parameter import Parameter
from auger.space.reading import as_parameter, parameter_from_json
from auger.space.sampling import reflect
from auger.space.space import EXHAUSTIVE_LIMIT, Space, as_space
from auger.space.views import Views

__all__ = [
    "EXHAUSTIVE_LIMIT",
    "Categorical",
    "Float",
    "Int",
    "Limits",
    "Ordinal",
    "Parameter",
    "Space",
    "Views",
    "as_parameter",
    "as_space",
    "hashable",
    "limits_of",
    "parameter_from_json",
    "reflect",
]

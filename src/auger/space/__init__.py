"""What can be set: parameters, when they are active, what they must satisfy together, and how they become numbers."""

from auger.space.choices import Categorical, Ordinal, hashable
from auger.space.numbers import Float, Int
from auger.space.parameter import Parameter
from auger.space.reading import parameter, parameter_from_json
from auger.space.space import EXHAUSTIVE_LIMIT, Space, as_space, reflect

__all__ = [
    "EXHAUSTIVE_LIMIT",
    "Categorical",
    "Float",
    "Int",
    "Ordinal",
    "Parameter",
    "Space",
    "as_space",
    "hashable",
    "parameter",
    "parameter_from_json",
    "reflect",
]

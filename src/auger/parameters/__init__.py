"""One parameter each: what values it takes and how they become numbers."""

from auger.parameters.choices import Categorical, Ordinal, hashable
from auger.parameters.interface import Parameter
from auger.parameters.numbers import Float, Int
from auger.parameters.reading import parameter, parameter_from_json

__all__ = ["Categorical", "Float", "Int", "Ordinal", "Parameter", "hashable", "parameter", "parameter_from_json"]

"""The Pareto front: which trials are on it, how they rank, and the volume that they dominate."""

from auger.pareto.boxes import boxes
from auger.pareto.dominance import front, front_numbers
from auger.pareto.fronts import Fronts, contribution, crowding, placed, rank
from auger.pareto.hypervolume import contributions, hypervolume

__all__ = [
    "Fronts",
    "boxes",
    "contribution",
    "contributions",
    "crowding",
    "front",
    "front_numbers",
    "hypervolume",
    "placed",
    "rank",
]

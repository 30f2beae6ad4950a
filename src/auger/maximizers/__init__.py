"""Finding the configuration with the best score."""

from auger.maximizers.around import AroundBest
from auger.maximizers.domain import ByDomain
from auger.maximizers.evolution import Evolution
from auger.maximizers.exhaustive import Exhaustive
from auger.maximizers.gradient import Gradient
from auger.maximizers.interface import Maximizer, Pick, Proposal
from auger.maximizers.local import LocalSearch
from auger.maximizers.mean_shift import MeanShift
from auger.maximizers.pick import Argmax, Tolerance
from auger.maximizers.pool import propose
from auger.maximizers.random import RandomSearch

__all__ = [
    "Argmax",
    "AroundBest",
    "ByDomain",
    "Evolution",
    "Exhaustive",
    "Gradient",
    "LocalSearch",
    "Maximizer",
    "MeanShift",
    "Pick",
    "Proposal",
    "RandomSearch",
    "Tolerance",
    "propose",
]

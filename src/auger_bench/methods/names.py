"""Methods by name, for command lines and benchmarks."""

from __future__ import annotations

from auger.errors import AugerError, nearest
from auger.recipes import RECIPES
from auger_bench.methods import ax, cma, evolution, hebo, hyperopt, optuna, pruning, random, recipes, smac, turbo
from auger_bench.methods.interface import Entry

#: Every method by name, in the order of listings.
METHODS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *random.ENTRIES,
        *evolution.ENTRIES,
        *cma.ENTRIES,
        *hyperopt.ENTRIES,
        *optuna.ENTRIES,
        *smac.ENTRIES,
        *turbo.ENTRIES,
        *hebo.ENTRIES,
        *ax.ENTRIES,
        *recipes.ENTRIES,
        *pruning.ENTRIES,
    )
}


def method(name: str) -> Entry:
    """The method of that name; a recipe with options is a name too.

    Example:
        >>> method("random").summary
        'random search'
        >>> method("bore-rf  gamma=1/4").name
        'bore-rf gamma=0.25'
    """
    if name in METHODS:
        return METHODS[name]
    first, *options = name.split() or [""]
    if options and first in RECIPES:
        return recipes.with_options(name)
    raise AugerError(f"`name` must be a method, or a recipe with options. Got {name!r}. {nearest(first, METHODS)}")

"""Named combinations of classifier, maximizer, gamma and weights, with options."""

from auger.recipes.presets import RECIPES, as_recipe, is_named
from auger.recipes.recipe import Recipe, Turns

__all__ = ["RECIPES", "Recipe", "Turns", "as_recipe", "is_named"]

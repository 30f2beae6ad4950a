"""Named combinations of classifier, maximizer, gamma and weights, with options."""

from auger.recipes.recipe import RECIPES, Recipe, Turns, is_named, recipe

__all__ = ["RECIPES", "Recipe", "Turns", "is_named", "recipe"]

"""Named combinations of classifier, maximizer, gamma and weights, with options."""

from auger.recipes.recipe import RECIPES, Recipe, Turns, as_recipe, is_named

__all__ = ["RECIPES", "Recipe", "Turns", "as_recipe", "is_named"]

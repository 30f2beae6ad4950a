"""Looking into a run: what it is made of, how good its classifier was, and what it has learned."""

from auger.insight.view import Row, View, view

__all__ = ["Row", "View", "view"]

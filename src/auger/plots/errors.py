"""What a plot says instead of being empty."""

from __future__ import annotations

from auger.errors import AugerError


class PlotError(AugerError, ValueError):
    """There is nothing to draw: no trial is complete yet, a parameter is unknown, or another objective is needed."""

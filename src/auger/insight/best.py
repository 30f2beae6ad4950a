"""The settings to use, computed once per View: the report and the star of every figure show the same trial."""

from __future__ import annotations

from auger import best
from auger.insight.memory import remembered

best_settings = remembered(best.best_settings)

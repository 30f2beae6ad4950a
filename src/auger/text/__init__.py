"""Everything that is worded for people: numbers, times, settings, and why a trial was tried."""

from auger.text.format import clean, count, duration, gain, near, number, settings, toml

__all__ = ["clean", "count", "duration", "gain", "near", "number", "settings", "toml"]

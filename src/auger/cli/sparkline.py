"""A series of values as a line of small bars."""

from __future__ import annotations

import math

_SPARKS = "▁▂▃▄▅▆▇█"

# A value that is farther away than so many times the median of all is drawn at the top, and does not change the scale.
_FAR = 100.0


def sparkline(series: list[float], width: int) -> str:
    """The best values in up to ``width`` characters, on a logarithmic scale of the distance to the last value.

    Example:
        >>> sparkline([100.0, 10.0, 1.0, 0.9, 0.0], width=5)
        '█▆▃▃▁'
        >>> sparkline([1.0, 2.0, 3.0], width=8)
        '▁▂█'
        >>> sparkline([1e9, 9.0, 2.0, 1.1, 1.0], width=5)
        '██▆▄▁'
    """
    series = [value for value in series if math.isfinite(value)]
    if len(series) < 2:
        return ""
    n_shown = min(len(series), width)
    picked = [series[round(i * (len(series) - 1) / (n_shown - 1))] for i in range(n_shown)]
    last, is_rising = picked[-1], picked[-1] > picked[0]
    distances = [abs(value - last) for value in picked]
    far = _usual_reach(distances)
    heights = [math.log1p(1e3 * min(distance / far, 1.0)) / math.log1p(1e3) for distance in distances]
    top = len(_SPARKS) - 1
    return "".join(_SPARKS[round(top * (1 - height if is_rising else height))] for height in heights)


def _usual_reach(distances: list[float]) -> float:
    """The largest of the distances, without those far above the others: one bad value must not hide the rest."""
    different = sorted({distance for distance in distances if distance > 0})
    if not different:
        return 1.0
    middle = different[(len(different) - 1) // 2]
    return max(distance for distance in different if distance <= _FAR * middle)

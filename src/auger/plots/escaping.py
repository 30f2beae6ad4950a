"""Texts of the user as plotly shows them: as they are, not as markup.

Plotly reads titles, ticks, legends and hovers as a little HTML (``<b>``, ``<a href>``), decodes entities in them, fills
in templates (``%{x}``) and, where MathJax is loaded, formulas (``$x$``). A name such as ``<b>`` must come out as three
characters.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from auger.characters import replaced

#: Longer names are cut: a tick or an entry of a legend has no more room.
MAX_NAME = 40

#: Characters of a config or an error in a hover.
MAX_HOVER = 160


def one_line(text: object, limit: int = MAX_NAME) -> str:
    """A text without line breaks and control characters, cut with … where it is too long.

    Example:
        >>> one_line("two\\nlines"), one_line("abcdefgh", 5)
        ('two lines', 'abcd…')
    """
    # long texts are cut before they are looked at letter by letter: an error may be megabytes
    letters = replaced(str(text)[: 4 * limit + 4], lambda _: " ")
    shown = " ".join(letters.split())
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


def plain(text: object, limit: int = MAX_NAME) -> str:
    """A text for any place where plotly reads markup, on one line.

    Example:
        >>> plain("<b>R&D</b>"), plain("%{x} $y$")
        ('&lt;b&gt;R&amp;D&lt;/b&gt;', '&#37;{x} &#36;y&#36;')
    """
    return escaped(one_line(text, limit))


def escaped(text: str) -> str:
    """A text whose every character is shown as it is."""
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("%{", "&#37;{").replace("$", "&#36;")


def short_number(value: float) -> str:
    """Four digits, for the little room of a figure.

    Example:
        >>> [short_number(value) for value in (0.123456, 1e-5, 1234567.0, 20_000, float("nan"))]
        ['0.1235', '1e-5', '1.235e6', '20,000', 'nan']
    """
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value):,}"
    mantissa, e, exponent = f"{value:.4g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def choice(value: Any) -> str:
    """A value of a parameter: numbers short, anything else as Python prints it."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return short_number(value) if is_number else str(value)


def config(values: Iterable[tuple[str, Any]], limit: int = MAX_HOVER) -> str:
    """A configuration as lines of a hover."""
    parts: list[str] = []
    room = limit
    for name, value in values:
        parts.append(f"{one_line(name)} = {one_line(choice(value))}")
        room -= len(parts[-1])
        if room < 0:
            break
    return lines(", ".join(parts), limit)


def lines(text: object, limit: int) -> str:
    """A text of the user's, escaped, in lines of a hover, which has half of a telephone's width or little more."""
    return wrapped(one_line(text, limit), 40)


def wrapped(text: str, width: int = 56) -> str:
    """Escaped text in lines that fit a telephone, as plotly does not wrap."""
    return "<br>".join(escaped(line) for line in textwrap.wrap(text, width))

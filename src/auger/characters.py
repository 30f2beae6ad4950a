"""Text that is fit to be shown: without the characters that a terminal obeys, and those that nobody can see.

Names, choices and errors come from studies, files and programs of other people. An escape sequence in one of them
would color, overwrite or link what a terminal shows, and a mark of writing direction would reverse it. `shown` writes
such a character as Python does, so that two names that differ stay different; `clean` leaves it out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

# What a program prints to move the cursor, set colors, a title or a link: CSI, OSC and the like, and the short ones.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]"
)

# They join letters and emoji, and are nothing by themselves.
_JOINERS = "\u200c\u200d"


def shown(text: str) -> str:
    r"""A text on one line, with an escape for every character that cannot be seen; ordinary letters of any script stay.

    Example:
        >>> print(shown("caf\u00e9 \u6f22"), shown("\x1b[31mred\n"), shown("exe.\u202egnp"))
        café 漢 \x1b[31mred\n exe.\u202egnp
    """
    return replaced(text, lambda c: repr(c)[1:-1])


def replaced(text: str, replacement: Callable[[str], str]) -> str:
    """A text with something else in place of every character that cannot be seen."""
    if text.isprintable():
        return text
    return "".join(c if _is_visible(text, i) else replacement(c) for i, c in enumerate(text))


def shown_lines(text: str) -> str:
    """The same for a text that may have several lines: line ends stay."""
    return text if text.isprintable() else "\n".join(map(shown, text.split("\n")))


def is_shown(text: str) -> bool:
    """Whether `shown` changes nothing."""
    return shown(text) == text


def clean(text: str) -> str:
    r"""What a program printed, on one line: without sequences for a terminal, spaces for what else cannot be seen.

    Example:
        >>> clean("\x1b[31mloss\x1b[0m is\tnan\n"), clean("\x1b]8;;https://example.org\x07link")
        ('loss is nan', 'link')
    """
    return _plain(text).strip()


def clean_line(line: str) -> str:
    """The same for a line whose indentation counts; a tab is four spaces."""
    return _plain(line.replace("\t", "    ")).rstrip()


def _plain(text: str) -> str:
    return replaced(_SEQUENCE.sub("", text), lambda _: " ")


def _is_visible(text: str, i: int) -> bool:
    if text[i] in _JOINERS:
        return i > 0 and _is_joined(text[i - 1]) and _is_joined(text[i + 1 : i + 2])
    return text[i].isprintable() or unicodedata.category(text[i]) == "Zs"


def _is_joined(neighbor: str) -> bool:
    """Whether it is a character that a joiner may stand beside: no English word has one inside."""
    return neighbor.isprintable() and not neighbor.isascii()

"""HTML from Python: every text is escaped unless it is markup already, so that no name of a study can become a tag."""

from __future__ import annotations

import html

from auger.characters import shown_lines

# Elements that have no end tag.
_VOID = frozenset({"meta", "link", "input", "br", "hr", "col"})

#: A cell of a table with nothing in it.
NONE = "\N{EN DASH}"


class Markup(str):
    """Text that is HTML, and shown as such."""

    __slots__ = ()


def escaped(text: object) -> Markup:
    """A text as HTML that shows it, what cannot be seen as Python writes it; markup as it is.

    Example:
        >>> escaped("a < b"), escaped(Markup("<b>"))
        ('a &lt; b', '<b>')
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(shown_lines(str(text)), quote=True))


def element(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element; children and attributes that are no markup are escaped.

    Args:
        name: of the element.
        children: texts, or markup. None is nothing.
        attributes: name -> text; underscores are hyphens, one at the end is nothing. True stands for an attribute
            without a value, None and False for none.

    Example:
        >>> element("a", "<b>", href="#x", class_="link", aria_label=None)
        '<a href="#x" class="link">&lt;b&gt;</a>'
    """
    shown = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    if name in _VOID:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{joined(*children)}</{name}>")


def joined(*children: object) -> Markup:
    """Texts and markup one after the other; None is left out."""
    return Markup("".join(escaped(child) for child in children if child is not None))


def _attribute(key: str, value: object) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escaped(str(value))}"'

"""Parts of the page in HTML: a small table."""

from __future__ import annotations

from auger.markup import Markup, element


def table(head: list[str], rows: list[list[object]], *, label: str) -> Markup:
    """A small table in a box that scrolls by itself; the first cell of a row is its heading.

    Args:
        head: of the columns.
        rows: a list of cells each.
        label: what the table is about, for readers who cannot see it.
    """
    heading = element("tr", *(element("th", title, scope="col") for title in head))
    body = [
        element("tr", element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])) for row in rows
    ]
    listed = element("table", element("thead", heading), element("tbody", *body), aria_label=label)
    # a box that scrolls must be reached by the keyboard
    return element("div", listed, class_="scroll", tabindex="0", role="region", aria_label=label)

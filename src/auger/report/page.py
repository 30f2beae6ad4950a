"""One HTML file with everything in it: text, looks, behavior, plotly.js and the data. It loads nothing.

Texts are escaped by `markup`. Data travel as compressed JSON in base64, whose letters cannot end a script; figures and
10,000 trials are a third of their size that way. The policy in the head allows the two scripts of this page by their
hashes and nothing else: what a browser would load, run or send besides is refused by it, whatever a study holds.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import auger
from auger.markup import Markup, element, escaped, joined


@dataclass(frozen=True)
class Section:
    """A part of the page, with a heading and a link to it."""

    key: str
    title: str
    body: Markup


@dataclass(frozen=True)
class Page:
    """All that a report says, before it is a file.

    Attributes:
        title: the name of the run.
        headline: what to change and what it buys, in a sentence.
        status: how far the run is, in a line.
        sections: in the order of the page.
        data: figures and columns of the table, for the page's script; JSON types.
    """

    title: str
    headline: str
    status: str
    sections: tuple[Section, ...]
    data: Mapping[str, Any]

    def html(self, *, refresh: float | None = None) -> str:
        """The whole file.

        Args:
            refresh: seconds after which the page looks for a newer version; None for a page that stays.
        """
        plotly, script = _plotly(), _resource("page.js")
        links = [element("li", element("a", section.title, href=f"#{section.key}")) for section in self.sections]
        content = [
            element(
                "section",
                element("h2", section.title, id=f"{section.key}-title"),
                section.body,
                id=section.key,
                aria_labelledby=f"{section.key}-title",
            )
            for section in self.sections
        ]
        return Template(_resource("page.html")).substitute(
            policy=escaped(_policy(plotly, script, is_drawn_by_gpu=_is_drawn_by_gpu(self.data["figures"]))),
            generator=escaped(f"auger {auger.__version__}"),
            title=escaped(self.title),
            headline=escaped(self.headline),
            status=escaped(self.status),
            notice=_notice(refresh),
            refresh=escaped("" if refresh is None else f"{refresh:g}"),
            style=_resource("page.css"),
            links=joined(*links),
            content=joined(*content),
            data=_packed({**self.data, "refresh": refresh}),
            plotly=plotly,
            script=script,
        )


def _notice(refresh: float | None) -> Markup:
    if refresh is None:
        return Markup("")
    text = f"This page looks for a newer version of itself every {refresh:g} s."
    return element("p", text, element("button", "Pause", type="button", id="pause"), class_="notice")


# Kinds of traces for which plotly makes functions out of text of its own, to talk to the graphics card.
_BY_GPU = frozenset({"parcoords", "scattergl", "scatterpolargl", "splom"})


def _is_drawn_by_gpu(figures: Mapping[str, Any]) -> bool:
    return any(trace["type"] in _BY_GPU for figure in figures.values() for trace in figure["data"])


def _policy(*scripts: str, is_drawn_by_gpu: bool) -> str:
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    if is_drawn_by_gpu:
        hashes += " 'unsafe-eval'"
    # plotly sets styles on its elements, and offers its pictures as data: and blob:
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'none'; "
        "base-uri 'none'; form-action 'none'"
    )


def _packed(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@cache
def _resource(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    # in a script, only these could end it or change how the rest is read
    text = re.sub(r"<(?=/script|!--|script)", r"\\x3c", get_plotlyjs(), flags=re.IGNORECASE)
    # a parser turns them into line feeds before the hash is taken
    return text.replace("\r\n", "\n").replace("\r", "\n")

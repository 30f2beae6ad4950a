"""Each sentence once: what a page has said already."""

from __future__ import annotations

from auger.markup import Markup, element

#: In the place of a part that is left out.
NOTHING = Markup("")


class Sentences:
    """Keeps what a page has said, so that no part of it says the same again.

    Example:
        >>> sentences = Sentences()
        >>> sentences.new("Lower is better.", "One is left out."), sentences.new("Two.", "Lower is better.")
        ('Lower is better. One is left out.', 'Two.')
    """

    def __init__(self) -> None:
        self._sentences: set[str] = set()

    def new(self, *sentences: str) -> str:
        """Those that were not said before, in one text; empty where all were."""
        fresh = [sentence for sentence in dict.fromkeys(sentences) if sentence and sentence not in self._sentences]
        self._sentences.update(fresh)
        return " ".join(fresh)

    def missing(self, sentence: str) -> Markup:
        """A sentence in the place of something that is not there yet; nothing where the page says it already."""
        fresh = self.new(sentence)
        return element("p", fresh, class_="missing") if fresh else NOTHING

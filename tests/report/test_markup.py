from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from auger.characters import is_shown, shown
from auger.markup import Markup, element, escaped, joined


class _Read(HTMLParser):
    """What a parser that is not ours makes of it."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def read(text):
    reader = _Read()
    reader.feed(text)
    reader.close()
    return reader


letters = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]))


@given(text=letters, value=letters)
def test_any_text_comes_out_as_it_was_and_makes_no_element(text, value):
    found = read(element("p", text, title=value))
    assert found.tags == [("p", {"title": shown(value)})] and found.text == shown(text)


@given(text=st.text())
def test_what_html_cannot_hold_and_what_nobody_sees_has_an_escape(text):
    made = escaped(text)
    assert all(is_shown(line) for line in made.split("\n"))
    made.encode("utf-8")


def test_markup_stays_and_nothing_is_nothing():
    assert joined("a<b", None, Markup("<br>")) == "a&lt;b<br>"
    assert element("input", type="text", hidden=False, required=True, form=None) == '<input type="text" required>'

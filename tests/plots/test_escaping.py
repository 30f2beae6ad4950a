import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.runs import EVIL

from auger.plots.escaping import config, one_line, plain, short_number


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>", "&lt;b&gt;"),
        ("&lt;", "&amp;lt;"),
        ("%{x}", "&#37;{x}"),
        ("100 %", "100 %"),
        ("$x$", "&#36;x&#36;"),
        ("a\nb\t c\u202e", "a b c"),
        (None, "None"),
        ("x" * 50, "x" * 39 + "…"),
    ],
)
def test_a_text_is_escaped_for_plotly(text, shown):
    assert plain(text) == shown


@given(st.text() | st.sampled_from(EVIL))
def test_no_text_holds_markup_templates_formulas_or_control_characters(text):
    shown = plain(text)
    assert not {"<", ">", "$"} & set(shown) and "%{" not in shown
    assert shown.isprintable() and len(one_line(text)) <= 40
    # what a reader of HTML sees is the text
    assert html.unescape(shown) == one_line(text)


def test_a_huge_text_is_cut_before_it_is_read():
    assert len(one_line("error " * 10**6)) == 40


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (-3, "-3"), (1_000_000.0, "1e6"), (123456, "123,456"), (1e-300, "1e-300"), (float("inf"), "inf")],
)
def test_numbers_are_short(value, shown):
    assert short_number(value) == shown


def test_a_configuration_is_cut_where_it_is_too_long():
    shown = config([(f"parameter {i}", i) for i in range(1000)])
    assert shown.startswith("parameter 0 = 0, parameter 1 = 1,") and shown.endswith("…")
    assert len(shown.replace("<br>", " ")) == 160 and max(map(len, shown.split("<br>"))) <= 40

"""Which characters are fit to be shown, for any text."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.characters import clean, clean_line, is_shown, shown, shown_lines

# what matters here is as frequent as all other letters
special = st.sampled_from("\x1b[]\x07\\\x9b\x9d;0m\u200d\u200c\u202e\n\r\t😀")
texts = st.text(st.one_of(st.characters(), special), max_size=40)

ORDINARY = ["größe", "学习率", "ルート　値", "👩\u200d🔬", "❤️", "1\u202f000", "क्\u200dष", "מהירות", "lr [bold]"]


@given(texts)
def test_no_control_character_and_no_mark_is_left_in_any_text(text):
    for fit in (shown(text), clean(text), clean_line(text), *shown_lines(text).split("\n")):
        assert all(unicodedata.category(c) not in {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"} for c in fit)
        assert {c for c in fit if unicodedata.category(c) == "Cf"} <= {"\u200c", "\u200d"}
        assert is_shown(fit) and shown(fit) == fit


def test_every_character_of_unicode_that_nobody_sees_is_an_escape():
    left = [c for c in map(chr, range(sys.maxunicode + 1)) if shown(c) == c]
    assert {unicodedata.category(c)[0] for c in left} == {"L", "M", "N", "P", "S", "Z"}
    assert {unicodedata.category(c) for c in left} & {"Zl", "Zp"} == set()


@given(texts, texts)
def test_two_texts_that_differ_are_shown_differently_unless_they_hold_a_backslash(one, other):
    if one != other and "\\" not in one + other:
        assert shown(one) != shown(other)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_of_any_language_stays(text):
    assert shown(text) == shown_lines(text) == clean(text) == text


@pytest.mark.parametrize(
    ("printed", "fit"),
    [
        ("\x1b[1;31merror\x1b[0m: x", "error: x"),
        ("\x9b31merror", "error"),
        ("\x1b]0;title\x07error", "error"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;never ended: error", "0;never ended: error"),
        ("\x1b(B\x1bMerror\x1b[2K", "error"),
        ("50 %\r100 %", "50 % 100 %"),
        ("a\u202eb", "a b"),
        ("\x1b]" * 50_000, ""),
    ],
)  # fmt: skip
def test_what_a_program_prints_for_a_terminal_is_left_out(printed, fit):
    assert clean(printed) == fit


def test_the_indentation_of_a_line_stays():
    assert clean_line('\tFile "\x1b[35ma.py\x1b[0m"\n') == '    File "a.py"'

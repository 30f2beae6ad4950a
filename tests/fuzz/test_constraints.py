"""Constraints as text: anything is read, or refused with an error that quotes it; nothing else happens."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from auger.errors import SpaceError
from auger.space.constraints import Expression

CONFIGS = [{"a": 1, "b": 0.5, "mode": "wide"}, {"a": -3, "b": 1e308, "mode": ""}, {"a": 10**12, "b": 0.0}]

WORDS = """
a b mode 1 0 -1 1e308 'wide' None True and or not in is if else for lambda x ( ) [ ] { } , : . ; = == != < <= > >=
+ - * / // % ** @ ~ & | ^ << >> abs min max abs( min( __import__ __class__ eval print( await yield := f'' b'' ... \\
"""
words = st.sampled_from(WORDS.split())


def read(text):
    with suppress(SpaceError):
        expression = Expression.parse(text, ["a", "b", "mode"])
        for config in CONFIGS:
            assert expression.holds(config) in (True, False)


@given(st.lists(words, max_size=12).map(" ".join))
def test_words_of_the_grammar_and_of_python_in_any_order(text):
    read(text)


@given(st.text(max_size=60))
def test_any_text(text):
    read(text)


@given(st.sampled_from(["(", "[", "-", "not ", "a+", "a**", "abs(", "a<"]), st.integers(1, 20_000))
def test_nesting_without_end(part, n):
    read(part * n + "a")
    read(part * n + "a" + ")" * n)

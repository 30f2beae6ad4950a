"""Times and sizes as people write them."""

import pytest

from auger.errors import StudyError
from auger.studies.definition import seconds
from auger.studies.definition.amounts import size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (90, 90.0),
        (0.5, 0.5),
        ("90", None),  # without a unit it is a guess
        ("90s", 90.0),
        ("90 s", 90.0),
        ("1.5h", 5400.0),
        ("1h30m", 5400.0),
        ("1 h 30 min", 5400.0),
        ("2d", 172800.0),
        (" 10m ", 600.0),
        ("", None),
        ("h", None),
        ("-1s", None),
        ("0s", None),
        (0, None),
        (-3, None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        ("1h of work", None),
        ("1 fortnight", None),
        ([1], None),
        (None, None),
        ("9" * 400 + "s", None),  # infinity
    ],
)
def test_a_time_is_read_or_refused(text, expected):
    if expected is None:
        with pytest.raises(
            StudyError, match=r"must be a time above 0 such as '90s', '1h30m' or a number of seconds\. Got"
        ):
            seconds(text)
    else:
        assert seconds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (4096, 4096),
        ("4096B", 4096),
        ("2GB", 2_000_000_000),
        ("2 gb", 2_000_000_000),
        ("2GiB", 2 * 2**30),
        ("1.5 MiB", 1_572_864),
        ("500 KB", 500_000),
        ("1TB", 10**12),
        ("iB", None),
        ("2iB", None),
        ("2G", None),
        ("0GB", None),
        (0, None),
        (-1, None),
        (True, None),
        ("much", None),
        (float("inf"), None),
        ("1e3GB", None),
        ({}, None),
    ],
)
def test_a_size_is_read_or_refused(text, expected):
    if expected is None:
        with pytest.raises(
            StudyError, match=r"must be a size such as '500MB', '2GB', '2GiB' or a number of bytes\. Got"
        ):
            size(text)
    else:
        assert size(text) == expected

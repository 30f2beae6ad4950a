"""Journals that something has spoiled: they open, or an error says where they are damaged. Never a wrong pair."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.storages import JournalStorage

from auger.errors import StorageError
from auger.studies.storage import open_storage
from auger.studies.storage.journal import Journal


@pytest.fixture(scope="module")
def content():
    """A journal of six trials, the value of each twice its setting."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.journal"
        study = optuna.create_study(study_name="s", storage=JournalStorage(Journal(path)))
        for i in range(6):
            trial = study.ask()
            trial.report(0.5, 1)
            study.tell(trial, 2 * trial.suggest_float("x", i, i + 0.5))
        return path.read_bytes()


def opened(content):
    """The trials of a journal with this content; None where it is refused."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.journal"
        path.write_bytes(content)
        try:
            storage = open_storage(str(path)).optuna
        except StorageError:
            return None
        finally:
            assert path.read_bytes() == content
        return [trial for study in storage.get_all_studies() for trial in storage.get_all_trials(study._study_id)]


def is_right(trials):
    return all(trial.value is None or trial.value == 2 * trial.params["x"] for trial in trials or ())


lines = st.integers(0, 40)


@given(st.data())
def test_a_byte_that_has_changed_is_noticed_or_changes_nothing(content, data):
    digits = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
    position = data.draw(st.integers(0, len(content) - 1) | st.sampled_from(digits))
    byte = data.draw(st.integers(0, 255) | st.sampled_from(b"0123456789"))
    trials = opened(content[:position] + bytes([byte]) + content[position + 1 :])
    if content[:position].count(b"\n") == content.count(b"\n") - 1:  # the last line, which may have been cut
        return
    assert trials is None or [(t.params, t.values, t.state) for t in trials] == [
        (t.params, t.values, t.state) for t in opened(content)
    ]


@given(st.data())
def test_bytes_that_are_overwritten_removed_or_added(content, data):
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 80, len(content))))
    new = data.draw(st.binary(max_size=30) | st.sampled_from([b"\n", b"}\n{", b'{"op_code":4', b"\0" * 512]))
    opened(content[:start] + new + content[end:])


@given(st.lists(st.tuples(st.sampled_from(["lose", "double", "swap", "join"]), lines), min_size=1, max_size=4))
def test_lines_that_are_lost_doubled_swapped_or_joined(content, damages):
    rows = content.splitlines(keepends=True)
    for damage, place in damages:
        i = place % (len(rows) - 1)
        if damage == "lose":
            del rows[i]
        elif damage == "double":
            rows.insert(i, rows[i])
        elif damage == "swap":
            rows[i], rows[i + 1] = rows[i + 1], rows[i]
        else:
            rows[i : i + 2] = [rows[i].rstrip(b"\n")[: place + 5] + rows[i + 1]]
    assert is_right(opened(b"".join(rows)))


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["op_code", "trial_id", "study_id", "line", "state", "values"]),
            st.none() | st.integers(-1, 11) | st.floats() | st.text(max_size=3) | st.lists(st.integers(), max_size=2),
        )
    )
)
def test_records_that_nobody_would_write(content, records):
    opened(
        content
        + b"".join(json.dumps({"op_code": 6, **record}, separators=(",", ":")).encode() + b"\n" for record in records)
    )


@given(st.binary(max_size=200))
def test_a_file_that_is_something_else(content):
    opened(content)
    opened(b'{"op_code":' + content)

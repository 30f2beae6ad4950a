import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from auger.errors import StorageError
from auger.studies.definition.definition import MAX_NAME
from auger.studies.storage import open_storage
from auger.studies.storage.journal import Journal

RECORDS = [{"op_code": 4, "number": i} for i in range(5)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.journal"


def written(path, records=RECORDS):
    journal = Journal(path)
    journal.append_logs(records)
    return journal


def test_what_was_written_is_read_from_any_number_on(path):
    journal = written(path)
    assert list(journal.read_logs(0)) == RECORDS
    assert list(journal.read_logs(3)) == RECORDS[3:]
    assert list(journal.read_logs(5)) == []


def test_two_readers_see_what_either_writes(path):
    one, other = Journal(path), Journal(path)
    one.append_logs(RECORDS[:2])
    assert list(other.read_logs(0)) == RECORDS[:2]
    other.append_logs(RECORDS[2:])
    assert list(one.read_logs(0)) == RECORDS


def test_optuna_reads_what_we_wrote_and_the_other_way_round(path):
    ours = optuna.create_study(study_name="s", storage=JournalStorage(Journal(path)))
    ours.add_trial(optuna.trial.create_trial(value=1.0))
    theirs = optuna.load_study(study_name="s", storage=JournalStorage(JournalFileBackend(str(path))))
    assert theirs.best_value == 1.0
    theirs.add_trial(optuna.trial.create_trial(value=0.5))
    assert ours.best_value == 0.5


@pytest.mark.parametrize("cut", [b'{"op_code":4,"num', b"{", b"\0\0\0\0", b'{"op_code":4,"number":9}', b"x" * 70_000])
def test_a_line_without_its_end_is_not_read_and_is_moved_aside_by_the_next_write(path, cut):
    written(path)
    with path.open("ab") as file:
        file.write(cut)
    journal = Journal(path)
    assert journal.torn == cut
    assert list(journal.read_logs(0)) == RECORDS
    more = {"op_code": 4, "number": 77}
    journal.append_logs([more])
    assert list(journal.read_logs(0)) == [*RECORDS, more]
    as_optuna_reads = [
        {key: value for key, value in record.items() if key != "crc"}
        for record in JournalFileBackend(str(path)).read_logs(0)
    ]
    assert as_optuna_reads == [{**record, "line": i} for i, record in enumerate([*RECORDS, more], start=1)]
    assert path.with_name("study.journal.torn").read_bytes() == cut + b"\n"


def test_a_journal_with_a_line_without_end_is_refused_and_not_read_into_memory(path, monkeypatch):
    monkeypatch.setattr("auger.studies.storage.journal._LONGEST", 2**20)
    written(path)
    content = path.read_bytes()
    os.truncate(path, 2**40)
    with pytest.raises(StorageError, match="no line ends in its last 1 MiB"):
        Journal(path)
    path.write_bytes(content)
    journal = Journal(path)
    os.truncate(path, 2**40)
    with pytest.raises(StorageError, match="damaged at line 6"):
        list(journal.read_logs(0))
    with pytest.raises(StorageError, match="no line ends in its last 1 MiB"):
        journal.append_logs(RECORDS)
    assert path.stat().st_size == 2**40


def test_a_journal_that_is_a_cut_line_only_is_an_empty_one(path):
    path.write_bytes(b'{"op_co')
    journal = Journal(path)
    assert list(journal.read_logs(0)) == []
    journal.append_logs(RECORDS)
    assert list(journal.read_logs(0)) == RECORDS


def test_a_record_that_optuna_appended_to_a_cut_line_is_read(path):
    written(path)
    with path.open("ab") as file:
        file.write(b'{"op_code":4,"user_attr":{"a":')
    JournalFileBackend(str(path)).append_logs([{"op_code": 4, "number": 5}])
    assert list(Journal(path).read_logs(0)) == [*RECORDS, {"op_code": 4, "number": 5}]


def test_a_damaged_line_in_the_middle_is_named(path):
    written(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"rubbish\n", *lines[3:]]))
    with pytest.raises(StorageError, match="damaged at line 3.* delete everything from line 3 on"):
        list(Journal(path).read_logs(0))


def study_of_eleven(path, make_backend=Journal):
    """Each value is twice its setting, so that a value on another configuration shows."""
    study = optuna.create_study(study_name="s", storage=JournalStorage(make_backend(path)))
    for i in range(11):
        trial = study.ask()
        study.tell(trial, 2 * trial.suggest_float("x", i, i + 0.5))
    return path.read_bytes().splitlines(keepends=True)


DAMAGES = {
    "lost": lambda lines, i: [*lines[:i], *lines[i + 1 :]],
    "doubled": lambda lines, i: [*lines[: i + 1], *lines[i:]],
    "joined with the next": lambda lines, i: [*lines[:i], lines[i][:-9] + lines[i + 1], *lines[i + 2 :]],
    "moved": lambda lines, i: [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]],
    "of a code that nobody knows": lambda lines, i: [*lines[:i], b'{"op_code":99}\n', *lines[i + 1 :]],
    "nested a million times": lambda lines, i: [*lines[:i], b'{"op_code":' + b"[" * 10**6 + b"\n", *lines[i + 1 :]],
    "without what it is about": lambda lines, i: [*lines[:i], b'{"op_code":4}\n', *lines[i + 1 :]],
    "about a trial without a number": lambda lines, i: [
        *lines[:i],
        b'{"op_code":8,"trial_id":"0","user_attr":{}}\n',
        *lines[i + 1 :],
    ],
    "not ours": lambda lines, i: [*lines[:i], b'{"a":1}\n', *lines[i + 1 :]],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_journal_with_a_damaged_line_is_refused_and_left_as_it_is(path, damage):
    lines = study_of_eleven(path)
    for i in range(1, len(lines) - 1):
        path.write_bytes(content := b"".join(DAMAGES[damage](lines, i)))
        with pytest.raises(StorageError, match=r"damaged at line (\d+)") as error:
            open_storage(str(path))
        named = int(re.search(r"at line (\d+)", str(error.value))[1])
        assert i + 1 <= named <= i + 2
        assert path.read_bytes() == content
        path.write_bytes(b"".join(content.splitlines(keepends=True)[: named - 1]))  # what the error says to do
        for trial in optuna.load_study(study_name="s", storage=open_storage(str(path)).optuna).trials:
            assert trial.value is None or trial.value == 2 * trial.params["x"]


def test_a_changed_digit_is_noticed(path):
    lines = study_of_eleven(path)
    for i, line in enumerate(lines[:-1]):
        for position in (k for k, byte in enumerate(line) if chr(byte).isdigit()):
            changed = line[:position] + (b"7" if line[position : position + 1] != b"7" else b"8") + line[position + 1 :]
            path.write_bytes(b"".join([*lines[:i], changed, *lines[i + 1 :]]))
            with pytest.raises(StorageError, match=f"damaged at line {i + 1},"):
                list(Journal(path).read_logs(0))


def test_records_without_a_line_or_a_checksum_are_read(path):
    lines = study_of_eleven(path)
    records = [json.loads(line) for line in lines]
    with_line = [{key: value for key, value in record.items() if key != "crc"} for record in records]
    for old in (with_line, [{key: value for key, value in record.items() if key != "line"} for record in with_line]):
        path.write_bytes(b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in old))
        study = optuna.load_study(study_name="s", storage=open_storage(str(path)).optuna)
        assert [trial.value for trial in study.trials] == [2 * trial.params["x"] for trial in study.trials]


def test_a_journal_of_optuna_that_lost_a_trial_is_refused(path):
    lines = study_of_eleven(path, lambda path: JournalFileBackend(str(path)))
    lost = next(i for i, line in enumerate(lines) if b'"op_code":4' in line)
    path.write_bytes(b"".join(DAMAGES["lost"](lines, lost)))
    with pytest.raises(StorageError, match="damaged at line"):
        open_storage(str(path))


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"[study]\n", b'{"a": 1}', b"\x89PNG"])
def test_a_file_that_is_something_else_is_refused_and_left_as_it_is(path, content):
    path.write_bytes(content)
    with pytest.raises(StorageError, match="must be a journal file"):
        Journal(path)
    assert path.read_bytes() == content


def test_a_sqlite_file_is_refused_with_the_way_to_name_it(path):
    path.write_bytes(b"SQLite format 3\0")
    with pytest.raises(StorageError, match=f"sqlite:///{path}"):
        Journal(path)


def test_a_journal_that_was_moved_away_is_not_made_again(path):
    journal = written(path)
    path.rename(path.with_name("elsewhere"))
    with pytest.raises(FileNotFoundError):
        journal.append_logs(RECORDS)
    assert not path.exists()


OTHERS = {
    "empty": lambda content: b"",
    "shorter": lambda content: b"".join(content.splitlines(keepends=True)[:-1]),
    "another study's": lambda content: content.replace(b'"number":1', b'"number":8'),
}


@pytest.mark.parametrize("other", OTHERS)
def test_another_file_in_the_position_of_a_journal_is_neither_read_nor_written_until_the_journal_is_back(path, other):
    journal = written(path)
    assert list(journal.read_logs(0)) == RECORDS
    away = path.rename(path.with_name("away"))
    path.write_bytes(content := OTHERS[other](away.read_bytes()))
    with pytest.raises(OSError, match="another file has taken the position of the journal"):
        list(journal.read_logs(5))
    with pytest.raises(OSError, match="another file"):
        journal.append_logs(RECORDS)
    assert path.read_bytes() == content
    away.rename(path)
    journal.append_logs(RECORDS[:1])
    assert len(list(journal.read_logs(0))) == 6


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_in_the_position_of_a_journal_is_not_waited_for(path, make):
    journal = written(path)
    assert list(journal.read_logs(0)) == RECORDS
    away = path.rename(path.with_name("away"))
    make(path)
    with pytest.raises(OSError, match="another file has taken the position of the journal"):
        list(journal.read_logs(5))
    with pytest.raises(OSError, match="another file"):
        journal.append_logs(RECORDS)
    path.unlink()
    away.rename(path)
    assert list(journal.read_logs(0)) == RECORDS


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("precious")])
def test_what_is_cut_off_a_journal_is_kept_in_a_new_file_whatever_has_its_name(path, make):
    written(path)
    path.write_bytes(path.read_bytes() + b"cut")
    path.with_name("precious").write_bytes(b"precious")
    make(path.with_name("study.journal.torn"))
    Journal(path).append_logs(RECORDS)
    assert path.with_name("study.journal.torn").read_bytes() == b"cut\n"
    assert path.with_name("precious").read_bytes() == b"precious"


def test_a_copy_that_begins_with_all_that_was_read_is_the_journal(path):
    journal = written(path)
    assert list(journal.read_logs(0)) == RECORDS
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    Journal(path).append_logs(RECORDS[:2])
    assert list(journal.read_logs(5)) == RECORDS[:2]
    journal.append_logs(RECORDS[:1])
    assert len(list(Journal(path).read_logs(0))) == 8


def test_a_full_disk_leaves_no_half_record(path, monkeypatch):
    journal = written(path)
    real_write = os.write

    def write_half(handle, data):
        if len(data) > 10:
            return real_write(handle, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", write_half)
    with pytest.raises(OSError, match="No space"):
        journal.append_logs([{"op_code": 4, "n": "12345"}])
    monkeypatch.undo()
    assert path.read_bytes().endswith(b"}\n")
    assert list(journal.read_logs(0)) == RECORDS


def test_the_lock_of_a_killed_writer_does_not_hold_up_the_next(path):
    written(path)
    link = Path(f"{path}.lock")
    link.symlink_to(path)  # what Optuna's lock leaves behind
    journal = Journal(path)
    journal.append_logs(RECORDS[:1])
    assert len(list(journal.read_logs(0))) == 6 and not link.is_symlink()


WRITER = """
import sys
from pathlib import Path
from auger.studies.storage.journal import Journal
journal = Journal(Path(sys.argv[1]))
for i in range(25):
    journal.append_logs([{"op_code": 4, "writer": sys.argv[2], "i": i}])
"""


def test_writers_in_several_processes_and_threads_lose_and_mix_nothing(path):
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), f"p{k}"]) for k in range(3)]
    journal = Journal(path)

    def write(name):
        for i in range(25):
            journal.append_logs([{"op_code": 4, "writer": name, "i": i}])

    threads = [threading.Thread(target=write, args=(f"t{k}",)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0, 0]
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for name in ("p0", "p1", "p2", "t0", "t1"):
        assert [record["i"] for record in records if record["writer"] == name] == list(range(25))


@pytest.mark.parametrize("n_left", [0, 3])
def test_a_journal_that_is_emptied_or_shortened_where_it_is_is_not_written_on_until_it_is_back(path, n_left):
    journal = written(path)
    assert list(journal.read_logs(0)) == RECORDS
    whole = path.read_bytes()
    left = b"".join(whole.splitlines(keepends=True)[:n_left])
    path.write_bytes(left)
    with pytest.raises(OSError, match="has lost its end, or all of it"):
        list(journal.read_logs(5))
    with pytest.raises(OSError, match="has lost its end, or all of it"):
        journal.append_logs(RECORDS)
    assert path.read_bytes() == left
    path.write_bytes(whole)
    journal.append_logs(RECORDS[:1])
    assert list(journal.read_logs(5)) == RECORDS[:1]


def test_the_longest_name_of_a_study_leaves_room_for_the_names_of_locks(tmp_path):
    journal = written(tmp_path / f"{'n' * MAX_NAME}.journal")
    journal.append_logs(RECORDS)
    assert [file.name for file in tmp_path.iterdir()] == [journal.path.name]

"""What a program prints, cut into lines and kept in files of bounded size."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.studies.trial.output import HEAD, LONGEST_LINE, TAIL, Lines, OutputFile, Stream


@given(chunks=st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\x00", b"\n"))))
def test_lines_are_the_same_however_the_bytes_arrive(chunks):
    lines = Lines()
    texts = [lines.feed(chunk) for chunk in chunks]
    assert all(text[-1] in "\r\n" for text in texts if text)
    assert "".join(texts) + lines.rest() == b"".join(chunks).decode(errors="replace")


def test_a_character_cut_in_two_is_whole_again():
    lines = Lines()
    assert (lines.feed("ü".encode()[:1]), lines.feed("ü".encode()[1:] + b"\n")) == ("", "ü\n")


def test_output_without_line_ends_is_not_kept_in_memory():
    lines = Lines()
    texts = [lines.feed(b"x" * 2**16) for _ in range(64)]
    assert max(map(len, texts)) <= LONGEST_LINE + 2**16
    assert sum(map(len, texts)) + len(lines.rest()) == 64 * 2**16


def written(path, data, chunk=2**16):
    file = OutputFile(path)
    for start in range(0, len(data), chunk):
        file.write(data[start : start + chunk])
    file.close()
    return path.read_bytes(), file.error


@pytest.mark.parametrize("size", [0, 1, HEAD, HEAD + TAIL, HEAD + 2 * TAIL])
def test_output_of_ordinary_size_is_kept_as_it_is(tmp_path, size):
    data = os.urandom(size)
    assert written(tmp_path / "stdout", data) == (data, None)


@pytest.mark.parametrize(
    ("size", "chunk"), [(HEAD + 2 * TAIL + 1, 2**16), (10 * HEAD, 4096), (20 * HEAD + 12345, 65000)]
)
def test_of_a_flood_the_first_and_the_last_part_are_kept_and_the_file_says_so(tmp_path, size, chunk):
    data = os.urandom(size)
    kept, error = written(tmp_path / "stdout", data, chunk)
    assert error is None
    assert len(kept) < HEAD + 2 * TAIL + 100
    notice = kept[HEAD:].split(b"\n")[1]
    n_left_out = int(notice.split()[1].replace(b",", b""))
    tail = kept[HEAD + len(notice) + 2 :]
    assert notice == f"[auger: {n_left_out:,} bytes are left out here]".encode()
    assert kept[:HEAD] == data[:HEAD]
    assert len(tail) >= TAIL and data.endswith(tail)
    assert HEAD + n_left_out + len(tail) == size


def test_a_full_disk_is_remembered_instead_of_raised(tmp_path):
    path = tmp_path / "stdout"
    path.symlink_to("/dev/full")
    file = OutputFile(path)
    file.write(b"x")
    file.write(b"y")
    file.close()
    assert file.error is not None and file.error.strerror == "No space left on device"


def test_a_file_that_cannot_be_made_is_remembered_instead_of_raised(tmp_path):
    file = OutputFile(tmp_path / "none" / "stdout")
    file.write(b"x")
    file.close()
    assert isinstance(file.error, FileNotFoundError)


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    yield reader, writer
    os.close(reader)
    os.close(writer)


def test_a_stream_is_read_line_by_line_and_drained_at_the_end(tmp_path, pipe):
    reader, writer = pipe
    stream = Stream("stdout", reader, tmp_path / "stdout")
    assert stream.read() == ""
    os.write(writer, b"a\nb")
    assert stream.read() == "a\n"
    os.write(writer, b"c")
    # the writer is not gone, as a process that left its group: what is there is taken, and no more waited for
    assert stream.drain() == "bc"
    stream.close()
    assert (tmp_path / "stdout").read_text() == "a\nbc"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (b"a\nb\n", "b"),
        (b"a\n\n  \n", "a"),
        (b"\x1b[31mred\x1b[0m\x07\n", "red"),
        (b"10%\r20%", "20%"),
        (b"x" * 5000, "x" * 1000),
        (b"\n", ""),
    ],
)
def test_the_last_line_is_fit_to_be_shown(tmp_path, pipe, printed, expected):
    reader, writer = pipe
    stream = Stream("stderr", reader, tmp_path / "stderr")
    os.write(writer, printed)
    stream.drain()
    stream.close()
    assert stream.last_line == expected

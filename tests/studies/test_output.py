"""What a program prints, cut into lines and kept in files of bounded size."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import no_space

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


def test_a_line_that_is_too_long_is_left_out_and_told_and_not_kept_in_memory():
    lines = Lines()
    texts = [lines.feed(b"a\nb\n{"), *(lines.feed(b"x" * 2**16) for _ in range(64)), lines.feed(b"y\nc")]
    assert (texts[0], set(texts[1:-1]), texts[-1], lines.rest()) == ("a\nb\n", {""}, "\n", "c")
    assert (lines.too_long, lines.too_long_object) == (3, 3)


@pytest.mark.parametrize(("size", "is_read"), [(LONGEST_LINE, True), (LONGEST_LINE + 1, False)])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_the_longest_line_that_is_read(size, is_read, end):
    lines = Lines()
    text = lines.feed(b"x" * size + end) + lines.rest()
    assert text == (b"x" * size * is_read + end).decode()
    assert (lines.too_long, lines.too_long_object) == (None if is_read else 1, None)


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
    file = OutputFile(tmp_path / "stdout")
    with no_space(10):
        file.write(b"x" * 20)
        file.write(b"y")
    file.close()
    assert file.error is not None and file.error.strerror == "File too large"
    assert (tmp_path / "stdout").read_text() == "x" * 10


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
    assert stream.drain(stream.n_waiting()) == "bc"
    stream.close()
    assert (tmp_path / "stdout").read_text() == "a\nbc"


def test_what_comes_after_the_end_of_the_program_is_not_drained(tmp_path, pipe):
    reader, writer = pipe
    stream = Stream("stdout", reader, tmp_path / "stdout")
    os.write(writer, b"0.5\n")
    n_waiting = stream.n_waiting()
    os.write(writer, b"9\n")  # by a daemon
    assert stream.drain(n_waiting) == "0.5\n"
    stream.close()
    assert (tmp_path / "stdout").read_text() == "0.5\n"


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
    stream.drain(stream.n_waiting())
    stream.close()
    assert stream.last_line == expected

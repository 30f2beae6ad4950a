"""Files in folders where others write too: no name is followed anywhere, nothing is waited for, a read has an end."""

import os

import pytest

from auger.files import open_appending, open_new, read_regular, read_up_to, write_whole


def content(path):
    return path.read_text()


@pytest.fixture
def traps(tmp_path):
    """Names that lead to a pipe, to a device without end, to a file elsewhere, and to nothing."""
    (tmp_path / "elsewhere").write_text("precious")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "dangling").symlink_to(tmp_path / "new")
    return tmp_path


TRAPS = ["pipe", "device", "link", "dangling"]


@pytest.mark.parametrize("name", TRAPS)
def test_a_file_is_written_in_the_place_of_a_trap(traps, name):
    write_whole(traps / name, "text")
    assert content(traps / name) == "text" and not (traps / name).is_symlink()
    assert content(traps / "elsewhere") == "precious" and not (traps / "new").exists()


@pytest.mark.parametrize("name", TRAPS)
def test_a_new_file_takes_the_place_of_a_trap(traps, name):
    with open(open_new(traps / name), "w") as file:
        file.write("text")
    assert content(traps / name) == "text" and not (traps / name).is_symlink()
    assert content(traps / "elsewhere") == "precious" and not (traps / "new").exists()


@pytest.mark.parametrize("name", TRAPS)
def test_what_is_added_to_a_file_goes_nowhere_else(traps, name):
    for _ in range(2):
        with open(open_appending(traps / name), "a") as file:
            file.write("text")
    assert content(traps / name) == "texttext" and not (traps / name).is_symlink()
    assert content(traps / "elsewhere") == "precious" and not (traps / "new").exists()


@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("name", ["pipe", "device", ".", "none"])
def test_what_is_no_regular_file_is_not_read(traps, name, follow):
    with pytest.raises(OSError, match=r"directory|link|regular"):
        read_regular(traps / name, 100, follow=follow)


def test_a_link_is_read_where_that_is_wanted(traps):
    assert read_regular(traps / "link", 100, follow=True) == b"precious"
    with pytest.raises(OSError, match=r"directory|link|regular"):
        read_regular(traps / "link", 100)


def test_a_read_ends_at_its_limit(traps):
    assert read_regular(traps / "elsewhere", 3) == b"pre"
    assert read_regular(traps / "elsewhere", 3, from_end=True) == b"ous"
    assert read_regular(traps / "elsewhere", 2**40) == read_regular(traps / "elsewhere", 2**40, from_end=True)


def test_of_a_file_that_is_too_large_nothing_is_read(tmp_path):
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 2**40)
    with pytest.raises(OSError, match="Larger than 1048575 MiB"):
        read_up_to(tmp_path / "huge", 2**40 - 2**20)


def test_a_folder_in_the_place_of_a_file_is_not_removed(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"directory|link|regular"):
        open_new(tmp_path / "folder")
    with pytest.raises(OSError, match=r"directory|link|regular"):
        write_whole(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]

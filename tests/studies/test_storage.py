import os
from pathlib import Path

import pytest
from optuna.exceptions import StorageInternalError
from optuna.study import StudyDirection
from sqlalchemy.exc import OperationalError, ProgrammingError

from auger.errors import StorageError, StorageUnreachableError
from auger.studies.storage import error_line, is_outage, open_storage
from auger.studies.storage.address import read_address
from auger.text import mask, mask_address


@pytest.mark.parametrize(
    ("text", "backend", "url"),
    [
        ("a.journal", "journal", ""),
        ("sqlite:///a.db", "sqlite", "sqlite:////here/a.db"),
        ("sqlite:////abs/a.db", "sqlite", "sqlite:////abs/a.db"),
        ("postgresql://me@host:5/db", "postgresql", "postgresql+psycopg://me@host:5/db"),
        ("postgres://me@host/db", "postgresql", "postgresql+psycopg://me@host/db"),
        ("postgresql:///db?host=/run", "postgresql", "postgresql+psycopg:///db?host=/run"),
    ],
)
def test_a_text_names_a_storage(text, backend, url):
    address = read_address(text, folder=Path("/here"))
    assert (address.backend, address.url) == (backend, url)


def test_a_relative_path_starts_in_the_folder_of_the_study_file(tmp_path):
    assert read_address("a.journal", folder=tmp_path).path == tmp_path / "a.journal"
    assert read_address("/abs/a.journal", folder=tmp_path).path.as_posix() == "/abs/a.journal"


@pytest.mark.parametrize(
    "text", ["", " ", "mysql://me@host/db", "sqlite://", "sqlite:///", "sqlite:///:memory:", "a\nb"]
)
def test_a_text_that_names_none_is_refused(text):
    with pytest.raises(StorageError, match="must"):
        read_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:s3cret@host/db",
        "mysql://me:s3cret@host/db",
        "postgresql://me:s3cret@in@host/db",
        "postgresql://host/db?password=s3cret",
        "cannot connect to postgresql://me:s3cret@host: no such host",
        "postgresql://me:s3cret/x@host/db",
        "postgresql://:s3cret@host/db",
        "postgresql://host:s3cret",
        "postgresql://host:12s3cret/db",
        "postgresql:///me:s3cret@host/db",
        "connect --host host --password s3cret",
        "host refused API_KEY=s3cret and aws_secret_access_key='s3cret', {'auth-token': 's3cret'}",
    ],
)
def test_no_password_survives_the_mask(text):
    assert "s3cret" not in mask(text) and "host" in mask(text)


@pytest.mark.parametrize("scheme", ["postgresql://", "postgresql:/", "postgresql//", "postgresql:", ""])
def test_no_password_of_an_address_survives_however_it_is_mistyped(scheme):
    assert mask_address(f"{scheme}me:s3cret@host/db").endswith(("me:***@host/db", "postgresql:***@host/db"))


@pytest.mark.parametrize(
    "command",
    ["docker run img:1@sha256:ab", """curl --data '{"to":"me@x.org"}' """, "a" * 100_000, "train --n-tokens 5 --key=a"],
)
def test_a_command_that_only_looks_like_an_address_stays_as_it_is(command):
    assert mask(command) == command


def test_a_password_that_is_not_encoded_is_refused_without_showing_it():
    with pytest.raises(StorageError, match="%40") as caught:
        read_address("postgresql://me:s3cr@et@host/db")
    assert "s3cr" not in str(caught.value) and "et@" not in str(caught.value)


@pytest.mark.parametrize(
    "scheme", ["postgresql:/", "postgresql//", "postgres:", "POSTGRESQL:/", "postgresql+psycopg:/"]
)
def test_a_mistyped_url_is_refused_without_showing_its_password_and_makes_no_file(scheme, tmp_path):
    with pytest.raises(StorageError, match="must begin with sqlite:/// or postgresql://") as caught:
        open_storage(f"{scheme}me:s3cret@host", folder=tmp_path)
    assert "s3cret" not in str(caught.value) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("scheme", ["", "//", "psql:/", "psql:"])
def test_a_url_without_its_scheme_or_with_another_is_refused_without_showing_its_password(scheme, tmp_path):
    with pytest.raises(StorageError, match="must begin with sqlite:/// or postgresql://") as caught:
        open_storage(f"{scheme}me:s3cret@host/db", folder=tmp_path)
    assert "s3cret" not in str(caught.value) and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "path",
    [
        *("sqlite/a.journal", "postgres.journal", "./sqlite:a", "a@b.journal"),
        *("a:b@c.journal", "runs/a:b@c/d", "./a:b@c/d", "a:b/c@d/e"),
    ],
)
def test_a_path_that_only_looks_like_a_url_is_a_path(path, tmp_path):
    assert read_address(path, folder=tmp_path).path == tmp_path / path


def test_a_port_is_no_password():
    text = "postgresql://me@host:5432/db or postgresql://host:5432"
    assert mask(text) == text


def test_a_storage_shows_itself_without_its_password():
    assert str(read_address("postgresql://me:s3cret@host/db")) == "postgresql://me:***@host/db"


def test_a_server_that_is_not_there_is_said_to_be_unreachable_without_the_password():
    with pytest.raises(StorageUnreachableError, match="127.0.0.1") as caught:
        open_storage("postgresql://me:s3cret@127.0.0.1:1/db")
    text = f"{caught.value!r} {caught.value.__cause__!r}"
    assert "s3cret" not in text and "\n" not in str(caught.value)


def test_a_url_that_sqlalchemy_cannot_read_is_refused_without_the_password():
    with pytest.raises((StorageError, StorageUnreachableError)) as caught:
        open_storage("postgresql://me:s3cret@host:notaport/db")
    assert "s3cret" not in str(caught.value)


def test_a_folder_is_not_a_storage(tmp_path):
    with pytest.raises(StorageError, match="is a folder"):
        open_storage(str(tmp_path))


@pytest.mark.parametrize("text", ["pipe", "sqlite:///pipe", "/dev/zero", "sqlite:////dev/zero"])
def test_what_is_no_file_is_no_storage(text, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match="is a pipe or a device"):
        open_storage(text, folder=tmp_path)


@pytest.mark.parametrize("text", ["sub/a.journal", "sqlite:///sub/a.db"])
def test_a_storage_in_a_folder_that_does_not_exist_is_refused(text, tmp_path):
    with pytest.raises(StorageError, match="does not exist"):
        open_storage(text, folder=tmp_path)


@pytest.mark.parametrize("text", ["a.journal", "sqlite:///a.db"])
def test_looking_at_a_storage_that_is_not_there_makes_none(text, tmp_path):
    with pytest.raises(StorageError, match="There is no storage"):
        open_storage(text, folder=tmp_path, is_new_ok=False)
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "a.db").write_text(
        "hello, this is text and quite long enough to be looked at as a header of a page" * 20
    )
    with pytest.raises(StorageError, match="cannot be used as a storage"):
        open_storage("sqlite:///a.db", folder=tmp_path)


def test_the_cut_line_of_a_journal_is_counted(tmp_path):
    open_storage("a.journal", folder=tmp_path)
    (tmp_path / "a.journal").write_bytes(b'{"op_code"')
    assert open_storage("a.journal", folder=tmp_path).torn == 10


def test_what_passes_by_itself_is_an_outage_and_what_does_not_is_none():
    lost = OperationalError("SELECT 1", {}, Exception("server closed the connection"))
    wrapped = StorageInternalError("during the commit")
    wrapped.__cause__ = lost
    assert all(map(is_outage, [lost, wrapped, OSError(28, "No space left on device"), FileNotFoundError("journal")]))
    wrong = ProgrammingError("SELECT 1", {}, Exception("no such table"))
    assert not any(map(is_outage, [wrong, ValueError("x"), KeyError("x"), StorageInternalError("x")]))


def test_the_reason_is_one_line_without_the_statement():
    lost = OperationalError("SELECT secret FROM t", {"p": 1}, Exception("server closed\n\tThis probably means ..."))
    assert error_line(lost) == "server closed"


def test_a_database_is_found_although_the_process_changes_its_folder(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    storage = open_storage("sqlite:///a.db").optuna
    monkeypatch.chdir(tmp_path / "other")
    study = storage.create_new_study([StudyDirection.MINIMIZE])
    assert storage.get_study_directions(study) == [StudyDirection.MINIMIZE]


def test_the_log_of_a_database_that_a_link_leads_to_is_watched(tmp_path):
    (tmp_path / "target").mkdir()
    (tmp_path / "a.db").symlink_to(tmp_path / "target" / "b.db")
    storage = open_storage(f"sqlite:///{tmp_path}/a.db").optuna
    storage.create_new_study([StudyDirection.MINIMIZE])
    (tmp_path / "target" / "b.db-wal").unlink()
    with pytest.raises(Exception, match="removed or replaced"):
        storage.create_new_study([StudyDirection.MINIMIZE])

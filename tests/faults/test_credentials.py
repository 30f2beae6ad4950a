"""A password is used and never shown: in no output, no file, no row of the database and no process title."""

import pytest
from faults.postgres import ENCODED, PASSWORD, USER, with_password
from faults.processes import title
from faults.programs import GATED, QUICK, started
from faults.study import Study, check_finished

UNREACHABLE = 3
SECRETS = (PASSWORD, ENCODED)


def spoken(address):
    """The address with the password in it, as people write it into study files."""
    return address.replace(f"{USER}@", f"{USER}:{ENCODED}@")


def from_environment(scene, address):
    return address, {}


def from_password_file(scene, address):
    """libpq's own: host:port:database:user:password, with colons escaped."""
    file = scene.folder / "pgpass"
    file.write_text(f"*:*:*:{USER}:{PASSWORD.replace(':', chr(92) + ':')}\n")
    file.chmod(0o600)
    return address, {"PGPASSWORD": "", "PGPASSFILE": str(file)}


def from_study_file(scene, address):
    return spoken(address), {"PGPASSWORD": ""}


def all_text(scene, *but):
    """Everything that was said and written into the folder, but for the files that hold the password on purpose."""
    files = [path for path in scene.folder.rglob("*") if path.is_file() and path.name not in but]
    return "\n".join(path.read_bytes().decode(errors="replace") for path in files)


def dump(address):
    """Every row of every table."""
    import psycopg

    tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    with psycopg.connect(with_password(address).replace("+psycopg", "")) as connection:
        names = [name for (name,) in connection.execute(tables).fetchall()]
        return "\n".join(str(connection.execute(f'SELECT * FROM "{name}"').fetchall()) for name in names)


@pytest.mark.parametrize("way", [from_environment, from_password_file, from_study_file])
def test_the_password_is_nowhere_to_be_read(scene, postgres, way):
    address = postgres.database()
    storage, environment = way(scene, address)
    study = Study.write(scene.folder, GATED, storage=storage, trials=3)
    auger = scene.start("tune", study.path, "--json", **environment)
    auger.wait_for(lambda: started(scene.folder), "a trial starts")
    titles = "\n".join(map(title, scene.left()))
    assert "tune" in titles
    (scene.folder / "gate").touch()
    auger.wait()
    check_finished(Study(study.path, study.name, address), 3)
    for command in ("status", "best", "trials") if way is from_study_file else ():
        scene.run(command, study.path, **environment)
    kept = {"pgpass"} if way is from_password_file else {study.path.name} if way is from_study_file else set()
    shown = all_text(scene, *kept) + titles + dump(address)
    assert not [secret for secret in SECRETS if secret in shown]


def test_a_password_that_is_refused_is_not_shown_in_the_refusal(scene, postgres):
    address = postgres.database()
    wrong = address.replace(f"{USER}@", f"{USER}:wr0ng%2Fs3cret@")
    study = Study.write(scene.folder, QUICK, storage=wrong, trials=1)
    auger = scene.run("tune", study.path, PGPASSWORD="", code=UNREACHABLE)
    assert USER in auger.stderr
    assert "s3cret" not in all_text(scene, study.path.name)


def test_a_server_that_cannot_be_reached_is_named_without_the_password(scene, postgres):
    address = postgres.database()
    postgres.stop()
    study = Study.write(scene.folder, QUICK, storage=spoken(address), trials=1)
    auger = scene.run("tune", study.path, code=UNREACHABLE)
    assert f"127.0.0.1:{postgres.port}" in auger.stderr
    assert not [secret for secret in SECRETS if secret in all_text(scene, study.path.name)]


LEAKS = (
    "cannot connect to postgresql://me:hunter2@host/db",
    "dsn was: host=h user=me password='hunter2 hunter2'",
    "PGPASSWORD=hunter2 is wrong",
    "{'user': 'me', 'password': 'hunter2'}",
    "no such scheme: postgresql:/me:hunter2@host/db",
    "usage: connect --password hunter2",
    "SERVICE_API_KEY=hunter2 is wrong",
)


def test_a_password_that_a_program_tells_is_in_its_own_output_only(scene):
    (scene.folder / "leaks").write_text("\n".join(LEAKS))
    program = ["sh", "-c", 'sed -n "$((AUGER_TRIAL + 1))p" leaks >&2; exit 1', "trial", "{x}"]
    study = Study.write(scene.folder, program, trials=len(LEAKS))
    scene.run("tune", study.path, "--json", code=None)
    for command in ("status", "trials", "report"):
        scene.run(command, study.path, code=None)
    shown = all_text(scene, "leaks", "stderr")
    assert shown.count("***") >= len(LEAKS)
    assert "hunter2" not in shown
    kept = "".join((scene.folder / "study.trials" / str(i) / "stderr").read_text() for i in range(len(LEAKS)))
    assert kept.splitlines() == list(LEAKS)

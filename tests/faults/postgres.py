"""A private PostgreSQL: its data in a temporary folder, loopback only, with doors to stop, kill and restart it."""

import getpass
import os
import pwd
import random
import secrets
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

from faults.processes import all_processes, is_alive, kill, parent, wait_until
from support import suite

USER = "auger"
PASSWORD = "pa'ss/w@rd:%{x}?"  # every character that a URL, a shell or a placeholder could take for its own
ENCODED = quote(PASSWORD, safe="")


class Postgres:
    def __init__(self):
        self.bin = binaries()
        self.owner = "postgres" if os.getuid() == 0 else getpass.getuser()  # PostgreSQL refuses to run as root
        self.folder = Path(tempfile.mkdtemp(prefix="auger-postgres-"))
        if os.getuid() == 0:
            os.chown(self.folder, pwd.getpwnam(self.owner).pw_uid, -1)
        self.data = self.folder / "data"
        self.port = free_port()
        self._initialize()

    def _initialize(self):
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)  # for its owner, who is not us when we are root; removed at once
        self._run("initdb", "-D", self.data, "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8")
        secret.unlink()
        settings = {
            "listen_addresses": "'127.0.0.1'",
            "port": self.port,
            "unix_socket_directories": "''",
            "fsync": "off",  # processes are killed here, not machines: what was written to the kernel stays
        }
        with (self.data / "postgresql.auto.conf").open("a") as conf:
            conf.writelines(f"{key} = {value}\n" for key, value in settings.items())

    def _run(self, program, *args):
        prefix = ["runuser", "-u", self.owner, "--"] if os.getuid() == 0 else []
        command = [*prefix, str(self.bin / program), *map(str, args)]
        # its server inherits no pipe of ours: a pipe would stay open for as long as the server runs
        with (self.folder / "output").open("w") as output:
            done = subprocess.run(command, stdout=output, stderr=output, cwd="/", env=environment(), check=False)
        if done.returncode:
            log = self.folder / "log"
            raise RuntimeError(
                f"{program} failed: {(self.folder / 'output').read_text()}\n{log.read_text() if log.exists() else ''}"
            )

    def start(self):
        self._run("pg_ctl", "start", "-w", "-t", "60", "-D", self.data, "-l", self.folder / "log")

    def stop(self, mode="fast"):
        """End all connections, as `systemctl restart` does (fast), or as a crash does (immediate)."""
        self._run("pg_ctl", "stop", "-w", "-t", "60", "-m", mode, "-D", self.data)

    def kill(self):
        """SIGKILL to the server and to the processes behind its connections."""
        pids = self.processes()
        kill(pids)
        wait_until(lambda: not any(map(is_alive, pids)), "the killed PostgreSQL is gone")
        (self.data / "postmaster.pid").unlink()  # where nobody reaps it, the dead server would still bar the next

    def disconnect(self):
        """End all connections and go on, as a firewall or an administrator does."""
        with self._connect() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )

    def processes(self):
        server = int((self.data / "postmaster.pid").read_text().split()[0])
        return [server, *(pid for pid in all_processes() if parent(pid) == server)]

    def is_running(self):
        return (self.data / "postmaster.pid").exists() and is_alive(self.processes()[0])

    def database(self, encoding="UTF8"):
        """A new, empty database; its address holds no password."""
        name = "study_" + secrets.token_hex(4)
        with self._connect() as connection:
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
            )
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{name}"

    def forbid_writing(self, address):
        """What an administrator does with a copy of a server, or the account of a reader."""
        with self._connect() as connection:
            name = address.rpartition("/")[2]
            connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")

    def _connect(self):
        import psycopg

        server = {"host": "127.0.0.1", "port": self.port, "user": USER, "password": PASSWORD, "dbname": "postgres"}
        return psycopg.connect(**server, autocommit=True)

    def remove(self):
        if self.is_running():
            self.stop("immediate")
        shutil.rmtree(self.folder)


def with_password(address):
    """The address as SQLAlchemy wants it, for looking at a storage from a test."""
    return address.replace(f"postgresql://{USER}@", f"postgresql+psycopg://{USER}:{ENCODED}@")


def binaries():
    """The folder with `initdb` and `pg_ctl`: Debian keeps it off PATH."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))[::-1]
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    return suite.needs("PostgreSQL", "apt-get install postgresql")


def free_port():
    """A port below those the kernel hands out: a client of a stopped server could be given the server's own."""
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def environment():
    """Without PG*: they would change whom the tools speak to."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    return {**kept, "LC_ALL": "C"}

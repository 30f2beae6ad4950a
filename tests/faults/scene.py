"""The `auger` command as a process, and the folder where it all happens."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from faults.postgres import PASSWORD
from faults.processes import MARK, kill, marked, title, wait_until

COMMAND = str(Path(sys.executable).with_name("auger"))


class Auger:
    """A running `auger`. What it says goes to files: they outlive it, and never block it."""

    def __init__(self, command, *, folder, environment, number):
        self.said = folder / f"auger-{number}.stdout", folder / f"auger-{number}.stderr"
        with self.said[0].open("wb") as out, self.said[1].open("wb") as err:
            # a session of its own: a group of its own, as a shell gives to a job, and no terminal
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        self.pid = self.process.pid

    @property
    def stdout(self):
        return self.said[0].read_text(errors="replace")

    @property
    def stderr(self):
        return self.said[1].read_text(errors="replace")

    @property
    def events(self):
        """The lines of --json, whole ones only."""
        whole = self.stdout.rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def wait(self, code=0):
        """Wait for its end; with another exit code than the one expected, show what it said."""
        wait_until(lambda: self.process.poll() is not None, lambda: f"the end of auger\n{self}")
        assert code is None or self.process.returncode == code, str(self)
        return self

    def wait_for(self, condition, what):
        """Wait for something it does, and fail at once when it ends without."""

        def happened():
            is_over = self.process.poll() is not None
            answer = condition()
            assert answer or not is_over, f"{what}: auger has ended without\n{self}"
            return answer

        return wait_until(happened, lambda: f"{what}\n{self}")

    def interrupt(self, what=signal.SIGINT):
        """What a terminal does at Ctrl-C: a signal to the whole foreground group."""
        os.killpg(self.pid, what)

    def kill(self):
        """SIGKILL to it alone, and no `wait`: to others it is a zombie, as under a parent that never looks."""
        os.kill(self.pid, signal.SIGKILL)

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self.process.wait()

    def __str__(self):
        code = self.process.poll()
        return f"exit code {code}\n--- stdout\n{self.stdout[-4000:]}\n--- stderr\n{self.stderr[-4000:]}"


class Scene:
    """A folder to run `auger` in. Whatever it starts carries a mark, and is looked for at the end."""

    def __init__(self, folder, mark):
        self.folder = folder
        self.mark = mark
        self.started = []
        variables = {key: value for key, value in os.environ.items() if not key.startswith(("PG", "AUGER_"))}
        # the password is there for whoever speaks to PostgreSQL, as libpq wants it
        self.environment = {**variables, MARK: mark, "PGPASSWORD": PASSWORD, "COLUMNS": "120"}
        assert shutil.which(COMMAND), f"no {COMMAND}: install the package before its tests"

    def start(self, *args, prefix=(), make=Auger, **environment):
        """Run `auger` with these arguments; `prefix` puts another program in front of it."""
        environment = {**self.environment, **environment}
        command = [*map(str, prefix), COMMAND, *map(str, args)]
        auger = make(command, folder=self.folder, environment=environment, number=len(self.started))
        self.started.append(auger)
        return auger

    def run(self, *args, code=0, **options):
        return self.start(*args, **options).wait(code)

    def wait_for(self, condition, what):
        """Wait for something that all of them do together, and fail at once when one of them ends in disorder."""

        def happened():
            failed = [auger for auger in self.started if (auger.process.poll() or 0) > 0]
            assert not failed, f"{what}: auger has failed before\n{failed[0]}"
            return condition()

        return wait_until(happened, lambda: "\n".join([what, *map(str, self.started)]))

    def left(self):
        """Processes of this scene that are still alive."""
        return marked(self.mark)


@contextlib.contextmanager
def open_scene(folder, name):
    """A scene that is cleared in the end, and whose processes must have ended before that."""
    scene = Scene(folder, f"{name}:{folder}")
    try:
        yield scene
    finally:
        for auger in scene.started:
            auger.close()
        try:
            wait_until(lambda: not scene.left(), lambda: f"left behind: {list(map(title, scene.left()))}", patience=30)
        finally:
            kill(scene.left())

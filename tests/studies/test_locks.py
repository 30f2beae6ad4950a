import signal
import subprocess
import sys

from auger.studies.storage.locks import locked

HOLDER = """
import sys
from pathlib import Path
from auger.studies.storage.locks import locked
with locked(Path(sys.argv[1]), timeout=10):
    print(flush=True)
    sys.stdin.read()
"""


def holder(path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "\n"
    return process


def is_free(path):
    try:
        with locked(path, timeout=0.01):
            return True
    except TimeoutError:
        return False


def test_a_lock_is_held_by_one_at_a_time(tmp_path):
    path = tmp_path / "lock"
    path.touch()
    with locked(path, timeout=0.0):
        assert not is_free(path)
    assert is_free(path)


def test_a_lock_held_by_another_process_is_waited_for(tmp_path):
    path = tmp_path / "lock"
    path.touch()
    with holder(path) as process:
        assert not is_free(path)
        process.stdin.close()
        with locked(path, timeout=60.0):
            pass


def test_a_killed_holder_holds_nothing(tmp_path):
    path = tmp_path / "lock"
    path.touch()
    with holder(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert is_free(path)

import functools
import http.server
import sys
import threading

import pooch
import pytest

from auger_bench.problems import DataError
from auger_bench.problems.data_files import locate

TEXT = b"1,2\n"


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A public home with one file, on this machine, and an empty cache; AUGER_DATA is not set."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "numbers.txt").write_bytes(TEXT)
    monkeypatch.delenv("AUGER_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    handler = functools.partial(Silent, directory=tmp_path / "home")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_file_in_the_named_folder_is_used_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "kind").mkdir()
    (tmp_path / "kind" / "copy.csv").write_text("stored another way")
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    assert locate("kind/copy.csv", url="https://unused/numbers.txt") == tmp_path / "kind" / "copy.csv"


def test_a_file_missing_from_the_named_folder_is_not_downloaded_behind_the_users_back(home, tmp_path, monkeypatch):
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    with pytest.raises(DataError, match="`AUGER_DATA` must name a folder that holds 'kind/copy.csv'. Got .*unset"):
        locate("kind/copy.csv", url=f"{home}/numbers.txt")


def test_without_a_folder_the_file_is_downloaded_once_under_its_own_name(home, tmp_path):
    path = locate("kind/copy.csv", url=f"{home}/numbers.txt")
    assert path == tmp_path / "cache" / "auger" / "kind" / "numbers.txt"
    assert path.read_bytes() == TEXT
    (tmp_path / "home" / "numbers.txt").unlink()
    assert locate("kind/copy.csv", url=f"{home}/numbers.txt") == path


def test_a_page_that_is_gone_names_the_way_out(home):
    with pytest.raises(DataError, match="gone.txt could not be downloaded: 404.*`AUGER_DATA`"):
        locate("kind/copy.csv", url=f"{home}/gone.txt")


def test_a_missing_pooch_says_what_to_install(monkeypatch):
    monkeypatch.delenv("AUGER_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DataError, match=r'`AUGER_DATA`.*pip install "auger\[bench\]"'):
        locate("kind/copy.csv", url="https://unused/numbers.txt")

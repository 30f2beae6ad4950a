import pickle
import threading
from pathlib import Path

import pytest

from auger.studies.storage import TurnLostError, open_storage, turns


@pytest.fixture(params=["a.journal", "sqlite:///a.db"])
def storages(request, tmp_path):
    return [open_storage(request.param, folder=tmp_path) for _ in range(2)]


def wait_for(storage, taken, patience):
    with storage.turn("s", patience=patience) as turn:
        turn.check()
        taken.set()


def in_turn(storage, patience=1e9):
    """Another worker, which waits for its turn; and what tells that it has had it."""
    taken = threading.Event()
    thread = threading.Thread(target=wait_for, args=(storage, taken, patience))
    thread.start()
    return thread, taken


def test_a_turn_is_one_workers_at_a_time_and_free_afterwards(storages):
    one, other = storages
    with one.turn("s") as turn:
        thread, taken = in_turn(other)
        assert not taken.wait(0.1)
        turn.check()
    thread.join()
    assert taken.is_set()


def test_a_file_of_turns_that_leads_elsewhere_is_not_followed(storages, tmp_path):
    Path(f"{storages[0].address.path}.turn").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"symbolic links: .*\.turn"), storages[0].turn("s"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_worker_that_shows_no_sign_of_life_loses_its_turn_and_notices(storages, monkeypatch):
    monkeypatch.setattr(turns, "_SIGN_EVERY", 1e6)
    one, other = storages
    with one.turn("s") as turn:
        thread, taken = in_turn(other, patience=0.2)
        thread.join()
        assert taken.is_set()
        with pytest.raises(TurnLostError, match="suspended"):
            turn.check()


def test_a_worker_that_shows_signs_of_life_keeps_its_turn(storages, monkeypatch):
    monkeypatch.setattr(turns, "_SIGN_EVERY", 0.01)
    one, other = storages
    with one.turn("s") as turn:
        thread, taken = in_turn(other, patience=1.0)
        assert not taken.wait(2.0)
        turn.check()
    thread.join()


def test_a_worker_that_waits_for_its_turn_in_vain_says_so(storages, monkeypatch):
    monkeypatch.setattr(turns, "_TIMEOUT", 0.1)
    one, other = storages
    with one.turn("s"), pytest.raises(TimeoutError, match="have had the turn"), other.turn("s"):
        pass


def test_a_turn_whose_file_is_deleted_is_lost(storages):
    one, other = storages
    with one.turn("s") as turn:
        one.address.path.with_name(f"{one.address.path.name}.turn").unlink()
        with other.turn("s"), pytest.raises(TurnLostError):
            turn.check()


def test_the_loss_of_a_turn_can_be_sent_to_another_process():
    assert str(pickle.loads(pickle.dumps(TurnLostError()))) == str(TurnLostError())

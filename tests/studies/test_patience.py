import threading

import pytest
from support.stored_studies import new_study

from auger.studies.pool.events import StorageBack, StorageLost
from auger.studies.storage.outages import GaveUpError, Patience


class Flaky:
    """Fails so many times, then answers."""

    def __init__(self, n_failures, error=None):
        self.n_failures, self.error = n_failures, error or OSError(28, "No space left on device")

    def __call__(self):
        self.n_failures -= 1
        if self.n_failures >= 0:
            raise self.error
        return "answer"


@pytest.fixture
def told():
    return []


@pytest.fixture
def give_up():
    return threading.Event()


@pytest.fixture
def patience(tmp_path, told, give_up, monkeypatch):
    monkeypatch.setattr("auger.studies.storage.outages._PAUSE", 0.001)
    return Patience(new_study(tmp_path).storage, give_up, told.append)


def test_what_fails_for_a_while_is_repeated_until_it_does_not(patience, told):
    assert patience(Flaky(3)) == "answer"
    assert [type(event) for event in told] == [StorageLost, StorageBack]
    assert "No space left" in told[0].reason


def test_an_outage_is_told_once_for_all_who_wait(patience, told):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(patience(Flaky(4)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["answer"] * 3
    lost, back = ([event for event in told if isinstance(event, kind)] for kind in (StorageLost, StorageBack))
    assert len(lost) == len(back)  # one that is back early may be lost again


def test_what_works_says_nothing(patience, told):
    assert patience(lambda: 3) == 3 and told == []


def test_a_mistake_is_not_repeated(patience):
    step = Flaky(1, ValueError("wrong"))
    with pytest.raises(ValueError, match="wrong"):
        patience(step)


def test_waiting_ends_when_it_is_told_to(patience, give_up):
    give_up.set()
    with pytest.raises(GaveUpError, match="does not answer"):
        patience(Flaky(10**6))

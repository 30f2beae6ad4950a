import threading

import pytest

from auger.studies.storage import GaveUpError, Outages
from auger.studies.storage.address import read_address


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
def wait_out(tmp_path, told, give_up, monkeypatch):
    monkeypatch.setattr("auger.studies.storage.outages._PAUSE", 0.001)
    return Outages(
        read_address("study.journal", folder=tmp_path),
        give_up,
        on_lost=lambda reason: told.append(("lost", reason)),
        on_back=lambda seconds: told.append(("back", seconds)),
    ).wait_out


def test_what_fails_for_a_while_is_repeated_until_it_does_not(wait_out, told):
    assert wait_out(Flaky(3)) == "answer"
    assert [what for what, _ in told] == ["lost", "back"]
    assert "No space left" in told[0][1]


def test_an_outage_is_told_once_for_all_who_wait(wait_out, told):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(wait_out(Flaky(4)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["answer"] * 3
    whats = [what for what, _ in told]
    assert whats.count("lost") == whats.count("back")  # one that is back early may be lost again


def test_what_works_says_nothing(wait_out, told):
    assert wait_out(lambda: 3) == 3 and told == []


def test_a_mistake_is_not_repeated(wait_out):
    step = Flaky(1, ValueError("wrong"))
    with pytest.raises(ValueError, match="wrong"):
        wait_out(step)


def test_waiting_ends_when_it_is_told_to(wait_out, give_up):
    give_up.set()
    with pytest.raises(GaveUpError, match="does not answer"):
        wait_out(Flaky(10**6))

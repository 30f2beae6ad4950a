"""Three hundred random kills: see `random_kills`. `benchmarks/kills.py` does the same for as long as one likes."""

import pytest
from faults.random_kills import Havoc

N_KILLS = 100  # of each storage


@pytest.mark.parametrize("storage", ["journal", "sqlite", "postgres"], indirect=True)
def test_a_hundred_random_kills_lose_nothing_and_leave_nothing_behind(scene, storage, record_property):
    havoc = Havoc(scene, storage, seed=0)
    account = havoc.run(N_KILLS)
    assert account.n_kills == N_KILLS
    record_property("figures", f"random kills on {havoc.study.kind}: {account}")

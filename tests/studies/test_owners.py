import dataclasses
import os
import subprocess
import sys

import pytest

from auger.studies.pool.owners import BEAT_EVERY, DEAD_AFTER, Owner, Watch, new_owner, owner_of

AWAY = Owner("there", "another machine", 7, "now", "w")


def test_our_own_process_is_not_gone():
    assert not new_owner().is_gone


def test_an_owner_goes_through_json():
    owner = new_owner()
    assert owner_of({"auger:worker": owner.to_json()}) == owner


@pytest.mark.parametrize("attributes", [{}, {"auger:worker": 3}, {"auger:worker": {"host": "h"}}])
def test_what_is_no_owner_is_none(attributes):
    assert owner_of(attributes) is None


def test_a_process_that_ended_is_gone():
    code = "from auger.studies.pool.owners import new_owner; import json; print(json.dumps(new_owner().to_json()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    import json

    assert owner_of({"auger:worker": json.loads(done.stdout)}).is_gone


def test_a_killed_process_that_nobody_has_buried_is_gone():
    with subprocess.Popen(["sleep", "60"]) as process:
        owner = dataclasses.replace(new_owner(), process=process.pid, started=started(process.pid))
        assert not owner.is_gone
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, but still listed
        assert owner.is_gone


def started(process):
    from auger.studies.pool import owners

    return owners._started(process)


def test_another_process_with_the_same_number_is_not_the_same():
    assert dataclasses.replace(new_owner(), started="long ago").is_gone


def test_a_process_elsewhere_cannot_be_seen_to_be_gone():
    assert not AWAY.is_gone


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def watched(steps):
    """Numbers found dead at each step of (seconds to wait, running)."""
    clock = Clock()
    watch = Watch(clock)
    found = []
    for wait, running in steps:
        clock.now += wait
        found.append(watch.dead(running))
    return found


def test_a_silent_trial_is_dead_after_a_time_of_watching():
    n = int(DEAD_AFTER / BEAT_EVERY) + 1
    found = watched([(BEAT_EVERY, {3: (AWAY, 1)})] * (n + 1))
    assert found[:n] == [[]] * n and found[n] == [3]


def test_a_trial_that_beats_is_alive_for_ever():
    assert watched([(BEAT_EVERY, {3: (AWAY, i)}) for i in range(50)]) == [[]] * 50


def test_nobody_dies_of_a_time_in_which_we_did_not_look():
    found = watched([(BEAT_EVERY, {3: (AWAY, 1)}), (3600.0, {3: (AWAY, 1)}), (BEAT_EVERY, {3: (AWAY, 1)})])
    assert found == [[], [], []]


def test_a_trial_that_changed_hands_is_watched_anew():
    other = dataclasses.replace(AWAY, worker="v")
    steps = [(BEAT_EVERY, {3: (AWAY, 1)})] * 4 + [(BEAT_EVERY, {3: (other, 1)})] * 4
    assert watched(steps) == [[]] * 8


def test_a_trial_of_a_process_that_is_gone_is_dead_at_once():
    gone = dataclasses.replace(new_owner(), started="long ago")
    assert watched([(0.0, {3: (gone, None), 4: (AWAY, None)})]) == [[3]]

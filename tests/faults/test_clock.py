"""The clock of the machine is set back a day, and forward again, while a study with a budget of time runs."""

import pytest
from faults.preload import preload
from faults.programs import diary, ended, python, started
from faults.study import Study, check_finished

DAY = 86_400
HOUR = 3_600

# The first two trials wait until the test says so.
GATED = 'while [ "$AUGER_TRIAL" -lt 2 ] && [ ! -e "gate-$AUGER_TRIAL" ]; do sleep 0.05; done; echo "$1"'

# Every trial sets the clock, and writes its diary; the value is the setting.
PROGRAM = """
import os, sys
number, x = int(os.environ["AUGER_TRIAL"]), sys.argv[1]
with open("runs", "a") as runs:
    print("start", number, 0, x, file=runs)
    print("end", number, 0, x, file=runs)
with open("offset.new", "w") as offset:
    offset.write(str([0, -86400, 86400, -86400, 0, 0, 1][number % 7]))
os.replace("offset.new", "offset")
print(x)
"""


@pytest.mark.parametrize("storage", ["journal", "sqlite"], indirect=True)
def test_a_clock_that_is_set_uses_up_no_time_and_breaks_no_page(scene, storage):
    clock = {**preload("clock", scene.folder), "CLOCK_OFFSET": str(scene.folder / "offset")}
    study = Study.write(scene.folder, python(PROGRAM, "{x}"), storage=storage, trials=20, time="1h")
    auger = scene.run("tune", study.path, "--json", **clock)
    assert (auger.events[-1]["event"], auger.events[-1]["reason"]) == ("finished", "trials")
    check_finished(study, 20)
    starts = [trial.datetime_start for trial in study.trials()]
    assert max(starts).timestamp() - min(starts).timestamp() > DAY, "the clock was set"
    assert any(trial.datetime_complete < trial.datetime_start for trial in study.trials())
    for command in ("status", "best", "trials", "report"):
        scene.run(command, study.path)
    assert "-" not in (scene.folder / "auger-3.stdout").read_text(), "no trial took less than nothing"
    again = scene.run("tune", study.path, "--trials", 22, "--json", **clock)
    assert 0 <= again.events[0]["spent"] < HOUR
    assert again.events[-1]["reason"] == "trials"
    assert len(ended(scene.folder)) == 22


@pytest.mark.parametrize("storage", ["journal", "sqlite"], indirect=True)
def test_a_clock_that_is_set_forward_stops_no_process_while_another_runs_a_trial(scene, storage):
    clock = {**preload("clock", scene.folder), "CLOCK_OFFSET": str(scene.folder / "offset")}
    study = Study.write(scene.folder, diary(GATED), storage=storage, trials=6, time="1h")
    processes = [scene.start("tune", study.path, "--json", **clock)]
    processes[0].wait_for(lambda: len(started(scene.folder)) == 1, "the first trial runs")
    processes.append(scene.start("worker", study.address, study.name, "--json", **clock))
    processes[1].wait_for(lambda: len(started(scene.folder)) == 2, "the second trial runs")
    (scene.folder / "offset").write_text(str(DAY))
    (scene.folder / "gate-1").touch()
    processes[1].wait_for(lambda: len(ended(scene.folder)) == 5, "the second process runs all others")
    (scene.folder / "gate-0").touch()
    for process in processes:
        process.wait()
        assert process.events[-1]["reason"] == "trials"
    check_finished(study, 6)

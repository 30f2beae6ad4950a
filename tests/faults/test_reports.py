"""Intermediate values and values of any size: all storages keep them, or a note says that they are ignored."""

import math

import pytest
from faults.programs import python
from faults.study import Study, section

EVERY = pytest.mark.parametrize("storage", ["journal", "sqlite", "postgres"], indirect=True)
STEPS = ["1763426059000", "2147483648", "1e300", "-1", "0.5", "NaN", "Infinity", "1" + 500 * "0"]
VALUES = ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" + 400 * "0", "1e308", "5e-324", '"1e5"']
# The value of a trial is its x; the last trial prints one that is no finite number.
PROGRAM = f"""
import sys
for step in {STEPS}: print('{{"epoch": ' + step + ', "loss": 1}}')
for step, value in enumerate({VALUES}): print('{{"epoch": %d, "loss": %s}}' % (step, value))
print('{{"epoch": 2147483647, "loss": 7}}')
print({{"0": "1e308", "1": "5e-324", "2": "-0.0", "3": "1" + 300 * "0", "4": "1e400"}}[sys.argv[1]])
"""
KEPT = {**dict(enumerate([math.nan, *[math.inf, -math.inf] * 2, math.inf, 1e308, 5e-324, 1e5])), 2**31 - 1: 7.0}


@EVERY
def test_steps_and_values_of_any_size_end_no_study(scene, storage):
    escaped = PROGRAM.replace("{", "{{").replace("}", "}}")
    study = Study.write(
        scene.folder,
        python(escaped, "{x}"),
        {"x": {"type": "categorical", "choices": ["0", "1", "2", "3", "4"]}},
        storage=storage,
        trials=5,
        pruner="none",
    )
    with study.path.open("a") as file:
        file.write("\n".join(section("report", {"read": "json", "key": "loss", "step": "epoch"})))
    auger = scene.run("tune", study.path)
    note = 'the line \'{"epoch": 1763426059000, "loss": 1}\' is ignored: it matches [report], but its step is no whole'
    assert auger.stderr.count(note) == 5 and "Traceback" not in auger.stderr, str(auger)
    expected = {"0": 1e308, "1": 5e-324, "2": -0.0, "3": 1e300, "4": None}
    assert {trial.params["x"]: trial.value for trial in study.trials()} == expected
    for trial in study.trials():
        assert repr(trial.intermediate_values) == repr(KEPT)
    if study.kind == "a journal":
        scene.run("report", study.path)

import csv
import io

import numpy as np
import pytest
from support.studies import STOPPED, complete, failed, new_study

from auger import Float, Int, Space
from auger.best import Best, best_settings
from auger.studies.importing import import_results, read_results
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.results import to_csv, trial_rows
from auger.studies.view import view_of
from auger.view import Baseline


def told(study, outcomes):
    coordinator = Coordinator(study, new_owner())
    for i, outcome in enumerate(outcomes):
        coordinator.tell(coordinator.ask(str(i)), outcome)
    return study


def best(study):
    return best_settings(view_of(study))


def test_there_is_no_best_before_a_trial_is_complete(tmp_path):
    assert best(told(new_study(tmp_path), [failed(), STOPPED])) is None


@pytest.mark.parametrize(("direction", "number"), [("minimize", 1), ("maximize", 2)])
def test_the_best_is_by_the_direction_and_compared_with_the_first_trial(tmp_path, direction, number):
    study = told(new_study(tmp_path, direction=direction), [complete(value) for value in (2.0, 1.0, 3.0)])
    found = best(study)
    assert (found.number, found.value) == (number, [2.0, 1.0, 3.0][number])
    assert found.config == study.config(study.trials()[number].params)
    assert (found.baseline.number, found.baseline.name, found.gain) == (0, "the first trial", 0.5)


def test_the_best_is_compared_with_the_defaults(tmp_path):
    study = told(new_study(tmp_path, defaults={"x": 0.5, "kind": "a"}), [complete(4.0), complete(1.0)])
    found = best(study)
    assert (found.baseline.name, found.baseline.value, found.gain) == ("the defaults", 4.0, 0.75)


def test_defaults_that_are_best_or_failed_are_not_compared_with(tmp_path):
    (tmp_path / "a").mkdir()
    defaults = {"x": 0.5, "kind": "a"}
    assert best(told(new_study(tmp_path, defaults=defaults), [complete(1.0), complete(4.0)])).baseline is None
    assert best(told(new_study(tmp_path / "a", defaults=defaults), [failed(), complete(4.0)])).baseline is None


def test_a_gain_over_nothing_is_none():
    found = Best(1, {}, -1.0, None, None, "", Baseline(0, 0.0, "the defaults"))
    assert found.gain is None


def test_among_noisy_values_the_best_expected_one_is_recommended(tmp_path):
    space, rng = Space({"x": Float(0.0, 1.0)}), np.random.default_rng(0)
    study = new_study(tmp_path, space=space, direction="maximize", trials=None)
    xs = [*np.linspace(0.0, 1.0, 60), *np.linspace(0.0, 1.0, 60)]
    values = [-((x - 0.5) ** 2) + 0.05 * rng.normal() for x in xs]
    values[3] = 0.3  # luck, far from the top
    import_results(study, [({"x": float(x)}, (float(value),)) for x, value in zip(xs, values, strict=True)], source="f")
    found = best(study)
    assert abs(found.config["x"] - 0.5) < 0.25
    assert found.estimate is not None and found.estimate < 0.1 and found.error > 0
    assert "highest expected" in found.reason


def test_rows_hold_every_trial_and_what_went_wrong(tmp_path):
    study = told(new_study(tmp_path, trials=None), [complete(0.25), failed("exit code 1: no"), STOPPED])
    Coordinator(study, new_owner()).ask("running")
    rows = trial_rows(view_of(study))
    assert [row["state"] for row in rows] == ["complete", "failed", "stopped", "running"]
    assert [row["value"] for row in rows] == [0.25, None, None, None]
    assert [row["error"] for row in rows] == [None, "exit code 1: no", "stopped", None]
    assert rows[1]["seconds"] == 0.5 and rows[3]["seconds"] >= 0.0
    assert rows[3]["x"] == rows[2]["x"]  # it is the stopped one, run again


def test_no_cell_of_the_csv_is_a_formula_and_all_of_them_come_back(tmp_path):
    choices = ['=HYPERLINK("http://x")', "@SUM(1)", "+a", "-a", "'=a", "''-b", "\t=1", "'quoted'", "-1", "plain"]
    space = Space({"=cmd|' /c calc'!A0": choices, "x": Float(0, 1)})
    old = new_study(tmp_path, space=space, trials=None)
    told(old, [complete(float(i)) for i in range(8)] + [failed("exit code 1: =1+1")])
    text = to_csv(view_of(old))
    for row in csv.reader(io.StringIO(text)):
        assert not [cell for cell in row if cell[:1] in set("=+-@\t\r") and not is_number(cell)]
    (tmp_path / "old.csv").write_text(text)
    new = new_study(tmp_path, space=space, name="new")
    results = read_results(tmp_path / "old.csv", new)
    assert (results.bad, results.ignored) == ([], [])
    assert import_results(new, results.good, source="old.csv") == 8
    assert [trial.params for trial in new.trials()] == [trial.params for trial in old.trials()[:8]]


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_the_csv_of_a_study_goes_into_another(tmp_path):
    space = Space({"state": [True, None, "a,b"], "n": Int(1, 9), "x": Float(0, 1, when={"n": [1, 2, 3, 4]})})
    old = told(new_study(tmp_path, space=space, trials=None), [complete(v) for v in (0.1, 1e-9, 3.0)] + [failed()])
    path = tmp_path / "old.csv"
    path.write_text(to_csv(view_of(old)))
    new = new_study(tmp_path, space=space, name="new")
    table = read_results(path, new)
    assert (table.bad, table.n_skipped, table.ignored) == ([], 1, [])
    assert import_results(new, table.good, source="old.csv") == 3
    assert [trial.params for trial in new.trials()] == [trial.params for trial in old.trials()[:3]]
    assert [trial.value for trial in new.trials()] == [0.1, 1e-9, 3.0]
    assert to_csv(view_of(new)).splitlines()[0].endswith(",param:state,n,x")

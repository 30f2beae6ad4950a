"""Outcomes kept on disk."""

import json

import pytest

from auger.studies.trial import Outcome, read_result, write_result

DONE = Outcome("complete", 0.5, None, 1.25, 0)


def test_an_outcome_is_the_same_after_the_disk(tmp_path):
    folder = tmp_path / "3"
    folder.mkdir()
    write_result(folder, {"x": 0.1, "y": (1, 2)}, DONE)
    assert read_result(tmp_path, 3) == DONE
    assert read_result(tmp_path, 3, {"x": 0.1, "y": (1, 2)}) == DONE
    assert [path.name for path in folder.iterdir()] == ["result.json"]


def test_an_outcome_of_another_configuration_is_none(tmp_path):
    (tmp_path / "3").mkdir()
    write_result(tmp_path / "3", {"x": 0.1}, DONE)
    assert read_result(tmp_path, 3, {"x": 0.2}) is None


@pytest.mark.parametrize(
    "content",
    [
        *(None, "", "{", "[]", "{}", '{"config": {}}', '{"config": {}, "state": "x", "y": 1}', "\0"),
        pytest.param('{"config":' + "[" * 10**5, id="nested without end"),
    ],
)
def test_a_result_that_is_not_there_or_not_whole_is_none(tmp_path, content):
    (tmp_path / "3").mkdir()
    if content is not None:
        (tmp_path / "3" / "result.json").write_text(content)
    assert read_result(tmp_path, 3) is None


@pytest.mark.parametrize(
    "facts",
    [
        {"state": "complete"},
        {"state": "complete", "value": "much"},
        {"state": "complete", "value": float("inf")},
        {"state": "complete", "value": 10**400},
        {"state": "failed", "value": 0.5},
        {"state": "running"},
        {"state": "died"},
        {"state": "failed", "error": ["x"]},
        {"state": "failed", "seconds": "long"},
        {"state": "failed", "seconds": -1.0},
        {"state": "failed", "exit_code": {}},
    ],
)
def test_a_result_that_auger_never_writes_is_none(tmp_path, facts):
    (tmp_path / "3").mkdir()
    (tmp_path / "3" / "result.json").write_text(json.dumps({"config": {}, **facts}))
    assert read_result(tmp_path, 3, {}) is None

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.errors import FileFormatError
from auger_bench.run_files import Evaluation, Head, ResultsError, Run, RunFile, file_of, load, read

HEAD = Head("branin", "random", 0, 5, {"auger": "0.1.0", "python": "3.12.1"}, {"cpu": "a fast one"})


def evaluation(number=0, **changes):
    entries = {"config": {"x": 0.5, "y": "a"}, "observed": 1.0, "value": 1.5, "incumbent": 1.5, "regret": 0.5}
    times = {"ask_cpu": 0.1, "ask_wall": 0.2, "tell_cpu": 0.01, "tell_wall": 0.02}
    return Evaluation(number, **{**entries, **times, **changes})


def write(path, *evaluations, head=HEAD, crash=""):
    file = RunFile(path, head)
    for each in evaluations:
        file.append(each)
    if crash:
        file.crash(crash)
    file.close()


@pytest.fixture
def path(tmp_path):
    return file_of(tmp_path, "branin", "random", 0)


def test_a_recipe_with_options_has_a_folder_without_spaces(tmp_path):
    path = file_of(tmp_path, "branin+noisy0.1", "bore-rf gamma=0.25 n_initial=5", 3)
    assert path.relative_to(tmp_path).as_posix() == "branin+noisy0.1/bore-rf+gamma=0.25+n_initial=5/3.jsonl"


numbers = st.floats(allow_nan=False)


@given(observed=numbers, value=numbers, incumbent=numbers, regret=st.none() | numbers, error=st.text())
def test_what_is_appended_is_read_back_to_the_bit(tmp_path_factory, observed, value, incumbent, regret, error):
    path = tmp_path_factory.mktemp("runs") / "0.jsonl"
    given_one = evaluation(observed=observed, value=value, incumbent=incumbent, regret=regret, error=error)
    write(path, given_one)
    assert read(path) == Run(HEAD, [given_one])


def test_nan_is_read_back(path):
    write(path, evaluation(observed=math.nan, value=math.nan, incumbent=math.nan, regret=math.nan))
    (found,) = read(path).evaluations
    assert all(math.isnan(x) for x in (found.observed, found.value, found.incumbent, found.regret))


def test_a_run_is_complete_when_every_evaluation_is_there(path):
    write(path, *(evaluation(i) for i in range(4)))
    assert not read(path).is_complete
    write(path, evaluation(4))
    assert read(path).is_complete


def test_a_crash_is_told_until_the_run_goes_on(path):
    write(path, evaluation(0), crash="out of luck")
    assert read(path).crash == "out of luck"
    write(path, evaluation(1))
    assert read(path).crash == ""
    assert len(read(path).evaluations) == 2


@pytest.mark.parametrize("n_bytes", [1, 20, 60])
def test_a_torn_last_line_is_dropped_by_readers_and_cut_by_the_next_writer(path, n_bytes):
    write(path, evaluation(0), evaluation(1))
    whole = path.read_bytes()
    path.write_bytes(whole[:-n_bytes])
    assert len(read(path).evaluations) == 1
    write(path, evaluation(1))
    assert path.read_bytes() == whole


@pytest.mark.parametrize("n_bytes", [0, 1, 30])
def test_a_file_without_a_whole_head_is_begun_again(path, n_bytes):
    write(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:n_bytes])
    assert read(path) is None
    write(path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [lines[0], b"{half a line", lines[2]],
        lambda lines: [lines[0], lines[2]],  # one is missing
        lambda lines: [b"[]", *lines[1:]],
        lambda lines: [lines[0], b'{"number": 0}', lines[2]],
        lambda lines: [lines[0], b"3", lines[2]],
        lambda lines: [b'{"format": "auger-optimizer", "version": 1}'],
        lambda lines: [lines[0].replace(b'"version": 1', b'"version": 99')],
        lambda lines: [b"\xff\xfe"],
    ],
)
def test_a_damaged_or_foreign_file_is_refused_by_name_and_left_alone(path, spoil):
    write(path, evaluation(0), evaluation(1))
    path.write_bytes(b"\n".join([*spoil(path.read_bytes().splitlines()), b""]))
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match="0.jsonl"):
        read(path)
    with pytest.raises(FileFormatError, match="0.jsonl"):
        RunFile(path, HEAD)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"my notes", b'{"format": "other", "version": 3}\n{"half a li', b"\n{half a line"])
def test_a_foreign_file_that_ends_within_a_line_is_left_alone_too(path, content):
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="0.jsonl"):
        RunFile(path, HEAD)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Head("branin", "random", 0, 9, HEAD.versions, {}), "5 evaluations, and 9 are asked for"),
        (Head("branin", "random", 1, 5, HEAD.versions, {}), "another run"),
        (Head("branin", "random", 0, 5, {**HEAD.versions, "auger": "0.2.0"}, {}), "auger 0.1.0; installed is 0.2.0"),
        (Head("branin", "random", 0, 5, {"auger": "0.1.0"}, {}), r"python 3.12.1; installed is \(none\)"),
    ],
)
def test_a_run_of_other_settings_or_versions_is_not_continued(path, other, message):
    write(path, evaluation(0))
    path.write_bytes(path.read_bytes() + b'{"number": 1, "conf')  # torn, which is for the one who goes on to cut off
    before = path.read_bytes()
    with pytest.raises(ResultsError, match=message):
        RunFile(path, other)
    assert path.read_bytes() == before


def test_another_machine_may_go_on(path):
    write(path, evaluation(0))
    write(path, evaluation(1), head=Head("branin", "random", 0, 5, HEAD.versions, {"cpu": "a slow one"}))
    assert len(read(path).evaluations) == 2


def test_load_finds_every_run_in_order(tmp_path):
    for problem, method, seed in [("b", "m", 10), ("b", "m", 2), ("a", "n", 0)]:
        write(file_of(tmp_path, problem, method, seed), head=Head(problem, method, seed, 5, {}, {}))
    assert [(r.head.problem, r.head.seed) for r in load(tmp_path)] == [("a", 0), ("b", 2), ("b", 10)]


@pytest.mark.parametrize("name", ["", "nothing-here"])
def test_a_folder_without_runs_is_refused(tmp_path, name):
    with pytest.raises(ResultsError, match="no runs"):
        load(tmp_path / name)


def test_lines_are_plain_json(path):
    write(path, evaluation(0, observed=math.inf), crash="x")
    kinds = [sorted(json.loads(line)) for line in path.read_text().splitlines()]
    assert [len(kind) for kind in kinds] == [8, 10, 1]


def test_the_first_evaluations_of_a_run_are_a_shorter_run():
    run = Run(HEAD, [evaluation(number, value=float(number)) for number in range(5)])
    part = run.first(2)
    assert part.is_complete and part.evaluations == run.evaluations[:2] and part.head.n_evals == 2
    assert run.first(5) is run and run.first(9) is run
    assert Run(HEAD, run.evaluations[:3], "why").first(2) == part
    solved = Run(HEAD, run.evaluations[:3], is_solved=True)
    assert solved.first(2) == part and solved.first(4).is_solved and solved.first(4).is_complete
    cut = Run(HEAD, run.evaluations[:1], "why").first(2)
    assert not cut.is_complete and cut.crash == "why"

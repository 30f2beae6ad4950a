import multiprocessing
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest

from auger.space import Space
from auger_bench import methods, runner
from auger_bench import task as task_module
from auger_bench.methods import Entry, Method
from auger_bench.problems import Problem, problem
from auger_bench.progress import Lines, Progress
from auger_bench.run_files import Head, ResultsError, RunFile, load, read
from auger_bench.task import Task, execute

TIMES = ("ask_cpu", "ask_wall", "tell_cpu", "tell_wall")


def tried(folder):
    """Everything in a folder but the times."""
    return {
        (run.head.problem, run.head.method, run.head.seed): [
            {name: entry for name, entry in asdict(each).items() if name not in TIMES} for each in run.evaluations
        ]
        for run in load(folder)
    }


def tasks(*names, n_evals=5, n_seeds=1, problems=("branin",)):
    return runner.tasks(problems, names, n_evals=n_evals, n_seeds=n_seeds)


class Walk(Method):
    """Goes through the numbers of a line, or breaks on the way."""

    def __init__(self, n, fails_at=None):
        self.n, self.fails_at, self.told = n, fails_at, []

    def ask(self):
        if len(self.told) == self.fails_at:
            raise RuntimeError("lost the way")
        return {"x": float(len(self.told))}

    def tell(self, config, value):
        self.told.append(value)


@pytest.fixture
def line(monkeypatch):
    """A problem and a method that can be told to break; in this process only."""
    settings = {"fails_at": None, "crashes_at": (), "noise": (), "made": []}

    def value(config):
        if config["x"] in settings["crashes_at"]:
            raise ArithmeticError("fell off")
        return abs(config["x"] - 3.0)

    def observe(config, rng):
        return value(config) + dict(settings["noise"]).get(config["x"], 0.0)

    def make(space, seed, n_evals):
        walk = Walk(n_evals, settings["fails_at"])
        settings["made"].append(walk)
        return walk

    black_box = Problem("line", Space({"x": (0.0, 9.0)}), value, 0.0, {"x": 3.0}, observe)
    monkeypatch.setattr(task_module, "problem", lambda name: black_box)
    monkeypatch.setattr(task_module, "method", lambda name: Entry("walk", "a walk", make))
    return settings


@pytest.fixture
def plain_line(line, monkeypatch):
    """The same without noise."""
    without_noise = replace(task_module.problem("line"), observe=None)
    monkeypatch.setattr(task_module, "problem", lambda name: without_noise)


WALK = Task("line", "walk", 0, 6)


def test_a_run_records_values_incumbents_and_regrets(line, tmp_path):
    execute(WALK, tmp_path)
    run = read(WALK.path(tmp_path))
    assert run.is_complete and not run.crash
    assert [each.value for each in run.evaluations] == [3.0, 2.0, 1.0, 0.0, 1.0, 2.0]
    assert [each.incumbent for each in run.evaluations] == [3.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    assert [each.regret for each in run.evaluations] == [3.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    assert all(getattr(each, name) >= 0 for each in run.evaluations for name in TIMES)
    assert run.head.versions["auger"] and run.head.machine["cores"]


UNTIL_OPTIMUM = Task("line", "walk", 0, 6, until_optimum=True)


def test_a_run_until_the_optimum_ends_there_and_counts_as_complete(plain_line, tmp_path):
    execute(UNTIL_OPTIMUM, tmp_path)
    run = read(UNTIL_OPTIMUM.path(tmp_path))
    assert run.is_complete and run.is_solved
    assert [each.regret for each in run.evaluations] == [3.0, 2.0, 1.0, 0.0]
    execute(UNTIL_OPTIMUM, tmp_path)
    assert read(UNTIL_OPTIMUM.path(tmp_path)) == run


def test_a_run_killed_right_after_the_optimum_ends_there_too(plain_line, tmp_path):
    execute(UNTIL_OPTIMUM, tmp_path)
    path = UNTIL_OPTIMUM.path(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert not read(path).is_complete
    execute(UNTIL_OPTIMUM, tmp_path)
    assert path.read_bytes() == whole


def test_with_noise_the_optimum_may_be_replaced_and_no_run_ends_there(line, tmp_path):
    execute(UNTIL_OPTIMUM, tmp_path)
    assert len(read(UNTIL_OPTIMUM.path(tmp_path)).evaluations) == 6


def test_the_incumbent_is_chosen_by_what_was_observed_and_judged_without_noise(line, tmp_path):
    line["noise"] = {1.0: -5.0, 3.0: +9.0}.items()
    execute(WALK, tmp_path)
    run = read(WALK.path(tmp_path))
    assert [each.observed for each in run.evaluations] == [3.0, -3.0, 1.0, 9.0, 1.0, 2.0]
    assert [each.regret for each in run.evaluations] == [3.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    assert line["made"][0].told == [3.0, -3.0, 1.0, 9.0, 1.0, 2.0]


def test_a_failed_evaluation_is_recorded_told_as_nan_and_the_run_goes_on(line, tmp_path):
    line["crashes_at"] = (0.0, 2.0)
    execute(WALK, tmp_path)
    run = read(WALK.path(tmp_path))
    assert run.is_complete
    assert [each.error for each in run.evaluations][:3] == [
        "ArithmeticError: fell off",
        "",
        "ArithmeticError: fell off",
    ]
    told = line["made"][0].told
    assert told[0] != told[0] and told[1] == 2.0
    assert run.evaluations[0].incumbent != run.evaluations[0].incumbent
    assert [each.incumbent for each in run.evaluations[1:]] == [2.0, 2.0, 0.0, 0.0, 0.0]


def test_a_method_that_breaks_is_recorded_and_tried_again_without_repeating_evaluations(line, tmp_path):
    line["fails_at"] = 4
    execute(WALK, tmp_path)
    run = read(WALK.path(tmp_path))
    assert len(run.evaluations) == 4 and "RuntimeError: lost the way" in run.crash
    line["fails_at"] = None
    heard = []
    execute(WALK, tmp_path, heard.append)
    assert [each.number for each in heard] == [4, 5]
    assert read(WALK.path(tmp_path)).is_complete


def test_a_run_that_proposes_something_else_on_resume_is_not_continued(line, tmp_path):
    line["fails_at"] = 4
    execute(WALK, tmp_path)
    lines = WALK.path(tmp_path).read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"x": 1.0', b'"x": 7.0')
    WALK.path(tmp_path).write_bytes(b"".join(lines))
    execute(WALK, tmp_path)
    run = read(WALK.path(tmp_path))
    assert len(run.evaluations) == 4
    assert "cannot be resumed: for evaluation 1" in run.crash


def test_every_task_is_run_and_a_second_call_changes_nothing(tmp_path):
    todo = tasks("random", "bore-mlp", problems=("branin", "mixed", "conditional"), n_evals=12)
    outcome = runner.run(todo, tmp_path, n_jobs=2)
    assert (outcome.n_before, outcome.n_done, outcome.crashes) == (0, 6, {})
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    assert len(before) == 6
    outcome = runner.run(todo, tmp_path, n_jobs=2)
    assert (outcome.n_before, outcome.n_done) == (6, 0)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}


def test_the_values_are_those_of_the_problem(tmp_path):
    runner.run(tasks("random", problems=("hartmann6",)), tmp_path)
    (run,) = load(tmp_path)
    for each in run.evaluations:
        assert each.value == problem("hartmann6")(each.config)


@pytest.mark.parametrize("variable", ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"])
def test_each_run_is_told_to_compute_in_one_thread(variable):
    # our own methods ask for one thread anyway: it is the libraries of the others that listen to these
    with runner._one_thread(), runner._context([]).Pool(1) as pool:
        assert pool.apply(os.getenv, [variable]) == "1"


def test_a_process_that_dies_is_recorded_and_the_rest_go_on(tmp_path):
    class Kill(Progress):
        def advance(self, task):
            super().advance(task)
            if task.seed == 0 and self.to_come[task] == 14:
                for child in multiprocessing.active_children():
                    os.kill(child.pid, signal.SIGKILL)

    todo = tasks("bore-rf", n_evals=24, n_seeds=2)
    outcome = runner.run(todo, tmp_path, progress=Kill())
    assert outcome.n_done == 1
    assert outcome.crashes == {todo[0]: "the process ended with exit code -9"}
    crashed = read(todo[0].path(tmp_path))
    assert crashed.crash == outcome.crashes[todo[0]]
    assert 10 <= len(crashed.evaluations) < 24
    outcome = runner.run(todo, tmp_path)
    assert (outcome.n_before, outcome.n_done, outcome.crashes) == (1, 1, {})
    runner.run(todo, tmp_path / "again")
    assert tried(tmp_path / "again") == tried(tmp_path)


def test_a_file_damaged_meanwhile_stops_its_run_and_no_other(tmp_path, capfd):
    class Damage(Progress):
        def finish(self, task, crash):
            super().finish(task, crash)
            if task.seed == 0:  # before the next begins
                first = todo[0].path(tmp_path).read_bytes()
                todo[1].path(tmp_path).write_bytes(first.replace(b'"number": 2', b'"number": 7'))

    todo = tasks("random", n_seeds=3)
    outcome = runner.run(todo, tmp_path, progress=Damage())
    assert outcome.n_done == 2 and list(outcome.crashes) == [todo[1]]
    assert "not in order" in outcome.crashes[todo[1]]
    assert "Traceback" not in capfd.readouterr().err


def test_a_command_killed_half_way_is_completed_by_repeating_it(tmp_path):
    folder = tmp_path / "killed"
    names = ["--problems", "mixed,conditional", "--methods", "random,bore-rf,optuna-tpe"]
    command = [sys.executable, "-m", "auger", "bench", "run", *names, "--evals", "20", "--seeds", "1", "--jobs", "2"]
    process = subprocess.Popen([*command, "--out", str(folder)], stderr=subprocess.DEVNULL)
    while process.poll() is None:
        runs = load(folder) if list(folder.glob("*/*/*.jsonl")) else []
        if any(run.is_complete for run in runs) and any(0 < len(run.evaluations) < 16 for run in runs):
            break
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL  # it was killed in the middle
    finished = {path: path.read_bytes() for path in folder.rglob("*.jsonl") if read(path) and read(path).is_complete}
    assert finished
    again = subprocess.run([*command, "--out", str(folder)], capture_output=True, text=True, check=True)
    runs = load(folder)
    assert len(runs) == 6 and all(run.is_complete for run in runs)
    assert {path: path.read_bytes() for path in finished} == finished
    assert "complete already" in again.stderr
    whole = tmp_path / "whole"
    todo = tasks(*names[3].split(","), problems=names[1].split(","), n_evals=20, n_seeds=1)
    runner.run(todo, whole, n_jobs=2)
    assert tried(folder) == tried(whole)


def test_a_run_whose_file_cannot_grow_says_so_and_is_completed_when_it_can(tmp_path):
    # files of at most 8 KiB: as on a full disk, a write fails in the middle of a line
    folder = tmp_path / "out"
    names = ["--problems", "branin", "--methods", "random", "--evals", "40", "--seeds", "1", "--out", str(folder)]
    command = shlex.join([sys.executable, "-m", "auger", "bench", "run", *names])
    full = subprocess.run(["bash", "-c", f"ulimit -f 8; {command}"], capture_output=True, text=True, check=False)
    assert full.returncode == 1
    assert "File too large" in full.stderr and "Traceback" not in full.stderr
    (run,) = load(folder)
    assert 15 < len(run.evaluations) < 30
    subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    runner.run(tasks("random", n_evals=40), tmp_path / "whole")
    assert tried(folder) == tried(tmp_path / "whole")


def test_results_of_other_settings_are_refused_before_anything_runs(tmp_path):
    runner.run(tasks("random"), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ResultsError, match="5 evaluations, and 6 are asked for"):
        runner.run(tasks("bore-mlp", "random", n_evals=6), tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_results_of_another_version_are_refused_before_anything_runs(tmp_path):
    task = tasks("random")[0]
    head = task.head()
    RunFile(task.path(tmp_path), Head(**{**asdict(head), "versions": {**head.versions, "auger": "0.0.1"}})).close()
    before = task.path(tmp_path).read_bytes()
    with pytest.raises(ResultsError, match="made with auger 0.0.1"):
        runner.run([task], tmp_path)
    assert task.path(tmp_path).read_bytes() == before


def test_runs_of_another_version_are_not_joined_by_other_runs(tmp_path):
    old, new = tasks("random", "bore-mlp")
    head = old.head()
    RunFile(old.path(tmp_path), Head(**{**asdict(head), "versions": {**head.versions, "auger": "0.0.1"}})).close()
    with pytest.raises(ResultsError, match="made with auger 0.0.1"):
        runner.run([new], tmp_path)
    assert not new.path(tmp_path).exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ResultsError, match="must be a folder that can be created"):
        runner.run(tasks("random"), tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("settings", "name"), [({"n_evals": 0}, "n_evals"), ({"n_seeds": -1}, "n_seeds"), ({"n_evals": 2.0}, "n_evals")]
)
def test_counts_below_one_are_refused(settings, name):
    with pytest.raises(ValueError, match=f"`{name}` must be a whole number of at least 1"):
        tasks("random", **settings)


def test_jobs_below_one_are_refused(tmp_path):
    with pytest.raises(ValueError, match="`n_jobs`"):
        runner.run(tasks("random"), tmp_path, n_jobs=0)


def test_the_environment_is_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    runner.run(tasks("random"), tmp_path)
    assert os.environ["OMP_NUM_THREADS"] == "7" and "MKL_NUM_THREADS" not in os.environ


def test_seeds_come_first_so_that_an_early_stop_is_fair():
    todo = tasks("a", "b", n_seeds=2)
    assert [(task.seed, task.method) for task in todo] == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]


def test_the_time_left_is_that_of_the_average_evaluation(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    a, b = Task("p", "a", 0, 10), Task("p", "b", 0, 5)
    progress = Progress()
    progress.start({a: 10, b: 5}, n_before=0)
    assert progress.left == "time left unknown"
    for task, step in ((a, 1.0), (b, 10.0)):
        progress.begin(task)
        for _ in range(2):
            now[0] += step
            progress.advance(task)
    assert progress.left == "1 min 00 s left"  # 22 s for 4 of them, and 8 + 3 to come
    progress.finish(b, "crashed")
    assert progress.left == "44 s left"


def test_lines_tell_of_each_run(tmp_path):
    lines = []
    runner.run(tasks("random", n_seeds=2), tmp_path, progress=Lines(lines.append))
    assert lines[0] == "2 runs to do, 0 are complete already"
    assert lines[1].startswith("[1/2] branin, random, seed 0 done; ")
    assert len(lines) == 3


def test_every_method_has_a_head():
    for name in methods.METHODS:
        if methods.METHODS[name].is_installed:
            assert Task("branin", name, 0, 5).head().versions["numpy"]

"""Runs at equal total cost: what is paid, what is recorded, and that a resumed run is the same."""

import math
from contextlib import contextmanager

import pytest

from auger.errors import AugerError
from auger.space import Space
from auger_bench.fidelity import Account, Spent, spend
from auger_bench.methods import METHODS, Method, method
from auger_bench.problems import Problem
from auger_bench.run_files import Head, ResultsError, RunFile, load, read
from auger_bench.task import Task, execute

SPACE = Space({"x": (0.0, 9.0)})
PRUNING = sorted(name for name in METHODS if name.startswith("auto-") or name.endswith("-hyperband"))
PRUNING = [name for name in PRUNING if method(name).make(SPACE, 0, 1).is_stopping]


def line(*, is_continued=True, crashes_at=()):
    """Ends at |x - 3|; 1 and 4 of 10 epochs can be had alone."""

    def value(config):
        if config["x"] in crashes_at:
            raise ArithmeticError("fell off")
        return abs(config["x"] - 3.0)

    def cheaper(config, epochs):
        return value(config) + 10 - epochs

    return Problem("line", SPACE, value, 0.0, {"x": 3.0}, None, (1, 4), cheaper, 10, is_continued)


class Walk(Method):
    """Tries 0, 1, 2, ... and stops some at step 4."""

    is_stopping = True

    def __init__(self, stopped=()):
        self.stopped, self.n_asked, self.heard = stopped, 0, []

    def prepare(self, steps):
        self.heard.append(steps)

    def ask(self):
        self.n_asked += 1
        return {"x": float(self.n_asked - 1)}

    def report(self, config, step, value):
        self.heard.append((config["x"], step, value))

    def stops(self, config):
        return self.heard[-1][1] == 4 and config["x"] in self.stopped

    def tell(self, config, value):
        self.heard.append((config["x"], "end", value))


@contextmanager
def account(folder, problem, n_units):
    file = RunFile(folder / "run.jsonl", Head("line", "walk", 0, n_units, {}, {}))
    try:
        yield Account(problem, file)
    finally:
        file.close()


def spent(walk, folder, problem, n_units):
    with account(folder, problem, n_units) as made:
        spend(walk, made)
    return walk


def recorded(folder):
    return [(each.number, each.incumbent, each.regret) for each in read(folder / "run.jsonl").evaluations]


def test_a_method_hears_every_fidelity_and_the_end_and_stopped_trials_have_none(tmp_path):
    walk = Walk(stopped={0.0})
    spent(walk, tmp_path, line(), 1)
    assert walk.heard == [(1, 4, 10), (0, 1, 12), (0, 4, 9), (1, 1, 11), (1, 4, 8)]


def test_stopped_trials_cost_what_they_were_trained_and_an_incumbent_counts_once_it_is_trained(tmp_path):
    # 0: 4 epochs; 1: 14 in all, 2: 24; then 3 is done at 34
    spent(Walk(stopped={0.0}), tmp_path, line(), 4)
    after_10, *later = [incumbent for _, incumbent, _ in recorded(tmp_path)]
    assert math.isnan(after_10) and later == [2.0, 1.0, 0.0]


def test_what_is_done_exactly_when_a_unit_is_full_counts_in_it(tmp_path):
    spent(Walk(), tmp_path, line(), 3)
    assert recorded(tmp_path) == [(0, 3.0, 3.0), (1, 2.0, 2.0), (2, 1.0, 1.0)]


def test_where_each_fidelity_is_a_training_of_its_own_all_of_them_are_paid_for(tmp_path):
    # 1 + 4 + 10 epochs each: done at 15, 30 and 45
    spent(Walk(), tmp_path, line(is_continued=False), 4)
    assert [incumbent for _, incumbent, _ in recorded(tmp_path)][1:] == [3.0, 2.0, 2.0]


def test_a_training_that_goes_on_costs_the_difference_whoever_decides_on_budgets(tmp_path):
    with account(tmp_path, line(), 2) as made:
        assert made.train({"x": 5.0}, 4) == 8.0
        assert made.train({"x": 5.0}, 10, since=4) == 2.0
        assert made.spent == pytest.approx(1.0)
        assert made.train({"x": 4.0}, 4) == 7.0
        with pytest.raises(Spent):
            made.train({"x": 4.0}, 10)
    assert recorded(tmp_path) == [(0, 2.0, 2.0), (1, 2.0, 2.0)]


def test_a_crash_costs_what_was_trained_and_is_told_as_nan(tmp_path):
    walk = Walk()
    spent(walk, tmp_path, line(crashes_at={0.0}), 1)
    assert walk.heard[1][:2] == (0, "end") and math.isnan(walk.heard[1][2])
    assert walk.heard[2:] == [(1, 1, 11), (1, 4, 8)]


def test_a_problem_without_fidelities_has_no_account(tmp_path):
    wanted = "`problem` must have fidelities, so that there are budgets to pay for. Got 'plain', which has none."
    plain = Problem("plain", SPACE, lambda config: 0.0)
    with pytest.raises(AugerError, match=wanted), account(tmp_path, plain, 1):
        pass


def test_a_run_that_was_cut_off_goes_on_as_if_it_had_not_been(tmp_path):
    spent(Walk(stopped={0.0, 2.0}), tmp_path, line(), 4)
    path = tmp_path / "run.jsonl"
    whole = recorded(tmp_path)
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:3]) + b"\n")
    assert len(recorded(tmp_path)) == 2
    spent(Walk(stopped={0.0, 2.0}), tmp_path, line(), 4)
    assert repr(recorded(tmp_path)) == repr(whole)


def test_a_run_that_would_go_on_differently_is_refused(tmp_path):
    spent(Walk(), tmp_path, line(), 2)
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:2]) + b"\n")
    with pytest.raises(
        ResultsError, match="cannot be resumed: its incumbent after the cost of 1 evaluations is now nan"
    ):
        spent(Walk(stopped={0.0}), tmp_path, line(), 2)


@pytest.mark.parametrize("name", PRUNING)
def test_every_pruning_method_spends_its_budget_and_repeats_itself(name, tmp_path):
    for folder in (tmp_path / "one", tmp_path / "two"):
        execute(Task("curves", name, 0, 6), folder)
    (one,), (two,) = load(tmp_path / "one"), load(tmp_path / "two")
    assert one.is_complete and not one.crash
    assert [each.config for each in one.evaluations] == [each.config for each in two.evaluations]
    regrets = [each.regret for each in one.evaluations if not math.isnan(each.regret)]
    assert regrets == sorted(regrets, reverse=True) and regrets


@pytest.mark.parametrize("name", PRUNING)
def test_on_a_problem_without_fidelities_a_pruning_method_is_like_any_other(name, tmp_path):
    execute(Task("branin", name, 0, 3), tmp_path)
    (run,) = load(tmp_path)
    assert run.is_complete and len({str(each.config) for each in run.evaluations}) == 3

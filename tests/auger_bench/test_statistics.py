import math
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from support.bench_runs import bench_run, bench_runs

from auger_bench.comparison import compare, costs, ranks, sign_test
from auger_bench.statistics import (
    LeftOut,
    StatisticsError,
    bootstrap,
    cpu_seconds,
    curves,
    evaluations_to_optimum,
    finals,
    left_out,
    quantity,
)

NAN = math.nan

# three methods, two seeds:      a  b  c     ranks
#                       seed 0   1  1  2     1.5  1.5  3
#                       seed 1   5  4  4     3    1.5  1.5
TIED = {"a": [1.0, 5.0], "b": [1.0, 4.0], "c": [2.0, 4.0]}

tables = st.integers(2, 4).flatmap(
    lambda n_seeds: st.dictionaries(
        st.sampled_from("abcde"),
        st.lists(st.sampled_from([NAN, -3.0, 0.0, 1.0, 2.5, 7.0]), min_size=n_seeds, max_size=n_seeds),
        min_size=2,
    )
)


# --- the quantity ---


def test_the_quantity_is_the_regret_where_the_optimum_is_known_and_the_value_elsewhere():
    np.testing.assert_array_equal(quantity(bench_run("p", "m", 0, [5.0, 3.0], optimum=2.0)), [3.0, 1.0])
    np.testing.assert_array_equal(quantity(bench_run("p", "m", 0, [5.0, 3.0])), [5.0, 3.0])


def test_a_regret_of_rounding_size_is_zero():
    run = bench_run("p", "m", 0, [1e6 + 1.0, 1e6 + 1e-7, 1e6 + 1e-5], optimum=1e6)
    np.testing.assert_array_equal(quantity(run)[[0, 1]], [1.0, 0.0])
    assert quantity(run)[2] > 0.0


def test_infinity_is_no_number():
    np.testing.assert_array_equal(quantity(bench_run("p", "m", 0, [math.inf, NAN, 1.0])), [NAN, NAN, 1.0])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([2.0], 1),
        ([9.0, 3.0, 2.0, 2.0], 3),
        ([NAN, 2.0], 2),
        ([9.0, 3.0], None),
        ([9.0, 2.0, 5.0], None),  # noise: touched and lost
        ([9.0, 2.0, 5.0, 2.0, 2.0], 4),  # ... and found again
        ([], None),
    ],
)
def test_the_optimum_is_reached_when_the_incumbent_stays_there(values, expected):
    assert evaluations_to_optimum(bench_run("p", "m", 0, values, optimum=2.0)) == expected


def test_a_run_that_ended_at_the_optimum_stays_there():
    run = bench_run("p", "a", 0, [3.0, 1.0, 0.5, 0.5, 0.5], optimum=0.5)
    ended = replace(run, evaluations=run.evaluations[:3], is_solved=True)
    np.testing.assert_array_equal(quantity(ended), quantity(run))
    assert evaluations_to_optimum(ended) == evaluations_to_optimum(run) == 3
    (one,), (other,) = finals([ended]), finals([run])
    assert one == other


def test_an_unknown_optimum_is_never_reached():
    assert evaluations_to_optimum(bench_run("p", "m", 0, [0.0])) is None


# --- which runs count ---


def test_crashed_and_unfinished_runs_are_counted_apart_and_enter_no_number():
    runs = [
        bench_run("p", "a", 0, [2.0, 1.0]),
        bench_run("p", "a", 1, [0.0], n_evals=2, crash="boom"),
        bench_run("p", "a", 2, [0.0], n_evals=2),
        bench_run("p", "a", 3, [], n_evals=2),
        bench_run("q", "b", 0, [], n_evals=2, crash="bang"),
    ]
    assert left_out(runs) == [LeftOut("p", "a", 1, 2), LeftOut("q", "b", 1, 0)]
    (final,) = finals(runs)
    assert (final.n_seeds, final.mean) == (1, 1.0)


def test_without_a_complete_run_there_is_nothing_to_say():
    with pytest.raises(StatisticsError, match="At least one run must be complete"):
        finals([bench_run("p", "a", 0, [1.0], n_evals=2)])


def test_runs_of_other_lengths_are_not_compared():
    with pytest.raises(StatisticsError, match=r"'p' must have the same number of evaluations. Got \[1, 2\]"):
        curves([bench_run("p", "a", 0, [1.0]), bench_run("p", "b", 0, [1.0, 0.0])])


def test_the_same_run_twice_is_refused():
    with pytest.raises(StatisticsError, match="must have different seeds"):
        curves([bench_run("p", "a", 0, [1.0]), bench_run("p", "a", 0, [2.0])])


def test_runs_that_disagree_about_the_optimum_are_refused():
    with pytest.raises(StatisticsError, match="method 'b' with seed 3 has none"):
        curves([bench_run("p", "a", 0, [1.0], optimum=0.0), bench_run("p", "b", 3, [2.0])])


def test_a_run_that_failed_throughout_may_have_no_regret():
    a, b = curves([bench_run("p", "a", 0, [1.0], optimum=0.0), bench_run("p", "b", 0, [NAN])])
    assert a.is_regret and b.is_regret
    assert np.isnan(b.mean).all()


# --- over seeds ---


def test_a_curve_has_the_mean_and_the_median_of_every_evaluation():
    runs = [bench_run("p", "a", seed, [9.0, last]) for seed, last in enumerate([1.0, 2.0, 6.0])]
    (curve,) = curves(runs)
    np.testing.assert_array_equal(curve.evaluations, [1, 2])
    np.testing.assert_array_equal(curve.mean, [9.0, 3.0])
    np.testing.assert_array_equal(curve.median, [9.0, 2.0])
    assert (curve.n_seeds, curve.is_regret) == (3, False)


def test_a_seed_without_a_value_takes_the_mean_away_and_is_the_worst_of_the_median():
    runs = [bench_run("p", "a", seed, values) for seed, values in enumerate([[NAN, 1.0], [NAN, 2.0], [3.0, NAN]])]
    (curve,) = curves(runs)
    np.testing.assert_array_equal(curve.mean, [NAN, NAN])
    np.testing.assert_array_equal(curve.upper, [NAN, NAN])
    np.testing.assert_array_equal(curve.median, [NAN, 2.0])


def test_finals_are_summarized_as_worked_out_by_hand():
    runs = [
        bench_run("p", "a", seed, values, optimum=0.0)
        for seed, values in enumerate([[3.0, 0.0, 0.0], [3.0, 3.0, 0.0], [8.0, 2.0, 2.0], [9.0, 6.0, 6.0]])
    ]
    (final,) = finals(runs)
    assert (final.mean, final.median) == (2.0, 1.0)
    assert final.solved == 0.5
    assert final.n_evals_to_solve == 3  # solved after 2, 3, never, never: the lower median


def test_fewer_than_half_solved_have_no_median_time():
    (final,) = finals(bench_runs({"a": [0.0, 1.0, 1.0]}, optimum=0.0))
    assert final.solved == pytest.approx(1 / 3)
    assert final.n_evals_to_solve is None


def test_an_unknown_optimum_has_no_share_of_solved_runs():
    (final,) = finals(bench_runs({"a": [0.0]}))
    assert final.solved is None


def test_the_band_of_one_seed_is_the_seed():
    q = np.array([[3.0, 0.1, NAN]])
    for line in bootstrap(q):
        np.testing.assert_array_equal(line, q[0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12))
def test_the_band_contains_the_mean(values):
    mean, lower, upper = bootstrap(np.array(values)[:, None])
    assert lower[0] <= mean[0] <= upper[0]
    assert min(values) - 1e-6 <= lower[0]
    assert upper[0] <= max(values) + 1e-6


def test_the_band_is_as_wide_as_theory_says():
    # of the mean of n normal numbers: 1.96 / sqrt(n) to either side; the percentile bootstrap is a little narrow
    q = np.random.default_rng(1).normal(size=(50, 400))
    _, lower, upper = bootstrap(q)
    assert np.mean(upper - lower) == pytest.approx(2 * 1.96 / math.sqrt(50), rel=0.05)
    assert np.mean((lower <= 0.0) & (upper >= 0.0)) == pytest.approx(0.95, abs=0.04)


# --- between methods ---


def test_ties_share_the_average_of_their_ranks():
    found = ranks(bench_runs(TIED))
    assert found.by_problem == {"p": {"a": 2.25, "b": 1.5, "c": 2.25}}
    assert found.mean == {"a": 2.25, "b": 1.5, "c": 2.25}


def test_ranks_are_averaged_over_problems_and_say_over_how_many():
    runs = bench_runs(TIED) + bench_runs({"a": [1.0, 1.0], "b": [2.0, 2.0]}, problem="q")
    found = ranks(runs)
    assert found.by_problem["q"] == {"a": 1.0, "b": 2.0}
    assert found.mean == {"a": 1.625, "b": 1.75, "c": 2.25}
    assert found.n_problems == {"a": 2, "b": 2, "c": 1}


def test_a_run_without_a_value_ranks_last():
    assert ranks(bench_runs({"a": [NAN], "b": [1e300], "c": [NAN]})).mean == {"a": 2.5, "b": 1.0, "c": 2.5}


def test_each_pair_is_ranked_on_the_seeds_that_it_shares():
    # a loses two of three to b; slow loses its one run to both
    found = ranks(bench_runs({"a": [1.0, 9.0, 9.0], "b": [2.0, 0.0, 0.0], "slow": [3.0]}))
    assert found.mean == pytest.approx({"a": 5 / 3, "b": 4 / 3, "slow": 3.0})


@given(tables)
def test_with_the_same_seeds_they_are_the_usual_mean_ranks(table):
    last = np.nan_to_num(np.array(list(table.values())), nan=np.inf)
    expected = dict(zip(table, rankdata(last, axis=0).mean(axis=1), strict=True))
    assert ranks(bench_runs(table)).mean == pytest.approx(expected)


def test_methods_without_a_common_seed_cannot_be_ranked():
    runs = [bench_run("p", "a", 0, [1.0]), bench_run("p", "b", 1, [1.0])]
    with pytest.raises(StatisticsError, match=r"on problem 'p' must share .* 'a' has \[0\]; 'b' has \[1\]"):
        ranks(runs)


@given(tables)
def test_ranks_sum_to_a_constant(table):
    n = len(table)
    assert sum(ranks(bench_runs(table)).mean.values()) == pytest.approx(n * (n + 1) / 2)


@given(tables)
def test_an_increasing_transform_of_the_values_changes_no_rank(table):
    changed = {method: [10 * value**3 - 4 for value in values] for method, values in table.items()}
    assert ranks(bench_runs(table)) == ranks(bench_runs(changed))


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_runs_changes_nothing(table, dice: random.Random):
    runs = bench_runs(table)
    shuffled = dice.sample(runs, len(runs))
    assert ranks(runs) == ranks(shuffled)
    assert repr(finals(runs)) == repr(finals(shuffled))  # NaN is not equal to itself, but reads the same
    assert repr(compare(runs, reference="a")) == repr(compare(shuffled, reference="a"))
    assert repr(curves(runs)) == repr(curves(shuffled))
    assert costs(runs) == costs(shuffled)


def test_wins_ties_and_losses_are_counted_as_by_hand():
    by_method = {c.method: c for c in compare(bench_runs(TIED), reference="b")}
    assert set(by_method) == {"a", "c"}
    assert (by_method["a"].wins, by_method["a"].ties, by_method["a"].losses) == (0, 1, 1)
    assert (by_method["c"].wins, by_method["c"].ties, by_method["c"].losses) == (0, 1, 1)
    assert by_method["a"].p == 1.0  # one toss decides nothing


def test_wins_add_up_over_problems():
    runs = bench_runs({"a": [1.0, 1.0], "r": [2.0, 0.0]}) + bench_runs({"a": [1.0, 1.0], "r": [2.0, 1.0]}, problem="q")
    (found,) = compare(runs, reference="r")
    assert [(duel.problem, duel.wins, duel.ties, duel.losses) for duel in found.duels] == [
        ("p", 1, 0, 1),
        ("q", 1, 1, 0),
    ]
    assert (found.wins, found.ties, found.losses) == (2, 1, 1)


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (0, 0, 1.0),
        (5, 0, 2 / 2**5),
        (1, 5, 2 * (1 + 6) / 2**6),
        (8, 2, 2 * (1 + 10 + 45) / 2**10),
        (3, 3, 1.0),
    ],
)
def test_the_sign_test_gives_the_binomial_sum(wins, losses, p):
    assert sign_test(wins, losses) == pytest.approx(p)


def test_the_signed_rank_test_gives_its_exact_p():
    # five wins of different sizes: only one of 2^5 sign patterns is as extreme on either side
    (found,) = compare(bench_runs({"a": [0.0] * 5, "r": [1.0, 2.0, 3.0, 4.0, 5.0]}), reference="r")
    assert found.duels[0].p == pytest.approx(2 / 2**5)


def test_equal_runs_have_p_one():
    (found,) = compare(bench_runs({"a": [1.0, NAN], "r": [1.0, NAN]}), reference="r")
    assert (found.duels[0].ties, found.duels[0].p, found.p) == (2, 1.0, 1.0)


def test_a_run_without_a_value_loses():
    (found,) = compare(bench_runs({"a": [NAN, NAN], "r": [1.0, 2.0]}, optimum=0.0), reference="r")
    assert found.losses == 2
    assert found.decades is not None and math.isnan(found.decades)


def test_decades_are_the_mean_log_ratio_with_its_standard_error():
    runs = bench_runs({"a": [1.0, 0.1], "r": [10.0, 10.0]}, optimum=0.0)
    (found,) = compare(runs, reference="r")  # one and two decades below
    assert found.decades == pytest.approx(1.5)
    assert found.decades_error == pytest.approx(0.5)


def test_regrets_below_a_thousandth_of_random_search_count_as_that():
    runs = bench_runs({"a": [0.0], "r": [1.0], "random": [10.0]}, optimum=0.0)
    by_method = {c.method: c for c in compare(runs, reference="r")}
    assert by_method["a"].decades == pytest.approx(2.0)  # the floor is 0.01


def test_without_random_search_regrets_are_raised_to_the_smallest_positive():
    (found,) = compare(bench_runs({"a": [0.0, 0.1], "r": [1.0, 0.1]}, optimum=0.0), reference="r")
    assert found.decades == pytest.approx(0.5)


def test_methods_that_always_find_the_optimum_are_no_decade_apart():
    (found,) = compare(bench_runs({"a": [0.0], "r": [0.0]}, optimum=0.0), reference="r")
    assert found.decades == 0.0


def test_an_unknown_optimum_has_no_decades():
    (found,) = compare(bench_runs({"a": [1.0], "r": [2.0]}), reference="r")
    assert found.decades is None and found.decades_error is None


def test_without_the_reference_nothing_is_compared():
    assert compare(bench_runs(TIED)) == []


def test_costs_are_cpu_seconds_of_ask_and_tell_and_relative_to_the_reference():
    runs = [
        bench_run("p", "a", 0, [1.0, 1.0], cpu=0.5),
        bench_run("p", "a", 1, [1.0, 1.0], cpu=1.5),
        bench_run("p", "r", 0, [1.0, 1.0], cpu=0.25),
        bench_run("q", "a", 0, [1.0], cpu=1.0),
    ]
    found = {(cost.problem, cost.method): (cost.seconds, cost.ratio) for cost in costs(runs, reference="r")}
    assert found == {("p", "a"): (2.0, 4.0), ("p", "r"): (0.5, 1.0), ("q", "a"): (2.0, None)}
    assert math.isnan(cpu_seconds(bench_run("p", "a", 0, [], n_evals=1)))


def test_importing_the_statistics_loads_neither_scipy_nor_matplotlib():
    code = (
        "import sys, auger_bench.statistics, auger_bench.tables, auger_bench.regret_plot;"
        "print(*({'scipy.stats', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

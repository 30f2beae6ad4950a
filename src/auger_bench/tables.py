"""The numbers of the benchmark as text: Markdown to read, CSV for programs."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from auger.text.format import count
from auger_bench.comparison import RANDOM, REFERENCE, Comparison, Cost, Ranks, Score, compare, costs, ranks
from auger_bench.run_files import Evaluation, Head, Run
from auger_bench.statistics import (
    Curve,
    Final,
    LeftOut,
    StatisticsError,
    cpu_seconds,
    curves,
    evaluations_to_feasible,
    evaluations_to_optimum,
    finals,
    has_constraints,
    has_regret,
    is_counted,
    left_out,
    quantity,
)

#: The most problems side by side in one table: more do not fit the width of a page.
MOST_COLUMNS = 7
#: An empty cell.
BLANK = "-"

_Cells = Mapping[tuple[str, str], str]  # (problem, method) -> text
_Key = TypeVar("_Key", int, str)


# --- Markdown ------------------------------------------------------------------------------------------------------


def markdown(runs: Iterable[Run], *, reference: str = REFERENCE) -> str:
    """The results of complete runs as Markdown, methods by mean rank.

    The parts are: libraries and machine; the final numbers of each problem; ranks, the comparison with the reference
    and costs; the comparison problem by problem; and the runs that were left out.

    Raises:
        StatisticsError: no run is complete, or those that are cannot be compared.
    """
    runs = list(runs)
    last, ranking = finals(runs), ranks(runs)
    comparisons = compare(runs, reference=reference)
    methods = sorted(ranking.mean, key=lambda method: (ranking.mean[method], method))
    parts = [
        _heading(runs),
        _final_part(last, methods),
        _optimum_part(last, methods),
        _feasible_part(last, methods),
        _summary_part(ranking, comparisons, costs(runs, reference=reference), methods, reference),
        _duel_part(comparisons, methods, reference),
        _left_out_part(left_out(runs)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(runs: Sequence[Run]) -> str:
    """How many evaluations and seeds, with which libraries, on which machine."""
    heads = [run.head for run in runs if is_counted(run)]
    seeds = set(Counter((head.problem, head.method) for head in heads).values())
    n_seeds = count(min(seeds), "seed") if len(seeds) == 1 else f"{min(seeds)} to {max(seeds)} seeds"
    versions = _sets((library, version) for head in heads for library, version in head.versions.items())
    machines = {", ".join(f"{key} {value}" for key, value in sorted(head.machine.items())) for head in heads} - {""}
    lines = [
        f"{_budgets(_sets((head.n_evals, head.problem) for head in heads))}; {n_seeds} for each problem and method."
    ]
    if versions:
        lines.append("Libraries: " + ", ".join(f"{name} {' and '.join(texts)}" for name, texts in versions.items()))
    if machines:
        lines.append("Machine: " + "; ".join(sorted(machines)))
    return "\n\n".join(map(_escape, lines))


def _sets(pairs: Iterable[tuple[_Key, str]]) -> dict[_Key, list[str]]:
    """Key -> its different values, all sorted."""
    sets: dict[_Key, set[str]] = defaultdict(set)
    for key, value in pairs:
        sets[key].add(value)
    return {key: sorted(sets[key]) for key in sorted(sets)}


def _budgets(problems: Mapping[int, Sequence[str]]) -> str:
    if len(problems) == 1:
        return count(next(iter(problems)), "evaluation")
    return "; ".join(f"{count(n, 'evaluation')} ({', '.join(names)})" for n, names in problems.items())


def _final_part(last: Sequence[Final], methods: Sequence[str]) -> str:
    medians: dict[str, list[float]] = defaultdict(list)
    for final in last:
        if not math.isnan(final.median):
            medians[final.problem].append(final.median)
    most = max(final.n_seeds for final in last)
    cells = {(final.problem, final.method): _final_cell(final, medians[final.problem], most) for final in last}
    headers = {final.problem: final.problem if final.is_regret else f"{final.problem} (value)" for final in last}
    quantity_name = "regret (`value`: the best value found, where the optimum is unknown)"
    if all(final.is_regret for final in last):
        quantity_name = "regret"
    elif not any(final.is_regret for final in last):
        quantity_name = "value"
    caption = f"Final {quantity_name}: median over seeds, mean in brackets; the lowest median is bold."
    return f"{caption}\n\n{_tables(cells, methods, headers)}"


def _final_cell(final: Final, medians: Sequence[float], most_seeds: int) -> str:
    """The median and the mean; `medians` are those of all methods on the problem, NaN excluded."""
    decimals = None if final.is_regret else _decimals(medians)
    median = _digits(final.median, decimals)
    median = f"**{median}**" if medians and final.median == min(medians) else median
    fewer = "" if final.n_seeds == most_seeds else f", {count(final.n_seeds, 'seed')}"
    return f"{median} ({_digits(final.mean, decimals)}){fewer}"


def _decimals(values: Sequence[float]) -> int | None:
    """Decimals to print, where three significant digits would print all values alike: 100.02 is not 100.05. Else None.

    They show two digits of the difference between the lowest and the highest value. Regrets never need this, because
    they are measured from zero.
    """
    spread = max(values, default=0.0) - min(values, default=0.0)
    if not 0.0 < spread < 0.1 * max(map(abs, values), default=0.0):
        return None
    return min(max(1 - math.floor(math.log10(spread)), 0), 10)


def _optimum_part(last: Sequence[Final], methods: Sequence[str]) -> str:
    """The share of runs that find the optimum, for problems where at least one run does."""
    solved = {final.problem for final in last if final.solved}
    if not solved:
        return ""
    cells = {
        (final.problem, final.method): _share_cell(final.solved, final.n_evals_to_solve)
        for final in last
        if final.problem in solved
    }
    caption = (
        "Runs that end at the optimum. In brackets, where at least half do, the median number of evaluations they took."
    )
    return f"{caption}\n\n{_tables(cells, methods, {problem: problem for problem in solved})}"


def _feasible_part(last: Sequence[Final], methods: Sequence[str]) -> str:
    """The share of runs that find a feasible config, for problems with outcome constraints."""
    constrained = {final.problem for final in last if final.feasible is not None}
    if not constrained:
        return ""
    cells = {
        (final.problem, final.method): _share_cell(final.feasible, final.n_evals_to_feasible)
        for final in last
        if final.problem in constrained
    }
    caption = (
        "Runs that find a config which satisfies the outcome constraints. In brackets, where at least half do, the "
        "median number of evaluations up to the first."
    )
    return f"{caption}\n\n{_tables(cells, methods, {problem: problem for problem in constrained})}"


def _share_cell(share: float | None, n_evals: int | None) -> str:
    text = BLANK if share is None else f"{share:.0%}"
    return text if n_evals is None else f"{text} ({n_evals})"


def _summary_part(
    ranking: Ranks, comparisons: Sequence[Comparison], spent: Sequence[Cost], methods: Sequence[str], reference: str
) -> str:
    n_problems = count(len(ranking.by_problem), "problem")
    caption = f"Mean rank over {n_problems}, each pair of methods on the seeds that it shares."
    header = ["method", "mean rank"]
    has_decades = any(comparison.decades is not None for comparison in comparisons)
    if comparisons:
        caption += (
            f" Wins, ties and losses are those of single runs against `{reference}` with the same seed, p is that of a "
            "two-sided sign test."
        )
        header += [f"wins-ties-losses against {reference}", "p"]
    else:
        caption += f" No comparison: the reference `{reference}` and another method have no complete runs together."
    if has_decades:
        caption += (
            " Decades: mean log10 of the reference's final regret over the method's with its standard error, regrets "
            f"raised to at least 0.001 of `{RANDOM}`'s median (else to the smallest positive)."
        )
        header.append("decades below it")
    header.append("CPU ms per suggestion")
    if comparisons:
        header.append(f"times {reference}")
    compared = {comparison.method: comparison for comparison in comparisons}
    rows = []
    for method in methods:
        row = [_name(method), _rank_cell(ranking, method)]
        if comparisons:
            row += _comparison_cells(compared.get(method), has_decades=has_decades)
        own_costs = [cost for cost in spent if cost.method == method]
        row.append(_digits(1e3 * float(np.mean([cost.seconds for cost in own_costs]))))
        if comparisons:
            row.append(_mean_ratio([cost.ratio for cost in own_costs if cost.ratio is not None]))
        rows.append(row)
    return f"{_escape(caption)}\n\n{_table([_escape(cell) for cell in header], rows)}"


def _rank_cell(ranking: Ranks, method: str) -> str:
    n, total = ranking.n_problems[method], len(ranking.by_problem)
    return f"{ranking.mean[method]:.2f}" + ("" if n == total else f" ({n} of {total} problems)")


def _comparison_cells(comparison: Comparison | None, *, has_decades: bool) -> list[str]:
    if comparison is None:
        return [BLANK] * (2 + has_decades)
    cells = [_tally(comparison), _p(comparison.p)]
    return [*cells, _decades(comparison.decades, comparison.decades_error)] if has_decades else cells


def _decades(mean: float | None, error: float | None) -> str:
    if mean is None or math.isnan(mean):
        return BLANK
    return f"{mean:+.2f}" if error is None or math.isnan(error) else f"{mean:+.2f} ± {error:.2f}"


def _mean_ratio(ratios: Sequence[float]) -> str:
    """The geometric mean; zero if one of the ratios is."""
    if not ratios:
        return BLANK
    return _digits(float(np.exp(np.log(ratios).mean())) if min(ratios) > 0.0 else 0.0)


def _duel_part(comparisons: Sequence[Comparison], methods: Sequence[str], reference: str) -> str:
    duels = [duel for comparison in comparisons for duel in comparison.duels]
    if not duels:
        return ""
    caption = f"Wins-ties-losses against `{reference}` by problem, with the p of a two-sided Wilcoxon signed-rank test."
    cells = {(duel.problem, duel.method): f"{_tally(duel)} (p {_p(duel.p)})" for duel in duels}
    others = [method for method in methods if method != reference]
    return f"{_escape(caption)}\n\n{_tables(cells, others, {duel.problem: duel.problem for duel in duels})}"


def _tally(result: Score) -> str:
    return f"{result.wins}-{result.ties}-{result.losses}"


def _left_out_part(groups: Sequence[LeftOut]) -> str:
    lines = []
    for group in groups:
        counts = {"crashed": group.n_crashed, "unfinished": group.n_unfinished}
        reasons = ", ".join(f"{n} {reason}" for reason, n in counts.items() if n)
        lines.append(f"- {_name(group.problem)}, {_name(group.method)}: left out: {reasons}")
    return "\n".join(lines)


def _tables(cells: _Cells, methods: Sequence[str], headers: Mapping[str, str]) -> str:
    """One table of methods by problems; for many problems several tables, each with a title."""
    pages = _pages(sorted(headers))
    texts = []
    for title, problems in pages:
        rows = [[_name(method), *(cells.get((problem, method), BLANK) for problem in problems)] for method in methods]
        shown = [row for row in rows if any(cell != BLANK for cell in row[1:])]
        table = _table(["method", *(_escape(headers[problem]) for problem in problems)], shown)
        texts.append(f"**{_escape(title)}**\n\n{table}" if len(pages) > 1 else table)
    return "\n\n".join(texts)


def _pages(problems: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Title and problems of each table, of at most `MOST_COLUMNS` problems.

    A table holds one family: the problems with the same part of the name before the first hyphen. Families of one
    problem share a last table, "others".
    """
    if len(problems) <= MOST_COLUMNS:
        return [("", list(problems))]
    families: dict[str, list[str]] = defaultdict(list)
    for problem in problems:
        families[problem.partition("-")[0]].append(problem)
    pages = {family: members for family, members in families.items() if len(members) > 1}
    alone = [problem for members in families.values() if len(members) == 1 for problem in members]
    if alone:
        pages["others"] = pages.get("others", []) + alone
    return [
        (title, members[start : start + MOST_COLUMNS])
        for title, members in pages.items()
        for start in range(0, len(members), MOST_COLUMNS)
    ]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---", *("---:" for _ in header[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _digits(number: float, decimals: int | None = None) -> str:
    """A number with three significant digits, or with so many decimals, trailing zeros included; NaN is `BLANK`."""
    if math.isnan(number):
        return BLANK
    if decimals is not None:
        return f"{number:.{decimals}f}"
    return "0" if number == 0.0 else f"{number:#.3g}".rstrip(".")


def _p(p: float) -> str:
    return "<0.0001" if p < 1e-4 else f"{p:.2g}"


def _name(name: str) -> str:
    return f"`{_escape(name)}`"


def _escape(text: str) -> str:
    """Text that does not end a cell of a table."""
    return text.replace("|", r"\|")


# --- CSV -----------------------------------------------------------------------------------------------------------


def _changes(run: Run) -> str:
    q = quantity(run)
    return " ".join(
        f"{number}:{now!r}"
        for number, (before, now) in enumerate(pairwise([math.nan, *q.tolist()]), start=1)
        if repr(now) != repr(before)  # as text, NaN equals NaN
    )


def _first_feasible(run: Run) -> int | str | None:
    return (evaluations_to_feasible(run) or _NEVER) if has_constraints(run) else None


_NEVER = "never"

#: Column -> its entry for a run. `cpu_seconds` is the CPU time per suggestion, of ask and tell together. `changes` has
#: the evaluations at which the regret, or else the value, of the incumbent changes, and what it is from there on.
#: `evaluations_to_feasible` is empty where there are no outcome constraints; a file may leave this column out.
RUN_COLUMNS: dict[str, Callable[[Run], object]] = {
    "problem": lambda run: run.head.problem,
    "method": lambda run: run.head.method,
    "seed": lambda run: run.head.seed,
    "n_evals": lambda run: run.head.n_evals,
    "n_done": lambda run: len(run.evaluations),
    "value": lambda run: run.evaluations[-1].incumbent if run.evaluations else None,
    "regret": lambda run: float(quantity(run)[-1]) if has_regret(run) else None,
    "evaluations_to_optimum": evaluations_to_optimum,
    "cpu_seconds": lambda run: cpu_seconds(run) if run.evaluations else None,
    "changes": _changes,
    "crash": lambda run: run.crash,
    "evaluations_to_feasible": _first_feasible,
}
_OPTIONAL_COLUMN = "evaluations_to_feasible"
CURVE_COLUMNS = ("problem", "method", "quantity", "n_seeds", "evaluation", "mean", "lower", "upper", "median")


def runs_csv(runs: Iterable[Run]) -> str:
    """One row per run. A run that crashed or is unfinished (`n_done` < `n_evals`) has the values it reached.

    A run that ended at the optimum has done the evaluations that it took to get there.

    Numbers are written in full and read back the same. A NaN is ``nan``; an unknown value is empty.
    """
    ordered = sorted(runs, key=lambda run: (run.head.problem, run.head.method, run.head.seed))
    return _csv(RUN_COLUMNS, ([cell(run) for cell in RUN_COLUMNS.values()] for run in ordered))


def read_runs(text: str) -> list[Run]:
    r"""The runs in a text of `runs_csv`, without their configs, and with one CPU time for all evaluations.

    Raises:
        StatisticsError: the text has other columns.

    Example:
        >>> titles, row = ",".join(RUN_COLUMNS), "branin,auto,0,4,4,0.5,0.1,,0.01,2:3.0 4:0.1,,"
        >>> [run] = read_runs(f"{titles}\n{row}")
        >>> [evaluation.regret for evaluation in run.evaluations]
        [nan, 3.0, 3.0, 0.1]
    """
    reader = csv.DictReader(io.StringIO(text))
    if [*(name for name in reader.fieldnames or () if name != _OPTIONAL_COLUMN), _OPTIONAL_COLUMN] != [*RUN_COLUMNS]:
        raise StatisticsError(
            f"A file of runs must have the columns {', '.join(RUN_COLUMNS)}. Got {reader.fieldnames}."
        )
    return [_read_run(row) for row in reader]


def _read_run(row: Mapping[str, str]) -> Run:
    q = [math.nan] * int(row["n_done"])
    for change in row["changes"].split():
        number, _, value = change.partition(":")
        q[int(number) - 1 :] = [float(value)] * (len(q) + 1 - int(number))
    optimum = float(row["value"]) - float(row["regret"]) if row["regret"] else None
    cpu = float(row["cpu_seconds"]) if row["cpu_seconds"] else math.nan
    incumbents = q if optimum is None else [optimum + regret for regret in q]
    feasible = row.get(_OPTIONAL_COLUMN)
    first_feasible = len(q) if feasible == _NEVER else int(feasible or 1) - 1
    evaluations = [
        Evaluation(
            number,
            {},
            incumbent,
            incumbent,
            incumbent,
            None if optimum is None else q[number],
            *(cpu, 0.0, 0.0, 0.0),
            constraints=(0.0 if number >= first_feasible else math.inf,) if feasible else (),
        )
        for number, incumbent in enumerate(incumbents)
    ]
    head = Head(row["problem"], row["method"], int(row["seed"]), int(row["n_evals"]), {}, {})
    is_solved = not row["crash"] and row["evaluations_to_optimum"] == row["n_done"]
    return Run(head, evaluations, row["crash"], is_solved)


def curves_csv(runs: Iterable[Run]) -> str:
    """The curves at evaluations 1, 2, 3, 5, then at about fifty even steps, and at the last one, with six digits.

    Beyond 2,000 evaluations, where figures have a logarithmic axis, steps grow by an eighth.
    """
    rows: list[list[object]] = []
    for curve in curves(runs):
        rows += [_curve_row(curve, int(evaluation)) for evaluation in _evaluations_to_write(len(curve.evaluations))]
    return _csv(CURVE_COLUMNS, rows)


def _curve_row(curve: Curve, evaluation: int) -> list[object]:
    numbers = [f"{column[evaluation - 1]:.6g}" for column in (curve.mean, curve.lower, curve.upper, curve.median)]
    quantity_name = "regret" if curve.is_regret else "value"
    return [curve.problem, curve.method, quantity_name, curve.n_seeds, evaluation, *numbers]


def read_curves(text: str) -> list[Curve]:
    """The curves in a text of `curves_csv`, at the evaluations that it has.

    Example:
        >>> rows = ["branin,auto,regret,5,1,20,10,30,19", "branin,auto,regret,5,2,8.5,4,12,9"]
        >>> curves = read_curves("\\n".join([",".join(CURVE_COLUMNS), *rows]))
        >>> [(curve.method, curve.evaluations.tolist(), curve.mean.tolist()) for curve in curves]
        [('auto', [1, 2], [20.0, 8.5])]
    """
    rows: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for row in csv.reader(text.splitlines()[1:]):
        rows[tuple(row[:4])].append(row[4:])
    return [
        Curve(problem, method, quantity_name == "regret", int(n_seeds), evaluation.astype(np.int64), *numbers)
        for (problem, method, quantity_name, n_seeds), lines in rows.items()
        for evaluation, *numbers in [np.array(lines, dtype=np.float64).T]
    ]


def _evaluations_to_write(n_evals: int) -> list[int]:
    if n_evals > 2000:
        n_steps = 20 * math.log10(n_evals)  # twenty in each decade
        return sorted({1, 2, 3, 5, *(round(10 ** (k / 20)) for k in range(math.floor(n_steps) + 1)), n_evals})
    step = 5 * math.ceil(n_evals / 250)  # multiples of five, fifty of them at most
    return sorted(n for n in {1, 2, 3, 5, *range(step, n_evals + 1, step), n_evals} if n <= n_evals)


def _csv(columns: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()

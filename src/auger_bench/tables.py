"""The benchmark's numbers as text: Markdown for people, CSV for everything else."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from auger_bench.comparison import RANDOM, REFERENCE, Comparison, Cost, Duel, Ranks, compare, costs, ranks
from auger_bench.run_files import Run
from auger_bench.statistics import (
    Curve,
    Final,
    LeftOut,
    cpu_seconds,
    curves,
    evaluations_to_optimum,
    finals,
    has_regret,
    is_counted,
    left_out,
    quantity,
)

#: Problems side by side in one table; more do not fit the width of a page.
MOST_COLUMNS = 7
#: A cell without an answer.
BLANK = "-"

_Cells = Mapping[tuple[str, str], str]  # (problem, method) -> text


# --- Markdown ------------------------------------------------------------------------------------------------------


def markdown(runs: Iterable[Run], *, reference: str = REFERENCE) -> str:
    """The results of complete runs as Markdown, methods by mean rank.

    What the runs were made with; the final numbers of each problem; ranks, the comparison with the reference and costs;
    the comparison problem by problem; and the runs left out.

    Raises:
        StatisticsError: no run is complete, or those that are cannot be compared.
    """
    runs = list(runs)
    last, ranked = finals(runs), ranks(runs)
    against = compare(runs, reference=reference)
    methods = sorted(ranked.mean, key=lambda method: (ranked.mean[method], method))
    parts = [
        _heading(runs),
        _final_part(last, methods),
        _optimum_part(last, methods),
        _summary_part(ranked, against, costs(runs, reference=reference), methods, reference),
        _duel_part(against, methods, reference),
        _left_out_part(left_out(runs)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(runs: Sequence[Run]) -> str:
    """What was run, with which libraries, on what."""
    counted = [run for run in runs if is_counted(run)]
    budgets: dict[int, set[str]] = defaultdict(set)
    seeds: dict[tuple[str, str], int] = defaultdict(int)
    versions: dict[str, set[str]] = defaultdict(set)
    machines: set[str] = set()
    for head in (run.head for run in counted):
        budgets[head.n_evals].add(head.problem)
        seeds[head.problem, head.method] += 1
        for library, version in head.versions.items():
            versions[library].add(version)
        machines.add(", ".join(f"{key} {value}" for key, value in sorted(head.machine.items())))
    lines = [f"{_budgets(budgets)}; {_plural_range(seeds.values(), 'seed')} for each problem and method."]
    if versions:
        lines.append(
            "Libraries: " + ", ".join(f"{name} {' and '.join(sorted(versions[name]))}" for name in sorted(versions))
        )
    if machines - {""}:
        lines.append("Machine: " + "; ".join(sorted(machines - {""})))
    return "\n\n".join(map(_escape, lines))


def _budgets(budgets: Mapping[int, set[str]]) -> str:
    if len(budgets) == 1:
        return _plural(next(iter(budgets)), "evaluation")
    return "; ".join(f"{_plural(n, 'evaluation')} ({', '.join(sorted(budgets[n]))})" for n in sorted(budgets))


def _range(counts: Iterable[int]) -> str:
    counts = set(counts)
    return str(min(counts)) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"


def _final_part(last: Sequence[Final], methods: Sequence[str]) -> str:
    best: dict[str, float] = {}
    for final in last:
        if not math.isnan(final.median):
            best[final.problem] = min(best.get(final.problem, math.inf), final.median)
    most = max(final.n_seeds for final in last)
    decimals = _value_decimals(last)
    cells = {
        (final.problem, final.method): _final_cell(
            final, is_best=final.median == best.get(final.problem), most=most, decimals=decimals.get(final.problem)
        )
        for final in last
    }
    headers = {final.problem: final.problem if final.is_regret else f"{final.problem} (value)" for final in last}
    what = "regret (`value`: the best value found, where the optimum is unknown)"
    if all(final.is_regret for final in last):
        what = "regret"
    elif not any(final.is_regret for final in last):
        what = "value"
    caption = f"Final {what}: median over seeds, mean in brackets; the lowest median is bold."
    return f"{caption}\n\n{_tables(cells, methods, headers)}"


def _final_cell(final: Final, *, is_best: bool, most: int, decimals: int | None) -> str:
    median = _digits(final.median, decimals)
    median = f"**{median}**" if is_best else median
    fewer = "" if final.n_seeds == most else f", {_plural(final.n_seeds, 'seed')}"
    return f"{median} ({_digits(final.mean, decimals)}){fewer}"


def _value_decimals(last: Sequence[Final]) -> dict[str, int]:
    """Decimals for the problems where three significant digits would print all medians alike: 100.02 is not 100.05.

    Two digits of the difference between the best and the worst are shown. A value has no zero to be measured from, so
    this is common there; a regret has one, and never needs it.
    """
    medians: dict[str, list[float]] = defaultdict(list)
    for final in last:
        if not final.is_regret and not math.isnan(final.median):
            medians[final.problem].append(final.median)
    decimals = {}
    for problem, numbers in medians.items():
        spread = max(numbers) - min(numbers)
        if 0.0 < spread < 0.1 * max(map(abs, numbers)):
            decimals[problem] = min(max(1 - math.floor(math.log10(spread)), 0), 10)
    return decimals


def _optimum_part(last: Sequence[Final], methods: Sequence[str]) -> str:
    """Who finds the optimum, on the problems where somebody does."""
    found = {final.problem for final in last if final.solved}
    if not found:
        return ""
    cells = {(final.problem, final.method): _optimum_cell(final) for final in last if final.problem in found}
    caption = (
        "Runs that end at the optimum. In brackets, where at least half do, the median number of evaluations they took."
    )
    return f"{caption}\n\n{_tables(cells, methods, {problem: problem for problem in found})}"


def _optimum_cell(final: Final) -> str:
    share = BLANK if final.solved is None else f"{final.solved:.0%}"
    return share if final.n_evals_to_solve is None else f"{share} ({final.n_evals_to_solve})"


def _summary_part(
    ranked: Ranks, against: Sequence[Comparison], spent: Sequence[Cost], methods: Sequence[str], reference: str
) -> str:
    n_problems = _plural(len(ranked.by_problem), "problem")
    caption = f"Mean rank over {n_problems}, each pair of methods on the seeds that it shares."
    header = ["method", "mean rank"]
    has_decades = any(comparison.decades is not None for comparison in against)
    if against:
        caption += (
            f" Wins, ties and losses are those of single runs against `{reference}` with the same seed, p is that of a "
            "two-sided sign test."
        )
        header += [f"wins-ties-losses against {reference}", "p"]
    if has_decades:
        caption += (
            " Decades: mean log10 of the reference's final regret over the method's with its standard error, regrets "
            f"raised to at least 0.001 of `{RANDOM}`'s median (else to the smallest positive)."
        )
        header.append("decades below it")
    if not against:
        caption += f" No comparison: the reference `{reference}` and another method have no complete runs together."
    header.append("CPU ms a suggestion")
    if against:
        header.append(f"times {reference}")
    compared = {comparison.method: comparison for comparison in against}
    rows = []
    for method in methods:
        row = [_name(method), _rank_cell(ranked, method)]
        if against:
            row += _comparison_cells(compared.get(method), has_decades=has_decades)
        mine = [cost for cost in spent if cost.method == method]
        row.append(_digits(1e3 * float(np.mean([cost.seconds for cost in mine]))))
        if against:
            row.append(_mean_ratio([cost.ratio for cost in mine]))
        rows.append(row)
    return f"{_escape(caption)}\n\n{_table([_escape(cell) for cell in header], rows)}"


def _rank_cell(ranked: Ranks, method: str) -> str:
    n, total = ranked.n_problems[method], len(ranked.by_problem)
    return f"{ranked.mean[method]:.2f}" + ("" if n == total else f" ({n} of {total} problems)")


def _comparison_cells(comparison: Comparison | None, *, has_decades: bool) -> list[str]:
    if comparison is None:
        return [BLANK] * (2 + has_decades)
    cells = [f"{comparison.wins}-{comparison.ties}-{comparison.losses}", _p(comparison.p)]
    return [*cells, _decades(comparison.decades, comparison.decades_error)] if has_decades else cells


def _decades(mean: float | None, error: float | None) -> str:
    if mean is None or math.isnan(mean):
        return BLANK
    return f"{mean:+.2f}" if error is None or math.isnan(error) else f"{mean:+.2f} ± {error:.2f}"


def _mean_ratio(ratios: Iterable[float | None]) -> str:
    """The geometric mean, as befits ratios; zero if one is."""
    known = np.array([ratio for ratio in ratios if ratio is not None])
    if not len(known):
        return BLANK
    return _digits(float(np.exp(np.log(known).mean())) if (known > 0.0).all() else 0.0)


def _duel_part(against: Sequence[Comparison], methods: Sequence[str], reference: str) -> str:
    duels = [duel for comparison in against for duel in comparison.duels]
    if not duels:
        return ""
    caption = f"Wins-ties-losses against `{reference}` by problem, with the p of a two-sided Wilcoxon signed-rank test."
    cells = {(duel.problem, duel.method): _duel_cell(duel) for duel in duels}
    present = [method for method in methods if method != reference]
    return f"{_escape(caption)}\n\n{_tables(cells, present, {duel.problem: duel.problem for duel in duels})}"


def _duel_cell(duel: Duel) -> str:
    return f"{duel.wins}-{duel.ties}-{duel.losses} (p {_p(duel.p)})"


def _left_out_part(missing: Sequence[LeftOut]) -> str:
    return "\n".join(f"- {_name(out.problem)}, {_name(out.method)}: {_left_out(out)}" for out in missing)


def _left_out(out: LeftOut) -> str:
    counts = {"crashed": out.n_crashed, "unfinished": out.n_unfinished}
    return "left out: " + ", ".join(f"{n} {what}" for what, n in counts.items() if n)


def _tables(cells: _Cells, methods: Sequence[str], headers: Mapping[str, str]) -> str:
    """One table of methods by problems, or several with a title each if the problems are many."""
    pages = _pages(sorted(headers))
    written = []
    for title, problems in pages:
        rows = [[_name(method), *(cells.get((problem, method), BLANK) for problem in problems)] for method in methods]
        shown = [row for row in rows if any(cell != BLANK for cell in row[1:])]
        table = _table(["method", *(_escape(headers[problem]) for problem in problems)], shown)
        written.append(f"**{_escape(title)}**\n\n{table}" if len(pages) > 1 else table)
    return "\n\n".join(written)


def _pages(problems: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Problems in tables of at most `MOST_COLUMNS`: by family, what stands before the first hyphen.

    Families of one share a last table, "others".
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
    """Three significant digits, or so many decimals. Trailing zeros are shown, since 0.0120 is not 0.012."""
    if math.isnan(number):
        return BLANK
    if decimals is not None:
        return f"{number:.{decimals}f}"
    return "0" if number == 0.0 else f"{number:#.3g}".rstrip(".")


def _p(p: float) -> str:
    return "<0.0001" if p < 1e-4 else f"{p:.2g}"


def _plural(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _plural_range(counts: Iterable[int], noun: str) -> str:
    counts = set(counts)
    return _plural(min(counts), noun) if len(counts) == 1 else f"{_range(counts)} {noun}s"


def _name(name: str) -> str:
    return f"`{_escape(name)}`"


def _escape(text: str) -> str:
    """Text that neither ends a cell nor a line."""
    return text.replace("|", r"\|")


# --- CSV -----------------------------------------------------------------------------------------------------------

RUN_COLUMNS = (
    "problem",
    "method",
    "seed",
    "n_evals",
    "n_done",
    "value",
    "regret",
    "evaluations_to_optimum",
    "cpu_seconds",
    "crash",
)
CURVE_COLUMNS = ("problem", "method", "quantity", "n_seeds", "evaluation", "mean", "lower", "upper", "median")


def runs_csv(runs: Iterable[Run]) -> str:
    """One row a run, also of those that crashed or are unfinished (`n_done` < `n_evals`), as far as they came.

    Numbers are written in full and read back the same. A NaN is ``nan``; what is unknown or was never reached is empty.
    `cpu_seconds` is for one suggestion, ask and tell together.
    """
    ordered = sorted(runs, key=lambda run: (run.head.problem, run.head.method, run.head.seed))
    return _csv(RUN_COLUMNS, map(_run_row, ordered))


def _run_row(run: Run) -> list[object]:
    head = run.head
    return [
        head.problem,
        head.method,
        head.seed,
        head.n_evals,
        len(run.evaluations),
        run.evaluations[-1].incumbent if run.evaluations else None,
        float(quantity(run)[-1]) if has_regret(run) else None,
        evaluations_to_optimum(run),
        cpu_seconds(run) if run.evaluations else None,
        run.crash,
    ]


def curves_csv(runs: Iterable[Run]) -> str:
    """The curves at evaluations 1, 2, 3, 5, then at about fifty even steps, and at the last, to six digits."""
    rows: list[list[object]] = []
    for curve in curves(runs):
        rows += [_curve_row(curve, int(evaluation)) for evaluation in _milestones(len(curve.evaluations))]
    return _csv(CURVE_COLUMNS, rows)


def _curve_row(curve: Curve, evaluation: int) -> list[object]:
    numbers = [f"{column[evaluation - 1]:.6g}" for column in (curve.mean, curve.lower, curve.upper, curve.median)]
    kind = "regret" if curve.is_regret else "value"
    return [curve.problem, curve.method, kind, curve.n_seeds, evaluation, *numbers]


def read_curves(text: str) -> list[Curve]:
    """The curves that `curves_csv` wrote, at the evaluations it chose.

    Example:
        >>> rows = ["branin,auto,regret,5,1,20,10,30,19", "branin,auto,regret,5,2,8.5,4,12,9"]
        >>> found = read_curves("\\n".join([",".join(CURVE_COLUMNS), *rows]))
        >>> [(curve.method, curve.evaluations.tolist(), curve.mean.tolist()) for curve in found]
        [('auto', [1, 2], [20.0, 8.5])]
    """
    rows: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for row in csv.reader(text.splitlines()[1:]):
        rows[tuple(row[:4])].append(row[4:])
    return [
        Curve(problem, method, quantity == "regret", int(n_seeds), evaluation.astype(np.int64), *numbers)
        for (problem, method, quantity, n_seeds), lines in rows.items()
        for evaluation, *numbers in [np.array(lines, dtype=np.float64).T]
    ]


def _milestones(n_evals: int) -> list[int]:
    step = 5 * math.ceil(n_evals / 250)  # multiples of five, fifty of them at most
    return sorted(n for n in {1, 2, 3, 5, *range(step, n_evals + 1, step), n_evals} if n <= n_evals)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()

"""Whether two installed versions of auger make the same suggestions, to the last bit, and how fast each is.

    python benchmarks/compare_versions.py --before OLD/bin/python --after NEW/bin/python [--only native,ray] [--times]

Every door to a suggestion is driven through names that both versions have (`versions/`), in a process of each
interpreter. A table on stdout has a line per section: how many cases are identical and different; then the first
difference of each case that differs. A section whose library is not installed is absent. With --times, two tables of
ratios after/before follow. Progress is on stderr. The exit code is 1 where anything differs or fails.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Section -> what it imports beside auger, the module, and the function that lists its cases.
SECTIONS = {
    "recipes": ((), "native", "recipes"),
    "long": ((), "native", "long_runs"),
    "answers": ((), "native", "answers"),
    "functions": ((), "native", "functions"),
    "optuna": (("optuna",), "optuna_door", "optuna_cases"),
    "sklearn": (("sklearn",), "sklearn_door", "sklearn_cases"),
    "configspace": (("ConfigSpace",), "configspace_door", "configspace_cases"),
    "command-line": ((), "command_line", "command_line_cases"),
    "ray": (("ray",), "ray_door", "ray_cases"),
    "hpbandster": (("hpbandster",), "hpbandster_door", "hpbandster_cases"),
}

# Short names for several sections.
GROUPS = {"native": ("recipes", "long", "answers", "functions")}

_N_IMPORTS = 15
_N_ROUNDS = 5
_ABSENT, _RAISED = "absent", "raised"


def main() -> int:
    """Compare, or do one part of it in one of the interpreters."""
    arguments = _arguments()
    if arguments.record is not None:
        _record(arguments.only, arguments.record)
        return 0
    if arguments.measure:
        print(json.dumps(_measure()))
        return 0
    pair = {"before": arguments.before, "after": arguments.after}
    is_same = _compare(pair, arguments.only)
    if arguments.times:
        _compare_times(pair)
    return 0 if is_same else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="PYTHON", help="the interpreter that has the old version")
    parser.add_argument("--after", metavar="PYTHON", help="the interpreter that has the new version")
    names = ", ".join([*GROUPS, *SECTIONS])
    parser.add_argument("--only", type=_sections, default=list(SECTIONS), help=f"sections, with commas: {names}")
    parser.add_argument("--times", action="store_true", help="also compare the time of imports and suggestions")
    parser.add_argument("--record", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.record is None and not arguments.measure and not (arguments.before and arguments.after):
        parser.error("--before and --after are needed")
    return arguments


def _sections(text: str) -> list[str]:
    names = [name for word in text.split(",") for name in GROUPS.get(word, (word,))]
    for name in names:
        if name not in SECTIONS:
            raise argparse.ArgumentTypeError(f"must be out of {', '.join([*GROUPS, *SECTIONS])}. Got {name!r}.")
    return names


# -- in one interpreter -------------------------------------------------------------------------------------


def _record(sections: list[str], path: Path) -> None:
    """Run the cases of some sections and write what they recorded: section -> case -> outcome."""
    logging.disable(logging.CRITICAL)  # about failures that are part of a case
    recorded = {section: _record_section(section) for section in sections}
    path.write_text(json.dumps(recorded), encoding="utf-8")


def _record_section(section: str) -> dict[str, Any] | str:
    libraries, module, function = SECTIONS[section]
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            return _ABSENT
    cases = getattr(importlib.import_module(f"versions.{module}"), function)()
    outcomes = {}
    start = time.process_time()
    for i, (name, case) in enumerate(cases.items(), start=1):
        outcomes[name] = _outcome(case)
        _show(f"{section}: {i} of {len(cases)}, {name}")
    _show("")
    print(f"{section}: {len(cases)} cases, {time.process_time() - start:.0f} s of CPU", file=sys.stderr)
    return outcomes


def _show(text: str) -> None:
    """What is being done, in the last line of a terminal, instead of what was."""
    if sys.stderr.isatty():
        print(f"\r{text[:100]:100}\r", end="", file=sys.stderr, flush=True)


def _outcome(case: Any) -> Any:
    """What a case recorded; a text that begins with "absent" or "raised" where it did not come to its end."""
    from versions.exact import AbsentError

    try:
        return case()
    except AbsentError as error:
        return f"{_ABSENT}: {error}"
    except Exception as error:
        return f"{_RAISED}: {type(error).__name__}: {error}"


def _measure() -> dict[str, float]:
    """Milliseconds per suggestion, by what was measured."""
    from versions import timing

    return {
        f"{door}, {recipe}, {n}": timing.milliseconds(recipe, n, door)
        for door in ("Optimizer", "AugerSampler")
        for recipe in timing.RECIPES
        for n in timing.SIZES
    }


# -- both ---------------------------------------------------------------------------------------------------


def _compare(pair: Mapping[str, str], sections: list[str]) -> bool:
    """Record with both interpreters and print the table; whether everything is the same."""
    recorded = {}
    with tempfile.TemporaryDirectory() as folder:
        for which, python in pair.items():
            print(f"-- {which}: {python}", file=sys.stderr)
            path = Path(folder, f"{which}.json")
            _run(python, "--record", str(path), "--only", ",".join(sections))
            recorded[which] = json.loads(path.read_text(encoding="utf-8"))
    print(f"{'section':14}{'identical':>10}{'different':>10}{'failed':>8}{'absent':>8}{'records':>9}")
    remarks: list[str] = []
    for section in sections:
        remarks += _compare_section(section, recorded["before"][section], recorded["after"][section])
    print(*remarks, sep="\n")
    return not remarks


def _compare_section(section: str, before: Any, after: Any) -> list[str]:
    """Print the line of a section. Returns what is wrong with it."""
    if _ABSENT in (before, after):
        print(f"{section:14}{_ABSENT:>10}")
        return [] if before == after else [f"{section}: absent in one of the two"]
    counts = dict.fromkeys(("identical", "different", _RAISED, _ABSENT), 0)
    remarks = []
    for name in [*before, *(name for name in after if name not in before)]:
        kind, remark = _judged(before.get(name), after.get(name))
        counts[kind] += 1
        if remark:
            remarks.append(f"{section} / {name}{remark}")
    n_records = sum(len(outcome) for outcome in before.values() if isinstance(outcome, list))
    identical, different, raised, absent = counts.values()
    print(f"{section:14}{identical:>10}{different:>10}{raised:>8}{absent:>8}{n_records:>9}", flush=True)
    return remarks


def _judged(before: Any, after: Any) -> tuple[str, str]:
    """How one case compares, and a remark where something is wrong."""
    from versions.exact import first_difference

    for which, outcome in (("before", before), ("after", after)):
        if isinstance(outcome, str) and outcome.startswith(_RAISED):
            return _RAISED, f": {which} {outcome}"
    difference = first_difference(before, after)
    if difference is not None:
        return "different", difference
    return (_ABSENT if isinstance(before, str) else "identical"), ""


def _run(python: str, *arguments: str) -> str:
    """This script in another interpreter, on one thread. Returns what it printed on stdout."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [python, "-W", "ignore", str(Path(__file__).resolve()), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **threads})
    return done.stdout


# -- times --------------------------------------------------------------------------------------------------


def _compare_times(pair: Mapping[str, str]) -> None:
    imports = _import_times(pair)
    print(f"\nimport auger: before {imports['before']:.0f} ms, after {imports['after']:.0f} ms,", end=" ")
    print(f"ratio {imports['after'] / imports['before']:.3f}")
    rounds: dict[str, list[dict[str, float]]] = {which: [] for which in pair}
    for i in range(_N_ROUNDS):
        for which in sorted(pair, reverse=bool(i % 2)):
            _show(f"times: round {i + 1} of {_N_ROUNDS}, {which}")
            rounds[which].append(json.loads(_run(pair[which], "--measure")))
    print(f"\n{'CPU per suggestion':28}{'before':>10}{'after':>10}{'ratio':>8}")
    for name in rounds["before"][0]:
        before, after = (statistics.median(each[name] for each in rounds[which]) for which in ("before", "after"))
        print(f"{name:28}{before:>7.2f} ms{after:>7.2f} ms{after / before:>8.3f}")


def _import_times(pair: Mapping[str, str]) -> dict[str, float]:
    """Median milliseconds of ``import auger``, bytecode warm, the two interpreters in turns."""
    script = "import time; start = time.perf_counter(); import auger; print(time.perf_counter() - start)"
    times: dict[str, list[float]] = {which: [] for which in pair}
    for i in range(_N_IMPORTS + 1):
        for which, python in pair.items():
            done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
            if i:  # the first one may compile
                times[which].append(1e3 * float(done.stdout))
    return {which: statistics.median(each) for which, each in times.items()}


if __name__ == "__main__":
    sys.exit(main())

"""What `auger try` found, in words."""

from __future__ import annotations

from auger.checks import LARGEST_STEP
from auger.text.format import quoted

_ORIGINS = {
    "defaults": "those under [defaults]",
    "initial": "no [defaults]: the first of `initial`",
    "middle": "no [defaults]: the middle of every range, the first of the choices",
    "random": "no [defaults]: drawn at random, within the constraints",
}


def starting_point(origin: str) -> str:
    """Where the settings of a tryout come from: the value of a `StartingPoint`."""
    return _ORIGINS[origin]


def wrong_number(
    read: str, line: str, named: str, named_line: str, pattern: str | None, *, is_file: bool = True
) -> str:
    """Why the value is probably another number than the last one, and how to say so: in a study file, or without one.

    Example:
        >>> print(wrong_number("3.2", "Done in 3.2 s", "0.2", "loss 0.2", "loss (.+)"))
        Is 3.2 the value? It is the last number, in the line 'Done in 3.2 s'.
        An earlier number has the name of a result: 0.2, in the line 'loss 0.2'.
        If that is meant, write:
          [value]
          read = "regex"
          pattern = 'loss (.+)'
    """
    lines = [
        f"Is {read} the value? It is the last number, in the line {quoted(line)}.",
        f"An earlier number has the name of a result: {named}, in the line {quoted(named_line)}.",
        "If that is meant, write:" if pattern else "If that is meant, set a `pattern`.",
    ]
    if pattern and not is_file:
        lines.append(f"  --value-pattern {_toml_pattern(pattern)}")
    elif pattern:
        lines += ["  [value]", '  read = "regex"', f"  pattern = {_toml_pattern(pattern)}"]
    return "\n".join(lines)


def _toml_pattern(pattern: str) -> str:
    return f"'''{pattern}'''" if "'" in pattern else f"'{pattern}'"


def doubted_value(number: int, read: str, line: str, named: str, named_line: str, pattern: str | None) -> str:
    """The same while a study runs, whose values would not compare with those of another rule.

    Example:
        >>> print(doubted_value(0, "3.2", "Done in 3.2 s", "0.2", "loss 0.2", "loss (.+)"))
        Trial 0: is 3.2 the value? It is the last number, in the line 'Done in 3.2 s'.
        An earlier number has the name of a result: 0.2, in the line 'loss 0.2'.
        If that is meant, stop and begin anew with --fresh and the pattern 'loss (.+)': as `pattern` under [value] of
        the study file, with read = "regex", or as --value-pattern without a file.
    """
    lines = [
        f"Trial {number}: is {read} the value? It is the last number, in the line {quoted(line)}.",
        f"An earlier number has the name of a result: {named}, in the line {quoted(named_line)}.",
    ]
    which = "a pattern" if pattern is None else f"the pattern {_toml_pattern(pattern)}"
    lines.append(f"If that is meant, stop and begin anew with --fresh and {which}: as `pattern` under [value] of")
    lines.append('the study file, with read = "regex", or as --value-pattern without a file.')
    return "\n".join(lines)


def ignored_report(why: str, line: str | None) -> str:
    """Why intermediate values are ignored: the fields of an `IgnoredReport`, and the value of its `Ignored`.

    Example:
        >>> print(ignored_report("step", "epoch -1: 0.5"))
        the line 'epoch -1: 0.5' is ignored: it matches [report], but its step is no whole number from 0 to 2147483647
    """
    if why == "many":
        return "it reports more intermediate values than are kept; the last ones are ignored"
    if why == "late":
        return "it reported its last intermediate values faster than they can be stored; they are ignored"
    problem = {"value": "holds no plain number", "step": f"its step is no whole number from 0 to {LARGEST_STEP}"}[why]
    return f"the line {quoted(line)} is ignored: it matches [report], but {problem}"


def equal_values(value: str, n: int) -> str:
    """That all trials of a study had the same value.

    Example:
        >>> equal_values("3.2", 5)
        "All 5 different settings so far had exactly the same value, 3.2. Perhaps they do not reach the program, or \
the number that is read is not its result: `auger try` shows the command and the value's line."
    """
    return (
        f"All {n} different settings so far had exactly the same value, {value}. Perhaps they do not reach the "
        "program, or the number that is read is not its result: `auger try` shows the command and the value's line."
    )

"""Numbers, times and settings as people read them."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from datetime import date, time
from pathlib import Path
from typing import Any

from auger.characters import clean, is_shown, replaced, shown, shown_lines
from auger.types import Config

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def number(value: float) -> str:
    """Six digits, and every digit of a large whole part, so that two numbers can be compared at a glance.

    Example:
        >>> number(0.123456789), number(1254670.4), number(3.0), number(1.5e-07), number(1e20)
        ('0.123457', '1,254,670', '3', '1.5e-07', '1e+20')
    """
    rounded = f"{value:.6g}"
    if not math.isfinite(value) or not 1e-4 <= abs(float(rounded)) < 1e15:
        return rounded
    n_decimals = max(5 - math.floor(math.log10(abs(float(rounded)))), 0)
    return _decimals(value, n_decimals, is_trimmed=True)


def measured(value: float, error: float | None) -> str:
    """A value with its standard error: two digits of the error, and the value as far as those go.

    Example:
        >>> measured(0.36312, 0.02149), measured(1254670.0, 2310.0), measured(0.5, None), measured(0.5, 0.0)
        ('0.363 ± 0.021', '1,254,700 ± 2,300', '0.5', '0.5')
    """
    if not error or not math.isfinite(error) or not math.isfinite(value):
        return number(value)
    return f"{_as_exact_as(error, value)} ± {_as_exact_as(error, error)}"


def _as_exact_as(error: float | None, value: float) -> str:
    """A value, as far as two digits of an error go."""
    if not error or not math.isfinite(error) or not math.isfinite(value):
        return number(value)
    n_decimals = 1 - math.floor(math.log10(float(f"{error:.1e}")))
    return number(value) if n_decimals > 8 or abs(value) >= 1e15 else _decimals(value, n_decimals)


def _decimals(value: float, n_decimals: int, *, is_trimmed: bool = False) -> str:
    """So many decimals, below 0 as in `round`, with commas between thousands."""
    written = f"{round(value, n_decimals):,.{max(n_decimals, 0)}f}"
    return written.rstrip("0").rstrip(".") if is_trimmed and "." in written else written


def expected(value: float, error: float | None, *, is_confirmed: bool = False) -> str:
    """What to expect of settings; the arguments are fields of `auger.best.Best`.

    Example:
        >>> expected(0.36312, 0.02149, is_confirmed=True), expected(0.52, 0.03), expected(0.5, None)
        ('0.363 ± 0.021', '0.520 ± 0.030 expected', '0.5')
    """
    # without a confirmation it is a model's estimate, from all trials: not the mean of these runs
    return measured(value, error) + ("" if error is None or is_confirmed else " expected")


def run_range(n_runs: int, low: float | None, high: float | None, error: float | None) -> str:
    """How often settings were run, and their values; nothing for a single run without noise.

    Example:
        >>> run_range(5, 0.296, 0.437, 0.02149), run_range(1, 0.4, 0.4, 0.03)
        ('5 runs, 0.296 to 0.437', '1 run, 0.400')
        >>> run_range(3, 0.5, 0.5, None), run_range(1, 0.5, 0.5, None)
        ('3 runs, all the same', '')
    """
    if low is None or high is None or (n_runs < 2 and error is None):
        return ""
    values = _as_exact_as(error, low) if low == high else f"{_as_exact_as(error, low)} to {_as_exact_as(error, high)}"
    if n_runs > 1 and low == high and error is None:
        values = "all the same"
    return f"{count(n_runs, 'run')}, {values}"


def duration(seconds: float) -> str:
    """Two units.

    Example:
        >>> duration(0.25), duration(75), duration(7300), duration(200_000)
        ('250 ms', '1 min 15 s', '2 h 01 min', '2 d 07 h')
    """
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600:02} h"


def size(n: int) -> str:
    """A number of bytes.

    Example:
        >>> size(1), size(999), size(20_480), size(3_200_000_000)
        ('1 byte', '999 bytes', '20.5 KB', '3.2 GB')
    """
    if n < 1000:
        return count(n, "byte")
    power = min(int(math.log10(n)) // 3, 4)
    return f"{n / 1000**power:.3g} {'_KMGT'[power]}B"


def count(n: int, what: str) -> str:
    """How many of something.

    Example:
        >>> count(1, "running trial"), count(2, "running trial")
        ('1 running trial', '2 running trials')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def percent(p: float) -> str:
    """A probability or a share.

    Example:
        >>> percent(0.256), percent(0.001), percent(0.9999)
        ('26 %', 'under 1 %', 'over 99 %')
    """
    if 0 < p < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < p < 1 else f"{100 * p:.0f} %"


def worker(process: int, host: str) -> str:
    """Who runs a trial."""
    return f"process {process} on {shown(host)}"


def settings(config: Config) -> str:
    """A configuration in one line, in short numbers.

    Example:
        >>> settings({"C": 0.123456789, "kernel": "rbf", "shrinking": True})
        'C=0.123457 kernel=rbf shrinking=true'
    """
    return " ".join(f"{shown(name)}={setting(value)}" for name, value in config.items())


def setting(value: Any) -> str:
    """The value of a parameter, in short: quoted where it holds a space, or something that cannot be seen."""
    if isinstance(value, float):
        return number(value).replace(",", "")  # settings are copied
    text = written(value)
    return text if is_shown(text) and text and " " not in text else _toml_text(text)


def command(words: Iterable[str]) -> str:
    """A command line as a POSIX shell reads it; for a word that holds what cannot be seen, as bash and zsh do.

    Example:
        >>> print(command(["python", "-c", "print(1)"]), command(["echo", "it's \\x1b[1m"]))
        python -c 'print(1)' echo $'it\\'s \\x1b[1m'
    """
    return " ".join(_word(word) for word in words)


def _word(word: str) -> str:
    if shown_lines(word) == word:
        return shlex.quote(word)
    escaped = replaced(word.replace("\\", "\\\\").replace("'", "\\'"), _shell_escape)
    return f"$'{escaped}'"


def _shell_escape(character: str) -> str:
    """Its bytes: a shell knows no other name of a character in every locale."""
    return "".join(f"\\x{byte:02x}" for byte in character.encode(errors="surrogatepass"))


def system_error(error: OSError) -> str:
    """An error of the operating system, without its number.

    Example:
        >>> system_error(FileNotFoundError(2, "No such file or directory", "a.csv"))
        'a.csv: no such file or directory'
    """
    if error.strerror is None:
        return str(error)
    reason = f"{error.strerror[:1].lower()}{error.strerror[1:]}"
    return reason if error.filename is None else f"{error.filename}: {reason}"


def near(path: Path) -> str:
    """A path as it can be written from here."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def quoted(value: Any, limit: int = 100) -> str:
    """What a program printed, as JSON writes it, cut to ``limit`` characters and fit to be shown.

    Example:
        >>> quoted("loss 1,5"), quoted(True), quoted("x" * 200, 12)
        ("'loss 1,5'", 'true', "'xxxxxxxx...'")
    """
    text = clean(written(value))
    text = text if len(text) <= limit else f"{text[: limit - 4]}..."
    return f"'{text}'" if isinstance(value, str) else text


def written(value: Any) -> str:
    """A value as a program gets it: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def percent_gained(gain: float | None) -> str | None:
    """A gain as a share of the baseline, in percent; None where a share means nothing.

    Example:
        >>> percent_gained(0.23561), percent_gained(12.0), percent_gained(None)
        ('23.56 %', '1200 %', None)
    """
    if gain is None or not math.isfinite(gain):
        return None
    return f"{100 * gain:{'.4g' if gain < 100 else '.0f'}} %"


def better_than(gain: float | None, name: str, value: float, number_of_trial: int) -> str:
    """How much better something is than a baseline.

    Example:
        >>> better_than(0.25, "the defaults", 2.0, 0)
        '25 % better than the defaults (2, trial 0)'
        >>> better_than(-0.25, "the defaults", 2.0, 0)
        'no better than the defaults (2, trial 0)'
    """
    if gain is not None and gain <= 0:
        return f"no better than {name} ({number(value)}, trial {number_of_trial})"
    percent = percent_gained(gain)
    lead = "better than" if percent is None else f"{percent} better than"
    return f"{lead} {name} ({number(value)}, trial {number_of_trial})"


def toml(config: Config) -> str:
    """A configuration as TOML, a line a setting; what TOML cannot say as a comment. What cannot be seen is escaped.

    Example:
        >>> print(toml({"C": 1e-05, "kernel": "rbf", "my key": [1, 2], "seed": None}))
        C = 1e-05
        kernel = "rbf"
        "my key" = [1, 2]
        # seed = null
    """
    return "\n".join(_toml_line(name, value) for name, value in config.items())


def toml_value(value: Any) -> str:
    """A value as TOML writes it, for messages about a study file; what TOML does not have as JSON.

    Example:
        >>> toml_value(True), toml_value({"a": [1, "b"]}), toml_value(None), toml_value(float("nan"))
        ('true', '{ a = [1, "b"] }', 'nothing', 'nan')
    """
    if value is None:
        return "nothing"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        listed = ", ".join(f"{toml_key(str(key))} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {listed} }}" if listed else "{}"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return _toml_text(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def _toml_line(name: str, value: Any) -> str:
    key = toml_key(name)
    if _is_beyond_toml(value) or _is_beyond_toml(name):
        return f"# {key} = {json.dumps(value, default=repr)}"
    return f"{key} = {toml_value(value)}"


def toml_key(name: str) -> str:
    """A name as a key of TOML, in quotes where it needs them."""
    return name if _BARE_KEY.fullmatch(name) else _toml_text(name)


def _is_beyond_toml(value: Any) -> bool:
    """Whether it is or holds nothing, or half of a character."""
    if isinstance(value, str):
        return _SURROGATE.search(value) is not None
    return value is None or (isinstance(value, (list, tuple)) and any(map(_is_beyond_toml, value)))


def _toml_text(text: str) -> str:
    return replaced(json.dumps(text, ensure_ascii=False), _toml_escape)


def _toml_escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"

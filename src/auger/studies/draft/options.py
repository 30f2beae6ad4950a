"""The options of a program, read from its help: as argparse, click and typer print it, and most other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from auger.checks import is_number

_BOX = re.compile(r"^[│┃|]\s?|\s*[│┃|]\s*$")
_OPTION = re.compile(r"^ {0,12}(?:\* +)?(-{1,2}[A-Za-z0-9].*)$")
_FLAG = re.compile(r"(--?[A-Za-z0-9][\w.-]*)(?:[ =]\s*(.*))?$")
# NAME, <name>, INTEGER RANGE or <int range> with its limits, and choices
_METAVAR = re.compile(
    r"(?:[A-Z][A-Z0-9_]*(?: RANGE)?|<\w+(?: range)?>)(?: \[[^\]]*x[^\]]*\])?|[\[<{][^\]>}]*[|,][^\]>}]*[\]>}]"
)
_DEFAULTS = (
    re.compile(r"[(\[]default(?::|=| is)? *([^()\[\];]+?)[)\];]", re.IGNORECASE),
    re.compile(r"\bdefaults?(?: value)?(?::|=| is| to|s to) *['\"`]?([^\s'\"`,;)\]]+)", re.IGNORECASE),
)
_LIMITS = re.compile(r"(-?[0-9.]+(?:e-?[0-9]+)?) *<=? *x *<=? *(-?[0-9.]+(?:e-?[0-9]+)?)")
_LEVELS = re.compile(r"-(\d) *\.\.\.? *-(\d)\b(.*)")
_NOTHING = {"", "none", "null", "not set", "false", "true", "sys.stdin", "sys.stdout", "-"}


@dataclass(frozen=True)
class HelpOption:
    """One option.

    Attributes:
        flags: all its names, such as ``("-l", "--rate")``.
        metavar: what stands for its value; empty for a switch.
        choices: the values that the help lists; none where it lists none.
        default: the default, as a number where it is one; None where the help tells none.
        limits: the lowest and the highest value; None where the help tells none.
        explanation: the words behind it.
    """

    flags: tuple[str, ...]
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: str | int | float | None = None
    limits: tuple[Any, Any] | None = None
    explanation: str = ""

    @property
    def flag(self) -> str:
        """The first of the long names, or else the first name."""
        return next((flag for flag in self.flags if flag.startswith("--")), self.flags[0])

    @property
    def name(self) -> str:
        """The name of its parameter.

        Example:
            >>> HelpOption(("-b", "--batch-size")).name
            'batch_size'
        """
        return "level" if self.is_level else self.flag.lstrip("-").replace("-", "_")

    @property
    def is_level(self) -> bool:
        """Whether its names are the levels of a compressor: -0, -1, ... -9."""
        return len(self.flags) > 2 and all(re.fullmatch(r"-\d", flag) for flag in self.flags)

    @property
    def is_number(self) -> bool:
        """Whether the default is a number."""
        return is_number(self.default)


def read_options(help_text: str) -> list[HelpOption]:
    """The options that a help describes, without those for help and version, none twice.

    Example:
        >>> option, = read_options("options:\\n  -l, --rate RATE  step size (default: 0.1)\\n  --help  show this")
        >>> option.flags, option.metavar, option.default
        (('-l', '--rate'), 'RATE', 0.1)
    """
    options: dict[str, HelpOption] = {}
    for head, explanation in _entries(help_text):
        option = _option(head, explanation)
        if option is not None and option.name not in ("help", "h", "version", "V"):
            options.setdefault(option.name, option)
    return list(options.values())


def _entries(help_text: str) -> Iterator[tuple[str, str]]:
    """Each line that begins with a flag, and the lines that continue it."""
    head, indent = "", 0
    rest: list[str] = []
    for raw_line in [*help_text.expandtabs().splitlines(), ""]:
        line = _BOX.sub("", raw_line)
        match = _OPTION.match(line)
        is_continued = bool(head and line.strip() and len(line) - len(line.lstrip()) > indent)
        if match is not None and not (is_continued and len(line) - len(line.lstrip()) > indent + 8):
            if head:
                yield head, " ".join(rest)
            head, rest, indent = match[1], [], match.start(1)
        elif is_continued:
            rest.append(line.strip())
        elif head:
            yield head, " ".join(rest)
            head = ""


def _option(head: str, continued: str) -> HelpOption | None:
    if levels := _LEVELS.match(head):
        names = tuple(f"-{level}" for level in range(int(levels[1]), int(levels[2]) + 1))
        explanation = " ".join(f"{levels[3]} {continued}".split())
        return HelpOption(names, default=_default(explanation), explanation=explanation)
    cells = [cell for cell in re.split(r"\s{2,}", head.strip()) if cell]
    flags: list[str] = []
    metavar = ""
    while cells and cells[0].startswith("-"):
        for part in re.split(r",\s+(?=-)|\s+/\s+|,(?=-)", cells.pop(0)):
            match = _FLAG.match(part.strip())
            if match is None:
                return None
            flags.append(match[1])
            metavar = match[2] or metavar
    if cells and not metavar and _METAVAR.fullmatch(cells[0]):  # a column of its own
        metavar = cells.pop(0).replace("<bool>", "")
    explanation = " ".join([*cells, continued]).strip()
    if not flags:
        return None
    about = f"{metavar} {explanation}"
    return HelpOption(
        tuple(flags), metavar, _choices(metavar), _default(about), _limits(about), " ".join(explanation.split())
    )


def _choices(metavar: str) -> tuple[str, ...]:
    """The values in ``{a,b}``, ``[a|b]`` or ``<a|b>``."""
    match = re.match(r"[{\[<]([^\]}>]+)[\]}>]$", metavar)
    parts = re.split(r"[,|]", match[1]) if match else []
    return tuple(part.strip() for part in parts) if len(parts) > 1 and all(part.strip() for part in parts) else ()


def _default(about: str) -> str | int | float | None:
    for pattern in _DEFAULTS:
        match = pattern.search(about)
        if match is None:
            continue
        text = match[1].strip().strip("'\"`")
        text = text if _number(text) is not None else text.rstrip(".,")
        if text.lower() in _NOTHING:
            return None
        number = _number(text)
        return text if number is None else number
    return None


def _limits(about: str) -> tuple[Any, Any] | None:
    match = _LIMITS.search(about)
    return None if match is None else (_number(match[1]), _number(match[2]))


def _number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            number = read(text.strip())
        except ValueError:
            continue
        return number if abs(number) < 1e300 else None
    return None

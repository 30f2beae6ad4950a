"""A run's file: a line of JSON for the head, one for each evaluation, one for a crash. Lines are only ever appended.

So a process killed at any moment leaves every finished evaluation behind, and at most one torn last line, which the
next reader drops and the next writer cuts off.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from io import BufferedRandom
from pathlib import Path
from typing import Any

import auger
from auger.errors import AugerError, FileFormatError
from auger.types import Config

FORMAT = "auger-bench"
VERSION = 1

# may be NaN or infinity, which JSON does not have: they travel as text
_NUMBERS = ("observed", "value", "incumbent", "regret")


class ResultsError(AugerError, ValueError):
    """A results folder that cannot be used: not writable, damaged, or made by other versions or settings."""


@dataclass(frozen=True)
class Head:
    """What a run is, and what it was made with."""

    problem: str
    method: str
    seed: int
    n_evals: int
    versions: dict[str, str]
    machine: dict[str, str]


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of a run.

    Attributes:
        number: 0 for the first.
        config: what was tried.
        observed: what the method was told; NaN when the evaluation failed.
        value: the noise-free value of the config; NaN when the evaluation failed.
        incumbent: the noise-free value of the config whose observed value is the lowest so far; NaN while none is.
        regret: distance of the incumbent from the optimum; None where the optimum is unknown.
        ask_cpu, ask_wall, tell_cpu, tell_wall: seconds the method took to propose and to learn.
        error: why the evaluation failed; empty if it did not.
    """

    number: int
    config: Config
    observed: float
    value: float
    incumbent: float
    regret: float | None
    ask_cpu: float
    ask_wall: float
    tell_cpu: float
    tell_wall: float
    error: str = ""


@dataclass(frozen=True)
class Run:
    """What a run's file holds.

    Attributes:
        head: what it is.
        evaluations: as far as it came.
        crash: why it stopped early; empty while it has not, and again once it has gone on since.
    """

    head: Head
    evaluations: list[Evaluation] = field(default_factory=list)
    crash: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether every evaluation is there."""
        return len(self.evaluations) == self.head.n_evals

    def first(self, n: int) -> Run:
        """The run as it stood after its first n evaluations; one of fewer stays as it is."""
        if n >= self.head.n_evals:
            return self
        crash = self.crash if len(self.evaluations) < n else ""  # it came later
        return Run(replace(self.head, n_evals=n), self.evaluations[:n], crash)


def file_of(folder: Path, problem: str, method: str, seed: int) -> Path:
    """Where a run is kept. A method may be a recipe with options, which has spaces."""
    return folder / problem / method.replace(" ", "+") / f"{seed}.jsonl"


def load(folder: str | Path) -> list[Run]:
    """Every run in a results folder, by problem, method and seed.

    Raises:
        ResultsError: the folder does not exist or holds no run.
        FileFormatError: a file in it is damaged, or of another format.
    """
    paths = sorted(Path(folder).glob("*/*/*.jsonl"))
    if not paths:
        raise ResultsError(f"{folder} must be a folder written by `auger bench run`. There are no runs in it.")
    runs = [run for run in map(read, paths) if run is not None]
    return sorted(runs, key=lambda run: (run.head.problem, run.head.method, run.head.seed))


def read(path: Path) -> Run | None:
    """What a run's file holds; None if there is no file, or a kill left it without a whole first line."""
    try:
        return _parse(path.read_bytes(), path)
    except FileNotFoundError:
        return None


def _parse(content: bytes, path: Path) -> Run | None:
    lines = content.split(b"\n")[:-1]  # what follows the last newline is nothing, or torn
    if not lines:
        begun = json.dumps({"format": FORMAT}).encode()[:-1]
        if not begun.startswith(content[: len(begun)]):
            raise FileFormatError(f"{path} was not written by `auger bench run`: move it, or use another --out.")
        return None
    try:
        first, *rest = [json.loads(line) for line in lines]
        kind, version = first.pop("format"), first.pop("version")
        if (kind, version) != (FORMAT, VERSION):
            raise FileFormatError(f"{path} must be of format {FORMAT} {VERSION}. It is of {kind!r} {version!r}.")
        evaluations = [_evaluation(item) for item in rest if "crash" not in item]
        crash = rest[-1].get("crash", "") if rest else ""
        run = Run(Head(**first), evaluations, crash)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            f"{path} is damaged: {type(error).__name__}: {error}. Remove it to repeat the run."
        ) from error
    if [evaluation.number for evaluation in evaluations] != list(range(len(evaluations))):
        raise FileFormatError(f"{path} is damaged: its evaluations are not in order. Remove it to repeat the run.")
    return run


def _evaluation(item: dict[str, Any]) -> Evaluation:
    for name in _NUMBERS:
        if item[name] is not None:
            item[name] = float(item[name])
    return Evaluation(**item)


class RunFile:
    """A run's file, open for appending and held against other processes.

    Args:
        path: the file; its folders are made.
        head: written first if the file is new; else it must agree with what is there.

    Raises:
        ResultsError: the file belongs to other settings or versions.
    """

    def __init__(self, path: Path, head: Head) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BufferedRandom = path.open("a+b")
        try:
            _hold(self._file)
            self._file.seek(0)
            content = self._file.read()
            found = _parse(content, path)
            if found is not None:
                check_agrees(found.head, head, path)
            self._file.truncate(content.rfind(b"\n") + 1)  # only now: a file that is refused stays as it is
            if found is None:
                self._append({"format": FORMAT, "version": VERSION, **asdict(head)})
            self.run = found or Run(head)
        except BaseException:
            self._file.close()
            raise

    def append(self, evaluation: Evaluation) -> None:
        """Add one evaluation."""
        item = asdict(evaluation)
        for name in _NUMBERS:
            if item[name] is not None and not math.isfinite(item[name]):
                item[name] = str(item[name])
        if not item["error"]:
            del item["error"]
        self._append(item)

    def crash(self, reason: str) -> None:
        """Add that the run stopped early."""
        self._append({"crash": reason})

    def _append(self, item: dict[str, Any]) -> None:
        self._file.write(json.dumps(item, allow_nan=False).encode() + b"\n")
        # to the operating system, so a kill of this process loses nothing; not to the disk, which would cost more
        # than most evaluations here
        self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def check_version(folder: Path) -> None:
    """Refuse a folder with runs of another version of auger: they would be compared as if they were ours."""
    for path in sorted(folder.glob("*/*/*.jsonl")):
        with path.open("rb") as file:
            found = _parse(file.readline(), path)
        made_with = found.head.versions.get("auger") if found else auger.__version__
        if made_with != auger.__version__:
            raise ResultsError(
                f"{path} was made with auger {made_with}, and here is {auger.__version__}. Results of two versions do "
                "not mix: use another --out."
            )


def check_agrees(found: Head, wanted: Head, path: Path) -> None:
    """Refuse to go on with a run of other settings or versions: its second half would not fit its first."""
    if found.n_evals != wanted.n_evals:
        raise ResultsError(
            f"{path} holds a run of {found.n_evals} evaluations, and {wanted.n_evals} are asked for. "
            "Use another --out, or the same --evals."
        )
    if (found.problem, found.method, found.seed) != (wanted.problem, wanted.method, wanted.seed):
        raise ResultsError(f"{path} holds another run: {found.problem}, {found.method}, seed {found.seed}.")
    for name in sorted({*found.versions, *wanted.versions}):
        old, new = found.versions.get(name), wanted.versions.get(name)
        if old != new:
            raise ResultsError(
                f"{path} was made with {name} {old or '(none)'}, and here is {new or '(none)'}. Results of two "
                "versions do not mix: use another --out, or the environment they were made in."
            )


def _hold(file: BufferedRandom) -> None:
    """Wait until no other process writes to the file, such as one whose parent was killed a moment ago."""
    try:
        import fcntl  # POSIX only; elsewhere the file is not held
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)

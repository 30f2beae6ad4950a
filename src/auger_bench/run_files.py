"""A run and its file: a line of JSON for the head, one for each evaluation, one for a crash.

A run that ended early, at the optimum, closes with a line that says so.

Lines are only appended. A process killed at any moment so leaves every finished evaluation behind, and at most one
incomplete last line, which the next reader ignores and the next writer cuts off.
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
from auger_bench.outcome import Outcome

FORMAT = "auger-bench"
VERSION = 1

# these may be NaN or infinity, which JSON does not have; the file holds them as text
_NUMBERS = ("observed", "value", "incumbent", "regret")
# and these hold several such numbers; a line without them has none
_LISTS = ("values", "constraints")


class ResultsError(AugerError, ValueError):
    """A results folder that cannot be used: not writable, damaged, or with runs of other versions or settings."""


@dataclass(frozen=True)
class Head:
    """What a run is, and with which libraries on which machine it was made."""

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
        config: the config that was tried.
        observed: the value that the method was told; NaN if the evaluation failed, or if there are several objectives.
        value: the noise-free value of the config; NaN where `observed` is.
        incumbent: the noise-free value of the config with the lowest observed value so far; NaN before there is one.
            With several objectives or constraints, the value of all points so far: see `auger_bench.problems.Problem`.
        regret: distance of the incumbent from the optimum; None where the optimum is unknown.
        ask_cpu, ask_wall, tell_cpu, tell_wall: seconds that the method took to suggest and to learn.
        error: why the evaluation failed; empty if it did not.
        values: all values, where there are several objectives; else empty.
        constraints: the values of the outcome constraints, satisfied if at most 0; empty if there are none, or if the
            evaluation failed.
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
    values: tuple[float, ...] = ()
    constraints: tuple[float, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """What the method was told."""
        return Outcome(self.values or (self.observed,), self.constraints)


@dataclass(frozen=True)
class Run:
    """What a run's file holds.

    Attributes:
        head: what the run is.
        evaluations: those that are finished, in order.
        crash: why the run stopped early; empty if it did not, or if it was continued since.
        is_solved: whether the run ended at the optimum, where nothing that follows would change its incumbent.
    """

    head: Head
    evaluations: list[Evaluation] = field(default_factory=list)
    crash: str = ""
    is_solved: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether all evaluations of the run are finished, or it ended at the optimum."""
        return self.is_solved or len(self.evaluations) == self.head.n_evals

    def first(self, n: int) -> Run:
        """The run as it stood after its first n evaluations; a run of n or fewer is returned as it is."""
        if n >= self.head.n_evals:
            return self
        crash = self.crash if len(self.evaluations) < n else ""  # a later crash is none of the first n
        is_solved = self.is_solved and len(self.evaluations) < n
        return Run(replace(self.head, n_evals=n), self.evaluations[:n], crash, is_solved)


def file_of(folder: Path, problem: str, method: str, seed: int) -> Path:
    """The file of a run. The name of a method may be a recipe with options, and so have spaces."""
    return folder / problem / method.replace(" ", "+") / f"{seed}.jsonl"


def load(folder: str | Path) -> list[Run]:
    """Every run in a results folder, sorted by problem, method and seed.

    Raises:
        ResultsError: the folder does not exist or holds no run.
        FileFormatError: a file in it is damaged, or of another format.
    """
    paths = _paths(Path(folder))
    if not paths:
        raise ResultsError(f"{folder} must be a folder written by `auger bench run`. There are no runs in it.")
    runs = [run for run in map(read, paths) if run is not None]
    return sorted(runs, key=lambda run: (run.head.problem, run.head.method, run.head.seed))


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*/*.jsonl"))


def read(path: Path) -> Run | None:
    """The run in a file; None if there is no file, or its process was killed before the first line was complete."""
    try:
        return _parse(path.read_bytes(), path)
    except FileNotFoundError:
        return None


def _parse(content: bytes, path: Path) -> Run | None:
    lines = content.split(b"\n")[:-1]  # after the last newline there is nothing, or an incomplete line
    if not lines:
        start = json.dumps({"format": FORMAT}).encode()[:-1]
        if not start.startswith(content[: len(start)]):
            raise FileFormatError(f"{path} was not written by `auger bench run`: move it, or use another --out.")
        return None
    try:
        first, *rest = [json.loads(line) for line in lines]
        file_format = first.pop("format"), first.pop("version")
        if file_format != (FORMAT, VERSION):
            raise FileFormatError(f"{path} must be of format {(FORMAT, VERSION)}. Got {file_format}.")
        evaluations = [_evaluation(item) for item in rest if "number" in item]
        last = rest[-1] if rest else {}
        run = Run(Head(**first), evaluations, last.get("crash", ""), last.get("solved", False))
    except FileFormatError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
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
    for name in _LISTS:
        item[name] = tuple(map(float, item.get(name, ())))
    return Evaluation(**item)


def _as_json(number: float | None) -> float | str | None:
    return number if number is None or math.isfinite(number) else str(number)


class RunFile:
    """A run's file, open for appending and locked against other processes.

    Args:
        path: the file; its folders are created.
        head: written first if the file is new; otherwise it must agree with the head in the file.

    Raises:
        ResultsError: the file belongs to other settings or versions.
    """

    def __init__(self, path: Path, head: Head) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BufferedRandom = path.open("a+b")
        try:
            _lock(self._file)
            self._file.seek(0)
            content = self._file.read()
            run = _parse(content, path)
            if run is not None:
                check_agrees(run.head, head, path)
            self._file.truncate(content.rfind(b"\n") + 1)  # only now: a file that is refused stays as it is
            if run is None:
                self._append({"format": FORMAT, "version": VERSION, **asdict(head)})
            self.run = run or Run(head)
        except BaseException:
            self._file.close()
            raise

    def append(self, evaluation: Evaluation) -> None:
        """Add one evaluation."""
        item = asdict(evaluation)
        for name in _NUMBERS:
            item[name] = _as_json(item[name])
        for name in _LISTS:
            item[name] = [_as_json(number) for number in item[name]]
        for name in ("error", *_LISTS):
            if not item[name]:
                del item[name]
        self._append(item)

    def crash(self, reason: str) -> None:
        """Record that the run stopped early, and why."""
        self._append({"crash": reason})

    def solve(self) -> None:
        """Record that the run ended at the optimum."""
        self._append({"solved": True})

    def _append(self, item: dict[str, Any]) -> None:
        self._file.write(json.dumps(item, allow_nan=False).encode() + b"\n")
        # to the operating system, so a kill of this process loses nothing; not to the disk, which would take longer
        # than most evaluations here
        self._file.flush()

    def close(self) -> None:
        """Close the file and release its lock."""
        self._file.close()


def check_version(folder: Path) -> None:
    """Refuse a folder with runs of another version of auger: they would be compared with those of this version."""
    for path in _paths(folder):
        with path.open("rb") as file:
            run = _parse(file.readline(), path)
        version = run.head.versions.get("auger") if run else auger.__version__
        if version != auger.__version__:
            raise ResultsError(
                f"{path} was made with auger {version}; installed is {auger.__version__}. Results of two versions must "
                "not be mixed: use another --out."
            )


def check_agrees(head: Head, wanted: Head, path: Path) -> None:
    """Refuse to continue a run of other settings or versions: its second half would not fit its first."""
    if head.n_evals != wanted.n_evals:
        raise ResultsError(
            f"{path} holds a run of {head.n_evals} evaluations, and {wanted.n_evals} are asked for. "
            "Use another --out, or the same --evals."
        )
    if (head.problem, head.method, head.seed) != (wanted.problem, wanted.method, wanted.seed):
        raise ResultsError(f"{path} holds another run: {head.problem}, {head.method}, seed {head.seed}.")
    for name in sorted({*head.versions, *wanted.versions}):
        old, new = head.versions.get(name, "(none)"), wanted.versions.get(name, "(none)")
        if old != new:
            raise ResultsError(
                f"{path} was made with {name} {old}; installed is {new}. Results of two versions must not be mixed: "
                "use another --out, or the environment they were made in."
            )


def _lock(file: BufferedRandom) -> None:
    """Wait until no other process writes to the file, such as a worker whose parent was killed a moment ago."""
    try:
        import fcntl  # POSIX only; elsewhere the file is not locked
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)

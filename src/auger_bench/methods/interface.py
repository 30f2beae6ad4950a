"""The interface of an optimizer in the benchmark: it suggests one config at a time and is told its outcome."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util
from typing import Any, TypeGuard

from auger.errors import AugerError, SpaceError
from auger.space import Float, Int, Parameter, Space
from auger.text.format import count
from auger.types import Config
from auger_bench.outcome import Outcome
from auger_bench.problems.interface import Problem


class MissingLibraryError(AugerError, ImportError):
    """A library that a method or a figure needs is not installed; the message names the command that installs it."""


# Other names of the same library: on macOS, from conda, or installed before.
_OTHER_NAMES = {"xgboost-cpu": "xgboost", "box2d": "box2d-py"}


@cache
def version(distribution: str) -> str:
    """The installed version of a distribution of this name; "unknown" if it was not installed as a distribution."""
    for name in (distribution, _OTHER_NAMES.get(distribution, distribution)):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return "unknown"


class Method(ABC):
    """One optimizer on one space. Values are minimized; one trial is under way at a time.

    Attributes:
        is_stopping: whether it stops trials early. If so, on a problem with fidelities, `prepare` is called before the
            first `ask`. Between an `ask` and its `tell` there is a `report` for each fidelity and for the full budget,
            and a call of `stops` after each report but the last. If `stops` returns True, there is no `tell`.
    """

    is_stopping: bool = False

    @abstractmethod
    def ask(self) -> Config:
        """The next config to try, a member of the space."""

    @abstractmethod
    def tell(self, config: Config, value: float) -> None:
        """Learn the value of the last config that was asked for; NaN if its evaluation failed."""

    def tell_outcome(self, config: Config, outcome: Outcome) -> None:
        """Learn all values and constraints of the last config. A method for one objective learns its value."""
        self.tell(config, outcome.value)

    def prepare(self, steps: tuple[int, ...]) -> None:  # noqa: B027  (most methods need no preparation)
        """Learn at which steps intermediate values will be reported; the last step is the full budget."""

    def report(self, config: Config, step: int, value: float) -> None:  # noqa: B027  (most learn final values only)
        """Learn the intermediate value of the last config at a step."""

    def stops(self, config: Config) -> bool:
        """Whether to stop the trial of the last config, at the step that was reported last."""
        return False


@dataclass(frozen=True)
class Entry:
    """A method as the benchmark lists it.

    Attributes:
        name: its name on the command line.
        summary: one line for listings.
        make: space, seed, number of evaluations -> the method. Libraries are imported here, not before.
        modules: import names of the libraries that it needs, imported before time is measured.
        distributions: their names for `pip`; their versions are written into every run.
        install: the command that installs them.
        make_several: the same as `make` for several objectives or outcome constraints, whose numbers are the fourth
            and the fifth argument. None for a method that has one objective and no constraints.
    """

    name: str
    summary: str
    make: Callable[[Space, int, int], Method]
    modules: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    install: str = 'pip install "auger[bench]"'
    make_several: Callable[[Space, int, int, int, int], Method] | None = None

    def start(self, problem: Problem, seed: int, n_evals: int) -> Method:
        """The method on a problem, from a seed, for so many evaluations; refuses what `check_suits` refuses."""
        self.check_suits(problem)
        if problem.is_plain:
            return self.make(problem.space, seed, n_evals)
        assert self.make_several is not None
        return self.make_several(problem.space, seed, n_evals, len(problem.objectives), len(problem.constraints))

    def check_suits(self, problem: Problem) -> None:
        """Raise an AugerError if the problem has more than the method can optimize."""
        if self.make_several is None and not problem.is_plain:
            has = count(len(problem.objectives), "objective")
            if problem.constraints:
                has += f" and {count(len(problem.constraints), 'outcome constraint')}"
            raise AugerError(
                f"The problem of method {self.name!r} must have one objective and no outcome constraints. Got "
                f"{problem.name!r}, which has {has}. Others can: `auger bench methods` marks them."
            )

    @property
    def is_installed(self) -> bool:
        """Whether its libraries are installed."""
        return all(util.find_spec(module.partition(".")[0]) for module in self.modules)

    def check(self) -> None:
        """Raise a MissingLibraryError unless its libraries are installed."""
        if not self.is_installed:
            names = ", ".join(map(repr, self.distributions))
            raise MissingLibraryError(
                f"Method {self.name!r} needs {names}, which cannot be imported. Install with: {self.install}"
            )

    def versions(self) -> dict[str, str]:
        """The versions of its libraries."""
        return {name: version(name) for name in self.distributions}


def member(space: Space, values: Config) -> Config:
    """The member of the space for a library's values: without inactive parameters, numbers rounded to the space."""
    return space.decode(space.encode([space.walk(lambda name, _: values[name])]))[0]


def of_code(parameter: Parameter, code: int) -> Any:
    """The value number ``code`` of a parameter with finitely many."""
    return parameter.decode(parameter.levels()[code : code + 1])[0]


def constants(space: Space) -> Config:
    """The parameters with a single value, and that value: some libraries have no such parameter."""
    return {name: of_code(parameter, 0) for name, parameter in space.parameters.items() if parameter.n_values == 1}


def is_plain_number(parameter: Parameter) -> TypeGuard[Float | Int]:
    """Whether every library has such a number: any real one of a range, or any whole one."""
    return (isinstance(parameter, Float) and parameter.step is None) or (
        isinstance(parameter, Int) and parameter.step == 1
    )


def refuse_constraints(space: Space, name: str) -> None:
    """Raise a SpaceError for a space with constraints; `name` is a method that does not support them."""
    if space.constraints:
        raise SpaceError(f"The space of method {name!r} must have no constraints. Got {len(space.constraints)}.")

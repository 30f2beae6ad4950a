"""What the benchmark asks of an optimizer: to propose one config at a time and to hear its value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util

from auger.errors import AugerError
from auger.space import Space
from auger.types import Config


class MissingLibraryError(AugerError, ImportError):
    """A method's library is not installed; the message says what installs it."""


# The same library under another name: on macOS, by conda, or because it was there already.
_ALSO = {"xgboost-cpu": "xgboost", "box2d": "box2d-py"}


@cache
def version(distribution: str) -> str:
    """The version installed of what `pip` calls by this name; "unknown" of what came by another way than `pip`."""
    for name in (distribution, _ALSO.get(distribution, distribution)):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return "unknown"


class Method(ABC):
    """One optimizer at work on one space. Values are minimized; one trial is under way at a time.

    Attributes:
        is_stopping: whether it stops trials early. On a problem with fidelities, `prepare` is then called before the
            first `ask`; and between an `ask` and its `tell` there is a `report` for each fidelity, and the full budget,
            each but the last followed by `stops`. If that is True there is no `tell`.
    """

    is_stopping: bool = False

    @abstractmethod
    def ask(self) -> Config:
        """The next config to try, a member of the space."""

    @abstractmethod
    def tell(self, config: Config, value: float) -> None:
        """What the last config asked for was worth; NaN if its evaluation failed."""

    def prepare(self, steps: tuple[int, ...]) -> None:  # noqa: B027  (nothing to prepare for most)
        """Know at which steps values will be reported; the last is the full budget."""

    def report(self, config: Config, step: int, value: float) -> None:  # noqa: B027  (most are told the end only)
        """Hear what the last config asked for is worth after so many steps."""

    def stops(self, config: Config) -> bool:
        """Whether to give the last config up, at the step that was reported last."""
        return False


@dataclass(frozen=True)
class Entry:
    """A method as the benchmark lists it.

    Attributes:
        name: what command lines call it.
        summary: one line for people.
        make: space, seed, number of evaluations to come -> the method. Libraries are imported here, not before.
        modules: import names of the libraries it stands on, imported before the clock starts.
        distributions: what `pip` calls them; their versions are written into every run.
        install: the command that provides them.
    """

    name: str
    summary: str
    make: Callable[[Space, int, int], Method]
    modules: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    install: str = 'pip install "auger[bench]"'

    @property
    def is_installed(self) -> bool:
        """Whether its libraries can be imported here."""
        return all(util.find_spec(module.partition(".")[0]) for module in self.modules)

    def check(self) -> None:
        """Raise a MissingLibraryError unless its libraries are here."""
        if not self.is_installed:
            names = ", ".join(map(repr, self.distributions))
            raise MissingLibraryError(f"Method {self.name!r} needs {names}, which cannot be imported. {self.install}")

    def versions(self) -> dict[str, str]:
        """The versions of its libraries."""
        return {name: version(name) for name in self.distributions}

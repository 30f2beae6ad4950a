"""Study files written, and storages looked at with plain Optuna: what `auger` says of itself is not asked."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import optuna
from faults.postgres import with_password
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

optuna.logging.set_verbosity(optuna.logging.WARNING)
X = {"x": {"type": "int", "low": 0, "high": 99}}


def toml(value):
    """A value as TOML, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def section(title, table):
    lines = [f"{toml(key)} = {toml(value)}" for key, value in table.items() if value is not None]
    return [f"[{title}]", *lines, ""]


@dataclass(frozen=True)
class Study:
    """A study file in a folder, and the storage behind it."""

    path: Path
    name: str
    storage: str

    @classmethod
    def write(cls, folder, run, space=X, *, storage=None, name="study", command=None, value=None, **study):
        storage = storage or f"{name}.journal"
        settings = {"name": name, "direction": "minimize", "storage": storage, "seed": 0, "recipe": "tpe", **study}
        lines = section("study", settings) + section("command", {"run": run, **(command or {})})
        lines += section("value", value) if value else []
        (folder / f"{name}.toml").write_text("\n".join(lines + section("space", space)), encoding="utf-8")
        return cls(folder / f"{name}.toml", name, storage)

    @property
    def kind(self):
        return {"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(self.storage.partition(":")[0], "a journal")

    @property
    def journal(self):
        return self.path.parent / self.storage

    @property
    def address(self):
        """What `auger worker` is given."""
        return self.storage if "://" in self.storage else str(self.journal)

    def trials(self):
        if self.kind == "a journal":
            return optuna.load_study(study_name=self.name, storage=JournalStorage(self._file())).trials
        url = self.storage.replace("sqlite:///", f"sqlite:///{self.path.parent}/")
        storage = RDBStorage(with_password(url))
        try:
            return optuna.load_study(study_name=self.name, storage=storage).trials
        finally:
            storage.engine.dispose()

    def _file(self):
        return JournalFileBackend(str(self.journal))

    def states(self):
        return Counter(trial.state for trial in self.trials())

    def complete(self):
        return [trial for trial in self.trials() if trial.state == TrialState.COMPLETE]

    def configs(self):
        """The configurations of the complete trials, in a form that can be counted."""
        return Counter(tuple(sorted(trial.params.items())) for trial in self.complete())


def check_finished(study, budget):
    """The budget kept exactly, nothing left running or waiting, no configuration completed twice."""
    states = study.states()
    left = {state.name: n for state, n in states.items() if state in (TrialState.RUNNING, TrialState.WAITING)}
    assert not left, f"left behind: {left}"
    assert states[TrialState.COMPLETE] == budget, states
    repeated = {config: n for config, n in study.configs().items() if n > 1}
    assert not repeated, f"complete more than once: {repeated}"


def reason(trial):
    """Why a trial has failed, in the line that `auger` keeps with it."""
    return trial.user_attrs["auger:failed"]["error"]

"""Makes the files in this folder with version 0.1 of auger, and `expected.json`: what that version says about them.

    unshare --uts sh -c 'hostname box && exec env PATH=OLD/bin:/usr/bin:/bin \
        OLD/bin/python make.py data --ray OLD_WITH_RAY/bin/python'

It is kept to show how they came about; run with a later version it would make files of that version. Studies are made
in /srv/study, as a study knows the folder of its file by an absolute path, on a machine that calls itself "box".
`next_two_objectives` and `next_pruned` are the objectives of Optuna's studies, and `answer` the values of saved runs:
tests go on with them.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import fcntl
import io
import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

from auger import Categorical, Float, Int, Optimizer, Ordinal, Space

HOME = Path("/srv/study")

# The third holds bytecode of the Python it was made with: Ray's pickle takes constraints in by value.
RAY = ("ray-domains", "ray-space", "ray-constraints")

PROGRAM = '''\
"""The program that is tuned: by its trial number it fails, takes too long, says nothing, or waits to be killed."""

import json
import math
import os
import sys
import time

config = json.loads(os.environ["AUGER_CONFIG"])
number = int(os.environ["AUGER_TRIAL"])
special = {int(n): what for n, what in (word.split("=") for word in sys.argv[1:])}.get(number, "")
score = 1.0 - abs(math.log10(config["rate"]) + 2) / 5 - abs(config["layers"] - 3) / 10
score -= 0.1 if config["solver"] == "adam" else abs(config["momentum"] - 0.9) / 5

if special == "fail":
    sys.exit("the loss is not a number")
if special in ("long", "wait"):
    time.sleep(30)
if special == "silent":
    sys.exit()
if special != "plain":
    print("\\n".join(json.dumps({"epoch": i, "so far": score - 0.5 / i}) for i in range(1, 10)), flush=True)
time.sleep(0.3)  # the pruner has seen all of them by then
print(json.dumps({"score": score}))
'''

SPACE = """\
[space]
rate = { type = "float", low = 1e-4, high = 1.0, log = true }
layers = { type = "int", low = 1, high = 8 }
solver = { type = "categorical", choices = ["adam", "sgd"] }
momentum = { type = "float", low = 0.0, high = 0.99, when = { solver = ["sgd"] } }
batch = { type = "ordinal", choices = [16, 32, 64, 128] }
"""

MAXIMIZE = f"""\
[study]
name = "maximize"
direction = "maximize"
trials = 30
seed = 1
pruner = "auger"
initial = [{{ rate = 0.5, layers = 2, solver = "sgd", momentum = 0.5, batch = 64 }}]

[command]
run = [
  "python3", "-S", "train.py", "3=fail", "5=long", "7=silent", "8=wait", "11=wait", "14=plain",
  "16=wait", "19=wait",
]
config = true
time_limit = "2s"

[value]
read = "json"
key = "score"

[report]
key = "so far"
step = "epoch"

{SPACE}
[defaults]
rate = 0.1
layers = 1
solver = "adam"
batch = 32
"""

MINIMIZE = f"""\
[study]
name = "minimize"
storage = "sqlite:///minimize.db"
trials = 16
seed = 2
recipe = "bore-rf gamma=0.25"
pruner = "median"
constraints = ["rate * layers <= 4"]

[command]
run = ["python3", "-S", "train.py", "4=fail", "9=fail"]
config = true

[value]
read = "json"
key = "score"

[report]
key = "so far"
step = "epoch"

{SPACE}"""

PAST = """\
rate,layers,solver,momentum,batch,value
0.01,5,adam,,32,0.75
0.001,2,sgd,0.5,64,0.25
0.3,7,sgd,0.1,16,0.125
"""


# -- studies of `auger tune` --------------------------------------------------------------------------------


def command(*arguments: str, folder: Path) -> str:
    """Run `auger` to its end. Returns what it printed on stdout."""
    done = subprocess.run(
        [sys.executable, "-m", "auger", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 130):
        raise RuntimeError(f"auger {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def interrupted_at(number: int, act: Callable[[subprocess.Popen[str]], None]) -> None:
    """Run `auger tune` until a trial has started, do something to its process, and wait for its end."""
    tune = [sys.executable, "-m", "auger", "tune", "study.toml", "--json"]
    with subprocess.Popen(tune, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "trial_started" and event["number"] == number:
                act(process)
    print(f"interrupted at trial {number}", file=sys.stderr)


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL, in the middle of the trial."""
    time.sleep(0.5)
    process.kill()


def stop(process: subprocess.Popen[str]) -> None:
    """Ctrl-C twice."""
    for _ in range(2):
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)


def kill_before_it_tells(process: subprocess.Popen[str]) -> None:
    """SIGKILL when the result is in the trial's folder and not in the journal yet, which nobody can write to."""
    with (HOME / "maximize.journal").open("rb+") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        while not (HOME / "maximize.trials" / "14" / "result.json").exists():
            time.sleep(0.01)
        process.kill()
        process.wait()


def start_study(text: str) -> None:
    """A new folder with the study file and its program."""
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    (HOME / "train.py").write_text(PROGRAM)
    (HOME / "study.toml").write_text(text)


def make_maximize(out: Path) -> int:
    """An interrupted study on a journal. Returns its size in bytes when the worker of trial 14 had died."""
    start_study(MAXIMIZE)
    interrupted_at(8, kill)
    interrupted_at(11, stop)
    interrupted_at(14, kill_before_it_tells)
    n_bytes = (HOME / "maximize.journal").stat().st_size
    interrupted_at(16, kill)
    shutil.rmtree(HOME / "maximize.trials" / "16")  # as if it had been killed before the trial began
    interrupted_at(19, stop)
    keep_study(out / "maximize", ["maximize.journal", "train.py", "study.toml"], "maximize.trials", [0, 3, 14, 19])
    _check_maximize(out / "maximize" / "maximize.journal")
    return n_bytes


def _check_maximize(journal: Path) -> None:
    """See that every way to end is there: a machine that is too busy, or a signal that is ignored, leaves some out."""
    text = journal.read_text(encoding="utf-8")
    for end, n in (("failed", 3), ("died", 1), ("stopped", 2), ("late", 1), ("surplus", 1), ("retry_of", 2)):
        assert text.count(f'"auger:{end}"') == n, f"{end}: {text.count(end)}"


def make_minimize(out: Path) -> None:
    """A finished study on SQLite, with imported results and a trial that was enqueued with Optuna."""
    start_study(MINIMIZE)
    (HOME / "past.csv").write_text(PAST)
    command("import", "past.csv", "study.toml", folder=HOME)
    command("tune", "study.toml", "--trials", "6", folder=HOME)
    storage = RDBStorage(f"sqlite:///{HOME}/minimize.db")
    optuna.load_study(study_name="minimize", storage=storage).enqueue_trial({"rate": 0.02, "solver": "sgd"})
    storage.engine.dispose()
    command("tune", "study.toml", folder=HOME)
    (HOME / "minimize.csv").write_text(command("trials", "study.toml", "--csv", folder=HOME))
    with contextlib.closing(sqlite3.connect(HOME / "minimize.db")) as database:  # in one small file
        for statement in ("PRAGMA journal_mode=DELETE", "PRAGMA page_size=1024", "VACUUM"):
            database.execute(statement)
    files = ["minimize.db", "minimize.csv", "past.csv", "train.py", "study.toml"]
    keep_study(out / "minimize", files, "minimize.trials", [])


def keep_study(folder: Path, files: list[str], trials: str, numbers: list[int]) -> None:
    """Copy what later runs need."""
    folder.mkdir(parents=True)
    for name in files:
        shutil.copy(HOME / name, folder / name)
    for number in numbers:
        shutil.copytree(HOME / trials / str(number), folder / trials / str(number))


# -- saved runs ---------------------------------------------------------------------------------------------


def saved_space() -> Space:
    """Conditions two levels deep, and a constraint."""
    return Space(
        {
            "model": ["svm", "net"],
            "C": Float(1e-3, 1e3, log=True, when={"model": "svm"}),
            "kernel": Categorical(["rbf", "poly"], when={"model": "svm"}),
            "degree": Int(2, 5, when={"kernel": "poly"}),
            "size": Ordinal([(8,), (16, 8), (32, 16)], when={"model": "net"}),
            "x": (0.0, 1.0),
            "drop": Float(0.0, 0.5, step=0.1),
        },
        constraints=["x + drop <= 1.2"],
    )


def answer(config: dict[str, Any]) -> float:
    """The value of a configuration."""
    part = abs(math.log10(config["C"]) - 1) if config["model"] == "svm" else len(config["size"]) / 2
    return float((config["x"] - 0.4) ** 2 + part + config["drop"])


def save_runs(out: Path) -> None:
    """A run with trials of every kind, and one with a classifier that learns from fit to fit."""
    optimizer = Optimizer(saved_space(), seed=3)
    past = {"model": "net", "size": (16, 8), "x": 0.9, "drop": 0.5}  # which breaks the constraint
    optimizer.add([past], [1.5])
    for i in range(24):
        tell(optimizer, i)
    optimizer.report(optimizer.ask(), 1, 2.5)
    optimizer.ask()
    optimizer.save(out / "optimizer.json")
    warm = Optimizer({"x": (0.0, 1.0), "n": (1, 50), "kind": ["a", "b"]}, "bore-mlp", seed=4)
    for _ in range(9):
        for trial in reversed(warm.ask(2)):
            warm.tell(trial, abs(trial.config["x"] - 0.3) + trial.config["n"] / 50 + (trial.config["kind"] == "a"))
    warm.ask()
    warm.save(out / "optimizer-warm.json")


def tell(optimizer: Optimizer, i: int) -> None:
    """Ask, and answer in the i-th way."""
    trial = optimizer.ask()
    value = answer(trial.config)
    odd = {5: math.nan, 6: math.inf, 7: -math.inf}
    if i in odd:
        optimizer.tell(trial, odd[i], constraints=[1.0] if i == 7 else ())
    elif i % 8 == 2:
        optimizer.report(trial, 1, value + 1)
        optimizer.tell(trial, error=MemoryError("no space left"))
    elif i % 8 == 3:
        optimizer.tell(trial, value, constraints=[-1.0, 0.25])
    elif i % 8 == 4:
        for step in (1, 3, 9):
            optimizer.report(trial, step, math.nan if i == 12 and step == 1 else value + 1 / step)
        optimizer.tell(trial, pruned=True)
    elif i == 9:
        optimizer.tell(trial, pruned=True)
    else:
        for step in (1, 3, 9, 27):
            optimizer.report(trial, step, value + 1 / step)
        optimizer.tell(trial, value, constraints=[-1.0, -0.5])


# -- Optuna's studies ---------------------------------------------------------------------------------------


def sampler(name: str) -> Any:
    """The sampler of each of the two studies."""
    from auger.hosts.optuna import AugerSampler

    if name == "two-objectives":
        return AugerSampler(seed=5, constraints_func=lambda trial: [trial.params["shared"] - 0.9])
    return AugerSampler("bore-rf", seed=6)


def next_two_objectives(trial: Any) -> tuple[float, float]:
    """The objective of the study "two-objectives", define by run."""
    shared = trial.suggest_float("shared", 0.0, 1.0)
    if trial.suggest_categorical("model", ["svm", "net"]) == "svm":
        cost = trial.suggest_float("C", 1e-3, 1e3, log=True)
        return shared + abs(math.log10(cost) - 1), cost / 1e3
    layers = trial.suggest_int("layers", 1, 3)
    sizes = [trial.suggest_int(f"units{i}", 8, 256, log=True) for i in range(layers)]
    if trial.number == 6:
        raise ArithmeticError("does not converge")
    return shared + 0.5, layers / 3 + sum(sizes) / 500


def next_pruned(trial: Any) -> float:
    """The objective of the study "pruned"."""
    x, n = trial.suggest_float("x", -1.0, 1.0), trial.suggest_int("n", 1, 20)
    kind = trial.suggest_categorical("kind", ["a", "b", None])
    final = float(x**2 + abs(n - 7) / 10 + (kind == "a"))
    for step in range(1, 10):
        trial.report(final + 2 / step, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return final


def optuna_study(path: Path, name: str) -> Any:
    """A study of a journal file, made where it is not there yet."""
    from auger.hosts.optuna import AugerPruner

    return optuna.create_study(
        storage=JournalStorage(JournalFileBackend(str(path))),
        study_name=name,
        directions=["minimize", "maximize"] if name == "two-objectives" else ["minimize"],
        sampler=sampler(name),
        pruner=AugerPruner(),
        load_if_exists=True,
    )


def make_optuna(out: Path) -> None:
    """Two studies; in the first one a trial is still running."""
    study = optuna_study(out / "two-objectives.journal", "two-objectives")
    study.enqueue_trial({"shared": 0.5, "model": "svm"})
    study.optimize(next_two_objectives, n_trials=20, catch=(ArithmeticError,))
    left, other = study.ask(), study.ask()  # two at once: what is proposed is published
    left.suggest_float("shared", 0.0, 1.0)
    study.tell(other, next_two_objectives(other))
    optuna_study(out / "pruned.journal", "pruned").optimize(next_pruned, n_trials=24)


# -- Ray ----------------------------------------------------------------------------------------------------


def ray_searcher(name: str, **settings: Any) -> Any:
    """A searcher of Ray's domains, or of a space of ours, with a constraint or without."""
    from ray import tune

    from auger.hosts.ray import AugerSearch

    nets = [{"kind": "mlp", "layers": tune.randint(1, 5)}, {"kind": "linear"}]
    theirs = {"x": tune.uniform(0.0, 1.0), "rate": tune.loguniform(1e-4, 1.0), "net": tune.choice(nets), "epochs": 9}
    parameters = {"x": (0.0, 1.0), "rate": Float(1e-4, 1.0, log=True), "size": Ordinal([1, 2])}
    rules = ["x >= rate"] if name == "ray-constraints" else []
    space = theirs if name == "ray-domains" else Space(parameters, constraints=rules)
    return AugerSearch(space, "score", "max", seed=7, **settings)


def save_ray(out: Path) -> None:
    """Trials that are complete, cut by a scheduler, failed, and running; and a point that is still to be tried."""
    for name in RAY:
        searcher = ray_searcher(name)
        for i in range(15):
            config = searcher.suggest(f"t{i}")
            for step in range(1, (9 if i % 2 else 4) + 1):
                result = {"score": config["x"] - math.log10(config["rate"]) - 1 / step, "training_iteration": step}
                if i % 2 or step < 4:
                    searcher.on_trial_result(f"t{i}", result)
            searcher.on_trial_complete(f"t{i}", None if i == 5 else result, error=i == 5)
        searcher.suggest("running")
        searcher.save(str(out / f"{name}.json"))


def expect_ray(out: Path) -> dict[str, Any]:
    """What the restored searchers suggest next: by one that knows no space, and by the optimizer inside."""
    from auger.hosts.ray import AugerSearch

    expected = {}
    for name in RAY:
        searcher = AugerSearch()
        searcher.restore(str(out / f"{name}.json"))
        trials = searcher.optimizer.trials
        expected[f"{name}.json"] = {
            **_native_trials(trials),
            "running": searcher.suggest("running"),
            "next": [searcher.suggest(f"next{i}") for i in range(2)],
        }
    return expected


# -- what version 0.1 says ----------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """A value as JSON has it; NaN and infinity as text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _native_trials(trials: Any) -> dict[str, Any]:
    return {
        "states": Counter(trial.state.value for trial in trials),
        "trials": [
            {
                "state": trial.state.value,
                "value": trial.value,
                "origin": trial.origin.value,
                "reason": trial.reason,
                "error": trial.error,
                "constraints": list(trial.constraints),
                "intermediate": list(trial.steps),
                "config": trial.config,
            }
            for trial in trials
        ],
    }


def expect_saved(path: Path) -> dict[str, Any]:
    """Trials, best, recommendation, explanations, and the next two suggestions."""
    optimizer = Optimizer.load(path)
    best, found = optimizer.best, optimizer.recommend()
    assert best is not None and found is not None
    expected = {
        **_native_trials(optimizer.trials),
        "best": {"number": best.number, "value": best.value},
        "recommended": {"number": found.trial.number, "estimate": found.estimate, "reason": found.reason},
        "why": _reasons(optimizer, [trial.number for trial in optimizer.trials if trial.origin.value == "model"]),
    }
    following = [optimizer.ask() for _ in range(2)]
    return {
        **expected,
        "next": [{"config": each.config, "origin": each.origin.value, "reason": each.reason} for each in following],
    }


def _reasons(source: Any, numbers: list[int]) -> dict[str, Any]:
    """The explanations of the first and the last trial that a model has proposed."""
    from auger.insight import why

    found = [why(source, number) for number in (numbers[0], numbers[-1])]
    return {
        str(each.number): {
            "model": each.model,
            "score": each.score,
            "p": each.p,
            "nearest": each.nearest,
            "text": each.text,
        }
        for each in found
    }


def _optuna_trials(trials: Any) -> dict[str, Any]:
    return {
        "states": Counter(trial.state.name for trial in trials),
        "trials": [
            {
                "state": trial.state.name,
                "values": trial.values,
                "params": trial.params,
                "intermediate": {str(step): value for step, value in trial.intermediate_values.items()},
                **{
                    key.removeprefix("auger:"): value
                    for key, value in trial.user_attrs.items()
                    if key != "auger:worker"
                },
            }
            for trial in trials
        ],
    }


def expect_optuna(path: Path, work: Path) -> dict[str, Any]:
    """Trials, the best ones, explanations, and the next two suggestions, on a copy."""
    name = path.stem
    shutil.copy(path, work / path.name)
    study = optuna_study(work / path.name, name)
    trials = study.trials
    expected = {
        **_optuna_trials(trials),
        "best": [trial.number for trial in study.best_trials],
        "why": _reasons(study, [trial.number for trial in trials if trial.user_attrs.get("auger:origin") == "model"]),
    }
    study.optimize(next_two_objectives if name == "two-objectives" else next_pruned, n_trials=2)
    return {**expected, "next": _optuna_trials(study.trials[len(trials) :])["trials"]}


def stored_trials(folder: Path) -> Any:
    """The trials of a study of `auger tune`, as Optuna has them."""
    journal, database = folder / "maximize.journal", folder / "minimize.db"
    if journal.exists():
        storage: Any = JournalStorage(JournalFileBackend(str(journal)))
        return optuna.load_study(study_name="maximize", storage=storage).trials
    storage = RDBStorage(f"sqlite:///{database}")
    try:
        return optuna.load_study(study_name="minimize", storage=storage).trials
    finally:
        storage.engine.dispose()


@contextlib.contextmanager
def copied(folder: Path, n_bytes: int | None) -> Iterator[Path]:
    """A study where it was made: what is printed names that folder. With n_bytes, as it was at an earlier time."""
    shutil.rmtree(HOME, ignore_errors=True)
    shutil.copytree(folder, HOME)
    if n_bytes is not None:
        os.truncate(HOME / "maximize.journal", n_bytes)
    yield HOME


def expect_study(folder: Path, n_more: int, n_bytes: int | None = None) -> dict[str, Any]:
    """What the commands print, all trials, explanations, and the trials that follow when it goes on."""
    with copied(folder, n_bytes) as place:
        trials = stored_trials(place)
        expected = {
            **_optuna_trials(trials),
            "status": command("status", "study.toml", folder=place),
            "status --json": json.loads(command("status", "study.toml", "--json", folder=place)),
            "best": command("best", "study.toml", folder=place),
            "best --json": json.loads(command("best", "study.toml", "--json", folder=place)),
            "best --command": command("best", "study.toml", "--command", folder=place),
            "trials --csv": list(csv.DictReader(io.StringIO(command("trials", "study.toml", "--csv", folder=place)))),
            "why": _reasons(_opened(place), [t.number for t in trials if t.user_attrs.get("auger:origin") == "model"]),
        }
        if n_more:
            command("tune", "study.toml", "--trials", str(n_more), folder=place)
            expected["next"] = _optuna_trials(stored_trials(place)[len(trials) :])["trials"]
            for each in expected["next"]:
                each.pop("beat", None)
    return expected


def _without_trials(expected: dict[str, Any]) -> dict[str, Any]:
    """Of a study of which a later state is there, too."""
    return {key: value for key, value in expected.items() if key not in ("trials", "trials --csv", "why")}


def _opened(folder: Path) -> Any:
    from auger.studies.storage import open_storage
    from auger.studies.study import load_study

    name = "maximize.journal" if (folder / "maximize.journal").exists() else "sqlite:///minimize.db"
    return load_study(open_storage(name, folder=folder))


def expect(out: Path, work: Path, n_bytes: int) -> dict[str, Any]:
    """Everything, by the name of the file or folder; "killed" are the first bytes of the journal in "maximize"."""
    time.sleep(61)  # a study counts as at work for a minute after its last trial
    return {
        "maximize": expect_study(out / "maximize", 30),
        "killed": {"bytes": n_bytes, **_without_trials(expect_study(out / "maximize", 0, n_bytes))},
        "minimize": expect_study(out / "minimize", 19),
        **{name: expect_saved(out / name) for name in ("optimizer.json", "optimizer-warm.json")},
        **{name: expect_optuna(out / name, work) for name in ("two-objectives.journal", "pruned.journal")},
    }


def _pretty(expected: dict[str, Any]) -> str:
    """JSON with a line per fact, and per trial."""
    lines = []
    for name, facts in expected.items():
        parts = [f"  {json.dumps(key)}: {_lines(value)}" for key, value in facts.items()]
        lines.append(f" {json.dumps(name)}: {{\n" + ",\n".join(parts) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lines(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"   {json.dumps(item, allow_nan=False)}" for item in value) + "\n  ]"
    return json.dumps(value, allow_nan=False)


def main() -> None:
    """Make all files, or with --only-ray those that need Ray, whose expectations are printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--ray", metavar="PYTHON", help="an interpreter that has Ray, too")
    parser.add_argument("--only-ray", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    if arguments.only_ray:
        save_ray(out)
        print(json.dumps(_plain(expect_ray(out))))
        return
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and their children
    out.mkdir()
    work = out.with_name(f"{out.name}.work")
    work.mkdir()
    n_bytes = make_maximize(out)
    make_minimize(out)
    save_runs(out)
    make_optuna(out)
    expected = expect(out, work, n_bytes)
    if arguments.ray:
        script = [arguments.ray, "-W", "ignore", str(Path(__file__).resolve()), str(out), "--only-ray"]
        done = subprocess.run(script, stdout=subprocess.PIPE, text=True, check=True, env=os.environ)
        expected |= json.loads(done.stdout.splitlines()[-1])
    (out / "expected.json").write_text(_pretty(_plain(expected)), encoding="utf-8")
    shutil.rmtree(work)
    shutil.rmtree(HOME)


if __name__ == "__main__":
    main()

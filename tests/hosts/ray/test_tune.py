"""AugerSearch under a real Tuner."""

import json
import os
import subprocess
import sys
import time

import pytest
from ray import tune
from ray.tune.schedulers import ASHAScheduler, HyperBandScheduler
from ray.tune.search.optuna import OptunaSearch
from support.ray_clusters import local

from auger.errors import ConfigError
from auger.hosts.optuna import AugerSampler
from auger.hosts.ray import AugerSearch

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of which there are many

SPACE = {"x": tune.uniform(0.0, 1.0), "model": tune.choice([{"kind": "line", "slope": tune.uniform(0, 1)}, "flat"])}


@pytest.fixture(scope="module")
def ray_here():
    with local():
        yield


def tuner(train, folder, *, search=None, n=12, scheduler=None, mode="min", failures=0):
    return tune.Tuner(
        train,
        param_space=SPACE,
        tune_config=tune.TuneConfig(
            search_alg=search or AugerSearch(seed=0),
            scheduler=scheduler,
            metric="loss",
            mode=mode,
            num_samples=n,
            max_concurrent_trials=2,
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(
            name="run",
            storage_path=str(folder),
            verbose=0,
            failure_config=tune.FailureConfig(max_failures=failures),
        ),
    )


def objective(*, is_flat_wrong=False, n_steps=1):
    """A function to train; made here, so that the processes of Ray need not import these tests."""

    def train(config):
        if config["model"] == "flat" and is_flat_wrong:
            raise ValueError("no")
        slope = 2.0 if config["model"] == "flat" else config["model"]["slope"]
        for step in range(1, n_steps + 1):
            tune.report({"loss": (config["x"] - 0.3) ** 2 + slope + 1 / step})

    return train


def test_a_tuner_gives_the_space_the_metric_and_every_answer(ray_here, tmp_path):
    search = AugerSearch(seed=0)
    results = tuner(objective(), tmp_path, search=search).fit()
    trials = search.optimizer.trials
    assert len(results) == 12 and not results.errors
    assert sorted(each.metrics["loss"] for each in results) == sorted(trial.value for trial in trials)
    assert results.get_best_result().metrics["loss"] == search.optimizer.best.value
    assert {trial.origin.value for trial in trials} == {"initial", "model"}


def test_trials_that_raise_are_learned_as_failures(ray_here, tmp_path):
    search = AugerSearch(seed=0)
    results = tuner(objective(is_flat_wrong=True), tmp_path, search=search, n=8).fit()
    states = [trial.state.value for trial in search.optimizer.trials]
    assert states.count("failed") == len(results.errors) > 0
    assert states.count("complete") == 8 - len(results.errors)


def test_under_asha_the_trials_it_stops_are_pruned(ray_here, tmp_path):
    search = AugerSearch(seed=0)
    scheduler = ASHAScheduler(max_t=9, grace_period=1, reduction_factor=3)
    results = tuner(objective(n_steps=9), tmp_path, search=search, scheduler=scheduler).fit()
    steps = {each.metrics["trial_id"]: each.metrics["training_iteration"] for each in results}
    for key, progress in search._progress.items():
        is_whole = search.optimizer.trials[progress.number].state.value == "complete"
        assert is_whole == (steps[key] == 9)
    assert 0 < sum(step == 9 for step in steps.values()) < 12


def test_under_hyperband_nothing_that_it_stops_is_a_failure(ray_here, tmp_path):
    search = AugerSearch(seed=0)
    results = tuner(objective(n_steps=9), tmp_path, search=search, scheduler=HyperBandScheduler(max_t=9)).fit()
    assert not results.errors and any(progress.was_paused for progress in search._progress.values())
    assert {trial.state.value for trial in search.optimizer.trials} <= {"complete", "pruned"}


def test_what_ray_computes_from_a_proposal_is_left_to_it_and_objects_reach_the_trial(ray_here, tmp_path):
    search = AugerSearch(seed=0)
    made = tune.Tuner(
        lambda config: {"loss": config["make"](config["x"]), "twice": config["twice"], "x": config["x"]},
        param_space={
            "x": tune.uniform(0.0, 1.0),
            "make": tune.choice([abs, round]),
            "twice": tune.sample_from(lambda spec: 2 * spec.config.x),
        },
        tune_config=tune.TuneConfig(search_alg=search, metric="loss", mode="min", num_samples=4, reuse_actors=True),
        run_config=tune.RunConfig(name="run", storage_path=str(tmp_path), verbose=0),
    ).fit()
    assert [each.metrics["twice"] for each in made] == [2 * each.metrics["x"] for each in made]
    assert search.optimizer.space.names == ["x", "make"]
    with pytest.raises(ConfigError, match="pass the space to AugerSearch instead"):
        search.add_evaluated_point({"x": 0.5, "make": abs}, 0.5)


def test_several_metrics_go_through_rays_searcher_for_optuna_with_our_sampler(ray_here, tmp_path):
    search = OptunaSearch(metric=["loss", "size"], mode=["min", "max"], sampler=AugerSampler(seed=0))
    results = tune.Tuner(
        lambda config: {"loss": (config["x"] - 0.3) ** 2, "size": config["x"] * config["net"]["depth"]},
        param_space={"x": tune.uniform(0.0, 1.0), "net": {"depth": tune.randint(1, 5)}},
        tune_config=tune.TuneConfig(search_alg=search, num_samples=14, reuse_actors=True, max_concurrent_trials=2),
        run_config=tune.RunConfig(name="run", storage_path=str(tmp_path), verbose=0),
    ).fit()
    origins = {trial.system_attrs["auger:origin"] for trial in search._ot_study.trials}
    assert len(results) == 14 and not results.errors and "model" in origins


def test_several_metrics_with_a_limit_crashes_and_asha_end_with_a_front(ray_here, tmp_path):
    search = AugerSearch(metric=["loss", "size"], mode=["min", "min"], constraints={"memory_mb": "<= 3"}, seed=0)

    def train(config):
        if config["x"] > 0.8:
            raise ValueError("no")
        depth = config["model"]["depth"] if config["model"] != "flat" else 5
        for step in (1, 2, 3):
            loss = abs(config["x"] - 0.3) / depth + 1 / step
            tune.report({"loss": loss, "size": depth + config["x"], "memory_mb": depth})

    results = tune.Tuner(
        train,
        param_space={
            "x": tune.uniform(0.0, 1.0),
            "model": tune.choice([{"kind": "deep", "depth": tune.randint(1, 5)}, "flat"]),
        },
        tune_config=tune.TuneConfig(
            search_alg=search,
            scheduler=ASHAScheduler(metric="loss", mode="min", max_t=3, grace_period=1, reduction_factor=2),
            num_samples=16,
            reuse_actors=True,
            max_concurrent_trials=2,
        ),
        run_config=tune.RunConfig(name="run", storage_path=str(tmp_path), verbose=0),
    ).fit()
    states = [trial.state.value for trial in search.optimizer.trials]
    assert len(results) == 16 and states.count("failed") == len(results.errors) > 0
    assert "pruned" in states
    front = [search.domains.to_ray(trial.config) for trial in search.optimizer.front]
    assert front and all(config["model"] != "flat" and config["model"]["depth"] <= 3 for config in front)


SCRIPT = """
import sys, time
from pathlib import Path
import ray
from ray import tune
from auger.hosts.ray import AugerSearch

folder, is_again = Path(sys.argv[1]), sys.argv[2] == "again"
ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)

def train(config):
    while len(list(folder.glob("*.seen"))) >= 12 and not (folder / "go").exists():
        time.sleep(0.05)
    (folder / f"{time.time_ns()}.seen").write_text(str(config["x"]))
    tune.report({"loss": (config["x"] - 0.3) ** 2})

if is_again:
    tuner = tune.Tuner.restore(str(folder / "run"), trainable=train)
else:
    search = AugerSearch(seed=0)
    tuner = tune.Tuner(
        train,
        param_space={"x": tune.uniform(0.0, 1.0)},
        tune_config=tune.TuneConfig(search_alg=search, metric="loss", mode="min", num_samples=16, reuse_actors=True),
        run_config=tune.RunConfig(name="run", storage_path=str(folder), verbose=0),
    )
print(len(tuner.fit()), "results")
"""


def is_saved(folder):
    """Whether the searcher's state has eleven answers, and Ray is between two saves: it does not write them whole."""
    states = sorted(folder.glob("searcher-state-*"))
    try:
        trials = json.loads(states[-1].read_text())["history"]["trials"]
        age = time.time() - max(path.stat().st_mtime for path in folder.iterdir())
    except (IndexError, ValueError, OSError):
        return False
    return sum(trial["state"] == "complete" for trial in trials) >= 11 and 0.3 < age < 1.5


def test_a_run_that_was_killed_goes_on_with_what_it_had_learned(tmp_path):
    """Killed without a warning; what Ray had not saved by then, it runs again."""
    environment = {**os.environ, "TUNE_GLOBAL_CHECKPOINT_S": "3"}

    def start(how):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path), how]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    first = start("new")
    while not is_saved(tmp_path / "run") and first.poll() is None:
        time.sleep(0.05)
    first.kill()
    first.communicate()
    (tmp_path / "go").touch()
    told, complaints = start("again").communicate()
    assert "16 results" in told, complaints
    search = AugerSearch({"x": tune.uniform(0.0, 1.0)}, metric="loss", mode="min", seed=1)
    search.restore_from_dir(str(tmp_path / "run"))
    trials = search.optimizer.trials
    assert len(trials) == 16 and {trial.state.value for trial in trials} == {"complete"}
    assert len({trial.config["x"] for trial in trials}) == 16
    assert trials[-1].origin.value == "model" and search.optimizer.best.value < 1e-3

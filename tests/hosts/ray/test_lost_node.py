"""A cluster of three nodes, one of which is killed in the middle: no trial is lost, and the search ends as well."""

import threading
import time

import pytest
from ray import tune
from support.ray_clusters import three_nodes

from auger.hosts.ray import AugerSearch

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of which there are many

N_TRIALS = 24


def make_train(folder):
    def train(config):
        (folder / f"{time.time_ns()}").touch()
        time.sleep(0.2)
        tune.report({"loss": (config["x"] - 0.3) ** 2 + (config["y"] - 0.6) ** 2})

    return train


def test_no_trial_is_lost_with_a_node(tmp_path):
    begun = tmp_path / "begun"
    begun.mkdir()
    search = AugerSearch(seed=0)
    with three_nodes() as (cluster, others):
        cluster.connect()

        def kill():
            while len(list(begun.iterdir())) < N_TRIALS // 3:
                time.sleep(0.05)
            cluster.remove_node(others[0], allow_graceful=False)

        killer = threading.Thread(target=kill)
        killer.start()
        results = tune.Tuner(
            make_train(begun),
            param_space={"x": tune.uniform(0.0, 1.0), "y": tune.uniform(0.0, 1.0)},
            tune_config=tune.TuneConfig(
                search_alg=search, metric="loss", mode="min", num_samples=N_TRIALS, reuse_actors=True
            ),
            run_config=tune.RunConfig(
                storage_path=str(tmp_path / "results"), verbose=0, failure_config=tune.FailureConfig(max_failures=3)
            ),
        ).fit()
        killer.join()
        assert not others[0].any_processes_alive() and others[1].any_processes_alive()
    assert len(results) == N_TRIALS and not results.errors
    assert [trial.state.value for trial in search.optimizer.trials] == ["complete"] * N_TRIALS
    assert search.optimizer.best.value < 0.01

"""Real searches on 127.0.0.1: a nameserver, workers in processes of their own, and what may happen to both."""

import gc
import logging
import subprocess
import sys
import threading
from pathlib import Path

import ConfigSpace as CS
import pytest
from hpbandster.core.nameserver import NameServer
from hpbandster.core.worker import Worker

from auger.errors import SearchError
from auger.hosts.hpbandster import AugerHyperBand

PROGRAM = Path(__file__).with_name("worker.py")
logging.getLogger("hpbandster").setLevel(logging.CRITICAL)


def space():
    theirs = CS.ConfigurationSpace(seed=0)
    theirs.add_hyperparameters([CS.UniformFloatHyperparameter("x", 0, 1), CS.UniformIntegerHyperparameter("n", 1, 9)])
    return theirs


class Scene:
    """A nameserver, optimizers and workers, all of which are gone in the end."""

    def __init__(self):
        self.nameserver = NameServer(run_id="run", host="127.0.0.1", port=0)
        _, self.port = self.nameserver.start()
        self.optimizer = None
        self.workers = []

    def optimize(self, **settings):
        self.optimizer = AugerHyperBand(
            space(),
            seed=0,
            run_id="run",
            nameserver="127.0.0.1",
            nameserver_port=self.port,
            host="127.0.0.1",
            ping_interval=1,
            min_budget=1,
            max_budget=9,
            **settings,
        )
        return self.optimizer

    def work(self, how=""):
        arguments = [sys.executable, PROGRAM, str(self.port), "run", how]
        self.workers.append(subprocess.Popen(arguments, stderr=subprocess.DEVNULL))
        return self.workers[-1]

    def background(self, compute):
        logger = logging.getLogger("worker")
        logger.setLevel(logging.CRITICAL)
        worker_class = type("BackgroundWorker", (Worker,), {"compute": compute})
        worker = worker_class("run", nameserver="127.0.0.1", nameserver_port=self.port, host="127.0.0.1", logger=logger)
        worker.run(background=True)

    def remove(self):
        if self.optimizer is not None:
            self.optimizer.shutdown(shutdown_workers=True)
        self.nameserver.shutdown()
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.optimizer = None
        gc.collect()  # HpBandSter leaves connections to workers open: closed here, where a warning about it is ignored


@pytest.fixture
def scene():
    scene = Scene()
    yield scene
    scene.remove()


def losses(result):
    return [run.loss for run in result.get_all_runs()]


def test_a_search_with_a_worker_finds_something_good_and_repeats_with_its_seed(scene):
    scene.background(lambda self, config, budget, **_: {"loss": (config["x"] - 0.3) ** 2, "info": None})
    result = scene.optimize().run(n_iterations=4)
    configs = result.get_id2config_mapping()
    best = configs[result.get_incumbent_id()]
    assert abs(best["config"]["x"] - 0.3) < 0.1
    assert {info["config_info"]["auger:origin"] for info in configs.values()} == {"initial", "model"}
    scene.optimizer.shutdown()
    again = scene.optimize().run(n_iterations=4).get_id2config_mapping()
    assert {key: value["config"] for key, value in configs.items()} == {
        key: value["config"] for key, value in again.items()
    }


def test_a_previous_result_is_learned_from(scene):
    scene.background(lambda self, config, budget, **_: {"loss": (config["x"] - 0.3) ** 2, "info": None})
    result = scene.optimize().run(n_iterations=4)
    scene.optimizer.shutdown()
    more = scene.optimize(previous_result=result, recipe="tpe n_initial=8 gamma=1/4").run(n_iterations=1)
    assert more.HB_config["recipe"] == "tpe gamma=0.25 n_initial=8"
    new = [value for key, value in more.get_id2config_mapping().items() if key[0] == 0]
    assert {value["config_info"]["auger:origin"] for value in new} == {"model"}


def test_crashes_and_losses_that_are_none_do_not_stop_the_search(scene):
    def compute(self, config, budget, **_):
        if config["n"] == 1:
            raise RuntimeError("crashed")
        strange = {2: None, 3: "a", 4: float("nan")}
        return {"loss": strange.get(config["n"], config["x"]), "info": None}

    scene.background(compute)
    result = scene.optimize().run(n_iterations=3)
    assert any(loss is None for loss in losses(result)) and any(loss is not None for loss in losses(result))
    scene.optimizer.shutdown()
    assert len(losses(scene.optimize(previous_result=result).run(n_iterations=1))) > len(losses(result))


def test_a_job_whose_worker_is_killed_has_crashed_and_the_search_goes_on(scene):
    doomed = scene.work("die")
    optimizer = scene.optimize()
    optimizer.wait_for_workers(1)
    thread = threading.Thread(target=lambda: (doomed.wait(), scene.work()))  # help comes when it is dead
    thread.start()
    result = optimizer.run(n_iterations=2)
    thread.join()
    assert losses(result).count(None) == 1


def test_a_nameserver_that_does_not_answer_is_an_error(scene):
    scene.nameserver.shutdown()
    with pytest.raises(SearchError, match="nameserver at 127.0.0.1:.*does not answer.*Start it before"):
        scene.optimize()


def test_a_result_that_is_a_loss_and_nothing_else_is_enough(scene):
    scene.background(lambda self, config, budget, **_: {"loss": config["x"]})
    result = scene.optimize().run(n_iterations=1)
    assert {run.info for run in result.get_all_runs()} == {None} and None not in losses(result)


@pytest.mark.parametrize("name", ["my run", "me@home"])
def test_a_name_that_pyro_cannot_carry_is_refused(name):
    with pytest.raises(ValueError, match=f"`run_id` must not contain blanks or an @.*Got '{name}'"):
        AugerHyperBand(space(), run_id=name)


@pytest.mark.parametrize("wrong", [{"eta": 1}, {"min_budget": 0}, {"min_budget": 3, "max_budget": 1}])
def test_wrong_budgets_are_refused(wrong):
    with pytest.raises(ValueError, match="`eta` must be|budgets must be"):
        AugerHyperBand(space(), run_id="run", **wrong)

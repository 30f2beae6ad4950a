"""Real searches on 127.0.0.1: a nameserver, workers in processes of their own, and what may happen to both."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
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

    def __init__(self, folder):
        self.folder = folder
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

    def work(self, how="", n=1):
        for _ in range(n):
            arguments = [sys.executable, PROGRAM, str(self.port), "run", self.folder, how]
            self.workers.append(subprocess.Popen(arguments, stderr=subprocess.DEVNULL))
        return self.workers[-1]

    def background(self, compute):
        logger = logging.getLogger("worker")
        logger.setLevel(logging.CRITICAL)
        made = type("Made", (Worker,), {"compute": compute})
        worker = made("run", nameserver="127.0.0.1", nameserver_port=self.port, host="127.0.0.1", logger=logger)
        worker.run(background=True)

    def begun(self):
        return [name.partition("-")[0] for name in sorted(os.listdir(self.folder))]

    def remove(self):
        if self.optimizer is not None:
            self.optimizer.shutdown(shutdown_workers=True)
        self.nameserver.shutdown()
        for worker in self.workers:
            worker.kill()
            worker.wait()


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path)
    yield made
    made.remove()


def wait_for(condition, seconds=40):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


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


def test_a_job_whose_worker_is_killed_is_done_by_another(scene):
    doomed = scene.work("die")
    optimizer = scene.optimize()
    optimizer.wait_for_workers(1)
    thread = threading.Thread(target=lambda: (doomed.wait(), scene.work()))  # help comes when it is dead
    thread.start()
    result = optimizer.run(n_iterations=2)
    thread.join()
    assert all(loss is not None for loss in losses(result))
    assert scene.begun().count(str(doomed.pid)) == 1


def test_a_job_that_kills_two_workers_has_crashed_and_the_search_goes_on(scene):
    first, second = scene.work("die"), scene.work("die")
    optimizer = scene.optimize()
    optimizer.wait_for_workers(2)
    thread = threading.Thread(target=lambda: (first.wait(), second.wait(), scene.work()))
    thread.start()
    result = optimizer.run(n_iterations=2)
    thread.join()
    assert sum(loss is not None for loss in losses(result)) >= 10
    assert sum(loss is None for loss in losses(result)) <= 1


def test_a_worker_that_is_killed_while_it_waits_is_missed_by_nobody(scene):
    idle, _ = scene.work(), scene.work()
    optimizer = scene.optimize()
    optimizer.wait_for_workers(2)
    wait_for(lambda: len(optimizer.dispatcher.idle_workers) == 2)
    idle.send_signal(signal.SIGKILL)
    idle.wait()
    result = optimizer.run(n_iterations=2)
    assert all(loss is not None for loss in losses(result))


def test_without_a_nameserver_known_workers_go_on(scene):
    scene.work("slow")
    optimizer = scene.optimize()
    optimizer.wait_for_workers(1)
    thread = threading.Thread(target=lambda: (wait_for(scene.begun), scene.nameserver.shutdown()))
    thread.start()
    result = optimizer.run(n_iterations=1)
    thread.join()
    assert all(loss is not None for loss in losses(result)) and len(losses(result)) == 13


def test_without_nameserver_and_workers_the_search_ends_with_an_error_and_what_was_found(scene):
    worker = scene.work("slow")
    optimizer = scene.optimize()
    optimizer.wait_for_workers(1)

    def disaster():
        wait_for(lambda: len(scene.begun()) >= 3)
        scene.nameserver.shutdown()
        worker.kill()

    thread = threading.Thread(target=disaster)
    thread.start()
    with pytest.raises(SearchError, match="127.0.0.1:.*does not answer, and no worker is left") as caught:
        optimizer.run(n_iterations=1)
    thread.join()
    done = [datum.results for datum in caught.value.optimizer.iterations[0].data.values() if datum.results]
    assert len(done) >= 1


def test_a_nameserver_that_was_never_there_is_an_error(scene):
    scene.nameserver.shutdown()
    optimizer = scene.optimize()
    with pytest.raises(SearchError, match="nameserver at 127.0.0.1:.*does not answer.*Start it before"):
        optimizer.run(n_iterations=1)


def test_a_result_that_is_a_loss_and_nothing_else_is_enough(scene):
    scene.background(lambda self, config, budget, **_: {"loss": config["x"]})
    result = scene.optimize().run(n_iterations=1)
    assert {run.info for run in result.get_all_runs()} == {None} and None not in losses(result)


@pytest.mark.parametrize("name", ["my run", "me@home"])
def test_a_name_that_pyro_cannot_carry_is_refused(name):
    with pytest.raises(ValueError, match=f"`run_id` must not have blanks or an @.*Got '{name}'"):
        AugerHyperBand(space(), run_id=name)


@pytest.mark.parametrize("wrong", [{"eta": 1}, {"min_budget": 0}, {"min_budget": 3, "max_budget": 1}])
def test_wrong_budgets_are_refused(wrong):
    with pytest.raises(ValueError, match="`eta` must be|budgets must be"):
        AugerHyperBand(space(), run_id="run", **wrong)

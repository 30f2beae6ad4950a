"""`auger tune --engine ray`: the trials of a study on a cluster of three nodes, one of which is killed."""

import json
import os
import subprocess
import sys
import time

import pytest
from support.ray_clusters import three_nodes, two_gpus_later

from auger.studies.storage import open_storage
from auger.studies.view import stored_view

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of which there are many

STUDY = """
[study]
name = "parabola"
trials = {trials}
workers = 3
seed = 0
[command]
run = ["sh", "program.sh", "{{x}}"]
[space]
x = {{ type = "float", low = 0, high = 1 }}
[report]
read = "regex"
pattern = 'step=(?P<step>\\d+) value=(?P<value>\\S+)'
"""
PROGRAM = """
touch begun.$AUGER_TRIAL.$$
for step in 1 2 3; do echo step=$step value=$1; sleep 0.1; done
awk "BEGIN { print ($1 - 0.3) ^ 2 }"
"""


def auger(*arguments, folder):
    command = [sys.executable, "-m", "auger", *arguments]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )


def write(folder, trials):
    (folder / "study.toml").write_text(STUDY.format(trials=trials))
    (folder / "program.sh").write_text(PROGRAM)


def status(folder):
    done = auger("status", "study.toml", "--json", folder=folder)
    return json.loads(done.communicate()[0])


def test_a_study_outlives_a_node_of_its_cluster(tmp_path):
    write(tmp_path, trials=24)
    with three_nodes() as (cluster, others):
        running = auger("tune", "study.toml", "--engine", "ray", "--ray-address", cluster.address, folder=tmp_path)
        while len(list(tmp_path.glob("begun.*"))) < 8 and running.poll() is None:
            time.sleep(0.05)
        cluster.remove_node(others[0], allow_graceful=False)
        stderr = running.communicate()[1]
    assert running.returncode == 0, stderr
    facts = status(tmp_path)
    assert (facts["finished"], facts["complete"], facts["running"], facts["due"]) == (24, 24, 0, 0), (facts, stderr)
    complete = stored_view(open_storage(str(tmp_path / "parabola.journal"))).complete
    assert all([step for step, _ in trial.intermediate_values] == [1, 2, 3] for trial in complete)


RESERVED = """
[study]
trials = 4
workers = 3
seed = 0
[command]
run = ["sh", "-c", 'echo $CUDA_VISIBLE_DEVICES $OMP_NUM_THREADS > $AUGER_FOLDER/devices; sleep 0.5; echo {x}']
[ray]
cpus = 2
gpus = 1
memory = "100MB"
resources = { fast_disk = 0.25 }
[space]
x = { type = "float", low = 0, high = 1 }
"""


def test_a_trial_gets_what_it_reserves_and_waits_for_a_node_that_has_it(tmp_path):
    (tmp_path / "study.toml").write_text(RESERVED)
    with two_gpus_later() as (cluster, add):
        running = auger("tune", "study.toml", "--engine", "ray", "--ray-address", cluster.address, folder=tmp_path)
        while "can hold a trial" not in (line := running.stderr.readline()) and line:
            pass
        assert "which reserves 2 CPU, 1 GPU, 0.25 fast_disk, 100 MB of memory. Trials wait until one joins." in line
        add()
        assert running.wait() == 0
    devices = {path.read_text().strip() for path in tmp_path.glob("study.trials/*/devices")}
    assert devices <= {"0 2", "1 2"} and len(list(tmp_path.glob("study.trials/*/devices"))) == 4


def test_the_table_is_for_ray_alone(tmp_path):
    (tmp_path / "study.toml").write_text(RESERVED)
    here = auger("tune", "study.toml", "--trials", "1", folder=tmp_path)
    assert "The table [ray] of the study counts with --engine ray only." in here.communicate()[1]
    assert here.returncode == 0


def test_a_cluster_that_is_not_there_is_named(tmp_path):
    write(tmp_path, trials=2)
    failed = auger("tune", "study.toml", "--engine", "ray", "--ray-address", "127.0.0.1:1", folder=tmp_path)
    stderr = failed.communicate()[1]
    assert failed.returncode == 2, stderr
    assert "There is no Ray cluster at '127.0.0.1:1'" in stderr and "Traceback" not in stderr

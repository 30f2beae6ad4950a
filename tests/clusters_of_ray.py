"""Real Ray on loopback, for the tests."""

import logging
import os
from contextlib import contextmanager

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.cluster_utils import Cluster


@contextmanager
def local(n_cpus=2):
    # "local": one of ours, whatever clusters there are on this machine
    ray.init(
        address="local", num_cpus=n_cpus, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR
    )
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def three_nodes():
    """A head and two more nodes, a CPU each. Yields the cluster and the two."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        others = [cluster.add_node(num_cpus=1) for _ in range(2)]
        cluster.wait_for_nodes()
        yield cluster, others
    finally:
        ray.shutdown()
        cluster.shutdown()

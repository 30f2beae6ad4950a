"""Clusters of real Ray on loopback."""

import logging
import os
from contextlib import contextmanager

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.cluster_utils import Cluster


@contextmanager
def local(n_cpus=2):
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    ray.init("local", num_cpus=n_cpus, **quiet)  # one of its own, even if there is a cluster on this machine
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def two_gpus_later():
    """A head with a CPU. Yields the cluster, and what adds a node with four, two GPUs (as Ray counts) and a disk."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        yield cluster, lambda: cluster.add_node(num_cpus=4, num_gpus=2, resources={"fast_disk": 1})
    finally:
        ray.shutdown()
        cluster.shutdown()


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

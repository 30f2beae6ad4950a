"""auger as a searcher of Ray Tune."""

from auger.hosts.versions import check_host

check_host("ray", (("2.40", "3"),), "ray")

from auger.hosts.ray.searcher import AugerSearch  # noqa: E402

__all__ = ["AugerSearch"]

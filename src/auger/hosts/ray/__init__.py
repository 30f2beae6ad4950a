"""auger as a searcher of Ray Tune."""

from auger.hosts.ray.installed import check_ray

check_ray()

from auger.hosts.ray.searcher import AugerSearch  # noqa: E402  (which cannot be imported before)

__all__ = ["AugerSearch"]

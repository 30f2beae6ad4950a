"""auger as a search of scikit-learn, beside GridSearchCV and RandomizedSearchCV."""

from auger.hosts.versions import check_host

check_host("scikit-learn", (("1.6.1", "2"),), "sklearn")

from auger.hosts.sklearn.search import AugerSearchCV  # noqa: E402  (an older one may lack what this imports)

__all__ = ["AugerSearchCV"]

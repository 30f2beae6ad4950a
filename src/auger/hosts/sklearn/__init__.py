"""auger as a search of scikit-learn, beside GridSearchCV and RandomizedSearchCV."""

from auger.hosts.sklearn.versions import check_version

check_version()

from auger.hosts.sklearn.search import AugerSearchCV  # noqa: E402  (an older one may lack what this imports)

__all__ = ["AugerSearchCV"]

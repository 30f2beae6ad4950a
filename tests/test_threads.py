import pytest
from threadpoolctl import threadpool_info

from auger import Recipe, suggest
from auger.classifiers import GaussianProcess
from auger.classifiers.interface import Classifier
from auger.maximizers import RandomSearch
from auger.testing.cases import history_of, numeric_space, target
from auger.threads import one_thread


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


class Watched(Classifier):
    """A Gaussian process that notes how many threads there are when it is fitted."""

    def __init__(self, fails):
        self.fails, self.seen = fails, set()

    def fit(self, X, labels, *, space, rng, previous=None):
        self.seen |= blas_threads()
        if self.fails:
            raise ZeroDivisionError
        return GaussianProcess().fit(X, labels, space=space, rng=rng)


def history():
    space = numeric_space()
    X = space.sobol(12, seed=0)
    return history_of(space, X, target(X, space))


def test_a_suggestion_uses_one_thread_of_blas_and_leaves_the_rest_as_it_was():
    import scipy.linalg  # noqa: F401

    before, watched = blas_threads(), Watched(fails=False)
    suggest(history(), Recipe("watched", watched, RandomSearch(10)), seed=0)
    assert watched.seen == {1}
    assert blas_threads() == before


def test_a_fit_that_fails_leaves_them_too():
    with one_thread():
        pass
    before = blas_threads()
    with pytest.raises(ZeroDivisionError):
        suggest(history(), Recipe("watched", Watched(fails=True), RandomSearch(10)), seed=0)
    assert blas_threads() == before

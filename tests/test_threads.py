import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_info, threadpool_limits

from auger import Float, Recipe, Space, suggest
from auger.classifiers import ExtraTrees
from auger.maximizers import RandomSearch
from auger.testing.cases import history_of
from auger.threads import one_thread


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def three_threads():
    limits = threadpool_limits(3, user_api="blas")  # set right away; as a block it would be this thread's alone
    yield
    limits.restore_original_limits()


def test_a_block_has_one_thread_and_the_others_come_back():
    before = blas_threads()
    assert before
    assert set(before) == {3}
    with one_thread():
        assert set(blas_threads()) == {1}
        with one_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_they_come_back_after_an_error():
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert set(blas_threads()) == {3}


def test_blocks_that_overlap_leave_the_setting_as_the_first_one_found_it():
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))
    seen = []

    def second():
        first_is_in.wait(60)
        with one_thread():
            second_is_in.set()
            first_is_out.wait(60)
            seen.extend(blas_threads())

    thread = threading.Thread(target=second)
    thread.start()
    with one_thread():
        first_is_in.set()
        assert second_is_in.wait(60)
    first_is_out.set()
    thread.join(60)
    assert set(seen) == {1}
    assert set(blas_threads()) == {3}


def test_a_suggestion_is_computed_with_one_thread(monkeypatch):
    seen = []
    fit = ExtraTrees.fit
    monkeypatch.setattr(ExtraTrees, "fit", lambda *args, **kwargs: seen.extend(blas_threads()) or fit(*args, **kwargs))
    space = Space({"x": Float(0.0, 1.0)})
    X = space.sample(12, np.random.default_rng(0))
    suggest(history_of(space, X, X[:, 0]), Recipe("trees", ExtraTrees(), RandomSearch(10)), seed=0)
    assert seen
    assert set(seen) == {1}
    assert set(blas_threads()) == {3}

"""In processes of their own, whose BLAS starts with two threads, where there are as many cores."""

import os
import subprocess
import sys
import textwrap

import pytest

HEAD = """
import os, threading, warnings
import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_info
from auger.threads import one_thread

def blas():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

before = blas()
assert os.cpu_count() == 1 or max(before) > 1, threadpool_info()
"""


def run(code):
    environment = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")}
    script = HEAD + textwrap.dedent(code) + "\nassert blas() == before, 'restored'"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_block_has_one_thread_and_the_others_come_back_even_after_an_error():
    run("""
        with one_thread():
            assert blas() == {1}
            with one_thread():
                assert blas() == {1}
            assert blas() == {1}
        assert blas() == before
        try:
            with one_thread():
                raise KeyError
        except KeyError:
            pass
    """)


def test_threads_wait_for_each_other_and_leave_the_setting_as_it_was():
    run("""
        inside, seen = [], []

        def work():
            for _ in range(20):
                with one_thread():
                    inside.append(1)
                    seen.append((len(inside), blas()))
                    inside.pop()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [(1, {1})] * 80
    """)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_child_process_does_not_wait_for_a_thread_of_its_parent():
    run("""
        is_in, is_done = threading.Event(), threading.Event()

        def hold():
            with one_thread():
                is_in.set()
                is_done.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        is_in.wait()
        warnings.simplefilter("ignore")  # that there are threads, which is the point
        child = os.fork()
        if not child:
            with one_thread():
                os._exit(7)
        is_done.set()
        thread.join()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    """)


def test_a_suggestion_is_computed_with_one_thread():
    run("""
        from auger import Optimizer
        from auger.classifiers import GaussianProcess

        seen, fit = [], GaussianProcess.fit
        GaussianProcess.fit = lambda *args, **kwargs: seen.append(blas()) or fit(*args, **kwargs)
        optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
        for _ in range(7):  # the seventh is the first of the process
            optimizer.tell(optimizer.ask(), 1.0)
        assert seen == [{1}]
    """)

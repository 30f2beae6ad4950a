"""One thread of the linear algebra library while a suggestion is computed.

Our matrices are small, a few hundred rows. Threads of BLAS that wait for each other by spinning cost more than they
gain, and far more on a busy machine, where tuners usually run: on two cores under load a suggestion of
`auto` from 100 answers took 24 ms with one thread and 200 to 400 ms with two. And sums that are split by the number of
cores would make the last bits of a suggestion depend on it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

# The setting belongs to the process, and a block that starts inside another would restore the wrong one: one at a time.
_turn = threading.RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside the block, in the whole process. Other threads that enter a block wait."""
    with _turn, _controller().limit(limits=1, user_api="blas"):
        yield


def load_threads() -> None:
    """Find the BLAS libraries now: the first block that limits them would have to, which takes 0.1 s or more."""
    _controller()


@lru_cache(maxsize=1)
def _controller() -> Any:
    """Controls the BLAS libraries that are loaded by now: NumPy's, and SciPy's own."""
    import scipy.linalg  # noqa: F401  (0.1 s to import)
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController()


def _after_fork() -> None:
    """A child process must not wait for a thread that only its parent has."""
    global _turn  # noqa: PLW0603
    _turn = threading.RLock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)

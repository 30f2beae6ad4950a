"""Linear algebra on one thread.

Matrices here are small. Sharing one of them out takes longer than the work where cores are idle, and a hundred times
longer where they are not: threads of BLAS wait for each other by spinning. One thread also rounds the same on machines
with more or fewer cores.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Hold BLAS to one thread for the length of a ``with`` block, in this process."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=1)
def _controller() -> Any:
    import scipy.linalg  # noqa: F401, PLC0415  (0.1 s; it brings a BLAS of its own, to be found below)
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415  (looks for libraries, 10 ms)

    return ThreadpoolController()

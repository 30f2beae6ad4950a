"""Seeds for libraries that draw from the global generators."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def seeded(*seed: int) -> Iterator[None]:
    """For the length of a block, the global generators of Python, NumPy and torch start from these seeds.

    Afterwards they are where they were.
    """
    import torch  # optional library

    python, numpy_, torch_ = random.getstate(), np.random.get_state(), torch.random.get_rng_state()  # noqa: NPY002
    start = int(np.random.SeedSequence(seed).generate_state(1)[0])
    try:
        random.seed(start)
        np.random.seed(start)  # noqa: NPY002
        torch.manual_seed(start)
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy_)  # noqa: NPY002
        torch.random.set_rng_state(torch_)

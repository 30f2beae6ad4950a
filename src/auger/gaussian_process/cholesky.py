"""The Cholesky factor of a matrix that is positive definite up to rounding."""

from __future__ import annotations

import numpy as np

from auger.types import Array

# Added to the diagonal, in units of its mean, when a factorization fails; ten times as much after each failure.
_JITTER = 1e-10
_N_TRIES = 11  # up to the mean itself


def cholesky(K: Array) -> Array:
    """L with L L^T = K + jitter * identity, where the jitter is the first of 0, 1e-10, 1e-9, ... that works.

    Args:
        K: shape (n, n); only its lower triangle is read. Fortran's order saves a copy.

    Returns:
        L in Fortran's order; what is above its diagonal is arbitrary.
    """
    from scipy.linalg.lapack import dpotrf  # 0.1 s to import

    L, failed = dpotrf(K, lower=1, clean=0)
    if failed:
        L = _with_jitter(K)
    return np.asarray(L)


def _with_jitter(K: Array) -> Array:
    from scipy.linalg.lapack import dpotrf

    jitter = _JITTER * float(K.diagonal().mean())
    for _ in range(_N_TRIES):
        L, failed = dpotrf(K + jitter * np.eye(len(K)), lower=1, clean=0)
        if not failed:
            break
        jitter *= 10.0
    assert not failed, "a kernel matrix with its mean added to the diagonal is positive definite"
    return np.asarray(L)

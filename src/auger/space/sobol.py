"""A scrambled Sobol sequence: SciPy's, point for point, without the second that ``scipy.stats`` takes to import.

v        (d, 30)   direction numbers, whole numbers of 30 bits: Joe and Kuo (2008), which come with SciPy
point k            x_k = shift XOR (v_j for every bit j that is set in the Gray code of k), divided by 2**30

Scrambled (Matousek 1998) by a random lower triangular matrix of bits per column, and by the shift.
"""

from __future__ import annotations

import importlib.util
import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from auger.errors import SpaceError
from auger.types import Array

_BITS = 30
_MAX_COLUMNS = 21_201

Words = npt.NDArray[np.uint32]


class Sobol:
    """The points of ``scipy.stats.qmc.Sobol(n_columns, rng=rng)``, which draws from a spawned generator, too.

    Args:
        n_columns: of each point, d.
        rng: scrambles the sequence.
        skip: the number of the first point to return.
    """

    def __init__(self, n_columns: int, rng: np.random.Generator, *, skip: int = 0) -> None:
        v = direction_numbers(n_columns)
        rng = rng.spawn(1)[0]
        bits = rng.integers(2, size=(n_columns, _BITS), dtype=np.uint32)
        self._shift = bits @ (np.uint32(1) << np.arange(_BITS, dtype=np.uint32))
        self._v = _scrambled(v, rng.integers(2, size=(n_columns, _BITS, _BITS), dtype=np.uint32))
        self._next = skip

    def random(self, n: int) -> Array:
        """The next n points, shape (n, d), numbers in [0, 1)."""
        k = np.arange(self._next, self._next + n)
        self._next += n
        gray = k ^ (k >> 1)
        words = np.tile(self._shift, (n, 1))
        for j in range(int(gray.max(initial=0)).bit_length()):
            words ^= np.where((gray >> j & 1)[:, np.newaxis], self._v[:, j], np.uint32(0))
        return words / 2.0**_BITS


def _scrambled(v: Words, matrices: Words) -> Words:
    """Direction numbers (d, 30), multiplied by the lower triangles of matrices (d, 30, 30), in bits modulo 2."""
    lower = np.tril(matrices, -1) + np.eye(_BITS, dtype=np.uint32)
    places = np.arange(_BITS - 1, -1, -1, dtype=np.uint32)  # the first bit is the highest
    bits = v[:, np.newaxis, :] >> places[:, np.newaxis] & 1  # (d, bit, j)
    product = (lower.astype(np.float64) @ bits.astype(np.float64)).astype(np.uint32) & 1  # at most 30, so exact
    return np.asarray((product << places[:, np.newaxis]).sum(axis=1, dtype=np.uint32))


@lru_cache(maxsize=8)
def direction_numbers(n_columns: int) -> Words:
    """The direction numbers of the first columns, shape (n_columns, 30), before they are scrambled."""
    if n_columns > _MAX_COLUMNS:
        raise SpaceError(f"A Sobol sequence has at most {_MAX_COLUMNS:,} columns. Got {n_columns:,} parameters.")
    table = _table()
    v = direction_numbers_of_points(n_columns) if table is None else _recurrence(*(part[:n_columns] for part in table))
    v.flags.writeable = False
    return v


@lru_cache(maxsize=1)
def _table() -> tuple[Array, Array] | None:
    """The polynomials and first direction numbers in SciPy's file; None where another SciPy keeps them elsewhere."""
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        return None
    try:
        with np.load(Path(spec.origin).parent / "stats" / "_sobol_direction_numbers.npz") as file:
            polynomials, first = file["poly"], file["vinit"]
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None
    is_usual = polynomials.shape == (_MAX_COLUMNS,) and first.shape == (_MAX_COLUMNS, 18)
    return (polynomials, first) if is_usual else None


def _recurrence(polynomials: Array, first: Array) -> Words:
    """Direction numbers (d, 30) by Bratley and Fox (1988), from one primitive polynomial per column."""
    v = np.ones((len(polynomials), _BITS), dtype=np.int64)
    for column, polynomial, start in zip(v[1:], polynomials[1:].tolist(), first[1:], strict=True):
        degree = polynomial.bit_length() - 1
        column[:degree] = start[:degree]
        for j in range(degree, _BITS):
            number = int(column[j - degree])
            for k in range(1, degree + 1):
                if polynomial >> (degree - k) & 1:
                    number ^= int(column[j - k]) << k
            column[j] = number
    return np.asarray(v << np.arange(_BITS - 1, -1, -1), dtype=np.uint32)


def direction_numbers_of_points(n_columns: int) -> Words:
    """The same from points of SciPy's own sequence: slow to import, and sure to be there."""
    from scipy.stats import qmc  # 1 s to import

    v = np.empty((n_columns, _BITS), dtype=np.uint32)
    before = np.zeros(n_columns, dtype=np.uint32)
    for j in range(_BITS):  # the Gray code of point 2**j has the bits j and j - 1
        point = qmc.Sobol(n_columns, scramble=False, bits=_BITS).fast_forward(1 << j).random(1)[0]
        v[:, j] = before = (point * 2.0**_BITS).astype(np.uint32) ^ before
    return v

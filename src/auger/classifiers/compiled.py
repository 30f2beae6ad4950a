"""`auger.classifiers.trees` in C: the same two functions, the same results.

The library is plain C behind ctypes, which does not use Python: it needs no Python headers to compile, one
binary serves every version of Python, and ctypes lets other threads run meanwhile. It is built with the package
where there is a compiler; without it, `auger.classifiers.trees` is used.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from auger.classifiers.trees import Sample, Trees
from auger.types import Array

_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_int64
_NODES = (_POINTER, _POINTER, _POINTER, _POINTER, _POINTER)  # column, threshold, draw, child, value


def is_available() -> bool:
    """Whether the library was built and AUGER_PURE=1 does not switch it off."""
    return _library() is not None


@cache
def _library() -> Any:
    # indexes are passed as 64 bits
    if os.environ.get("AUGER_PURE", "0") not in ("", "0") or np.dtype(np.intp).itemsize != 8:
        return None
    # found as an extension module would be, wherever the installation put it, but never imported
    spec = importlib.util.find_spec("auger.classifiers._trees")
    if spec is None or spec.origin is None:
        return None
    try:
        library = ctypes.CDLL(spec.origin)
    except OSError:  # built for another machine
        return None
    library.auger_grow.argtypes = [
        *(_POINTER, _SIZE, _POINTER, _POINTER, _POINTER, _POINTER),  # X ... mass
        *(_POINTER, _SIZE, _SIZE, _POINTER, _SIZE),  # rows, columns
        *(_SIZE, ctypes.c_uint64, *_NODES),
    ]
    library.auger_grow.restype = _SIZE
    library.auger_score.argtypes = [_POINTER, _SIZE, _SIZE, _POINTER, _SIZE, _SIZE, *_NODES, _POINTER]
    library.auger_score.restype = None
    return library


def grow(sample: Sample, max_features: int, seed: int) -> Trees:
    """What `auger.classifiers.trees.grow` returns."""
    trees, rows = Trees.blank(sample), sample.rows.copy()
    target = sample.positive / sample.mass
    n_nodes = _library().auger_grow(
        _address(sample.X, np.float64),
        sample.X.shape[1],
        _address(sample.is_ordered, np.bool_),
        _address(target, np.float64),
        _address(sample.positive, np.float64),
        _address(sample.mass, np.float64),
        _address(rows, np.int64),
        *rows.shape,
        _address(sample.columns, np.int64),
        len(sample.columns),
        max_features,
        seed,
        *_nodes(trees),
    )
    if n_nodes < 0:
        raise MemoryError(f"no memory for {len(trees.value):,} nodes")
    return trees.first(n_nodes)


def score(trees: Trees, X: Array) -> Array:
    """What `auger.classifiers.trees.score` returns."""
    scores = np.zeros(len(X))
    _library().auger_score(
        _address(X, np.float64),
        *X.shape,
        _address(trees.is_ordered, np.bool_),
        trees.n_trees,
        len(trees.value),
        *_nodes(trees),
        _address(scores, np.float64),
    )
    return scores


def _nodes(trees: Trees) -> list[int]:
    return [
        _address(trees.column, np.int64),
        _address(trees.threshold, np.float64),
        _address(trees.draw, np.uint64),
        _address(trees.child, np.int64),
        _address(trees.value, np.float64),
    ]


def _address(array: npt.NDArray[Any], dtype: npt.DTypeLike) -> int:
    assert array.dtype == dtype and array.flags.c_contiguous
    return array.ctypes.data

"""TuRBO-1, trust-region Bayesian optimization (Eriksson et al., 2019), written from the paper: no package installs.

A Gaussian process (Matern 5/2, a lengthscale per parameter) learns the values of one trust region, standardized. The
region is a box around the best of them; its sides are a common length times the lengthscales, scaled to a geometric
mean of 1. Candidates, 100 for each parameter and at most 5,000, are Sobol points of the box that differ from the best
in each parameter with probability min(1, 20 / d), and a Thompson sample of the process chooses among them.

The length starts at 0.8. It doubles, up to 1.6, after three trials in a row that improve the best by a thousandth, and
halves after max(4, d) that do not; below 2^-7 a new region begins, with a Latin hypercube of 2 d points.

The process' hyperparameters are those of `auger.gaussian_process`, with its prior and without its trend, which the
paper leaves open; one region, one suggestion at a time. The paper is about real numbers: a choice is its index here, as
if it had an order. A region does not learn failed evaluations, but they count as failures to improve.
"""

from __future__ import annotations

import math

import numpy as np

from auger.gaussian_process.kernel import matern
from auger.gaussian_process.likelihood import Hyperparameters, estimate
from auger.space import Space
from auger.types import Array, Config
from auger_bench.methods.interface import Entry, Method, refuse_constraints

_FIRST, _LONGEST, _SHORTEST = 0.8, 1.6, 0.5**7
_N_SUCCESSES = 3
_IMPROVEMENT = 1e-3
_MOST_CANDIDATES = 5000


class TuRBO(Method):
    """One trust region after the other. Rows are points of the unit cube, (d,)."""

    def __init__(self, space: Space, seed: int) -> None:
        refuse_constraints(space, "turbo")
        self._space, self._d = space, len(space)
        last_codes = [max((n or 2) - 1, 1) for n in space.n_values]
        self._scale = np.where(space.is_ordered, 1.0, last_codes)  # of the codes of choices
        self._rng = np.random.default_rng(seed)
        self._begin()

    def _begin(self) -> None:
        """A new region: nothing is known in it."""
        self._length, self._n_successes, self._n_failures = _FIRST, 0, 0
        self._rows: list[Array] = []
        self._values: list[float] = []
        self._theta: Hyperparameters | None = None
        n = 2 * self._d
        cells = self._rng.permuted(np.tile(np.arange(n), (self._d, 1)), axis=1).T
        self._first = list((cells + self._rng.random((n, self._d))) / n)

    def ask(self) -> Config:
        row = self._first.pop() if self._first else self._next()
        member = self._space.close(row[np.newaxis] * self._scale)
        self._row = np.where(np.isnan(member[0]), row, member[0] / self._scale)  # inactive ones stay where they are
        return self._space.decode(member)[0]

    def tell(self, config: Config, value: float) -> None:
        is_of_model = len(self._values) >= 2 * self._d
        best = min(self._finite(), default=math.inf)
        self._rows.append(self._row)
        self._values.append(value)
        if not is_of_model:
            return
        if value < best - _IMPROVEMENT * abs(best):
            self._n_successes, self._n_failures = self._n_successes + 1, 0
        else:
            self._n_successes, self._n_failures = 0, self._n_failures + 1
        if self._n_successes == _N_SUCCESSES:
            self._length, self._n_successes = min(2 * self._length, _LONGEST), 0
        elif self._n_failures == max(4, self._d):
            self._length, self._n_failures = self._length / 2, 0
        if self._length < _SHORTEST:
            self._begin()

    def _finite(self) -> list[float]:
        return [value for value in self._values if math.isfinite(value)]

    def _next(self) -> Array:
        """The candidate that a Thompson sample prefers; a random point where no two values differ."""
        values = np.array(self._values)
        is_finite = np.isfinite(values)
        X, y = np.array(self._rows)[is_finite], values[is_finite]
        if len(y) < 2 or y.min() == y.max():
            return self._rng.random(self._d)
        y = (y - y.mean()) / y.std()
        self._theta = estimate(X, y, np.arange(self._d), self._d, has_trend=False, start=self._theta)
        candidates = self._candidates(X[np.argmin(y)], self._theta.lengthscale)
        sample = thompson(X, y, candidates, self._theta, self._rng)
        return np.asarray(candidates[np.argmin(sample)])

    def _candidates(self, best: Array, lengthscale: Array) -> Array:
        """Points of the box around the best, (m, d)."""
        from scipy.stats import qmc  # 0.8 s to import

        d = self._d
        side = self._length * lengthscale / math.exp(np.log(lengthscale).mean())
        low, high = np.clip(best - side / 2, 0.0, 1.0), np.clip(best + side / 2, 0.0, 1.0)
        m = min(100 * d, _MOST_CANDIDATES)
        points = low + (high - low) * qmc.Sobol(d, rng=self._rng).random_base2(math.ceil(math.log2(m)))[:m]
        is_moved = self._rng.random((m, d)) <= min(1.0, 20 / d)
        is_moved[np.arange(m), self._rng.integers(d, size=m)] |= ~is_moved.any(axis=1)
        return np.where(is_moved, points, best)


def thompson(X: Array, y: Array, candidates: Array, theta: Hyperparameters, rng: np.random.Generator) -> Array:
    """A draw of the process at candidates (m, d), jointly, given targets y (n,) at rows X (n, d): shape (m,)."""
    from scipy.linalg import cho_solve, solve_triangular  # 0.1 s to import

    def covariance(A: Array, B: Array) -> Array:
        A, B = A / theta.lengthscale, B / theta.lengthscale
        square = (A * A).sum(axis=1)[:, np.newaxis] + (B * B).sum(axis=1) - 2.0 * A @ B.T
        return theta.amplitude * matern(np.maximum(square, 0.0))[0]

    L = np.linalg.cholesky(covariance(X, X) + theta.noise * np.eye(len(X)))
    k = covariance(X, candidates)
    half = solve_triangular(L, k, lower=True)
    # the jitter is what rounding needs: candidates lie close together
    spread = covariance(candidates, candidates) - half.T @ half + 1e-6 * theta.amplitude * np.eye(len(candidates))
    draw = np.linalg.cholesky(spread) @ rng.standard_normal(len(candidates))
    return np.asarray(k.T @ cho_solve((L, True), y) + draw)


ENTRIES = (
    Entry(
        "turbo",
        "TuRBO-1, a trust region of a Gaussian process, our own from the paper",
        lambda space, seed, n_evals: TuRBO(space, seed),
        modules=("scipy.stats", "scipy.linalg"),
    ),
)

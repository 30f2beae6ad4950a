"""The array types and plain aliases used everywhere, in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: Float64 numbers: encoded rows ``X (n, d)``, values ``y (n,)``, scores ``(m,)``.
Array = npt.NDArray[np.float64]
#: Truths, one per row: labels ``z (n,)``, activity masks ``(n, d)``.
Mask = npt.NDArray[np.bool_]
#: Positions into another array.
Index = npt.NDArray[np.intp]
#: What the user sees: parameter names to values, inactive parameters left out.
Config = dict[str, Any]

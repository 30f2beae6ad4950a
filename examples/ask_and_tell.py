"""Run trials yourself, four at a time, and stop and resume between them.

pip install . && python examples/ask_and_tell.py
"""

import math
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from auger import Float, Int, Optimizer, Ordinal, Space

SPACE = Space(
    {"rate": Float(1e-5, 1e-1, log=True), "layers": Int(1, 8), "width": Ordinal([16, 32, 64, 128, 256])},
    constraints=["layers * width <= 1024"],
)


def simulate(config: dict[str, Any]) -> float:
    """Stands for something expensive; it crashes where the rate is too high."""
    if config["rate"] > 0.03:
        raise FloatingPointError("diverged")
    off = abs(config["layers"] - 3) + abs(math.log2(config["width"]) - 7)
    return float((math.log10(config["rate"]) + 2.5) ** 2 + off)


def main() -> None:
    """Six batches of four, saved after each; the second half continues from the file."""
    path = Path(tempfile.mkdtemp()) / "run.json"
    optimizer = Optimizer(SPACE, seed=0)
    with ThreadPoolExecutor(4) as pool:
        for batch in range(6):
            if batch == 3:
                optimizer = Optimizer.load(path)
                print(f"resumed with {len(optimizer.trials)} trials")
            trials = optimizer.ask(4)
            for trial, future in [(trial, pool.submit(simulate, trial.config)) for trial in trials]:
                try:
                    optimizer.tell(trial, future.result())
                except FloatingPointError as error:
                    optimizer.tell(trial, error=error)  # learned from like any other bad value
            optimizer.save(path)
            best = optimizer.best
            print(f"batch {batch}: best {best.value:.3f} {best.config}" if best else f"batch {batch}: nothing yet")


if __name__ == "__main__":
    main()

"""Keep all cores busy: trials run in processes, and each result is told as soon as it is there.

pip install . && python examples/as_completed.py
"""

import math
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any

from auger import Float, Int, Optimizer, Trial

SPACE = {"rate": Float(1e-5, 1e-1, log=True), "layers": Int(1, 8)}
N_TRIALS, N_PROCESSES = 24, 4


def train(config: dict[str, Any]) -> float:
    """Stands for something expensive, which takes longer with more layers."""
    time.sleep(0.02 * config["layers"])
    return float((math.log10(config["rate"]) + 2.5) ** 2 + abs(config["layers"] - 3))


def main() -> None:
    """Ask for a new trial whenever one is complete; trials that are still running are taken into account."""
    optimizer = Optimizer(SPACE, seed=0)
    running: dict[Future[float], Trial] = {}
    with ProcessPoolExecutor(N_PROCESSES) as pool:
        while len(optimizer.trials) < N_TRIALS or running:
            while len(running) < N_PROCESSES and len(optimizer.trials) < N_TRIALS:
                trial = optimizer.ask()
                running[pool.submit(train, trial.config)] = trial
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                trial, error = running.pop(future), future.exception()
                done = optimizer.tell(trial, error=error) if error else optimizer.tell(trial, future.result())
                print(f"trial {done.number}: {done.value}")
    print(optimizer)


if __name__ == "__main__":
    main()

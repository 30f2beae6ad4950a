"""Small or fast: how to compress a text, under a limit of memory. Two objectives, and one outcome constraint.

pip install . && python examples/several_objectives.py
"""

import argparse
import bz2
import lzma
import time
import zlib
from pathlib import Path
from typing import Any

from auger import Categorical, Float, Int, Optimizer, Space

TEXT = Path(argparse.__file__).read_bytes()  # a text that is on every machine
SPACE = Space(
    {
        "method": Categorical(["zlib", "bz2", "lzma"]),
        "level": Int(1, 9, when={"method": ["zlib", "bz2"]}),
        "window": Int(9, 15, when={"method": "zlib"}),
        "dictionary_kb": Float(4, 4096, log=True, when={"method": "lzma"}),
        "literal_bits": Int(0, 4, when={"method": "lzma"}),
        "position_bits": Int(0, 4, when={"method": "lzma"}),
    }
)
LIMIT_KB = 1024.0


def compressed(config: dict[str, Any]) -> bytes:
    """The text, compressed with these settings; LZMA refuses some of them."""
    if config["method"] == "zlib":
        packer = zlib.compressobj(config["level"], wbits=config["window"])
        return packer.compress(TEXT) + packer.flush()
    if config["method"] == "bz2":
        return bz2.compress(TEXT, config["level"])
    lzma2 = {
        "id": lzma.FILTER_LZMA2,
        "dict_size": int(config["dictionary_kb"] * 1024),
        "lc": config["literal_bits"],
        "lp": config["position_bits"],
    }
    return lzma.compress(TEXT, format=lzma.FORMAT_XZ, filters=[lzma2])


def memory_kb(config: dict[str, Any]) -> float:
    """What unpacking needs, about."""
    if config["method"] == "zlib":
        return float(2 ** config["window"]) / 1024
    return 400.0 * config["level"] if config["method"] == "bz2" else float(config["dictionary_kb"])


def measured(config: dict[str, Any]) -> dict[str, float]:
    """The best of three runs, in milliseconds, and the size in kB."""
    sizes, times = [], []
    for _ in range(3):
        began = time.perf_counter()
        sizes.append(len(compressed(config)) / 1024)
        times.append(1000 * (time.perf_counter() - began))
    return {"kb": sizes[0], "ms": min(times)}


def main() -> None:
    """Sixty trials; then the trade-offs, and three ways to choose from them."""
    optimizer = Optimizer(SPACE, directions={"kb": "minimize", "ms": "minimize"}, seed=0)
    optimizer.enqueue({"method": "zlib", "level": 6, "window": 15})  # zlib's own settings
    for _ in range(60):
        trial = optimizer.ask()
        try:
            optimizer.tell(trial, measured(trial.config), constraints=[memory_kb(trial.config) - LIMIT_KB])
        except lzma.LZMAError as error:
            optimizer.tell(trial, error=error)  # learned from like any other bad result
    n_failed = sum(trial.state.value == "failed" for trial in optimizer.trials)
    n_infeasible = sum(not trial.is_feasible for trial in optimizer.trials)
    print(f"{len(TEXT) / 1024:.0f} kB; {n_failed} of 60 trials failed, {n_infeasible} need more than {LIMIT_KB:.0f} kB")
    for trial in optimizer.front:
        kb, ms = trial.values
        print(f"{kb:8.2f} kB {ms:8.2f} ms  {trial.config}")
    today = optimizer.trials[0].values[0]
    for prefer in ("kb", f"kb <= {1.05 * today:.1f}, ms", {"kb": 1.0, "ms": 1.0}):
        chosen = optimizer.choose(prefer)
        print(f"{prefer!s:24} {chosen.config if chosen else None}")


if __name__ == "__main__":
    main()

"""Compress some text; print the size of the result, the time that it took, and the memory that the method needs."""

import argparse
import bz2
import json
import lzma
import random
import time
import zlib


def text(n_words: int = 60_000) -> bytes:
    """Words of which some are frequent and most are not; the same text in every run."""
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdefghijklmnoprstuvw", k=draw.randint(2, 9))) for _ in range(3000)]
    return " ".join(words[int(draw.paretovariate(0.6)) % len(words)] for _ in range(n_words)).encode()


def compressed(data: bytes, options: argparse.Namespace) -> tuple[bytes, float]:
    """The compressed data, and MB of memory by the documentation of the method."""
    if options.method == "zlib":
        return zlib.compress(data, options.level), 0.3
    if options.method == "bz2":
        return bz2.compress(data, options.level), 0.4 + 0.8 * options.level
    size = 2**options.dictionary
    settings = {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": size, "depth": options.depth}
    return lzma.compress(data, filters=[settings]), 11.5 * size / 2**20


def main() -> None:
    """Compress with the settings of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("method", choices=["zlib", "bz2", "lzma"])
    parser.add_argument("--level", type=int)
    parser.add_argument("--dictionary", type=int)
    parser.add_argument("--depth", type=int)
    options = parser.parse_args()
    data = text()
    start = time.perf_counter()
    result, memory = compressed(data, options)
    seconds = time.perf_counter() - start
    print(json.dumps({"bytes": len(result), "seconds": round(seconds, 4), "memory_mb": round(memory, 2)}))


if __name__ == "__main__":
    main()

"""Compile compiler_flags.c with the flags of the command line, run it, and print its size and time as JSON."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
ANSWER = "17984 20388 15.4913\n"


def main() -> None:
    """A wrong answer makes exit code 1, and so a failed trial: such flags are learned to be avoided."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("AUGER_FOLDER")) as folder:
        program = Path(folder, "program")
        subprocess.run(["gcc", *sys.argv[1:], "-c", SOURCE, "-o", f"{program}.o"], check=True)
        subprocess.run(["gcc", f"{program}.o", "-o", program], check=True)
        start = time.perf_counter()
        answer = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        seconds = time.perf_counter() - start
        if answer != ANSWER:
            sys.exit(f"wrong answer: {answer.strip()}")
        sizes = subprocess.run(["size", f"{program}.o"], check=True, capture_output=True, text=True).stdout
    text, data, *_ = map(int, sizes.splitlines()[1].split()[:3])
    print(json.dumps({"bytes": text + data, "seconds": seconds}))


if __name__ == "__main__":
    main()

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples" / "configspace_project.py"


def test_the_example_runs_and_finds_something_better_than_the_defaults():
    done = subprocess.run([sys.executable, "-W", "error", EXAMPLE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    before, best = (float(line.split("error ")[1].split()[0]) for line in done.stdout.splitlines()[:2])
    assert best < before

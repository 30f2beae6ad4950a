"""The studies in examples/: each is read, and its defaults run. And scripts that need no host: each runs."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.programs import outcome

from auger.studies.definition import read_study_file
from auger.studies.trial import check_program

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_an_example_runs_with_its_defaults(tmp_path, path):
    definition = replace(read_study_file(path), folder=str(tmp_path))
    check_program(definition)
    done = outcome(definition, definition.defaults)
    assert (done.state, done.error) == ("complete", None)


@pytest.mark.parametrize("name", ["ask_and_tell", "as_completed"])
def test_an_example_in_python_runs(name):
    script = EXAMPLES / f"{name}.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_flags_that_give_a_wrong_answer_are_a_failed_trial(tmp_path):
    definition = replace(read_study_file(EXAMPLES / "compiler_flags.toml"), folder=str(tmp_path))
    done = outcome(definition, {**definition.defaults, "fast_math": "-ffast-math"})
    assert done.state == "failed" and done.error.startswith("exit code 1: wrong answer: ")

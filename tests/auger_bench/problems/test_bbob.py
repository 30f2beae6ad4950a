import os
import subprocess
import sys

import cocoex
import numpy as np
import pytest

from auger.errors import AugerError
from auger_bench.problems import problem

NAMES = [
    f"bbob{suite}-f{f}-d{d}-i{i}" for suite in ("", "-mixint") for f in (1, 8, 15, 24) for d, i in ((5, 2), (40, 15))
]


@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_where_it_is_said_to_be_and_nothing_is_lower(name):
    black_box = problem(name)
    assert black_box.regret(black_box(black_box.minimizer)) <= 1e-9 * max(1.0, abs(black_box.optimum))
    configs = black_box.space.decode(black_box.space.sample(200, np.random.default_rng(0)))
    assert min(map(black_box, configs)) >= black_box.optimum


def test_values_are_those_of_coco():
    black_box, reference = problem("bbob-f8-d10-i2"), cocoex.BareProblem("bbob", 8, 10, 2)
    for config in black_box.space.decode(black_box.space.sample(20, np.random.default_rng(1))):
        assert black_box(dict(reversed(config.items()))) == reference(np.array([config[f"x{j}"] for j in range(10)]))


def test_whole_numbers_have_the_values_that_coco_gives_them():
    space = problem("bbob-mixint-f3-d10-i4").space
    assert [space.parameters[f"n{j}"].n_values for j in range(8)] == [2, 2, 4, 4, 8, 8, 16, 16]
    assert space.names[8:] == ["x8", "x9"]


def test_the_optimum_of_a_mixed_function_leaves_no_file_behind(tmp_path):
    code = "from auger_bench.problems import problem; print(problem('bbob-mixint-f1-d5-i2').optimum)"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bbob-f25-d5-i1", "functions 1 to 24, and instances 1 to 15 of each. Got 'bbob-f25-d5-i1'"),
        ("bbob-f1-d5-i16", "instances 1 to 15"),
        ("bbob-f1-d41-i1", "dimension of a bbob function must be from 2 to 40. Got 'bbob-f1-d41-i1'"),
        ("bbob-f1-d1-i1", "must be from 2 to 40"),
        ("bbob-mixint-f1-d7-i1", "must be one of 5, 10, 20, 40, 80, 160. Got 'bbob-mixint-f1-d7-i1'"),
        ("bbob-f01-d5-i1", "must be named as in 'bbob-f8-d10-i2'.* Got 'bbob-f01-d5-i1'"),
        ("bbob-f1", "must be named as in"),
    ],
)
def test_other_names_are_refused_with_what_there_is(name, message):
    with pytest.raises(AugerError, match=message):
        problem(name)

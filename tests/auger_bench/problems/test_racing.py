import hashlib
import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import cvxpy
import numpy as np
import pytest

from auger.errors import AugerError
from auger_bench.problems import DataError
from auger_bench.problems import racing as module
from auger_bench.problems.racing import TRACKS, center_line, racing

FILES = {"ucb": "ucb", "ethz-a": "ethz_mobil", "ethz-b": "ethz"}

# Of the numbers in the public files, (N, 2) little-endian float64.
CHECKSUMS = {
    "ucb": "a95ce5272ad3c07ee1ced6ebc94509607655348af61360e0126bd76d88a3cf4f",
    "ethz-a": "c43b6c754768f27ad203129407352eb8a53ab0153951943545b500951f359b8e",
    "ethz-b": "c8fbff15f815e87dbfe402fe00165aa1691f53eb19ac118a8ce042f05e6c83d7",
}

# Lap times found with CMA-ES, about 1,500 evaluations each; not proven optimal.
BEST = {
    "ucb": (4.2407, "0.0265 0.3800 0.3217 -0.3800 0.2917 0.3800 0.1815 -0.3790 -0.3400 0.3799 0.2592 -0.0384"),
    "ethz-a": (
        4.3562,
        "-0.1622 -0.2183 0.0156 0.2178 0.2185 -0.0485 -0.2183 -0.2181 0.0750 -0.2178 -0.0163 0.2185 0.2184 0.0002 "
        "-0.2184 -0.2180 0.1107 -0.2184 0.1713 -0.0090",
    ),
    "ethz-b": (
        6.6158,
        "-0.0251 0.1755 -0.1752 -0.1726 -0.1159 -0.1750 -0.0627 0.1751 0.1757 -0.1714 -0.1757 0.1753 0.0367 0.1230 "
        "-0.1665 0.1756 0.0458 0.1641 -0.1757 0.1749 0.1265",
    ),
}


def config(x):
    return {f"x{i}": float(value) for i, value in enumerate(x)}


@pytest.mark.parametrize("track", TRACKS)
def test_every_check_point_is_reproduced(data, track):
    black_box = racing(track)
    with np.load(data / "racing" / "check_points.npz") as stored:
        points, reference, clarabel = (
            stored[f"{FILES[track]}_{what}"] for what in ("x", "laptime_reference", "laptime_clarabel")
        )
    assert len(points) == 20
    laps = [black_box(config(x)) for x in points]
    np.testing.assert_allclose(laps, reference, rtol=1e-3)  # another solver, ECOS
    np.testing.assert_allclose(laps, clarabel, rtol=2e-5)


@pytest.mark.parametrize("track", TRACKS)
def test_the_best_known_lap_is_reproduced_and_random_ones_are_slower(track):
    black_box = racing(track)
    best, x = BEST[track]
    assert black_box(config(x.split())) == pytest.approx(best, rel=1e-4)
    laps = map(black_box, black_box.space.decode(black_box.space.sample(20, np.random.default_rng(0))))
    assert min(laps) > best


@pytest.mark.parametrize("track", TRACKS)
def test_the_space_is_that_of_the_settings(data, track):
    settings = json.loads((data / "racing" / "settings.json").read_text())[FILES[track]]
    black_box = racing(track)
    reach = settings["width_scale"] * settings["track_width_m"] / 2
    assert list(black_box.space.names) == [f"x{i}" for i in range(settings["D"])]
    assert all(
        (p.low, p.high) == pytest.approx((-reach, reach), rel=1e-15) for p in black_box.space.parameters.values()
    )
    assert (black_box.name, black_box.optimum, black_box.is_noisy) == (f"racing-{track}", None, False)


def test_on_a_straight_line_the_time_is_that_of_constant_acceleration():
    # sqrt(2 L / a), exact here: b grows linearly with tau, and the sum over the samples is the integral
    S = np.linspace([1.0, 2.0], [31.0, 42.0], 100)
    assert module._Lap(cvxpy, drive=0.5).time(S) == pytest.approx(math.sqrt(2 * 50 / (0.5 * 9.81)), rel=1e-6)


def test_on_half_a_circle_the_time_is_that_of_accelerating_as_much_as_the_grip_allows():
    # with w = v² / (grip r): dw/dphi = 2 min(drive, sqrt(1 - w²)), integrated finely on its own
    w, dphi = np.zeros(20_001), math.pi / 20_000
    for i in range(20_000):
        w[i + 1] = min(w[i] + 2 * dphi * min(0.5, math.sqrt(1 - w[i] ** 2)), 1.0)
    root = np.sqrt(w)
    expected = (2 * dphi / (root[1:] + root[:-1])).sum() * math.sqrt(100 / 9.81)
    phi = np.linspace(0.0, math.pi, 100)
    S = 100 * np.column_stack([np.cos(phi), np.sin(phi)])
    assert module._Lap(cvxpy, drive=0.5).time(S) == pytest.approx(expected, rel=2e-3)


def test_corners_of_the_space_have_a_lap_time_without_a_warning():
    # every waypoint on a border: the sharpest turns there are
    black_box = racing("ethz-a")
    corners = np.random.default_rng(0).integers(2, size=(20, 20)).astype(float)
    assert all(4 < lap < 12 for lap in map(black_box, black_box.space.decode(corners)))


def test_the_program_is_compiled_once_only():
    assert module._Lap(cvxpy, drive=0.5)._program.is_dcp(dpp=True)


def test_the_value_of_a_config_does_not_depend_on_what_was_evaluated_before():
    black_box = racing("ucb")
    configs = black_box.space.decode(black_box.space.sample(3, np.random.default_rng(0)))
    laps = [black_box(c) for c in configs]
    assert [black_box(c) for c in reversed(configs)] == laps[::-1]
    assert racing("ucb")(configs[2]) == laps[2]


def test_threads_do_not_disturb_each_other():
    black_box = racing("ucb")
    configs = black_box.space.decode(black_box.space.sample(8, np.random.default_rng(0)))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(black_box, configs)) == [black_box(c) for c in configs]


def test_a_solver_that_gives_up_is_an_error_not_a_lap_time(monkeypatch):
    def give_up(self, **settings):
        raise cvxpy.SolverError("numbers gone wrong")

    black_box = racing("ucb")
    monkeypatch.setattr(cvxpy.Problem, "solve", give_up)
    with pytest.raises(AugerError, match="no lap time: numbers gone wrong"):
        black_box(config([0.0] * 12))


def test_an_unknown_track_names_the_nearest():
    with pytest.raises(AugerError, match="Got 'ethz_a'. Did you mean 'ethz-a'.*'ucb', 'ethz-a', 'ethz-b'"):
        racing("ethz_a")


@pytest.mark.parametrize("library", ["cvxpy", "clarabel"])
def test_a_missing_solver_says_what_to_install(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DataError, match=r'CVXPY with Clarabel.*pip install "auger\[bench\]"'):
        racing("ucb")


@pytest.mark.parametrize("track", TRACKS)
def test_the_center_line_is_that_of_the_public_files(track):
    assert hashlib.sha256(center_line(track).astype("<f8").tobytes()).hexdigest() == CHECKSUMS[track]


def test_a_lap_needs_no_data_of_the_user_and_no_network(tmp_path, monkeypatch):
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))  # where there is none
    assert racing("ucb")(config([0.0] * 12)) == pytest.approx(5.3457, rel=1e-3)


def test_cvxpy_is_imported_late():
    code = "import sys, auger_bench.problems.racing; print({'cvxpy', 'clarabel', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

import json

import pytest

from auger.errors import AugerError
from auger.space import Space
from auger_bench.problems import DataError, EvaluationError, problem
from auger_bench.problems.kernels import KERNELS, kernel


@pytest.mark.parametrize("name", ["convolution", "dedispersion"])
def test_the_space_has_the_values_and_constraints_of_the_source(name, data):
    source = json.loads((data / "kernels" / f"{name}.space.json").read_text())
    space = problem(f"kernel-{name}-w6600").space
    assert {key: list(parameter.choices) for key, parameter in space.parameters.items()} == source["parameters"]
    constants = {key: value for key, value in source["constants"].items() if isinstance(value, int)}

    def fill(text):  # the constants stand in the expressions of the source
        for key, value in constants.items():
            text = text.replace(key, str(value))
        return text

    same = Space(space.parameters, constraints=[fill(text) for text in source["constraints"]])
    assert {tuple(c.items()) for c in space.decode(space.enumerate())} == {
        tuple(c.items()) for c in same.decode(same.enumerate())
    }
    assert len(space.enumerate()) == source["size_allowed"]


@pytest.mark.parametrize(("name", "n_failed"), [("kernel-convolution-a100", 161), ("kernel-convolution-w6600", 0)])
def test_every_member_has_a_value_or_fails_as_often_as_the_source_says(name, n_failed, data):
    black_box = problem(name)
    values, failures = [], []
    for config in black_box.space.decode(black_box.space.enumerate()):
        try:
            values.append(black_box(config))
        except EvaluationError as error:
            failures.append(str(error))
    assert len(failures) == n_failed and all("compile" in text or "runtime" in text for text in failures)
    assert min(values) == black_box.optimum == black_box(black_box.minimizer)


def test_best_and_median_are_those_of_the_source(data):
    values = sorted(map(problem("kernel-dedispersion-mi250x"), _members("kernel-dedispersion-mi250x")))
    assert (round(values[0], 3), round(values[len(values) // 2], 1)) == (49.572, 117.8)


def _members(name):
    space = problem(name).space
    return space.decode(space.enumerate())


def test_without_the_data_the_error_says_which_file_is_missing(monkeypatch, tmp_path):
    monkeypatch.delenv("AUGER_DATA", raising=False)
    with pytest.raises(
        DataError, match="AUGER_DATA must name a folder with kernels/convolution.A100.parquet. Got no AUGER"
    ):
        kernel("kernel-convolution-a100")
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    with pytest.raises(DataError, match="which holds no such file"):
        kernel("kernel-convolution-a100")


def test_another_file_in_its_position_is_refused(monkeypatch, tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "dedispersion.A100.parquet").write_text("nothing")
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    with pytest.raises(DataError, match="must be a Parquet file with the columns block_size_x"):
        kernel("kernel-dedispersion-a100")


def test_an_unknown_kernel_names_the_nearest():
    with pytest.raises(AugerError, match="Did you mean 'kernel-convolution-a100'"):
        kernel("kernel-convolution-a10")
    assert len(KERNELS) == 8

import json
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from auger.cli.main import app
from auger_bench.experiments import EXPERIMENTS
from auger_bench.methods import METHODS, method
from auger_bench.problems import PROBLEMS, problem
from auger_bench.problems.interface import DataError


def auger(*arguments):
    """As in a shell."""
    command = [sys.executable, "-m", "auger", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def inside(*arguments):
    """In this process: quick, without the exit code of errors."""
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    done = auger(
        "bench",
        "run",
        "--problems",
        "branin,mixed",
        "--methods",
        "random,optuna-tpe",
        "--evals",
        6,
        "--seeds",
        2,
        "--out",
        folder,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "4 runs" not in done.stderr and "8 runs done, 0 were complete before" in done.stderr
    return folder


def test_the_table_has_a_row_for_each_method(results):
    text = inside("bench", "table", results).stdout
    rows = [row for row in text.splitlines() if row.startswith("| `optuna-tpe`")]
    assert rows and "branin" in text and "mixed" in text


def test_the_table_of_one_problem_and_method(results):
    text = inside("bench", "table", results, "--problems", "br*", "--methods", "random").stdout
    assert "mixed" not in text and "| `optuna-tpe`" not in text


def test_the_table_can_be_of_an_earlier_moment(results):
    assert inside("bench", "table", results, "--at", 3).stdout.startswith("3 evaluations; 2 seeds")
    assert inside("bench", "table", results, "--at", 99).stdout == inside("bench", "table", results).stdout


def test_runs_and_curves_are_csv(results):
    runs = inside("bench", "table", results, "--format", "runs").stdout.splitlines()
    assert len(runs) == 1 + 8 and runs[0].startswith("problem,method,seed")
    curves = inside("bench", "table", results, "--format", "curves").stdout.splitlines()
    assert len(curves) > 4 and curves[0].startswith("problem,method")


def test_recorded_runs_and_new_ones_are_one_table(results, tmp_path):
    recorded = inside("bench", "table", results, "--methods", "random", "--format", "runs").stdout
    (tmp_path / "runs.csv").write_text(recorded)
    both = inside("bench", "table", tmp_path / "runs.csv", results, "--format", "runs").stdout
    assert both == inside("bench", "table", results, "--format", "runs").stdout
    assert inside("bench", "table", tmp_path / "runs.csv", "--format", "runs").stdout == recorded


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_plot_is_drawn(results, tmp_path, suffix):
    path = tmp_path / f"regret.{suffix}"
    assert inside("bench", "plot", results, "--out", path).stdout.strip() == str(path)
    assert path.stat().st_size > 1000


def test_a_repeated_command_finds_everything_complete(results):
    done = auger(
        "bench", "run", "--problems", "mixed", "--methods", "random", "--evals", 6, "--seeds", 2, "--out", results
    )
    assert done.returncode == 0
    assert "0 runs done, 2 were complete before" in done.stderr


def test_lists_name_everything():
    listed = inside("bench", "problems").stdout
    assert all(f"{name} " in listed for name in PROBLEMS)
    listed = inside("bench", "methods").stdout
    assert all(f"{name} " in listed for name in METHODS)
    listed = inside("bench", "experiments").stdout
    assert all(f"{name} " in listed for name in EXPERIMENTS)


def is_problem(name):
    """Whether it is one: listed, a wrapped one, in another dimension, or another task of a surrogate."""
    try:
        return name in PROBLEMS or problem(name).name == name
    except DataError:  # the surrogates need files that no package has
        return re.fullmatch(r"yahpo-(xgboost|lcbench)-\d+", name) is not None


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_name_problems_and_methods_that_exist(name):
    for each in EXPERIMENTS[name].problems:
        assert is_problem(each)
    for each in EXPERIMENTS[name].methods:
        assert each in METHODS or method(each).name.split()[0] in METHODS  # a recipe with options


def test_an_experiment_can_be_cut_down(tmp_path, data):
    out = tmp_path / "out"
    options = ("--methods", "random", "--evals", 3, "--seeds", 1, "--out", out)
    done = inside("bench", "experiment", "nas201", *options)
    assert done.exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == ["nas201-cifar10", "nas201-cifar100", "nas201-imagenet16"]
    (path,) = (out / "nas201-cifar10").rglob("*.jsonl")
    assert json.loads(path.read_text().splitlines()[0])["n_evals"] == 3


def test_a_recipe_may_have_options_in_any_spelling(tmp_path):
    options = ("--problems", "branin", "--evals", 4, "--seeds", 1, "--jobs", 1, "--out", tmp_path)
    methods = "tpe n_initial=2 gamma=1/4, tpe gamma=0.25 n_initial=2,random"
    assert inside("bench", "run", *options, "--methods", methods).exit_code == 0
    assert sorted(path.name for path in (tmp_path / "branin").iterdir()) == ["random", "tpe+gamma=0.25+n_initial=2"]
    table = inside("bench", "table", tmp_path, "--methods", "tpe*", "--reference", "tpe gamma=0.25 n_initial=2").stdout
    assert "`tpe gamma=0.25 n_initial=2`" in table and "`random`" not in table
    inside("bench", "plot", tmp_path, "--out", tmp_path / "regret.svg")
    done = inside("bench", "run", *options, "--methods", "tpe n_initial=2 gamma=.25")
    assert "0 runs done, 1 were complete before" in done.output


GOOD = {"--problems": "branin", "--methods": "random", "--evals": "3", "--seeds": "1", "--jobs": "1"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--problems": "brannin"}, "Did you mean 'branin'?"),
        ({"--methods": "bore-fr"}, "Did you mean 'bore-rf'?"),
        ({"--methods": "bore-fr gamma=0.2"}, "Did you mean 'bore-rf'?"),
        ({"--methods": "bore-rf gama=0.2"}, "Did you mean 'gamma'?"),
        ({"--methods": "random gamma=0.2"}, "must be a method, or a recipe with options. Got 'random gamma=0.2'"),
        ({"--evals": "-3"}, "'--evals'"),
        ({"--evals": "many"}, "'--evals'"),
        ({"--seeds": "0"}, "'--seeds'"),
        ({"--jobs": "-1"}, "'--jobs'"),
        ({"--problems": ","}, "must hold at least one"),
    ],
)
def test_bad_input_is_one_clear_message_and_nothing_is_made(tmp_path, change, message):
    out = tmp_path / "out"
    options = [part for pair in {**GOOD, **change}.items() for part in pair]
    done = auger("bench", "run", *options, "--out", out)
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not out.exists()


def test_an_unknown_experiment_is_refused(tmp_path):
    done = auger("bench", "experiment", "raceing", "--out", tmp_path / "out")
    assert done.returncode == 2 and "Did you mean 'racing'?" in done.stderr


@pytest.mark.parametrize("command", ["table", "plot"])
def test_a_folder_without_results_is_refused(tmp_path, command):
    extra = ("--out", tmp_path / "x.png") if command == "plot" else ()
    done = auger("bench", command, tmp_path, *extra)
    assert done.returncode == 2 and "There are no runs in it" in done.stderr


def test_a_method_without_runs_is_refused(results):
    done = auger("bench", "table", results, "--methods", "smac")
    assert done.returncode == 2 and "There is no run of method 'smac'" in done.stderr


def test_a_reference_without_runs_is_refused(results):
    done = auger("bench", "table", results, "--reference", "optuna-tpee")
    assert done.returncode == 2 and "Did you mean 'optuna-tpe'?" in done.stderr


def test_the_version_is_printed():
    import auger as package

    assert inside("--version").stdout.strip() == f"auger {package.__version__}"


def test_help_imports_nothing_heavy():
    program = (
        "import sys; sys.argv = ['auger', 'bench', 'run', '--help']\n"
        "from auger.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'optuna', 'sklearn', 'smac', 'matplotlib', 'hyperopt', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"

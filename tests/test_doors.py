"""What happens at import, checked in a process of its own."""

import subprocess
import sys

import pytest


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_auger_pulls_in_no_heavy_library_and_no_host():
    code = "import sys, auger; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = set(run(code).split())
    heavy = {"scipy", "sklearn", "xgboost", "optuna", "ray", "pandas", "matplotlib", "plotly", "torch"}
    assert loaded.isdisjoint(heavy)


def test_importing_auger_says_and_warns_nothing():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import auger"], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_everything_promised_is_there():
    code = "import auger; print(all(hasattr(auger, name) for name in auger.__all__), auger.__version__)"
    assert run(code).startswith("True 0.")


def without(package):
    """Code that makes a package look as if it were not installed."""
    return f"""
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "{package}" else find_spec(name, *rest)
"""


def test_a_missing_xgboost_says_what_to_install():
    code = f"""{without("xgboost")}
import auger
try:
    auger.Optimizer(dict(x=(0.0, 1.0)), "bore-xgb", seed=0)
except auger.AugerError as error:
    print(error)
"""
    assert run(code).endswith('Install it with: pip install "auger[xgboost]"')


@pytest.mark.parametrize(
    ("missing", "call", "extra"),
    [
        (
            "psycopg",
            "from auger.studies.storage import open_storage; open_storage('postgresql://me@host/db')",
            "postgres",
        ),
        ("optuna_dashboard", "from auger.cli.studies import dashboard; dashboard('study.toml')", "dashboard"),
    ],
)
def test_a_missing_package_of_an_extra_says_what_to_install(missing, call, extra):
    code = f"""{without(missing)}
from auger import AugerError
try:
    {call}
except AugerError as error:
    print(error)
"""
    assert run(code).endswith(f'Install it with: pip install "auger[{extra}]"')


def test_methods_are_listed_where_xgboost_is_missing():
    code = f"""{without("xgboost")}
from auger_bench.methods import METHODS
print(METHODS["bore-xgb-platt"].is_installed, METHODS["auto"].is_installed)
"""
    assert run(code) == "False True"

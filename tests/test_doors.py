"""What happens at import, checked in a process of its own."""

import subprocess
import sys


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


WITHOUT_XGBOOST = """
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "xgboost" else find_spec(name, *rest)
"""


def test_a_missing_xgboost_says_what_to_install():
    code = f"""{WITHOUT_XGBOOST}
import auger
try:
    auger.Optimizer(dict(x=(0.0, 1.0)), "bore-xgb", seed=0)
except auger.AugerError as error:
    print(error)
"""
    assert run(code).endswith('Install it with: pip install "auger[xgboost]"')


def test_methods_are_listed_where_xgboost_is_missing():
    code = f"""{WITHOUT_XGBOOST}
from auger.bench.methods import METHODS
print(METHODS["bore-xgb-platt"].is_installed, METHODS["auto"].is_installed)
"""
    assert run(code) == "False True"

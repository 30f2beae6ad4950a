"""What docs/optuna.md says of Hydra."""

import re
import subprocess
import sys
from pathlib import Path

import optuna
import pytest

from auger.hosts.optuna import AugerSampler

pytest.importorskip("hydra", reason="the page shows how to use Hydra")
from hydra.utils import instantiate
from omegaconf import OmegaConf

PAGE = (Path(__file__).parents[3] / "docs" / "optuna.md").read_text()
SECTION = PAGE.split("\n## Hydra\n")[1].split("\n## ")[0]
CONFIG, SAMPLER, SWEEP = re.findall(r"^```yaml\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
(SCRIPT,) = re.findall(r"^```py\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)


def test_the_program_of_the_page_runs(tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text(CONFIG)
    (tmp_path / "tune.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "tune.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "'layers': 3" in done.stdout


def test_the_sampler_of_the_page_is_ours():
    sampler = instantiate(OmegaConf.create(SAMPLER))
    assert isinstance(sampler, AugerSampler)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)


def test_the_sweep_of_the_page_names_that_sampler():
    assert {"override hydra/sweeper/sampler": "auger"} in OmegaConf.create(SWEEP).defaults

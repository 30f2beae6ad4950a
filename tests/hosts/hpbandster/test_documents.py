"""The page and the example about HpBandSter run, here where HpBandSter is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SNIPPET = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)


def ran(arguments, folder):
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_snippets_of_the_page_run(tmp_path):
    snippets = SNIPPET.findall((ROOT / "docs" / "hpbandster.md").read_text())
    (tmp_path / "page.py").write_text("\n".join(snippets))
    assert "'rate'" in ran(["page.py"], tmp_path)


def test_the_example_runs(tmp_path):
    assert "runs, best 0." in ran([str(ROOT / "examples" / "hpbandster_study.py")], tmp_path)


@pytest.mark.parametrize(("name", "version"), [("hpbandster", None), ("hpbandster", "0.6"), ("ConfigSpace", "1.2.2")])
def test_a_missing_or_unknown_version_is_an_error_at_import_with_what_installs_it(name, version, tmp_path):
    code = f"""
from importlib import metadata
real = metadata.version
def fake(name):
    if name != {name!r}: return real(name)
    if {version!r} is None: raise metadata.PackageNotFoundError(name)
    return {version!r}
metadata.version = fake
import auger
try:
    import auger.hosts.hpbandster
except auger.AugerError as error:
    print(error)
"""
    message = ran(["-c", code], tmp_path).strip()
    assert message.startswith(f"`auger.hosts.hpbandster` needs {name}")
    assert message.endswith('Install it with: pip install "auger[hpbandster]"')

"""Small libraries that come between a process and the system, for what cannot be had otherwise."""

import shutil
import subprocess
from pathlib import Path

from support import suite


def preload(name, folder):
    """The environment of a process with the library of this name, which is compiled into a folder."""
    compiler = shutil.which("cc") or suite.needs("a C compiler", "apt-get install gcc")
    library, source = folder / f"{name}.so", Path(__file__).with_name(f"{name}.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}

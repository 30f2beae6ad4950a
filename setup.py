"""What pyproject.toml cannot say in a stable way yet: one file of C, compiled if possible.

Where it cannot be compiled the package installs all the same, and `ExtraTrees` runs in NumPy.
"""

import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildLibrary(build_ext):
    """A shared library that lies where an extension module would, without being one: no PyInit to export."""

    def get_export_symbols(self, ext: Extension) -> list[str]:
        return list(ext.export_symbols)


# The results must be those of NumPy to the last bit: no fused multiply-add. MSVC fuses only when asked to.
FLAGS = ["/O2"] if sys.platform == "win32" else ["-std=c99", "-O3", "-ffp-contract=off"]

setup(
    cmdclass={"build_ext": BuildLibrary},
    ext_modules=[
        Extension(
            "auger.classifiers._trees",
            ["src/auger/classifiers/_trees.c"],
            extra_compile_args=FLAGS,
            optional=True,
            py_limited_api=True,  # it uses nothing of Python, so one binary serves every version
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)

"""How the documentation site is built: `sphinx-build -W --keep-going -b html docs docs/_build/html`.

The pages are plain Markdown that reads as well where they lie. Only those made for the site alone, index, api/,
changelog and contributing, have directives in them.
"""

import sys
from pathlib import Path

import auger
import auger.hosts.configspace
import auger.hosts.optuna
import auger.hosts.sklearn
import auger.insight
import auger.labels
import auger.plots
import auger.testing
import auger.types

sys.path.insert(0, str(Path(__file__).parent))  # command_line.py

# In the types of arguments these aliases have the names they have in the code, not what NumPy writes out for them.
# Hints are text until Sphinx evaluates them, and then it finds the stand-ins. (autodoc_type_aliases stops at unions.)
for _home, _name in ((auger.types, "Array"), (auger.types, "Index"), (auger.types, "Mask"), (auger.labels, "Weights")):
    _alias, _stand_in = getattr(_home, _name), type(_name, (), {"__module__": _home.__name__})
    for _module in [module for name, module in sys.modules.items() if name.startswith("auger.")]:
        if getattr(_module, _name, None) is _alias:
            setattr(_module, _name, _stand_in)

project = "auger"
author = "The auger developers"
copyright = author
version = release = auger.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "command_line",
]
exclude_patterns = ["_build"]
highlight_language = "text"  # of indented blocks
myst_heading_anchors = 3  # guide.md#noisy-values, with the names GitHub gives

nitpicky = True
default_role = "py:obj"  # `Optimizer` in a docstring is a link where there is something to link to
# What other libraries define is named, not linked: a build asks nobody.
nitpick_ignore_regex = [
    ("py:obj", ".*"),
    ("py:class", r"(collections|datetime|np|npt|numpy|optuna|pathlib|pd|rules|sklearn|typing|ConfigSpace)\..*"),
    ("py:class", "Figure|FrozenTrial"),
]

autodoc_member_order = "bysource"
autodoc_typehints = "description"  # signatures stay short; types stand beside what the arguments mean
autodoc_typehints_description_target = "documented_params"  # fields of dataclasses have theirs already
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"auger {release}"
html_favicon = html_logo = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False

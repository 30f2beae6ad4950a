"""What may import what: docs/architecture.md in the form of a test. Imports inside functions count like any other."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"

# A room may import the rooms before it, and itself. What stands together may import each other, without a cycle.
ROOMS = [
    "types characters",
    "errors",
    "checks files threads",
    "provenance evidence objectives outcome_constraints schema",
    "text markup",
    "space",
    "configs trial standing old_formats",
    "preference",
    "history pareto table notebook",
    "past_results",
    "saved_runs",
    "gaussian_process",
    "curves labels",
    "classifiers",
    "maximizers",
    "recipes second_chance",
    "suggest density_ratio",
    "recommend",
    "optimizer",
    "loop",
    "minimize",
    "view",
    "confirmation",
    "best",
    "hosts",
    "studies",
    "insight",
    "plots",
    "report",
    "testing",
    "cli",
]
RANK = {room: rank for rank, line in enumerate(ROOMS) for room in line.split()}

# These know a run as a `View` only: whatever keeps runs makes one of its own.
SEE_VIEWS_ONLY = {"insight", "plots", "report"}
KEEP_RUNS = {"hosts", "studies"}

# Libraries that a user may do without, and the rooms that may name them.
HOSTS = {"ray": {"hosts", "studies"}, "ConfigSpace": {"hosts"}, "hpbandster": {"hosts"}, "Pyro4": {"hosts"}}


def modules():
    """Dotted name -> path of every module of ours."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def named(path):
    """Every dotted name that a module imports, or spells out as a string (which `import_module` would take)."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports are not used here"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in MODULES.keys() - {"auger"}
        ):
            yield node.value


IMPORTS = {module: {name for name in named(path) if name in MODULES} - {module} for module, path in MODULES.items()}


def room(module):
    parts = module.split(".")
    return "cli" if parts[-1] == "__main__" else parts[1] if len(parts) > 1 else ""


def test_there_is_no_cycle():
    try:
        tuple(TopologicalSorter(IMPORTS).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("auger.")])
def test_arrows_point_inwards(module):
    own = room(module)
    assert own in RANK, f"{own} is a new room: say in this list, and in docs/architecture.md, what it may import"
    for other in IMPORTS[module] - {"auger"}:
        assert not other.startswith("auger_bench"), f"{module} imports the benchmarks"
        assert RANK[room(other)] <= RANK[own], f"{module} imports {other}, which stands further out"
        if own in SEE_VIEWS_ONLY:
            assert room(other) not in KEEP_RUNS, f"{module} imports {other}: it must do with a View"


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("auger.")])
def test_hosts_are_imported_by_their_adapters_only(module):
    for library in {name.split(".")[0] for name in named(MODULES[module])} & HOSTS.keys():
        assert room(module) in HOSTS[library], f"{module} imports {library}"


def test_one_host_does_not_know_another():
    for module, imported in IMPORTS.items():
        if module.startswith("auger.hosts."):
            others = {name.split(".")[2] for name in imported if name.startswith("auger.hosts.")}
            allowed = {module.split(".")[2], "versions"}
            allowed |= {"configspace"} if "hpbandster" in allowed else set()  # whose spaces are ConfigSpace's
            assert others <= allowed, f"{module} imports {others - allowed}"


def test_names_of_stored_attributes_stand_in_the_schema_only():
    for module, path in MODULES.items():
        texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
        stored = [text for text in texts if isinstance(text, str) and text.startswith("auger:") and " " not in text]
        assert module == "auger.schema" or not stored, f"{module} names {stored}"

import pytest
from faults.postgres import Postgres
from faults.programs import starts
from faults.scene import open_scene


@pytest.fixture
def scene(tmp_path, request):
    """A folder and the `auger` command; at the end no process of it may be left, however the test has ended."""
    with open_scene(tmp_path, request.node.name) as scene:
        yield scene


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory, request):
    """The same, for one run that several tests look at."""
    with open_scene(tmp_path_factory.mktemp("shared"), request.node.name) as scene:
        yield scene


@pytest.fixture(scope="session")
def server():
    server = Postgres()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def postgres(server):
    """A running PostgreSQL, started again after a test that stopped it."""
    if not server.is_running():
        server.start()
    return server


@pytest.fixture(params=["journal", "postgres"])
def storage(request):
    """A new storage of either kind, or of the one that a test names."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres").database()
    return {"journal": "study.journal", "sqlite": "sqlite:///study.db"}[request.param]


@pytest.fixture
def figures(scene, record_property):
    """Write down, for the summary, what was run and what went wrong."""

    def write(study, budget, what):
        configs = study.configs()
        counts = {
            "run": starts(scene.folder).total(),
            "complete": configs.total(),
            "lost": budget - configs.total(),
            "duplicated": configs.total() - len(configs),
            "run again after a kill": starts(scene.folder).total() - len(starts(scene.folder)),
        }
        record_property("figures", f"{what}: {', '.join(f'{n} {key}' for key, n in counts.items())}")

    return write

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ray import tune

from auger import Categorical, Float, Int, Ordinal, Space
from auger.errors import ConfigError, SpaceError
from auger.hosts.ray.domains import read_domains

TABLE = [
    (tune.uniform(-1, 2), Float(-1, 2)),
    (tune.loguniform(1e-4, 1e-1), Float(1e-4, 1e-1, log=True)),
    (tune.quniform(0.0, 1.0, 0.1), Float(0.0, 1.0, step=0.1)),
    (tune.qrandint(5, 96, 10), Int(10, 90, step=10)),  # the multiples in between
    (tune.randint(1, 9), Int(1, 8)),  # without the upper bound
    (tune.randint(3, 4), Categorical((3,))),
    (tune.lograndint(1, 100), Int(1, 99, log=True)),
    (tune.qrandint(10, 100, 10), Int(10, 100, step=10)),  # with the upper bound
    (tune.qrandint(1, 9, 1), Int(1, 8)),
    (tune.qlograndint(4, 64, 4), Int(1, 16, log=True)),  # of fours
    (tune.qloguniform(0.01, 1.0, 0.01), Int(1, 100, log=True)),  # of hundredths
    (tune.choice(["relu", "tanh"]), Categorical((0, 1))),
]


@pytest.mark.parametrize(("domain", "parameter"), TABLE, ids=lambda each: str(each)[:40])
def test_a_domain_becomes_the_parameter_with_the_same_values(domain, parameter):
    assert read_domains({"x": domain}).space.parameters["x"] == parameter


@pytest.mark.parametrize("domain", [domain for domain, _ in TABLE], ids=lambda each: str(each)[:40])
def test_what_ray_draws_is_found_and_what_we_find_is_valid(domain):
    domains = read_domains({"x": domain})
    drawn = [{"x": domain.sample()} for _ in range(20)]
    members = domains.space.encode([domains.from_ray(config) for config in drawn])
    assert not np.isnan(members).any()
    for row in domains.space.decode(domains.space.sample(20, np.random.default_rng(0))):
        ray_config = domains.to_ray(row)
        assert domain.is_valid(ray_config["x"]) or ray_config["x"] == domain.upper
        assert domains.from_ray(ray_config) == row


SPACE = {
    "optimizer": {"lr": tune.loguniform(1e-4, 1e-1), "name": tune.choice(["adam", "sgd"])},
    "model": tune.choice(
        [
            {"kind": "svm", "C": tune.loguniform(1e-3, 1e3)},
            {"kind": "forest", "trees": tune.qrandint(10, 100, 10), "leaf": {"size": tune.randint(1, 5)}},
            "mean",
            None,
        ]
    ),
    "epochs": 5,
}


@given(seed=st.integers(0, 10_000))
def test_nested_and_conditional_spaces_are_read_there_and_back(seed):
    domains = read_domains(SPACE)
    row = domains.space.decode(domains.space.sample(1, np.random.default_rng(seed)))[0]
    config = domains.to_ray(row)
    assert config["epochs"] == 5 and set(config["optimizer"]) == {"lr", "name"}
    assert domains.from_ray(config) == row
    flat = {"optimizer/lr": config["optimizer"]["lr"], "optimizer/name": config["optimizer"]["name"]}
    assert domains.from_ray({**flat, "model": config["model"]}) == row


def test_parameters_inside_of_a_choice_are_active_with_it_only():
    parameters = read_domains(SPACE).space.parameters
    assert dict(parameters["model/0/C"].when) == {"model": 0}
    assert dict(parameters["model/1/leaf/size"].when) == {"model": 1}
    assert read_domains(SPACE).to_ray({"optimizer/lr": 0.01, "optimizer/name": 1, "model": 2})["model"] == "mean"


def test_choices_may_be_anything():
    layers = [[64, 64], np.zeros(3), len, {"a": 1}]
    domains = read_domains({"layers": tune.choice(layers)})
    assert domains.to_ray({"layers": 1})["layers"] is layers[1]
    assert [domains.from_ray({"layers": each})["layers"] for each in layers] == [0, 1, 2, 3]


REFUSED = {
    "randn": (tune.randn(0, 1), "tune.uniform or tune.loguniform"),
    "qrandn": (tune.qrandn(0, 1, 0.1), "tune.uniform or tune.loguniform"),
    "sample_from": (tune.sample_from(lambda config: 1), "tune.choice of dicts"),
    "grid_search": (tune.grid_search([1, 2]), r"tune.choice\(\[1, 2\]\)"),
    "list": ([tune.uniform(0, 1)], "a dict with a key for each"),
    "list in a list": ([[tune.uniform(0, 1)]], "a dict with a key for each"),
    "list in a dict in a list": ([{"a": [tune.uniform(0, 1)]}], "a dict with a key for each"),
    "one of ours": (Float(0, 1), "tune.uniform.*or pass AugerSearch the whole space"),
    "choice of nothing": (tune.choice([]), "at least one choice"),
    "no multiple": (tune.qrandint(11, 19, 10), "multiple of 10"),
    "backwards": (tune.uniform(1.0, 0.0), "must be below"),
}


@pytest.mark.parametrize(("domain", "instead"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_searched_is_refused_by_name_with_what_to_use_instead(domain, instead):
    with pytest.raises(SpaceError, match=rf"'model/x'.*{instead}"):
        read_domains({"model": {"x": domain}})


@pytest.mark.parametrize("alternative", [[tune.uniform(0, 1)], {"a": [tune.uniform(0, 1)]}, {"a": Float(0, 1)}])
def test_what_cannot_be_searched_is_refused_inside_of_a_choice_too(alternative):
    with pytest.raises(SpaceError, match="'x/0"):
        read_domains({"x": tune.choice([alternative, 2])})


@pytest.mark.parametrize(
    "space",
    [
        {"x": tune.choice([tune.uniform(0, 1), tune.randint(5, 9), None])},
        {"x": tune.choice([{"a": tune.uniform(0, 1)}, {"a": tune.uniform(2, 3)}])},
        {"x": tune.choice([{"a": tune.uniform(0, 1), "k": 2}, {"a": tune.uniform(0, 1)}])},
        {"x": tune.choice([{"w": np.zeros(2), "a": tune.uniform(0, 1)}, {"w": np.ones(2), "a": tune.uniform(0, 1)}])},
        {"x/y": tune.uniform(0, 1), "x": {"z": tune.uniform(0, 1)}},
        {0: {1: tune.uniform(0, 1)}, "layers": [64, 64]},
    ],
    ids=["domains", "ranges", "keys", "arrays", "slashes", "numbers"],
)
def test_the_alternative_of_a_config_is_found_again(space):
    domains = read_domains(space)
    rows = domains.space.decode(domains.space.sample(20, np.random.default_rng(0)))
    assert [domains.from_ray(domains.to_ray(row)) for row in rows] == rows


def test_a_partial_alternative_is_recognized_by_the_values_it_has():
    domains = read_domains(SPACE)
    assert domains.from_ray({"model": {"kind": "forest"}}, is_partial=True) == {"model": 1}
    config = domains.from_ray({"model": {"leaf": {"size": 2}}}, is_partial=True)
    assert config == {"model": 1, "model/1/leaf/size": 2}


def test_a_space_of_ours_is_searched_as_it_is():
    space = Space({"size": Ordinal(["s", "m"]), "rate": Float(0, 1, when={"size": "m"})}, constraints=["rate < 0.5"])
    domains = read_domains(space)
    assert domains.space is space
    for config in ({"size": "s"}, {"size": "m", "rate": 0.25}):
        assert domains.to_ray(config) == domains.from_ray(config) == config


def test_a_space_without_domains_is_none_and_no_dict_is_refused():
    assert read_domains({"epochs": 5}) is None
    with pytest.raises(SpaceError, match="must be a dict"):
        read_domains([tune.uniform(0, 1)])


def test_keys_with_slashes_that_collide_are_refused():
    with pytest.raises(SpaceError, match="'a/b'"):
        read_domains({"a": {"b": tune.uniform(0, 1)}, "a/b": tune.uniform(0, 1)})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"optimizer": {"lr": 0.01}}, "'optimizer/name' must have a value"),
        ({"optimizer": {"lr": 0.01, "name": "lion"}, "model": None}, "'optimizer/name' must be one of its 2 choices"),
        ({"optimizer": 3, "model": None}, "'optimizer' must be a dict"),
        ({"optimiser": {}}, "'optimiser' must be a key of the search space. Did you mean 'optimizer'"),
        ({"optimizer": {"lr": 2.0}}, "'optimizer/lr' must be between 0.0001 and 0.1. Got 2.0"),
        ({"optimizer": {"lr": 0.01, "name": "adam"}, "model": None, "epochs": 6}, "'epochs' must be 5.*Got 6"),
        ({"optimizer": {"lr": 0.01, "name": "adam"}, "model": {"kind": "svm"}}, "one of its 4 choices"),
    ],
)
def test_a_config_that_does_not_fit_is_refused_by_its_path(config, message):
    with pytest.raises(ConfigError, match=message):
        read_domains(SPACE).from_ray(config)

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import expon, loguniform
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from auger import Categorical, Float, Int, Ordinal, Space
from auger.errors import ConfigError, SpaceError
from auger.hosts.sklearn.spaces import BRANCH, is_same_space, read_space


def members(space):
    """All parameters that a finite space leads to."""
    search_space = read_space(space)
    return [search_space.params(config) for config in search_space.space.decode(search_space.space.members)]


def test_every_way_to_write_a_parameter_is_read():
    search_space = read_space(
        {
            "a": Float(0, 1),
            "b": (1, 12),
            "c": (0.0, 1.0),
            "d": ["x", None, 3],
            "e": range(2, 20, 3),
            "f": range(9, 0, -2),
            "g": np.array([0.1, 1.0]),
            "h": loguniform(1, 10),
            "i": Ordinal([16, 32]),
            "j": range(4, 5),
        }
    )
    assert search_space.space.parameters == {
        "a": Float(0, 1),
        "b": Int(1, 12),
        "c": Float(0.0, 1.0),
        "d": Categorical(("x", None, 3)),
        "e": Int(2, 17, step=3),
        "f": Int(1, 9, step=2),
        "g": Categorical((0.1, 1.0)),
        "h": Float(1, 10, log=True),
        "i": Ordinal([16, 32]),
        "j": Categorical((4,)),
    }


@pytest.mark.parametrize(
    "choices",
    [
        ("linear", "rbf"),
        (True, False),
        ((50,), (100, 50)),
        (None, 3),
        (1, 2, 4),
        (0.5,),
        (True, 2),
        ({"a": 1}, {"a": 2}),
    ],
    ids=str,
)
def test_a_tuple_that_is_not_two_numbers_is_a_list_of_choices(choices):
    assert [params["p"] for params in members({"p": choices})] == list(choices)


@pytest.mark.parametrize(
    ("pair", "parameter"),
    [((1, 4), Int(1, 4)), ((1, 4.0), Float(1, 4)), ((np.int64(1), np.float64(2)), Float(1, 2))],
    ids=str,
)
def test_a_tuple_of_two_numbers_is_a_range(pair, parameter):
    assert read_space({"p": pair}).space.parameters == {"p": parameter}


def test_a_distribution_with_quantiles_says_in_the_space_that_its_values_are_probabilities():
    search_space = read_space({"C": expon(), "n": (1, 2)})
    assert search_space.space.names == ["C (quantile)", "n"]
    assert search_space.params({"C (quantile)": 0.5, "n": 1}) == {"C": expon().median(), "n": 1}


# -- the config of a candidate --------------------------------------------------------------------------------------


def test_a_config_leads_back_to_the_parameters_of_the_candidate():
    svc, weights = SVC(), {0: 1}
    search_space = read_space({"clf": [svc, None], "w": [None, weights], "C": expon(), "n": (1, 9)})
    params = {"clf": SVC(), "w": {0: 1}, "C": 0.25, "n": 3}  # copies of the choices
    back = search_space.params(search_space.config(params))
    assert back["clf"] is svc and back["w"] is weights and back["n"] == 3
    assert back["C"] == pytest.approx(0.25, rel=1e-12)
    assert search_space.config({"n": 3}) == {"n": 3}


def test_a_config_belongs_to_the_first_dict_that_has_all_its_parameters():
    search_space = read_space([{"k": ["rbf"], "C": (1, 5)}, {"k": ["poly"], "C": (1, 9), "d": (2, 5)}])
    assert search_space.config({"C": 2}) == {BRANCH: 0, "C": 2}
    assert search_space.config({"C": 7}) == {BRANCH: 1, "C (2)": 7}
    assert search_space.config({"d": 2, "k": "poly"}) == {BRANCH: 1, "d": 2, "k (2)": "poly"}


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"C": 99.0}, r"'C' must be a number from 0.0010005 to 6.90776. Got 99.0"),
        ({"C": "x"}, "'C' must be a number from"),
        ({"c": 1.0}, "Unknown parameter 'c'.*Known: 'C', 'n', 'k'"),
        ({"n": 12}, "'n' must be"),
        ({"k": "c"}, "'k' must be one of 'a', 'b'. Got 'c'"),
        ("C", "must map names"),
    ],
    ids=str,
)
def test_a_candidate_that_is_not_in_the_space_is_refused_by_name(params, says):
    with pytest.raises(ConfigError, match=says):
        read_space({"C": expon(), "n": (1, 9), "k": ["a", "b"]}).config(params)


def test_a_candidate_that_fits_no_dict_is_refused_with_the_reason_for_each():
    with pytest.raises(ConfigError, match=r"one of the 2 dicts.*dict 1: Parameter 'C'.*dict 2: Unknown parameter 'C'"):
        read_space([{"C": (1, 5)}, {"d": (2, 5)}]).config({"C": 7})


# -- the same space -------------------------------------------------------------------------------------------------


def spaces():
    svc = SVC()
    return {
        "a": {"C": (1, 5), "k": ["a", "b"]},
        "another range": {"C": (1, 6), "k": ["a", "b"]},
        "another choice": {"C": (1, 5), "k": ["a", "c"]},
        "more choices": {"C": (1, 5), "k": ["a", "b", "c"]},
        "another name": {"C": (1, 5), "j": ["a", "b"]},
        "a condition": {"C": Int(1, 5, when={"k": "a"}), "k": ["a", "b"]},
        "another condition": {"C": Int(1, 5, when={"k": "b"}), "k": ["a", "b"]},
        "a distribution": {"C": expon(), "k": ["a", "b"]},
        "another distribution": {"C": expon(scale=2), "k": ["a", "b"]},
        "a constraint": Space({"C": (1, 5), "k": ["a", "b"]}, constraints=["C < 3"]),
        "estimators": {"clf": [svc, None], "C": Float(1, 5, when={"clf": svc})},
        "other estimators": {"clf": [SVC(C=3), None], "C": Float(1, 5, when={"clf": None})},
        "dicts": [{"C": (1, 5)}, {"k": ["a", "b"]}],
    }


@pytest.mark.parametrize("name", spaces())
def test_a_space_is_the_same_as_its_copies_and_as_no_other(name):
    search_space = read_space(spaces()[name])
    assert [other for other, space in spaces().items() if is_same_space(search_space, read_space(space))] == [name]
    copied = read_space(clone(spaces()[name], safe=False))
    assert is_same_space(copied, search_space)


def test_a_space_is_taken_as_it_is():
    space = Space({"x": (0, 1), "y": (0, 1)}, constraints=["x + y <= 1"])
    assert read_space(space).space is space
    assert len(members(space)) == 3


def test_a_space_with_estimators_can_be_copied():
    svc = SVC()
    space = Space({"clf": [svc, LogisticRegression()], "k": Int(0, 1, when={"clf": svc})})
    params_list = members(clone(space, safe=False))
    assert [(type(each["clf"]), each.get("k")) for each in params_list] == [
        (SVC, 0),
        (SVC, 1),
        (LogisticRegression, None),
    ]


def test_any_object_can_be_a_choice_and_arrives_as_the_user_passed_it():
    svc, weights, sizes, array = SVC(), {0: 1, 1: 5}, [50, 50], np.zeros(2)
    choices = [svc, None, weights, sizes, array, (1, 2), "balanced", float("nan"), len]
    got = [params["p"] for params in members({"p": choices})]
    assert all(one is other for one, other in zip(got, choices, strict=True) if not isinstance(other, tuple))
    assert got[5] == (1, 2)


def test_choices_that_equal_each_other_but_are_of_another_type_are_different():
    # one feature, all features
    assert [(type(p["p"]), p["p"]) for p in members({"p": [1, 1.0, True]})] == [(int, 1), (float, 1.0), (bool, True)]


def test_the_same_choice_twice_is_refused():
    with pytest.raises(SpaceError, match="Parameter 'p'.*must all differ"):
        read_space({"p": [1, 2, 1]})


def test_conditions_can_name_any_choice():
    svc, logistic, weights = SVC(), LogisticRegression(), {0: 1, 1: 5}
    space = {
        "clf": [svc, logistic],
        "clf__degree": Int(2, 3, when={"clf": svc}),
        "w": [None, weights],
        "k": Int(0, 1, when={"w": {0: 1, 1: 5}}),
        "m": Int(0, 1, when={"w": [None, weights]}),
    }
    # the last copies each of the values by itself
    for copied in (space, copy.deepcopy(space), pickle.loads(pickle.dumps(space)), clone(space, safe=False)):
        params_list = members(copied)
        # (2 + 1) of clf, times w: None with m, or the weights with k and m
        assert len(params_list) == 3 * (2 + 4)
        assert all(("clf__degree" in params) == isinstance(params["clf"], SVC) for params in params_list)
        assert all(("k" in params) == (params["w"] is not None) for params in params_list)


def test_a_list_of_dicts_is_the_union_of_what_each_leads_to():
    space = [
        {"kernel": ["rbf"], "C": [1, 2]},
        {"kernel": ["poly"], "C": [1, 2], "degree": (2, 3)},
        {"kernel": ["linear"], "C": [5]},
        {},
    ]
    assert members(space) == [
        {"kernel": "rbf", "C": 1},
        {"kernel": "rbf", "C": 2},
        *({"C": c, "kernel": "poly", "degree": d} for c in (1, 2) for d in (2, 3)),
        {"kernel": "linear", "C": 5},
        {},
    ]


def test_what_is_the_same_in_several_dicts_is_one_parameter():
    search_space = read_space([{"C": (1, 2), "a": (0, 1)}, {"C": (1, 2)}, {"C": (1, 3)}])
    assert search_space.space.names == [BRANCH, "C", "a", "C (3)"]
    assert dict(search_space.space.parameters["C"].when) == {BRANCH: [0, 1]}


def test_a_copy_of_a_list_of_dicts_is_the_same_space():
    scale = [SVC(C=2), None, {"a": 1}]
    space = [{"scale": scale, "C": expon(scale=10)}, {"scale": scale, "C": expon(scale=10)}, {"C": expon(scale=1)}]
    names = [
        read_space(each).space.names for each in (space, clone(space, safe=False), pickle.loads(pickle.dumps(space)))
    ]
    assert names == [[BRANCH, "scale", "C (quantile)", "C (3) (quantile)"]] * 3


def test_conditions_hold_within_their_dict():
    space = [{"k": ["a", "b"], "x": Int(0, 1, when={"k": "b"})}, {"k": ["b"], "x": Int(0, 1, when={"k": "b"})}]
    assert members(space) == [
        {"k": "a"},
        {"k": "b", "x": 0},
        {"k": "b", "x": 1},
        {"k": "b", "x": 0},
        {"k": "b", "x": 1},
    ]


def test_a_distribution_in_a_list_of_dicts_keeps_its_values():
    search_space = read_space([{"C": expon(scale=10)}, {"C": expon(scale=1000)}])
    configs = search_space.space.decode(search_space.space.sample(200, np.random.default_rng(0)))
    by_branch = [[search_space.params(each)["C"] for each in configs if each[BRANCH] == branch] for branch in (0, 1)]
    assert 5 < np.median(by_branch[0]) < 9 and 500 < np.median(by_branch[1]) < 900  # 10 ln 2 and 1,000 ln 2


@pytest.mark.parametrize(
    ("space", "says"),
    [
        ({}, "at least one parameter"),
        ([], "`param_distributions` must be a Space, a dict of parameters, or a list of such dicts"),
        ("C", "must be a Space, a dict"),
        ([{"C": (0, 1)}, Space({"C": (0, 1)})], "Got a Space in it. Write one Space"),
        ([{"C": (0, 1)}, 3], "Got 3 in it"),
        ({"C": (3, 1)}, "'C': `low` of an Int must be below `high`.*for two choices, write a list"),
        ({"C": (0.5, 0.5)}, "'C': `low` of a Float must be below `high`.*for two choices, write a list"),
        ({"C": ()}, "'C'.*at least one value"),
        ({"C": Int(0, 1, when={"D": 1}), "D": expon()}, "'C' must depend on choices or whole numbers. 'D' is contin"),
        ({"C": 3}, "'C' must be"),
        ({"C": []}, "'C'.*at least one value"),
        ({"C": np.zeros((2, 2))}, r"'C' must be a flat list of choices. Got an array of shape \(2, 2\)"),
        ({"C": Int(0, 1, when={"clf": 1})}, "'C' depends on 'clf', which is not a parameter"),
        ([{"clf": [1]}, {"C": Int(0, 1, when={"clf": 1})}], "'C' depends on 'clf', which its dict does not have"),
    ],
)
def test_what_is_no_space_is_refused_by_name(space, says):
    with pytest.raises(SpaceError, match=says):
        read_space(space)

import numpy as np
import pytest
from support.histories import sampled

from auger import Categorical, Float, Int, Ordinal
from auger.errors import ConfigError
from auger.insight import interactions, one_slice, two_slice
from auger.space import Space


def bowl(config):
    return (np.log10(config["lr"]) + 3) ** 2 + 0.1 * (config["depth"] - 6) ** 2 + (config["act"] == "tanh")


SPACE = {"lr": Float(1e-5, 1e-1, log=True), "depth": (1, 12), "act": ["relu", "tanh"]}


@pytest.fixture(scope="module")
def history():
    return sampled(SPACE, bowl, 400)


def test_a_slice_is_highest_where_the_function_is_lowest(history):
    found = one_slice(history, "lr")
    assert found.is_log and found.is_ordered and found.note == ""
    assert found.values[0] == 1e-5 and found.values[-1] == 1e-1 and len(found.values) == 41
    assert 3e-4 < found.values[int(found.p.argmax())] < 3e-3
    assert found.p[0] < 0.02 and found.p[-1] < 0.02 and found.p.max() > 0.1
    assert (found.low <= found.high).all() and (found.low >= 0).all() and (found.high <= 1).all()


def test_whole_numbers_and_choices_are_the_users_own(history):
    depth, act = one_slice(history, "depth"), one_slice(history, "act")
    assert depth.values == list(range(1, 13)) and 4 <= depth.values[int(depth.p.argmax())] <= 8 and not depth.is_log
    assert act.values == ["relu", "tanh"] and act.p[0] > 2 * act.p[1] and not act.is_ordered


def test_a_slice_is_the_mean_of_the_classifier_over_the_trials():
    # one parameter alone: the slice is the classifier itself, and has no spread
    found = one_slice(sampled({"x": (0.0, 1.0)}, lambda config: config["x"], 50), "x")
    np.testing.assert_allclose(found.p, found.low)
    np.testing.assert_allclose(found.p, found.high)
    assert found.p[0] == 1.0 and found.p[-1] == 0.0


def test_a_surface_has_its_peak_where_both_are_best(history):
    found = two_slice(history, "lr", "depth")
    assert found.p.shape == (len(found.first_values), len(found.second_values)) == (21, 12)
    i, j = np.unravel_index(found.p.argmax(), found.p.shape)
    assert 2e-4 < found.first_values[i] < 5e-3 and 4 <= found.second_values[j] <= 8


def test_parameters_that_matter_together_interact_and_others_do_not():
    space = {"a": (0.0, 1.0), "b": (0.0, 1.0), "alone": (0.0, 1.0), "idle": (0.0, 1.0)}
    pairs = interactions(sampled(space, lambda c: ((c["a"] > 0.5) ^ (c["b"] > 0.5)) + 1e-3 * c["alone"], 500))
    assert {pairs[0].first, pairs[0].second} == {"a", "b"}
    assert pairs[0].strength > 3 * pairs[-1].strength
    assert [pair.strength for pair in pairs] == sorted((pair.strength for pair in pairs), reverse=True)
    assert len(interactions(sampled(space, lambda c: c["a"], 40), n=2)) <= 2


CONDITIONAL = Space(
    {
        "kernel": Categorical(["rbf", "poly", "none"]),
        "degree": Int(2, 5, when={"kernel": "poly"}),
        "width": Float(0.1, 10.0, log=True, when={"kernel": ["rbf", "poly"]}),
    }
)


def test_inactive_parameters_are_looked_at_where_they_are_active():
    history = sampled(CONDITIONAL, lambda config: abs(config.get("width", 50.0) - 1) + config.get("degree", 0), 300)
    width, degree = one_slice(history, "width"), one_slice(history, "degree")
    assert 0.3 < width.values[int(width.p.argmax())] < 2
    assert degree.values == [2, 3, 4, 5] and np.isfinite(degree.p).all()
    surface = two_slice(history, "kernel", "width")
    assert np.isnan(surface.p[2]).all() and np.isfinite(surface.p[:2]).all()
    assert interactions(history)[0].strength > 0


def test_what_was_never_active_has_a_note_and_no_curve():
    space = Space({"on": Categorical([False, True]), "x": Float(0.0, 1.0, when={"on": True}), "y": (0.0, 1.0)})
    history = sampled(space, lambda config: config["y"], 200)
    never = type(history)(space, [trial for trial in history if not trial.config["on"]][:0])
    for trial in history:
        if not trial.config["on"]:
            never.finish(never.start(trial.config).number, value=trial.value)
    assert np.isnan(one_slice(never, "x").p).all() and "No trial had 'x' active" in one_slice(never, "x").note
    assert "No trial had 'x' and 'y' both active" in two_slice(never, "x", "y").note


def test_constraints_are_kept():
    space = Space({"a": (0.0, 1.0), "b": (0.0, 1.0)}, constraints=["a + b <= 1"])
    surface = two_slice(sampled(space, lambda config: -config["a"], 60), "a", "b")
    assert np.isnan(surface.p[-1, 1:]).all() and np.isfinite(surface.p[0]).all()


def test_choices_with_an_order_keep_it():
    found = one_slice(sampled({"size": Ordinal(["s", "m", "l"])}, lambda c: c["size"] == "m", 20), "size")
    assert found.values == ["s", "m", "l"] and found.is_ordered and found.p.argmax() != 1


@pytest.mark.parametrize("look", [lambda h: one_slice(h, "lrr"), lambda h: two_slice(h, "lr", "lrr")])
def test_an_unknown_parameter_is_refused_by_name(history, look):
    with pytest.raises(ConfigError, match="Got 'lrr'. Did you mean 'lr'"):
        look(history)


def test_a_surface_of_one_parameter_is_refused(history):
    with pytest.raises(ConfigError, match="must differ. Got 'lr' twice"):
        two_slice(history, "lr", "lr")

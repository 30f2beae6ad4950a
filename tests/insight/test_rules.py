import re

import numpy as np
import pytest
from support.histories import history_of, sampled

from auger import Categorical, Float, Int, Ordinal
from auger.insight import rules
from auger.space import Space

SPACE = Space({"lr": Float(1e-5, 1e-1, log=True), "depth": (1, 12), "act": ["relu", "tanh", "elu"], "idle": (0.0, 1.0)})


def test_a_box_is_recovered():
    # ties are all good: more than the tenth of the default recipe
    history = sampled(SPACE, lambda c: not (c["lr"] <= 1e-3 and c["depth"] >= 8 and c["act"] != "tanh"), 600)
    share = 1 - history.y.mean()
    assert 0.1 < share < 0.2
    first = rules(history)[0]
    bounds = re.fullmatch(r"lr <= (\S+) and depth >= (\d+) and act is not tanh", first.text)
    assert bounds and 5e-4 < float(bounds[1]) < 2e-3 and bounds[2] == "8"
    n_box = int((history.y == 0).sum())
    assert first.n_trials == pytest.approx(n_box, abs=0.15 * n_box)
    assert first.n_good == n_box or first.n_good > 0.9 * first.n_trials
    assert first.p < first.n_good / first.n_trials


def test_an_interval_and_a_single_value_are_said_as_such():
    history = sampled({"x": (0.0, 1.0), "k": Int(1, 9)}, lambda c: 10 * abs(c["x"] - 0.5) + (c["k"] != 4), 500)
    text = rules(history)[0].text
    assert re.search(r"0\.\d+ <= x <= 0\.\d+", text)
    history = sampled({"x": (0.0, 1.0), "k": Int(1, 9)}, lambda c: c["x"] + 10 * (c["k"] != 4), 500)
    assert "k = 4" in rules(history)[0].text


def test_choices_with_an_order_and_conditional_parameters_are_told_in_words():
    space = Space(
        {
            "size": Ordinal(["xs", "s", "m", "l", "xl"]),
            "model": Categorical(["net", "tree"]),
            "layers": Int(1, 20, when={"model": "net"}),
        }
    )
    history = sampled(space, lambda c: c["size"] not in ("l", "xl") or c.get("layers", 99) > 8, 400)
    assert rules(history)[0].text == "size from l and layers <= 8"


def test_where_nothing_matters_there_are_no_rules():
    rng = np.random.default_rng(0)
    found = [rules(sampled(SPACE, lambda config: rng.random(), 80, seed=seed)) for seed in range(10)]
    assert (
        sum(bool(each) for each in found) <= 3
    )  # one in twenty by chance, so more than 3 of 10 has odds of 1 in 1,000


def test_rules_do_not_repeat_each_other():
    def two_places(config):
        return min(abs(config["x"] - 0.2), abs(config["x"] - 0.8))

    found = rules(sampled({"x": (0.0, 1.0), "y": (0.0, 1.0)}, two_places, 400))
    assert len(found) >= 2
    spans = [tuple(map(float, re.findall(r"0\.\d+", rule.text)[:2])) for rule in found[:2]]
    assert {round(np.mean(span), 1) for span in spans} == {0.2, 0.8}


def test_the_numbers_are_those_of_the_trials_the_text_holds_for():
    history = sampled({"x": (0.0, 1.0)}, lambda config: config["x"], 100)
    (rule, *_) = rules(history)
    bound = float(rule.text.removeprefix("x <= "))
    assert rule.n_trials == sum(trial.config["x"] <= bound for trial in history)
    assert rule.n_good == min(10, rule.n_trials)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_too_few_trials_have_no_rules(n):
    assert rules(sampled(SPACE, lambda config: config["idle"], n)) == []


def test_one_configuration_many_times_has_no_rules():
    space = Space({"x": (0.0, 1.0)})
    assert rules(history_of(space, [{"x": 0.5}] * 20, range(20))) == []

"""What to change, and what it buys."""

from dataclasses import replace

import numpy as np
import pytest
from support import report_studies
from support.runs import FAILED, study_of, told, two_objectives

from auger import Optimizer
from auger.insight import advice, view
from auger.view import Baseline


def test_it_names_what_to_change_and_what_that_buys():
    study = report_studies.busy()
    first, best = study.trials[0], study.best_trial
    recommended = advice(study)
    assert recommended.changes == {
        name: value for name, value in best.params.items() if first.params.get(name) != value
    }
    assert recommended.text.startswith("Set ") and f"falls from {first.value:.3g} (the first trial)" in recommended.text
    assert f"to {best.value:.3g}, " in recommended.text and recommended.text.endswith(" % better.")


def test_the_most_important_change_comes_first():
    optimizer = Optimizer({"idle": (0.0, 1.0), "x": (0.0, 1.0), "more": (0.0, 1.0)}, "tpe", seed=0)
    for _ in range(40):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial.config["x"] - 0.3) ** 2)
    assert next(iter(advice(optimizer).changes)) == "x"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (lambda: told(None, None), "Nothing to recommend yet: no trial has succeeded."),
        (lambda: study_of(FAILED, directions=("minimize", "maximize")), "Nothing to recommend yet:"),
        (lambda: told(1.0, 2.0, 3.0), "Keep the first trial: its value of 1 is the best of 3."),
        (lambda: replace(view(told(1.0, 2.0)), baseline=None), "Use trial 0: its value is 1."),
        (two_objectives, "Use trial 4, which no other beats: value 0 0 and value 1 4"),
        (
            lambda: study_of({"value": 2.0}, {"value": 3.0}, directions=["maximize"]),
            "rises from 2 (the first trial) to 3",
        ),
    ],
)
def test_every_run_gets_a_sentence(source, expected):
    assert expected in advice(source()).text


def test_where_values_are_noisy_it_is_the_expected_value_that_counts():
    optimizer, rng = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0), np.random.default_rng(0)
    for _ in range(40):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial.config["x"] - 0.5) ** 2 + 0.2 * rng.normal() + 1.0)
    run = view(optimizer)
    estimate = optimizer.recommend().estimate
    assert f"to about {estimate:.3g} ± " in advice(replace(run, baseline=Baseline(0, 3.0, "the defaults"))).text
    lucky = replace(run, baseline=Baseline(run.best.number, run.best.value, "the defaults"))  # too good to be true
    assert f"to about {estimate:.3g} ± " in advice(lucky).text
    assert f"from {run.best.value:.3g} " not in advice(lucky).text


def test_where_nothing_is_better_than_the_baseline_it_says_so():
    optimizer = Optimizer({"x": (0.0, 1.0)}, "tpe", seed=0)
    for value in (0.5, 0.25, 0.25):
        optimizer.tell(optimizer.ask(), value)
    run = replace(view(optimizer), baseline=Baseline(2, 0.25, "the defaults"))
    assert advice(run).text == "Keep the defaults: no settings are expected to better their value of 0.25."

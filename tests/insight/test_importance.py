import numpy as np
import pytest
from support.histories import sampled

from auger import Categorical, Float, Int
from auger.insight import importance
from auger.insight.ped_anova import ped_anova
from auger.space import Space


def test_the_one_parameter_that_matters_is_found_and_others_get_nothing():
    space = {"x": (0.0, 1.0), "idle": (0.0, 1.0), "still": ["a", "b", "c"]}
    found = importance(sampled(space, lambda config: abs(config["x"] - 0.3), 200))
    assert found.names == ("x", "idle", "still") and found.note == ""
    assert found.permutation[0] > 0.4
    assert (np.abs(found.permutation[1:]) < 0.05).all()
    assert (np.abs(found.permutation[1:]) < 3 * found.error[1:] + 0.01).all()
    assert found.ped_anova["x"] > 0.9 and sum(found.ped_anova.values()) == pytest.approx(1)


def test_a_parameter_that_has_one_value_has_no_importance():
    found = importance(sampled({"x": (0.0, 1.0), "one": ["only"]}, lambda config: config["x"], 60))
    assert found.permutation[1] == 0 and found.error[1] == 0


def test_a_conditional_parameter_is_shuffled_where_it_is_active_only():
    space = Space(
        {
            "kernel": Categorical(["rbf", "poly"]),
            "degree": Int(2, 9, when={"kernel": "poly"}),
            "C": Float(1e-3, 1e3, log=True),
        }
    )
    history = sampled(space, lambda config: abs(config.get("degree", 100) - 4), 200)
    found = importance(history)
    kernel, degree, C = found.permutation
    assert kernel > 0.15 and degree > 0.1 and abs(C) < 0.06
    assert found.ped_anova is not None and found.ped_anova["degree"] > found.ped_anova["C"]


def test_ped_anova_is_optunas_own():
    import optuna
    from optuna.importance import PedAnovaImportanceEvaluator

    history = sampled({"x": (0.0, 1.0), "c": ["a", "b", "c"]}, lambda c: c["x"] + 0.3 * (c["c"] == "b"), 80)
    study = optuna.create_study()
    made = {
        "x": optuna.distributions.FloatDistribution(0, 1),
        "c": optuna.distributions.CategoricalDistribution(["a", "b", "c"]),
    }
    for trial in history:
        study.add_trial(optuna.create_trial(params=trial.config, distributions=made, value=trial.value))
    expected = optuna.importance.get_param_importances(
        study, evaluator=PedAnovaImportanceEvaluator(target_quantile=0.2)
    )
    ours = ped_anova(history.space, history.X, history.y, share=0.2)
    assert ours == pytest.approx(expected)


def test_optuna_says_nothing_of_the_study_that_is_made_for_it(capfd):
    import optuna

    before = optuna.logging.get_verbosity()
    importance(sampled({"x": (0.0, 1.0)}, lambda config: config["x"], 40))
    assert capfd.readouterr().err == "" and optuna.logging.get_verbosity() == before


@pytest.mark.parametrize(("n", "note"), [(0, "No trial has an answer"), (1, "Only one trial"), (3, "two of each")])
def test_too_few_trials_are_no_error_but_a_note(n, note):
    found = importance(sampled({"x": (0.0, 1.0)}, lambda config: config["x"], n))
    assert note in found.note and found.permutation.tolist() == [0.0] and found.ped_anova is None


def test_few_good_trials_have_no_ped_anova():
    found = importance(sampled({"x": (0.0, 1.0)}, lambda config: config["x"], 10))
    assert found.ped_anova is None and found.note.startswith(
        "No PED-ANOVA: 4 of 10 finite values are good, and it takes 5."
    )

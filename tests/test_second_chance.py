from dataclasses import replace

import numpy as np
import pytest

from auger import Categorical, Float, Int, Optimizer, Space
from auger.history import History
from auger.recipes import as_recipe
from auger.second_chance import second_chance
from auger.trial import State

SPACE = Space({"solver": Categorical(["a", "b", "c"]), "x": Float(0.0, 1.0)})


def history_of(solvers, space=SPACE):
    """Trials of these solvers, one letter each; a capital letter has failed."""
    history = History(space)
    for i, letter in enumerate(solvers):
        config = {"solver": letter.lower(), "x": i / 100} if "x" in space.names else {"solver": letter.lower()}
        number = history.start(config).number
        if letter.isupper():
            history.finish(number, state=State.FAILED, error="crashed")
        else:
            history.finish(number, value=1.0)
    return history


@pytest.mark.parametrize(
    ("solvers", "due"),
    [
        ("abCaaaa", "c"),  # one trial, failed, and four since
        ("abCaaa", None),  # three since
        ("abCCaaaaaaaa", "c"),  # two trials, and eight since
        ("abCCaaaaaaa", None),
        ("abcaaaaaaaaa", None),  # nothing failed
        ("abCccaaaaaaaaaaaaa", None),  # most of its trials have a value
        ("AbCAaAaAaaAaAaA", None),  # trials fail everywhere: no fault of c
        ("BaCaaaaaaaaa", "b"),  # the one that waits longest
    ],
)
def test_a_choice_whose_trials_failed_is_due_after_four_times_as_many_trials(solvers, due):
    chance = second_chance(history_of(solvers), SPACE, np.random.default_rng(0))
    assert (None if chance is None else SPACE.decode(chance.row[np.newaxis])[0]["solver"]) == due


def test_the_other_parameters_are_those_of_the_best_trial():
    history = history_of("abCaaaa")
    assert SPACE.decode(second_chance(history, SPACE, np.random.default_rng(0)).row[np.newaxis])[0]["x"] == 0.0


def test_the_note_says_which_value_and_why():
    note = second_chance(history_of("abCCaaaaaaaa"), SPACE, np.random.default_rng(0)).note
    assert note == "solver = 'c' gets another try: 2 of its 2 trials failed"


def test_a_choice_without_a_configuration_left_is_not_due():
    space = Space({"solver": Categorical(["a", "b", "c"])})
    assert second_chance(history_of("abC" + "a" * 6, space), space, np.random.default_rng(0)) is None


def solve(seed, second_chance):
    """Three solvers; the best one, c, has 0.7 at best. It fails twice, and then on a third of ``relax``."""
    space = Space(
        {
            "solver": Categorical(["a", "b", "c"]),
            "tolerance": Float(1e-6, 1e-1, log=True),
            "relax": Float(0.0, 2.0),
            "block": Int(1, 64, log=True),
            **{f"w{solver}": Float(0.0, 1.0, when={"solver": solver}) for solver in "abc"},
        }
    )
    optimizer = Optimizer(space, replace(as_recipe("auto"), second_chance=second_chance), seed=seed)
    encoded = ("tolerance", 0.6), ("relax", 0.4), ("block", 0.5)
    for _ in range(60):
        trial = optimizer.ask()
        row = dict(zip(space.names, optimizer.history.X[-1].tolist(), strict=True))
        base, best_w = {"a": (1.0, 0.3), "b": (1.2, 0.7), "c": (0.7, 0.6)}[trial.config["solver"]]
        n_of_c = sum(trial.config["solver"] == "c" for trial in optimizer.trials)
        if trial.config["solver"] == "c" and (n_of_c <= 2 or trial.config["relax"] > 4 / 3):
            optimizer.tell(trial, error="diverged")
        else:
            w = trial.config["w" + trial.config["solver"]]
            optimizer.tell(trial, base + abs(w - best_w) + sum((row[name] - at) ** 2 for name, at in encoded))
    return optimizer


def test_a_branch_whose_first_trials_crashed_is_found_all_the_same():
    seeds = range(5)
    without, chances = ([solve(seed, second_chance=n) for seed in seeds] for n in (0, 5))
    is_found = [[optimizer.best.config["solver"] == "c" for optimizer in runs] for runs in (without, chances)]
    assert all(is_found[1]) and not all(is_found[0])  # without them the best is 1.0, of another solver
    rescued = [optimizer for optimizer, was_found in zip(chances, is_found[0], strict=True) if not was_found]
    assert all(any("another try" in trial.reason for trial in optimizer.trials) for optimizer in rescued)


def test_presets_of_the_paper_have_no_second_chances():
    optimizer = Optimizer(SPACE, "bore-rf", seed=0)
    for _ in range(30):
        trial = optimizer.ask()
        if trial.config["solver"] == "c":
            optimizer.tell(trial, error="crashed")
        else:
            optimizer.tell(trial, trial.config["x"])
    assert not any("another try" in trial.reason for trial in optimizer.trials)

import numpy as np
import pytest

from auger import Float, History, Origin, Recipe, Space, State, Trial, text
from auger.classifiers import MLP, Boosting, Classifier, Forest, OnlineBoosting, OnlineForest, Score
from auger.maximizers import RandomSearch
from auger.recipes import as_recipe
from auger.suggest import Memory, suggest
from auger.testing.cases import history_of, mixed_space, target, tiny_space

FAST = Recipe("fast", Forest(n_trees=10), RandomSearch(100))


def history_with(space, n, seed=0):
    X = space.sample(n, np.random.default_rng(seed))
    return history_of(space, X, target(X, space))


def test_the_first_suggestions_are_the_initial_design_and_say_so():
    made = suggest(History(mixed_space()), FAST, seed=0)
    assert made.provenance.origin is Origin.INITIAL
    assert text.reason(made.provenance) == "drawn at random: 0 of 10 answers in, no fit yet"


def test_a_sobol_design_is_one_sequence_over_the_trials():
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
    history = History(space)
    rows = []
    for _ in range(8):
        suggestion = suggest(history, as_recipe("auto n_initial=8"), seed=3)
        rows.append(suggestion.row)
        trial = history.start(space.decode(suggestion.row[None])[0], suggestion.provenance, row=suggestion.row)
        history.finish(trial.number, value=0.0)
    # eight points of a scrambled Sobol sequence fall one into each eighth of every axis
    for column in np.array(rows).T:
        assert sorted(np.floor(column * 8)) == list(range(8))


def test_enough_answers_bring_in_the_model_with_its_name_and_score_in_the_reason():
    made = suggest(history_with(mixed_space(), 10), FAST, seed=0)
    assert made.provenance.origin is Origin.MODEL
    assert (made.provenance.model, made.provenance.n_answers) == ("fast", 10)
    assert text.reason(made.provenance) == f"fast: score {made.provenance.score:.4g} from 10 answers"


def test_without_any_value_the_suggestion_is_random_and_says_why():
    space = mixed_space()
    history = History(space)
    for config in space.decode(space.sample(12, np.random.default_rng(0))):
        history.finish(history.start(config).number, value=float("nan"))
    made = suggest(history, FAST, seed=0)
    assert made.provenance.origin is Origin.RANDOM
    assert "none of the 12 finished trials has one" in text.reason(made.provenance)


@pytest.mark.parametrize("name", ["auto", "bore-rf", "lfbo-xgb", "tpe"])
def test_suggestions_depend_on_seed_and_history_only(name):
    first = suggest(history_with(mixed_space(), 15), as_recipe(name), seed=5)
    again = suggest(history_with(mixed_space(), 15), as_recipe(name), seed=5)
    other = suggest(history_with(mixed_space(), 15), as_recipe(name), seed=6)
    np.testing.assert_array_equal(first.row, again.row)
    assert first.provenance == again.provenance
    assert not np.array_equal(first.row, other.row, equal_nan=True)


def test_a_small_space_is_tried_out_once_each_before_anything_repeats():
    space = tiny_space()
    history = History(space)
    for number in range(8):
        made = suggest(history, FAST, seed=0)
        is_repeat = bool(history.contains(made.row[None])[0])
        assert is_repeat == (number >= 6)
        assert ("exhausted" in text.reason(made.provenance)) == is_repeat
        history.finish(history.start(space.decode(made.row[None])[0], row=made.row).number, value=float(number))


class Spy(Classifier):
    """Remembers what it was fitted to."""

    is_warm = True

    def __init__(self):
        self.fits = []

    def fit(self, X, labels, *, space, rng, previous=None):
        self.fits.append((len(X), int(labels.z.sum()), previous))
        number = len(self.fits)

        class Numbered(Score):
            def __call__(self, X):
                return np.full(len(X), float(number))

        return Numbered()


def test_pending_trials_are_learned_as_not_good():
    space = mixed_space()
    history = history_with(space, 12)
    for config in space.decode(space.sample(5, np.random.default_rng(1))):
        history.start(config)
    spy = Spy()
    suggest(history, Recipe("spy", spy, RandomSearch(10)), seed=0)
    n, n_good, _ = spy.fits[-1]
    assert (n, n_good) == (17, 4)  # a third of the twelve answers


def test_a_warm_classifier_is_fitted_once_an_answer_each_time_from_the_last():
    space = mixed_space()
    history = history_with(space, 12)
    spy, memory = Spy(), Memory()
    mine = Recipe("spy", spy, RandomSearch(10))
    suggest(history, mine, seed=0, memory=memory)
    assert [n for n, _, _ in spy.fits] == [10, 11, 12]
    assert memory.chain[0] == 12
    assert [previous is None for _, _, previous in spy.fits] == [True, False, False]
    suggest(history, mine, seed=0, memory=memory)
    assert len(spy.fits) == 3  # nothing new, nothing to fit
    history.finish(history.start(space.decode(space.sample(1, np.random.default_rng(7)))[0]).number, value=1.0)
    suggest(history, mine, seed=0, memory=memory)
    assert [n for n, _, _ in spy.fits[3:]] == [13]


def test_a_warm_classifier_learns_nothing_while_there_is_nothing_to_learn():
    space = mixed_space()
    history = History(space)
    for k, config in enumerate(space.decode(space.sample(31, np.random.default_rng(3)))):
        trial = history.start(config)
        history.finish(trial.number, value=1.0 if k == 30 else float("nan"))
    spy = Spy()
    suggest(history, Recipe("spy", spy, RandomSearch(10)), seed=0)
    assert [n for n, _, _ in spy.fits] == [31]


def test_a_history_made_from_trials_leads_a_warm_classifier_to_the_same_suggestion():
    space = mixed_space()
    history = history_with(space, 16)
    again = History(space, history.trials)
    np.testing.assert_array_equal(suggest(history, "bore-mlp", seed=0).row, suggest(again, "bore-mlp", seed=0).row)


def test_past_results_added_at_once_are_one_iteration_of_a_warm_classifier():
    space = mixed_space()
    history = History(space)
    done = history_with(space, 200).trials
    history.extend(done)
    spy = Spy()
    suggest(history, Recipe("spy", spy, RandomSearch(10)), seed=0)
    assert [n for n, _, _ in spy.fits] == [200]


def test_forgetting_the_memory_changes_nothing_but_the_time():
    mine = Recipe("mine", MLP(), RandomSearch(50))
    memory = Memory()
    space = mixed_space()
    history = history_with(space, 10)
    for number in range(5):
        remembered = suggest(history, mine, seed=1, memory=memory)
        forgotten = suggest(history, mine, seed=1)
        np.testing.assert_array_equal(remembered.row, forgotten.row)
        history.finish(
            history.start(space.decode(remembered.row[None])[0], row=remembered.row).number, value=float(number)
        )


@pytest.mark.parametrize("classifier", [OnlineForest(Forest(n_trees=10), 8), OnlineBoosting(Boosting(n_rounds=10), 4)])
def test_a_classifier_that_follows_the_answers_suggests_the_same_from_its_memory_and_without_one(classifier):
    mine, memory = Recipe("mine", classifier, RandomSearch(50)), Memory()
    history = history_with(mixed_space(), 10)
    for number in range(6):
        remembered = suggest(history, mine, seed=1, memory=memory)
        np.testing.assert_array_equal(remembered.row, suggest(history, mine, seed=1).row)
        trial = history.start(history.space.decode(remembered.row[None])[0], row=remembered.row)
        if number != 3:  # this one stays pending, and later answers come before its own
            history.finish(trial.number, value=float(number))


def test_an_incremental_classifier_gets_its_last_score_and_no_fit_more():
    class Incremental(Spy):
        is_warm, is_incremental = False, True

    spy, memory = Incremental(), Memory()
    history = history_with(mixed_space(), 12)
    mine = Recipe("spy", spy, RandomSearch(10))
    for _ in range(2):
        suggest(history, mine, seed=0, memory=memory)
    assert [(n, previous is None) for n, _, previous in spy.fits] == [(12, True), (12, False)]


# -- what hosts need ----------------------------------------------------------------------------------------


def test_the_number_of_a_host_sets_the_random_stream_and_the_turn():
    history = history_with(mixed_space(), 12)
    named = suggest(history, "auto", seed=0, number=12)
    np.testing.assert_array_equal(named.row, suggest(history, "auto", seed=0).row)
    assert named.provenance.model == "auto, Gaussian process"
    trees = suggest(history, "auto", seed=0, number=13)
    assert trees.provenance.model == "auto, trees"
    assert not np.array_equal(suggest(history, "auto", seed=0, number=15).row, trees.row, equal_nan=True)


def test_workers_that_know_nothing_of_each_other_take_different_points_of_the_design():
    history = History(Space({"x": Float(0.0, 1.0)}))
    rows = [suggest(history, "auto", seed=3, number=number).row[0] for number in range(8)]
    assert sorted(np.floor(np.array(rows) * 8)) == list(range(8))


@pytest.mark.parametrize("name", ["auto", "bore-rf", "bore-mlp", "tpe"])
@pytest.mark.parametrize("n_answers", [3, 15])
def test_a_suggestion_keeps_its_limits(name, n_answers):
    space = mixed_space()
    low, high = (np.full(len(space), np.nan) for _ in range(2))
    j, k = space.names.index("rate"), space.names.index("model")
    low[j], high[j] = space.parameters["rate"].encode([1e-3, 1e-2], "rate")
    low[k] = high[k] = 2.0
    for number in range(4):
        made = suggest(history_with(space, n_answers), as_recipe(name), seed=0, number=number, within=(low, high))
        config = space.decode(made.row[None])[0]
        assert config["model"] == "net"
        assert 1e-3 <= config["rate"] <= 1e-2


def test_answers_beyond_the_limits_set_no_mark_that_cannot_be_reached():
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
    rng = np.random.default_rng(0)
    X = space.sample(60, rng)
    history = history_of(space, X, np.where(X[:, 0] > 0.5, 0.0, 1.0 + (X[:, 1] - 0.3) ** 2 - X[:, 0] / 10))
    limits = (np.array([0.0, np.nan]), np.array([0.5, np.nan]))
    made = [suggest(history, "auto", seed=0, number=number, within=limits).row for number in (60, 62, 64)]
    for x, y in made:  # the Gaussian process finds the best there is within them
        assert 0.4 < x <= 0.5
        assert abs(y - 0.3) < 0.1


def test_a_part_that_was_tried_out_is_repeated_and_says_so():
    space = tiny_space()
    history = history_of(space, space.members, np.arange(6.0))
    one = space.encode([{"a": "x", "b": 1}])[0]
    made = suggest(history, FAST, seed=0, within=(one, one))
    np.testing.assert_array_equal(made.row, one)
    assert "exhausted" in text.reason(made.provenance)


@pytest.mark.parametrize("name", ["auto", "bore-rf", "bore-mlp", "bore-svm", "lfbo-xgb", "tpe"])
def test_rows_that_lack_a_parameter_can_be_learned_from(name):
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0), "z": ["a", "b"]})
    X = space.sample(20, np.random.default_rng(0))
    X[::3, 1] = X[1::4, 2] = np.nan
    history = History(space)
    history.extend([Trial(i, {}, State.COMPLETE, float(row[0])) for i, row in enumerate(X)], X)
    for number in (20, 21):
        row = suggest(history, name, seed=0, number=number).row
        assert not np.isnan(row).any()

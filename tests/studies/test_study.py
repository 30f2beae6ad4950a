import dataclasses

import optuna
import pytest
from support.studies import complete, definition, new_study

from auger import Categorical, Float, Int, Ordinal, Space
from auger.errors import StudyError
from auger.schema import DEFINITION
from auger.studies.definition.changes import differences, is_wider
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.storage import open_storage
from auger.studies.study import load_study, open_study


def reopened(folder, *, widen=False, **changes):
    made = definition(folder, **changes)
    return open_study(made, open_storage(made.storage), widen=widen)


def test_a_study_is_found_again_with_all_it_was_made_with(tmp_path):
    made = new_study(tmp_path)
    assert load_study(open_storage(made.definition.storage)).definition.to_json() == made.definition.to_json()


def test_what_may_change_is_taken_over(tmp_path):
    new_study(tmp_path)
    assert reopened(tmp_path, trials=9, workers=3).definition.trials == 9
    assert load_study(open_storage(str(tmp_path / "study.journal"))).definition.workers == 3


def test_another_command_is_taken_over_and_mentioned(tmp_path):
    made = new_study(tmp_path)
    other = dataclasses.replace(made.definition.command, run=("true",))
    assert "command" in reopened(tmp_path, command=other).notes[0]
    assert reopened(tmp_path, command=other).notes == ()


def test_a_seed_is_drawn_once_for_all_workers(tmp_path):
    first = new_study(tmp_path, seed=None).definition.seed
    assert first is not None and reopened(tmp_path, seed=None).definition.seed == first


def test_another_direction_is_refused(tmp_path):
    new_study(tmp_path)
    with pytest.raises(StudyError, match="'minimize'. Got the direction 'maximize'"):
        reopened(tmp_path, direction="maximize")


def test_another_space_is_refused_with_the_difference(tmp_path):
    new_study(tmp_path)
    with pytest.raises(StudyError, match="x: high was 1.0, is 0.5") as caught:
        reopened(tmp_path, space=Space({"x": Float(0.0, 0.5), "kind": ["a", "b"]}))
    assert "another name" in str(caught.value) and "--widen" not in str(caught.value)


def test_a_wider_space_is_refused_unless_it_is_meant(tmp_path):
    wide = Space({"x": Float(-1.0, 1.0), "kind": ["a", "b"]})
    made = new_study(tmp_path)
    Coordinator(made, new_owner()).ask("token")
    with pytest.raises(StudyError, match="--widen"):
        reopened(tmp_path, space=wide)
    study = reopened(tmp_path, space=wide, widen=True)
    assert Coordinator(study, new_owner()).ask("other").trial.number == 1


@pytest.mark.parametrize("storage", ["study.journal", "sqlite:///study.db"])
def test_a_widened_study_learns_from_its_old_trials_and_goes_beyond(tmp_path, storage):
    made = new_study(tmp_path, storage=storage, trials=30)
    coordinator = Coordinator(made, new_owner())
    for i in range(12):
        assignment = coordinator.ask(str(i))
        coordinator.tell(assignment, complete(assignment.trial.config["x"]))
    wide = Space({"x": Float(-1.0, 1.0), "kind": ["a", "b"]})
    study = open_study(dataclasses.replace(made.definition, space=wide), made.storage, widen=True)
    coordinator = Coordinator(study, new_owner())
    asked = [coordinator.ask(f"new {i}").trial for i in range(4)]
    assert min(trial.config["x"] for trial in asked) < 0.0
    assert asked[0].origin == "model"


def test_a_study_that_optuna_made_is_refused(tmp_path):
    storage = open_storage(str(tmp_path / "study.journal"))
    made = optuna.create_study(study_name="study", storage=storage.optuna)
    made.add_trial(optuna.trial.create_trial(value=1.0))
    with pytest.raises(StudyError, match="was not created by auger"):
        new_study(tmp_path)
    with pytest.raises(StudyError, match="was not created by"):
        load_study(storage, "study")


def test_a_study_that_is_not_there_is_refused_with_the_nearest_name(tmp_path):
    made = new_study(tmp_path)
    with pytest.raises(StudyError, match="Did you mean 'study'"):
        load_study(made.storage, "studdy")


def test_the_only_study_of_a_storage_needs_no_name_and_of_several_one_does(tmp_path):
    made = new_study(tmp_path)
    assert load_study(made.storage).definition.name == "study"
    reopened(tmp_path, name="other")
    with pytest.raises(StudyError, match="holds several studies. Add the name of one: 'other', 'study'"):
        load_study(open_storage(made.definition.storage))


def test_the_stored_definition_holds_no_storage(tmp_path):
    made = new_study(tmp_path)
    assert "storage" not in made.optuna.user_attrs[DEFINITION]


BASE = {"x": Float(0.0, 1.0), "n": Int(0, 8, step=4), "k": Categorical(["a", "b"]), "o": Ordinal([1, 2, 4])}


@pytest.mark.parametrize(
    ("change", "words", "wider"),
    [
        ({}, [], True),
        ({"x": Float(0.0, 2.0)}, ["x: high was 1.0, is 2.0"], True),
        ({"x": Float(-1.0, 1.0)}, ["x: low was 0.0, is -1.0"], True),
        ({"x": Float(0.0, 0.5)}, ["x: high was 1.0, is 0.5"], False),
        ({"x": Float(0.0, 1.0, step=0.5)}, ["x: step was not set, is 0.5"], False),
        ({"x": Int(0, 1)}, ["x: was float, is int"], False),
        ({"n": Int(0, 16, step=4)}, ["n: high was 8, is 16"], True),
        ({"n": Int(-2, 10, step=4)}, ["n: low was 0, is -2", "n: high was 8, is 10"], False),
        ({"k": Categorical(["a", "b", "c"])}, ['k: choices was ["a", "b"], is ["a", "b", "c"]'], False),
        ({"o": Ordinal([1, 2])}, ["o: choices was [1, 2, 4], is [1, 2]"], False),
        ({"x": Float(0.0, 1.0, when={"k": "a"})}, ['x: when was not set, is {"k": ["a"]}'], False),
    ],
)
def test_differences_between_spaces_are_told_in_words(change, words, wider):
    old, new = Space(BASE), Space({**BASE, **change})
    assert differences(old, new) == words
    assert is_wider(old, new) == wider


def test_new_gone_and_constraints_are_told_too():
    old = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}, constraints=["x + y <= 1"])
    new = Space({"x": Float(0.0, 1.0), "z": Float(0.0, 1.0)})
    assert differences(old, new) == ["y: is gone", "z: is new", "constraint 'x + y <= 1': is gone"]
    assert not is_wider(old, new)
    assert is_wider(old, Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}))
    assert not is_wider(Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}), old)


def test_configurations_go_to_optuna_and_back(tmp_path):
    study = new_study(
        tmp_path, space=Space({"t": [[1, 2], [3, 4]], "b": [True, None, "x"], "f": Float(0, 1, step=0.1)})
    )
    config = {"t": (3, 4), "b": None, "f": 0.3}
    params = study.params(config)
    made = optuna.trial.create_trial(value=0.0, params=params, distributions=study.distributions(params))
    assert study.config(made.params) == config


@pytest.mark.parametrize("storage", ["study.journal", "sqlite:///study.db"])
def test_a_number_that_is_given_stays_as_it_is(tmp_path, monkeypatch, storage):
    monkeypatch.chdir(tmp_path)
    space = Space({"rate": Float(1e-4, 1e-1, log=True), "kind": ["a", "b"]})
    made = new_study(tmp_path, space=space, defaults={"rate": 1e-3, "kind": "a"}, storage=storage)
    assert Coordinator(made, new_owner()).ask("token").trial.config == {"rate": 1e-3, "kind": "a"}
    assert made.configs([trial.params for trial in made.trials()]) == [{"rate": 1e-3, "kind": "a"}]

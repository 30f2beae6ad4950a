"""What a worker must know of a study."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.programs import SPACE, program

from auger import Categorical, Float, Int, Space
from auger.errors import StudyError
from auger.objectives import as_objectives
from auger.studies.definition import Command, Definition, Limits, ReportRule, Reservation, ValueRule, updated
from auger.studies.definition.value_rules import function_rule


def full(tmp_path) -> Definition:
    space = Space(
        {"x": Float(0, 1), "mode": Categorical([[1, 2], "b"]), "n": Int(1, 9, when={"mode": ["b"]})},
        constraints=["x * n <= 8"],
    )
    return Definition(
        name="full",
        space=space,
        command=Command(("a", "{x}", ("-m", "{mode}")), environment={"N": "{n}"}),
        home=str(tmp_path),
        storage="postgresql://me:secret@host/db",
        folder="elsewhere",
        objectives=as_objectives("maximize"),
        trials=10,
        time=60.0,
        workers=2,
        seed=1,
        recipe="tpe gamma=sqrt n_initial=5",
        defaults={"x": 1, "mode": [1, 2]},
        initial=({"x": 0.5, "mode": "b", "n": 3},),
        value=ValueRule("json", key="loss"),
        report=ReportRule(key="loss", step="epoch"),
        pruner="median",
        limits=Limits(5.0, 10**9),
        retries=0,
        ray=Reservation(2, 0.5, 10**9, {"fast_disk": 1}),
    )


def test_a_definition_is_the_same_after_json(tmp_path):
    definition = full(tmp_path)
    data = json.loads(json.dumps(definition.to_json()))
    again = Definition.from_json(data, storage=definition.storage)
    assert again.to_json() == definition.to_json()
    assert replace(again, space=definition.space) == definition


def test_a_definition_from_before_there_were_reservations_is_read(tmp_path):
    data = full(tmp_path).to_json()
    del data["ray"]
    assert Definition.from_json(data, storage="").ray == Reservation(cpus=1)


def test_the_network_of_a_stored_study_stays_the_recipe_it_was(tmp_path):
    """With format 1, the climbs of `bore-mlp` kept choices."""
    stored = {**full(tmp_path).to_json(), "format": 1, "recipe": "bore-mlp gamma=1/4 n_initial=5"}
    assert Definition.from_json(stored, storage="").recipe == "bore-mlp gamma=1/4 relaxed=false n_initial=5"
    assert Definition.from_json({**stored, "format": 2}, storage="").recipe == stored["recipe"]


def test_a_study_whose_file_still_names_the_network_goes_on_with_the_recipe_it_was(tmp_path):
    file = replace(full(tmp_path), recipe="bore-mlp")
    old = Definition.from_json({**file.to_json(), "format": 1}, storage="")
    first, _ = updated(old, replace(file, space=old.space), widen=False)
    stored = Definition.from_json(first.to_json(), storage="")  # in the format of today
    second, _ = updated(stored, replace(file, space=stored.space), widen=False)
    assert first.recipe == second.recipe == "bore-mlp relaxed=false"
    other = replace(file, space=stored.space, recipe="bore-mlp relaxed=true")
    assert updated(stored, other, widen=False)[0].recipe == other.recipe
    new = replace(file, space=stored.space)
    assert updated(new, new, widen=False)[0].recipe == "bore-mlp"


def test_a_password_in_the_storage_is_not_in_the_json_and_not_shown(tmp_path):
    definition = full(tmp_path)
    assert "secret" not in json.dumps(definition.to_json())
    assert "secret" not in repr(definition)


def test_names_follow_from_the_study(tmp_path):
    definition = program(tmp_path, "true")
    assert definition.storage == str(tmp_path / "small.journal")
    assert definition.trials_folder == tmp_path / "small.trials"
    assert replace(definition, folder="/elsewhere").trials_folder == Path("/elsewhere")


def test_configurations_become_members_of_the_space(tmp_path):
    definition = full(tmp_path)
    assert definition.defaults == {"x": 1.0, "mode": (1, 2)}
    assert isinstance(definition.defaults["x"], float)


def test_the_number_of_a_configuration_is_kept_to_the_last_digit(tmp_path):
    space = Space({"x": Float(1e-7, 1e3, log=True)})
    definition = program(tmp_path, "true", space=space, defaults={"x": 0.1})
    assert definition.defaults == {"x": 0.1}


def test_what_is_tried_first_is_the_defaults_then_the_initial_ones_each_once(tmp_path):
    initial = ({"x": 0.5}, {"x": 0.25}, {"x": 0.5}, {"x": 0.75})
    assert program(tmp_path, "true", initial=initial).first == ({"x": 0.5}, {"x": 0.25}, {"x": 0.75})
    both = program(tmp_path, "true", initial=initial, defaults={"x": 0.75})
    assert both.first == ({"x": 0.75}, {"x": 0.5}, {"x": 0.25})


def test_the_value_of_a_function_is_what_it_returns(tmp_path):
    definition = Definition("f", SPACE, Command(function="m:f"), str(tmp_path))
    assert definition.value == function_rule()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": ""}, r"\[study\] name: must be printable text without a slash"),
        ({"name": "a/b"}, r"\[study\] name"),
        ({"name": "a\nb"}, r"\[study\] name"),
        ({"name": 3}, r"\[study\] name"),
        ({"recipe": "bore-fr"}, r"\[study\] recipe: .*Did you mean 'bore-rf'\?"),
        (
            {"recipe": "bore-rf gama=0.2"},
            r"\[study\] recipe: The recipe 'bore-rf' has no option 'gama'. Did you mean 'gamma'\?",
        ),
        (
            {"recipe": "bore-rf maximizer=gradient"},
            r"\[study\] recipe: The parts of the recipe .* do not fit together\.",
        ),
        ({"recipe": ["bore-rf"]}, r"\[study\] recipe: must be text in quotes\. Got \[\"bore-rf\"\]\."),
        ({"pruner": "medain"}, r"\[study\] pruner: .*Did you mean 'median'\?"),
        ({"pruner": "median"}, r"\[study\] pruner: needs a \[report\] table"),
        ({"trials": 0}, r"\[study\] trials: must be a whole number of at least 1\. Got 0\."),
        ({"trials": 1.5}, r"\[study\] trials"),
        ({"trials": True}, r"\[study\] trials"),
        ({"workers": None}, r"\[study\] workers"),
        ({"seed": -1}, r"\[study\] seed: must be a whole number of at least 0"),
        ({"retries": -1}, r"\[study\] retries"),
        ({"time": 0}, r"\[study\] time: must be a number of seconds above 0"),
        ({"folder": 3}, r"\[command\] folder: must be text"),
        ({"defaults": {"x": 2}}, r"\[defaults\]: `x` must be a number, 0 to 1\. Got 2\."),
        ({"defaults": {"y": 2}}, r"\[defaults\]: unknown parameter 'y'"),
        ({"initial": ({"x": 0.1}, {})}, r"\[study\] initial: `x` is missing"),
        ({"initial": (3,)}, r"\[study\] initial: must be a table"),
    ],
)
def test_a_definition_that_cannot_be_run_is_refused(tmp_path, settings, message):
    with pytest.raises(StudyError, match=rf"^{message}"):
        replace(program(tmp_path, "true"), **settings)


def test_a_study_is_read_where_the_library_of_its_recipe_is_missing(tmp_path, monkeypatch):
    data = replace(full(tmp_path), recipe="bore-xgb gamma=0.2").to_json()
    monkeypatch.setattr("auger.classifiers.boosting.find_spec", lambda name: None)
    assert Definition.from_json(data, storage="").recipe == "bore-xgb gamma=0.2"


def test_a_configuration_that_breaks_a_constraint_is_refused(tmp_path):
    with pytest.raises(StudyError, match=r"\[study\] initial: must satisfy the constraints"):
        replace(full(tmp_path), initial=({"x": 1.0, "mode": "b", "n": 9},))


@pytest.mark.parametrize(
    ("time", "memory"), [(0, None), (-1, None), ("1h", None), (None, 0), (None, 1.5), (None, "1GB")]
)
def test_limits_are_positive_numbers(time, memory):
    with pytest.raises(StudyError, match=r"\[command\] (time|memory)_limit"):
        Limits(time, memory)


@pytest.mark.parametrize(
    "data", [None, [], {}, {"format": 3}, {"format": 2}, {"format": 1}, {"format": 1, "name": "a"}]
)
def test_a_stored_definition_that_is_foreign_or_damaged_is_refused(data):
    with pytest.raises(StudyError, match=r"The stored definition of (a|the) study"):
        Definition.from_json(data, storage="")


def test_a_stored_definition_with_a_wrong_part_is_refused(tmp_path):
    data = full(tmp_path).to_json()
    with pytest.raises(StudyError, match="damaged: TypeError"):
        Definition.from_json({**data, "value": 3}, storage="")

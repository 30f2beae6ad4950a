"""Several objectives and outcome constraints: how a study file names them, how they are read, stored and compared."""

import json
from dataclasses import replace

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import CONFIG, HEAD, outcome, program, python, shell, write
from support.studies import STOPPED, new_study

from auger.errors import StudyError
from auger.hosts.optuna.trials import trial_of
from auger.objectives import Objectives, as_objectives
from auger.outcome_constraints import OutcomeConstraint, as_outcome_constraints
from auger.studies.definition import Command, Definition, ReportRule, ValueRule, read_study_file, updated
from auger.studies.definition.value_rules import BY_NAME, IgnoredReport, function_rule, last_reading
from auger.studies.importing import import_results, read_results
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.results import to_csv
from auger.studies.storage import open_storage
from auger.studies.study import load_study, open_study
from auger.studies.trial import Outcome, read_result
from auger.studies.view import view_of
from auger.trial import State

TWO = as_objectives({"size": "minimize", "accuracy": "maximize"})
MEMORY = OutcomeConstraint("memory_mb", True, 512.0)
SEVERAL = {"objectives": TWO, "outcome_constraints": (MEMORY,)}
OBJECTIVES = 'objectives = { size = "minimize", accuracy = "maximize" }'
LIMIT = 'constraints = { memory_mb = "<= 512" }'


def read(folder, study="", value="", head=HEAD) -> Definition:
    """The study file with more lines in [study], and other tables."""
    return read_study_file(write(folder, head.replace("[command]", f"{study}\n[command]") + value))


# -- the study file -------------------------------------------------------------------------------------


def test_objectives_and_constraints_have_names_and_are_read_by_them(tmp_path):
    definition = read(tmp_path, f"{OBJECTIVES}\n{LIMIT}")
    assert definition.objectives == TWO and definition.outcome_constraints == (MEMORY,)
    assert definition.names == ("size", "accuracy", "memory_mb")
    assert definition.rules == {name: ValueRule(BY_NAME, key=name) for name in definition.names}


def test_constraints_of_the_space_and_of_outcomes_stand_beside_each_other(tmp_path):
    definition = read(
        tmp_path, f'{OBJECTIVES}\nconstraints = ["x <= 0.5", {{ memory_mb = "<=512", "a b" = ">= 1e-3" }}]'
    )
    assert [rule.text for rule in definition.space.constraints] == ["x <= 0.5"]
    assert definition.limited == {"memory_mb": "<= 512", "a b": ">= 0.001"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('[value]\nread = "json"', ValueRule("json", key="accuracy")),
        ('[value]\nstream = "stderr"', ValueRule(BY_NAME, key="accuracy", stream="stderr")),
        ('[value]\nread = "file"\npath = "a.json"', ValueRule("file", key="accuracy", path="a.json")),
        ('[value.accuracy]\nread = "json"\nkey = "test.acc"', ValueRule("json", key="test.acc")),
        ('[value.accuracy]\nread = "last number"', ValueRule()),
        ('[value]\nread = "json"\n[value.accuracy]\nread = "regex"\npattern = "acc (.+)"',
         ValueRule("regex", pattern="acc (.+)")),
    ],
)  # fmt: skip
def test_a_number_has_the_rule_of_all_or_one_of_its_own(tmp_path, value, expected):
    definition = read(tmp_path, OBJECTIVES, value)
    assert definition.rules["accuracy"] == expected
    common = value.partition("[value.")[0]
    assert definition.rules["size"] == replace(read(tmp_path, OBJECTIVES, common).rules["accuracy"], key="size")


def test_a_constraint_goes_with_one_objective_whose_rule_is_said(tmp_path):
    definition = read(tmp_path, LIMIT, '[value]\nread = "json"\nkey = "loss"')
    assert definition.rules == {
        "value": ValueRule("json", key="loss"),
        "memory_mb": ValueRule(BY_NAME, key="memory_mb"),
    }
    assert read(tmp_path, f'objectives = {{ loss = "minimize" }}\n{LIMIT}').rules["loss"].key == "loss"
    function = HEAD.replace('run = ["true", "{x}"]', 'function = "a:b"')
    assert read(tmp_path, LIMIT, head=function).rules == {n: function_rule(n) for n in ("value", "memory_mb")}


@pytest.mark.parametrize(
    ("study", "value", "line", "message"),
    [
        ("objectives = {}", "", 3, r"\[study\] objectives: must be a table of names and directions .* Got \{\}"),
        ('objectives = ["size"]', "", 3, r'must be a table of names .* Got \["size"\]\.'),
        ('objectives = { size = "minimise" }', "", 3, r'direction of "size" must be .* Got "minimise"\. Did you mean'),
        ("objectives = { size = 1 }", "", 3, r'direction of "size" must be one of "minimize" and "maximize"\. Got 1\.'),
        ('objectives = { " " = "minimize" }', "", 3, r"name of an objective must be a text\. Got ' '\."),
        ('objectives = { "a,b" = "minimize" }', "", 3, r'a name must have none of , < > =\. Got "a,b"\.'),
        ('objectives = { x = "minimize" }', "", 3, r"must have other names than the parameters\. Got 'x'"),
        (f'direction = "minimize"\n{OBJECTIVES}', "", 3, r"\[study\] direction: must be left out with `objectives`"),
        (f'{OBJECTIVES}\nconstraints = {{ size = "<= 1" }}', "", 4, r"must differ\. Twice: 'size'"),
        (f"{OBJECTIVES}\nconstraints = {{ a = [] }}", "", 4, r'limit of "a" must be text such as "<= 512" .* Got \[\]'),
        (f"{OBJECTIVES}\nconstraints = {{ a = 512 }}", "", 4, r'limit of "a" must be text such as "<= 512" .* Got 512'),
        (f'{OBJECTIVES}\nconstraints = {{ a = "< 512" }}', "", 4, r"limit of 'a' must be .* Got '< 512'"),
        (f'{OBJECTIVES}\nconstraints = {{ a = "<= inf" }}', "", 4, r"limit of 'a' must be .* Got '<= inf'"),
        (f'{OBJECTIVES}\nconstraints = "a <= 1"', "", 4, r"\[study\] constraints: must be a list of texts"),
        (LIMIT, "", 3, r"last number that the program prints may be that of a constraint.*Name the objective, too"),
        (f'{OBJECTIVES}\npruner = "median"', "", 4, r'pruner: must be "auger" with several objectives.*Got "median"'),
        (OBJECTIVES, '[report]\nkey = "a"', 9, r'key: must be left out .* JSON lines .* "size", "accuracy"\.'),
        (OBJECTIVES, '[report]\nread = "regex"\npattern = "(.)"', 10, r"\[report\] pattern: must be left out with sev"),
        ("", '[report]\nstep = "a"', 8, r'\[report\] read: `read = "json"` needs a `key`'),
        (f"{OBJECTIVES}\nconfirm = 3", "", 4, r"\[study\] confirm: is for a single objective: .* `repeats` runs each"),
        (f"{OBJECTIVES}\nrepeats = 30", "", 4, r"\[study\] repeats: must be at most 25 with 2 numbers per run"),
        (OBJECTIVES, '[value]\nread = "last number"', 9, r'must be one of "json" and "file" for 2 names, or'),
        (OBJECTIVES, '[value]\nread = "regex"\npattern = "(a)"', 9, r"a table for each name such as \[value\.size\]"),
        (OBJECTIVES, '[value]\nread = "json"\nkey = "a"', 10, r"\[value\] key: must be left out: the names of the"),
        (OBJECTIVES, '[value.sise]\nread = "json"', 8, r"is no objective and no constraint\. Did you mean 'size'\?"),
        (OBJECTIVES, '[value.size]\nread = "jsn"', 9, r'\[value\] size\.read: unknown value "jsn"\. Did you mean'),
        (OBJECTIVES, '[value.size]\nrid = "json"', 9, r"\[value\] size\.rid: unknown key\. Known: 'read', 'key'"),
        ("", '[value.size]\nread = "json"', 8, r"must not be a table without `objectives` and outcome constraints"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_before_anything_runs(tmp_path, study, value, line, message):
    with pytest.raises(StudyError, match=message) as caught:
        read(tmp_path, study, value)
    assert f"study.toml, line {line}: " in str(caught.value)


def test_a_number_may_have_a_limit_on_either_side(tmp_path):
    definition = read(tmp_path, f'{OBJECTIVES}\nconstraints = {{ seconds = [">= 1", "<= 60"], memory_mb = "<= 512" }}')
    assert definition.names == ("size", "accuracy", "seconds", "memory_mb") and definition.n_numbers == (2, 2)
    assert definition.excess([61.0, 500.0]) == {"seconds >= 1": -60.0, "seconds <= 60": 1.0, "memory_mb": -12.0}
    assert Definition.from_json(definition.to_json(), storage="").limited == definition.limited


@given(bound=st.floats(-1e300, 1e300), number=st.floats(-1e300, 1e300), is_upper=st.booleans())
def test_a_limit_is_the_same_after_it_was_written_and_says_what_satisfies_it(bound, number, is_upper):
    limit = OutcomeConstraint("a", is_upper, bound)
    assert as_outcome_constraints({"a": limit.limit}) == (limit,)
    assert (limit.excess(number) <= 0) == (number <= bound if is_upper else number >= bound)


def test_a_definition_is_the_same_after_json_and_a_plain_one_is_stored_as_it_always_was(tmp_path):
    definition = program(tmp_path, "true", **SEVERAL, values={"size": ValueRule("json", key="code.size")})
    stored = json.loads(json.dumps(definition.to_json()))
    assert stored["format"] == 3 and Definition.from_json(stored, storage="").to_json() == definition.to_json()
    plain = program(tmp_path, "true").to_json()
    assert (plain["format"], plain["direction"]) == (2, "minimize") and not {"objectives", "values"} & plain.keys()


# -- reading --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("size: 3", "3"),
        ("size=3, accuracy=0.5", "3"),
        ("the size 3 of it", "3"),
        ('{"size": 3}', 3),
        ('{"size": 3}\nsize = 4', "4"),  # the last line counts
        ("size: 3\nmax_size: 4\nsizes: 5\nsize is 6", "3"),
        ("size: 3\nsize: 4kB", "3"),  # a unit: no number
        ("size: 1,5", "1,5"),  # unclear, and refused later
        ("size -1e-3 size 2", "2"),
        ('{"log": "size: 3"}', None),
        ("{'size': 3}", "3"),
        ('{"size": null}', None),
        ("sizes 3", None),
        ("", None),
    ],
)
def test_a_number_is_read_by_its_name(text, expected):
    reading = last_reading(text, ValueRule(BY_NAME, key="size"))
    assert (None if reading is None else reading.raw) == expected


def test_a_program_gives_its_numbers_in_one_line_or_in_many(tmp_path):
    definition = shell(tmp_path, 'echo \'{"size": 3, "accuracy": 0.5}\'; echo memory_mb: 600; echo done 7', **SEVERAL)
    done = outcome(definition)
    assert (done.values, done.constraints, done.value, done.error) == ((3.0, 0.5), (600.0,), None, None)
    assert {name: reading.number for name, reading in done.readings.items()} == {
        **{"size": 1, "accuracy": 1},
        "memory_mb": 2,
    }
    assert read_result(definition.trials_folder, 0, CONFIG, n_numbers=(2, 1)) == done
    assert read_result(definition.trials_folder, 0, CONFIG) is None  # another study has left it


def test_numbers_may_come_from_both_streams_and_a_file(tmp_path):
    values = {
        "size": ValueRule("json", key="size", stream="stderr"),
        "accuracy": ValueRule("file", path="out", pattern="acc (.+)"),
    }
    script = 'echo memory_mb 5; echo \'{"size": 3}\' >&2; echo acc 0.5 > "$AUGER_FOLDER/out"'
    assert outcome(shell(tmp_path, script, **SEVERAL, values=values)).numbers == (3.0, 0.5, 5.0)


@pytest.mark.parametrize(
    ("printed", "error"),
    [
        ("size: 3", "accuracy: no number behind 'accuracy' in its stdout; its last line is 'size: 3'"),
        ('{"size": 3}', "accuracy: no number behind 'accuracy' in its stdout; the last one has 'size'"),
        ("size: 3 accuracy: nan memory_mb: 1", "accuracy: printed NaN"),
        ("size: 3 accuracy: 1 memory_mb: -inf", "memory_mb: printed -inf"),
        ("size: 1,5 accuracy: 1 memory_mb: 1", "size: printed '1,5', which can be read in more than one way"),
    ],
)
def test_a_number_that_is_missing_or_not_finite_fails_the_trial_by_its_name(tmp_path, printed, error):
    done = outcome(shell(tmp_path, f"echo '{printed}'", **SEVERAL))
    assert done.state is State.FAILED and done.numbers == () and done.error.startswith(error)


FUNCTIONS = """
def dict_of_numbers(config): return {"size": 3, "accuracy": 0.5, "memory_mb": 600.0, "note": "hello", "shape": (1, 2)}
def number(config): return 0.5
def too_few(config): return {"size": 3}
def nothing_in_it(config): return {"size": None, "accuracy": 0.5, "memory_mb": 1}
def text_in_it(config): return {"size": "big", "accuracy": 0.5, "memory_mb": 1}
"""


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("dict_of_numbers", SEVERAL, (3.0, 0.5, 600.0)),
        ("number", SEVERAL, "the function must return a dict with 'size', 'accuracy', 'memory_mb'. Got a number"),
        ("too_few", SEVERAL, "the function must return a dict with 'size', 'accuracy', 'memory_mb'. Got a dict"),
        ("nothing_in_it", SEVERAL, "size: the function returned None for it"),
        ("text_in_it", SEVERAL, "size: returned 'big', which is not a number"),
        ("too_few", {}, "the function must return a number. Got a dict with 'size'"),
    ],
)  # fmt: skip
def test_a_function_returns_a_dict(tmp_path, name, settings, expected):
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    definition = program(tmp_path, "true", **settings)
    done = outcome(replace(definition, command=Command(function=f"functions:{name}"), values={}))
    if isinstance(expected, str):
        assert done.state is State.FAILED and expected in done.error
    else:
        assert done.numbers == expected


def test_intermediate_values_of_several_objectives_come_from_lines_that_have_them_all(tmp_path):
    lines = [{"epoch": 0, "size": 3, "accuracy": 0.5, "loss": 1}, {"epoch": 1, "size": 2}, {"size": 1, "accuracy": 2}]
    lines += [{"epoch": 2, "size": 1, "accuracy": "high"}, {"epoch": 3, "size": 1, "accuracy": float("nan")}]
    text = "\n".join(map(json.dumps, lines))
    rows = list(ReportRule(step="epoch").reports(text, TWO.names))
    assert rows[0] == (0, 3.0, 0.5) and isinstance(rows[1], IgnoredReport) and rows[2][:2] == (3, 1.0)
    definition = shell(tmp_path, f"echo '{text}'; echo memory_mb 5", **SEVERAL, report=ReportRule())
    reports = []
    outcome(definition, on_report=lambda *row: bool(reports.append(row)))
    assert reports[:2] == [(0, 3.0, 0.5), (1, 1.0, 2.0)]
    single = read(tmp_path, 'objectives = { loss = "minimize" }', '[report]\nstep = "epoch"')
    assert single.report == ReportRule(key="loss", step="epoch")


# -- stored ---------------------------------------------------------------------------------------------


def told(study, *rows):
    """A study whose trials gave these numbers."""
    coordinator = Coordinator(study, new_owner())
    n = len(study.objectives)
    for i, row in enumerate(rows):
        assignment = coordinator.ask(f"token {i}")
        ended = STOPPED if row is None else Outcome(State.COMPLETE, row[:n], None, 0.5, 0, row[n:])
        assert coordinator.tell(assignment, ended)
    return coordinator


@pytest.fixture
def study(tmp_path):
    return new_study(tmp_path, **SEVERAL, trials=9)


def test_directions_names_values_and_constraints_are_where_optuna_has_them(study):
    told(study, (3.0, 0.5, 600.0), (4.0, 0.75, 100.0))
    plain = optuna.load_study(study_name="study", storage=study.storage.optuna)
    assert [direction.name for direction in plain.directions] == ["MINIMIZE", "MAXIMIZE"]
    assert plain.metric_names == ["size", "accuracy"]
    assert [trial.values for trial in plain.trials] == [[3.0, 0.5], [4.0, 0.75]]
    assert [trial.constraints for trial in plain.trials] == [{"memory_mb": 88.0}, {"memory_mb": -412.0}]
    assert [trial.number for trial in plain.best_trials] == [1]  # by Optuna's own rule
    assert [study.outcomes(trial) for trial in plain.trials] == [{"memory_mb": 600.0}, {"memory_mb": 100.0}]


def test_the_front_is_known_as_soon_as_a_trial_is_told_and_after_it_was_read(study):
    rows = [(3.0, 0.5, 1.0), (4.0, 0.75, 1.0), (5.0, 0.7, 1.0), (1.0, 0.9, 600.0), (2.0, 0.5, 512.0)]
    coordinator = told(study, *rows)
    for counts in (coordinator.counts(), Coordinator(study, new_owner()).counts()):
        if not counts.finished:  # not read yet
            continue
        assert (counts.complete, counts.infeasible, counts.best) == (5, 1, None)
        assert counts.front.numbers == (4, 1)
        assert {n: (leader.number, leader.value) for n, leader in counts.front.leaders.items()} == {
            "size": (4, 2.0),
            "accuracy": (1, 0.75),
        }
    fresh = study.progress()
    fresh.read(study.trials())
    assert [trial.number for trial in fresh.front] == [trial.number for trial in view_of(study).front] == [4, 1]
    assert fresh.n_infeasible == 1


def test_a_trial_that_will_not_join_the_front_is_pruned_and_keeps_its_values_by_step(tmp_path):
    study = new_study(tmp_path, **SEVERAL, trials=40, pruner="auger", report=ReportRule())
    coordinator, curves = Coordinator(study, new_owner()), {}
    for i in range(40):
        assignment = coordinator.ask(f"token {i}")
        bad = 0.0 if i % 3 else 5.0  # far behind in both
        x, is_pruned = assignment.trial.config["x"], False
        for step in range(1, 9):
            row = (step, x + bad + 1 / step, x - bad - 1 / step)
            curves.setdefault(i, []).append((row[0], row[1], -row[2]))
            is_pruned = coordinator.report(assignment, *row)
            if is_pruned:
                break
        ended = Outcome(State.PRUNED) if is_pruned else Outcome(State.COMPLETE, row[1:], constraints=(1.0,))
        assert coordinator.tell(assignment, ended)
    view = view_of(study)
    assert {i: list(trial.intermediate_values) for i, trial in enumerate(view.trials)} == curves
    pruned = [trial.number for trial in view.trials if trial.state is State.PRUNED]
    assert sum(number % 3 == 0 for number in pruned) > sum(number % 3 > 0 for number in pruned)  # in spite of 1 to 2
    assert all(view.trials[number].values == curves[number][-1][1:] for number in pruned)


def test_a_study_is_opened_again_with_its_names_and_limits(tmp_path, study):
    told(study, (3.0, 0.5, 600.0))
    again = load_study(open_storage(study.definition.storage, folder=tmp_path))
    assert again.definition.to_json() == study.definition.to_json() and again.objectives == TWO
    assert view_of(again).facts["constraints"] == "memory_mb <= 512"
    assert view_of(again).trials[0].constraints == (88.0,) and not view_of(again).front


OTHERS = [
    ({"objectives": as_objectives({"size": "minimize", "error": "minimize"})}, r"with the objectives .*'error'"),
    (
        {"objectives": as_objectives({"size": "maximize", "accuracy": "maximize"})},
        r"Got the objectives \{'size': 'maximize'",
    ),
    (
        {"objectives": Objectives(), "outcome_constraints": ()},
        r"with the objectives \{'size'.* Got the direction 'minimize' and no named objectives\. --fresh",
    ),
    ({"outcome_constraints": ()}, r"with outcome constraints of: 'memory_mb'\. Got: none\. --fresh"),
    ({"outcome_constraints": (replace(MEMORY, name="ram"),)}, r"of: 'memory_mb'\. Got: 'ram'\."),
]


@pytest.mark.parametrize(("changes", "message"), OTHERS)
def test_other_objectives_or_constraints_are_refused_by_name(tmp_path, study, changes, message):
    new = replace(study.definition, values={}, **changes)
    with pytest.raises(StudyError, match=message):
        open_study(new, study.storage)


def test_named_objectives_for_a_study_with_a_direction_are_refused_in_the_words_of_the_user(tmp_path):
    study = new_study(tmp_path)
    was = r"with the direction 'minimize' and no named objectives\. Got the objectives \{'size'"
    with pytest.raises(StudyError, match=was):
        open_study(replace(study.definition, objectives=TWO), study.storage)
    with pytest.raises(StudyError, match=r"with the direction 'minimize'\. Got the direction 'maximize'\."):
        open_study(replace(study.definition, objectives=as_objectives("maximize")), study.storage)


def test_limits_in_several_tables_that_no_number_satisfies_are_refused(tmp_path):
    with pytest.raises(StudyError, match=r"constraints: The limits of .memory_mb. must leave a number .* and .>= 20."):
        read(tmp_path, f'{OBJECTIVES}\nconstraints = [{{ memory_mb = "<= 10" }}, {{ memory_mb = ">= 20" }}]')


def test_another_limit_or_rule_is_refused_once_there_are_values(study):
    other_limit = replace(study.definition, outcome_constraints=(replace(MEMORY, bound=256.0),))
    other_rule = replace(study.definition, values={"size": ValueRule("json", key="bytes")})
    for new in (other_limit, other_rule):
        assert updated(study.definition, new, widen=False)[0].rules == new.rules
    with pytest.raises(StudyError, match=r"constraint 'memory_mb' of the study 'study' was '<= 512'.* Got '<= 256'"):
        updated(study.definition, other_limit, widen=False, n_values=1)
    with pytest.raises(StudyError, match=r"The rule for the value 'size' of the study 'study' has changed"):
        updated(study.definition, other_rule, widen=False, n_values=1)


def test_runs_of_a_trial_keep_all_their_numbers_and_a_trial_has_their_means(tmp_path):
    script = 'import os; r = int(os.environ["AUGER_REPEAT"]); print("size", r, "accuracy", 2 * r, "memory_mb", 511 + r)'
    study = new_study(tmp_path, **SEVERAL, repeats=3, command=python(tmp_path, script).command, trials=1)
    from auger.studies.pool.pool import Pool

    Pool(study, 1, lambda event: None).run()
    (frozen,) = study.trials()
    assert frozen.user_attrs["auger:runs"] == [[0.0, 0.0, 511.0], [1.0, 2.0, 512.0], [2.0, 4.0, 513.0]]
    assert frozen.values == [1.0, 2.0] and frozen.constraints == {"memory_mb": 0.0}
    assert trial_of(frozen, TWO).runs == () and study.outcomes(frozen) == {"memory_mb": 512.0}


def test_the_csv_of_a_study_has_a_column_per_number_and_is_imported_into_another(tmp_path, study):
    told(study, (3.0, 0.5, 600.0), (4.0, 0.75, 100.0))
    path = tmp_path / "old.csv"
    path.write_text(to_csv(view_of(study), study))
    assert path.read_text().splitlines()[0] == "number,state,size,accuracy,memory_mb,seconds,origin,error,x,kind"
    (tmp_path / "new").mkdir()
    new = new_study(tmp_path / "new", **SEVERAL)
    table = read_results(path, new)
    assert [numbers for _, numbers in table.good] == [(3.0, 0.5, 600.0), (4.0, 0.75, 100.0)] and table.ignored == []
    assert import_results(new, table.good, source="old.csv") == 2 == import_results(new, table.good, source="b") + 2
    assert [trial.constraints for trial in view_of(new).trials] == [(88.0,), (-412.0,)]
    assert [trial.number for trial in view_of(new).front] == [1]
    assert [new.outcomes(frozen) for frozen in new.trials()] == [{"memory_mb": 600.0}, {"memory_mb": 100.0}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,kind,size,accuracy\n", "there is no column 'memory_mb'"),
        ("x,kind,size,memory_mb,acuracy\n", "there is no column 'accuracy'. Did you mean 'acuracy'"),
    ],
)
def test_a_csv_without_a_column_of_a_number_is_refused(tmp_path, study, content, message):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(StudyError, match=message):
        read_results(path, study)
    with pytest.raises(StudyError, match="--value is for a single objective"):
        read_results(path, study, value="size")
    path.write_text("x,kind,size,accuracy,memory_mb\n0.5,a,1,2,\n")
    assert [str(row) for row in read_results(path, study).bad] == [
        "line 2, column 'memory_mb': must be a number. Got ''."
    ]


CLASHING = {
    "objectives": as_objectives({"seconds": "minimize", "state": "maximize"}),
    "outcome_constraints": (OutcomeConstraint("number", True, 9.0),),
}


@pytest.mark.parametrize(
    "head", ["x,kind,seconds,state,number", "x,kind,value:seconds,value:state,constraint:number"], ids=["own", "ours"]
)
def test_a_csv_may_have_numbers_that_are_called_like_columns_of_every_trial(tmp_path, head):
    study = new_study(tmp_path, **CLASHING)
    path = tmp_path / "own.csv"
    path.write_text(f"{head}\n0.5,a,1,2,3\n")
    table = read_results(path, study)
    assert [numbers for _, numbers in table.good] == [(1.0, 2.0, 3.0)]
    assert (table.bad, table.n_skipped, table.ignored) == ([], 0, [])
    assert import_results(study, table.good, source="own.csv") == 1
    path.write_text(to_csv(view_of(study), study))
    assert [numbers for _, numbers in read_results(path, study).good] == [(1.0, 2.0, 3.0)]


@pytest.mark.parametrize("columns", ["x,kind,origin,state,number,seconds", "x,kind"])
def test_the_seconds_of_a_table_of_trials_are_not_those_of_an_objective(tmp_path, columns):
    path = tmp_path / "old.csv"
    path.write_text(f"{columns}\n")
    reason = r"there is no column 'value:seconds'\. The objective 'seconds' is read from the column 'value:seconds', "
    with pytest.raises(StudyError, match=f"{reason}because 'seconds' is the duration of a trial"):
        read_results(path, new_study(tmp_path, **CLASHING))

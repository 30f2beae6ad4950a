import pytest
from support.studies import complete, new_study

from auger import Categorical, Float, Int, Ordinal, Space
from auger.errors import StudyError
from auger.provenance import Origin
from auger.studies.importing import import_results, read_results
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.studies.results import to_csv
from auger.studies.view import view_of

SPACE = Space(
    {
        "C": Float(0.001, 1000.0, log=True),
        "kernel": Categorical(["rbf", "poly"]),
        "degree": Int(2, 5, when={"kernel": "poly"}),
        "batch": Ordinal([16, 32]),
        "fast": Categorical([True, False]),
    }
)
HEAD = "C,kernel,degree,batch,fast,value\n"


@pytest.fixture
def study(tmp_path):
    return new_study(tmp_path, space=SPACE)


@pytest.fixture
def read(tmp_path, study):
    def read(text, **options):
        path = tmp_path / "results.csv"
        path.write_text(text, encoding=options.pop("encoding", "utf-8"))
        return read_results(path, study, **options)

    return read


def test_good_rows_become_configurations_and_values(read):
    table = read(HEAD + "1.5,rbf,,16,true,0.25\n1,poly,3,32,False,-1e3\n")
    first = {"C": 1.5, "kernel": "rbf", "batch": 16, "fast": True}
    second = {"C": 1.0, "kernel": "poly", "degree": 3, "batch": 32, "fast": False}
    assert table.good == [(first, (0.25,)), (second, (-1000.0,))] and table.bad == []


def test_whole_numbers_that_a_table_turned_into_floats_are_taken(read):
    assert read(HEAD + "1,poly,3.0,16,True,1\n").good[0][0]["degree"] == 3


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        ("5000,rbf,,16,true,1", "C", "between 0.001 and 1000.0. Got 5000.0"),
        ("big,rbf,,16,true,1", "C", "must be a finite number. Got 'big'"),
        ("nan,rbf,,16,true,1", "C", "must be a finite number"),
        ("1,cubic,,16,true,1", "kernel", "must be one of 'rbf', 'poly'. Got 'cubic'"),
        ("1,poly,2.5,16,true,1", "degree", "must be a whole number. Got 2.5"),
        ("1,poly,9,16,true,1", "degree", "between 2 and 5"),
        ("1,poly,,16,true,1", None, "'degree' must have a value"),
        ("1,rbf,3,16,true,1", None, "'degree' is active only when"),
        (",rbf,,16,true,1", None, "'C' must have a value"),
        ("1,rbf,,17,true,1", "batch", "must be one of 16, 32"),
        ("1,rbf,,16,true,", "value", "must be a number. Got ''"),
        ("1,rbf,,16,true,nan", "value", "must be a number. Got 'nan'"),
        ("1,rbf,,16,true,low", "value", "must be a number. Got 'low'"),
        ("1,rbf,,16", None, "as many cells"),
        ("1,rbf,,16,true,1,2", None, "as many cells"),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_column_and_the_others_are_read(read, row, column, words):
    table = read(f"{HEAD}1,rbf,,16,true,1\n{row}\n2,rbf,,16,true,2\n")
    (bad,) = table.bad
    assert (bad.line, bad.column) == (3, column)
    assert words in bad.reason and "line 3" in str(bad)
    assert [numbers for _, numbers in table.good] == [(1.0,), (2.0,)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no column 'value'"),
        ("C,kernel,batch,fast,loss\n", "there is no column 'value'. Name the column of the value with --value"),
        ("c,kernel,batch,fast,value\n", "there is no column 'C'. Did you mean"),
        ("C,C,kernel,batch,fast,value\n", "Twice: 'C'"),
        ('C,kernel,batch,fast,value\n1,"rbf', "must be a CSV file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(read, text, words):
    text = text.replace("c,kernel", "CC,kernel") if "Did you" in words else text
    with pytest.raises(StudyError, match=words):
        read(text)


def test_a_file_in_another_encoding_is_refused(read):
    with pytest.raises(StudyError, match="UTF-8"):
        read(HEAD + "é", encoding="latin-1")


def test_other_columns_are_ignored_and_named_and_the_value_may_have_another_name(read):
    table = read("C,kernel,batch,fast,note,loss\n1,rbf,16,true,hello,3\n", value="loss")
    assert table.ignored == ["note"] and table.good[0][1] == (3.0,)


def test_what_was_imported_is_learned_from_and_counts_in_no_budget(study):
    results = [({"C": 2.0**i, "kernel": "rbf", "batch": 16, "fast": True}, (float(i),)) for i in range(-5, 5)]
    assert import_results(study, results, source="old.csv") == 10
    assert import_results(study, results, source="old.csv") == 0
    coordinator = Coordinator(study, new_owner())
    asked = [coordinator.ask(str(i)).trial for i in range(4)]
    assert [trial.number for trial in asked] == [10, 11, 12, 13] and coordinator.ask("too many") is None
    assert asked[0].origin is Origin.MODEL
    (imported,) = study.translate(study.trials()[:1])
    assert (imported.origin, imported.reason, imported.cost) == (Origin.GIVEN, "imported from old.csv", None)


@pytest.mark.parametrize("storage", ["study.journal", "sqlite:///study.db"])
def test_importing_what_a_study_has_found_itself_adds_nothing(tmp_path, storage):
    study = new_study(tmp_path, storage=storage, trials=None)
    coordinator = Coordinator(study, new_owner())
    for i in range(3):
        coordinator.tell(coordinator.ask(str(i)), complete(0.1 * i))
    path = tmp_path / "own.csv"
    path.write_text(to_csv(view_of(study)))
    assert import_results(study, read_results(path, study).good, source="own.csv") == 0
    assert len(study.trials()) == 3

"""Several objectives and outcome constraints on the command line: what is printed, and what is refused."""

import csv
import json
import shlex
import subprocess

import pytest
from support.command_line import auger, inside

from auger.errors import ObjectiveError, StudyError
from auger.studies.definition.study_file import tomllib

# more of x is larger and more accurate, and too large above 0.75
PROGRAM = 'import sys; x = float(sys.argv[1]); print("size", 10 * x, "accuracy", x ** 0.5, "memory_mb", 1000 * x)'
LINE = ["python", "-S", "-c", PROGRAM]
FILE = f"""\
[study]
name = "two"
objectives = {{ size = "minimize", accuracy = "maximize" }}
constraints = {{ memory_mb = "<= 750" }}
trials = 8
seed = 0
initial = [{{ x = 1.0 }}, {{ x = 0.25 }}, {{ x = 0.75 }}]
[command]
run = {json.dumps([*LINE, "{x}"])}
[space]
x = {{ type = "float", low = 0, high = 1, step = 0.0625 }}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a study was run; `folder.run` is how that went."""
    folder = tmp_path_factory.mktemp("front")
    (folder / "two.toml").write_text(FILE)
    run = auger("tune", "two.toml", cwd=folder)
    (folder / "out").write_text(run.stdout)
    (folder / "err").write_text(run.stderr)
    assert run.returncode == 0
    return folder


def front(folder):
    return json.loads(inside("best", "two.toml", "--json", cwd=folder).stdout)


def test_a_run_ends_with_the_front_and_the_settings_of_a_compromise(folder):
    said = (folder / "err").read_text()
    assert "[1/8] trial 0  size 10, accuracy 1, memory_mb 1,000  (" in said and "x=1  infeasible\n" in said
    assert "x=0.25  on the front\n" in said and "that no other beats; " in said and "of 8 miss a constraint\n" in said
    found = front(folder)
    suggested = next(member for member in found["front"] if member["number"] == found["suggested"])
    assert tomllib.loads((folder / "out").read_text()) == suggested["config"]
    assert f" * {found['suggested']} " in said and "auger best two.toml --by NAME, or --prefer LIMITS\n" in said


def test_every_feasible_trial_of_a_trade_off_is_on_the_front(folder):
    found = front(folder)
    assert found["objectives"] == {"size": "minimize", "accuracy": "maximize"}
    assert all(member["constraints"]["memory_mb"] <= 750 for member in found["front"])
    sizes = [member["values"]["size"] for member in found["front"]]
    assert sizes == sorted(sizes) and 7.5 in sizes and 10.0 not in sizes
    tables = tomllib.loads(inside("best", "two.toml", "--front", cwd=folder).stdout)["front"]
    assert [(table["number"], table["values"], table["config"]) for table in tables] == [
        (member["number"], member["values"], member["config"]) for member in found["front"]
    ]
    rows = list(csv.DictReader(inside("best", "two.toml", "--front", "--csv", cwd=folder).stdout.splitlines()))
    assert [float(row["size"]) for row in rows] == sizes and float(rows[-1]["memory_mb"]) == 750.0


@pytest.mark.parametrize(
    ("options", "x", "reason"),
    [
        (("--by", "accuracy"), 0.75, "the highest accuracy"),
        (("--by", "size"), None, "the lowest size"),
        (("--prefer", "size <= 5, accuracy"), None, "chosen by 'size <= 5, accuracy'"),
        (("--prefer", "accuracy >= 0.5, size"), 0.25, "chosen by 'accuracy >= 0.5, size'"),
    ],
)
def test_one_trial_of_the_front_is_chosen(folder, options, x, reason):
    printed = inside("best", "two.toml", *options, cwd=folder).stdout
    settings = tomllib.loads(printed)
    found = json.loads(inside("best", "two.toml", *options, "--json", cwd=folder).stdout)
    assert found["config"] == settings and found["reason"] == reason and f"# {reason}\n" in printed
    assert f"# two, trial {found['number']}: size " in printed
    if x is None:
        members = [member["config"]["x"] for member in front(folder)["front"]]
        x = min(members) if "--by" in options else max(x for x in members if x <= 0.5)
    assert settings == {"x": x}
    line = inside("best", "two.toml", *options, "--command", cwd=folder).stdout
    assert shlex.split(line) == [*LINE, str(x)]
    assert "size" in subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (("--by", "sise"), ObjectiveError, "There is no objective 'sise'. Did you mean 'size'?"),
        (("--prefer", "accuracy >= 2"), ObjectiveError, "accuracy"),
        (("--prefer", "accuracy <= 2"), ObjectiveError, "must be written >="),
        (("--by", "size", "--prefer", "accuracy"), StudyError, "--by and --prefer: one of them must be left out"),
        (("--csv",), StudyError, "--csv needs --front"),
        (("--front", "--command"), StudyError, "--command is for one trial"),
    ],
)
def test_what_cannot_be_chosen_is_refused(folder, options, error, message):
    with pytest.raises(error) as caught:
        inside("best", "two.toml", *options, cwd=folder)
    assert message in str(caught.value)


def test_status_and_trials_show_every_number_and_mark_the_front(folder):
    text = inside("status", "two.toml", cwd=folder).stdout
    assert "\nlimits   memory_mb <= 750\n" in text and " of them infeasible" in text
    assert "best     size " in text and ", with accuracy " in text
    found = json.loads(inside("status", "two.toml", "--json", cwd=folder).stdout)
    assert found["constraints"] == {"memory_mb": "<= 750"} and found["best"] is None
    assert [member["number"] for member in found["front"]] == [member["number"] for member in front(folder)["front"]]
    head, *rows = inside("trials", "two.toml", cwd=folder).stdout.splitlines()
    assert head.split() == ["trial", "state", "size", "accuracy", "memory_mb", "time", "settings"]
    starred = {int(row.split()[1]) for row in rows if row.lstrip().startswith("*")}
    assert starred == {member["number"] for member in found["front"]} and "infeasible" in rows[0]
    by_size = inside("trials", "two.toml", "--sort", "size", "--top", "2", cwd=folder).stdout.splitlines()[1:]
    assert [int(row.split()[1]) for row in by_size] == [member["number"] for member in found["front"][:2]]
    assert all(
        row.lstrip().startswith("*")
        for row in inside("trials", "two.toml", "--top", 3, cwd=folder).stdout.splitlines()[1:]
    )
    by_memory = inside("trials", "two.toml", "--sort", "memory_mb", cwd=folder).stdout.splitlines()
    assert "infeasible" in by_memory[-1]


def test_a_tryout_shows_every_number_its_line_and_its_limit(folder):
    text = inside("try", "two.toml", cwd=folder).stdout
    for line in (
        "values    size 10, to be minimized",
        "accuracy 1, to be maximized",
        "memory_mb 1,000, <= 750: not sat",
    ):
        assert line in text
    assert text.count("line 1 of stdout: 'size 10.0 accuracy 1.0 memory_mb 1000.0'") == 3


def test_the_folders_of_the_front_are_kept_and_its_results_imported(folder, tmp_path):
    members = {member["number"] for member in front(folder)["front"]}
    (tmp_path / "old.csv").write_text(inside("trials", "two.toml", "--csv", cwd=folder).stdout)
    (tmp_path / "two.toml").write_text(FILE)
    assert "Imported 8 results" in inside("import", "old.csv", "two.toml", cwd=tmp_path).stderr
    assert {member["number"] for member in front(tmp_path)["front"]} == members
    assert "trials that no other beats" in inside("clean", "two.toml", "--yes", cwd=folder).stderr
    assert {int(path.name) for path in (folder / "two.trials").iterdir() if path.name.isdigit()} == members


def test_a_study_without_a_file_has_objectives_and_constraints(tmp_path):
    options = ["--float", "x=0:1", "--objective", "size=minimize", "--objective", "accuracy=maximize"]
    limit = ["--constraint", "memory_mb<=0"]
    run = auger("tune", *options, *limit, "--trials", 3, "--name", "no", "--json", "--", *LINE, "{x}", cwd=tmp_path)
    events = list(map(json.loads, run.stdout.splitlines()))
    assert events[0]["objectives"] == {"size": "minimize", "accuracy": "maximize"} and events[0]["direction"] is None
    assert events[0]["constraints"] == {"memory_mb": "<= 0"}
    ended = [event for event in events if event["event"] == "trial_finished"]
    assert [sorted(event["numbers"]) for event in ended] == [["accuracy", "memory_mb", "size"]] * 3
    assert not any(event["is_feasible"] or event["is_best"] for event in ended)
    assert run.returncode == 1 and events[-1]["counts"]["infeasible"] == 3  # nothing to use
    run = inside("tune", "no.journal", cwd=tmp_path)
    assert run.exit_code == 1 and "No trial of no satisfies the outcome constraints yet; 3 are complete." in run.stderr
    assert inside("best", "no.journal", cwd=tmp_path).exit_code == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--objective", "size"], "--objective must be NAME=minimize or NAME=maximize. Got 'size'."),
        (["--objective", "size=maximise"], "Got 'size=maximise'. Did you mean 'maximize'?"),
        (["--objective", "a=minimize", "--objective", "a=maximize"], "there is another objective 'a'"),
        (["--objective", "a=minimize", "--maximize"], "--maximize and --minimize: only without --objective"),
        (["--objective", "a=minimize", "--value-key", "b"], "--value-key: only without --objective"),
        (["--objective", "x=minimize"], "--objective: must have other names than the parameters"),
        (["--constraint", "size"], "--constraint must be NAME<=NUMBER or NAME>=NUMBER. Got 'size'."),
        (["--constraint", "size<=big"], "--constraint size<=big: The limit of 'size' must be a text such as"),
        (["--constraint", "a<=1", "--constraint", "a>=2"], "--constraint: The limits of 'a' must leave a number"),
        (["--constraint", "size<=3"], "--constraint: the last number that the program prints may be that of a constr"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(tmp_path, options, message):
    with pytest.raises(StudyError) as caught:
        inside("tune", "--float", "x=0:1", *options, "--trials", 1, "--", *LINE, "{x}", cwd=tmp_path)
    assert message in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_options_of_objectives_are_not_for_study_files(folder):
    with pytest.raises(StudyError, match="--objective: only for a program after --"):
        inside("tune", "two.toml", "--objective", "a=minimize", cwd=folder)


def test_one_objective_with_a_constraint_has_a_best_trial_that_satisfies_it(folder):
    text = FILE.replace('"two"', '"limited"').replace('size = "minimize", ', "").replace("trials = 8", "trials = 4")
    (folder / "limited.toml").write_text(text)
    run = inside("tune", "limited.toml", cwd=folder)
    assert "accuracy 1, memory_mb 1,000" in run.stderr and "infeasible" in run.stderr and "Best: " in run.stderr
    printed = inside("best", "limited.toml", cwd=folder).stdout
    assert tomllib.loads(printed)["x"] == 0.75 and "# memory_mb 750, <= 750\n" in printed
    assert json.loads(inside("best", "limited.toml", "--json", cwd=folder).stdout)["constraints"] == {
        "memory_mb": 750.0
    }
    with pytest.raises(StudyError, match="--front is for several objectives. limited has a single one"):
        inside("best", "limited.toml", "--front", cwd=folder)
    with pytest.raises(StudyError, match="--csv is for the front of several .* `auger trials --csv` prints all trials"):
        inside("best", "limited.toml", "--csv", cwd=folder)
    assert "accuracy to be maximized" in inside("status", "limited.toml", cwd=folder).stdout

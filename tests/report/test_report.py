"""What the page says, without a browser."""

import base64
import gzip
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import optuna
import pytest
from support import report_studies
from support.fronts import LINE, LINE_OBJECTIVES, run_of
from support.studies import complete, new_study

from auger import Categorical, Float, Optimizer, Space, minimize, plots
from auger.best import best_settings
from auger.files import write_whole
from auger.insight import view
from auger.report import make_page, report_html, write_report
from auger.report.overview import formats
from auger.report.page_figures import PageFigures, attempt
from auger.report.trial_table import columns
from auger.studies.definition import Command
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner
from auger.text import percent_gained


def data(html):
    packed = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', html)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def text(html):
    """What is said before the data."""
    return html.partition('<script type="text/plain" id="data">')[0].partition("</style>")[2]


def test_a_result_becomes_one_file_that_holds_everything(tmp_path):
    result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=12, seed=0)
    path = write_report(result, tmp_path / "run.html")
    html = path.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>") and html.endswith("</html>\n")
    assert len(html.encode()) < 6_000_000
    assert [each.name for each in tmp_path.iterdir()] == ["run.html"]
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", text(html))
    assert "better than the first trial" in text(html)
    assert set(data(html)["figures"]) >= {"history-0", "importance", "slices", "parallel", "good-0"}


def test_the_policy_allows_the_scripts_of_the_page_by_their_hashes_and_no_other():
    html = report_html(report_studies.conditional())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1].replace("&#x27;", "'")
    scripts = re.findall(r'<script(?: type="text/plain" id="plotly")?>(.*?)</script>', html, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ") and "connect-src 'none'" in policy
    assert "unsafe-inline" not in policy.partition("style-src")[0]


@pytest.mark.parametrize("kind", ["evil", "evil_study", "evil_several"])
def test_no_text_of_a_user_is_in_the_page_as_markup(kind, tmp_path):
    html = report_html(getattr(report_studies, kind)(*([tmp_path] if kind == "evil_study" else [])))
    for each in report_studies.EVIL:
        assert each not in text(html)
    assert html.count("</script>") == 3


def one_trial():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    return optimizer


def all_failed():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    for i, trial in enumerate(optimizer.ask(3)):
        optimizer.tell(trial, error=f"out of memory: {i} MB")
    return optimizer


def constant():
    return minimize(lambda config: 1.0, {"x": (0.0, 1.0)}, n_trials=14, seed=0)


@pytest.mark.parametrize(
    ("source", "sentences"),
    [
        (
            report_studies.empty,
            ["no trial has succeeded", "Not begun", "No parameter is known yet.", "No trial has failed."],
        ),
        (lambda: Optimizer({"x": (0.0, 1.0)}, seed=0), ["no trial has succeeded"]),
        (one_trial, ["trial 0"]),
        (all_failed, ["none yet", "3 trials of 3 failed, for 1 reason."]),
        (constant, ["trial 0"]),
        (
            report_studies.two_objectives,
            ["trials are on the front: no other beats them.", "that no other beats", "Trade-offs"],
        ),
    ],
)
def test_a_page_says_what_is_missing(source, sentences):
    said = text(report_html(source()))
    for sentence in sentences:
        assert sentence in said
    assert "could not be" not in said


def test_the_settings_are_those_of_auger_best_without_what_is_nobodys_business(tmp_path):
    command = Command(
        ("train", "--x={x}", "--db=postgresql://me:secret@host/db"),
        environment={"TOKEN": "letmein", "KIND": "{kind}"},
    )
    study = new_study(tmp_path, command=command)
    coordinator = Coordinator(study, new_owner())
    for i in range(3):
        coordinator.tell(coordinator.ask(str(i)), complete(float(i)))
    best = best_settings(view(study))
    written = formats(view(study), best.number, best.config)
    assert best.number == 0 and json.loads(written["JSON"]) == best.config
    assert written["command line"].startswith("env KIND=") and "me:***@host" in written["command line"]
    words = text(report_html(study))
    assert "secret" not in words and "TOKEN" not in words and "letmein" not in words


def test_the_best_of_another_programs_study_is_compared_with_its_first():
    study = report_studies.conditional()
    best = best_settings(view(study))
    assert best.value == study.best_value and best.config == study.best_params
    assert best.baseline.name == "the first trial" and best.baseline.number == 0
    assert "highest" in best.reason and "lowest" not in best.reason


def test_card_star_slices_and_gain_name_the_same_trial_where_values_are_noisy():
    optimizer = report_studies.noisy()
    best = best_settings(view(optimizer))
    assert best.number != optimizer.best.number
    html = report_html(optimizer)
    assert f"{best.expectation} trial {best.number}, value minimized; {best.runs}" in re.sub(
        r"\s+", " ", re.sub(r"<[^>]*>", " ", html)
    )
    assert f"Trial {best.number}: not the lowest value" in text(html) and percent_gained(best.gain) in text(html)
    figures = data(html)["figures"]
    assert figures["history-0"]["data"][-1]["name"].endswith(f"(trial {best.number})")
    assert list(plots.slices(optimizer).data[2].customdata) == [best.number]


def test_the_table_has_short_numbers_and_tells_nothing_from_none():
    space = Space({"x": Float(0.0, 1.0), "c": Categorical([None, "a", 3])})
    optimizer = Optimizer(space, seed=0)
    optimizer.tell(optimizer.ask(), 1 / 3)
    optimizer.tell(optimizer.ask(), float("inf"))
    optimizer.tell(optimizer.ask(), error="password: postgresql://me:secret@host/db")
    found = {column["title"]: column for column in columns(view(optimizer))}
    assert found["value"]["values"] == [0.333333, "inf", None] and found["value"]["is_number"]
    assert found["x"]["is_number"] and not found["c"]["is_number"]
    assert found["c"]["values"] == [
        "null" if trial.config["c"] is None else str(trial.config["c"]) for trial in optimizer.trials
    ]
    assert found["error"]["values"][2] == "password: postgresql://me:***@host/db"
    json.dumps(list(found.values()), allow_nan=False)


def test_ten_thousand_trials_are_less_than_six_megabytes(reports):
    html = reports("large").read_text(encoding="utf-8")
    assert len(html.encode()) < 6_000_000
    found = data(html)
    assert len(found["columns"][0]["values"]) == 10_000
    assert "of 10,000 trials shown" in text(html)


class Paragraphs(HTMLParser):
    """The texts of paragraphs and captions, outside of tables."""

    def __init__(self, html):
        super().__init__()
        self.texts, self._depth = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        if tag in {"p", "figcaption"}:
            self._depth, self.texts = 1, [*self.texts, ""]

    def handle_endtag(self, tag):
        if tag in {"p", "figcaption"}:
            self._depth = 0

    def handle_data(self, data):
        if self._depth:
            self.texts[-1] += data


@pytest.mark.parametrize(
    "kind",
    ["small", "large", "busy", "conditional", "failing", "two_objectives", "several", "empty", "meaningless", "noisy"],
)
def test_a_page_says_each_sentence_once(reports, kind):
    paragraphs = Paragraphs(text(reports(kind).read_text(encoding="utf-8"))).texts
    sentences = [part.rstrip(".") for each in paragraphs for part in re.split(r"(?<=[.:]) (?=[A-Z0-9])", each) if part]
    assert len(sentences) > 10 or kind == "empty"
    assert [sentence for sentence, n in Counter(sentences).items() if n > 1] == []


def test_of_many_trials_the_skill_is_a_calm_line(reports):
    traces = data(reports("large").read_text(encoding="utf-8"))["figures"]["skill"]["data"]
    trace = next(trace for trace in traces if trace["name"] == "auto, trees")  # the model of all but the first trials
    x, y = (np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"]) for part in (trace["x"], trace["y"]))
    assert 50 <= len(x) <= 200 and x[-1] > 9_900
    later = y[x > 1000]
    assert np.abs(np.diff(later)).mean() < 0.02  # from one point to the next


def test_pruned_trials_have_their_last_value_in_the_table_and_the_step_of_it():
    study = report_studies.busy(20)
    table = {column["title"]: column for column in columns(view(study))}
    values, marks = table["value"]["values"], table["value"]["marks"]
    pruned = [trial for trial in study.trials if trial.state is optuna.trial.TrialState.PRUNED]
    assert set(marks) == {trial.number for trial in pruned} and set(marks.values()) == {"at step 1"}
    assert [values[trial.number] for trial in pruned] == [
        pytest.approx(trial.intermediate_values[1], rel=1e-5) for trial in pruned
    ]


def test_a_page_that_stays_has_no_word_of_refreshing(tmp_path):
    page = make_page(report_studies.small(tmp_path))
    assert "newer version" not in text(page.html()) and data(page.html())["refresh"] is None
    assert (
        "newer version of itself every 7 s" in text(page.html(refresh=7)) and data(page.html(refresh=7))["refresh"] == 7
    )
    assert "1 running" in text(page.html())


def test_a_figure_that_fails_costs_itself_only(monkeypatch):
    monkeypatch.setitem(plots.PLOTS, "broken", lambda _: 1 / 0)
    figures = PageFigures(view(optuna.create_study()))
    part = figures.add("broken", "A <title>", "A caption.")
    assert figures.drawn == {}
    assert "This section could not be made: ZeroDivisionError: division by zero" in part and "A &lt;title&gt;" in part
    assert "KeyError" in attempt("A part", lambda: {}["missing"])


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "page.html"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert path.read_text() == "old" and [each.name for each in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(FileNotFoundError, match="the folder .* does not exist"):
        write_report(optuna.create_study(), tmp_path / "none" / "page.html")


# -- several objectives, and constraints --------------------------------------------------------------------------


def table(html, label):
    """The cells of a small table, by row."""
    body = re.search(rf'<table aria-label="{label}">.*?<tbody>(.*?)</tbody>', html, re.DOTALL)[1]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("</tr>")[:-1]]


def test_the_front_has_the_best_of_each_objective_the_compromise_and_what_they_are_compared_with():
    html = report_html(run_of(LINE, LINE_OBJECTIVES))
    assert table(html, "The best of each objective") == [
        ["lowest loss", "1", "0.1", "9"],
        ["lowest seconds", "0", "0.5", "1"],
        ["compromise", "2", "0.2", "4"],
        ["the first trial", "0", "0.5", "1"],
    ]
    said = text(html)
    assert "3 of 5 trials are on the front: no other beats them." in said
    assert "From trial 1 to 2, 0.1 more loss buys 5 less seconds." in said
    assert "From trial 2 to 0, 0.1 more loss buys 1 less seconds." in said


def test_every_trial_of_the_front_can_be_copied_in_every_format():
    run = view(report_studies.several())
    front = data(report_html(replace(run, command=lambda number, config: f"train {number}")))["front"]
    found = {column["title"]: column["values"] for column in front["columns"]}
    numbers = [trial.number for trial in run.front]
    assert found["trial"] == numbers and front["sorted"] == {"title": "error", "down": False}
    assert [json.loads(copy) for copy in front["copies"]["JSON"]] == [trial.config for trial in run.front]
    assert front["copies"]["command line"] == [f"train {number}" for number in numbers]
    assert list(found)[2:] == ["error", "seconds", "accuracy", *run.history.space.names, "own volume, %", "why"]
    assert "lowest error" in found["note"][0] and sum("compromise" in (note or "") for note in found["note"]) == 1


def test_constraints_have_their_names_and_shares():
    run = report_studies.several()
    html = report_html(run)
    memory, seconds = table(html, "Outcome constraints")
    n = len(run.complete)
    n_met = sum(trial.constraints[0] <= 0 for trial in run.complete)
    assert memory[:2] == ["memory_mb &lt;= 60", f"{n_met} of {n}"] and seconds[0] == "constraint 1"
    assert "feasibility" in data(html)["figures"]
    titles = [column["title"] for column in data(html)["columns"]]
    of_limits = ["memory_mb <= 60: beyond by", "constraint 1"]
    assert titles[2:9] == ["error", "seconds", "accuracy", "front", "feasible", *of_limits]
    assert "its value is at most 0" in text(html)  # of the constraint without a limit
    assert "Constraints" not in text(report_html(report_studies.two_objectives()))


def test_a_limit_is_explained_as_one():
    run = replace(view(run_of([(1.0, 2.0)] * 2, constraints=[(438.0,), (-89.2,)])), named_constraints=("mb <= 512",))
    html = report_html(run)
    beyond = next(column for column in data(html)["columns"] if column["title"] == "mb <= 512: beyond by")
    assert beyond["values"] == [438.0, -89.2]
    said = text(html)
    assert "breaks a limit by as much as it is beyond it" in said and "its value is at most 0" not in said


def test_a_run_without_a_feasible_trial_shows_the_nearest():
    said = text(report_html(run_of([(1.0, 2.0)] * 3, constraints=[(3.0,), (0.5,), (2.0,)])))
    assert "Nearest is trial 1, which breaks constraint 0 by 0.5." in said
    assert "settings of the nearest, trial 1" in said and "could not be made" not in said


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None, None],
        [(1.0, 2.0)],
        [(1.0, 2.0)] * 6,
        [(float(i), 2.0) for i in range(8)],
        [(1e308, -1e308), (-1e308, 1e308), (0.0, 0.0)],
        [tuple(float((3 * i + j) % 7) for j in range(5)) for i in range(12)],
    ],
)
def test_any_front_makes_a_page(values):
    html = report_html(run_of(values))
    assert "could not be made" not in text(html)


def test_intermediate_values_of_several_objectives_are_drawn_and_listed():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions={"loss": "minimize", "speed": "maximize"}, seed=0)
    for i in range(4):
        trial = optimizer.report(optimizer.ask(), 1, [5.0 + i, 2.0])
        optimizer.report(trial, 2, [4.0 + i, 3.0])
        optimizer.tell(trial, pruned=True) if i == 3 else optimizer.tell(trial, [float(i), float(i)])
    figures = data(report_html(optimizer))["figures"]
    assert {"curves-0", "curves-1", "history-0", "history-1"} <= set(figures)
    table = {column["title"]: column for column in columns(view(optimizer))}
    assert table["loss"]["values"][3] == 7.0 and table["speed"]["values"][3] == 3.0
    assert table["speed"]["marks"] == {3: "at step 2"}


def test_ten_thousand_trials_of_three_objectives_are_less_than_seven_megabytes():
    html = report_html(report_studies.several(10_000))
    assert len(html.encode()) < 7_000_000 and len(data(html)["front"]["columns"][0]["values"]) > 20

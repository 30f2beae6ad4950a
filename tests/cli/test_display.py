import re
from dataclasses import replace

import pytest

from auger.best import Best
from auger.cli.display import Display, Picture, news
from auger.cli.sparkline import sparkline
from auger.provenance import Origin
from auger.studies.pool import events
from auger.studies.pool.events import Counts, Leader
from auger.text import clean, count, duration, number, settings, toml
from auger.trial import State
from auger.view import Baseline

CONFIG = {"name": "x" * 30, "other": "a [b] c", "n": 3}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def counts(finished=0, best=None, failed=0, pruned=0):
    return Counts(finished, finished - failed - pruned, failed, pruned, 0, best)


def started(**changes):
    given = {"direction": "minimize", "trials": 10, "time": None, "spent": 0.0, "workers": 1, "counts": counts()}
    return events.Started("study", "study.journal", **{**given, **changes})


def finished(number, value=None, error=None, *, n=1, best=None):
    state = State.FAILED if error else State.COMPLETE
    leader = None if best is None else Leader(*best, CONFIG)
    is_best = best is not None and best[0] == number
    return events.TrialFinished(number, {"x": 1}, state, value, error, 0.1, is_best, counts(n, leader))


def progress(*steps, **options):
    """After events at given times."""
    clock = Clock()
    shown = Display([], clock, **options)
    for when, event in steps:
        clock.now = when
        shown.take(event)
    return shown


def test_the_rate_and_the_time_left_are_those_of_the_whole_study_since_we_began():
    shown = progress((5.0, started(counts=counts(4))), (9.0, finished(4, 1.0, n=6, best=(4, 1.0))))
    assert (shown.rate, shown.seconds_left, shown.done) == (0.5, 8.0, "6/10")


def test_a_time_budget_limits_the_time_left():
    shown = progress((0.0, started(trials=None, time=60.0, spent=20.0)), (10.0, finished(0, 1.0, best=(0, 1.0))))
    assert shown.seconds_left == 30.0


def test_before_the_first_trial_nothing_is_known():
    assert progress((0.0, started())).seconds_left is None


def test_the_last_failures_are_kept_with_their_last_line():
    shown = progress((0.0, started()), *[(1.0, finished(i, error=f"exit code {i}")) for i in range(5)])
    assert list(shown.failures) == ["#2: exit code 2", "#3: exit code 3", "#4: exit code 4"]


def test_the_best_so_far_is_kept_trial_by_trial_whoever_found_it():
    shown = progress((0.0, started()), (1.0, finished(0, 2.0, best=(0, 2.0))), (2.0, finished(1, 3.0, best=(7, 1.0))))
    assert shown.series == [2.0, 1.0] and shown.counts.best.number == 7


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (events.StorageLost("s", "gone"), "does not answer (gone)"),
        (events.StorageBack("s", 75.0), "back after 1 min 15 s"),
        (
            events.TrialGivenUp(3, "process 7 on h", State.DIED),
            "trial 3 (process 7 on h) has died; it will be run again",
        ),
        (events.TrialGivenUp(3, "process 7 on h", State.COMPLETE), "its result was found: complete"),
        (events.TrialLost(3), "Trial 3 was given up"),
        (events.Stopping(False, 1), "waiting for 1 running trial."),
        (events.Stopping(True, 2), "Stopping 2 running trials"),
    ],
)
def test_what_is_out_of_the_ordinary_is_said(event, words):
    assert words in news(event)


def test_what_goes_as_expected_is_no_news():
    assert news(finished(0, 1.0)) is None


def drawn(width, *happened, **settings):
    """The picture as text."""
    from io import StringIO

    from rich.console import Console

    picture = Picture([3.0, 2.0], **settings)
    picture._console = Console(file=StringIO(), width=width)
    for event in happened:
        picture.take(event)
    picture._console.print(picture._render())
    return picture._console.file.getvalue()


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_picture_fits_any_terminal(width):
    text = drawn(width, started(), finished(3, 1.0, best=(3, 1.0)), finished(4, error="[red]bad[/red] " + "z" * 300))
    assert max(map(len, text.splitlines())) <= width
    assert len(text.splitlines()) < 15


def running(number, origin=Origin.MODEL):
    return events.TrialStarted(number, {"x": 1}, origin, "", None, counts())


def test_a_running_trial_is_shown_by_its_number_with_its_last_step_and_value():
    text = drawn(80, started(), running(7), events.TrialReported(7, 2, 0.75), events.TrialReported(7, 3, 1254670.0))
    assert re.search(r"running +#7 \(step 3: 1,254,670, \d s\)", text)


def test_a_running_trial_of_several_runs_is_shown_with_the_run_that_it_is_at():
    first, last = events.RunFinished(7, 1, 3, 0.5), events.RunFinished(7, 3, 3, 0.5)
    assert re.search(r"#7 \(run 2/3, \d s\)", drawn(80, started(), running(7), first))
    text = drawn(80, started(), running(7, Origin.CONFIRMATION), last)
    assert "#7 (confirming, run 3/3, " in text and "confirming the best" in text and "left" not in text


def test_no_line_ends_inside_a_running_trial():
    happened = [event for n in range(6) for event in (running(n), events.TrialReported(n, 10, 1254670.0))]
    lines = drawn(70, started(), *happened).splitlines()
    assert [line.count("(") for line in lines if "#" in line] == [2, 2]
    assert all(line.count("(") == line.count(")") for line in lines)
    assert "and 2 more" in lines[-1]


def test_failed_and_pruned_trials_are_counted():
    event = events.TrialFinished(9, {}, State.PRUNED, None, None, 0.1, False, counts(2000, failed=2, pruned=5))
    assert re.search(r"ended +1,993 complete, 2 failed, 5 pruned", drawn(80, started(), event))


@pytest.mark.parametrize(
    ("direction", "values", "words"),
    [
        ("minimize", (4.0, 3.0), r"lowest +3  #1  25 % better than the defaults"),
        ("maximize", (4.0, 5.0), r"highest +5  #1  25 % better than the defaults"),
        ("minimize", (4.0, 4.0), r"lowest +4  #1\b(?!.*better)"),
        ("minimize", (0.0, -1.0), r"lowest +-1  #1\b(?!.*better)"),  # a share of nothing
    ],
)
def test_the_gain_over_the_defaults_is_shown_while_it_runs(direction, values, words):
    """And the value is called what it is: the lowest so far, which noise may have made, not the best."""
    happened = [finished(i, value, n=i + 1, best=(i, value)) for i, value in enumerate(values)]
    text = drawn(80, started(direction=direction), *happened, first={"x": 1}, name="the defaults")
    assert re.search(words, text) and "best" not in text


def test_what_others_tried_is_not_taken_for_the_defaults():
    text = drawn(80, started(), finished(0, 4.0, best=(0, 4.0)), finished(1, 3.0, best=(1, 3.0)), first={"x": 2})
    assert "better" not in text


def test_infeasible_defaults_are_not_compared_with():
    defaults = replace(finished(0, 4.0), is_feasible=False)
    others = [replace(finished(i, value, best=(i, value)), config={"x": 2}) for i, value in ((1, 3.0), (2, 1.5))]
    assert "better" not in drawn(80, started(), defaults, *others, first={"x": 1}, name="the defaults")
    assert "50 % better than the first feasible trial" in drawn(
        80, started(), defaults, *others, name="the first feasible trial"
    )


def test_what_looks_like_markup_is_shown_as_it_is():
    text = drawn(80, started(), finished(3, error="[red]bad[/red] \x1b[31mline\nmore", best=(2, 1.0)))
    assert "[red]bad[/red] line more" in text and 'other="a [b] c"' in text


def test_a_study_without_any_budget_has_a_picture_too():
    assert "study" in drawn(80, started(trials=None))


def test_a_sparkline_of_equal_or_infinite_values_is_no_error():
    assert sparkline([1.0, 1.0, 1.0], 10) == "▁▁▁"
    assert sparkline([float("inf"), 1.0], 10) == ""
    assert len(sparkline([1.0 / (i + 1) for i in range(1000)], 30)) == 30


@pytest.mark.parametrize("huge", [1e6, 1e300])
def test_a_sparkline_survives_one_huge_value(huge):
    series = [5.0, 3.0, 2.0, 1.5, 1.2, 1.0]
    assert sparkline([huge, *series], 20) == "█" + sparkline(series, 20)
    assert len(set(sparkline([huge, *series], 20))) > 4
    assert sparkline([-huge, *(-value for value in series)], 20)[1:] == sparkline([-value for value in series], 20)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1254670.0, "1,254,670"),
        (-1254670.4, "-1,254,670"),
        (123456.7, "123,457"),
        (1234.5678, "1,234.57"),
        (0.1, "0.1"),
        (999999.7, "1,000,000"),
        (1.5e-7, "1.5e-07"),
        (1e22, "1e+22"),
        (0.0, "0"),
        (-0.0, "-0"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
    ],
)
def test_numbers_can_be_compared_at_a_glance(value, words):
    assert number(value) == words


@pytest.mark.parametrize(
    ("value", "baseline", "words"),
    [
        (1.0, Baseline(0, 4.0, "the defaults"), "75 % better than the defaults (4, trial 0)"),
        (-8.0, Baseline(0, -4.0, "the defaults"), "100 % better than the defaults (-4, trial 0)"),
        (-1.0, Baseline(0, 0.0, "the first trial"), "better than the first trial (0, trial 0)"),
        (4.5, Baseline(0, 4.0, "the defaults"), "no better than the defaults (4, trial 0)"),
        (1.0, None, None),
    ],
)
def test_a_gain_in_words(value, baseline, words):
    assert Best(1, {}, value, None, None, "", baseline).comparison == words


def test_words_for_people():
    assert duration(59.6) == "1 min 00 s" and duration(0.0) == "0 ms" and count(0, "trial") == "0 trials"
    assert clean("a\x1b[1mb\r\n\tc") == "ab   c"
    assert settings({"n": 1254670.0}) == "n=1254670"  # to be copied
    assert settings({"a": "", "b": None, "c": "x y", "d": "é\n"}) == 'a="" b=null c="x y" d="é\\n"'


def test_toml_reads_back():
    from auger.studies.definition.study_file import tomllib

    config = {"a b": 'quote " and \\ and \x7f', "f": 1e-300, "t": True, "l": [1, "x"], "é": "ü\n"}
    assert tomllib.loads(toml(config)) == config

"""A page that is open while its study runs."""

import signal
import subprocess
import sys

from support import report_studies
from support.command_line import write_study
from support.processes import wait_until
from support.studies import complete, new_study

from auger.report import make_page
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner


def test_an_open_page_follows_a_study_and_keeps_what_the_reader_has_set(tmp_path, visit):
    write_study(
        tmp_path, trials=5, script='while test "$AUGER_TRIAL" -ge 3 && ! test -e go; do sleep 0.05; done; echo $1'
    )
    auger = [sys.executable, "-m", "auger"]
    watch = [*auger, "report", "small.toml", "--watch", "--every", "1"]
    quiet = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    page_file = tmp_path / "small.html"
    with subprocess.Popen([*auger, "tune", "small.toml"], **quiet) as tune:
        wait_until((tmp_path / "small.trials" / "3").exists, 120)
        with subprocess.Popen(watch, **quiet) as report:
            wait_until(page_file.exists, 120)
            with visit(page_file) as opened:
                page = opened.page
                assert "1 running" in page.inner_text(".status")
                page.get_by_role("button", name="JSON", exact=True).click()
                page.get_by_role("button", name="value", exact=True).click()
                page.get_by_role("button", name="value", exact=True).click()
                page.locator("#filter").fill("complete")
                page.locator("#trials").scroll_into_view_if_needed()
                down = page.evaluate("scrollY")
                assert down > 0
                page.evaluate("window.isOld = true")
                (tmp_path / "go").touch()
                page.wait_for_function("!window.isOld && document.body.dataset.refresh === ''")
                page.wait_for_selector("html[data-ready=yes]")
                assert page.inner_text(".status").startswith("Done, 5 of 5 trials finished.")
                assert page.inner_text("#trials-rows") == "Trials 1 to 5 of 5"
                assert page.locator("#filter").input_value() == "complete"
                assert page.evaluate("document.activeElement.id") == "filter"
                assert page.locator("th[aria-sort=descending]").inner_text().startswith("value")
                assert page.get_by_role("button", name="JSON", exact=True).get_attribute("aria-pressed") == "true"
                assert abs(page.evaluate("scrollY") - down) < 200  # two more rows below, two figures above
                assert page.locator("#pause").count() == 0
            assert report.wait() == 0
        assert tune.wait() == 0


def test_a_study_that_nobody_runs_is_not_said_to_go_on(tmp_path, visit):
    study = new_study(tmp_path, trials=4)
    coordinator = Coordinator(study, new_owner())
    for value in (2.0, 1.0):
        coordinator.tell(coordinator.ask(str(value)), complete(value))
    watch = [sys.executable, "-m", "auger", "report", "study.journal", "--watch", "--every", "1"]
    quiet = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    page_file = tmp_path / "study.html"
    with subprocess.Popen(watch, **quiet) as report:
        try:
            wait_until(page_file.exists, 120)
            with visit(page_file) as opened:
                head = opened.page.inner_text("header")
        finally:
            report.send_signal(signal.SIGINT)
    assert "No trial is running, 2 of 4 trials finished." in head
    assert "looks for a newer version of itself every" in head and "The run goes on" not in head


def test_a_reader_can_stop_the_refreshing(tmp_path, visit):
    path = tmp_path / "page.html"
    path.write_text(make_page(report_studies.empty()).html(refresh=600), encoding="utf-8")
    with visit(path, is_clock_ours=True) as opened:
        page = opened.page
        page.get_by_role("button", name="Pause").press("Enter")
        page.clock.run_for(1_300_000)
        assert len(opened.requests) == 1
        page.get_by_role("button", name="Refresh again").press("Enter")
        page.evaluate("window.isOld = true")
        page.clock.run_for(600_000)
        page.wait_for_function("!window.isOld")
        assert len(opened.requests) == 2

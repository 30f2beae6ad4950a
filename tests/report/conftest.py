import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from support import report_studies, suite

from auger.report import report_html


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium; graphics by its own software, as there is no card."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium")
    if found is None:
        suite.needs("the browser Chromium", "apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that is open, and what it did besides being shown."""

    page: object
    requests: list = field(default_factory=list)
    troubles: list = field(default_factory=list)
    dialogs: list = field(default_factory=list)

    def draw_all(self):
        """Scroll to every figure, and wait until it is drawn; of those that share a place, turn to each."""
        for plot in self.page.locator("[data-figure]").all():
            if not plot.is_visible():
                self.page.locator(f"[data-tab={plot.get_attribute('data-figure')}]").click()
            plot.scroll_into_view_if_needed()
            if self.page.locator(".tabs", has=plot).count():
                plot.locator("svg").first.wait_for()
        self.page.wait_for_function(
            "[...document.querySelectorAll('[data-figure]')].every((plot) => plot.querySelector('svg, canvas'))"
        )


@pytest.fixture(scope="session")
def visit(browser):
    """Open a file, and hold it to what all pages promise: nothing loaded, nothing complained about, no dialog."""

    @contextmanager
    def visit(path, *, width=1400, is_clock_ours=False, script="", **settings):
        with browser.new_context(viewport={"width": width, "height": 900}, **settings) as context:
            page = context.new_page()
            page.set_default_timeout(60_000)
            opened = Visit(page)
            page.on("request", lambda request: opened.requests.append(request.url))
            page.on("pageerror", lambda error: opened.troubles.append(str(error)))
            page.on("console", lambda said: opened.troubles.append(said.text) if said.type == "error" else None)
            page.on("dialog", lambda dialog: (opened.dialogs.append(dialog.message), dialog.dismiss()))
            page.add_init_script(script)
            if is_clock_ours:
                page.clock.install()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready=yes]")
            yield opened
            assert {url for url in opened.requests if not url.startswith(("data:", "blob:"))} == {path.as_uri()}
            assert opened.troubles == [] and opened.dialogs == []

    return visit


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """The report of a run of `report_studies`, by its name, written when it is first asked for."""
    folder = tmp_path_factory.mktemp("reports")
    written = {}

    def report(name):
        if name not in written:
            make = getattr(report_studies, name)
            needs_folder = name in {"small", "failing", "evil_study"}
            if needs_folder:
                (folder / name).mkdir()
            source = make(folder / name) if needs_folder else make()
            path = folder / f"{name}.html"
            path.write_text(report_html(source), encoding="utf-8")
            written[name] = path
        return written[name]

    return report

"""The page in a real browser."""

import re

import pytest

KINDS = ["small", "large", "conditional", "failing", "two_objectives", "several", "empty"]

# What plotly makes of traces: points, lines, bars, the picture of a surface, the canvas of parallel coordinates.
BARE = """() => [...document.querySelectorAll('[data-figure]')].filter((plot) => !plot.querySelector(
  '.points path, .lines path, .js-line, .bars path, .hm image, .gl-canvas'
)).map((plot) => plot.dataset.figure)"""

# Controls, marks of writing direction, and half of a character: nobody sees them, and they change what is seen.
HIDDEN = r"[\p{Cs}\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2066-\u2069\ufeff]"

IS_TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def ink_of_plots(page):
    return page.evaluate("getComputedStyle(document.querySelector('.xtick text')).fill")


def cells(page, column):
    """The texts of a column of the table of trials, by its title."""
    titles = page.locator("#trials-table thead th").all_inner_texts()
    place = [title.strip(" ↑↓") for title in titles].index(column)
    rows = "[...document.querySelectorAll('#trials-table tbody tr:not(.talk)')]"
    return page.evaluate(f"(i) => {rows}.map((row) => row.cells[i].textContent)", place)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_draws_every_plot_loads_nothing_and_fits(visit, reports, kind):
    with visit(reports(kind)) as opened:
        opened.draw_all()
        assert opened.page.evaluate(BARE) == []
        assert opened.page.locator(".no-webgl:visible").count() == 0
        assert "could not be made" not in opened.page.inner_text("main")
        assert not opened.page.evaluate(IS_TOO_WIDE)
        opened.page.set_viewport_size({"width": 360, "height": 740})
        opened.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert not opened.page.evaluate(IS_TOO_WIDE)


@pytest.mark.parametrize("kind", ["evil", "evil_study", "evil_several"])
def test_texts_of_the_user_are_shown_and_never_run(visit, reports, kind):
    with visit(reports(kind)) as opened:
        opened.draw_all()
        page = opened.page
        assert page.evaluate(BARE) == [] and not page.evaluate(IS_TOO_WIDE)
        for plot in page.locator("[data-figure] .points path").all()[:3]:
            plot.hover(force=True)
        injected = "main img:not(.hm img), main [onerror], main [onload], main a[href^='javascript'], section script"
        assert page.locator(injected).count() == 0
        assert page.locator("svg a").count() == 0  # plotly reads <a> in its texts
        assert page.title() == page.inner_text("h1")
        text = page.inner_text("main")
        assert "<img src=x onerror=alert(2)>" in text and "</script><script>alert(3)</script>" in text
        assert not page.evaluate(f"(page) => /{HIDDEN}/u.test(page)", page.inner_text("body"))
        assert not page.evaluate(f"(page) => /{HIDDEN}/u.test(page)", page.title())
        # the hover above is plotly's own; a dialog or a request would have been noted by `visit`


def test_the_policy_stops_what_would_slip_through(visit, reports):
    with visit(reports("small")) as opened:
        page = opened.page
        page.evaluate(
            """() => {
                window.slipped = [];
                document.addEventListener('securitypolicyviolation', (event) => slipped.push(event.effectiveDirective));
                const image = '<img src="https://example.org/x.png" onerror="alert(1)">';
                document.body.insertAdjacentHTML('beforeend', image);
                const script = document.createElement('script');
                script.textContent = 'alert(2)';
                document.body.append(script);
                fetch('https://example.org/').catch(() => {});
            }"""
        )
        page.wait_for_function("slipped.includes('img-src') && slipped.includes('connect-src')")
        assert page.evaluate("slipped.some((directive) => directive.startsWith('script-src'))")
        opened.troubles.clear()  # the console says what was refused
        opened.requests[:] = [url for url in opened.requests if url.startswith("file:")]


@pytest.mark.parametrize("is_allowed", [True, False])
def test_the_settings_are_copied_in_every_format(visit, reports, browser, is_allowed):
    permissions = ["clipboard-read", "clipboard-write"] if is_allowed else ["clipboard-read"]
    with visit(reports("small"), permissions=permissions) as opened:
        page = opened.page
        if not is_allowed:  # as in a browser that forbids it: the old way is left
            page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        for name, start in [("TOML", "x = 0."), ("JSON", '{\n  "x": 0.'), ("command line", "env 'AUGER_CONFIG={")]:
            page.get_by_role("button", name=name, exact=True).press("Enter")
            page.get_by_role("button", name="Copy", exact=True).press("Enter")
            page.wait_for_function("document.getElementById('copied').textContent === 'Copied.'")
            assert page.evaluate("navigator.clipboard.readText()").startswith(start)
            page.evaluate("document.getElementById('copied').textContent = ''")


def test_the_table_sorts_filters_and_turns_its_pages(visit, reports):
    with visit(reports("large")) as opened:
        page = opened.page
        assert page.inner_text("#trials-rows") == "Trials 1 to 50 of 10,000"
        page.get_by_role("button", name="value", exact=True).click()
        values = [float(text) for text in cells(page, "value")]
        assert values == sorted(values) and len(values) == 50
        heading = page.locator("#trials-table th[aria-sort]")
        assert heading.get_attribute("aria-sort") == "ascending"
        page.get_by_role("button", name="value", exact=True).press("Enter")
        assert heading.get_attribute("aria-sort") == "descending"
        assert float(cells(page, "value")[0]) > values[-1]
        page.get_by_role("button", name="Next").press("Enter")
        assert page.inner_text("#trials-rows") == "Trials 51 to 100 of 10,000"
        page.locator("#state").select_option("pruned")
        assert set(cells(page, "state")) == {"pruned"} and set(cells(page, "value")) == {"2.5 at step 1"}
        assert page.inner_text("#trials-rows") == "Trials 1 to 50 of 250, filtered from 10,000"
        page.locator("#filter").fill("GELU")
        assert set(cells(page, "kind")) == {"gelu"}
        page.locator("#filter").fill("no such text")
        assert page.inner_text("#trials-rows") == "None of 10,000 trials matches."


def test_text_sorts_by_its_numbers_and_empty_cells_come_last(visit, reports):
    with visit(reports("conditional")) as opened:
        page = opened.page
        for _ in range(2):
            page.get_by_role("button", name="trees", exact=True).click()
            there = [text for text in cells(page, "trees") if text]
            assert cells(page, "trees") == [*there, *[""] * (50 - len(there))]
            assert len(there) == 20
        assert [int(text) for text in there] == sorted(map(int, there), reverse=True)
        assert {"svm", "forest", "null"} == set(cells(page, "model"))


def test_everything_is_reached_by_the_keyboard(visit, reports):
    with visit(reports("small")) as opened:
        page = opened.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
        for wanted in ("Best settings", "TOML", "JSON", "command line", "Copy"):
            page.keyboard.press("Tab")
            name = "document.activeElement.ariaLabel || document.activeElement.textContent"
            assert page.evaluate(name) == wanted
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.get_by_role("link", name="All trials").press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "filter"
        page.keyboard.type("failed")
        assert cells(page, "state") == ["failed"]


def test_the_page_is_dark_where_the_reader_wants_it(visit, reports):
    with visit(reports("small"), color_scheme="dark") as opened:
        page = opened.page
        page.locator("[data-figure]").first.scroll_into_view_if_needed()
        page.wait_for_selector(".xtick text")
        dark = background(page), ink_of_plots(page)
        page.emulate_media(color_scheme="light")
        page.wait_for_function(
            "(ink) => getComputedStyle(document.querySelector('.xtick text')).fill !== ink", arg=dark[1]
        )
        light = background(page), ink_of_plots(page)
        assert dark == ("rgb(21, 25, 29)", "rgb(228, 232, 235)") and light == ("rgb(255, 255, 255)", "rgb(29, 35, 41)")


def test_on_paper_all_plots_are_drawn_and_the_table_is_short(visit, reports):
    with visit(reports("conditional"), color_scheme="dark") as opened:
        page = opened.page
        page.locator("#state").select_option("complete")
        page.get_by_role("button", name="Next").click()
        assert page.locator("[data-drawn]").count() < page.locator("[data-figure]").count()
        page.emulate_media(media="print", color_scheme="dark")
        page.wait_for_function("document.querySelectorAll('[data-figure]:not([data-drawn])').length === 0")
        assert page.evaluate(BARE) == []
        assert background(page) == "rgb(255, 255, 255)" and ink_of_plots(page) == "rgb(29, 35, 41)"
        assert not page.locator("nav").is_visible() and not page.locator("#filter").is_visible()
        assert page.locator("#trials-table tbody tr:not(.talk)").count() == 50
        assert page.get_by_text("On paper, the first 50").is_visible()
        assert page.locator("#trials-table").get_by_role("columnheader", name="model").is_visible()
        page.emulate_media(media="screen")
        page.wait_for_function("document.getElementById('trials-rows').textContent.startsWith('Trials 51')")
        assert len(page.pdf()) > 100_000


def test_a_browser_without_graphics_is_told_what_it_cannot_draw(visit, reports):
    without = """const made = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.includes('webgl') ? null : made.call(this, kind, ...rest);
        }"""
    with visit(reports("conditional"), script=without) as opened:
        page = opened.page
        page.locator("[data-figure=parallel]").scroll_into_view_if_needed()
        page.get_by_text("This figure needs WebGL").wait_for()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(BARE) == ["parallel"]


def test_a_dark_page_turns_light_before_it_is_printed_and_back(visit, reports):
    with visit(reports("empty"), color_scheme="dark") as opened:
        page = opened.page
        dark = background(page)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")  # the browser's, at which it is still on the screen
        assert background(page) == "rgb(255, 255, 255)"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert background(page) == dark == "rgb(21, 25, 29)"


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_the_first_screen_says_what_to_change_and_what_it_buys(visit, reports, width, height):
    with visit(reports("small"), width=width) as opened:
        opened.page.set_viewport_size({"width": width, "height": height})
        sentence = opened.page.locator(".headline")
        box = sentence.bounding_box()
        assert box["y"] + box["height"] < height / 2 and box["x"] + box["width"] <= width
        assert re.fullmatch(
            r"Set x to 0\.\d+( and kind to a)?: value falls from 0\.37 \(the defaults\) to 0\.01\d*, \d\d % better\.",
            sentence.inner_text(),
        )


# The state of a figure that its switches change: the type of the axis, and how many trials of each group are visible.
SHOWN = """() => {
  const { data, _fullLayout } = document.querySelector('[data-figure=history-0]');
  const pruned = data.filter((trace) => trace.legendgroup === 'pruned' && trace.visible !== false);
  return [_fullLayout.yaxis.type, pruned.length > 0];
}"""


def test_values_switch_to_a_logarithmic_scale_and_pruned_trials_off_and_on(visit, reports):
    with visit(reports("busy")) as opened:
        page = opened.page
        figure = page.locator("figure", has=page.locator("[data-figure=history-0]"))
        figure.scroll_into_view_if_needed()
        figure.locator(".points path").first.wait_for()
        log, pruned = figure.get_by_label("Log scale"), figure.get_by_label("Show pruned")
        assert page.evaluate(SHOWN) == ["linear", True]
        n_points = figure.locator(".points path").count()
        log.focus()
        page.keyboard.press("Space")
        page.wait_for_function(f"({SHOWN})()[0] === 'log'")
        assert figure.locator(".points path").count() == n_points
        label = page.evaluate(
            "document.querySelector('[data-figure=history-0] .annotation-text').getBoundingClientRect().y"
        )
        line = page.evaluate(
            "document.querySelector('[data-figure=history-0] .shapelayer path').getBoundingClientRect().y"
        )
        assert 0 < line - label < 30  # the words stand on their line on this scale, too
        pruned.uncheck()
        page.wait_for_function(f"!({SHOWN})()[1]")
        assert figure.locator(".points path").count() < n_points
        page.reload()
        figure.scroll_into_view_if_needed()
        figure.locator(".points path").first.wait_for()
        assert page.evaluate(SHOWN) == ["log", False]  # as the reader left it
        pruned.check()
        log.uncheck()
        page.wait_for_function(f"({SHOWN})()[0] === 'linear' && ({SHOWN})()[1]")
        opened.requests.pop()


def luminance(color):
    """Of a color as browsers write it, as WCAG has it."""
    channels = [int(channel) / 255 for channel in re.findall(r"\d+", color)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


PARALLEL = """() => {
  const style = (what) => getComputedStyle(document.querySelector(`[data-figure=parallel] ${what}`));
  const scale = document.querySelector('[data-figure=parallel]').data[0].line.colorscale.map(([, color]) => color);
  const text = style('.axis .tick text');
  return { axis: style('.axis .domain').stroke, ink: text.fill, halo: [text.stroke, text.paintOrder], scale };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_parallel_coordinates_are_legible_on_both_grounds(visit, reports, scheme):
    with visit(reports("busy"), color_scheme=scheme) as opened:
        page = opened.page
        page.locator("[data-figure=parallel]").scroll_into_view_if_needed()
        page.wait_for_selector("[data-figure=parallel] .axis .tick text")
        shown, ground = page.evaluate(PARALLEL), background(page)
        assert contrast(shown["axis"], ground) > 4.5 and contrast(shown["ink"], ground) > 7
        assert shown["halo"] == [ground, "stroke"]  # numbers are read on top of lines
        # the better, the more a line stands out
        colors = [
            f"rgb({int(color[1:3], 16)}, {int(color[3:5], 16)}, {int(color[5:7], 16)})" for color in shown["scale"]
        ]
        contrasts = [contrast(color, ground) for color in colors]
        assert contrasts == sorted(contrasts) and contrasts[0] < 1.6 and contrasts[-1] > 4.5


def test_no_toolbar_covers_a_figure_on_a_telephone(visit, reports):
    touched = {"width": 390, "has_touch": True, "is_mobile": True}
    for settings, n_expected in ((touched, 0), ({"width": 1280}, 1)):
        with visit(reports("busy"), **settings) as opened:
            figure = opened.page.locator("[data-figure=history-0]")
            figure.scroll_into_view_if_needed()
            figure.locator(".points path").first.wait_for()
            figure.hover()
            assert figure.locator(".modebar:visible").count() == n_expected


# Texts below a trial that reach out of the box of the table, which scrolls.
CUT = """() => {
  const box = document.querySelector('#trials .scroll').getBoundingClientRect();
  const texts = [...document.querySelectorAll('#trials-table tbody span')].map((text) => text.getBoundingClientRect());
  return texts.filter(({ left, right }) => left < box.left - 1 || right > box.right + 1).length;
}"""


@pytest.mark.parametrize("kind", ["busy", "evil_study"])
@pytest.mark.parametrize("width", [1280, 390])
def test_why_a_trial_was_tried_is_not_cut(visit, reports, kind, width):
    with visit(reports(kind), width=width) as opened:
        page = opened.page
        page.locator("#trials-table").scroll_into_view_if_needed()
        assert page.locator("#trials-table .talk .why").count() >= 12
        assert page.evaluate(CUT) == 0
        page.evaluate("document.querySelector('#trials .scroll').scrollLeft = 10000")  # to the last parameter
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate(CUT.replace("tbody span", "tbody .talk span")) == 0


def test_a_pruned_trial_has_its_last_value_and_stands_behind_those_that_ended(visit, reports):
    with visit(reports("busy")) as opened:
        page = opened.page
        for is_down in (False, True):
            page.get_by_role("button", name="value", exact=True).click()
            values = [text for text in cells(page, "value") if text]
            n_final = sum("at step" not in text for text in values)
            final = [float(text) for text in values[:n_final]]
            assert final == sorted(final, reverse=is_down)
            assert all(text.endswith("at step 1") for text in values[n_final:]) and n_final < len(values)


def test_the_axis_of_the_importance_has_different_ticks_from_zero_on(visit, reports):
    with visit(reports("meaningless")) as opened:
        opened.page.locator("[data-figure=importance]").scroll_into_view_if_needed()
        opened.page.wait_for_selector("[data-figure=importance] .xtick text")
        ticks = opened.page.locator("[data-figure=importance] .xtick text").all_text_contents()
        assert ticks[0] == "0%" and len(ticks) == len(set(ticks)) >= 3


def test_no_printed_page_is_half_empty(visit, reports):
    with visit(reports("busy"), width=680) as opened:
        page = opened.page
        page.emulate_media(media="print")
        page.wait_for_function("document.querySelectorAll('[data-figure]:not([data-drawn])').length === 0")
        paper = (297 - 30) / 25.4 * 96  # pixels of an A4 page between its margins
        # a page ends early where the next figure does not fit
        heights = "[...document.querySelectorAll('.figure')].map((figure) => figure.getBoundingClientRect().height)"
        assert max(page.evaluate(heights)) < paper / 2
        n_needed = page.evaluate("document.documentElement.getBoundingClientRect().height") / paper
        printed = page.pdf(format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "15mm"))
        n_pages = len(re.findall(rb"/Type /Page\b", printed))
        assert n_needed < n_pages < 1.25 * n_needed + 1  # the last one may be nearly empty


# -- several objectives -----------------------------------------------------------------------------------------------


def front_cells(page, column):
    titles = [title.strip(" ↑↓") for title in page.locator("#front-table thead th").all_inner_texts()]
    rows = "[...document.querySelectorAll('#front-table tbody tr:not(.talk)')]"
    return page.evaluate(f"(i) => {rows}.map((row) => row.cells[i].textContent)", titles.index(column))


def test_the_front_is_sorted_by_any_column_and_the_settings_of_a_row_are_copied(visit, reports):
    with visit(reports("several"), permissions=["clipboard-read", "clipboard-write"]) as opened:
        page, front = opened.page, opened.page.locator("#front-table")
        errors = [float(text) for text in front_cells(page, "error")]
        assert errors == sorted(errors) and len(errors) > 5
        front.get_by_role("button", name="accuracy", exact=True).click()
        front.get_by_role("button", name="accuracy", exact=True).click()
        accuracies = [float(text) for text in front_cells(page, "accuracy")]
        assert accuracies == sorted(accuracies, reverse=True)
        assert page.inner_text("#trials-rows").startswith("Trials 1 to 50 of 90")  # the other table stays as it was
        assert cells(page, "trial")[:3] == ["0", "1", "2"]
        assert float(front_cells(page, "layers")[0]) == int(front_cells(page, "layers")[0])
        for name, pattern in [("TOML", "layers = {}\n"), ("JSON", '"layers": {},')]:
            page.get_by_role("button", name=name, exact=True).click()
            button = front.locator(".copy").first
            assert re.fullmatch(r"Copy the settings of trial \d+", button.get_attribute("aria-label"))
            button.press("Enter")
            page.wait_for_function("document.getElementById('copied').textContent === 'Copied.'")
            assert pattern.format(front_cells(page, "layers")[0]) in page.evaluate("navigator.clipboard.readText()")
            assert button.inner_text() == "Copied" and front.locator(".copy").nth(1).inner_text() == "Copy"
        page.reload()
        page.wait_for_selector("html[data-ready=yes]")
        assert [float(text) for text in front_cells(page, "accuracy")] == accuracies  # as the reader left it
        opened.requests.pop()


def test_one_objective_is_shown_at_a_time_and_all_on_paper(visit, reports):
    with visit(reports("several")) as opened:
        page = opened.page
        tabs = page.get_by_role("group", name="Value by parameter: objective")
        assert page.locator("[data-figure=slices-0]").is_visible()
        assert not page.locator("[data-figure=slices-1]").is_visible()
        tabs.get_by_role("button", name="seconds").click()
        page.locator("[data-figure=slices-1] svg").first.wait_for()
        assert not page.locator("[data-figure=slices-0]").is_visible()
        assert tabs.get_by_role("button", name="seconds").get_attribute("aria-pressed") == "true"
        page.emulate_media(media="print")
        page.wait_for_function("document.querySelectorAll('[data-figure]:not([data-drawn])').length === 0")
        assert page.evaluate(BARE) == []
        assert all(plot.is_visible() for plot in page.locator("[data-figure]").all())
        assert not page.locator(".copy").first.is_visible()
        page.emulate_media(media="screen")
        page.reload()
        page.wait_for_selector("html[data-ready=yes]")
        assert page.locator("[data-figure=slices-1]").is_visible()
        opened.requests.pop()

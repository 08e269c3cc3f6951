"""The board in a real browser: what readers do with it, and what they may not run into.

The tests need the packages of the extra `browser` and a Chromium or Chrome on the path; they are
skipped where one of them is missing. The pages are opened from the disk: nothing is served.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from browsing import NEEDS_BROWSER, settle
from entered import REPOSITORY, enter, system
from helpers import PROJECT

from mwz.harness.board import read_board, read_entries
from mwz.harness.board.pairs import read_pairs
from mwz.harness.board.views.site import make_site, write_site

axe = pytest.importorskip("axe_playwright_python", reason="the extra `browser` is not installed")
from playwright.sync_api import Browser, BrowserContext, Page  # noqa: E402

pytestmark = [
    NEEDS_BROWSER,
    pytest.mark.skipif(not REPOSITORY.is_dir(), reason="the project is not here"),
]

PAGES = (
    "index.html", "compare.html", "systems/galaxy.html", "systems/lava.html", "audit.html",
    "metrics.html", "submitting.html", "older-results.html", "reported.html",
)  # fmt: skip
# One page of each kind.
KINDS = (
    "index.html", "compare.html", "reported.html", "systems/lava.html", "metrics.html",
    "dialogues.html",
)  # fmt: skip
WIDTHS = (360, 800, 1280, 1440, 1920)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, project_site: Mapping[str, str]) -> Path:
    directory = tmp_path_factory.mktemp("web")
    write_site(project_site, directory)
    return directory


def _column(page: Page, table: str, key: str, body: str = "tbody:not(.reported)") -> list[str]:
    """Return what stands in a column, from the top, of the rows that are shown."""
    return [
        str(text)
        for text in page.evaluate(
            """([name, key, body]) => {
              const table = document.querySelector(`table[data-table="${name}"]`);
              const heads = [...table.querySelectorAll("thead th")];
              const at = heads.findIndex((head) => head.dataset.column === key);
              return [...table.querySelectorAll(`${body} tr:not(.divider):not([hidden])`)]
                .map((row) => row.cells[at].textContent.trim());
            }""",
            [table, key, body],
        )
    ]


def _figures(page: Page, key: str) -> list[float]:
    """Return the figures of a column of the first track, of rows that have one."""
    texts = _column(page, "end-to-end", key)
    return [float(text.removeprefix("≥ ").split()[0]) for text in texts if text != "–"]


def _names(page: Page, table: str = "end-to-end", body: str = "tbody") -> list[str]:
    shown = page.locator(f'table[data-table="{table}"] {body} tr:not([hidden]) .name')
    return [text.strip() for text in shown.all_text_contents()]


def _head(page: Page, key: str, table: str = "end-to-end") -> Any:
    return page.locator(f'table[data-table="{table}"] th[data-column="{key}"]')


def _choice(page: Page, group: str, title: str) -> Any:
    """Return the box of a column."""
    fields = page.locator("#columns fieldset").filter(
        has=page.locator(f"legend:text-is('{group}')")
    )
    return fields.get_by_label(title, exact=True)


# Sorting, filtering, columns, tabs.


def test_a_click_on_a_title_sorts_and_another_one_turns_round(page: Page) -> None:
    _head(page, "bleu").locator("button").click()
    figures = _figures(page, "bleu")
    assert figures == sorted(figures, reverse=True)
    assert _head(page, "bleu").get_attribute("aria-sort") == "descending"
    _head(page, "bleu").locator("button").click()
    figures = _figures(page, "bleu")
    assert figures == sorted(figures)
    assert _head(page, "bleu").get_attribute("aria-sort") == "ascending"
    # What public tables report is sorted by itself and stays below.
    printed = [float(t) for t in _column(page, "end-to-end", "bleu", "tbody.reported")]
    assert printed == sorted(printed)
    assert _names(page)[-len(printed) :] == _names(page, body="tbody.reported")
    _head(page, "rank").locator("button").click()
    assert _head(page, "bleu").get_attribute("aria-sort") is None
    ranks = [rank.split()[0] for rank in _column(page, "end-to-end", "rank") if rank != "–"]
    assert ranks == [str(rank) for rank in range(1, len(figures) + 1)][: len(ranks)]


def test_filters_leave_the_rows_that_have_all(page: Page) -> None:
    every = len(_names(page))
    page.fill("#filter-name", "gal")
    assert "GALAXY" in _names(page)
    assert all("gal" in name.lower() for name in _names(page))
    counts = [int(text) for text in page.locator(".tabs .count").all_inner_texts()]
    assert counts[0] == len(_names(page))
    # A tab counts each system once, however many tables of the track it stands in.
    matching = page.locator(
        "table.board tbody tr:not(.divider):not(.reference):not([hidden])"
    ).count()
    assert page.locator("#told").inner_text().startswith(f"{matching} of ")
    assert counts[2] == len(set(_names(page, "state-tracking-0"))) < matching
    page.fill("#filter-name", "")
    page.locator("#more-filters summary").click()
    page.select_option("#filter-year", "2021")
    assert set(_names(page)) >= {"UBAR", "AuGPT", "MTTOD"}
    page.select_option("#filter-kind", "reported")
    assert "MTTOD" in _names(page)
    assert not {"GALAXY", "AuGPT", "TOATOD"} & set(_names(page))
    page.select_option("#filter-year", "")
    page.select_option("#filter-kind", "")
    assert len(_names(page)) == every
    page.select_option("#filter-year", "2021")
    assert page.locator("#more-filters summary").inner_text().startswith("Filters (1)")
    page.fill("#filter-name", "no system is called so")
    assert page.locator("#told").inner_text().endswith("; no row matches")
    page.get_by_role("button", name="Show all rows").click()
    assert len(_names(page)) == every
    assert "?" not in page.url


# The state in the address.


def test_the_address_keeps_what_is_shown(page: Page, context: BrowserContext) -> None:
    page.get_by_role("tab", name="Policy-optimization").click()
    _head(page, "bleu", "policy-optimization").locator("button").click()
    page.fill("#filter-name", "a")
    page.locator("#columns summary").click()
    _choice(page, "responses", "Unique 3-grams").check()
    _choice(page, "strict, 2021", "Inform").uncheck()
    shown = _names(page, "policy-optimization")
    other = context.new_page()
    other.goto(page.url)
    assert other.locator("section.track:visible").get_attribute("id") == "policy-optimization"
    assert _names(other, "policy-optimization") == shown
    head = _head(other, "bleu", "policy-optimization")
    assert head.get_attribute("aria-sort") == "descending"
    assert other.input_value("#filter-name") == "a"
    assert _head(other, "trigrams", "policy-optimization").is_visible()
    assert not _head(other, "inform", "policy-optimization").is_visible()


def test_back_undoes_one_step_after_the_other(page: Page) -> None:
    before = _names(page)
    _head(page, "inform").locator("button").click()
    page.get_by_role("tab", name="State tracking").click()
    page.locator("#more-filters summary").click()
    page.select_option("#filter-kind", "scored")
    page.go_back()
    settle(page)
    assert page.input_value("#filter-kind") == ""
    assert page.locator("section.track:visible").get_attribute("id") == "state-tracking"
    page.go_back()
    settle(page)
    assert page.locator("section.track:visible").get_attribute("id") == "end-to-end"
    assert _head(page, "inform").get_attribute("aria-sort") == "descending"
    page.go_back()
    settle(page)
    assert _names(page) == before
    assert _head(page, "rank").get_attribute("aria-sort") == "ascending"
    page.go_forward()
    settle(page)
    assert _head(page, "inform").get_attribute("aria-sort") == "descending"


def test_nonsense_in_the_address_shows_the_board(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri() + "#nothing?sort=x.y&show=z&year=1&kind=%00")
    page.reload()
    assert page.locator("section.track:visible").get_attribute("id") == "end-to-end"
    assert _head(page, "rank").get_attribute("aria-sort") == "ascending"
    message = page.locator("#unknown").inner_text()
    for what in ("track or system “nothing”", "column “z”", "sort “x.y”", "year “1”"):
        assert what in message
    page.get_by_role("tab", name="State tracking").click()
    assert not page.locator("#unknown").is_visible()


def test_titles_of_columns_stay_in_sight(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    settle(page)
    head = _head(page, "combined")
    assert head.bounding_box()["y"] <= 400
    page.locator("#row-damd").evaluate("row => row.scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(600)
    box = head.bounding_box()
    assert 0 <= box["y"] < 10
    # So do they in a table that scrolls by itself, since it is too wide.
    page.locator("#columns summary").click()
    for choice in page.locator("#columns input").all():
        choice.check()
    page.keyboard.press("Escape")
    scroller = page.locator('.scroll:has(table[data-table="end-to-end"])')
    scroller.evaluate("element => { element.scrollTop = 400; }")
    top = scroller.bounding_box()
    box = head.bounding_box()
    assert abs(box["y"] - top["y"]) < 2


def test_everything_is_reached_and_used_by_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    assert page.locator(":focus").is_visible()
    address = page.url
    page.keyboard.press("Enter")
    assert page.locator("#content").evaluate("main => main === document.activeElement")
    assert page.url == address
    _head(page, "success").locator("button").focus()
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    page.keyboard.press("Enter")
    assert page.evaluate(outline) == "solid"
    figures = _figures(page, "success")
    assert figures == sorted(figures, reverse=True)
    page.locator("#columns summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator(":focus").get_attribute("type") == "checkbox"
    page.keyboard.press("Escape")
    point = page.locator("#end-to-end .scatter .point").first
    stroke = "circle => getComputedStyle(circle).strokeWidth"
    assert point.locator("circle").evaluate(stroke) == "1px"
    point.focus()
    assert point.locator("circle").evaluate(stroke) == "2px"
    page.get_by_role("tab", name="Policy-optimization").click()
    page.keyboard.press("ArrowRight")
    shown = page.locator("section.track:visible")
    assert shown.get_attribute("id") == "state-tracking"
    assert page.locator(":focus").get_attribute("aria-selected") == "true"
    page.keyboard.press("Home")
    assert shown.get_attribute("id") == "end-to-end"


# Comparing.


def _compared(page: Page, folder: Path, keys: str) -> Any:
    page.goto((folder / "compare.html").as_uri() + f"#{keys}")
    page.reload()
    return page.locator("#compared table")


def test_two_systems_are_compared_by_what_is_stored_of_them(page: Page, folder: Path) -> None:
    pair = read_pairs(REPOSITORY, read_entries(REPOSITORY)).get(("mars", "krls"))
    success = pair.figures["success"]
    tables = _compared(page, folder, "mars,krls")
    assert tables.nth(0).locator("tbody tr").nth(2).inner_text().startswith("Success\t78.0 ±")
    [line] = tables.nth(1).locator("tbody tr").all()
    cells = line.locator("td").all_inner_texts()
    assert line.locator("th").inner_text() == "Mars minus KRLS"
    assert cells[0] == str(pair.dialogues)
    shown, _, counts = cells[3].partition(" p ")
    assert float(shown.replace("−", "-").replace("≈ ", "")) == pytest.approx(
        success.difference, abs=0.051
    )
    assert counts.endswith(f", {success.only_a} : {success.only_b}")
    # The other way round everything is turned.
    turned = _compared(page, folder, "krls,mars").nth(1).locator("tbody td").all_inner_texts()
    assert turned[3].startswith(shown.replace("−", "+"))
    assert turned[3].endswith(f", {success.only_b} : {success.only_a}")
    assert ("≈" in turned[4]) == (pair.figures["combined"].p >= 0.05)


def test_up_to_four_systems_are_compared_by_domain_and_by_cause(page: Page, folder: Path) -> None:
    page.goto((folder / "compare.html").as_uri())
    for number, key in enumerate(("krls", "mars", "damd", "ubar")):
        page.select_option(f"#compare-{number}", key)
    assert page.url.endswith("#krls,mars,damd,ubar")
    by_key = {entry.key: entry for entry in read_entries(REPOSITORY)}
    differences, domains, causes = (
        page.locator("#compared table").nth(place) for place in (1, 2, 3)
    )
    # Each with each: 4 * 3 / 2.
    assert differences.locator("tbody tr").count() == 6
    strict = by_key["damd"].scores.main.strict
    hotel = domains.locator("tbody tr", has_text="hotel").locator("td").nth(2).inner_text()
    assert hotel == f"{strict.inform['hotel']:.1f} / {strict.success['hotel']:.1f}"
    known = by_key["krls"].scores.dialogues
    never = causes.locator("tbody tr", has_text="never named").locator("td").first.inner_text()
    assert never == f"{known.causes.points['never named'].success:.1f}"
    # What a reader's own outputs are compared by is ready to be copied.
    assert page.locator("#command").inner_text() == "mwz compare krls mars damd ubar mine.json"
    page.go_back()
    settle(page)
    assert page.input_value("#compare-3") == ""
    assert differences.locator("tbody tr").count() == 3


def test_rows_that_are_checked_are_compared(page: Page) -> None:
    # Marks are words, or signs where there is no room; both open the notes.
    marks = page.locator("#row-krls .marks")
    for width, text in ((1920, "rank 1 under rules 2026"), (390, "V 1")):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        shown = "mark => [...mark.children].find(part => part.offsetWidth > 1).innerText"
        assert marks.locator(".rules").evaluate(shown) == text
        marks.click()
        assert "rank 1 under rules 2026" in page.locator("#note-row-krls:visible").inner_text()
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 900})
    for name in ("Mars", "KRLS"):
        page.get_by_label(f"Compare {name}", exact=True).check()
    page.get_by_role("link", name="Compare 2 systems").click()
    assert page.url.endswith("compare.html#krls,mars")
    # All pairs by another figure: DARD best agents leads KRLS by 9.0 points of Success.
    cell = page.locator("#all ~ .scroll tbody tr").first.locator("td").first
    assert cell.inner_text() == "≈ +1.4"
    page.get_by_label("By", exact=True).select_option("success")
    assert cell.inner_text() == "+9.0"


def test_a_command_is_copied(browser: Browser, folder: Path) -> None:
    granted = ["clipboard-read", "clipboard-write"]
    with browser.new_context(permissions=granted) as context:
        page = context.new_page()
        page.goto((folder / "compare.html").as_uri() + "#krls,mars")
        page.get_by_role("button", name="Copy").click()
        page.get_by_role("button", name="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == "mwz compare krls mars mine.json"
        page.goto((folder / "systems" / "ubar.html").as_uri())
        page.get_by_role("button", name="Copy").first.click()
        page.get_by_role("button", name="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert "\nUBAR & 17.6 & 83.4 & 70.3 & 94.4" in copied


def test_unknown_names_in_the_address_are_reported(page: Page, folder: Path) -> None:
    _compared(page, folder, "mars,nonsense")
    notice = page.locator("#unknown")
    assert notice.inner_text() == "Cannot compare “nonsense”: choose from the lists above."
    assert page.input_value("#compare-0") == "mars"
    # Whoever chooses has read it.
    page.select_option("#compare-1", "krls")
    assert not notice.is_visible()
    assert page.url.endswith("#mars,krls")
    _compared(page, folder, "krls,mars,damd,ubar,galaxy")
    assert notice.inner_text().startswith("Only 4 systems fit")
    # The address of a part of the page is no name.
    _compared(page, folder, "all")
    assert not notice.is_visible()


# On a phone.


@pytest.fixture
def phone(context: BrowserContext, folder: Path) -> Page:
    opened = context.new_page()
    opened.set_viewport_size({"width": 360, "height": 740})
    opened.goto((folder / "index.html").as_uri())
    return opened


def test_the_first_screen_of_a_phone_has_the_first_row(phone: Page) -> None:
    row = phone.locator('table[data-table="end-to-end"] tbody tr.scored').first
    box = row.bounding_box()
    assert box["y"] + box["height"] <= 740
    assert _head(phone, "rank").bounding_box()["y"] <= 440
    for key in ("rank", "system", "combined", "success"):
        place = _head(phone, key).bounding_box()
        assert place is not None, key
        assert place["x"] >= 0, key
        assert place["x"] + place["width"] <= 360, key
    # Tabs are in one line, and filters are folded.
    heights = {tab.bounding_box()["y"] for tab in phone.get_by_role("tab").all()}  # type: ignore[index]
    assert len(heights) == 1
    assert not phone.locator("#filter-year").is_visible()
    phone.locator("#more-filters summary").click()
    assert phone.locator("#filter-year").is_visible()


def test_rows_have_two_lines_on_a_phone(phone: Page) -> None:
    phone.set_viewport_size({"width": 390, "height": 740})
    settle(phone)
    for tab in phone.get_by_role("tab").all():
        tab.click()
        for row in phone.locator("table.board tbody tr:not(.divider):visible").all():
            box = row.bounding_box()
            assert box is not None
            assert box["height"] < 60, row.inner_text()


# For everybody.


@pytest.mark.parametrize("path", KINDS)
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1600, "light")])
def test_axe_finds_nothing(
    browser: Browser, folder: Path, path: str, width: int, scheme: Any
) -> None:
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    # The checks are a script of their own, which the pages' policy does not let in.
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    ) as context:
        page = context.new_page()
        page.goto((folder / path).as_uri())
        if path == "index.html":
            page.locator("#columns summary").click()
            tracks = "document.querySelectorAll('section.track')"
            page.evaluate(f"{tracks}.forEach(track => track.hidden = false)")
        page.evaluate(
            "for (const folded of document.querySelectorAll('main details')) folded.open = true"
        )
        # Rows are alike, and a thousand of them take axe a minute.
        further_rows = "document.querySelectorAll('tr:nth-child(n+12)')"
        page.evaluate(f"{further_rows}.forEach(row => row.remove())")
        page.evaluate(script)
        report = page.evaluate("axe.run(document, { preload: false })")
        assert [
            (violation["id"], violation["nodes"][0]["html"]) for violation in report["violations"]
        ] == []
        assert len(report["passes"]) > 10


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_too_wide(context: BrowserContext, folder: Path, width: int) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    for path in PAGES:
        page.goto((folder / path).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("width", WIDTHS)
def test_long_texts_fit_the_screen(context: BrowserContext, tmp_path: Path, width: int) -> None:
    texts = {"note": "x" * 500, "reported": [{"source": "z" * 500, "inform": 70.0}]}
    key = "w" * 60
    enter(tmp_path / "submissions", key, system(name="W" * 60, **texts))
    entries = read_entries(tmp_path / "submissions")
    made = make_site(read_board(tmp_path / "submissions", entries, "2021"), PROJECT / "docs")
    write_site(made, tmp_path / "web")
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("index.html", f"systems/{key}.html"):
        page.goto((tmp_path / "web" / path).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_without_scripts_tables_stay(browser: Browser, folder: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((folder / "index.html").as_uri())
        tracks = page.locator("section.track").count()
        assert page.locator("section.track:visible").count() == tracks >= 4
        assert not page.locator("#filters").is_visible()
        assert page.locator("#row-lava").is_visible()
        # Of the columns, those that a reader would see at first.
        assert page.locator('th[data-column="success"]').first.is_visible()
        assert not page.locator('th[data-column="trigrams"]:visible').count()
        assert page.locator("input:visible").count() == 0
        page.goto((folder / "compare.html").as_uri())
        assert page.locator("table:visible").count() == 2
        assert not page.locator("#compare").is_visible()


def test_in_print_all_tracks_stand_below_each_other_without_controls(page: Page) -> None:
    page.emulate_media(media="print")
    tracks = page.locator("section.track").count()
    assert page.locator("section.track:visible").count() == tracks >= 4
    assert not page.locator("#filters").is_visible()
    assert not page.locator(".tabs").is_visible()
    assert page.locator("#title-policy-optimization").bounding_box()["height"] > 10  # type: ignore[index]
    assert not page.locator(".top").is_visible()
    # On paper it is dark on white without colours, also of who reads in the dark.
    page.emulate_media(media="print", color_scheme="dark")
    style = """element => {
      const style = getComputedStyle(element);
      return [style.color, style.textDecorationLine];
    }"""
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#row-krls .name a").evaluate(style) == ["rgb(0, 0, 0)", "none"]
    assert page.locator("#row-galaxy td.bad").first.evaluate(style)[0] == "rgb(0, 0, 0)"

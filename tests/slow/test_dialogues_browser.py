"""Dialogues to read in a real browser: filters, the choice of systems, addresses, every width.

As in `test_site_browser.py` the pages are opened from the disk. They are those of the sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from browsing import NEEDS_BROWSER, settle
from helpers import SUBMISSIONS

from mwz.harness import Benchmark
from mwz.harness.board import Board
from mwz.harness.board.views.dialogue_pages import pages_of_dialogues
from mwz.harness.board.views.site import dialogue_site, write_site
from mwz.harness.diagnosis import Diagnosis, diagnose
from mwz.harness.io import write_atomically
from mwz.harness.scoring import Options, Scorer, check_predictions, played_predictions

axe = pytest.importorskip("axe_playwright_python", reason="the extra `browser` is not installed")
from playwright.sync_api import Browser, Page  # noqa: E402

pytestmark = NEEDS_BROWSER

NAMES = tuple(sorted(path.stem for path in SUBMISSIONS.glob("*.json")))
ROWS = "#dialogues tbody tr:not([hidden]):not(.details)"


@pytest.fixture(scope="module")
def diagnoses(sample: Benchmark) -> dict[str, Diagnosis]:
    scorer = Scorer(sample, Options(setup="strict", metrics=["inform"]))
    contents = {name: (SUBMISSIONS / f"{name}.json").read_bytes() for name in NAMES}
    return {
        name: diagnose(played_predictions(scorer, check_predictions(scorer, content, name))[1])
        for name, content in contents.items()
    }


@pytest.fixture(scope="module")
def folder(diagnoses: dict[str, Diagnosis], tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dialogues")
    for path, content in dialogue_site(pages_of_dialogues(diagnoses)).items():
        write_atomically(directory / path, content())
    return directory


def _shown(page: Page) -> set[str]:
    return {text.strip() for text in page.locator(f"{ROWS} th").all_text_contents()}


def _won(diagnosis: Diagnosis) -> set[str]:
    return {outcome.id for outcome in diagnosis.results if outcome.success}


def test_filters_leave_the_dialogues_that_have_all(
    page: Page, diagnoses: dict[str, Diagnosis], sample: Benchmark
) -> None:
    hasty = diagnoses["hasty"]
    page.select_option("#choose-system", "hasty")
    page.select_option("#choose-outcome", "lost")
    lost = {dialogue.id for dialogue in hasty.results} - _won(hasty)
    assert _shown(page) == lost
    page.select_option("#choose-cause", "never said")
    said = {result.id for result in hasty.results if "never said" in result.causes.values()}
    assert _shown(page) == lost & said
    page.select_option("#choose-domain", "hotel")
    of_hotel = {
        dialogue.id
        for dialogue in hasty.results
        if any(n.startswith("hotel ") and c == "never said" for n, c in dialogue.causes.items())
    }
    assert _shown(page) == of_hotel
    page.select_option("#choose-cause", "")
    page.select_option("#choose-outcome", "")
    assert _shown(page) == {
        id_ for id_, dialogue in sample.dialogues.items() if "hotel" in dialogue.goal
    }


def test_filters_find_what_only_one_system_wins(
    page: Page, diagnoses: dict[str, Diagnosis]
) -> None:
    assert not page.locator("#choose-other").is_visible()
    page.select_option("#choose-system", "careful")
    page.select_option("#choose-outcome", "only")
    others = set[str]().union(
        *(_won(diagnosis) for name, diagnosis in diagnoses.items() if name != "careful")
    )
    assert _shown(page) == _won(diagnoses["careful"]) - others
    page.select_option("#choose-other", "hasty")
    expected = _won(diagnoses["careful"]) - _won(diagnoses["hasty"])
    assert _shown(page) == expected != set()
    assert page.locator("#chosen").inner_text().startswith(f"{len(expected)} of ")


def test_the_address_says_what_is_chosen_and_goes_on_to_the_dialogue(page: Page) -> None:
    page.select_option("#choose-system", "hasty")
    page.select_option("#choose-outcome", "lost")
    page.select_option("#choose-order", "hardest")
    address, shown = page.url, _shown(page)
    counts = page.locator(f"{ROWS} td:nth-child(4)").all_text_contents()
    assert [int(text.split()[0]) for text in counts] == sorted(int(t.split()[0]) for t in counts)
    assert address.endswith("#system=hasty&outcome=lost&order=hardest")
    page.goto("about:blank")
    page.goto(address)
    assert _shown(page) == shown
    page.locator(f"{ROWS} a").first.click()
    page.wait_for_url("**/dialogues/*.html#system=hasty")
    assert page.locator("#turn-0 td:visible").count() == 2
    assert page.get_by_label("hasty").is_checked()
    before = page.url
    page.locator("a.stay").first.click()
    page.wait_for_url(lambda url: url != before)
    assert page.url.endswith("#system=hasty")
    assert page.locator("#turn-0 td:visible").count() == 2


def test_what_the_address_asks_for_in_vain_is_told(page: Page) -> None:
    every = len(_shown(page))
    page.goto(page.url + "#system=nobody&outcome=lost&domain=moon")
    page.reload()
    chosen = page.locator("#chosen")
    assert chosen.inner_text().startswith("Unknown system “nobody”, domain “moon”: choose from")
    assert page.input_value("#choose-outcome") == "lost"
    page.select_option("#choose-outcome", "")
    assert chosen.inner_text() == f"{every} of {every} dialogues"


def test_a_dialogue_leads_to_its_causes_and_back_undoes_a_choice(page: Page) -> None:
    page.locator(f"{ROWS} a").first.click()
    page.wait_for_url("**/dialogues/*.html*")
    columns = page.locator("#turn-0 td:visible")
    before = columns.count()
    page.get_by_label(NAMES[0], exact=True).uncheck()
    assert columns.count() == before - 1
    page.go_back()
    settle(page)
    assert columns.count() == before
    page.get_by_role("link", name="What the causes mean").click()
    page.wait_for_url("**/index.html#causes")
    assert page.locator("#causes dt", has_text="no venue").is_visible()


def test_who_fails_by_what_shows_below_a_dialogue(
    browser: Browser, tmp_path: Path, project_board: Board, project_site: Mapping[str, str]
) -> None:
    write_site(project_site, tmp_path)
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "dialogues.html").as_uri() + "#system=UBAR&outcome=lost")
        ubar = next(entry for entry in project_board.entries if entry.key == "ubar")
        success = ubar.scores.main.success
        assert page.locator(ROWS).count() == round(10 * (100 - success))
        button = page.locator(f"{ROWS} button").first
        button.click()
        assert button.get_attribute("aria-expanded") == "true"
        details = page.locator(".details")
        failing = details.locator("li b").all_text_contents()
        assert "UBAR" in failing
        # Whoever plays the dialogue stands in one of the two lists.
        played = page.locator(f"{ROWS} td:nth-child(4)").first.inner_text().split(" of ")
        assert len(failing) == int(played[1]) - int(played[0])
        button.click()
        assert details.count() == 0


def test_without_scripts_all_is_there_and_no_control(browser: Browser, folder: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((folder / "index.html").as_uri())
        assert not page.locator("#choose").is_visible()
        page.locator(f"{ROWS} a").first.click()
        assert page.locator("#turn-0 td:visible").count() == 1 + len(NAMES)
        assert "scroll sideways" in page.locator(".turns caption").inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (800, "light"), (1600, "dark")])
def test_axe_finds_nothing_and_nothing_is_cut_off(
    browser: Browser, folder: Path, width: int, scheme: Any
) -> None:
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    first = next(iter(sorted((folder / "dialogues").iterdir())))
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    ) as context:
        page = context.new_page()
        for path in (folder / "index.html", first):
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.evaluate(script)
            report = page.evaluate("axe.run(document, { preload: false })")
            assert [(o["id"], o["nodes"][0]["html"]) for o in report["violations"]] == []
            assert len(report["passes"]) > 10

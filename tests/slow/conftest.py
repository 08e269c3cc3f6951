"""Tests of this folder are slow.

They copy the project, start or kill processes, open a browser, or compute for minutes.

`python -m pytest -m slow` runs them; without that option they are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import BROWSER
from helpers import copy_packages, run_process

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of the folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the packages, which commands run from."""
    copy_packages(tmp_path)
    return tmp_path


@pytest.fixture
def mwz(copied: Path) -> Callable[..., str]:
    """Runs a command of the copy and returns its standard output."""
    place = {"PYTHONPATH": copied, "MWZ_DATA": copied / "data", "COLUMNS": 200}

    def run(*arguments: str) -> str:
        done = run_process(*arguments, folder=copied, **place)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=BROWSER, args=list(_QUIET))
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A window of its own, in which nothing may go wrong or be asked for from elsewhere."""
    shown: list[str] = []
    with browser.new_context(viewport={"width": 1440, "height": 900}) as opened:
        opened.on("console", lambda message: shown.append(message.text))
        opened.on("weberror", lambda error: shown.append(str(error.error)))
        opened.on("request", lambda request: _only_from_disk(request.url, shown))
        yield opened
    assert not shown


@pytest.fixture
def page(context: BrowserContext, folder: Path) -> Page:
    """The first of the pages that a module has in a folder."""
    opened = context.new_page()
    opened.goto((folder / "index.html").as_uri())
    return opened


def _only_from_disk(url: str, requests: list[str]) -> None:
    if not url.startswith(("file://", "data:")):
        requests.append(f"asks for {url}")

"""What the tests in a real browser have in common; their fixtures are in slow/conftest.py."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, _NAMES)), None)
NEEDS_BROWSER = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on the path")


def settle(page: Page) -> None:
    """Wait until the scripts of `page` have heard of a new width or address.

    Playwright returns before: they hear of it when the next frame is drawn.
    """
    frames = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.evaluate(frames)

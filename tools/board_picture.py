"""Make docs/board.png: the board as a browser shows it.

    python tools/board_picture.py

It needs the extra `browser` and a Chromium or Chrome on the path. Letters differ from machine to
machine, and with them the bytes: the picture is made again when the board looks different.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from mwz.harness.board import read_board, read_entries
from mwz.harness.board.views.site_pages import make_site, write_site

PROJECT = Path(__file__).parents[1]
PICTURE = PROJECT / "docs" / "board.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"none of {', '.join(BROWSERS)} is on the path")
    submissions = PROJECT / "submissions"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        made = make_site(
            read_board(submissions, read_entries(submissions), "2021"), PROJECT / "docs"
        )
        write_site(made, Path(folder))
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1280, "height": 1080}, color_scheme="light")
        page.goto((Path(folder) / "index.html").as_uri())
        page.screenshot(path=PICTURE)
        chromium.close()
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

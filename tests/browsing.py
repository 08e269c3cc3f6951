"""What the tests in a real browser have in common."""

from __future__ import annotations

from typing import Any


def settle(page: Any) -> None:
    """Wait until `page` has told its scripts of a new width, medium or address.

    Playwright returns before: the events are sent when the next frame is drawn.
    """
    frames = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.evaluate(frames)

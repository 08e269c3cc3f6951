"""What tells others of the site: data about the data, new entries, a preview."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from mwz.normalization.rules.registry import read_toml

from ...errors import InputError
from .. import TRACKS
from ..entries import Entry
from ..model import Board
from ..pairs import RANKING


@cache
def dataset() -> Mapping[str, Any]:
    """Return what is said of the results: title, description, keywords, creator and licence."""
    return read_toml("dataset.toml", __package__)


def site_url(address: str) -> str:
    """Return the address of a site with a slash at its end.

    Raises:
        InputError: It is none that a browser opens.
    """
    host = address.partition("://")[2]
    if not address.startswith(("https://", "http://")) or not host or {*address} & {*" <>\"'?#"}:
        raise InputError("--site", f"{address!r} is no address such as https://example.org/board/")
    return address.rstrip("/") + "/"


def dated_entries(board: Board) -> list[tuple[str, Entry]]:
    """Return when entries were submitted to the board since it began, in UTC, the latest first."""
    dated = [(e.system.entered, e) for e in board.entries if e.system.entered is not None]
    found = [
        (datetime.isoformat(time.replace(tzinfo=None), timespec="seconds"), e) for time, e in dated
    ]
    return sorted(found, key=lambda one: (one[0], one[1].key), reverse=True)


def preview(board: Board) -> bytes:
    """Return the picture that others show of the site, a PNG: the best systems with intervals."""
    from matplotlib.figure import Figure

    about, track = dataset(), next(iter(TRACKS))
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="white")
    figure.text(0.06, 0.86, about["title"], size=38, weight="bold", color="#1b1f24")
    title = f"{TRACKS[track].title} by {RANKING} score, with 95 % intervals"
    figure.text(0.06, 0.78, title, size=17, color="#59626d")
    axes = figure.add_axes((0.3, 0.08, 0.64, 0.65))
    best = [row for row in board.of_track(track) if row.rank is not None][:10]
    for at, row in enumerate(best):
        value = row.at_least[0]
        interval = board.interval(row, RANKING)
        half = 0.0 if interval is None else interval.half
        axes.plot([value - half, value + half], [-at, -at], color="#8fb0e3", linewidth=9)
        axes.plot(value, -at, "o", color="#174ea6", markersize=9)
    axes.set_yticks([-at for at in range(len(best))], [row.name for row in best], size=15)
    axes.tick_params(length=0, labelcolor="#1b1f24", labelsize=15)
    axes.grid(axis="x", color="#dfe3e8")
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()

"""What tells others of the site: data about the data, sitemap, feed, badges."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from mwz.normalization.rules.registry import read_toml

from ...errors import InputError
from ...signature import harness_version
from .. import TRACKS
from ..citations import references
from ..entries import Entry
from ..model import Board
from ..pairs import RANKING
from .page_parts import LETTER, Cell, system_link

_FORMATS = {"json": "application/json", "csv": "text/csv"}


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


def json_ld(board: Board, address: str) -> str:
    """Return the results as a schema.org `Dataset`, in JSON that may stand in a page.

    It has what a DOI asks for: creator, title, publisher, year, version and licence.

    Args:
        board: The board.
        address: The address of the site; empty if it is not known.
    """
    about, dated = dataset(), _by_date(board)
    who = {"@type": "Organization", "name": about["creator"]}
    content = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": about["title"],
        "description": about["description"],
        "keywords": about["keywords"],
        "creator": who,
        "publisher": who,
        "datePublished": references(("harness",))[0].fields["year"],
        "version": harness_version(),
        "license": about["licence"]["url"],
        "measurementTechnique": f"multiwoz-harness, rule set {board.rules}",
        **({"url": address} if address else {}),
        **({"dateModified": _time(dated[0])} if dated else {}),
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": of, "contentUrl": f"{address}board.{name}"}
            for name, of in _FORMATS.items()
        ],
    }
    return json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")


def _by_date(board: Board) -> Sequence[Entry]:
    """Return the entries that were submitted to the board since it began, the latest first."""
    dated = [entry for entry in board.entries if entry.system.entered is not None]
    return sorted(dated, key=lambda entry: (_time(entry), entry.key), reverse=True)


def _time(entry: Entry) -> str:
    time = entry.system.entered or datetime.datetime.min
    return time.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


_XML = '<?xml version="1.0" encoding="utf-8"?>\n'


def sitemap(pages: Iterable[str], address: str) -> str:
    """Return a sitemap of the pages of a site, given their paths."""
    lines = (f"<url><loc>{escape(address + page)}</loc></url>\n" for page in sorted(pages))
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'{_XML}<urlset xmlns="{space}">\n{"".join(lines)}</urlset>\n'


def feed(board: Board, address: str) -> str | None:
    """Return an Atom feed of the entries by when they were submitted; None if none says when."""
    dated = _by_date(board)
    if not dated:
        return None
    about = dataset()
    lines = [
        f"<title>{escape(about['title'])}</title>",
        f"<id>{escape(address)}</id>",
        f'<link href="{escape(address)}"/>',
        f'<link rel="self" href="{escape(address)}feed.xml"/>',
        f"<updated>{_time(dated[0])}</updated>",
        f"<author><name>{escape(about['creator'])}</name></author>",
    ]
    for entry in dated:
        link = escape(address + system_link(entry.key))
        track = escape(TRACKS[entry.system.track].title)
        lines += [
            f"<entry><title>{escape(entry.system.name)}</title><id>{link}</id>",
            f'<link href="{link}"/><updated>{_time(entry)}</updated>',
            f"<summary>{escape(entry.system.note or track)}</summary></entry>",
        ]
    space = "http://www.w3.org/2005/Atom"
    return f'{_XML}<feed xmlns="{space}">\n{chr(10).join(lines)}\n</feed>\n'


def badge(title: str, score: Cell, place: str, signature: str) -> str:
    """Return a badge in SVG: a score, its place, and the signature in its description.

    Args:
        title: What the score is.
        score: The score, and half of its interval.
        place: Its rank in words; empty if it has none.
        signature: The signature of the scores.
    """
    left = f"MultiWOZ {title}"
    right = " ".join(filter(None, [score.text, score.small, f"· {place}" if place else ""]))
    first, second = (round(LETTER * len(text) + 14) for text in (left, right))
    said = escape(f"{left}: {right}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{first + second}" height="20" role="img" '
        f'aria-label="{said}"><title>{said}</title><desc>{escape(signature)}</desc>'
        f'<rect width="{first + second}" height="20" rx="3" fill="#174ea6"/>'
        f'<path d="M3 0h{first - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#3b424b"/>'
        '<g fill="#fff" text-anchor="middle" font-size="11" '
        'font-family="Verdana,DejaVu Sans,sans-serif">'
        f'<text x="{first / 2:g}" y="14">{escape(left)}</text>'
        f'<text x="{first + second / 2:g}" y="14">{escape(right)}</text></g></svg>\n'
    )


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

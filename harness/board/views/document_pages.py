"""The pages made from docs/: Markdown in which HTML is only text."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

DOCUMENTS: Mapping[str, str] = {
    "audit": "Audit",
    "submitting": "Submitting",
    "metrics": "Metrics",
    "older-results": "Older results",
}
"""Name of a document -> what links to it are called. Others of docs/ are not part of the site."""

# What tools write into documents to find a place again; HTML that is shown would show it.
_COMMENT = re.compile(r"^<!--.*?-->$", re.MULTILINE)


def document(text: str, present: Collection[str]) -> tuple[str, str]:
    """Return the heading of a document of docs/, and the document as HTML.

    Links to other documents lead to their pages, where the site has them; links to what the site
    does not have are plain text. HTML in the text is shown, not obeyed.

    Args:
        text: The document in Markdown.
        present: The names of the documents that the site has.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(_COMMENT.sub("", text))
    slugs: set[str] = set()
    headings, tables = [""], list[str]()
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            headings.append(_text(tokens[place + 1]))
            token.attrSet("id", _slug(headings[-1], slugs))
        elif token.type == "table_open":
            tables.append(f"Table {len(tables) + 1}: {headings[-1]}")
            if words := _word_columns(tokens[place:]):
                token.attrSet("class", words)
        elif token.type in ("th_open", "td_open"):
            # Inline styles are forbidden on the site; the table's class says the same.
            token.attrs.pop("style", None)
            if token.type == "th_open":
                token.attrSet("scope", "col")
        elif token.type in ("fence", "code_block"):
            token.attrSet("tabindex", "0")
        elif token.type == "inline":
            _lead(token, present)
    made = parser.renderer.render(tokens, parser.options, {})
    return "".join(headings[1:2]), _in_scrollers(made, tables)


def _in_scrollers(made: str, names: Iterable[str]) -> str:
    """Return HTML with its tables, which may be wide, in parts that scroll by themselves."""
    named = map(html.escape, names)
    opening = '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table'
    made = re.sub("<table", lambda _: opening.format(next(named)), made)
    return made.replace("</table>", "</table></div>")


def _word_columns(table: Sequence[Token]) -> str:
    """Return the style of a table: which columns besides the first hold words."""
    head = takewhile(lambda token: token.type != "thead_close", table)
    titles = (token for token in head if token.type == "th_open")
    words = ("right" not in str(title.attrGet("style")) for title in titles)
    return " ".join(f"w{n}" for n, is_word in enumerate(words, start=1) if n > 1 and is_word)


def _text(inline: Token) -> str:
    children = (one for one in inline.children or () if one.type in ("text", "code_inline"))
    return "".join(one.content for one in children)


def _slug(heading: str, taken: set[str]) -> str:
    """Return the address of a heading, as GitHub makes it."""
    base = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") or "part"
    slug, number = base, 1
    while slug in taken:
        slug, number = f"{base}-{number}", number + 1
    taken.add(slug)
    return slug


def _lead(inline: Token, present: Collection[str]) -> None:
    """Make the links of a line lead to pages of the site, or nowhere."""
    target = None
    for child in inline.children or ():
        if child.type == "link_open":
            target = site_address(str(child.attrGet("href")), present)
            child.attrSet("href", target or "")
        if child.type in ("link_open", "link_close"):
            child.hidden = target is None


def site_address(address: str, present: Collection[str]) -> str | None:
    """Return where a link of a document leads on the site; None if the site has no such page.

    Args:
        address: The address in the document, from docs/.
        present: The names of the documents that the site has.
    """
    path, mark, anchor = address.partition("#")
    if not path or re.match(r"https?://", address):
        return address
    pages = {f"docs/{name}.md": f"{name}.html{mark}{anchor}" for name in present}
    # The headings of the page in Markdown are not those of the site.
    pages["leaderboard.md"] = "index.html"
    return pages.get(posixpath.normpath(posixpath.join("docs", path)))

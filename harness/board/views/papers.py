"""The year of a system, and what the address of a paper tells: a year, and a number at arXiv."""

from __future__ import annotations

import re

from ..entries import System

_ARXIV = re.compile(r"//(?:www\.)?arxiv\.org/(?:abs|pdf)/((\d{2})\d{2}\.\d{4,5})")

# The ACL Anthology, as addresses are since 2020 ("2021.gem-1.4") and before ("P18-2069").
_ANTHOLOGY = re.compile(r"//(?:www\.)?acl(?:anthology\.org|web\.org/anthology)/(\d{4})\.")
_OLD_ANTHOLOGY = re.compile(r"//(?:www\.)?acl(?:anthology\.org|web\.org/anthology)/[A-Z](\d{2})-")


def arxiv_number(address: str | None) -> str | None:
    """Return the number of a paper at arXiv; None if its address is elsewhere."""
    found = _ARXIV.search(address or "")
    return found[1] if found else None


def paper_year(address: str | None) -> int | None:
    """Return the year that the address of a paper tells; None where it tells none.

    At arXiv it is the year of the first version, in the ACL Anthology that of the proceedings.
    """
    text = address or ""
    if found := _ARXIV.search(text):
        return 2000 + int(found[2])
    if found := _ANTHOLOGY.search(text):
        return int(found[1])
    if found := _OLD_ANTHOLOGY.search(text):
        return 2000 + int(found[1])
    return None


def system_year(system: System) -> int | None:
    """Return the year a system was published in: the entry's, or else what its paper tells."""
    return paper_year(system.paper) if system.year is None else system.year

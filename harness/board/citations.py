"""What is to be cited, as BibTeX: the harness, the definitions of scores and tests, systems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from mwz.normalization import read_toml

from ..io import in_latex
from .entries import Entry
from .systems import arxiv_number, system_year


@dataclass(frozen=True)
class Reference:
    """A publication to be cited.

    Attributes:
        key: What BibTeX calls it.
        kind: Its kind of entry: "inproceedings", "misc", ….
        fields: Name -> value, in TeX.
        short: What a text without BibTeX calls it: "Post, 2018".
    """

    key: str
    kind: str
    fields: Mapping[str, str]
    short: str

    def bibtex(self) -> str:
        """Return it as an entry of BibTeX."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


@cache
def _declared() -> dict[str, tuple[frozenset[str], Reference]]:
    by_key = {}
    for key, content in read_toml("references.toml", __package__).items():
        of, kind = frozenset(content.pop("of")), content.pop("kind")
        by_key[key] = (of, _reference(key, kind, content))
    return by_key


def references(subjects: Collection[str]) -> list[Reference]:
    """Return what is cited for some of the subjects that `references.toml` names, in its order."""
    return [one for of, one in _declared().values() if of & {*subjects}]


def entry_reference(entry: Entry) -> Reference | None:
    """Return the reference of a system's paper; None without the address of one.

    Where `papers.toml` lacks the paper, it is as much as the address tells.
    """
    address = entry.system.paper
    if address is None:
        return None
    year, number = system_year(entry.system), arxiv_number(address)
    fields: dict[str, str] = dict(_papers().get(number or "", {}))
    if not fields:
        fields["note"] = f"The paper of {entry.system.name}"
    fields["url"] = address
    if year is not None:
        fields["year"] = str(year)
    if number is not None:
        fields |= {"eprint": number, "archiveprefix": "arXiv"}
    return _reference(entry.key, "misc", fields)


@cache
def _papers() -> Mapping[str, Mapping[str, str]]:
    return read_toml("papers.toml", __package__)


_PLAIN = ("doi", "url", "eprint", "year")
"""Fields that styles of BibTeX show as they are."""


def _reference(key: str, kind: str, fields: Mapping[str, str]) -> Reference:
    in_tex = {name: value if name in _PLAIN else _in_tex(value) for name, value in fields.items()}
    if "title" in in_tex:
        # What is in braces keeps its capitals.
        in_tex["title"] = f"{{{in_tex['title']}}}"
    families = [one.split(",")[0].strip("{}") for one in fields.get("author", "").split(" and ")]
    who = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
    return Reference(
        key, kind, in_tex, ", ".join(filter(None, [who or key, fields.get("year", "")]))
    )


_ACCENTS = {"\u0301": "'", "\u0303": "~", "\u0308": '"', "\u030c": "v", "\u030a": "r"}


def _in_tex(text: str) -> str:
    """Return a text as any BibTeX can read it: letters with accents in TeX; braces stay."""
    if text.startswith("{"):
        return text
    text = in_latex(text)
    for letter in sorted(set(re.findall(r"[^\x00-\x7f]", text))):
        plain, *marks = list(unicodedata.normalize("NFD", letter))
        if len(marks) == 1 and marks[0] in _ACCENTS:
            text = text.replace(letter, f"{{\\{_ACCENTS[marks[0]]}{{{plain}}}}}")
    return text.replace("ł", "{\\l}")

"""The leaderboard: a page that is a pure function of the submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mwz.normalization.rules import DEFAULT_RULES

from ..benchmark import STYLES
from ..errors import InputError
from ..metrics.registry import headlines
from ..rendering import figure, markdown_table
from ..report import Report
from .entries import TRACKS, Entry

TRACK_TITLES = {
    "end-to-end": "End-to-end systems",
    "policy-optimization": "Policy-optimization systems",
    "reference": "Reference corpus",
}
_TRACK_NOTES = {
    "end-to-end": "They track the belief state themselves.",
    "policy-optimization": "They are given the gold belief state.",
    "reference": "The benchmark's own responses with gold states: what a table starts with.",
}


@dataclass(frozen=True)
class Row:
    """A system on the leaderboard.

    Attributes:
        entry: The entry.
        report: Its report under the leaderboard's rule set.
    """

    entry: Entry
    report: Report

    def figure(self, name: str, setup: str = "strict") -> str:
        """Return a headline figure under a set-up as the tables show it."""
        headline = headlines()[name]
        return figure(headline.value(self.report, setup), headline.digits)

    @property
    def combined(self) -> float:
        """Strict combined score, which ranks."""
        return self.report.combined or 0.0


# Title of a column -> what stands in it.
_Columns = Mapping[str, Callable[[Row], str]]

_MAIN: _Columns = {
    "BLEU": lambda row: row.figure("bleu"),
    "Inform": lambda row: row.figure("inform"),
    "Success": lambda row: row.figure("success"),
    "Combined": lambda row: row.figure("combined"),
    "Av. len.": lambda row: _diversity(row, "mean_length", 2),
    "CBE": lambda row: _diversity(row, "conditional_entropy", 2),
    "Unigrams": lambda row: _diversity(row, "unigrams", 0),
    "Trigrams": lambda row: _diversity(row, "trigrams", 0),
    "Joint acc.": lambda row: figure(_joint_accuracy(row)),
    "Coverage": lambda row: f"{figure(row.report.coverage.percent, 2)} %",
    "Rules": lambda row: row.report.rules,
}
_SETUPS: _Columns = {
    "Inform": lambda row: row.figure("inform"),
    "Inform opt.": lambda row: row.figure("inform", "optimistic"),
    "Success": lambda row: row.figure("success"),
    "Success opt.": lambda row: row.figure("success", "optimistic"),
    "Combined": lambda row: row.figure("combined"),
    "Combined opt.": lambda row: row.figure("combined", "optimistic"),
    "Domains": lambda row: row.report.domains,
    "States": lambda row: row.report.states,
}
_TOTALS = ("bleu", "inform", "success", "combined")


def _bleu_column(style: str) -> Callable[[Row], str]:
    return lambda row: figure((row.report.bleu or {}).get(style), 2)


_STYLES: _Columns = {style: _bleu_column(style) for style in STYLES}


def _other_columns() -> _Columns:
    """Return a column for each headline figure that no other table shows."""

    def column(name: str) -> Callable[[Row], str]:
        return lambda row: row.figure(name)

    return {h.title: column(name) for name, h in headlines().items() if name not in _TOTALS}


_NOTES = """\
How the columns are computed:

- **BLEU**: sacreBLEU, default settings, of the normalised responses against the references
  delexicalised by the MultiWOZ 2.2 span annotation (mwz22, the canonical style).
- **Inform**, **Success**: strict set-up, in percent of the dialogues. *Opt.* is the optimistic
  set-up: venues compared by intersection, other constraints ignored where the state has a venue's
  name or a train's id, gold active domains. It shows what lenient scripts give, and ranks nothing.
- **Combined**: (Inform + Success) / 2 + BLEU; the tables are sorted by it.
- **Av. len.**: tokens per response. **CBE**: bigram conditional entropy in bits. **Unigrams**,
  **Trigrams**: distinct ones.
- **Joint acc.**: share of turns whose predicted belief state has the gold slots, each value fuzzily
  equal (partial ratio above 95); only for systems that predict states.
- **Coverage**: turns played, in percent; a system is scored on what it plays.
- **Rules**: the rule set; scores of different rule sets do not compare.
- **Domains**, **States**: where active domains and belief states come from in the strict set-up.
"""


def rows(entries: Sequence[Entry], rules: str) -> list[Row]:
    """Return the entries as rows under a rule set, best combined score first.

    Under another than the default rule set, entries that have no scores there are left out.

    Raises:
        InputError: Some have no scores that can be shown, or their scores do not compare.
    """
    found = []
    problems = []
    for entry in entries:
        report = entry.scores.under(rules)
        if report is not None:
            found.append(Row(entry, report))
        elif not entry.scores.reports:
            problems.append(f"{entry.key}: scored by an earlier version; use --rescore")
        elif rules == DEFAULT_RULES:
            problems.append(f"{entry.key}: not scored under rule set {rules}; use --rescore")
    problems += _comparison_problems(found)
    if problems:
        raise InputError("leaderboard", problems)
    return sorted(found, key=lambda row: (-row.combined, row.entry.key))


def leaderboard(entries: Sequence[Entry], rules: str) -> str:
    """Return the leaderboard's page in Markdown.

    Args:
        entries: The entries, in any order.
        rules: The rule set whose scores are shown.

    Raises:
        InputError: Some have no scores that can be shown, or their scores do not compare.
    """
    ranked = rows(entries, rules)
    return "\n\n".join(part.rstrip("\n") for part in _page(ranked, rules)) + "\n"


def row_text(row: Row) -> Sequence[str]:
    """Return a system's row of its track's table, without links."""
    return [row.entry.system.name, *(column(row) for column in _MAIN.values())]


def row_headers() -> Sequence[str]:
    """Return the titles of the columns of `row_text`."""
    return ["System", *_MAIN]


def signatures(ranked: Sequence[Row]) -> list[str]:
    """Return what the scores depend on besides the system, each distinct signature once.

    The sources of active domains and states, and coverage, differ between systems, and have
    columns.
    """
    common = {
        str(replace(row.report.signature, domains=None, states=None, coverage=None))
        for row in ranked
    }
    return sorted(common)


def _page(ranked: Sequence[Row], rules: str) -> Iterator[str]:
    yield "# Leaderboard"
    yield (
        f"All scores by one harness, under rule set {rules}, from the outputs of the systems. "
        "This page is generated by `mwz leaderboard`; what the papers report instead, and why, is "
        "in [docs/audit.md](docs/audit.md)."
    )
    for track in TRACKS:
        systems = [row for row in ranked if row.entry.system.track == track]
        if systems:
            yield f"## {TRACK_TITLES[track]}"
            yield _TRACK_NOTES[track]
            yield _table(systems, _MAIN, linked=True)
            notes = [
                f"- {_line(r.entry.system.name)}: {_line(r.entry.system.note)}"
                for r in systems
                if r.entry.system.note
            ]
            if notes:
                yield "\n".join(notes)
    yield "## Strict and optimistic set-up"
    yield _table(ranked, _SETUPS)
    yield "## BLEU by reference style"
    yield _table(ranked, _STYLES)
    others = _other_columns()
    if others:
        yield "## Other metrics"
        yield _table(ranked, others)
    yield "## Notes"
    yield _NOTES
    yield "Signature (the sources of domains and states are in the table above):"
    yield "\n".join(f"    {signature}" for signature in signatures(ranked))


def _table(systems: Sequence[Row], columns: _Columns, linked: bool = False) -> str:
    name = _linked_name if linked else _name
    return markdown_table(
        ["System", *columns],
        [[name(row), *(column(row) for column in columns.values())] for row in systems],
    )


def _line(text: str) -> str:
    """Return a text as one line: another line would end a table or a list."""
    return " ".join(text.split())


def _name(row: Row) -> str:
    return _line(row.entry.system.name).replace("|", "\\|")


def _linked_name(row: Row) -> str:
    system = row.entry.system
    links = {"paper": system.paper, "code": system.code}
    shown = ", ".join(f"[{what}]({link})" for what, link in links.items() if link)
    return f"{_name(row)} ({shown})" if shown else _name(row)


def _joint_accuracy(row: Row) -> float | None:
    return None if row.report.dst is None else row.report.dst.fuzzy["joint_accuracy"]


def _diversity(row: Row, name: str, digits: int) -> str:
    measured = row.report.diversity
    return figure(None if measured is None else getattr(measured, name), digits)


# What systems may differ in and yet stand in one table: each has a column.
_OWN = frozenset({"states", "coverage"})


def _comparison_problems(found: Sequence[Row]) -> Iterator[str]:
    """Tell which scores do not compare with those of most others."""
    groups: list[list[Row]] = []
    for row in found:
        for group in groups:
            if row.report.signature.comparable_with(group[0].report.signature, _OWN):
                group.append(row)
                break
        else:
            groups.append([row])
    usual = max(groups, key=len, default=[])
    for group in groups:
        if group is not usual:
            for row in group:
                verdict = row.report.signature.comparable_with(usual[0].report.signature, _OWN)
                yield (
                    f"{row.entry.key}: does not compare with {usual[0].entry.key} "
                    f"({'; '.join(verdict.reasons)}); use --rescore or another folder"
                )

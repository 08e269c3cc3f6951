"""The leaderboard: a page that is a pure function of the submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..benchmark import CANONICAL_STYLE, STYLES
from ..errors import InputError
from ..metrics.inform_success import TOTAL
from ..rendering import figure, markdown_table
from .entries import TRACKS, Entry, Scores

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
        entry: The submission.
        scores: Its report under the leaderboard's rule set.
    """

    entry: Entry
    scores: Scores

    @property
    def bleu(self) -> float:
        """BLEU against the canonical references."""
        return self.scores.bleu[CANONICAL_STYLE]

    def rate(self, setup: str, metric: str) -> float:
        """Total "inform" or "success" under a set-up, in percent."""
        rates: Mapping[str, float] = getattr(getattr(self.scores, setup), metric)
        return rates[TOTAL]

    def combined(self, setup: str = "strict") -> float:
        """(Inform + Success) / 2 + BLEU under a set-up."""
        combined: float = getattr(self.scores, setup).combined
        return combined


# Title of a column -> what stands in it.
_Columns = Mapping[str, Callable[[Row], str]]

_MAIN: _Columns = {
    "BLEU": lambda row: figure(row.bleu),
    "Inform": lambda row: figure(row.rate("strict", "inform")),
    "Success": lambda row: figure(row.rate("strict", "success")),
    "Combined": lambda row: figure(row.combined()),
    "Av. len.": lambda row: figure(row.scores.diversity.mean_length, 2),
    "CBE": lambda row: figure(row.scores.diversity.conditional_entropy, 2),
    "Unigrams": lambda row: str(row.scores.diversity.unigrams),
    "Trigrams": lambda row: str(row.scores.diversity.trigrams),
    "Joint acc.": lambda row: figure(_joint_accuracy(row)),
    "Coverage": lambda row: f"{figure(row.scores.coverage.percent, 2)} %",
    "Rules": lambda row: row.scores.rules,
}
_SETUPS: _Columns = {
    "Inform": lambda row: figure(row.rate("strict", "inform")),
    "Inform opt.": lambda row: figure(row.rate("optimistic", "inform")),
    "Success": lambda row: figure(row.rate("strict", "success")),
    "Success opt.": lambda row: figure(row.rate("optimistic", "success")),
    "Combined": lambda row: figure(row.combined()),
    "Combined opt.": lambda row: figure(row.combined("optimistic")),
    "Domains": lambda row: row.scores.domains,
    "States": lambda row: row.scores.states,
}


def _bleu_column(style: str) -> Callable[[Row], str]:
    return lambda row: figure(row.scores.bleu[style], 2)


_STYLES: _Columns = {style: _bleu_column(style) for style in STYLES}

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


def rows(submissions: Sequence[Entry], rules: str) -> list[Row]:
    """Return the submissions as rows under a rule set, best combined score first.

    Raises:
        InputError: Some have no score under the rule set, or are scored on different benchmarks.
    """
    found = []
    problems = []
    for entry in submissions:
        scores = entry.scores.under(rules)
        if scores is None:
            problems.append(f"{entry.key}: not scored under rule set {rules}; use --rescore")
        else:
            found.append(Row(entry, scores))
    problems += _benchmark_problems(found)
    if problems:
        raise InputError("leaderboard", problems)
    return sorted(found, key=lambda row: (-row.combined(), row.entry.key))


def leaderboard(submissions: Sequence[Entry], rules: str) -> str:
    """Return the leaderboard's page in Markdown.

    Args:
        submissions: The submissions, in any order.
        rules: The rule set whose scores are shown.

    Raises:
        InputError: Some have no score under the rule set, or are scored on different benchmarks.
    """
    ranked = rows(submissions, rules)
    return "\n\n".join(part.rstrip("\n") for part in _page(ranked, rules)) + "\n"


def row_text(row: Row) -> Sequence[str]:
    """Return a system's row of its track's table, without links."""
    return [row.entry.system.name, *(column(row) for column in _MAIN.values())]


def row_headers() -> Sequence[str]:
    """Return the titles of the columns of `row_text`."""
    return ["System", *_MAIN]


def signatures(ranked: Sequence[Row]) -> list[str]:
    """Return what the scores depend on besides the system, each distinct signature once.

    The sources of active domains and states differ between systems, and have columns.
    """
    return sorted({_common(row.scores.signature) for row in ranked})


_PER_SYSTEM = ("domains:", "states:")


def _common(signature: str) -> str:
    return "|".join(field for field in signature.split("|") if not field.startswith(_PER_SYSTEM))


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
    if row.scores.dst is None:
        return None
    accuracy: float = row.scores.dst["fuzzy"]["joint_accuracy"]
    return accuracy


_DATA_FIELDS = ("benchmark:", "data:")


def _data(row: Row) -> str:
    """Return the part of a signature that says what was scored on."""
    fields = row.scores.signature.split("|")
    return " ".join(field for field in fields if field.startswith(_DATA_FIELDS))


def _benchmark_problems(found: Sequence[Row]) -> Iterator[str]:
    by_data: dict[str, list[str]] = {}
    for row in found:
        by_data.setdefault(_data(row), []).append(row.entry.key)
    usual = max(by_data.values(), key=len, default=[])
    for data, keys in by_data.items():
        if keys is not usual:
            for key in keys:
                yield f"{key}: scored on {data}, unlike {usual[0]}; use --rescore or another folder"

"""What can be downloaded: the board as JSON, CSV, LaTeX and BibTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...metrics.inform_success import TOTAL
from ...metrics.setups import RANKED
from ...scoring.report import Report
from .. import TRACKS
from ..columns import TOTALS, columns
from ..entries import Entry, arxiv_number, system_year
from ..model import NOTHING, Board, Column, Row, common_signatures
from ..scores import FIGURES, plain
from .board_page import SYSTEMS
from .reported_blocks import OLD

HARNESS_KEY = "multiwoz-harness"

# What the harness itself and the scores that it computes are cited as: as in CITATION.cff.
_OWN_REFERENCES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    HARNESS_KEY: (
        "software",
        {"author": "{The multiwoz-harness developers}", "title": "{multiwoz-harness}"},
    ),
    "nekvinda-dusek-2021": (
        "inproceedings",
        {
            "author": "Nekvinda, Tom{\\'a}{\\v{s}} and Du{\\v{s}}ek, Ond{\\v{r}}ej",
            "title": "{Shades of BLEU, Flavours of Success: The Case of MultiWOZ}",
            "booktitle": "Workshop on Natural Language Generation, Evaluation, and Metrics (GEM)",
            "year": "2021",
            "doi": "10.18653/v1/2021.gem-1.4",
        },
    ),
}


def row_summary(row: Row, entry: Entry) -> dict[str, Any]:
    """Return what the board shows of a row at first, as JSON types."""
    return {
        **_named(entry),
        "rank": row.rank,
        **{name: row.value(name).number for name in TOTALS},
    }


def row_data(board: Board, row: Row, entry: Entry, shown: Sequence[Column]) -> dict[str, Any]:
    """Return all figures of a row as JSON types.

    Args:
        board: The board.
        row: The row.
        entry: Its entry.
        shown: The columns of its table.
    """
    report, kept = row.report, entry.scores.dialogues
    if report is None:
        return {}
    values = {column.key: column.value(row) for column in shown}
    intervals = {
        name: [interval.low, interval.high]
        for name in FIGURES
        if (interval := values[name].interval) is not None
    }
    found = {
        **row_summary(row, entry),
        **_about(entry),
        "unranked": row.unranked,
        "public_board": "; ".join(board.verdicts(entry)) or None,
        "scores": {
            rules: _scores(under)
            for rules in board.by_rules
            if (under := entry.scores.under(rules)) is not None
        },
        "without_placeholders": entry.scores.without_placeholders,
        "intervals": intervals or None,
        "bleu_by_style": report.bleu,
        "diversity": None if report.diversity is None else vars(report.diversity),
        "coverage": vars(report.coverage),
        "lower_bound": None if row.lower_bound is None else vars(row.lower_bound),
        "state_tracking": None if report.dst is None else dict(report.dst.metrics),
        "further_gold": plain(entry.scores.further_gold) or None,
        "points_lost": None
        if kept is None
        else {cause: list(one) for cause, one in kept.causes.points.items() if any(one)},
        "signs_raised": row.raised,
        "columns": {column.name: values[column.key].data for column in shown if not column.field},
        "signature": str(report.signature),
    }
    return {name: value for name, value in found.items() if value is not None}


def english_data(row: Row, entry: Entry) -> dict[str, Any]:
    """Return a system in plain English as JSON types."""
    scores = row.grounded
    return {
        **_named(entry),
        "rank": row.rank,
        **_about(entry),
        "grounded": None
        if scores is None
        else {
            "inform": scores.inform[TOTAL],
            "inform_all": scores.inform_all[TOTAL],
            "success": scores.success[TOTAL],
        },
        "signature": None if row.report is None else str(row.report.signature),
    }


def tracker_data(entry: Entry) -> dict[str, Any]:
    """Return an entry of the track for state tracking as JSON types."""
    about = {**_named(entry), **_about(entry)}
    if entry.tracking is None:
        return about
    figures = entry.tracking.figures
    told = {name: value for name, value in vars(figures).items() if name != "signature"}
    further = plain(entry.scores.further_gold)
    return {
        **about,
        "state_tracking": told,
        **({"further_gold": further} if further else {}),
        "signature": str(figures.signature),
    }


def json_text(content: object) -> str:
    """Return JSON in one line, figures with four digits after the point."""
    return json.dumps(_rounded(content), ensure_ascii=False, separators=(",", ":")) + "\n"


def _rounded(content: object) -> object:
    if isinstance(content, float):
        return round(content, 4)
    if isinstance(content, Mapping):
        return {name: _rounded(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_rounded(value) for value in content]
    return content


def board_json(board: Board) -> str:
    """Return the board as JSON: its rows in short, and what public tables report."""
    rows = [row_summary(row, row.entry) for row in board.rows if row.entry is not None]
    shown = {row.key for row in board.rows}
    rows += [_named(entry) for entry in board.entries if entry.key not in shown]
    tables = [
        {
            "title": table.title,
            "track": table.track,
            "source": table.source,
            "rows": [
                {"system": row.system, **({"paper": row.paper} if row.paper else {}), **row.figures}
                for row in table.rows
                if row.entry is None
            ],
        }
        for table in board.tables
        if table.kind != OLD and any(row.entry is None for row in table.rows)
    ]
    return json_text(
        {"rules": board.rules, "note": board.note, "rows": rows, "reported_only": tables}
    )


def board_csv(board: Board) -> str:
    """Return the scores of all rows as CSV, a line per system.

    What a line has had from the beginning comes first, under the names it had; further columns of
    the board's tables follow.
    """
    shown = columns(board)
    first, further = ([c for c in shown if bool(c.field) is named] for named in (True, False))
    about = ("signature", "year", "model", "training")
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    named = ([column.name for column in part] for part in (first, further))
    start, end = named
    writer.writerow(["system", "entry", "track", "rank", *start, *about, *end])
    for row in board.rows:
        system = None if row.entry is None else row.entry.system
        if system is None or row.report is None:
            continue
        writer.writerow(
            [
                _cell(row.name),
                row.key,
                row.track,
                row.rank,
                *(_cell(column.value(row).data) for column in first),
                str(row.report.signature),
                system_year(system),
                *(_cell(text or "") for text in (system.model, system.training)),
                *(_cell(column.value(row).data) for column in further),
            ]
        )
    return lines.getvalue()


def _cell(value: float | str | None) -> float | str | None:
    """Return a value as a spreadsheet shows it, and does not compute it."""
    return _FORMULA.sub(r"'\g<0>", value) if isinstance(value, str) else value


def board_latex(board: Board) -> str:
    """Return the tables of the tracks in LaTeX, with the rules of the package booktabs."""
    return "\n".join(_latex_lines(board)) + "\n"


def board_bibtex(board: Board) -> str:
    """Return what is to be cited: the harness, the definition of its scores, and the systems."""
    found = [reference(kind, key, fields) for key, (kind, fields) in _OWN_REFERENCES.items()]
    for entry in board.entries:
        own = entry_reference(entry)
        if own is not None:
            found.append(own)
    return "\n\n".join(found) + "\n"


def entry_reference(entry: Entry) -> str | None:
    """Return the reference of a system's paper, as far as its address tells; None without one."""
    address = entry.system.paper
    if address is None:
        return None
    year, number = system_year(entry.system), arxiv_number(address)
    fields = {"note": f"The paper of {latex(entry.system.name)}", "url": address}
    if year is not None:
        fields["year"] = str(year)
    if number is not None:
        fields |= {"eprint": number, "archiveprefix": "arXiv"}
    return reference("misc", entry.key, fields)


def reference(kind: str, key: str, fields: Mapping[str, str]) -> str:
    """Return a reference in BibTeX."""
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


def latex(text: str) -> str:
    """Return a text as LaTeX that prints it as it is."""
    return "".join(_LATEX.get(character, character) for character in text)


def _named(entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry.key,
        "system": entry.system.name,
        "track": entry.system.track,
        "json": f"{SYSTEMS}/{entry.key}.json",
    }


def _about(entry: Entry) -> dict[str, Any]:
    system = entry.system
    facts = {
        "paper": system.paper,
        "year": system_year(system),
        "code": system.code,
        "multiwoz": system.multiwoz,
        "model": system.model,
        "training": system.training,
        "note": system.note,
        "verifiable": entry.verifiable,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _scores(report: Report) -> dict[str, Any]:
    return {
        setup: {"inform": of.inform[TOTAL], "success": of.success[TOTAL], "combined": of.combined}
        for setup in RANKED
        if (of := report.setup(setup)) is not None
    }


# What a spreadsheet would compute rather than show.
_FORMULA = re.compile(r"^[=+\-@]")

_SHORT = {"Combined": "Comb."}
"""Title of a column -> its title where tables must be narrow."""


def _latex_lines(board: Board) -> Iterator[str]:
    shown = [column for column in columns(board) if column.shown == "always"]
    titles = [latex(_SHORT.get(column.title, column.title)) for column in shown]
    yield "% \\usepackage{booktabs}"
    for signature in common_signatures(board.rows):
        yield f"% {signature}"
    for key, track in TRACKS.items():
        rows = board.of_track(key)
        if not rows:
            continue
        yield ""
        yield f"% {track.title}, rule set {board.rules}, strict set-up"
        yield f"\\begin{{tabular}}{{rl{'r' * len(shown)}}}"
        yield r"\toprule"
        yield f"\\# & System & {' & '.join(titles)} \\\\"
        yield r"\midrule"
        for row in rows:
            texts = [row.place, row.name, *(column.value(row).text for column in shown)]
            cells = [latex(text).replace(NOTHING, "--") for text in texts]
            yield f"{' & '.join(cells)} \\\\"
        yield r"\bottomrule"
        yield r"\end{tabular}"

"""What can be downloaded: the board as JSON, CSV, LaTeX and BibTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...benchmark import CANONICAL_STYLE
from ...metrics.inform_success import TOTAL
from ...metrics.setups import RANKED
from ...report import Report
from ..dialogue_scores import FIGURES
from ..entries import Entry
from ..further_gold import further_gold_data
from ..leaderboard import Row, signatures
from ..lexicalised_board import LexicalisedRow
from ..reported_blocks import OLD
from ..tracks import STATE_TRACKING, TRACKS
from .board_page import SYSTEMS
from .columns import raised_signs
from .contents import Contents
from .papers import arxiv_number, system_year

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


def row_summary(row: Row) -> dict[str, Any]:
    """Return what the board shows of a row at first, as JSON types."""
    return {
        **_named(row.entry),
        "rank": row.rank,
        "bleu": (row.report.bleu or {}).get(CANONICAL_STYLE),
        **dict(zip(_RATES, _rates(row.report, "strict"), strict=True)),
    }


def row_data(contents: Contents, row: Row) -> dict[str, Any]:
    """Return all figures of a row as JSON types."""
    report, kept = row.report, row.entry.scores.dialogues
    bound = report.metrics.get("lower_bound")
    intervals = {
        name: [interval.low, interval.high]
        for name in FIGURES
        if (interval := contents.interval(row.entry, name)) is not None
    }
    found = {
        **row_summary(row),
        **_about(row.entry),
        "unranked": row.unranked,
        "public_board": contents.verdict(row.entry),
        "scores": {
            rules: _scores(under)
            for rules in contents.ranked
            if (under := row.entry.scores.under(rules)) is not None
        },
        "without_placeholders": row.entry.scores.without_placeholders,
        "intervals": intervals or None,
        "bleu_by_style": report.bleu,
        "diversity": None if report.diversity is None else vars(report.diversity),
        "coverage": vars(report.coverage),
        "lower_bound": None if bound is None else vars(bound),
        "state_tracking": None if report.dst is None else dict(report.dst.metrics),
        "further_gold": further_gold_data(row.entry.scores.further_gold) or None,
        "points_lost": None
        if kept is None
        else {cause: list(one) for cause, one in kept.causes.points.items() if any(one)},
        "signs_raised": raised_signs(row),
        "signature": str(report.signature),
    }
    return {name: value for name, value in found.items() if value is not None}


def english_data(row: LexicalisedRow, entry: Entry) -> dict[str, Any]:
    """Return a system in plain English as JSON types."""
    scores = row.grounded
    return {
        **_named(entry),
        "rank": row.rank,
        **_about(entry),
        "grounded": {
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
    further = further_gold_data(entry.tracking.further_gold)
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


def board_json(contents: Contents) -> str:
    """Return the board as JSON: its rows in short, and what public tables report."""
    rows = [row_summary(row) for row in contents.rows]
    shown = {row.entry.key for row in contents.rows}
    rows += [_named(entry) for entry in contents.entries if entry.key not in shown]
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
        for table in contents.tables
        if table.kind != OLD and any(row.entry is None for row in table.rows)
    ]
    return json_text(
        {"rules": contents.rules, "note": contents.note, "rows": rows, "reported_only": tables}
    )


_RATES = ("inform", "success", "combined")


def board_csv(contents: Contents) -> str:
    """Return the scores of all rows as CSV, a line per system."""
    kinds = [(rules, setup) for rules in contents.ranked for setup in RANKED]
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(
        [
            "system", "entry", "track", "rank", "bleu",
            *(f"{name}_{setup}_{rules}" for rules, setup in kinds for name in _RATES),
            *(f"{name}_{end}" for name in FIGURES for end in ("low", "high")),
            "coverage", "signature", "year", "model", "training",
        ]
    )  # fmt: skip
    for row in contents.rows:
        intervals = [contents.interval(row.entry, name) for name in FIGURES]
        writer.writerow(
            [
                _cell(row.entry.system.name),
                row.entry.key,
                row.entry.system.track,
                row.rank,
                _digits((row.report.bleu or {}).get(CANONICAL_STYLE)),
                *(
                    _digits(value)
                    for rules, setup in kinds
                    for value in _rates(row.entry.scores.under(rules), setup)
                ),
                *(
                    _digits(None if one is None else end)
                    for one in intervals
                    for end in ((None, None) if one is None else (one.low, one.high))
                ),
                _digits(row.report.coverage.percent),
                str(row.report.signature),
                system_year(row.entry.system),
                *(_cell(text) for text in (row.entry.system.model, row.entry.system.training)),
            ]
        )
    return lines.getvalue()


def _rates(report: Report | None, setup: str) -> tuple[float | None, ...]:
    scores = None if report is None else report.setup(setup)
    if scores is None:
        return (None,) * len(_RATES)
    return scores.inform[TOTAL], scores.success[TOTAL], scores.combined


def _cell(text: str | None) -> str:
    """Return a text as a spreadsheet shows it, and does not compute it."""
    return _FORMULA.sub(r"'\g<0>", text or "")


def _digits(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def board_latex(contents: Contents) -> str:
    """Return the tables of the tracks in LaTeX, with the rules of the package booktabs."""
    return "\n".join(_latex_lines(contents)) + "\n"


def board_bibtex(contents: Contents) -> str:
    """Return what is to be cited: the harness, the definition of its scores, and the systems."""
    found = [reference(kind, key, fields) for key, (kind, fields) in _OWN_REFERENCES.items()]
    for entry in contents.entries:
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
        setup: dict(zip(_RATES, _rates(report, setup), strict=True))
        for setup in RANKED
        if report.setup(setup) is not None
    }


# What a spreadsheet would compute rather than show.
_FORMULA = re.compile(r"^[=+\-@]")


_LATEX_FIGURES = {"bleu": "BLEU", "inform": "Inform", "success": "Success", "combined": "Comb."}


def _latex_lines(contents: Contents) -> Iterator[str]:
    yield "% \\usepackage{booktabs}"
    for signature in signatures(contents.rows):
        yield f"% {signature}"
    for key, track in TRACKS.items():
        rows = [row for row in contents.rows if row.entry.system.track == key]
        if key == STATE_TRACKING or not rows:
            continue
        yield ""
        yield f"% {track.title}, rule set {contents.rules}, strict set-up"
        yield r"\begin{tabular}{rlrrrr}"
        yield r"\toprule"
        yield f"\\# & System & {' & '.join(_LATEX_FIGURES.values())} \\\\"
        yield r"\midrule"
        for row in rows:
            place = "--" if row.rank is None else str(row.rank)
            figures = [row.figure(name).replace("–", "--") for name in _LATEX_FIGURES]
            yield f"{place} & {latex(row.entry.system.name)} & {' & '.join(figures)} \\\\"
        yield r"\bottomrule"
        yield r"\end{tabular}"

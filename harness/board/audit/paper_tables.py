"""Tables of papers beside the harness's figures, cell by cell, and papers beside each other.

The papers' figures are data, a file each (`PAPERS`). The harness's figure of a cell is that of the
system's entry, or of the states that the table prints; where the outputs are missing there is
none. Tables 4 and 5 of "Shades of BLEU, Flavours of Success" also quote what the systems' authors
report; those cells stand beside the strict figures, and are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import read_toml

from ...benchmark import Benchmark
from ...cli.data import statistics_table
from ...cli.reading import chosen_benchmark
from ...cli.tracked_files import score_file, without
from ...data import DEFAULT, PinnedFile, find_file, read_data_set
from ...errors import counted
from ...io import Table, figure
from ...metrics import MAIN_SETUP, TrackingResult, parse_tracking_file, score_tracking, tokenize_13a
from ...submission import parse_predictions
from ..entries import Entry
from ..reported import PrintedFigure, scored_figure
from ..verdicts import SIZES, possible_counts

PAPERS: Mapping[str, str] = {
    "shades": "shades-of-bleu.toml",
    "fga": "flexible-goal-accuracy.toml",
    "rsa": "relative-slot-accuracy.toml",
    "gca": "granular-change-accuracy.toml",
}
"""What a paper is called -> the file with its tables."""

NOT_AT_HAND = "not at hand"

_WORDS = {True: "reduced", False: "full", None: "–"}
"""What tables say of an entry's own set-up where it has no word: of its search."""

_SIGNS = {True: "=", False: "≠", None: ""}
"""Whether a printed fact is the project's -> what stands between the two."""

CORPUS = "corpus"
"""The key of the entry of the benchmark's own responses."""

QUOTED = "quoted"
"""The set-up of a cell that is the authors' own figure, quoted."""

Data: TypeAlias = Mapping[str, Any]
"""A paper, a table or a row of it, as `read_paper` returns it."""


def read_paper(name: str = "shades") -> Data:
    """Return a paper's tables; names are those of `PAPERS`.

    A paper has `source`, what it is cited as; `systems`, what its tables' columns are: the keys of
    entries, or names of trackers; `tables`; and, where there is something to say: `percent`,
    whether figures are printed in percent, not as shares; of trackers `version`, that of MultiWOZ,
    `turns`, those that figures are of, and `trained`, whose they are, by name, and of "others";
    `repository`, where trackers' files are; `left_out`, the dialogues that their figures are
    without; `facts`, tables of what it prints besides scores; and `remarks` on the rest.

    A table has `number`, `title` and `rows`; where it is otherwise `kind`, "figure", and `systems`,
    what its columns are; `outputs`, where those are that the harness cannot score; `files`, the
    column or "others" -> its file in the repository, with {} for the column; and `examples`,
    column -> its turns' gold and predicted states, if it prints them.

    A row is a figure of every system: `label`, what the table calls it; `metric`, the harness's
    figure to hold it against; `figures`, as printed; where it is otherwise `setup`, and `style` of
    BLEU; whether it is `quoted`, the authors' own figure; and `corpus`, what is printed of the
    benchmark's own responses.
    """
    return {"percent": True, **read_toml(PAPERS[name], __package__)}


def cells(
    paper: Data, entries: Sequence[Entry], rules: str, folders: Sequence[Path] = ()
) -> list[PrintedFigure]:
    """Return every cell of the tables beside the harness's figure under a rule set.

    A cell's source is its table, its title the row's label, its set-up "quoted" if it is the
    authors' own figure; its verdict says where the outputs are, if the harness has none. Trackers'
    files are looked for in folders, as `find_file` does, and among the downloads.
    """
    reports = {entry.key: entry.scores.reports.get(rules) for entry in entries}
    figures = []
    for table in paper["tables"]:
        keys = table.get("systems") or paper["systems"]
        tracked = _tracked(paper, table, keys, folders)
        for row in table["rows"]:
            printed = dict(zip(keys, row["figures"], strict=True))
            if "corpus" in row:
                printed[CORPUS] = row["corpus"]
            setup, metric = row.get("setup", MAIN_SETUP), row["metric"]
            for key, text in printed.items():
                scored, fate = None, ""
                if key in tracked:
                    result = tracked[key]
                    scored = result.figures.get(metric)
                    if scored is None:
                        scored = {"turns": result.turns, **result.counts}.get(metric)
                    elif not paper["percent"]:
                        scored /= 100
                    fate = "its file does not say" if scored is None else ""
                elif "outputs" in table:
                    fate = f"outputs {table['outputs']}"
                else:
                    scored = scored_figure(reports.get(key), setup, metric, row.get("style"))
                cell = PrintedFigure(
                    Decimal(text),
                    scored,
                    system=key,
                    entry=key,
                    source=_place(table),
                    setup=QUOTED if row.get("quoted") else setup,
                    title=row["label"],
                    metric=metric,
                    verdict=fate,
                )
                figures.append(cell)
    return figures


def _place(table: Data) -> str:
    return f"{table.get('kind', 'table')} {table['number']}"


def _tracked(
    paper: Data, table: Data, columns: Sequence[str], folders: Sequence[Path]
) -> dict[str, TrackingResult]:
    """Return column -> what the states that the table prints score, or its file if at hand."""
    results = {}
    load_benchmark = cache(partial(chosen_benchmark, None))
    for column, turns in table.get("examples", {}).items():
        pairs = [{"gt": read_example(gold), "pr": read_example(pred)} for gold, pred in turns]
        file = parse_tracking_file({column: pairs}, column, load_benchmark)
        results[column] = score_tracking(file.dialogues)
    files = table.get("files", {})
    pins: dict[str, PinnedFile] = {}
    for source in read_data_set(DEFAULT).sources:
        if source.repository == paper.get("repository"):
            pins.update({file.path: file for file in source.files})
    if files:
        for column in columns:
            path = files.get(column, files.get("others", "")).format(column)
            content, _ = find_file(path, folders, pins.get(path))
            if content is not None:
                file = parse_tracking_file(parse_predictions(content, path), path, load_benchmark)
                [(_, part, _)] = without(file, paper.get("left_out", ()), (), load_benchmark)
                results[column] = score_file(part, column, load_benchmark).result
    return results


def read_example(text: str) -> list[str]:
    """Return a state that is written `domain-slot=value …`; equal slots without value are equal."""
    return [pair if "=" in pair else f"{pair}=same" for pair in text.split()]


def equal_text(cells: Sequence[PrintedFigure]) -> str:
    """Say how many cells are equal, such as "77 of 78"."""
    return f"{sum(cell.equal for cell in cells)} of {len(cells)}"


def tables_of_paper(
    name: str,
    entries: Sequence[Entry],
    rules: str,
    folders: Sequence[Path] = (),
    benchmark: Benchmark | None = None,
) -> list[Table]:
    """Return the tables of a paper, each cell with the harness's figure; arguments as of `cells`.

    Of a paper about trackers the last one has the joint accuracies that several papers print of
    what they call the same system.

    Args:
        name: One of `PAPERS`.
        entries: The entries that the harness's figures are of.
        rules: The rule set.
        folders: As of `cells`.
        benchmark: MultiWOZ, for facts about it; None where it is not installed.
    """
    paper = read_paper(name)
    by_table: dict[str, list[PrintedFigure]] = {}
    for cell in cells(paper, entries, rules, folders):
        by_table.setdefault(cell.source, []).append(cell)
    names = {entry.key: entry.system.name for entry in entries}
    tables = []
    for table in paper.get("facts", ()):
        tables.append(_facts_table(table, dict(_facts(table, entries, benchmark))))
    for table in paper["tables"]:
        tables.append(_paper_table(table, by_table[_place(table)], names))
    if paper.get("version"):
        tables.append(same_system_table())
    last = tables[-1]
    tables[-1] = replace(last, notes=[*last.notes, *paper.get("remarks", ())])
    return tables


def _paper_table(table: Data, cells: Sequence[PrintedFigure], names: Mapping[str, str]) -> Table:
    labels = list(dict.fromkeys(cell.title for cell in cells))
    by_key: dict[str, dict[str, str]] = {}
    scored_cells = []
    fates: Counter[str] = Counter()
    data = []
    for cell in cells:
        text, scored, _ = cell.texts()
        harness: str | float | None = cell.verdict
        equal = None
        if cell.verdict:
            fates[cell.verdict] += 1
        else:
            scored_cells.append(cell)
            harness, equal = cell.scored, cell.equal
            text += f" {_SIGNS[equal]} {scored}"
        by_key.setdefault(cell.entry, {})[cell.title] = text
        data.append(
            {
                "table": cell.source,
                "row": cell.title,
                "entry": cell.entry,
                "quoted": cell.setup == QUOTED,
                "printed": f"{cell.printed:f}",
                "harness": harness,
                "equal": equal,
            }
        )
    rows = []
    for key, texts in by_key.items():
        row = [texts.get(label, "") for label in labels]
        rows.append([names.get(key, key), *row])
    notes = list(_counts(scored_cells))
    for fate, number in fates.items():
        notes.append(f"{counted(number, 'figure')} not scored: {fate}")
    return _titled(table, ["", *labels], rows, data, notes)


def _titled(
    table: Data,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    data: Sequence[Data],
    notes: Sequence[str],
) -> Table:
    place = _place(table)
    title = f"{place[:1].upper()}{place[1:]}: {table['title']}"
    return Table(place.replace(" ", "_"), title, headers, rows, data, notes)


def _facts_table(table: Data, facts: Mapping[str, str]) -> Table:
    """Return a table of facts beside the project's: row -> what it has."""
    rows: list[list[str]] = []
    data: list[Data] = []
    signs: Counter[str] = Counter()
    for row, printed in table["rows"].items():
        fact = facts.get(row)
        equal = None if fact is None else fact == printed
        harness = fact or NOT_AT_HAND
        signs[_SIGNS[equal]] += 1
        rows.append([row, printed, _SIGNS[equal], harness])
        line = {"table": _place(table), "row": table["title"], "entry": row, "quoted": False}
        data.append(line | {"printed": printed, "harness": harness, "equal": equal})
    notes = [f"equal: {signs[_SIGNS[True]]} of {len(data)}"]
    if signs[_SIGNS[None]]:
        notes.append(f"{NOT_AT_HAND}: `mwz data fetch --split all` installs what it is counted of")
    return _titled(table, ["", "printed", "", "harness"], rows, data, notes)


def _facts(
    table: Data, entries: Sequence[Entry], benchmark: Benchmark | None
) -> Iterator[tuple[str, str]]:
    """Yield row of a table -> what the project has there, as the table would print it."""
    for entry in entries:
        if entry.system.setup is not None:
            values = entry.system.setup.model_dump().values()
            yield entry.key, ", ".join(_WORDS.get(value, value) for value in values)
    if benchmark is None:
        return
    if table.get("kind") == "section":
        for row in statistics_table(benchmark).data:
            if row["number"] is not None:
                yield row["what"], str(row["number"])
                yield f"{row['what']}, %", figure(row["percent"], 2)
    about = benchmark.dialogues.get(table.get("dialogue", ""))
    if about is not None:
        yield "system turns", str(about.turns)
        for style, references in about.references.items():
            words = tokenize_13a(references[table.get("turn", 0)])
            yield f"style {style}", " ".join(word for word in words if word.isupper())


_OF_SYSTEMS, _OF_CORPUS = "equal cells", "equal cells of the corpus"
_AUTHORS = "equal cells among the authors' own figures, which the paper quotes"
_GROUPS = (_OF_SYSTEMS, _OF_CORPUS, _AUTHORS)
"""By whose figures cells are counted."""


def _counts(cells: Sequence[PrintedFigure]) -> Iterator[str]:
    """Yield how many cells are equal: of each row, and of all by whose figures they are."""
    by_label: dict[str, list[PrintedFigure]] = {}
    groups: dict[str, list[PrintedFigure]] = {group: [] for group in _GROUPS}
    for cell in cells:
        of_label = by_label.setdefault(cell.title, [])
        if cell.entry != CORPUS:
            of_label.append(cell)
        if cell.setup == QUOTED:
            groups[_AUTHORS].append(cell)
        else:
            groups[_OF_CORPUS if cell.entry == CORPUS else _OF_SYSTEMS].append(cell)
    for label, cells_of_label in by_label.items():
        yield f"{label}: {equal_text(cells_of_label)} equal"
    for group, cells_of_group in groups.items():
        if cells_of_group:
            yield f"{group}: {equal_text(cells_of_group)}"


def same_system_table() -> Table:
    """Return the joint accuracies that several papers print of what they call the same system.

    Beside each is of how many exact turns it can be the rate, of the numbers of turns that the test
    set is known to be scored on: equal systems and states give equal counts.
    """
    by_system: dict[str, list[dict[str, object]]] = {}
    for paper in map(read_paper, PAPERS):
        trained = paper.get("trained", {})
        printed_rows = []
        for table in paper["tables"]:
            if "systems" not in table:
                printed_rows += [row for row in table["rows"] if row["metric"] == "JGA"]
        for row in printed_rows:
            for system, text in zip(paper["systems"], row["figures"], strict=True):
                printed = Decimal(text).scaleb(0 if paper["percent"] else 2)
                line = {"system": system, "paper": paper["source"], "JGA": f"{printed:f}"}
                for units in SIZES["turns"]:
                    counts = map(str, possible_counts(printed, units))
                    line[f"of {units} turns"] = " or ".join(counts) or "–"
                line["MultiWOZ"], line["turns"] = paper.get("version"), paper.get("turns")
                line["outputs"] = trained.get(system, trained.get("others"))
                by_system.setdefault(system, []).append(line)
    lines: list[dict[str, object]] = []
    for lines_of_system in by_system.values():
        if len(lines_of_system) > 1:
            lines += lines_of_system
    rows = []
    for line in lines:
        rows.append(["–" if value is None else str(value) for value in line.values()])
    title = "Joint goal accuracy of what several papers call the same system"
    return Table("same_systems", title, list(lines[0]), rows, lines)

"""Write all golden files and generated tables again.

    python tools/regenerate.py

- `tests/golden/sample_reports.json`: the sample's submissions scored under every published rule
  set. A change is a change of scores.
- `tests/golden/interface.json`: the layouts of JSON, and `docs/schemas/`, their schemas. A change
  is a change for scripts (docs/interface.md).
- The tables of docs/ and README.md between `<!-- NAME -->` and `<!-- end -->`; all else there is
  written by hand.
- `docs/glossary.md`.
- The leaderboard's pages.

The tests compare what is written with what this makes. Read the difference before you commit it: a
score, an option or a layout that changed needs a line in CHANGELOG.md.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import TypeAdapter

from mwz import harness
from mwz.harness.board import FACTS, Board, Entry, read_board, read_entries
from mwz.harness.board.audit.audit_tables import rule_set_rows
from mwz.harness.board.audit.paper_tables import CORPUS, QUOTED, cells, equal_text, read_paper
from mwz.harness.board.reported import PrintedFigure, ReportedFigures, read_reported
from mwz.harness.board.rows import as_played, bound_note, figure_of
from mwz.harness.board.views.site import reported_picture
from mwz.harness.cli import main
from mwz.harness.data import load_benchmark
from mwz.harness.errors import LONGEST_MESSAGE
from mwz.harness.glossary import glossary_page, term_of
from mwz.harness.io import (
    escaped_cell,
    figure,
    markdown_table,
    signed,
    write_atomically,
    write_json,
)
from mwz.harness.io.files import LIMITS, VARIABLE
from mwz.harness.metrics import SETUPS, Setup, response_metrics, result_types, tracking_metrics
from mwz.harness.scoring import Coverage, Scorer, report_on, with_all_metrics
from mwz.harness.signature import Signature
from mwz.harness.submission import (
    checked_submission,
    declared_features,
    declared_flags,
    normalize_submission,
    read_predictions,
)
from mwz.harness.submission.formats.formats import known_formats
from mwz.harness.submission.formats.roles import ROLES
from mwz.harness.submission.formats.standard import KEYS, TURN_KEYS
from mwz.harness.submission.notations import STATE_DOMAINS, STATE_SLOTS
from mwz.normalization import DEFAULT_RULES, published_rule_sets, rule_set, rule_set_names

PROJECT = Path(__file__).parents[1]
DOCS = PROJECT / "docs"
GOLDEN = PROJECT / "tests" / "golden"
SAMPLES = PROJECT / "harness" / "sample" / "submissions"
SUBMISSIONS = PROJECT / "submissions"


def golden_reports() -> dict[str, Any]:
    """Return rule set -> name of the submission -> its report as JSON types."""
    scorer = Scorer(load_benchmark("sample"))
    reports: dict[str, Any] = {}
    for rules in published_rule_sets():
        for path in sorted(SAMPLES.glob("*.json")):
            submission = normalize_submission(
                checked_submission(read_predictions(path), scorer.benchmark, path.name),
                scorer.with_options(rules=rules).rules,
            )
            chosen = with_all_metrics(scorer.with_options(rules=rules), submission)
            report = report_on(chosen, submission).to_dict()
            # Versions differ between machines and forbid no comparison.
            del report["signature"], report["signature_fields"]["versions"]
            reports.setdefault(rules, {})[path.stem] = report
    return reports


@cache
def _documents() -> Mapping[str, Any]:
    """Return command -> its JSON, of the sample's submissions."""
    files = {name: str(SAMPLES / f"{name}.json") for name in ("careful", "hasty")}
    careful, sample = files["careful"], ("--benchmark", "sample")
    with tempfile.TemporaryDirectory() as folder:
        board = ("--submissions", str(Path(folder) / "board" / "submissions"))
        for name, file in files.items():
            facts = ("--name", name, "--track", "end-to-end", "--reported", "inform=50")
            _run("submit", file, *facts, *sample, *board)
        documents = {
            "score": _run("score", careful, "--json", "-", *sample),
            "dst": _run("dst", careful, "--json", "-", *sample),
            "compare": _run("compare", *files.values(), "--json", "-", *sample),
            "audit": _run("audit", "--json", "-", *board),
            "play": _run("play", "--json", "-", *sample, "-o", str(Path(folder) / "play.jsonl")),
        }
    return {name: json.loads(document) for name, document in documents.items()}


def layouts() -> dict[str, list[str]]:
    """Return command -> the places of its JSON, sorted; what varies with the data is left out."""
    places = {}
    for name, document in _documents().items():
        if name != "play":
            places[name] = sorted(set(_places("", document)))
    return places


def schemas() -> dict[str, dict[str, Any]]:
    """Return command -> the JSON schema of its `--json`.

    That of `score` follows from the types of results, the others from what the sample gives: any
    figure may be null there, and keys may be added anywhere.
    """
    made = {}
    for name, document in _documents().items():
        schema = _score_schema() if name == "score" else _inferred([document])
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        made[name] = {**head, "title": f"mwz {name} --json", **schema}
    return made


def _score_schema() -> dict[str, Any]:
    types: dict[str, Any] = {
        "format": Literal[2],
        "signature": str,
        "signature_fields": Signature,
        "coverage": Coverage,
        "unknown_placeholders": dict[str, int],
    }
    types |= dict.fromkeys(("benchmark", "rules", "domains", "states", "goals"), str)
    required = list(types)
    types |= {"remarks": list[str], "intervals": dict[str, Any], "file": str}
    types |= dict.fromkeys(("inform", "success", "combined"), float)
    for metric in response_metrics().values():
        types |= result_types(metric)
    inputs: list[tuple[str, Literal["serialization"], TypeAdapter[Any]]] = []
    for name, type_ in types.items():
        inputs.append((name, "serialization", TypeAdapter(type_)))
    by_name, definitions = TypeAdapter.json_schemas(inputs)
    properties = {name: schema for (name, _), schema in by_name.items()}
    return {"type": "object", "required": required, "properties": properties, **definitions}


def _inferred(values: Sequence[Any], depth: int = 0) -> dict[str, Any]:
    """Return the schema that values at one place follow."""
    if depth > _DEEPEST:
        return {}
    kinds = {_KINDS[type(value)] for value in values}
    if depth > 0 and not kinds & {"object", "array"}:
        kinds.add("null")
    schema: dict[str, Any] = {"type": sorted(kinds)}
    objects = [value for value in values if isinstance(value, dict)]
    items = list(chain.from_iterable(value for value in values if isinstance(value, list)))
    if objects:
        properties: dict[str, dict[str, Any]] = {}
        for key in dict.fromkeys(chain.from_iterable(objects)):
            held = [value[key] for value in objects if key in value]
            properties[key] = _inferred(held, depth + 1)
        inner = list(properties.values())
        if len(inner) > 3 and inner.count(inner[0]) == len(inner):
            # Keys of the data, such as figures or domains.
            schema["additionalProperties"] = inner[0]
        else:
            schema["properties"] = properties
        if depth == 0:
            schema["required"] = list(objects[0])
    if items:
        schema["items"] = _inferred(items, depth + 1)
    return schema


_DEEPEST = 4
"""The depth below which schemas of what the sample gives say nothing."""

_KINDS: Mapping[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def _places(place: str, content: Any) -> Iterator[str]:
    """Yield every place of a document down to the second level, with the kind of what is there."""
    if isinstance(content, dict) and place.count(".") < 2:
        for key, value in content.items():
            yield from _places(f"{place}.{key}", value)
    elif isinstance(content, list):
        for value in content[:1]:
            yield from _places(f"{place}[]", value)
    else:
        kind = "number" if isinstance(content, int | float) else type(content).__name__
        yield f"{place}: {'boolean' if isinstance(content, bool) else kind}"


def _run(*arguments: str) -> str:
    """Run a command in this process and return what it prints.

    Raises:
        SystemExit: It fails; with what it says.
    """
    buffer = io.BytesIO()
    out, err = io.TextIOWrapper(buffer, "utf-8"), io.StringIO()
    status: object = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as done:
            status = done.code
    if status:
        raise SystemExit(err.getvalue())
    out.flush()
    return buffer.getvalue().decode()


PAGES = (
    "../README.md",
    "comparison.md",
    "audit.md",
    "metrics.md",
    "predictions-format.md",
    "python.md",
    "remarks.md",
    "state-tracking.md",
    "submitting.md",
)
NOTHING = "–"

_TABLE = re.compile(r"(<!-- (?!end )([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """Return the page with its tables as they are to be.

    Raises:
        KeyError: The page names a table that there is not.
    """
    return _TABLE.sub(lambda match: f"{match[1]}\n{TABLES[match[2]]()}\n\n{match[3]}", text)


@cache
def _entries() -> Sequence[Entry]:
    return read_entries(SUBMISSIONS)


@cache
def _board() -> Board:
    return read_board(SUBMISSIONS, [*_entries()], DEFAULT_RULES)


def _facts() -> str:
    rows = []
    for name, fact in FACTS.items():
        # The answers, if it is not a text or a number of one's own.
        answers, _ = get_args(fact.annotation)
        choices = get_args(answers) if get_origin(answers) is Literal else ()
        rows.append([f"`{name}`", fact.description, ", ".join(choices)])
    return markdown_table(["fact", "what it states", "one of"], rows)


def _placeholders() -> str:
    rules = rule_set(DEFAULT_RULES)
    written: dict[str, list[str]] = {}
    for placeholder, name in rules.ontology.items():
        written.setdefault(name, []).append(f"`[{placeholder}]`")
    rows = []
    for name, placeholders in sorted(written.items()):
        about_venues = "yes" if name in rules.about_venues else ""
        rows.append([name, about_venues, " ".join(placeholders)])
    return markdown_table(["becomes", "tells about a venue", "placeholders"], rows)


def _bounds() -> str:
    rows = []
    for name, (default, what) in LIMITS.items():
        rows.append([what, f"{default:,}", f"`{VARIABLE}{name.upper()}`"])
    rows.append(["characters in a message", f"{LONGEST_MESSAGE:,}", "fixed"])
    return markdown_table(["at most", "by default", "set by"], rows)


def _formats() -> str:
    rows = [[format_.name, format_.description] for format_ in known_formats()]
    return markdown_table(["format", "description"], rows)


def _quoted(words: Iterable[str]) -> str:
    return " ".join(f"`{word}`" for word in words)


def _keys() -> str:
    meanings = {"id": "a dialogue's id", "turns": "a dialogue's turns", "number": "a turn's number"}
    for key in TURN_KEYS:
        meanings[key] = f"`{key}` of a turn"
    rows = [[meaning, _quoted(KEYS[role])] for role, meaning in meanings.items()]
    return markdown_table(["field", "keys"], rows)


def _roles() -> str:
    rows = [[role, _quoted(words)] for role, words in ROLES.items()]
    return markdown_table(["a key is", "with one of the words"], rows)


def _names() -> str:
    rows = [["domains", _quoted(sorted(STATE_DOMAINS))], ["slots", _quoted(sorted(STATE_SLOTS))]]
    return markdown_table(["of states", "known names"], rows)


def _response_metrics() -> str:
    rows = []
    for name, metric in response_metrics().items():
        term = term_of("metrics", name)
        is_computed = "yes" if metric.is_default else "if named"
        rows.append([f"`{name}`", term.meaning, term.unit, term.source, is_computed])
    return markdown_table(["`--metrics`", "measures", "unit", "source", "computed"], rows)


def _setups() -> str:
    """Return the set-ups of published scripts; those that compute the same share a row."""
    sharing: dict[tuple[Setup, str, str], list[str]] = {}
    for name, named in SETUPS.items():
        key = (named.setup, named.domains or "own", named.states or "own")
        sharing.setdefault(key, []).append(name)
    rows = []
    for (setup, domains, states), names in sharing.items():
        reduced = "yes" if setup.reduced_search else ""
        title = ", ".join(f"`{name}`" for name in names)
        sources = "; ".join(SETUPS[name].source for name in names)
        row = [title, setup.comparison, reduced, domains, states, setup.references]
        rows.append([*row, SETUPS[names[0]].description, sources])
    headers = ["`--setup`", "venues", "reduced", "domains", "states", "reference", "description"]
    return markdown_table([*headers, "source"], rows)


def _tracking_metrics() -> str:
    rows = []
    for name in tracking_metrics():
        term = term_of("metrics", name)
        rows.append([name, term.meaning, term.unit, term.source])
    return markdown_table(["metric", "what it asks", "unit", "source"], rows)


_README = ("corpus", "ubar", "dots", "soloist", "damd", "marco")
"""Keys of the entries that the README shows."""

_TRACKS = {"end-to-end": " (end-to-end)", "policy-optimization": " (policy)"}


def _some_systems() -> str:
    """Return the README's table, and how it counts what systems leave out."""
    by_key = {row.key: row for row in _board().rows}
    rows, notes = [], []
    for key in _README:
        row = by_key[key]
        cells = [row.name + _TRACKS.get(row.entry.system.track, "")]
        for name in ("bleu", "inform", "success", "combined"):
            cells.append(figure_of(row, name).text)
        # What the paper says of the corpus is no report of a system.
        claims = _own_claims(row.entry)[:1]
        reported = claims[0].figures if claims else {}
        cells += [str(reported.get(name, NOTHING)) for name in ("inform", "success")]
        rows.append(cells)
        if bound_note(row):
            notes.append(f"{row.name}: {bound_note(row)}.")
    headers = ["System", "BLEU", "Inform", "Success", "Combined"]
    table = markdown_table([*headers, "Inform (reported)", "Success (reported)"], rows)
    return "\n\n".join([table, *notes])


def _own_claims(entry: Entry) -> list[ReportedFigures]:
    return [claim for claim in entry.system.reported if claim.setup == "own"]


def _audited_systems() -> str:
    """Return what authors report of their systems beside the harness's figures of the outputs."""
    names = ("bleu", "inform", "success")
    rows = []
    for row in _board().rows:
        printed = []
        for claim in _own_claims(row.entry):
            printed.append(" / ".join(str(claim.figures.get(name, NOTHING)) for name in names))
        if row.entry.system.predictions.by_harness or not printed:
            continue
        newer = row.entry.scores.reports.get("2023")
        rates = (None, None) if newer is None else (newer.inform, newer.success)
        strict = [as_played(figure_of(row, name)).text for name in names]
        cells = [escaped_cell(row.name), "; ".join(printed), " / ".join(strict)]
        rows.append([*cells, " / ".join(map(figure, rates))])
    headers = ["System", "Authors (B / I / S)", "Strict (B / I / S)", "Rules 2023 (I / S)"]
    return markdown_table(headers, rows)


def _rule_sets_of_rows() -> str:
    """Return the rows of the public board that do not come out under the default rule set."""
    rows = []
    for line in rule_set_rows(_entries(), read_reported(SUBMISSIONS)):
        if DEFAULT_RULES in line["under"]:
            continue
        row = [escaped_cell(line["system"]), line["printed"]["inform"], line["printed"]["success"]]
        for gaps in line["differences"].values():
            row.append(" / ".join(map(signed, gaps.values())))
        rows.append([*row, " or ".join(line["under"]) or "neither"])
    headers = ["Row", "Inform", "Success", "2021 (I / S)", "2023 (I / S)", "Comes out under"]
    return markdown_table(headers, rows)


def _paper_cells() -> str:
    """Return how many cells of the re-evaluation's tables the harness gives, and what differs."""
    paper, entries = read_paper(), _entries()
    titles = {}
    for table in paper["tables"]:
        several = len({row.get("setup") for row in table["rows"]}) > 1
        for row in table["rows"]:
            title = table["title"]
            if row.get("quoted"):
                title = "authors' own"
            elif several:
                title += f", {row.get('setup', 'strict')}"
            titles[str(table["number"]), row["label"]] = title
    groups: dict[tuple[str, str], list[PrintedFigure]] = {}
    for cell in cells(paper, entries, DEFAULT_RULES):
        number = cell.source.removeprefix("table ")
        title = titles[number, cell.title] + ", corpus" * (cell.entry == CORPUS)
        groups.setdefault((number, title), []).append(cell)
    names = {entry.key: escaped_cell(entry.system.name) for entry in entries}
    rows = []
    for place, group in groups.items():
        differing: dict[str, list[str]] = {}
        for cell in group:
            if not (cell.equal or cell.setup == QUOTED):
                difference = f"{cell.title} {cell.texts()[2]}"
                differing.setdefault(names[cell.entry], []).append(difference)
        differences = [f"{name}: {', '.join(listed)}" for name, listed in differing.items()]
        rows.append([*place, equal_text(group), "; ".join(differences)])
    return markdown_table(["table", "figures", "equal", "harness minus reported"], rows)


def _rule_sets() -> str:
    rows = [[name, escaped_cell(rule_set(name).change)] for name in rule_set_names()]
    return markdown_table(["rule set", "description"], rows)


def _fuzzy_joint_accuracies() -> str:
    """Return JGA beside the fuzzy joint accuracies, the largest difference first.

    Entries with the same figures, whose states are the same, share a row.
    """
    sharing: dict[tuple[float, float, float], list[str]] = {}
    for entry in _entries():
        report = entry.scores.reports.get(DEFAULT_RULES)
        tracked = None if entry.system.predictions.by_harness or report is None else report.dst
        exact = None if tracked is None else tracked.metrics["JGA"]
        if tracked is not None and isinstance(exact, float):
            fuzzy = tracked.fuzzy
            figures = (exact, fuzzy["joint_accuracy"], fuzzy["joint_accuracy_as_written"])
            sharing.setdefault(figures, []).append(escaped_cell(entry.system.name))
    rows = []
    for figures in sorted(sharing, key=lambda figures: figures[0] - figures[1]):
        accuracies = [figure(accuracy, 2) for accuracy in figures]
        rows.append([", ".join(sharing[figures]), *accuracies])
    return markdown_table(["System", "JGA", "Fuzzy joint accuracy", "As written"], rows)


def _remarks() -> str:
    lines = []
    for name, feature in declared_features().items():
        if name not in declared_flags():
            limit = f"{_percent(feature.limit)} %"
            odd = f"{feature.items} that {feature.odd}"
            lines.append(f"- `{name}`, {limit}: {odd}; {feature.remedy}")
    return "\n".join(lines)


def _percent(share: float) -> str:
    """Return a share in percent, with a digit where there is one."""
    return f"{100 * share:.1f}".removesuffix(".0")


def _flags() -> str:
    rows = []
    for name, flag in declared_flags().items():
        meaning = term_of("flags", name).meaning
        rows.append([f"`{name}`", meaning, flag.honest_range, flag.bound, flag.remedy])
    headers = ["flag", "what it measures", "published outputs", "raised", "why it matters"]
    return markdown_table(headers, rows)


def _public_names() -> str:
    """Return the public names: what they are, what their docstrings list, and an example."""
    blocks = []
    for name in dir(harness):
        summary, _, rest = (inspect.getdoc(getattr(harness, name)) or "").partition("\n\n")
        details, _, example = rest.partition(">>> ")
        blocks += [f"### `{name}`", summary.replace("\n", " ")]
        for title, listed in _DOCSTRING_SECTION.findall(details):
            blocks.append(f"{title}: {_quoted(re.findall(_DOCSTRING_NAME, listed, re.MULTILINE))}")
        blocks.append(f"```pycon\n>>> {example}\n```")
    return "\n\n".join(blocks)


_DOCSTRING_SECTION = re.compile(r"^(Attributes|Args|Raises):\n((?: +.*\n)+)", re.MULTILINE)
_DOCSTRING_NAME = r"^    (\w+): "


TABLES: Mapping[str, Callable[[], str]] = {
    "public names": _public_names,
    "facts": _facts,
    "placeholders": _placeholders,
    "bounds": _bounds,
    "formats": _formats,
    "keys": _keys,
    "roles": _roles,
    "names": _names,
    "response metrics": _response_metrics,
    "set ups": _setups,
    "flags": _flags,
    "remarks": _remarks,
    "rule sets": _rule_sets,
    "tracking metrics": _tracking_metrics,
    "some systems": _some_systems,
    "audited systems": _audited_systems,
    "rule sets of rows": _rule_sets_of_rows,
    "paper cells": _paper_cells,
    "fuzzy joint accuracies": _fuzzy_joint_accuracies,
}


def regenerate() -> None:
    """Write everything again; nothing that is installed on the machine is read."""
    with tempfile.TemporaryDirectory() as data:
        os.environ["MWZ_DATA"] = data
        write_json(str(GOLDEN / "sample_reports.json"), golden_reports())
        write_json(str(GOLDEN / "interface.json"), {"json": layouts()})
        for name, schema in schemas().items():
            write_json(str(DOCS / "schemas" / f"{name}.json"), schema)
        for name in PAGES:
            write_atomically(DOCS / name, page((DOCS / name).read_text(encoding="utf-8")))
        write_atomically(DOCS / "glossary.md", glossary_page())
        write_atomically(DOCS / "reported.svg", reported_picture(_board()))
        _run("leaderboard", "--submissions", str(SUBMISSIONS))


if __name__ == "__main__":
    regenerate()

"""The tables of the paper as data, and beside the harness's figures."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from entered import REPOSITORY, enter, report, system
from helpers import PROJECT, Cli, build_multiwoz
from synthetic import write_repositories

from mwz.harness import Benchmark
from mwz.harness.board import read_entries
from mwz.harness.board.audit.paper_tables import CORPUS, QUOTED, cells, equal_text, read_paper
from mwz.harness.data.installed import install_benchmark

_PUBLISHED = {4: "table4_bleu", 5: "table5_inform_success", 6: "table6_diversity"}


@pytest.mark.real_data
def test_the_figures_are_those_of_the_paper(expected: Callable[[str], Any]) -> None:
    published = expected("paper_tables.json")
    names = {name.lower(): name for name in published["table4_bleu"]["mwz22"]}
    paper = read_paper()
    for table in paper["tables"]:
        # Both have the rows in the order of the paper; those of the corpus come last there.
        rows = published[_PUBLISHED[table["number"]]].values()
        for row, printed in zip(table["rows"], rows, strict=False):
            for key, figure in zip(paper["systems"], row["figures"], strict=True):
                assert float(figure) == printed[names[key]], (row["label"], key)


def _paper(**row: Any) -> Any:
    """Return a paper of one table with one row about one system."""
    content = {"label": "x", "metric": "inform", **row}
    table = {"number": 4, "title": "made up", "rows": [content]}
    return {"source": "someone", "systems": ["one"], "tables": [table], "percent": True}


@pytest.mark.parametrize(
    ("row", "harness", "equal"),
    [
        ({"metric": "inform", "figures": ("70.0",)}, 70.0, True),
        ({"metric": "inform", "figures": ("70.1",)}, 70.0, False),
        ({"metric": "inform", "setup": "optimistic", "figures": ("80.0",)}, 80.0, True),
        ({"metric": "bleu", "style": "damd", "figures": ("21.5",)}, 21.46, True),
        ({"metric": "bleu", "figures": ("21.5",)}, 20.0, False),
        ({"metric": "unigrams", "figures": ("100",)}, 100.0, True),
        ({"metric": "msttr", "figures": ("0.50",)}, 0.5, True),
        ({"metric": "entropy", "figures": ("6.51",)}, 6.5, False),
    ],
)
def test_a_cell_is_equal_if_the_harness_gives_its_digits(
    row: dict[str, Any], harness: float, equal: bool, tmp_path: Path
) -> None:
    enter(tmp_path, "one", system(name="One"), {"2021": report(styles={"damd": 21.46})})
    [cell] = cells(_paper(**row), read_entries(tmp_path), "2021")
    assert (cell.scored, cell.equal) == (pytest.approx(harness), equal)
    assert cell.printed == Decimal(row["figures"][0])


def test_the_corpus_stands_beside_the_systems(tmp_path: Path) -> None:
    enter(tmp_path, CORPUS, system(name="Corpus"), {"2021": report()})
    compared = cells(_paper(figures=("1.0",), corpus="70.0"), read_entries(tmp_path), "2021")
    assert [(cell.entry, cell.equal) for cell in compared] == [("one", False), (CORPUS, True)]


# -------------------------------------------------------------------------- the command


def _cells(format_: str, cli: Cli) -> str:
    run = cli("audit", "--paper", "--submissions", REPOSITORY, "--format", format_)
    assert (run.status, run.err) == (0, "")
    return run.out


def test_the_counts_of_the_repository(cli: Cli) -> None:
    """BLEU differs in one cell of DoTS; diversity in one of UniConv's counts."""
    out = _cells("text", cli)
    four, five, six = out.split("Table ")[-3:]
    assert "equal cells: 77 of 78" in four
    assert "16.7 ≠ 16.8" in four
    assert "Inform: 12 of 13 equal" in five
    assert "Success: 12 of 13 equal" in five
    assert "Inform (opt.): 8 of 13 equal" in five
    assert "Success (opt.): 8 of 13 equal" in five
    assert "equal cells: 77 of 78" in six
    assert "338 ≠ 337" in six
    assert "equal cells of the corpus: 6 of 6" in six


def test_csv_has_a_row_for_each_cell(cli: Cli) -> None:
    rows = [*csv.DictReader(_cells("csv", cli).splitlines())]
    # Table 4 has 7 rows of 13 systems; table 5 has 6, of which 4 have the corpus.
    assert Counter(row["table"] for row in rows)["table 4"] == 7 * 13
    assert Counter(row["table"] for row in rows)["table 5"] == 6 * 13 + 4
    [damd] = [row for row in rows if (row["row"], row["entry"]) == ("Inform", "damd")]
    # DAMD wins 578 of its 999 dialogues.
    cells = ("table 5", "Inform", "damd", "False", "57.9", str(100 * 578 / 999), "True")
    titles = ("table", "row", "entry", "quoted", "printed", "harness", "equal")
    assert damd == dict(zip(titles, cells, strict=True))


def test_the_audit_says_how_many_rates_of_the_paper_come_out() -> None:
    rates = [
        cell
        for cell in cells(read_paper(), read_entries(REPOSITORY), "2021")
        if cell.source == "table 5" and cell.setup != QUOTED and cell.entry != CORPUS
    ]
    strict, optimistic = (
        [c for c in rates if ("opt" in c.title) is is_optimistic] for is_optimistic in (False, True)
    )
    farthest = max(abs(cell.difference or 0) for cell in optimistic)
    audit = " ".join((PROJECT / "docs" / "audit.md").read_text(encoding="utf-8").split())
    assert f"{equal_text(strict)} strict rates" in audit
    assert f"{equal_text(optimistic)} optimistic ones (the others within {farthest:.1f})" in audit
    assert [(cell.entry, cell.texts()[2]) for cell in strict if not cell.equal] == [
        ("dots", "+0.1"),
        ("dots", "+1.8"),
    ]


def _facts(cli: Cli) -> dict[str, list[tuple[str, object, object]]]:
    """Return table of facts -> what is printed, what the project has, and whether it is equal."""
    tables = json.loads(_cells("json", cli))
    return {
        name: [(row["printed"], row["harness"], row["equal"]) for row in rows]
        for name, rows in tables.items()
        if name in ("table_1", "table_2", "table_3", "section_4.1", "section_4.6")
    }


def test_facts_of_a_benchmark_that_is_not_installed_are_not_at_hand(cli: Cli) -> None:
    facts = _facts(cli)
    # The entries say how their authors evaluated; all else takes MultiWOZ.
    assert [equal for _, _, equal in facts.pop("table_3")] == [True] * 13
    assert {fact[1:] for rows in facts.values() for fact in rows} == {("not at hand", None)}
    assert "not at hand: `mwz data fetch --split all` installs" in _cells("text", cli)


def test_facts_are_held_against_the_installed_benchmark(tmp_path: Path, cli: Cli) -> None:
    install_benchmark(replace(build_multiwoz(*write_repositories(tmp_path)), name="multiwoz"))
    # Of three test dialogues one has a seen goal; of 7 triplets 2 occur in train or dev.
    assert _facts(cli)["section_4.6"] == [
        ("174", "1", False),
        ("12", "5", False),
        ("0", "5", False),
    ]


@pytest.mark.real_data
def test_facts_of_the_paper(multiwoz: Benchmark, cli: Cli) -> None:
    install_benchmark(multiwoz)
    facts = _facts(cli)
    # 5205 of 7372 turns are 70.605 %; the train and dev dialogues are not there.
    assert facts.pop("section_4.1")[0] == ("70.61", "70.60", False)
    assert {fact[1:] for fact in facts.pop("section_4.6")} == {("not at hand", None)}
    assert [equal for rows in facts.values() for _, _, equal in rows] == [True] * (1 + 6 + 13)


def test_states_that_a_table_prints_are_scored_in_its_unit() -> None:
    row = {"label": "JGA", "metric": "JGA", "figures": ("0.50", "0.5000")}
    # The first of two turns is right; of the other column the second.
    examples = {"one": (("a-x", "a-x"), ("a-x=1", "a-x=2")), "two": (("a-x a-y", "a-x"), ("", ""))}
    table = {"number": "A1", "title": "made up", "rows": [row], "examples": examples}
    paper = {"source": "someone", "systems": ["one", "two"], "tables": [table], "percent": False}
    compared = cells(paper, [], "2021")
    assert [(cell.scored, cell.equal) for cell in compared] == [(0.5, True)] * 2


def _rows(paper: str, cli: Cli, *more: object) -> dict[str, list[dict[str, Any]]]:
    arguments = ("--paper", paper, "--submissions", REPOSITORY, "--format", "json")
    run = cli("audit", *arguments, *more)
    assert (run.status, run.err) == (0, "")
    return dict(json.loads(run.out))


_DOMAINS = ("attraction", "hotel", "restaurant", "taxi", "train")

# Paper -> table -> cells, those that are equal, those that are not scored.
_FATES = {
    # The paper adds up rounded scores of turns: 1 + 1 + 0 + .39 + 0 + .39 of 6 are 46.33.
    "fga": {"table_1": (40, 0, 40), "figure_1": (4, 3, 0)},
    "rsa": {
        "table_1": (40, 0, 40),
        "table_2": (15, 0, 15),
        "table_3": (6, 6, 0),
        "table_A3": (6, 6, 0),
        "table_A4": (7, 7, 0),
        "table_A6": (20, 20, 0),
    },
    "gca": {
        "figure_1": (4, 4, 0),
        # 60 bars.
        "figure_3a": (24, 0, 24),
        "figure_3b": (18, 0, 18),
        "figure_3c": (18, 0, 18),
        # Six metrics of 20 trackers each.
        **{f"figure_5_({domain})": (120, 0, 120) for domain in _DOMAINS},
        "figure_6": (2, 2, 0),
        "figure_7": (2, 2, 0),
        "figure_8": (8, 8, 0),
    },
}


def _fates(tables: dict[str, list[dict[str, Any]]]) -> dict[str, tuple[int, int, int]]:
    return {
        name: (
            len(cells),
            sum(cell["equal"] is True for cell in cells),
            sum(isinstance(cell["harness"], str) for cell in cells),
        )
        for name, cells in tables.items()
        if name != "same_systems"
    }


@pytest.mark.parametrize("paper", _FATES)
def test_what_becomes_of_every_cell_of_a_paper_about_trackers(paper: str, cli: Cli) -> None:
    assert _fates(_rows(paper, cli)) == _FATES[paper]


@pytest.mark.real_data
def test_the_file_of_trippy_gives_its_row_of_table_1(upstream: Path, cli: Cli) -> None:
    cells = _rows("fga", cli, "--predictions", upstream)["table_1"]
    row = {cell["row"]: cell["equal"] for cell in cells if cell["entry"] == "TripPy"}
    # The file does not say which slots gold has.
    assert row.pop("AGA") is None
    assert set(row.values()) == {True}
    assert len(row) == 9
    # A file of that name that is another is not taken for it.
    dst = _rows("fga", cli, "--predictions", upstream / "FGA" / "hi-dst")
    assert _fates(dst) == _FATES["fga"]


@pytest.mark.slow
@pytest.mark.real_data
def test_the_files_of_t5_give_what_its_authors_print(dst_data: Path, cli: Cli) -> None:
    # Of 12 trackers each that are at hand, six metrics.
    scored = {f"figure_5_({domain})": (120, 72, 48) for domain in ("taxi", "train")}
    tables = _rows("gca", cli, "--predictions", dst_data)
    assert _fates(tables) == {**_FATES["gca"], **scored}
    assert not [cell for cells in tables.values() for cell in cells if cell.get("equal") is False]


def test_papers_are_held_against_each_other(cli: Cli) -> None:
    lines = _rows("gca", cli)["same_systems"]
    printed: dict[str, dict[str, str]] = {}
    for line in lines:
        printed.setdefault(line["system"], {})[line["paper"]] = line["JGA"]
    papers = ("Dey et al. (2022)", "Kim et al. (2022)", "Aksu & Chen (2024)")
    assert printed["TripPy"] == dict(zip(papers, ("53.28", "61.31", "51.22"), strict=True))
    assert printed["TRADE"] == dict(zip(papers, ("48.86", "49.39", "48.86"), strict=True))
    # 3600 / 7368 is .48860, and 3639 / 7368 is .49389.
    turns = [line["of 7368 turns"] for line in lines if line["system"] == "TRADE"]
    assert turns == ["3600", "3639", "3600"]


def test_the_exact_turns_of_table_1_give_its_joint_accuracies() -> None:
    rows = {row["label"]: row["figures"] for row in read_paper("fga")["tables"][0]["rows"]}
    for exact, turns, printed in zip(rows["#M1"], rows["#Turns"], rows["JGA"], strict=True):
        assert f"{100 * int(exact) / int(turns):.2f}" == printed


@pytest.mark.parametrize("arguments", [["damd"], ["--explain"], ["--json", "-"]])
def test_what_says_nothing_of_the_paper_is_refused(arguments: list[str], cli: Cli) -> None:
    message = cli.refused("audit", "--paper", "--submissions", REPOSITORY, *arguments)
    assert "--paper cannot be combined with" in message

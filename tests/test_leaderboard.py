"""The leaderboard's page: what it shows, in which order, and that nothing else decides it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import PUBLISHED, REPOSITORY, enter, enter_made, leaderboard, report, reports, system
from helpers import refusal, table_rows

from mwz.harness.benchmark import STYLES
from mwz.harness.board import Entry, read_entries
from mwz.harness.board.columns import columns
from mwz.harness.board.entries import read_entry
from mwz.harness.board.model import common_signatures, make_board, rows
from mwz.harness.board.systems import PREDICTIONS_FILE
from mwz.harness.board.views.site import make_site
from mwz.harness.io import escaped
from mwz.harness.metrics import Figure, reported_figures
from mwz.harness.scoring import Report
from mwz.normalization import rule_set


def _tables(page: str) -> dict[str, list[list[str]]]:
    """Return heading -> the rows of the table below it, cells stripped."""
    tables = {}
    for section in page.split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        tables[heading] = table_rows(text) if "\n|" in text else []
    return tables


_STATES = {"end-to-end": "predicted", "policy-optimization": "gold", "reference": "gold"}


def _with_combined(folder: Path, key: str, bleu: float, track: str = "end-to-end") -> Entry:
    scored = reports(bleu=bleu, states=_STATES[track])
    return enter(folder, key, system(name=key.upper(), track=track), scored)


def _notes(folder: Path, key: str) -> str:
    """Return what is to be said of an entry, as its footnote has it."""
    board = make_board(read_entries(folder), "2021")
    return "; ".join(m.quoted(escaped) for row in board.rows if row.key == key for m in row.marks)


def _ranks(page: str, heading: str = "End-to-end systems") -> list[tuple[str, str]]:
    """Return rank and name of each row of a track's table."""
    header, _, *found = _tables(page)[heading]
    assert header[:2] == ["#", "System"]
    return [(row[0], row[1]) for row in found]


def test_each_track_is_sorted_by_combined_score(tmp_path: Path) -> None:
    for key, bleu in {"a": 10, "b": 24, "c": 20}.items():
        _with_combined(tmp_path, key, bleu)
    for key, bleu in {"d": 15, "e": 25}.items():
        _with_combined(tmp_path, key, bleu, "policy-optimization")
    page = leaderboard(read_entries(tmp_path), "2021")
    assert _ranks(page) == [("1", "B"), ("2", "C"), ("3", "A")]
    assert _ranks(page, "Policy-optimization systems") == [("1", "E"), ("2", "D")]
    assert "Reference" not in _tables(page)


def test_equal_systems_share_a_place_and_stand_in_the_order_of_their_keys(tmp_path: Path) -> None:
    for key, bleu in {"c": 20, "a": 20, "d": 10, "b": 24}.items():
        _with_combined(tmp_path, key, bleu)
    page = leaderboard(read_entries(tmp_path), "2021")
    assert _ranks(page) == [("1", "B"), ("2", "A"), ("2", "C"), ("4", "D")]
    # In whatever order they are read.
    assert leaderboard(read_entries(tmp_path)[::-1], "2021") == page


def test_reference_rows_have_a_table_without_ranks_and_cost_nobody_one(tmp_path: Path) -> None:
    enter_made(tmp_path, bleu=99.0)
    _with_combined(tmp_path, "a", 10)
    page = leaderboard(read_entries(tmp_path), "2021")
    assert _ranks(page) == [("1", "A")]
    header, _, row = _tables(page)["Reference"]
    assert (header[0], row[0]) == ("System", "Corpus")
    assert "not ranked" not in page


def test_privileged_systems_are_listed_and_keep_their_rank(tmp_path: Path) -> None:
    _with_combined(tmp_path, "a", 10)
    enter(tmp_path, "b", system(name="B", unranked="is given `[acts]`"), reports(bleu=24))
    page = leaderboard(read_entries(tmp_path), "2021")
    assert _ranks(page) == [("1", "A"), ("–", "B")]
    # As it is written, whatever it means in Markdown.
    assert _notes(tmp_path, "b") == r"not ranked: is given \`\[acts\]\`"
    note = r"<script> ](javascript:alert(1)) | 1 | a\| b\\"
    enter(tmp_path, "loud", system(name="Loud", note=note))
    shown = r"\<script\> \]\(javascript:alert\(1\)\) \| 1 \| a\\\| b\\\\"
    assert _notes(tmp_path, "loud") == shown


def test_incomplete_systems_are_ranked_by_lower_bounds(tmp_path: Path) -> None:
    # (70 + 60) / 2 + 20 = 85 of all; of 540 of 600 turns in 90 of 100 dialogues, (80 + 70) / 2 + 21
    # = 96, but at least (72 + 63) / 2 + 18.9 = 86.4; and of 95 dialogues and 570 turns
    # (80 + 60) / 2 + 20 = 90, but at least (76 + 57) / 2 + 19 = 85.5.
    enter(tmp_path, "whole", scored=reports())
    rates = {"inform": 80.0, "success": 70.0}
    part = reports(turns=540, dialogues=90, bleu=21.0, strict=rates, optimistic=rates)
    enter(tmp_path, "part", scored=part)
    rates = {"inform": 80.0, "success": 60.0}
    enter(tmp_path, "more", scored=reports(turns=570, dialogues=95, strict=rates, optimistic=rates))
    enter(tmp_path, "last", scored=reports(bleu=19.0))
    ranked = rows(read_entries(tmp_path), "2021")
    ranks = [(row.key, row.rank) for row in ranked]
    assert ranks == [("part", 1), ("more", 2), ("whole", 3), ("last", 4)]
    assert [row.ranking_key[0] for row in ranked] == pytest.approx([86.4, 85.5, 85.0, 84.0])
    page = leaderboard(read_entries(tmp_path), "2021")
    # The figures shown are those that rank.
    cells = _tables(page)["End-to-end systems"][2][:6]
    assert cells == ["1", "Part", "≥18.9", "≥72.0", "≥63.0", "≥86.4"]
    assert _notes(tmp_path, "part") == (
        "≥ 86.4 over all 100 dialogues (missing dialogues count as failures); 96.0 on "
        "the 90 submitted, as public tables print (BLEU/Inform/Success 21.0/80.0/70.0)"
    )
    assert _notes(tmp_path, "whole") == ""


@pytest.mark.parametrize(("turns", "rank"), [(540, 1), (539, None), (6, None), (600, 1)])
def test_below_nine_tenths_there_is_no_rank(turns: int, rank: int | None, tmp_path: Path) -> None:
    perfect = {"inform": 100.0, "success": 100.0}
    enter(tmp_path, "few", scored=reports(turns=turns, bleu=24.0, strict=perfect))
    enter(tmp_path, "honest")
    ranks = {row.key: row.rank for row in rows(read_entries(tmp_path), "2021")}
    assert ranks == {"few": rank, "honest": 2 if rank else 1}
    page = leaderboard(read_entries(tmp_path), "2021")
    message = "not ranked: submits less than 90 % of the turns; its figures are on the "
    assert (message in _notes(tmp_path, "few")) is (rank is None)
    # What is not ranked stands below what is.
    if rank is None:
        assert _ranks(page) == [("1", "Honest"), ("–", "Few")]


@pytest.mark.parametrize("gone", ["file", "unavailable"])
def test_entries_without_predictions_have_no_rank(gone: str, tmp_path: Path) -> None:
    enter(tmp_path, "kept", scored=reports(bleu=10.0))
    facts = system(name="Lost")
    if gone == "unavailable":
        facts["predictions"] = {"unavailable": "the disk is lost"}
    place = enter(tmp_path, "lost", facts, reports(bleu=24.0)).folder
    (place / PREDICTIONS_FILE).unlink()
    page = leaderboard(read_entries(tmp_path), "2021")
    assert _ranks(page) == [("1", "Kept"), ("–", "Lost")]
    assert _notes(tmp_path, "lost") == "not ranked: nobody can get its predictions"


def test_a_row_shows_what_the_columns_say(tmp_path: Path) -> None:
    # The made-up report: 540 of 600 turns played; its BLEU is 0.9 x 20.04 = 18.036 of the whole
    # benchmark, by which it is ranked, and (70 + 60) / 2 + 18.036 = 83.036.
    entry = enter(tmp_path, "system", scored={"2021": report(bleu=20.04, turns=540)})
    shown = {"BLEU": "≥ 18.0", "Inform": "≥ 70.0", "Success": "≥ 60.0", "Combined": "≥ 83.0"}
    shown |= {"Av. len.": "12.25", "CBE": "1.75", "Unique words": "100", "Unique 3-grams": "300"}
    shown |= {"Fuzzy joint acc.": "–", "Coverage": "90.00 %", "Flags": ""}
    board = make_board([entry], "2021")
    texts = {column.full_title: column.value(board.rows[0]).text for column in columns(board)}
    assert texts.items() >= shown.items()


def test_the_optimistic_set_up_and_bleu_in_the_other_styles_share_a_table(tmp_path: Path) -> None:
    styles = {style: 10.0 + number for number, style in enumerate(STYLES)}
    entry = enter(tmp_path, "system", scored={"2021": report(styles=styles)})
    title = "Optimistic set-up, and BLEU by other reference styles"
    _, _, cells = _tables(leaderboard([entry], "2021"))[title]
    # (80 + 65) / 2 + 10: BLEU of the canonical style, the first, is 10.
    assert cells[1:4] == ["80.0", "65.0", "82.5"]
    assert cells[4:9] == ["11.00", "12.00", "13.00", "14.00", "15.00"]


def test_systems_not_scored_by_a_rule_set_are_left_out(tmp_path: Path) -> None:
    enter(tmp_path, "old", scored={"2021": report("2021")})
    enter(tmp_path, "both")
    entered = read_entries(tmp_path)
    assert [row.key for row in rows(entered, "2021")] == ["both", "old"]
    assert [row.key for row in rows(entered, "2023")] == ["both"]


def test_missing_default_scores_are_refused(tmp_path: Path) -> None:
    # No file says so: the main place of one is that of the default rule set.
    both = enter(tmp_path, "both")
    older = (enter(tmp_path, key) for key in ("old", "older"))
    others = [_with_report(entry, report("2023"), "2023") for entry in older]
    error = refusal(leaderboard, [both, *others], "2021")
    message = "not scored under rule set 2021; use --rescore"
    assert error.problems == (f"old: {message}", f"older: {message}")


def _with_report(entry: Entry, shown: Report, rules: str = "2021") -> Entry:
    return replace(entry, scores=replace(entry.scores, reports={rules: shown}))


def _signed(**changes: object) -> Report:
    """Return a report whose signature has some fields changed."""
    made = report()
    return replace(made, signature=replace(made.signature, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"domains": "gold"},
        {"states": "gold"},
        {"coverage": "594/600-ba9876543210"},
        {"versions": {"mwz": "1", "sacrebleu": "9"}},
        # The name of a rule set is not its content.
        {"rules": "2021b"},
    ],
)
def test_comparable_scores_share_a_table(changes: dict[str, Any], tmp_path: Path) -> None:
    first = enter(tmp_path, "a")
    track = "policy-optimization" if "states" in changes else "end-to-end"
    other = enter(tmp_path, "b", system(name="B", track=track))
    other = _with_report(other, _signed(**changes))
    assert [row.key for row in rows([first, other], "2021")] == ["a", "b"]


def test_signatures_that_differ_in_their_sources_and_coverage_only_are_one(tmp_path: Path) -> None:
    other = _signed(domains="slots", states="gold", coverage="594/600-ba9876543210")
    policy = enter(tmp_path, "b", system(name="B", track="policy-optimization"))
    entered = [enter(tmp_path, "a"), _with_report(policy, other)]
    digest = rule_set("2021").digest[:12]
    signature = (
        f"mwz:0|benchmark:made-up|data:0123456789ab|rules:2021-{digest}|setup:both|goals:all"
    )
    assert common_signatures(rows(entered, "2021")) == [signature]
    assert f"\n    {signature}\n" in leaderboard(entered, "2021")


def test_new_metrics_have_columns_in_views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(reported_figures())
    known["surprise"] = Figure("surprise", "Surprise")
    for module in ("columns", "rows"):
        monkeypatch.setattr(f"mwz.harness.board.{module}.reported_figures", lambda: known)
    entered = [
        enter(tmp_path, "a", scored={"2021": report(surprise=3.456)}),
        enter(tmp_path, "b", scored={"2021": report()}),
    ]
    shown = _tables(leaderboard(entered, "2021"))["Other metrics"]
    assert (shown[0][0], shown[0][-1]) == ("System", "Surprise")
    assert [(row[0], row[-1]) for row in shown[2:]] == [("A", "3.46"), ("B", "–")]
    files = make_site(make_board(entered, "2021"), tmp_path)
    assert 'data-column="surprise" data-shown="chosen" data-title="Surprise"' in files["index.html"]
    assert "<td>3.46" in files["index.html"]
    lines = csv.DictReader(io.StringIO(files["board.csv"]))
    assert [line["surprise"] for line in lines] == ["3.456", ""]
    assert json.loads(files["systems/a.json"])["columns"]["surprise"] == 3.456
    monkeypatch.undo()
    assert "Surprise" not in leaderboard(entered, "2021")


def test_a_page_of_no_submissions_has_no_rows() -> None:
    tables = _tables(leaderboard([], "2021"))
    assert all(len(table) == 2 for table in tables.values() if table)


# ---------------------------------------------------------------- the repository's own page


def test_the_repositorys_scores_are_the_published_ones() -> None:
    for key, published in PUBLISHED.items():
        stored = read_entry(REPOSITORY / key).scores.main
        figures = (stored.bleu["mwz22"], stored.inform, stored.success)
        assert tuple(round(figure or 0, 1) for figure in figures) == published[:3], key


def test_the_repositorys_corpus_is_a_tenth_of_a_point_from_the_paper() -> None:
    # The paper: 93.7 and 90.9, optimistic 97.9 and 96.6.
    stored = read_entry(REPOSITORY / "corpus").scores.main
    assert stored.bleu["mwz22"] == pytest.approx(100)
    assert (stored.inform, stored.success) == pytest.approx((93.8, 90.9), abs=1e-9)
    assert round(stored.optimistic.inform["total"], 1) == 97.8
    assert round(stored.optimistic.success["total"], 1) == 96.5

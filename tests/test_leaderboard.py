"""The leaderboard's page: what it shows, in which order, and that nothing else decides it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from entered import (
    HARNESS,
    PAPER,
    PROJECT,
    REPOSITORY,
    enter,
    make_older,
    report,
    reports,
    system,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness.benchmark import STYLES
from mwz.harness.board.entries import Entry, read_entries
from mwz.harness.board.leaderboard import leaderboard, row_headers, row_text, rows, signatures
from mwz.harness.board.scores import Scores
from mwz.harness.errors import InputError
from mwz.harness.metrics.registry import Headline, headlines
from mwz.harness.report import Report
from mwz.harness.tracking.evaluation import score_tracking
from mwz.normalization.rules import published_rule_sets, rule_set


def _tables(page: str) -> dict[str, list[list[str]]]:
    """Return heading -> the rows of the table below it, cells stripped."""
    tables = {}
    for section in page.split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        lines = [line for line in text.splitlines() if line.startswith("|")]
        cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
        tables[heading] = [[cell.strip() for cell in row] for row in cells]
    return tables


def _with_combined(folder: Path, key: str, bleu: float, track: str = "end-to-end") -> Entry:
    return enter(folder, key, system(name=key.upper(), track=track), reports(bleu=bleu))


def test_each_track_is_sorted_by_combined_score(tmp_path: Path) -> None:
    for key, bleu, track in [
        ("a", 10, "end-to-end"),
        ("b", 30, "end-to-end"),
        ("c", 20, "end-to-end"),
        ("d", 15, "policy-optimization"),
        ("e", 25, "policy-optimization"),
    ]:
        _with_combined(tmp_path, key, bleu, track)
    tables = _tables(leaderboard(read_entries(tmp_path), "2021"))
    assert [row[0] for row in tables["End-to-end systems"][2:]] == ["B", "C", "A"]
    assert [row[0] for row in tables["Policy-optimization systems"][2:]] == ["E", "D"]
    assert "Reference corpus" not in tables


def test_a_system_of_high_bleu_does_not_outrank_one_of_higher_combined_score(
    tmp_path: Path,
) -> None:
    # (50 + 40) / 2 + 30 = 75 against (90 + 80) / 2 + 10 = 95.
    for key, bleu, inform, success in [("wordy", 30, 50, 40), ("useful", 10, 90, 80)]:
        strict = {"inform": inform, "success": success}
        enter(tmp_path, key, scored={"2021": report(bleu=bleu, strict=strict)})
    ranked = rows(read_entries(tmp_path), "2021")
    assert [(row.entry.key, row.combined) for row in ranked] == [
        ("useful", 95.0),
        ("wordy", 75.0),
    ]


@settings(deadline=None)
@given(order=st.permutations(range(5)))
def test_the_order_of_reading_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, order: Sequence[int]
) -> None:
    folder = tmp_path_factory.mktemp("submissions")
    # Two of them are equal in all but name.
    for key, bleu in [("a", 10.0), ("b", 12.0), ("c", 12.0), ("d", 9.0), ("e", 30.0)]:
        _with_combined(folder, key, bleu)
    entered = read_entries(folder)
    page = leaderboard(entered, "2021")
    assert leaderboard([entered[place] for place in order], "2021") == page


def test_a_row_shows_what_the_columns_say(tmp_path: Path) -> None:
    # The made-up report: 54 of 60 turns played, (70 + 60) / 2 + 20.04 = 85.04.
    entry = enter(tmp_path, "system", scored={"2021": report(bleu=20.04)})
    [row] = rows([entry], "2021")
    assert dict(zip(row_headers(), row_text(row), strict=True)) == {
        "System": "System",
        "BLEU": "20.0",
        "Inform": "70.0",
        "Success": "60.0",
        "Combined": "85.0",
        "Av. len.": "12.25",
        "CBE": "1.75",
        "Unigrams": "100",
        "Trigrams": "300",
        "Joint acc.": "–",
        "Coverage": "90.00 %",
        "Rules": "2021",
    }


def test_joint_accuracy_is_shown_where_states_are_predicted(tmp_path: Path) -> None:
    # All values are alike, so that the fuzzy joint accuracy is the exact one: 2 of 6 turns.
    tracking = score_tracking([tracked(*FGA_FIGURE_1)])
    entry = enter(tmp_path, "system", scored={"2021": report(dst=tracking)})
    [row] = rows([entry], "2021")
    assert row_text(row)[list(row_headers()).index("Joint acc.")] == "33.3"


def test_strict_stands_beside_optimistic_and_bleu_in_all_styles(tmp_path: Path) -> None:
    styles = {style: 10.0 + number for number, style in enumerate(STYLES)}
    entry = enter(tmp_path, "system", scored={"2021": report(styles=styles)})
    tables = _tables(leaderboard([entry], "2021"))
    # (70 + 60) / 2 + 10, and (80 + 65) / 2 + 10: BLEU of the canonical style is 10.
    assert tables["Strict and optimistic set-up"][2][1:7] == [
        *("70.0", "80.0", "60.0", "65.0", "75.0", "82.5")
    ]
    header, _, shown = tables["BLEU by reference style"]
    assert dict(zip(header[1:], shown[1:], strict=True)) == {
        style: f"{bleu:.2f}" for style, bleu in styles.items()
    }


def test_the_rows_are_those_of_the_rule_set_asked_for(tmp_path: Path) -> None:
    scored = {"2021": report("2021", bleu=10.0), "2023": report("2023", bleu=11.0)}
    entered = [enter(tmp_path, "system", scored=scored)]
    assert [row.figure("bleu") for row in rows(entered, "2021")] == ["10.0"]
    assert [row.figure("bleu") for row in rows(entered, "2023")] == ["11.0"]
    assert "rule set 2023" in leaderboard(entered, "2023")


def test_systems_without_scores_under_another_rule_set_are_left_out_of_its_page(
    tmp_path: Path,
) -> None:
    enter(tmp_path, "old", scored={"2021": report("2021")})
    enter(tmp_path, "both")
    entered = read_entries(tmp_path)
    assert [row.entry.key for row in rows(entered, "2021")] == ["both", "old"]
    assert [row.entry.key for row in rows(entered, "2023")] == ["both"]


def test_systems_without_scores_under_the_default_rule_set_are_refused_by_name(
    tmp_path: Path,
) -> None:
    # No file says so: the main place of one is that of the default rule set.
    both = enter(tmp_path, "both")
    others = [
        replace(both, folder=tmp_path / key, scores=Scores({"2023": report("2023")}, None))
        for key in ("old", "older")
    ]
    with pytest.raises(InputError) as error:
        leaderboard([both, *others], "2021")
    assert [problem.split(":")[0] for problem in error.value.problems] == ["old", "older"]
    assert all("2021" in problem for problem in error.value.problems)


@pytest.mark.parametrize("rules", published_rule_sets())
def test_scores_of_an_earlier_version_are_refused_by_name_under_every_rule_set(
    rules: str, tmp_path: Path
) -> None:
    for key in ("old", "new", "older"):
        enter(tmp_path, key)
    for key in ("old", "older"):
        make_older(tmp_path / key)
    with pytest.raises(InputError) as error:
        leaderboard(read_entries(tmp_path), rules)
    told = "scored by an earlier version; use --rescore"
    assert error.value.problems == (f"old: {told}", f"older: {told}")


def test_scores_on_another_benchmark_are_refused_by_name(tmp_path: Path) -> None:
    enter(tmp_path, "alpha")
    enter(tmp_path, "beta")
    enter(tmp_path, "stranger", scored=reports(data="ba9876543210"))
    with pytest.raises(InputError) as error:
        leaderboard(read_entries(tmp_path), "2021")
    assert error.value.problems == (
        "stranger: does not compare with alpha (different versions of the benchmark's content: "
        "ba9876543210 and 0123456789ab); use --rescore or another folder",
    )


def _signed(**changes: object) -> Report:
    """Return a report whose signature has some fields changed."""
    made = report()
    return replace(made, signature=replace(made.signature, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"benchmark": "other"}, "different benchmarks: other and made-up"),
        # Told apart by all digits of the hash, not by those shown.
        ({"data": "0123456789ab" + "f" * 52}, "different versions of the benchmark's content"),
        ({"rules_digest": "f" * 64}, "different rules: 2021-ffffffffffff and 2021-"),
        ({"setup": "strict"}, "different set-ups: strict and both"),
        ({"goals": "unseen"}, "different goals: unseen and all"),
        ({"parameters": {"window": "100"}}, "different window: 100 and none"),
    ],
)
def test_scores_whose_signatures_do_not_compare_are_refused_with_the_reason(
    changes: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    entered = [enter(tmp_path, "a"), enter(tmp_path, "b")]
    entered.append(replace(entered[0], folder=tmp_path / "c"))
    entered[1] = replace(entered[1], scores=Scores({"2021": _signed(**changes)}, None))
    with pytest.raises(InputError) as error:
        rows(entered, "2021")
    [problem] = error.value.problems
    assert problem.startswith("b: does not compare with a (")
    assert reason in problem


@pytest.mark.parametrize(
    "changes",
    [
        {"domains": "gold"},
        {"states": "predicted"},
        {"coverage": None},
        {"versions": {"mwz": "1", "sacrebleu": "9"}},
        # The name of a rule set is not its content.
        {"rules": "2021b"},
    ],
)
def test_scores_that_differ_in_what_systems_may_differ_in_stand_in_one_table(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    one = enter(tmp_path, "a")
    other = replace(one, folder=tmp_path / "b", scores=Scores({"2021": _signed(**changes)}, None))
    assert [row.entry.key for row in rows([one, other], "2021")] == ["a", "b"]


def test_the_columns_tell_what_systems_may_differ_in(tmp_path: Path) -> None:
    scores = Scores({"2021": _signed(domains="slots", states="predicted")}, None)
    entry = replace(enter(tmp_path, "a"), scores=scores)
    header, _, shown = _tables(leaderboard([entry], "2021"))["Strict and optimistic set-up"]
    row = dict(zip(header, shown, strict=True))
    assert (row["Domains"], row["States"]) == ("slots", "predicted")


def test_signatures_that_differ_in_their_sources_and_coverage_only_are_one(tmp_path: Path) -> None:
    other = _signed(domains="slots", states="predicted", coverage=None)
    entered = [enter(tmp_path, "a"), enter(tmp_path, "b")]
    entered[1] = replace(entered[1], scores=Scores({"2021": other}, None))
    digest = rule_set("2021").digest[:12]
    signature = (
        f"mwz:0|benchmark:made-up|data:0123456789ab|rules:2021-{digest}|setup:both|goals:all"
    )
    assert signatures(rows(entered, "2021")) == [signature]
    assert f"\n    {signature}\n" in leaderboard(entered, "2021")


def test_a_figure_of_a_new_metric_has_a_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dict(headlines())
    known["surprise"] = Headline(
        "surprise", "Surprise", lambda report, setup: report.metrics.get("surprise"), digits=2
    )
    monkeypatch.setattr("mwz.harness.board.leaderboard.headlines", lambda: known)
    entered = [
        enter(tmp_path, "a", scored={"2021": report(surprise=3.456)}),
        enter(tmp_path, "b", scored={"2021": report()}),
    ]
    shown = _tables(leaderboard(entered, "2021"))["Other metrics"]
    assert shown[0] == ["System", "Surprise"]
    assert shown[2:] == [["A", "3.46"], ["B", "–"]]
    monkeypatch.undo()
    assert "Surprise" not in leaderboard(entered, "2021")


def test_links_and_notes_are_shown(tmp_path: Path) -> None:
    facts = system(name="A|B", paper="https://p.org", code="https://c.org", note="plays half")
    page = leaderboard([enter(tmp_path, "ab", facts)], "2021")
    tables = _tables(page)
    assert tables["End-to-end systems"][2][0] == (
        r"A\|B ([paper](https://p.org), [code](https://c.org))"
    )
    assert len({len(row) for row in tables["End-to-end systems"]}) == 1
    assert "\n- A|B: plays half\n" in page


def test_a_name_or_note_of_several_lines_breaks_no_table(tmp_path: Path) -> None:
    facts = system(name="My\nSystem", note="plays\n\n## half")
    page = leaderboard([enter(tmp_path, "my-system", facts)], "2021")
    assert _tables(page)["End-to-end systems"][2][0] == "My System"
    assert "\n- My System: plays ## half\n" in page


def test_a_page_of_no_submissions_has_no_rows() -> None:
    assert all(len(table) == 2 for table in _tables(leaderboard([], "2021")).values() if table)


# ---------------------------------------------------------------- the repository's own page


def test_the_repositorys_page_is_what_its_submissions_give() -> None:
    page = (PROJECT / "leaderboard.md").read_bytes()
    assert leaderboard(read_entries(REPOSITORY), "2021").encode() == page


@pytest.mark.parametrize("key", sorted(PAPER))
def test_the_repositorys_scores_are_the_published_ones(key: str) -> None:
    [shown] = [r.report for r in rows(read_entries(REPOSITORY), "2021") if r.entry.key == key]
    figures = (_bleu(shown), shown.inform, shown.success)
    assert tuple(round(figure or 0, 1) for figure in figures) == HARNESS[key]
    assert HARNESS[key][0] == PAPER[key][0]
    if key != "dots":
        assert HARNESS[key] == pytest.approx(PAPER[key], abs=0.21)


def test_the_repositorys_corpus_is_within_its_annotations_differences_of_the_paper() -> None:
    # The paper: 93.7 and 90.9, optimistic 97.9 and 96.6; the gold states here move the strict
    # rates by 0.3.
    [shown] = [r.report for r in rows(read_entries(REPOSITORY), "2021") if r.entry.key == "corpus"]
    assert _bleu(shown) == pytest.approx(100)
    assert shown.inform == pytest.approx(93.7, abs=0.31)
    assert shown.success == pytest.approx(90.9, abs=0.31)
    assert shown.optimistic is not None
    assert round(shown.optimistic.inform["total"], 1) == 97.9
    assert round(shown.optimistic.success["total"], 1) == 96.6


def _bleu(shown: Report) -> float:
    assert shown.bleu is not None
    return shown.bleu["mwz22"]


@pytest.mark.real_data
@pytest.mark.parametrize("rules", ["2021", "2023"])
def test_the_repositorys_scores_are_the_public_evaluators(
    rules: str, expected: Callable[[str], Any]
) -> None:
    figures = expected("scores.json")[rules]
    ranked = {row.entry.key: row.report for row in rows(read_entries(REPOSITORY), rules)}
    assert ranked.keys() - {"corpus"} == figures.keys()
    for key, published in figures.items():
        scores = ranked[key]
        assert scores.bleu == pytest.approx(published["bleu"], abs=1e-9), key
        assert asdict(scores.diversity) == pytest.approx(published["diversity"], abs=1e-9), key
        assert scores.coverage.dialogues == published["dialogues"], key
        assert scores.coverage.turns == published["turns"], key
        for metric in ("inform", "success"):
            shown = {d: round(rate, 1) for d, rate in getattr(scores.strict, metric).items()}
            assert shown == published["strict"][metric], (key, metric)

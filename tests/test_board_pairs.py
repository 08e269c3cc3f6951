"""Significant differences on the board: dialogues as stored, pairs of entries, and the page."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import (
    DIALOGUES,
    REPOSITORY,
    TURNS,
    change_scores,
    enter,
    enter_sample,
    leaderboard,
    report,
    reports,
    system,
    write_scores,
)
from helpers import Cli, table_rows
from resampled_cases import sample_evidence

from mwz.harness import Benchmark, metrics
from mwz.harness.board import Entry, Scores, pairs as board_pairs, read_entries, tracks
from mwz.harness.board.copied import fingerprints_of
from mwz.harness.board.entries import entry_problems, read_entry
from mwz.harness.board.model import Board
from mwz.harness.board.pairs import (
    PAIRS_FILE,
    Pairs,
    complete_pairs,
    entry_key,
    evidence_of_rows,
    marked_turns,
    missing_pairs,
    pairs_text,
    read_pairs,
)
from mwz.harness.board.rows import Row
from mwz.harness.board.scores import FIGURES, DialogueScores, Intervals, parse_scores, scores_text
from mwz.harness.comparison import Interval, compare, intervals_of
from mwz.harness.diagnosis import Causes
from mwz.harness.diagnosis.losses import Points
from mwz.harness.errors import InputError
from mwz.harness.signature import Signature
from mwz.normalization import DEFAULT_RULES


def _won(first: int, end: int) -> str:
    """Return marks of dialogues of which a range is won."""
    return ("0" * first + "1" * (end - first)).ljust(DIALOGUES, "0")


def _outcomes(inform: str, success: str | None = None) -> DialogueScores:
    """Return what is stored of dialogues that are all alike but for what is won.

    In each, ten tokens match one four-gram of seven, and few shorter n-grams, for a BLEU of 20.
    Dialogues without a mark are not played.
    """
    signature = report().signature
    made = DialogueScores(
        data=signature.data or "",
        rules=signature.rules_digest or "",
        played=("1" * len(inform)).ljust(DIALOGUES, "0"),
        turns=(TURNS // DIALOGUES,) * len(inform),
        inform=inform,
        success=success or inform,
        bleu=tuple((count,) * len(inform) for count in (10, 10, 4, 2, 1, 1, 10, 9, 8, 7)),
        intervals=Intervals(95, 1000, 12345, dict.fromkeys(FIGURES, Interval(0, 0, 0, "wilson"))),
        causes=Causes({}, {}, {}),
    )
    # The intervals and causes that follow from them.
    rows = [*zip(*made.columns, strict=True)]
    totals = metrics.totals_of(rows)
    intervals = intervals_of(evidence_of_rows("", Signature(), [*map(str, made.places)], rows))
    scores = {name: intervals[name] for name in totals}
    points = Points(100 - totals["inform"], 100 - totals["success"])
    lost = tuple(place for place, mark in enumerate(made.success) if mark == "0")
    causes = Causes({}, {"never named": points}, {"hotel": {"never named": lost}})
    return replace(made, intervals=Intervals(95, 1000, 12345, scores), causes=causes)


def _totals(known: DialogueScores) -> dict[str, float]:
    """Return the scores of all dialogues played."""
    return metrics.totals_of(zip(*known.columns, strict=True))


def _enter(folder: Path, key: str, known: DialogueScores, states: str = "predicted") -> None:
    """Write an entry's folder by hand, its scores those of its dialogues."""
    totals, number = _totals(known), len(known.inform)
    track = "end-to-end" if states == "predicted" else "policy-optimization"
    rates = {name: totals[name] for name in ("inform", "success")}
    size = {"dialogues": number, "turns": TURNS // DIALOGUES * number}
    scored = reports(bleu=totals["bleu"], strict=rates, optimistic=rates, states=states, **size)
    entry = enter(folder, key, system(name=key.title(), track=track), scored)
    write_scores(entry.folder, replace(entry.scores, dialogues=known))


# Alpha wins the first 80 dialogues, beta the first 74: six are won by alpha only, none by beta.
# McNemar: 2 P(X <= 0) of six tosses = 2 / 64. Gamma wins 60.
ALPHA, BETA, GAMMA = (_outcomes(_won(0, end)) for end in (80, 74, 60))
SIX_TO_NONE = 2 / 64


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "base" / "submissions"
    for key, known in (("alpha", ALPHA), ("beta", BETA), ("gamma", GAMMA)):
        _enter(path, key, known)
    return path


def _pairs(folder: Path) -> Pairs:
    return complete_pairs(folder, read_entries(folder))


# ------------------------------------------------------------------ what is stored of dialogues


def test_totals_are_those_of_the_dialogues() -> None:
    known = _outcomes(_won(0, 80), _won(10, 50))
    # 4/10, 2/9, 1/8 and 1/7 of the n-grams match, in texts as long as the references.
    bleu = 100 * math.prod((4 / 10, 2 / 9, 1 / 8, 1 / 7)) ** 0.25
    assert _totals(known) == pytest.approx(
        {"inform": 80.0, "success": 40.0, "bleu": bleu, "combined": 60.0 + bleu}, rel=1e-12
    )


def _parsed(text: str) -> Scores:
    return parse_scores(text.encode(), "file", track="end-to-end")


def test_what_is_written_is_read() -> None:
    known = _outcomes(_won(3, 70))
    assert _parsed(scores_text(Scores(reports(), dialogues=known))).dialogues == known


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": [5] * 99}, "expected one figure for each of 100 dialogues played"),
        ({"inform": "2" * 100}, "inform: "),
        ({"bleu": [[1] * 100] * 9}, "bleu: expected 10 counts"),
        (
            {"intervals": {"level": 95, "samples": 1, "seed": 1, "scores": {}}},
            "intervals.scores: expected bleu, inform, success, combined",
        ),
    ],
)
def test_unusable_values_are_refused_by_name(change: dict[str, object], message: str) -> None:
    document = json.loads(scores_text(Scores(reports(), dialogues=ALPHA)))
    document["dialogues"].update(change)
    with pytest.raises(InputError, match=message):
        _parsed(json.dumps(document))


def test_what_the_harness_stores_is_that_of_the_scores_and_adds_up(tmp_path: Path) -> None:
    enter_sample(tmp_path)
    for entry in read_entries(tmp_path):
        totals = _totals(entry.scores.dialogues)
        assert totals["inform"] == entry.scores.main.inform
        assert totals["success"] == entry.scores.main.success
        assert totals["bleu"] == pytest.approx((entry.scores.main.bleu or {})["mwz22"], rel=1e-12)
        strict = entry.scores.main.strict
        assert entry.scores.dialogues.causes.domains.keys() == strict.inform.keys() - {"total"}
    assert entry_problems(read_entries(tmp_path)) == []


# ---------------------------------------------------------------------------- pairs of entries


def test_two_entries_are_compared_by_the_dialogues_that_only_one_wins(folder: Path) -> None:
    pair = _pairs(folder).get(("alpha", "beta"))
    inform = pair.figures["inform"]
    assert (inform.only_a, inform.only_b, inform.test) == (6, 0, "mcnemar")
    assert inform.p == pytest.approx(SIX_TO_NONE, rel=1e-12)
    assert inform.difference == pytest.approx(6.0)
    assert pair.figures["combined"].difference == pytest.approx(6.0)
    # Every dialogue has the same counts: no swap makes less of a difference than none.
    assert (pair.figures["bleu"].difference, pair.figures["bleu"].p) == (0.0, 1.0)
    assert pair.dialogues == 100


def test_dialogues_that_one_does_not_play_are_left_out_of_both(tmp_path: Path) -> None:
    # Beta leaves out the last five, of which alpha wins none: of 95, alpha wins 80, beta 74.
    _enter(tmp_path, "alpha", ALPHA)
    _enter(tmp_path, "beta", _outcomes(_won(0, 74)[:95]))
    pair = _pairs(tmp_path).get(("alpha", "beta"))
    assert pair.dialogues == 95
    assert pair.figures["inform"].difference == pytest.approx(100 * 6 / 95)
    assert pair.figures["inform"].p == pytest.approx(SIX_TO_NONE, rel=1e-12)


def test_entries_whose_signatures_do_not_compare_have_no_pair(folder: Path) -> None:
    _enter(folder, "given", ALPHA, states="gold")
    pairs = _pairs(folder)
    assert sorted(pairs)[:3] == [("alpha", "beta"), ("alpha", "gamma"), ("beta", "alpha")]
    assert len(pairs) == 6
    assert pairs.get(("alpha", "given")) is None


def test_an_entry_of_which_nothing_is_stored_has_no_pair(folder: Path) -> None:
    change_scores(folder / "beta", lambda content: content.pop("dialogues"))
    assert list(_pairs(folder)) == [("alpha", "gamma"), ("gamma", "alpha")]
    page = leaderboard(read_entries(folder), "2021", pairs=_pairs(folder))
    assert "| Beta " in page


def test_pairs_say_what_comparing_the_files_says(tmp_path: Path) -> None:
    enter_sample(tmp_path, "careful", "hasty")
    pair = _pairs(tmp_path).get(("careful", "hasty"))
    known = [sample_evidence(name, "bleu", "inform") for name in ("careful", "hasty")]
    compared = compare(known[0], known[1:])
    for name in FIGURES:
        ours, theirs = pair.figures[name], compared.pairs[0].differences[name]
        assert (ours.p, ours.only_a, ours.only_b) == (theirs.p, theirs.only_a, theirs.only_b)
        assert ours.difference == pytest.approx(-theirs.difference, rel=1e-12)
    for entry, other in zip(read_entries(tmp_path), compared.intervals, strict=True):
        for name in FIGURES:
            stored = entry.scores.dialogues.intervals.scores[name]
            ends = (other[name].low, other[name].high)
            assert (stored.low, stored.high) == pytest.approx(ends, rel=1e-12)


# ------------------------------------------------------------------------------ the file of pairs


def _computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return a list that every pair that is computed is added to."""
    computed: list[tuple[str, str]] = []
    whole = board_pairs.compared

    def watched(entries: Any, chosen: Any, processes: int = 1) -> object:
        computed.extend(chosen)
        return whole(entries, chosen, processes)

    monkeypatch.setattr(board_pairs, "compared", watched)
    return computed


def test_pairs_compared_by_several_processes_are_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_pairs, "_MANY", 1)
    assert complete_pairs(folder, read_entries(folder), processes=2) == _pairs(folder)


def test_only_what_changed_is_computed_again(
    folder: Path, board_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = _computed(monkeypatch)
    board_cli.done(folder)
    assert computed == [("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")]
    computed.clear()
    board_cli.done(folder)
    assert computed == []
    shutil.rmtree(folder / "beta")
    _enter(folder, "beta", _outcomes(_won(0, 75)))
    board_cli.failed(folder, "--check")
    computed.clear()
    board_cli.done(folder)
    assert computed == [("alpha", "beta"), ("beta", "gamma")]
    board_cli.done(folder, "--check")


def test_a_missing_pair_is_named(folder: Path, board_cli: Cli) -> None:
    board_cli.done(folder)
    path = folder / PAIRS_FILE
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    run = board_cli.failed(folder, "--check")
    assert "lacks 1 of the entries' pairs" in run.err
    assert "alpha and gamma; run `mwz leaderboard`" in run.err


def test_a_renamed_entry_keeps_its_pairs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / PAIRS_FILE).write_text(pairs_text(_pairs(folder)), encoding="utf-8")
    before = _pairs(folder)
    (folder / "alpha").rename(folder / "omega")
    computed = _computed(monkeypatch)
    after = _pairs(folder)
    assert computed == []
    assert after["omega", "beta"] == before["alpha", "beta"]
    assert after["beta", "omega"] == before["beta", "alpha"]


def test_a_file_of_pairs_with_the_marks_of_a_conflict_is_refused(
    folder: Path, board_cli: Cli
) -> None:
    board_cli.done(folder)
    path = folder / PAIRS_FILE
    path.write_text("<<<<<<< HEAD\n" + path.read_text("utf-8"), encoding="utf-8")
    assert "remove the file, and run `mwz leaderboard`" in board_cli.refused(folder, "--check")


# ------------------------------------------------------------------------------- the leaderboard


def test_the_page_shows_intervals_and_rank_ranges(tmp_path: Path) -> None:
    # Of 80, 79 and 60 dialogues won, one more is nothing, nineteen more are.
    for key, end in (("alpha", 80), ("beta", 79), ("gamma", 60)):
        _enter(tmp_path, key, _outcomes(_won(0, end)))
    page = leaderboard(read_entries(tmp_path), "2021", pairs=_pairs(tmp_path))
    header, _, *table = table_rows(page.partition("## End-to-end systems")[2])
    # Half of Wilson's interval of 80, 79 and 60 of 100, and of the bootstrap's of the combined.
    inform, combined = (header.index(title) for title in ("Inform", "Combined"))
    assert [row[inform] for row in table] == ["80.0 ±7.8", "79.0 ±7.9", "60.0 ±9.4"]
    assert [row[combined].partition("±")[2] for row in table] == ["7.0", "7.5", "9.0"]
    # Gamma is worse than both others, which do not differ: they have the first two ranks.
    assert [row[header.index("Rank range")] for row in table] == ["1–2", "1–2", "3"]


def test_under_another_rule_set_nothing_is_said_of_it(folder: Path) -> None:
    entries, pairs = read_entries(folder), _pairs(folder)
    page = leaderboard(entries, "2023", pairs=pairs)
    assert "±" not in page.partition("## Notes")[0]
    assert "Rank range" not in page


# ------------------------------------------------------------------------------------- states


def _tracker(key: str, *exact: str) -> Entry:
    """Return an entry whose states are exact where a mark is 1, a text per dialogue."""
    entry = read_entry(REPOSITORY / "dard-dst-mistral")
    marks = replace(entry.scores.fingerprints, exact=" ".join(exact))
    scores = replace(entry.scores, fingerprints=marks, further_gold={})
    return replace(entry, folder=Path(key), scores=scores)


def test_trackers_have_ranges_of_ranks_by_their_states(tmp_path: Path) -> None:
    entries = [_tracker(key, *[mark] * 8) for key, mark in (("a", "11"), ("c", "1."), ("b", "00"))]
    pairs = complete_pairs(tmp_path, entries)
    jga = pairs["a/states", "b/states"].figures["jga"]
    # Only if all eight or none are swapped, 2 of 2**8 times, is the difference as large.
    assert (jga.difference, jga.test) == (100, "randomisation")
    assert abs(jga.p - 2 / 256) < 4 * math.sqrt(2 / 256 / 10_000)
    assert pairs["a/states", "c/states"].figures["jga"].p == 1
    (tmp_path / PAIRS_FILE).write_text(pairs_text(pairs), encoding="utf-8")
    assert read_pairs(tmp_path, entries) == pairs
    ranked = []
    for rank, entry in enumerate(entries, 1):
        signature = entry.scores.result.signature
        facts = {"ranking_key": (), "figures": {}, "pair_key": f"{entry.key}/states"}
        ranked.append(Row(entry=entry, signature=signature, rank=rank, **facts))
    tables = {**{key: [] for key in tracks()}, "state-tracking": [ranked]}
    board = Board(DEFAULT_RULES, entries, [], tables, pairs=pairs)
    assert [board.rank_range(row) for row in ranked] == ["1–2", "1–2", "3"]
    bands = board.bands("state-tracking")
    assert [[row.key for row in band] for band in bands] == [["a", "c"], ["b"]]


def test_states_are_compared_with_those_against_the_same_gold_states_alone(
    tmp_path: Path,
) -> None:
    first, second = _tracker("a", "1"), _tracker("b", "1")
    assert missing_pairs({}, [first, second]) == [("a/states", "b/states")]
    signature = replace(second.scores.result.signature, data=None)
    of_24 = {"signature": signature, "gold": "version", "gold_version": "2.4"}
    other = replace(second.scores.result, **of_24)
    entered = replace(second, scores=replace(second.scores, result=other))
    assert missing_pairs({}, [first, entered]) == []
    # The first is scored against these as well, by marks of its own: exact once of twice.
    further = {"2.4": dict.fromkeys(("keep", "drop"), replace(other, exact="01"))}
    first = replace(first, scores=replace(first.scores, further_gold=further))
    pairs = complete_pairs(tmp_path, [first, entered])
    assert pairs["a/states/2.4", "b/states/2.4"].figures["jga"].difference == -50


def test_what_is_stored_of_states_is_what_their_accuracy_is_made_of(sample: Benchmark) -> None:
    states = {"town001": [*sample.dialogues["town001"].states[:2]]}
    states["town001"][1] = {"hotel": {"area": "elsewhere"}}
    first, *others = fingerprints_of(sample, None, states).exact.split(" ")
    assert first == "10".ljust(sample.dialogues["town001"].turns, ".")
    assert set("".join(others)) == {"."}
    by_key = {entry.key: entry for entry in read_entries(REPOSITORY)}
    for gold, exact_by_name in marked_turns(by_key.values()).items():
        for name, exact in exact_by_name.items():
            marks, scores = "".join(exact.values()), by_key[entry_key(name)].scores
            [jga] = [against.jga for against in scores.tracked() if against.gold_digest == gold]
            assert 100 * marks.count("1") / len(marks) == pytest.approx(jga, rel=1e-12)


# --------------------------------------------------------------------------- the repository's own


def test_every_entry_with_responses_is_stored_by_dialogues_in_little_space() -> None:
    entries = read_entries(REPOSITORY)
    for entry in entries:
        if entry.scores.reports and not entry.system.predictions.free_running:
            assert entry.scores.dialogues is not None, entry.key
    files = [path for path in REPOSITORY.rglob("*.json*") if not path.name.endswith(".gz")]
    # Three fingerprints have two characters for each of 7,372 turns.
    assert sum(path.stat().st_size for path in files) < (80_000 + 3 * 2 * 7372) * len(entries)
    assert missing_pairs(read_pairs(REPOSITORY, entries), entries) == []

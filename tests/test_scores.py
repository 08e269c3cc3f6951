"""The `scores.json` of an entry: read as it was written, or refused where it contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import DIALOGUES, TURNS, change_scores, enter, leaderboard, report, reports
from helpers import refusal
from hypothesis import given, settings, strategies as st
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness.benchmark import STYLES
from mwz.harness.board import Scores, read_entries
from mwz.harness.board.scores import SCORES_FILE, hashes_of, parse_scores, plain, scores_text
from mwz.harness.errors import InputError
from mwz.harness.metrics import score_tracking
from mwz.normalization import published_rule_sets

HASHES = hashes_of(b"{}")


def _parsed(scores: Scores) -> Scores:
    return parse_scores(scores_text(scores).encode(), SCORES_FILE, "end-to-end")


# ------------------------------------------------------------------------- written and read


# Each of the dialogues counts or does not.
_RATES = st.integers(0, DIALOGUES).map(lambda count: 100 * count / DIALOGUES)
_FIGURES = st.fixed_dictionaries({"inform": _RATES, "success": _RATES})
_BLEUS = st.floats(0, 100)


@settings(deadline=None)
@given(
    chosen=st.sets(st.sampled_from(published_rule_sets())),
    bleu=_BLEUS,
    strict=_FIGURES,
    optimistic=_FIGURES,
    styles=st.dictionaries(st.sampled_from(STYLES), _BLEUS),
    unknown=st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers(1, 9)),
    turns=st.integers(DIALOGUES, TURNS),
    states=st.sampled_from(["gold", "predicted"]),
    hashes=st.none() | st.binary().map(hashes_of),
)
def test_scores_written_and_read_are_the_same(
    chosen: set[str], unknown: dict[str, int], hashes: Any, **figures: Any
) -> None:
    made = {
        rules: replace(report(rules, **figures), unknown_placeholders=unknown)
        for rules in {"2021", *chosen}
    }
    scores = Scores(made, hashes)
    assert _parsed(scores) == scores
    assert scores_text(_parsed(scores)) == scores_text(scores)


def test_scores_of_tracked_states_written_and_read_are_the_same() -> None:
    # Every number of state tracking, those that are None among them.
    for dialogue in (tracked(*FGA_FIGURE_1), tracked(("hotel.name", "hotel.name"))):
        scores = Scores(reports(dst=score_tracking([dialogue])), HASHES)
        assert _parsed(scores) == scores


def test_the_file_has_all_rule_sets() -> None:
    made = reports()
    content = json.loads(scores_text(Scores(made, HASHES)))
    assert content == {
        "format": 4,
        "reports": json.loads(json.dumps({rules: made[rules].to_dict() for rules in made})),
        "predictions": {"sha256": HASHES.sha256, "git_blob": HASHES.git_blob},
    }
    assert "predictions" not in json.loads(scores_text(Scores(made, None)))


def test_thousands_of_numbers_stand_on_few_lines() -> None:
    text = scores_text(Scores(reports(surprise={"bits": list(range(5000))}), HASHES))
    lines = [line for line in text.splitlines() if line.startswith('   "surprise": {"bits":[0,1,')]
    assert len(lines) == len(published_rule_sets())
    assert all("4998,4999]}" in line for line in lines)


def test_the_hashes_are_those_of_sha256sum_and_git() -> None:
    # printf '{}' | sha256sum; printf '{}' | git hash-object --stdin
    assert plain(HASHES) == {
        "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        "git_blob": "9e26dfeeb6e641a33dae4961196235bdb965b21b",
    }


# ---------------------------------------------------------------------------------- refused


_GONE = object()


def _with(value: object, *place: str) -> Callable[[dict[str, Any]], None]:
    """Return a change that puts a value in its place, or takes away what is there."""

    def change(content: dict[str, Any]) -> None:
        if place[0] not in ("predictions", "reports"):
            content = content["reports"]["2021"]
        for part in place[:-1]:
            content = content[part]
        content[place[-1]] = value
        if value is _GONE:
            del content[place[-1]]

    return change


def _refusal(folder: Path, change: Callable[[dict[str, Any]], None]) -> InputError:
    """Change a `scores.json`, and return what reading it raises.

    The entry can be read nevertheless, for its scores can be made again.
    """
    place = enter(folder, "system", scored=reports()).folder
    change_scores(place, change)
    path = place / SCORES_FILE
    error = refusal(parse_scores, path.read_bytes(), str(path), "end-to-end")
    assert error.source.startswith(str(path))
    [entry] = read_entries(folder)
    assert entry.scores == Scores({}, None)
    assert entry.problems == tuple(f"{SCORES_FILE}: {problem}" for problem in error.problems)
    problems = tuple(f"system: {problem}" for problem in entry.problems)
    assert refusal(leaderboard, [entry], "2021").problems == problems
    return error


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_with({}, "strict", "imform"), "strict.imform: unknown key"),
        (_with("x", "signature_fields", "dta"), "signature_fields.dta: unknown key"),
        (_with(_GONE, "strict", "combined"), "strict.combined: field required"),
        (_with(_GONE, "strict", "success", "total"), "total"),
        (_with(_GONE, "coverage"), "coverage: "),
        (_with("high", "strict", "inform", "total"), "strict.inform.total: "),
        (_with({}, "flags", "placeholders"), "flags.placeholders: "),
        (_with({}, "lower_bound"), "lower_bound.bleu: field required"),
        (_with("g" * 64, "predictions", "sha256"), "predictions.sha256: "),
        (_with("x", "unknown_placeholders"), "unknown_placeholders: "),
        (_with(3, "signature_fields", "data"), "signature_fields.data: "),
        (_with("x", "signature_fields"), "signature_fields"),
        (_with({}, "dst"), "dst.fuzzy: field required"),
        (_with([], "reports"), "reports: input should be a valid "),
    ],
)
def test_damaged_scores_are_refused_by_place(
    change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path
) -> None:
    assert message in " ".join(_refusal(tmp_path, change).problems)


def test_a_report_in_the_place_of_another_rule_set_is_refused(tmp_path: Path) -> None:
    def swap(content: dict[str, Any]) -> None:
        content["reports"]["2023"] = content["reports"]["2026"]

    [problem] = _refusal(tmp_path, swap).problems
    assert problem == "reports.2023: holds scores under rule set 2026"


@pytest.mark.parametrize("content", [b"[]", b"3", b"", b"{", b"{}", b'{"format": 0}'])
def test_what_holds_no_scores_is_refused(content: bytes) -> None:
    assert refusal(parse_scores, content, "file", "end-to-end").source == "file"

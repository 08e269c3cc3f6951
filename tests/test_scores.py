"""The `scores.json` of an entry: read as it was written, or refused where it contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import edit_inform, enter, make_older, report, reports
from hypothesis import given, settings
from hypothesis import strategies as st
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness.benchmark import STYLES
from mwz.harness.board.entries import read_entries
from mwz.harness.board.leaderboard import leaderboard
from mwz.harness.board.scores import SCORES_FILE, Scores, hashes_of, parse_scores, read_scores
from mwz.harness.errors import InputError
from mwz.harness.tracking.evaluation import score_tracking
from mwz.normalization.rules import published_rule_sets

HASHES = hashes_of(b"{}")


def _parsed(scores: Scores) -> Scores:
    return parse_scores(scores.to_text().encode(), SCORES_FILE)


# ------------------------------------------------------------------------- written and read


_RATES = st.floats(0, 100)
_FIGURES = st.fixed_dictionaries({"inform": _RATES, "success": _RATES})


@settings(deadline=None)
@given(
    chosen=st.sets(st.sampled_from(published_rule_sets())),
    bleu=_RATES,
    strict=_FIGURES,
    optimistic=_FIGURES,
    styles=st.dictionaries(st.sampled_from(STYLES), _RATES),
    unknown=st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers(1, 9)),
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
    assert _parsed(scores).to_text() == scores.to_text()


def test_scores_of_tracked_states_written_and_read_are_the_same() -> None:
    # Every number of state tracking, those that are None among them.
    for dialogue in (tracked(*FGA_FIGURE_1), tracked(("hotel.name", "hotel.name"))):
        scores = Scores(reports(dst=score_tracking([dialogue])), HASHES)
        assert _parsed(scores) == scores


def test_scores_without_optional_metrics_written_and_read_are_the_same() -> None:
    whole = report()
    for kept in (["bleu"], ["diversity"], []):
        partial = replace(whole, metrics={name: whole.metrics[name] for name in kept})
        assert _parsed(Scores({"2021": partial}, None)) == Scores({"2021": partial}, None)


def test_the_results_of_metrics_that_this_version_lacks_are_kept() -> None:
    scores = Scores({"2021": report(surprise={"bits": 3.5, "of": ["a", None]})}, None)
    assert _parsed(scores) == scores


def test_scores_keep_their_full_precision(tmp_path: Path) -> None:
    third = 100 / 3
    path = tmp_path / SCORES_FILE
    path.write_text(Scores({"2021": report(bleu=third)}, None).to_text(), encoding="utf-8")
    read = read_scores(path).main
    assert read.bleu is not None
    assert read.bleu["mwz22"] == third


def test_scores_are_found_by_rule_set() -> None:
    made = {"2023": report("2023", bleu=11.0), "2021": report("2021", bleu=10.0)}
    scores = _parsed(Scores(made, HASHES))
    assert scores.main == scores.under("2021") == made["2021"]
    assert scores.under("2023") == made["2023"]
    assert scores.under("2026") is None


def test_the_file_is_the_report_of_the_default_rule_set_with_the_others_beside_it() -> None:
    made = reports()
    content = json.loads(Scores(made, HASHES).to_text())
    others = {rules: made[rules].to_dict() for rules in ("2023", "2026")}
    hashes = {"sha256": HASHES.sha256, "git_blob": HASHES.git_blob}
    assert content == {**made["2021"].to_dict(), "predictions": hashes, "other_rules": others}
    assert "predictions" not in json.loads(Scores(made, None).to_text())


def test_the_hashes_are_those_of_sha256sum_and_git() -> None:
    # printf '{}' | sha256sum; printf '{}' | git hash-object --stdin
    assert HASHES.model_dump() == {
        "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        "git_blob": "9e26dfeeb6e641a33dae4961196235bdb965b21b",
    }


def test_scores_of_an_earlier_version_are_no_scores_and_ask_to_be_made_again(
    tmp_path: Path,
) -> None:
    folder = enter(tmp_path, "system").folder
    make_older(folder)
    [entry] = read_entries(tmp_path)
    assert entry.scores == Scores({}, None)
    assert entry.scores.under("2021") is None
    with pytest.raises(InputError) as error:
        leaderboard([entry], "2021")
    assert error.value.problems == ("system: scored by an earlier version; use --rescore",)


# ---------------------------------------------------------------------------------- refused


def _without(*place: str) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for part in place[:-1]:
            content = content[part]
        del content[place[-1]]

    return change


def _with(value: object, *place: str) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for part in place[:-1]:
            content = content[part]
        content[place[-1]] = value

    return change


def _all(*changes: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for one in changes:
            one(content)

    return change


def _refusal(folder: Path, change: Callable[[dict[str, Any]], None]) -> InputError:
    """Change a `scores.json`, and return what reading it raises."""
    path = enter(folder, "system").folder / SCORES_FILE
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_entries(folder)
    assert error.value.source.startswith(str(path))
    return error.value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_with({}, "strict", "imform"), "strict.imform: unknown key; did you mean `inform`?"),
        (_with(1, "diversity", "unigram"), "diversity.unigram: unknown key; did you mean `unigr"),
        (_with("x", "signature_fields", "dta"), "signature_fields.dta: unknown key; did you mean"),
        (_with("0", "predictions", "sha255"), "unknown key; did you mean `sha256`?"),
        (_without("strict", "combined"), "strict.combined: field required"),
        (_without("strict", "success", "total"), "total"),
        (_without("optimistic", "success", "total"), "total"),
        (_without("coverage"), "coverage: "),
        (_with("high", "strict", "inform", "total"), "strict.inform.total: "),
        (_with(0, "coverage", "of_turns"), "coverage"),
        (_with("x", "unknown_placeholders"), "unknown_placeholders: "),
        (_with(3, "signature_fields", "data"), "signature_fields.data: "),
        (_with([1], "signature_fields"), "signature_fields"),
        (_with("x", "signature_fields"), "signature_fields"),
        (_with({}, "dst"), "dst.fuzzy: field required"),
        (_with([], "other_rules"), "other_rules: expected an object of rule set -> report"),
        (_with("0", "predictions", "sha256"), "predictions.sha256: "),
    ],
)
def test_scores_that_the_leaderboard_could_not_show_are_refused_where_they_are_read(
    change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path
) -> None:
    assert message in " ".join(_refusal(tmp_path, change).problems)


def test_state_tracking_without_the_joint_accuracy_is_refused_where_it_is_read(
    tmp_path: Path,
) -> None:
    def change(content: dict[str, Any]) -> None:
        content["dst"] = score_tracking([tracked(*FGA_FIGURE_1)]).to_dict()
        del content["dst"]["fuzzy"]["joint_accuracy"]

    assert "joint_accuracy" in " ".join(_refusal(tmp_path, change).problems)


@pytest.mark.parametrize(
    "place",
    [
        ("bleu", "mwz22"),
        ("bleu", "hdsa"),
        ("strict", "inform", "total"),
        ("optimistic", "combined"),
        ("diversity", "entropy"),
        ("surprise",),
    ],
)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_figure_is_refused(value: float, place: tuple[str, ...], tmp_path: Path) -> None:
    problems = _refusal(tmp_path, _with(value, *place)).problems
    assert f"{'.'.join(place)}: {value} is no figure" in problems


_OTHER = "f" * 64


@pytest.mark.parametrize(
    ("change", "about"),
    [
        (_with(99.0, "combined"), "combined"),
        (_with(99.0, "strict", "combined"), "combined"),
        # As both say, but not (70 + 60) / 2 + 20; and (80 + 65) / 2 + 20.
        (_all(_with(99.0, "combined"), _with(99.0, "strict", "combined")), "combined"),
        (_with(99.0, "optimistic", "combined"), "optimistic.combined"),
        (_with(99.0, "inform"), "inform"),
        (_with(99.0, "strict", "inform", "total"), "inform"),
        (_all(_with(99.0, "inform"), _with(99.0, "strict", "inform", "total")), "combined"),
        (_with(21.0, "bleu", "mwz22"), "combined"),
        (_without("bleu", "mwz22"), "combined"),
        (_without("strict"), "inform"),
        (_without("signature"), "signature"),
        (_without("signature_fields"), "signature"),
        (_with("mwz:0", "signature"), "signature"),
        # The signature shows the first 12 digits of a hash, and other fields in full.
        (_with(_OTHER, "signature_fields", "data"), "signature"),
        (_with("2023", "signature_fields", "rules"), "signature"),
        (_with("strict", "signature_fields", "setup"), "signature"),
        (_with({"mwz": "1"}, "signature_fields", "versions"), "signature"),
        (_with("2022", "rules"), "rules"),
        (_with("elsewhere", "benchmark"), "benchmark"),
        (_with("seen", "goals"), "goals"),
        (_with("predicted", "states"), "states"),
        (_with("gold", "domains"), "domains"),
        # The made-up signature says 54/60.
        (_with(50, "coverage", "turns"), "coverage"),
    ],
)
def test_scores_that_contradict_themselves_are_refused(
    change: Callable[[dict[str, Any]], None], about: str, tmp_path: Path
) -> None:
    problems = _refusal(tmp_path, change).problems
    assert any(about in problem.split(":")[0] for problem in problems), problems


def test_a_contradiction_under_another_rule_set_is_told_with_the_rule_set(tmp_path: Path) -> None:
    error = _refusal(tmp_path, _with(99.0, "other_rules", "2023", "combined"))
    assert error.source.endswith(f"{SCORES_FILE}, other_rules.2023")
    assert [problem.split(":")[0] for problem in error.problems] == ["combined"]


def test_a_report_in_the_place_of_another_rule_set_is_refused(tmp_path: Path) -> None:
    def swap(content: dict[str, Any]) -> None:
        content["other_rules"]["2023"] = content["other_rules"]["2026"]

    [problem] = _refusal(tmp_path, swap).problems
    assert problem == "other_rules.2023: holds scores under rule set 2026"


def test_scores_of_another_rule_set_in_the_main_place_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        parse_scores(json.dumps(report("2023").to_dict()).encode(), SCORES_FILE)
    assert error.value.problems == ("rules: holds scores under rule set 2023",)


@pytest.mark.parametrize("content", [b"[]", b"3", b"", b"{", b"{}"])
def test_what_is_no_report_is_refused(content: bytes) -> None:
    with pytest.raises(InputError) as error:
        parse_scores(content, SCORES_FILE)
    assert error.value.source == SCORES_FILE


def test_a_change_that_follows_through_is_none_that_reading_could_tell(tmp_path: Path) -> None:
    # Scoring again does: this is what its tests edit.
    entry = enter(tmp_path, "system")
    edit_inform(entry.folder, 71.25)
    read = read_scores(entry.folder / SCORES_FILE).main
    # (71.25 + 60) / 2 + 20.
    assert (read.inform, read.combined) == (71.25, 85.625)

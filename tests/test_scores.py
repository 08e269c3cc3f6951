"""The `scores.json` of an entry: read as it was written, or refused where it contradicts itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import (
    DIALOGUES,
    TURNS,
    change_scores,
    edit_inform,
    edit_scores,
    enter,
    leaderboard,
    make_older,
    report,
    reports,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness.benchmark import STYLES
from mwz.harness.board.checks import entry_problems
from mwz.harness.board.entries import read_entries
from mwz.harness.board.scores import (
    SCORES_FILE,
    Scores,
    hashes_of,
    parse_scores,
    plain,
    read_scores,
)
from mwz.harness.errors import InputError
from mwz.harness.metrics.tracking.evaluation import score_tracking
from mwz.normalization.rules import published_rule_sets

HASHES = hashes_of(b"{}")


def _parsed(scores: Scores) -> Scores:
    return Scores(**parse_scores(_text(scores).encode(), SCORES_FILE))


def _text(scores: Scores) -> str:
    return scores.files()[SCORES_FILE]


def _is_edited(content: bytes) -> bool:
    return "edited" in parse_scores(content, SCORES_FILE)


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
    assert _text(_parsed(scores)) == _text(scores)


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
    path.write_text(_text(Scores({"2021": report(bleu=third)}, None)), encoding="utf-8")
    read = read_scores(tmp_path, "end-to-end")[0].main
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
    content = json.loads(_text(Scores(made, HASHES)))
    others = {rules: made[rules].to_dict() for rules in made if rules != "2021"}
    hashes = {"sha256": HASHES.sha256, "git_blob": HASHES.git_blob}
    del content["checksum"]
    assert content == json.loads(
        json.dumps({**made["2021"].to_dict(), "predictions": hashes, "other_rules": others})
    )
    assert "predictions" not in json.loads(_text(Scores(made, None)))


def test_the_checksum_is_of_all_the_rest_however_it_is_laid_out() -> None:
    text = _text(Scores(reports(), HASHES))
    content = json.loads(text)
    checksum = content.pop("checksum")
    whole = json.dumps(content, sort_keys=True).encode()
    assert checksum == hashlib.sha256(whole).hexdigest()
    reordered = {key: content[key] for key in sorted(content, reverse=True)}
    for laid_out in (reordered, content):
        written = json.dumps({"checksum": checksum, **laid_out}, indent=7).encode()
        assert not _is_edited(written)


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_any_figure_that_is_edited_breaks_the_checksum(data: st.DataObject) -> None:
    content = json.loads(_text(Scores(reports(), HASHES)))
    table, key = data.draw(st.sampled_from(list(_numbers(content))))
    assert not _is_edited(json.dumps(content).encode())
    table[key] += 1
    # Some edits contradict the rest, or give what no system can have.
    with suppress(InputError):
        assert _is_edited(json.dumps(content).encode())


def _numbers(content: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield from _numbers(value)
        elif isinstance(value, int | float) and key != "format":
            yield content, key


def test_the_hashes_are_those_of_sha256sum_and_git() -> None:
    # printf '{}' | sha256sum; printf '{}' | git hash-object --stdin
    assert plain(HASHES) == {
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


def _refusal(folder: Path, change: Callable[[dict[str, Any]], None], **figures: Any) -> InputError:
    """Change a `scores.json` and its checksum, and return what reading it raises.

    The entry can be read nevertheless, for its scores can be made again.
    """
    place = enter(folder, "system", scored=reports(**figures)).folder
    change_scores(place, change, sealed=True)
    path = place / SCORES_FILE
    with pytest.raises(InputError) as error:
        parse_scores(path.read_bytes(), str(path))
    assert error.value.source.startswith(str(path))
    [entry] = read_entries(folder)
    assert entry.scores == Scores({}, None)
    about = Path(error.value.source).name
    assert entry.problems == tuple(f"{about}: {problem}" for problem in error.value.problems)
    with pytest.raises(InputError) as refused:
        leaderboard([entry], "2021")
    assert refused.value.problems == tuple(f"system: {problem}" for problem in entry.problems)
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
        (_with({}, "signs", "placeholders"), "signs.placeholders.value: field required"),
        (_with({}, "lower_bound"), "lower_bound.bleu: field required"),
        (_with("g" * 64, "predictions", "sha256"), "predictions.sha256: "),
        (_with("a" * 41, "predictions", "git_blob"), "predictions.git_blob: "),
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


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        # Of 100 dialogues.
        (_with(101.0, "strict", "inform", "total"), "strict.inform.total: 101.0 is not between 0"),
        (_with(-1.0, "strict", "success", "total"), "strict.success.total: -1.0 is not between 0"),
        (
            _with(100.5, "optimistic", "inform", "hotel"),
            "optimistic.inform.hotel: 100.5 is not between 0",
        ),
        (
            _with(70.25, "strict", "inform", "total"),
            "strict.inform.total: no rate of 100 dialogues",
        ),
        (_with(33.3, "optimistic", "success", "total"), "optimistic.success.total: no rate of 100"),
        (_with(100.5, "bleu", "mwz22"), "bleu.mwz22: 100.5 is not between 0 and 100 percent"),
        (_with(-0.5, "bleu", "mwz22"), "bleu.mwz22: -0.5 is not between 0 and 100 percent"),
        (_with(500.0, "bleu", "damd"), "bleu.damd: 500.0 is not between 0 and 100 percent"),
        (_with(101, "coverage", "dialogues"), "coverage: plays nothing, or more than there is"),
        (_with(601, "coverage", "turns"), "coverage: plays nothing, or more than there is"),
        (_with(0, "coverage", "dialogues"), "coverage: plays nothing, or more than there is"),
        (_with(-5, "coverage", "turns"), "coverage: plays nothing, or more than there is"),
        (_with("two\nlines", "domains"), "domains: line breaks and control characters are not al"),
        (_with("two\nlines", "signature"), "signature: line breaks and control characters"),
        (_with("\x1b[2J", "surprise"), "surprise: line breaks and control characters"),
    ],
)
def test_what_no_system_can_have_is_refused(
    change: Callable[[dict[str, Any]], None], problem: str, tmp_path: Path
) -> None:
    assert any(p.startswith(problem) for p in _refusal(tmp_path, change).problems)


def test_state_tracking_out_of_range_is_refused(tmp_path: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["dst"] = score_tracking([tracked(*FGA_FIGURE_1)]).to_dict()
        content["dst"]["fuzzy"]["joint_accuracy"] = 900.0

    [problem] = _refusal(tmp_path, change).problems
    assert problem == "dst.fuzzy.joint_accuracy: 900.0 is not between 0 and 100 percent"


@pytest.mark.parametrize(
    ("dialogues", "rate"),
    [(3, 100 / 3), (7, 100 * 2 / 7), (30, 100 * 26 / 30), (999, 100 * 1 / 999), (1000, 57.9)],
)
def test_a_rate_of_any_number_of_dialogues_can_be(dialogues: int, rate: float) -> None:
    whole = report(strict={"inform": rate, "success": 0.0})
    made = replace(
        whole,
        coverage=replace(whole.coverage, dialogues=dialogues, of=1000),
        metrics={k: v for k, v in whole.metrics.items() if k != "optimistic"},
    )
    assert _parsed(Scores({"2021": made}, None)).main.inform == rate


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
        (_with("gold", "states"), "states"),
        (_with("gold", "domains"), "domains"),
        # The made-up signature says 540/600.
        (_with(541, "coverage", "turns"), "coverage"),
        (_with(600, "coverage", "turns"), "coverage"),
        (_without("signature_fields", "coverage"), "coverage"),
    ],
)
def test_scores_that_contradict_themselves_are_refused(
    change: Callable[[dict[str, Any]], None], about: str, tmp_path: Path
) -> None:
    problems = _refusal(tmp_path, change, turns=540).problems
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


def test_an_edited_score_is_read_and_told_as_edited(tmp_path: Path) -> None:
    # So that scoring again can say what it was.
    entry = enter(tmp_path, "system")
    edit_scores(entry.folder, "bleu", "lava", value=99.5)
    [edited] = read_entries(tmp_path)
    assert edited.scores.main.bleu is not None
    assert edited.scores.main.bleu["lava"] == 99.5
    told = "scores.json: edited after the harness wrote it; score the entry again (--rescore)"
    assert edited.problems == (told,)
    with pytest.raises(InputError) as error:
        leaderboard([edited], "2021")
    assert error.value.problems == (f"system: {told}",)


@pytest.mark.parametrize("edited", [{"checksum": "0" * 64}, {"checksum": 3}, {"checksum": None}])
def test_scores_without_their_checksum_count_as_edited(
    edited: dict[str, Any], tmp_path: Path
) -> None:
    entry = enter(tmp_path, "system")
    change_scores(entry.folder, lambda content: content.update(edited))
    scores, _ = read_scores(entry.folder, entry.system.track)
    assert scores.edited == (SCORES_FILE,)


def test_a_change_that_follows_through_is_none_that_reading_could_tell(tmp_path: Path) -> None:
    # Scoring again does: this is what its tests edit.
    entry = enter(tmp_path, "system")
    edit_inform(entry.folder, 71.0, sealed=True)
    [read] = read_entries(tmp_path)
    assert read.problems == ()
    # (71 + 60) / 2 + 20.
    assert (read.scores.main.inform, read.scores.main.combined) == (71.0, 85.5)


# ------------------------------------------- what ranks or marks an entry must follow, too


def _problems_of(
    folder: Path, change: Callable[[dict[str, Any]], None], **figures: Any
) -> list[str]:
    """Change a `scores.json` and its checksum, and return what the leaderboard says of it."""
    place = enter(folder, "system", scored={"2021": report(**figures)}).folder
    change_scores(place, change, sealed=True)
    return entry_problems(read_entries(folder))


_HALF = {
    "turns": 300,
    "dialogues": 50,
    "strict": {"inform": 80.0, "success": 60.0},
    "optimistic": {"inform": 80.0, "success": 60.0},
}
_BOUND = "system: rule set 2021: the lower bound does not follow from the rest; use --rescore"


@pytest.mark.parametrize(
    "change",
    [
        _without("lower_bound"),
        # 50 of 100 dialogues, 80 % and 60 % of them: 40 % and 30 % of all.
        _with(80.0, "lower_bound", "inform"),
        _with(60.0, "lower_bound", "success"),
        _with(99.0, "lower_bound", "combined"),
        _with(None, "lower_bound", "combined"),
        # More than BLEU of what is played, or less than none, and what follows: 35 + BLEU.
        _with({"bleu": 21.0, "inform": 40.0, "success": 30.0, "combined": 56.0}, "lower_bound"),
        _with({"bleu": -1.0, "inform": 40.0, "success": 30.0, "combined": 34.0}, "lower_bound"),
    ],
)
def test_a_lower_bound_that_does_not_follow_is_told(
    change: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    assert _problems_of(tmp_path, change, **_HALF) == [_BOUND]


def test_a_lower_bound_that_follows_is_none_to_tell(tmp_path: Path) -> None:
    # 7 and 1 of 90 dialogues: rates whose arithmetic has no end.
    rates = {"inform": 100 * 7 / 90, "success": 100 * 1 / 90}
    odd = report("2023", turns=450, dialogues=90, strict=rates, optimistic=rates)
    enter(tmp_path, "system", scored={"2021": report(**_HALF), "2023": odd})
    assert entry_problems(read_entries(tmp_path)) == []


def test_a_lower_bound_of_what_is_complete_is_told(tmp_path: Path) -> None:
    whole = {"bleu": 20.0, "inform": 70.0, "success": 60.0, "combined": 85.0}
    assert _problems_of(tmp_path, _with(whole, "lower_bound")) == [_BOUND]


@pytest.mark.parametrize(
    ("sign", "changes"),
    [
        # At 2.5 there is no sign yet, and beyond it there is.
        ("placeholders", {"value": 2.51}),
        ("placeholders", {"value": 2.5, "raised": True}),
        ("active_domains", {"value": 1.51}),
        ("gold_states", {"value": 0.86}),
        ("gold_states", {"value": 0.85, "raised": True}),
        # Below 0.01 there is a sign, and at 0.01 none.
        ("distinct_responses", {"value": 0.0099}),
        ("distinct_responses", {"value": 0.01, "raised": True}),
        # A fixed threshold is that of the sign.
        ("unrequested", {"limit": 0.9}),
        ("unrequested", {"honest": [0.0, 1.0]}),
    ],
)
def test_a_sign_that_does_not_follow_from_its_own_figures_is_refused(
    sign: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    def change(content: dict[str, Any]) -> None:
        content["signs"][sign].update(changes)

    [problem] = _refusal(tmp_path, change).problems
    assert problem == (
        f"signs.{sign}: threshold and whether it is raised do not follow from the rest"
    )


def test_an_unknown_sign_is_refused(tmp_path: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["signs"]["unrequest"] = content["signs"]["unrequested"]

    [problem] = _refusal(tmp_path, change).problems
    assert problem.startswith("signs.unrequest: unknown sign 'unrequest'; ")

"""Flags: what is measured, worked out by hand, and where a flag is raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import REPOSITORY, system
from helpers import benchmark, dialogue, goal, parse_submission

from mwz.harness import Benchmark
from mwz.harness.board import Board, Entry, Row, Scores, System, copied, read_entries
from mwz.harness.board.copied import Fingerprints, copies, fingerprints_of, hard_states
from mwz.harness.board.entries import entry_problems
from mwz.harness.board.model import fingerprints
from mwz.harness.board.rows import raised_flags, response_row
from mwz.harness.io import validated
from mwz.harness.metrics import flags, knowledge
from mwz.harness.scoring import Options, Scorer, normalize
from mwz.harness.scoring.scorer import score
from mwz.harness.submission import declared_flags

Turns = Sequence[Mapping[str, Any]]
Figures = Mapping[str, float]
Measured = tuple[Benchmark, Sequence[Turns]]


@pytest.fixture(autouse=True)
def _twenty_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shares of few units be measured: what they are of can be worked out by hand."""
    for module in (flags, copied, knowledge):
        monkeypatch.setattr(module, "FEWEST", 20)


HUNDRED = 100
"""The dialogues of the benchmarks here: a count of them is a share in percent."""


def _measured(on: Benchmark, said: Sequence[Turns], *metrics: str, **options: Any) -> Figures:
    predictions = dict(zip(on.dialogues, said, strict=True))
    report = score(predictions, on, Options(metrics=[*metrics, "flags"], **options))
    measured: Figures = report.metrics["flags"]
    return measured


def _on(references: Sequence[str], dialogues: int = HUNDRED, **facts: Any) -> Benchmark:
    """Return a benchmark of dialogues that are all alike."""
    wanted = {"restaurant": goal({"food": "greek", "area": "north"}, ["PHONE"])}
    played = dialogue(wanted, len(references), references=references, **facts)
    return benchmark({f"d{number}": played for number in range(dialogues)})


def _said(*responses: str, **more: object) -> Turns:
    return [{"response": response, **more} for response in responses]


def _mixed(count: int, these: Turns, others: Turns) -> list[Turns]:
    """Return the turns of so many dialogues, and others of the rest."""
    return [these] * count + [others] * (HUNDRED - count)


def _placeholders(count: int) -> Measured:
    # A hundred turns name a venue: `count` of them with three numbers, the others with two, of
    # which one comes in another turn.
    three = _said("[name] and [name] [phone] [address] [postcode] [postcode]", "ok")
    return _on(["hi", "bye"]), _mixed(count, three, _said("[name] [phone]", "[address]"))


def _placement(count: int) -> Measured:
    # Of 100 placeholders, `count` are those of the references: F1 is 2 count / (100 + 100).
    return _on(["NAME is nice"]), _mixed(count, _said("[name]"), _said("[phone]"))


def _gold_states(count: int) -> Measured:
    # No query asks how long somebody stays, and of times it only counts that there is one.
    gold = {"hotel": {"area": "north", "stay": "2"}, "train": {"leave": "10:00"}}
    train = {"leave": "10:05"}
    right = _said("ok", state={"hotel": {"area": "north", "stay": "1"}, "train": train})
    wrong = _said("ok", state={"hotel": {"area": "north", "stars": "4"}, "train": train})
    return _on(["hi"], states=[gold]), _mixed(count, right, wrong)


_SIX = "one two three four five six"


def _told(count: int) -> Measured:
    # The references name 100 venues; `count` responses name twelve each, the others none.
    named = _said(" , ".join(["golden spoon"] * 12))
    return _on(["NAME"]), _mixed(count, named, _said("ok"))


CASES: Mapping[str, tuple[Callable[[int], Measured], tuple[int, float], tuple[int, float]]] = {
    "placeholders": (_placeholders, (50, 2.5), (51, 2.51)),
    "placement": (_placement, (30, 0.3), (29, 0.29)),
    "gold_states": (_gold_states, (85, 0.85), (86, 0.86)),
    "told": (_told, (50, 6.0), (51, 6.12)),
}
"""Flag -> what makes a case of a count, and count and figure at and beyond the limit."""


@pytest.mark.parametrize("flag", CASES)
def test_a_flag_is_raised_beyond_its_limit_and_not_at_it(flag: str) -> None:
    make, *both = CASES[flag]
    options = {"lexicalised": True} if flag == "told" else {}
    for (count, value), raised in zip(both, (False, True), strict=True):
        measured = _measured(*make(count), "inform", **options)[flag]
        assert measured == pytest.approx(value, abs=1e-12)
        assert declared_flags()[flag].is_raised(measured) == raised


def test_placement_is_the_mean_of_both_shares() -> None:
    # All 100 placeholders are right, and half of the 200 of the references: 2 x 100 / 300.
    measured = _measured(_on(["NAME, PHONE"]), [_said("[name]")] * HUNDRED, "inform")
    assert measured["placement"] == pytest.approx(2 / 3)


def test_numbers_without_a_name_are_not_measured() -> None:
    said = [_said("[phone] [address] [postcode]")] * HUNDRED
    assert "placeholders" not in _measured(_on(["PHONE"]), said)


@pytest.mark.parametrize(
    ("flag", "on", "said"),
    [
        # Fewer than a tenth of the references' placeholders: plain words.
        ("placement", _on(["NAME"]), _mixed(9, _said("[name]"), _said("ok"))),
        ("gold_states", _on(["NAME"]), [_said("ok")] * HUNDRED),
        ("told", _on(["NAME"]), [_said("golden spoon")] * HUNDRED),
    ],
)
def test_flags_of_too_few_units_are_not_measured(
    flag: str, on: Benchmark, said: list[Turns]
) -> None:
    assert flag not in _measured(on, said, "inform")


def test_states_say_something_of_gold_whatever_queries_the_database() -> None:
    made = _gold_states(81)
    assert _measured(*made, states="gold")["gold_states"] == 0.81


# ------------------------------------------------------------------------------- knowledge


def _known(on: Benchmark, said: Sequence[Turns], **options: Any) -> Figures:
    scorer = Scorer(on, Options(**options))
    predictions = dict(zip(on.dialogues, said, strict=True))
    submission = normalize(scorer, parse_submission(predictions, on, "file"))
    return knowledge.measured_knowledge(scorer.played(submission), on)


@pytest.mark.parametrize(("count", "raised"), [(3, False), (4, True)])
def test_phrases_that_only_the_turns_references_have_are_counted(count: int, raised: bool) -> None:
    """Every reference has three words of its own, and three of all; others' own do not count."""
    goals = {"restaurant": goal()}
    dialogues = {}
    for number in range(HUNDRED):
        text = f"own {number} phrase and what all say"
        dialogues[f"d{number}"] = dialogue(goals, 1, references=[text])
    said = []
    for number in range(HUNDRED):
        whose = number if number < count else number - 1
        said.append(_said(f"well own {whose} phrase so it is what all say"))
    share = _known(benchmark(dialogues), said)["reference_phrases"]
    assert share == count / 100
    assert declared_flags()["reference_phrases"].is_raised(share) == raised


@pytest.mark.parametrize(("count", "raised"), [(28, False), (29, True)])
def test_responses_are_held_against_references_with_the_same_slots(
    count: int, raised: bool
) -> None:
    """`count` of 100 responses are their reference's words, which is nearer than ten others.

    The rest say what these references have in common, which is as near to one as to another. Five
    references with other slots have too few that are alike.
    """
    dialogues = {}
    said = []
    for number in range(HUNDRED + 5):
        text = f"well NAME is in number {number}" if number < HUNDRED else f"PHONE {number}"
        dialogues[f"d{number}"] = dialogue({"restaurant": goal()}, 1, references=[text])
        said.append(_said(f"well [name] is in number {number if number < count else 'one'}"))
    share = _known(benchmark(dialogues), said)["wording"]
    assert share == (count + (HUNDRED - count) / 2) / HUNDRED
    assert declared_flags()["wording"].is_raised(share) == raised


def test_slots_told_before_anybody_asks_are_held_against_those_that_the_goal_requests() -> None:
    """Of 50 requested telephone numbers 45 are told unasked, of 50 others 19: 0.9 / (20/50).

    Those asked for do not count. Of addresses and postcodes 200 are not requested, nor told.
    So it is 0.9 / (20/250). Of hotels, 30 of which are told, 50 are requested and 100 are not, and
    of attractions nothing is requested: (45 + 30) / (50 * 20/250 + 50 * 31/100).
    """
    wanted = {"restaurant": goal({"area": "north"}, ["PHONE"])}
    other = {"restaurant": goal({"area": "north"})}
    dialogues = {}
    said = []
    state = {"restaurant": {"area": "north"}}
    for number in range(HUNDRED):
        played = dialogue(wanted if number < 50 else other, 2, states=[state] * 2)
        dialogues[f"d{number}"] = replace(played, users=["north , please", "the phone number ?"])
        is_told = number < 45 or 50 <= number < 69
        first = "[name] [phone]" if is_told else "[name]"
        said.append(_said(first, "[phone]", state=state))
    figures = _known(benchmark(dialogues), said)
    assert figures["requests"] == pytest.approx(0.9 / (20 / 250))
    for domain, requested in (("hotel", ["PHONE"]), ("attraction", [])):
        for number in range(50):
            played = dialogue({domain: goal({"area": "north"}, requested)}, 1)
            dialogues[f"{domain}{number}"] = replace(played, users=["north , please"])
            told = "[phone] [postcode]" if number < 30 else "[name]"
            said.append(_said(told, state={domain: {"area": "north"}}))
    figures = _known(benchmark(dialogues), said)
    assert figures["requests"] == pytest.approx((45 + 30) / (50 * 20 / 250 + 50 * 31 / 100))


@pytest.mark.parametrize(("count", "raised"), [(36, False), (37, True)])
def test_offers_are_counted_where_the_annotation_leads_to_none_that_fits(
    count: int, raised: bool
) -> None:
    """Of 50 goals the human's offer does not fit, of 10 neither that nor the last gold state.

    These count twice, and are matched; of the 50 `count` are. The other 40, which both fit and the
    system misses, do not count. So it is (count + 20) / (50 + 20), less one goal that is left out.
    """
    fits, unfit = {"restaurant": {"food": "greek"}}, {"restaurant": {"food": "thai"}}
    nothing, closer = {"restaurant": {"food": "lunar"}}, {"restaurant": {"name": "copper pan"}}
    wanted = {"restaurant": goal({"food": "greek"}), "taxi": goal({"leave": "10:00"})}
    named = {"restaurant": goal({"food": "greek", "name": "lucky star"})}
    gold = [[unfit, closer]] * 50 + [[unfit, unfit]] * 5 + [[nothing, nothing]] * 5
    gold += [[fits, fits]] * 39 + [[unfit, unfit]]
    is_matched = [True] * count + [False] * (50 - count) + [True] * 10 + [False] * 40
    dialogues = {}
    said = []
    for number, states in enumerate(gold):
        dialogues[f"d{number}"] = dialogue(
            wanted if number < 99 else named,
            2,
            references=["NAME is nice", "ok"],
            states=states,
            active=[["restaurant"]] * 2,
        )
        state = fits if is_matched[number] else unfit
        said.append(_said("[name]", "ok", state=state, active_domains=["restaurant"]))
    share = _known(benchmark(dialogues), said)["offers"]
    assert share == pytest.approx((count + 20) / 70)
    assert declared_flags()["offers"].is_raised(share) == raised


def test_what_plain_english_offers_are_the_venues_named() -> None:
    """The state finds no venue that fits; golden spoon does, which 60 of 100 name alone."""
    unfit = {"restaurant": {"food": "lunar"}}
    wanted = {"restaurant": goal({"food": "greek", "area": "north"})}
    played = dialogue(wanted, 1, references=["NAME"], states=[unfit], active=[["restaurant"]])
    on = benchmark({f"d{number}": played for number in range(HUNDRED)})
    both = _said("golden spoon or iron pot", state=unfit)
    said = _mixed(60, _said("golden spoon", state=unfit), both)
    figures = _known(on, said, metrics=["grounded"], lexicalised=True)
    assert figures["offers"] == pytest.approx(0.6)


@pytest.mark.parametrize(("count", "raised"), [(13, False), (14, True)])
def test_last_turns_that_name_a_venue_are_counted(count: int, raised: bool) -> None:
    said = _mixed(count, _said("ok", "[name]"), _said("[name]", "bye"))
    # A dialogue that is broken off has no last turn.
    said.append(_said("[name]"))
    share = _known(_on(["NAME", "bye"], HUNDRED + 1), said)["last_offers"]
    assert share == count / 100
    assert declared_flags()["last_offers"].is_raised(share) == raised


def test_placeholders_where_nearly_all_references_have_them_are_flagged_as_well() -> None:
    placement = declared_flags()["placement"]
    assert [placement.is_raised(value) for value in (0.29, 0.3, 0.85, 0.86)] == [1, 0, 0, 1]
    assert placement.bound == "below 0.30 or above 0.85"


def test_of_few_turns_nothing_is_known() -> None:
    state = {"restaurant": {"food": "greek", "area": "north"}}
    on = _on(["NAME"], 19, states=[state], active=[["restaurant"]])
    assert _known(on, [_said(f"[name] and {_SIX} [phone]")] * 19) == {}
    # Without gold states each goal counts twice, and 10 are enough.
    for dialogues, flags_known in ((4, set()), (5, {"offers"})):
        assert _known(_on(["NAME"], dialogues), [_said("[name]")] * dialogues).keys() == flags_known


# ------------------------------------------------------------------------------- copies


def _entry(name: str, marks: Fingerprints, **facts: Any) -> Entry:
    known = validated(System, system(name=name, **facts), name)
    return Entry(Path(name), known, Scores(fingerprints=marks))


def _marks(shared: int) -> tuple[Fingerprints, Fingerprints]:
    """Return the states of two systems that share so many of 100 dialogues of three states."""
    own, other = ["aaaaaa"] * 100, ["aaaaaa"] * shared + ["aaaabb"] * (100 - shared)
    return Fingerprints("b", states="  ".join(own)), Fingerprints("b", states="  ".join(other))


def test_the_later_of_two_copies_names_the_other() -> None:
    for shared, raised in ((90, False), (91, True)):
        first, second = _marks(shared)
        entries = [_entry("first", first), _entry("second", second)]
        # Who was there before is not accused.
        expected = {"first": {}, "second": {"copied_states": ("first", shared / 100)}}
        assert copies(fingerprints(entries)) == expected
        assert declared_flags()["copied_states"].is_raised(shared / 100) == raised


def test_states_chosen_dialogue_by_dialogue_are_copied() -> None:
    """Half of the dialogues have one tracker's states, half another's; where gold, none's."""
    first = Fingerprints("b", states="  ".join(["aa" * 3] * 40))
    second = Fingerprints("b", states="  ".join(["bb" * 3] * 40))
    best = Fingerprints("b", states="  ".join([*["aa" * 3] * 21, *["bb" * 3] * 19]))
    few = Fingerprints("b", states="  ".join(["aaaa--"] * 40))
    shares = copies({"first": first, "second": second, "best": best, "few": few})
    assert shares["second"] == {"copied_states": ("", 0.0)}
    assert shares["best"] == {"copied_states": ("first", 1.0)}
    assert shares["few"] == {}


def _phrases(*dialogues: str) -> Fingerprints:
    return Fingerprints("b", phrases="  ".join(dialogues))


def test_a_mixture_is_of_several_entries_and_names_the_first_that_has_most() -> None:
    """Of 100 dialogues of ten long responses, one has nine of the first's, two of the second's.

    Eight of ten are not nearly all; dialogues with four long responses are too short to tell.
    """
    first = _phrases(*["aa" * 10] * 100, *["aa" * 4] * 50)
    second = _phrases(*["bb" * 10] * 100, *["bb" * 4] * 50)
    mixture = [*["aa" * 9 + "cc"], *["bb" * 10] * 2, *["aa" * 8 + "cc" * 2] * 97, *["aa" * 4] * 50]
    marks = {"first": first, "second": second, "third": _phrases(*mixture)}
    shares = copies(marks)
    assert shares["second"] == {"copied_responses": ("", 0.0)}
    assert shares["third"] == {"copied_responses": ("second", 0.03)}
    assert not declared_flags()["copied_responses"].is_raised(0.02)
    assert declared_flags()["copied_responses"].is_raised(0.03)


def test_states_are_held_against_those_that_no_earlier_entry_has_right() -> None:
    """Ten trackers have 60 of 100 turns wrong; the next one has 9 of these right, and others wrong.

    Before there are ten, and of less than 20 turns, there is nothing to tell.
    """
    ten = {f"e{number}": ("2.2", "1" * 40 + "0" * 60) for number in range(10)}
    for count, raised in ((9, False), (10, True)):
        following = ("2.2", "0" * 40 + "1" * count + "0" * (60 - count))
        assert hard_states({**ten, "next": following}) == {"next": count / 60}
        assert declared_flags()["hard_states"].is_raised(count / 60) == raised
    assert hard_states({**ten, "short": ("2.2", "1" * 59 + "." * 41)}) == {}
    # With its gold states nobody else is scored.
    assert hard_states({**ten, "other": ("2.4", "1" * 100)}) == {}


def test_a_state_that_agrees_with_gold_tells_something_where_the_other_does_not() -> None:
    """Of 100 turns both agree with gold in 20, one of the two in 20, and 30 of the rest are equal.

    80 turns count, of which 30 are equal: 3/8.
    """
    own = "--" * 20 + "--" * 20 + "aa" * 60
    other = "--" * 20 + "aa" * 20 + "aa" * 30 + "bb" * 30
    first, second = Fingerprints("b", states=own), Fingerprints("b", states=other)
    assert first.shared_states(second) == second.shared_states(first) == 3 / 8


def test_declared_states_of_others_raise_nothing() -> None:
    own, _ = _marks(100)
    entries = [_entry(key, own) for key in ("first", "second")]
    report = score({"d0": _said("Hello.")}, _on(["Hello."], 1), Options(metrics=["bleu"]))
    for whose, raised in (("first", []), ("second", ["copied_states"]), (None, ["copied_states"])):
        third = _entry("third", own, **({} if whose is None else {"states_of": whose}))
        shared = copies(fingerprints([*entries, third]))["third"]
        assert shared["copied_states"][0] == "first"
        third = replace(third, scores=replace(third.scores, reports={"2021": report}))
        row = response_row(third, "2021", shared)
        assert row is not None
        assert raised_flags(row) == raised


def test_the_entry_named_by_states_of_must_have_these_states() -> None:
    first, second = _marks(90)
    for whose, message in (
        ("first", "its belief states are not those of first (0.97 of them are)"),
        ("third", "its belief states are not those of third (too few can be compared)"),
        ("second", "unknown entry 'second'"),
        ("none", "unknown entry 'none'"),
    ):
        others = [_entry("first", first), _entry("third", Fingerprints("b"))]
        problems = entry_problems([*others, _entry("second", second, states_of=whose)])
        assert "\n".join(problems).count(f"second: entry.toml: states_of: {message}") == 1
    right = [_entry("first", first), _entry("second", first, states_of="first")]
    assert "states_of" not in "\n".join(entry_problems(right))


def test_fingerprints_do_not_hear_punctuation_and_leave_short_responses_out() -> None:
    on = _on(["hi"] * 3, 1)
    texts = ["one , two three four five six .", "one two", _SIX]
    marks = fingerprints_of(on, {"d0": texts}, None).phrases
    assert (marks[:2], marks[2:4]) == (marks[4:], "--")


# ------------------------------------------------------------------------------- the repository's


@pytest.fixture(scope="module")
def published(project_board: Board) -> list[Row]:
    """The rows of the board that measure flags: of responses, in plain English, and of states."""
    by_track = project_board.tables_by_track
    tables = (project_board.rows, *by_track["lexicalised"], *by_track["state-tracking"])
    return [row for table in tables for row in table]


# What is given what it has in common with the references, and not reviewed.
GIVEN = {"krls-gold-acts": {"wording", "placement"}, "uniconv": {"gold_states", "hard_states"}}
# What one paper's systems share: key -> flags. It is reviewed.
SHARED = {
    "dard-best-agents": {"copied_states", "copied_responses"},
    "dard-claude": {"copied_states"},
    "dard-flan-t5": {"copied_states"},
    "dard-flan-t5-single": {"copied_states"},
    "dard-mistral": {"copied_states"},
    "dard-mistral-single": {"copied_states"},
    "krls-policy": {"copied_responses"},
}


def test_published_entries_raise_few_flags(published: Sequence[Row]) -> None:
    raised: dict[str, set[str]] = {}
    for row in published:
        names = {*raised_flags(row)}
        if names and not row.entry.system.predictions.by_harness:
            raised.setdefault(row.key, set()).update(names)
            reviewed = {review.reason.split(":")[0] for review in row.entry.system.review}
            assert reviewed == (set() if row.key in GIVEN else {"of one paper"})
    assert raised == SHARED | GIVEN


def test_the_human_responses_are_the_first_that_others_can_be_copies_of() -> None:
    prints = fingerprints(read_entries(REPOSITORY))
    assert next(iter(prints)) == "corpus"
    # An entry that says what people said has all of it.
    shares = copies({"corpus": prints["corpus"], "copy": prints["corpus"]})
    assert shares["copy"]["copied_responses"] == ("corpus", 1.0)


def test_honest_ranges_are_those_of_honest_entries(published: Sequence[Row]) -> None:
    for flag, feature in declared_flags().items():
        values = []
        if not feature.honest:
            continue
        for row in published:
            # In plain English, what the harness made of published outputs is honest.
            is_honest = flag == "told" or not row.entry.system.predictions.by_harness
            if is_honest and row.key not in GIVEN and flag not in raised_flags(row):
                values += [row.flags[flag]] if flag in row.flags else []
        least, greatest = feature.honest
        assert least - 0.01 < min(values) < least + 0.02
        assert greatest - 0.02 < max(values) < greatest + 0.01

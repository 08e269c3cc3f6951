"""Signs: what is measured, worked out by hand, and where a sign begins."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entered import REPOSITORY, system
from helpers import VENUES, benchmark, dialogue, goal
from hypothesis import given, settings
from hypothesis import strategies as st

from mwz.harness import Benchmark
from mwz.harness.board import turn_marks
from mwz.harness.board.checks import copy_signs, entry_problems
from mwz.harness.board.entries import Entry, System, read_entries
from mwz.harness.board.model import Row, read_board
from mwz.harness.board.scores import Scores
from mwz.harness.board.turn_marks import Fingerprints, fingerprints_of
from mwz.harness.io.validation import validated
from mwz.harness.metrics import signs
from mwz.harness.metrics.signs import ALL_SIGNS, COPY_SIGNS, LIVE_SIGNS, SIGNS, SignFigure
from mwz.harness.scoring import Options, Scorer, score
from mwz.harness.submission import made_submission
from mwz.normalization.rules import rule_set

Turns = Sequence[Mapping[str, Any]]
Figures = Mapping[str, SignFigure]
Measured = tuple[Benchmark, Sequence[Turns]]


@pytest.fixture(autouse=True)
def _twenty_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shares of few units be measured: what they are of can be worked out by hand."""
    for module in (signs, turn_marks):
        monkeypatch.setattr(module, "FEWEST", 20)


HUNDRED = 100
"""The dialogues of the benchmarks here: a count of them is a share in percent."""


def _measured(on: Benchmark, said: Sequence[Turns], *metrics: str, **options: Any) -> Figures:
    predictions = dict(zip(on.dialogues, said, strict=True))
    report = score(predictions, on, Options(metrics=[*metrics, "signs"], **options))
    signs: Figures = report.metrics["signs"]
    return signs


def _on(references: Sequence[str], dialogues: int = HUNDRED, **facts: Any) -> Benchmark:
    """Return a benchmark of dialogues that are all alike."""
    wanted = {"restaurant": goal({"food": "greek", "area": "north"}, ["PHONE"])}
    one = dialogue(wanted, len(references), references=references, **facts)
    return benchmark({f"d{number}": one for number in range(dialogues)})


def _said(*responses: str, **more: object) -> Turns:
    return [{"response": response, **more} for response in responses]


def _mixed(count: int, these: Turns, others: Turns) -> list[Turns]:
    """Return the turns of so many dialogues, and others of the rest."""
    return [these] * count + [others] * (HUNDRED - count)


_RESTAURANT = {"active_domains": ["restaurant"]}


def _placeholders(count: int) -> Measured:
    # A hundred turns name a venue: `count` of them with three numbers, the others with two, of
    # which one comes in another turn.
    three = _said("[name] and [name] [phone] [address] [postcode] [postcode]", "ok")
    return _on(["hi", "bye"]), _mixed(count, three, _said("[name] [phone]", "[address]"))


def _placement(count: int) -> Measured:
    # Of 100 placeholders, `count` are those of the references: F1 is 2 count / (100 + 100).
    return _on(["NAME is nice"]), _mixed(count, _said("[name]"), _said("[phone]"))


def _reference_placeholders(count: int) -> Measured:
    return _on(["NAME is nice"]), _mixed(count, _said("a [name]"), _said("[name] [phone]"))


def _last_offers(count: int) -> Measured:
    late, early = ("ok", "[name]"), ("[name]", "[name]")
    return _on(["hi", "bye"]), _mixed(
        count, _said(*late, **_RESTAURANT), _said(*early, **_RESTAURANT)
    )


def _last_provided(count: int) -> Measured:
    # An address was not requested: when it comes does not matter.
    late, early = ("ok", "[phone]"), ("[phone]", "[phone] [address]")
    return _on(["hi", "bye"]), _mixed(
        count, _said(*late, **_RESTAURANT), _said(*early, **_RESTAURANT)
    )


def _unrequested(count: int) -> Measured:
    # One slot a dialogue is provided, twice. What is said of other domains is nothing provided.
    other = [{"response": "[postcode]", "active_domains": ["hotel"]}]
    address = [*_said("[address]", "[address]", **_RESTAURANT), *other]
    phone = [*_said("[phone]", "[phone]", **_RESTAURANT), *other]
    return _on(["hi", "hi", "bye"]), _mixed(count, address, phone)


def _active_domains(count: int) -> Measured:
    two = _said("ok", active_domains=["hotel", "train", "hotel"])
    return _on(["hi"]), _mixed(count, two, _said("ok", active_domains=["hotel"]))


def _distinct(turns: int) -> Measured:
    # Upper case makes no other response: 1 of so many.
    return _on(["hi"] * turns, 1), [_said("Bye", *["bye"] * (turns - 1))]


def _gold_states(count: int) -> Measured:
    # No query asks how long somebody stays.
    gold = {"hotel": {"area": "north", "stay": "2"}}
    right = _said("ok", state={"hotel": {"area": "north", "stay": "1"}, "train": {}})
    wrong = _said("ok", state={"hotel": {"area": "north", "stars": "4"}})
    return _on(["hi"], states=[gold]), _mixed(count, right, wrong)


_SIX = "one two three four five six"


def _reference_copies(count: int) -> Measured:
    # Punctuation makes no other response.
    return _on([_SIX]), _mixed(count, _said("One, two three four five six!"), _said(f"{_SIX} up"))


def _best_bleu(count: int) -> Measured:
    # Eight tokens of eight, and five 4-grams of five, or none at all: each precision is count/100.
    text = "one two three four five six seven eight"
    return _on([text]), _mixed(count, _said(text), _said("a b c d e f g h"))


def _named_venues(count: int) -> Measured:
    return _on(["NAME"]), _mixed(count, _said("try the Golden Spoon"), _said("golden spoons"))


CASES: Mapping[str, tuple[Callable[[int], Measured], tuple[int, float], tuple[int, float]]] = {
    "placeholders": (_placeholders, (50, 2.5), (51, 2.51)),
    "placement": (_placement, (30, 0.3), (29, 0.29)),
    "reference_placeholders": (_reference_placeholders, (75, 0.75), (76, 0.76)),
    "last_offers": (_last_offers, (10, 0.1), (11, 0.11)),
    "last_provided": (_last_provided, (10, 0.1), (11, 0.11)),
    "unrequested": (_unrequested, (65, 0.65), (66, 0.66)),
    "active_domains": (_active_domains, (50, 1.5), (51, 1.51)),
    "distinct_responses": (_distinct, (100, 0.01), (101, 1 / 101)),
    "gold_states": (_gold_states, (85, 0.85), (86, 0.86)),
    "reference_copies": (_reference_copies, (5, 0.05), (6, 0.06)),
    "best_bleu": (_best_bleu, (29, 29.0), (31, 31.0)),
    "named_venues": (_named_venues, (0, 0.0), (1, 0.01)),
}
"""Sign -> what makes a case of a count, and count and figure at and beyond the threshold."""


@pytest.mark.parametrize("sign", CASES)
def test_a_sign_is_raised_beyond_its_threshold_and_not_at_it(sign: str) -> None:
    make, *both = CASES[sign]
    for (count, value), raised in zip(both, (False, True), strict=True):
        found = _measured(*make(count), "bleu", "inform")[sign]
        assert (found.value, found.raised) == (pytest.approx(value, abs=1e-12), raised)


def test_all_signs_but_those_of_plain_english_have_such_a_case() -> None:
    assert set(SIGNS) - set(CASES) == {"venues_told", "numbers_told", "any_but_not_all"}


def test_numbers_of_nothing_that_is_named_are_not_measured() -> None:
    said = [_said("[phone] [address] [postcode]")] * HUNDRED
    assert "placeholders" not in _measured(_on(["PHONE"]), said)


@pytest.mark.parametrize(
    ("sign", "on", "said"),
    [
        # Fewer than a tenth of the references' placeholders: `named_venues` has something to say.
        ("placement", _on(["NAME"]), _mixed(9, _said("[name]"), _said("ok"))),
        # 19 turns with placeholders, 19 offers, slots, responses of six words, turns: too few.
        ("reference_placeholders", _on(["NAME"], 19), [_said("[name]")] * 19),
        ("last_offers", _on(["NAME"], 19), [_said("[name]", **_RESTAURANT)] * 19),
        ("last_provided", _on(["PHONE"], 19), [_said("[phone]", **_RESTAURANT)] * 19),
        ("unrequested", _on(["PHONE"], 19), [_said("[phone]", **_RESTAURANT)] * 19),
        ("reference_copies", _on([_SIX]), _mixed(19, _said(_SIX), _said("one two three"))),
        ("best_bleu", _on(["one two three four"], 19), [_said("one two three four")] * 19),
        ("gold_states", _on(["NAME"]), [_said("ok")] * HUNDRED),
        # A tenth of the references' placeholders: it is delexicalised.
        ("named_venues", _on(["NAME"]), _mixed(10, _said("[name]"), _said("golden spoon"))),
        ("venues_told", _on(["NAME"]), [_said("golden spoon")] * HUNDRED),
        ("any_but_not_all", _on(["NAME"]), [_said("golden spoon")] * HUNDRED),
    ],
)
def test_what_says_nothing_is_not_measured(sign: str, on: Benchmark, said: list[Turns]) -> None:
    assert sign not in _measured(on, said, "bleu", "inform")


def test_states_say_something_of_gold_whatever_queries_the_database() -> None:
    made = _gold_states(81)
    assert _measured(*made, states="gold")["gold_states"].value == 0.81


def test_what_is_typical_is_that_of_the_turns_played() -> None:
    # The first turns of the references name one venue each, and the second ones none.
    on = replace(_on(["NAME", "bye"]), venues=_NUMBERED)
    found = _measured(on, [_said("golden spoon")] * HUNDRED, "grounded", lexicalised=True)
    assert found["venues_told"].limit == 3.0


def test_a_reference_number_is_provided_where_something_is_booked() -> None:
    wanted = {"train": goal({}, [])}
    made = {f"d{n}": dialogue(wanted, 2, booked=[[], ["train"]]) for n in range(20)}
    said = [_said("[reference]", "[reference]", active_domains=["train"])] * 20
    # The second is provided, and nobody requested one; the first comes before there is one.
    assert _measured(benchmark(made), said)["unrequested"].value == 1.0


# ------------------------------------------------------------------------------- plain English

_NUMBERED = {
    "restaurant": [
        {**venue, "phone": f"0122300000{n}"} for n, venue in enumerate(VENUES["restaurant"])
    ]
}


def _plain(references: Sequence[str], these: str, others: str, count: int) -> Figures:
    """Measure plain English: a response in so many dialogues, another one in the rest."""
    on = replace(_on(references), venues=_NUMBERED)
    said = _mixed(count, _said(these), _said(others))
    return _measured(on, said, "grounded", lexicalised=True)


def test_venues_told_are_raised_above_three_times_the_references() -> None:
    # One a turn in the references: two or four a turn are 3 where both are equally many.
    two = "golden spoon or silver fork"
    four = f"{two} or copper pan or iron pot"
    for count, raised in ((50, False), (51, True)):
        found = _plain(["NAME"], four, two, count)["venues_told"]
        assert (found.limit, found.raised) == (3.0, raised)
        assert found.value == pytest.approx((4 * count + 2 * (100 - count)) / 100)


def test_numbers_told_are_raised_above_three_times_the_references() -> None:
    numbers = ["01223000000", "01223000001", "01223000002", "01223000003"]
    two, four = " and ".join(numbers[:2]), " and ".join(numbers)
    for count, raised in ((50, False), (51, True)):
        found = _plain(["PHONE"], four, two, count)["numbers_told"]
        assert (found.limit, found.raised) == (3.0, raised)
        assert found.value == pytest.approx((4 * count + 2 * (100 - count)) / 100)


def test_other_venues_beside_the_fitting_one_are_raised_from_ten_points() -> None:
    # The golden spoon is the only Greek restaurant in the north.
    both, one = "golden spoon or silver fork", "golden spoon"
    for count, raised in ((10, False), (11, True)):
        found = _plain(["NAME"], both, one, count)["any_but_not_all"]
        assert (found.value, found.raised) == (pytest.approx(count), raised)


# ------------------------------------------------------------------------------- copies


def _entry(name: str, marks: Fingerprints, **facts: Any) -> Entry:
    known = validated(System, system(name=name, **facts), name)
    return Entry(Path(name), known, Scores(fingerprints=marks))


def _marks(kind: str, shared: int) -> tuple[Fingerprints, Fingerprints]:
    """Return what is known of two systems that share so many of 100 turns."""
    own, other = "aa" * 100, "aa" * shared + "bb" * (100 - shared)
    return Fingerprints("b", **{kind: own}), Fingerprints("b", **{kind: other})


@pytest.mark.parametrize(("kind", "at"), [("responses", 50), ("phrases", 57), ("states", 75)])
def test_the_later_one_of_two_that_share_more_than_the_threshold_names_the_other(
    kind: str, at: int
) -> None:
    for shared, raised in ((at, False), (at + 1, True)):
        first, second = _marks(kind, shared)
        entries = [_entry("first", first), _entry("second", second, entered="2001-01-01T00:00Z")]
        found = copy_signs(entries)
        figure = found["second"][f"copied_{kind}"]
        assert (figure.value, figure.raised) == (shared / 100, raised)
        assert figure.shared_with == "first"
        # Who was there before is not accused.
        assert not any(one.raised for one in found.get("first", {}).values())


def test_a_copy_that_names_the_same_paper_and_code_is_one_as_well() -> None:
    works = {"paper": "https://arxiv.org/abs/2211.16773", "code": "https://github.com/x/y"}
    first, second = _marks("responses", 60)
    figure = copy_signs([_entry("a", first, **works), _entry("b", second, **works)])["b"]
    assert figure["copied_responses"].raised


def test_states_that_are_said_to_be_those_of_the_first_who_had_them_raise_nothing() -> None:
    own = Fingerprints("b", states="aa" * 100)
    entries = [_entry(key, own) for key in ("first", "second")]
    for whose, raised in (("first", False), ("second", True), (None, True)):
        third = _entry("third", own, **({} if whose is None else {"states_of": whose}))
        figure = copy_signs([*entries, third])["third"]["copied_states"]
        assert (figure.shared_with, figure.raised) == ("first", raised)


def test_who_says_whose_states_it_has_must_have_them() -> None:
    first, second = _marks("states", 99)
    for whose, told in (
        ("first", "its belief states are not those of first (0.99 of them are)"),
        ("third", "its belief states are not those of third (too few can be compared)"),
        ("second", "unknown entry 'second'"),
        ("none", "unknown entry 'none'"),
    ):
        others = [_entry("first", first), _entry("third", Fingerprints("b"))]
        problems = entry_problems([*others, _entry("second", second, states_of=whose)])
        assert sum(f"second: entry.toml: states_of: {told}" in one for one in problems) == 1
    right = [_entry("first", first), _entry("second", first, states_of="first")]
    assert not any("states_of" in one for one in entry_problems(right))


def test_few_turns_and_other_benchmarks_are_not_compared() -> None:
    few = Fingerprints("b", responses="aa" * 19 + ".." * 81)
    whole, elsewhere = (Fingerprints(name, responses="aa" * 100) for name in ("b", "c"))
    for one in (few, elsewhere):
        found = copy_signs([_entry("a", whole), _entry("b", one)])
        assert not any(found.values())


def test_a_mixture_of_other_entries_is_told_and_none_of_them_alone() -> None:
    # Forty turns of the one and forty of the other: 80 of 100 are of some entry before.
    texts = {"a": "aa" * 100, "b": "bb" * 100, "mixed": "aa" * 40 + "bb" * 40 + "cc" * 20}
    entries = [_entry(key, Fingerprints("b", responses=text)) for key, text in texts.items()]
    found = copy_signs(entries)
    assert (found["mixed"]["copied_responses"].value, found["mixed"]["copied_mixture"].value) == (
        0.4,
        0.8,
    )
    assert [name for name, one in found["mixed"].items() if one.raised] == ["copied_mixture"]
    # What came later is no part of a mixture.
    assert (found["a"], found["b"]["copied_mixture"].value) == ({}, 0.0)


def test_fingerprints_do_not_hear_punctuation_and_leave_short_responses_out() -> None:
    on = _on(["hi"] * 3, 1)
    texts = ["one , two three four five six .", "one two", _SIX]
    marks = fingerprints_of(on, {"d0": texts}, None).responses
    assert (marks[:2], marks[2:4]) == (marks[4:], "--")


# ------------------------------------------------------------------------------- properties

_RESPONSES = st.lists(
    st.sampled_from(["[name]", "[phone] [address]", "golden spoon", "ok", "[train_id]", _SIX]),
    min_size=25,
    max_size=25,
)


@settings(deadline=None, max_examples=30)
@given(responses=_RESPONSES, order=st.permutations(range(25)))
def test_figures_are_finite_and_do_not_depend_on_the_order_of_dialogues(
    responses: list[str], order: list[int]
) -> None:
    made = {f"d{n}": _on(["NAME is nice"], 1).dialogues["d0"] for n in range(25)}
    said = [_said(response, **_RESTAURANT) for response in responses]
    found = _measured(benchmark(made), said, "bleu", "inform")
    assert all(math.isfinite(one.value) and math.isfinite(one.limit) for one in found.values())
    turned = benchmark({f"d{n}": made[f"d{n}"] for n in order})
    assert _measured(turned, [said[n] for n in order], "bleu", "inform") == found


@settings(deadline=None, max_examples=20)
@given(words=st.lists(st.sampled_from("abcdefgh"), min_size=6, max_size=12), more=st.booleans())
def test_a_submission_equal_to_the_references_raises_copies(words: list[str], more: bool) -> None:
    text = " ".join(words)
    found = _measured(_on([text], 20), [_said(text + " ." * more)] * 20, "bleu")
    assert found["reference_copies"].value == 1.0
    assert found["reference_copies"].raised


def test_signs_are_the_same_under_every_rule_set_that_reads_responses_alike(
    sample: Benchmark,
) -> None:
    scorer = Scorer(sample, Options(metrics=["signs"]))
    constant = made_submission(sample, "constant")
    shown = {
        rules: scorer.with_options(rules=rules).score_normalized(constant).metrics["signs"]
        for rules in ("2021", "2023", "2026")
    }
    assert shown["2021"] == shown["2023"] == shown["2026"]
    assert (shown["2021"]["placeholders"].value, shown["2021"]["placeholders"].raised) == (
        3.0,
        True,
    )
    assert shown["2021"]["distinct_responses"].value == 1 / sample.turns


def test_what_counts_as_about_venues_is_the_rules() -> None:
    assert rule_set("2021").about_venues == {
        *("NAME", "TRAINID", "PHONE", "ADDRESS", "POST", "REFERENCE")
    }


# ------------------------------------------------------------------------------- the repository's

# What one paper's systems share: key -> sign. It is reviewed.
_STATES = ("best-agents", "claude", "flan-t5", "flan-t5-single", "mistral", "mistral-single")
SHARED = {f"dard-{key}": {"copied_states"} for key in _STATES} | {
    "krls-policy": {"copied_responses"}
}
SHARED["dard-best-agents"].add("copied_responses")


@pytest.fixture(scope="module")
def published() -> dict[str, dict[str, Row]]:
    """Key -> where ("responses" or "states") -> row, of published outputs."""
    board = read_board(REPOSITORY, read_entries(REPOSITORY), "2021")
    found: dict[str, dict[str, Row]] = {}
    tables = {"responses": [board.rows, board.english], "states": board.tracking}
    for where, of in tables.items():
        for row in (row for table in of for row in table):
            if not row.entry.system.predictions.by_harness:
                found.setdefault(row.key, {})[where] = row
    return found


def test_published_entries_raise_no_sign_but_what_systems_of_one_paper_share(
    published: Mapping[str, Mapping[str, Row]],
) -> None:
    raised: dict[str, set[str]] = {}
    for key, rows in published.items():
        for row in rows.values():
            names = {name for name, one in row.signs.items() if one.raised}
            if names:
                raised.setdefault(key, set()).update(names)
                reviewed = {one.reason.split(":")[0] for one in row.entry.system.review}
                # They are those that were given what they have in common with the references.
                given = key in ("krls-gold-acts", "uniconv")
                assert reviewed == (set() if given else {"imported with the board"})
    assert raised == {
        **SHARED,
        "krls-gold-acts": {"reference_placeholders"},
        "uniconv": {"gold_states"},
    }


# Nobody has published outputs in plain English: what the harness made of published ones is honest
# there. Responses that are not delexicalised are in no other track.
UNPUBLISHED = {"venues_told", "numbers_told", "any_but_not_all", "named_venues", *LIVE_SIGNS}


@pytest.mark.parametrize("sign", sorted(set(ALL_SIGNS) - UNPUBLISHED))
def test_honest_figures_are_those_of_published_entries_that_do_not_raise_the_sign(
    sign: str, published: Mapping[str, Mapping[str, Row]]
) -> None:
    declared = ALL_SIGNS[sign]
    values = [
        row.signs[sign].value
        for key, places in published.items()
        for row in places.values()
        # Given the gold acts, a system is no measure of those that are not.
        if sign in row.signs and key != "krls-gold-acts"
        if not row.signs[sign].raised
    ]
    step = 0.1 if sign == "best_bleu" else 0.01
    least, greatest = declared.honest
    # Copies are shares of whatever another entry has: there is no least one.
    if sign not in COPY_SIGNS:
        assert least - step < min(values) < least + 2 * step
    assert greatest - 2 * step < max(values) < greatest + step


@pytest.mark.parametrize("sign", sorted(UNPUBLISHED))
def test_of_signs_of_plain_text_no_published_output_says_anything(
    sign: str, published: Mapping[str, Mapping[str, Row]]
) -> None:
    assert not any(sign in row.signs for places in published.values() for row in places.values())


# ------------------------------------------------------------------------------- on real data


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "placeholders"), [("mwz22", 1.05), ("lava", 2.41)])
def test_the_corpus_and_lava_have_the_placeholders_that_are_known(
    name: str,
    placeholders: float,
    multiwoz: Benchmark,
    predictions: Callable[[str], Mapping[str, Any]],
) -> None:
    scorer = Scorer(multiwoz, Options(metrics=["signs"]))
    if name == "mwz22":
        report = scorer.score_normalized(made_submission(multiwoz, name))
    else:
        report = scorer.score(predictions(name))
    found = report.metrics["signs"]["placeholders"]
    assert (round(found.value, 2), found.raised) == (placeholders, False)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "placeholders"),
    [("larl_2.0", 0.90), ("larl_2.1", 1.43), ("word_2.0", 1.82), ("word_2.1", 1.65)],
)
def test_the_systems_in_the_repository_of_hdno_raise_no_sign(
    name: str,
    placeholders: float,
    multiwoz: Benchmark,
    predictions: Callable[[str], Mapping[str, Any]],
) -> None:
    options = Options(metrics=["bleu", "inform", "signs"])
    report = Scorer(multiwoz, options).score(predictions(f"hdno-{name}"))
    found = report.metrics["signs"]
    assert report.coverage.turns == 7360
    assert round(found["placeholders"].value, 2) == placeholders
    assert not any(one.raised for one in found.values())

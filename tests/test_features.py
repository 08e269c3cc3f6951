"""What is counted of a predictions file, and from what count on it is remarked.

A count of n items is remarked where it is beyond limit * n + 2 * sqrt(n * limit * (1 - limit)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import pytest
from helpers import RULES, benchmark, dialogue

from mwz.harness.errors import Remark
from mwz.harness.submission import StateChecks, Turn, declared_features, declared_flags
from mwz.harness.submission.profile import measuring, response_features
from mwz.harness.submission.profile.measuring import profile_of
from mwz.harness.submission.profile.profile import Profile, profile_remarks
from mwz.harness.submission.profile.vocabulary import Content, vocabulary_of


@pytest.fixture(autouse=True)
def _few_references_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a hundred references tell which words are usual."""
    monkeypatch.setattr(response_features, "FEWEST_REFERENCES", 20)


State: TypeAlias = Mapping[str, Mapping[str, str]]
Turns: TypeAlias = Sequence[Turn]

# Limit -> a count of a hundred items that is not remarked, and one that is. Where the bound is a
# whole number, the counts on both sides of it.
OF_HUNDRED: Mapping[float, tuple[int, int]] = {
    0.0: (0, 1),
    # 0.3 + 2 * 0.55 = 1.39
    0.003: (1, 2),
    # 0.5 + 2 * 0.71 = 1.91; of `value_empty` three are the least.
    0.005: (1, 3),
    # 1 + 2 * 0.99 = 2.99
    0.01: (2, 3),
    # 2 + 2 * 1.40 = 4.80
    0.02: (4, 5),
    # 3 + 2 * 1.71 = 6.41
    0.03: (6, 7),
    # 4 + 2 * 1.96 = 7.92
    0.04: (7, 8),
    # 5 + 2 * 2.18 = 9.36
    0.05: (9, 10),
    # 6 + 2 * 2.37 = 10.75
    0.06: (10, 11),
    # 7 + 2 * 2.55 = 12.10
    0.07: (12, 13),
    # 10 + 2 * 3 = 16
    0.1: (15, 17),
    # 20 + 2 * 4 = 28
    0.2: (27, 29),
    # 25 + 2 * 4.33 = 33.66
    0.25: (33, 34),
    # 30 + 2 * 4.58 = 39.17
    0.3: (39, 40),
    # 35 + 2 * 4.77 = 44.54
    0.35: (44, 45),
    # 40 + 2 * 4.90 = 49.80
    0.4: (49, 50),
    # 42 + 2 * 4.94 = 51.87
    0.42: (51, 52),
    # 50 + 2 * 5 = 60
    0.5: (59, 61),
    # 60 + 2 * 4.90 = 69.80
    0.6: (69, 70),
    # 65 + 2 * 4.77 = 74.54
    0.65: (74, 76),
    # 66 + 2 * 4.74 = 75.47
    0.66: (75, 76),
    # 67 + 2 * 4.70 = 76.40
    0.67: (76, 77),
    # 70 + 2 * 4.58 = 79.17: these are counted two by two.
    0.7: (78, 80),
    # 80 + 2 * 4 = 88
    0.8: (87, 89),
    # 82 + 2 * 3.84 = 89.68
    0.82: (89, 90),
    # 90 + 2 * 3 = 96
    0.9: (95, 97),
}


# --------------------------------------------------------------------------- what is measured

AREA: State = {"restaurant": {"area": "north"}}
SOUTH: State = {"restaurant": {"area": "south"}}
FOOD: State = {"restaurant": {"food": "greek"}}
NOTHING: State = {}


def _content(
    odd: Turns, others: Turns, count: int, *, dialogues: int = 100, **facts: Any
) -> Content:
    """Return so many dialogues with odd turns, and others of the rest, which are all alike.

    Args:
        odd: The turns of the odd dialogues, which come first.
        others: The turns of the other ones.
        count: How many dialogues are odd.
        dialogues: How many dialogues there are.
        facts: What `dialogue` takes: gold states, references.
    """
    gold = dialogue({}, len(others), **facts)
    numbers = range(dialogues)
    on = benchmark({f"d{number}": gold for number in numbers})
    turns = {f"d{number}": odd if number < count else others for number in numbers}
    return Content(turns, on, RULES)


def _states(*states: State) -> list[Turn]:
    return [Turn("hello", state, None) for state in states]


def _said(*responses: str) -> list[Turn]:
    return [Turn(response, None, None) for response in responses]


def _value(value: str) -> Callable[[int], Content]:
    odd = {"restaurant": {"area": value}}
    return lambda count: _content(_states(odd), _states(AREA), count, states=[AREA])


def _of_states(
    odd: Sequence[State], others: Sequence[State], gold: Sequence[State]
) -> Callable[[int], Content]:
    return lambda count: _content(_states(*odd), _states(*others), count, states=gold)


def _of_responses(odd: str, other: str, reference: str) -> Callable[[int], Content]:
    return lambda count: _content(_said(odd), _said(other), count, references=[reference])


def _of_domains(odd: Sequence[str], other: Sequence[str]) -> Callable[[int], Content]:
    active = [["restaurant"], ["hotel"]]
    # Domains of the second turn are not given, and not counted.
    second = Turn("hello", None, None)
    turns = [[Turn("[name]", None, domains), second] for domains in (odd, other)]
    return lambda count: _content(turns[0], turns[1], count, active=active)


def _times(count: int) -> Content:
    odd, right = ({"train": {"leave": time}} for time in ("soon", "09:00"))
    return _content(_states(odd), _states(right), count, states=[right])


def _exchanged(count: int) -> Content:
    gold = {"train": {"departure": "oakham", "destination": "upwell"}}
    odd, right = ({"train": {"departure": place}} for place in ("upwell", "oakham"))
    return _content(_states(odd), _states(right), count, states=[gold])


def _frequent(count: int) -> Content:
    # Gold has each area 50 times: what is more than 50 is too many.
    return _single_states(
        [AREA] * 50 + [SOUTH] * 50, [AREA] * (50 + count) + [SOUTH] * (50 - count)
    )


def _single_states(golds: Sequence[State], states: Sequence[State], **facts: Any) -> Content:
    """Return a dialogue of one turn for each state, with its gold state."""
    on = benchmark({f"d{n}": dialogue({}, 1, states=[gold]) for n, gold in enumerate(golds)})
    turns = {f"d{number}": _states(state) for number, state in enumerate(states)}
    return Content(turns, on, RULES, **facts)


def _repeated(count: int) -> Content:
    others = [f"hello {number}" for number in range(100 - count)]
    return _single_turns([*["hello"] * count, *others])


def _single_turns(texts: Sequence[str]) -> Content:
    """Return a dialogue of one turn for each response."""
    on = benchmark({f"d{number}": dialogue({}, 1) for number in range(len(texts))})
    turns = {f"d{number}": _said(text) for number, text in enumerate(texts)}
    return Content(turns, on, RULES)


def _long(count: int) -> Content:
    # A word in each reference, and so many words more in one response: a hundred in all.
    odd, other = _said(" ".join(["hello"] * (count + 1))), _said("hello")
    return _content(odd, other, 1, dialogues=100 - count, references=["hello"])


def _shifted(count: int) -> Content:
    # In the first and last turns nothing is compared.
    texts = ["NAME", "PHONE", "ADDRESS"]
    odd, other = _said("ok", "[name]", "ok"), _said("ok", "[phone]", "ok")
    return _content(odd, other, count, references=texts)


def _capped(count: int) -> Content:
    # Texts of thirty characters that differ; all others are shorter, and one text.
    texts = [f"hello {number:02d}".ljust(30, ".") for number in range(count)]
    return _single_turns([*texts, *["hello"] * (100 - count)])


def _misplaced(count: int) -> Content:
    # One placeholder in the wrong turn is two items: it is not where it should be, and is
    # elsewhere. One in the right turn is two items as well.
    odd, other = _said("[phone]"), _said("[name]")
    return _content(odd, other, count // 2, dialogues=50, references=["NAME"])


def _plain(count: int) -> Content:
    content = _content(_said("[name] is nice"), _said("the golden spoon is nice"), count)
    return Content(content.dialogues, content.benchmark, RULES, StateChecks(plain=True))


NICE = "hello there NAME is nice"
SAME = "hello there [name] is nice"
AREA_PART = "restaurant-area"

CASES: Mapping[str, tuple[Callable[[int], Content], str]] = {
    "value_spelling": (_value("North side"), AREA_PART),
    "value_empty": (_value("unknown"), AREA_PART),
    "value_dontcare": (_value("any"), AREA_PART),
    "value_time": (_times, "train-leave"),
    "value_unknown": (_value("moon"), AREA_PART),
    "value_wrong": (_value("south"), AREA_PART),
    "value_exchanged": (_exchanged, "train-departure"),
    "value_frequent": (_frequent, AREA_PART),
    "slot_foreign": (_of_states([{"restaurant": {"stars": "4"}}], [AREA], [AREA]), ""),
    "slot_missing": (_of_states([NOTHING], [AREA], [AREA]), AREA_PART),
    "state_empty": (_of_states([NOTHING], [AREA], [AREA]), ""),
    "state_emptied": (_of_states([AREA, NOTHING], [AREA, AREA], [AREA, AREA]), ""),
    "state_dropped": (_of_states([AREA, FOOD], [AREA, AREA], [AREA, FOOD]), ""),
    "state_late": (_of_states([NOTHING, AREA], [AREA, AREA], [AREA, AREA]), ""),
    "state_early": (_of_states([AREA, AREA], [NOTHING, AREA], [NOTHING, AREA]), ""),
    "state_lacks": (_of_states([NOTHING], [AREA], [AREA]), ""),
    "state_gold": (_of_states([AREA], [FOOD], [AREA]), ""),
    "domains_empty": (_of_domains([], ["restaurant"]), ""),
    "domains_wrong": (_of_domains(["train"], ["restaurant"]), ""),
    "domains_shifted": (_of_domains(["hotel"], ["restaurant"]), ""),
    "domains_many": (_of_domains(["restaurant", "hotel", "taxi"], ["restaurant"]), ""),
    "response_empty": (_of_responses("", NICE, NICE), ""),
    "response_tiny": (_of_responses("hello there", NICE, NICE), ""),
    "response_notation": (_of_responses("<name>", "[name]", NICE), ""),
    "response_glued": (_of_responses("the[name]", "[name]", NICE), ""),
    "response_unknown": (_of_responses("[nmae]", "[name]", NICE), ""),
    "response_lacks": (_of_responses("hello", "[name]", NICE), "NAME"),
    "response_plain": (_of_responses("the Golden Spoon is nice", "[name]", NICE), ""),
    "response_number": (_of_responses("01223350106 is nice", "[phone] is nice", NICE), ""),
    "response_delexicalised": (_plain, ""),
    "response_tags": (_of_responses("hello <eos_r>", "hello", NICE), ""),
    "response_tokens": (_of_responses("howdy", "hello", NICE), ""),
    "response_pairs": (_of_responses("there hello", "hello there", NICE), ""),
    "response_overused": (_of_responses("howdy", "hello", "hello"), ""),
    "response_lacks_words": (_of_responses("hello", "hello you", "hello you"), "'you'"),
    "response_cut": (_of_responses("hello there", "hello there .", "hello there ."), ""),
    "response_opening": (_of_responses("there hello", "hello there", "hello there"), ""),
    "response_capped": (_capped, ""),
    "response_strange": (_of_responses("there hello", "hello there", NICE), ""),
    "response_repeated": (_repeated, ""),
    "response_evasive": (_of_responses("hello", "[name]", NICE), ""),
    "response_long": (_long, ""),
    "response_same": (_of_responses(SAME, "is [name] nice hello there", NICE), ""),
    "response_shifted": (_shifted, ""),
    "response_misplaced": (_misplaced, ""),
}
"""Feature -> what makes a file with so many odd items of a hundred, and their part."""


def test_every_feature_is_worked_out() -> None:
    assert CASES.keys() | declared_flags().keys() == declared_features().keys()


@pytest.mark.parametrize("name", CASES)
def test_a_feature_is_remarked_beyond_its_limit_and_not_at_it(name: str) -> None:
    make, part = CASES[name]
    silent, remarked = OF_HUNDRED[declared_features()[name].limit]
    for count, is_beyond in ((silent, False), (remarked, True)):
        profile = profile_of(make(count))
        tally = profile.tallies[name][part]
        assert (tally.odd, tally.items) == (count, 100)
        assert bool(profile.exceeding(name)) == is_beyond


# --------------------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("name", "odd", "items", "is_remarked"),
    [
        # 0.03 + 2 * 0.17 = 0.37: of one value one is enough, where one is the least.
        ("value_spelling", 1, 1, True),
        # 0.3 + 2 * 0.54 = 1.38
        ("value_spelling", 1, 10, False),
        ("value_spelling", 2, 10, True),
        # 0.5 + 2 * 0.67 = 1.84, and three are the least.
        ("response_empty", 2, 10, False),
        ("response_empty", 3, 10, True),
        # 150 + 2 * 12.06 = 174.1 of five thousand.
        ("value_spelling", 174, 5000, False),
        ("value_spelling", 175, 5000, True),
    ],
)
def test_limits_are_wider_for_small_files(
    name: str, odd: int, items: int, is_remarked: bool
) -> None:
    profile = Profile()
    profile.count(name, items, {"x": odd})
    assert bool(profile.exceeding(name)) == is_remarked


def _profile(counts: Mapping[str, tuple[int, int]]) -> Profile:
    """Return a profile of values in other spelling: part -> odd ones and all."""
    profile = Profile()
    for part, (odd, items) in counts.items():
        profile.count("value_spelling", items, {"x": odd}, part)
    return profile


THREE_AREAS = ["hotel-area", "restaurant-area", "attraction-area"]
THREE_OF_HOTELS = ["hotel-area", "hotel-stars", "hotel-parking"]
FOUR = ["hotel-area", "hotel-stars", "restaurant-area", "restaurant-food"]


@pytest.mark.parametrize(
    ("parts", "beyond"),
    [
        # 1.5 + 2 * 1.21 = 3.91 of 50.
        (["hotel-area"], []),
        # 3 + 2 * 1.71 = 6.41 of 100.
        (["hotel-area", "hotel-stars"], []),
        # 4.5 + 2 * 2.09 = 8.68 of 150: nine in a slot of three domains, or in a domain's slots.
        (THREE_AREAS, THREE_AREAS),
        (THREE_OF_HOTELS, THREE_OF_HOTELS),
        # 6 + 2 * 2.41 = 10.82 of 200: twelve in all.
        (FOUR, FOUR),
    ],
)
def test_odd_items_of_parts_add_up(parts: Sequence[str], beyond: Sequence[str]) -> None:
    profile = _profile(dict.fromkeys(parts, (3, 50)))
    assert [*profile.exceeding("value_spelling")] == beyond


def test_parts_beyond_a_limit_are_listed_alone() -> None:
    profile = _profile({"hotel-area": (4, 50), "hotel-stars": (3, 50), "hotel-parking": (5, 50)})
    assert [*profile.exceeding("value_spelling")] == ["hotel-area", "hotel-parking"]


TWO_NAMES = {"hotel-name": (18, 100), "restaurant-name": (18, 100)}


@pytest.mark.parametrize(
    ("counts", "beyond"),
    [
        # The limit of names is 0.12: 12 + 2 * 3.25 = 18.50 of 100.
        ({"hotel-name": (18, 100)}, []),
        ({"hotel-name": (19, 100)}, ["hotel-name"]),
        # Together with others, 36 of 200 are more than 24 + 2 * 4.60 = 33.19.
        (TWO_NAMES, [*TWO_NAMES]),
        # Three are the least of such parts.
        ({"hotel-name": (2, 2)}, []),
        ({"hotel-name": (3, 3)}, ["hotel-name"]),
        # The limit is the slot's in this domain: 0.4, and 40 + 2 * 4.90 = 49.80.
        ({"taxi-departure": (49, 100)}, []),
        ({"train-departure": (49, 100)}, ["train-departure"]),
    ],
)
def test_a_part_with_a_limit_of_its_own_is_held_against_that(
    counts: Mapping[str, tuple[int, int]], beyond: Sequence[str]
) -> None:
    assert [*_profile(counts).exceeding("value_spelling")] == beyond


# --------------------------------------------------------------------------- causes


STATE_FEATURES = [name for name in declared_features() if name.startswith("state_")]


def test_causes_are_other_features() -> None:
    for name, feature in declared_features().items():
        assert {*feature.unless} <= declared_features().keys() - {name}


def test_an_effect_is_silent_where_its_cause_is_remarked() -> None:
    # The state of each second turn is empty: slots are not there in the next turn, either.
    content = _of_states([AREA, NOTHING, NOTHING], [AREA] * 3, [AREA] * 3)(100)
    profile = profile_of(content)
    beyond = [name for name in STATE_FEATURES if profile.exceeding(name)]
    assert beyond == ["state_emptied", "state_dropped", "state_lacks"]
    remarked = {remark.kind for remark in profile_remarks(profile)}
    assert remarked & {*STATE_FEATURES} == {"state_emptied"}


# --------------------------------------------------------------------------- sentences


def _messages(content: Content) -> dict[str, str]:
    return {
        remark.kind: remark.message for remark in profile_remarks(profile_of(content, sampled=True))
    }


@pytest.mark.parametrize(
    ("name", "count", "message"),
    [
        (
            "value_spelling",
            7,
            "7 of 100 values are written unlike the benchmark's: restaurant-area: "
            "'North side' for 'north' 7×; write them as MultiWOZ does",
        ),
        (
            "slot_missing",
            70,
            "70 of 100 slots of gold states are never predicted where gold has them: "
            "restaurant-area 70×; see whether the file leaves this slot out",
        ),
        ("value_unknown", 11, "11 of 100 values are neither a venue's nor a gold state's: "),
        ("state_emptied", 8, "8 of 100 states after one with slots are empty: {} 8×; repeat the "),
        ("domains_wrong", 17, "17 of 100 turns with active domains have `active_domains` without"),
        ("response_notation", 3, "3 of 100 placeholders are none in this notation, and are read "),
        ("response_plain", 17, "17 of 100 responses name a venue in plain words: golden spoon 17"),
        ("response_delexicalised", 1, "1 of 100 responses hold placeholders in place of plain Eng"),
    ],
)
def test_remarks_are_warnings_that_count_and_say_what_to_do(
    name: str, count: int, message: str
) -> None:
    make, _ = CASES[name]
    remarks = profile_remarks(profile_of(make(count), sampled=True))
    assert all(type(remark) is Remark and remark.warning for remark in remarks)
    [remark] = [remark for remark in remarks if remark.kind == name]
    assert remark.message.startswith(message)


def test_a_remark_names_the_worst_parts_and_the_most_frequent_examples() -> None:
    gold = {"restaurant": {"area": "north", "food": "greek", "pricerange": "cheap"}}
    spelled = {"restaurant": {"area": "North side", "food": "greek food", "pricerange": "low"}}
    other = {"restaurant": {**spelled["restaurant"], "area": "North"}}
    content = _content(_states(spelled), _states(other), 60, states=[gold])
    # Case is repaired, and is no odd spelling.
    assert _messages(content)["value_spelling"] == (
        "260 of 300 values are written unlike the benchmark's: "
        "restaurant-food: 'greek food' for 'greek' 100×; "
        "restaurant-pricerange: 'low' for 'cheap' 100×; "
        "restaurant-area: 'North side' for 'north' 60×; write them as MultiWOZ does"
    )


# --------------------------------------------------------------------------- what is measured


def _every_second(is_odd: Callable[[int], bool]) -> Content:
    """Return 400 dialogues of a tracker, of which every second one is measured at first.

    Half of the states are gold's, which is no more than others have.
    """
    golds = [AREA if number % 4 < 2 else SOUTH for number in range(400)]
    states = [AREA if number % 8 < 4 else SOUTH for number in range(400)]
    moon = {"restaurant": {"area": "moon"}}
    states = [moon if is_odd(number) else state for number, state in enumerate(states)]
    return _single_states(golds, states, checks=StateChecks(tracked=True))


def test_odd_samples_of_large_files_are_counted_whole() -> None:
    # 40 of the 200 that are measured, more than 12 + 2 * 3.36 = 18.72, and of all 400, more than
    # 24 + 2 * 4.75 = 33.50.
    in_part = _messages(_every_second(lambda number: number % 10 == 0))
    assert in_part["value_unknown"].startswith("40 of 400 values are neither")
    # 40 that are not measured do not show.
    assert "value_unknown" not in _messages(_every_second(lambda number: number % 10 == 1))
    in_both = _messages(_every_second(lambda number: number % 10 < 2))
    assert in_both["value_unknown"].startswith("80 of 400 values are neither")
    # 20 of the 200 are many, and too few of all.
    assert "value_unknown" not in _messages(_every_second(lambda number: number % 20 == 0))


def _tracked(values: Sequence[str], gold: str, slot: str = "area") -> Content:
    """Return a tracker's file with gold states of its own, a value per dialogue."""
    turns: dict[str, Turns] = {}
    for number, value in enumerate(values):
        truth = {"hotel": {slot: gold}}
        turns[f"x{number}"] = [Turn("", {"hotel": {slot: value}}, None, gold=truth)]
    return Content(turns, None, RULES, StateChecks(tracked=True))


@pytest.mark.parametrize(
    ("count", "measured"), [(199, 199), (399, 399), (400, 200), (999, 250), (1000, 200)]
)
def test_samples_are_of_about_200_dialogues(count: int, measured: int) -> None:
    # 399 // 200 = 1; 999 // 200 = 4, of which 999 / 4 = 249.75.
    values = ["south" if number % 7 < 2 else "north" for number in range(count)]
    profile = profile_of(_tracked(values, "north"), sampled=True)
    assert profile.tallies["state_empty"][""].items == measured


@pytest.mark.parametrize(
    ("values", "gold", "slot", "remarked"),
    [
        # Gold's own spelling is right, any other is told.
        (["Far North"] * 20, "Far North", "area", set()),
        (["far north"] * 20, "Far North", "area", {"value_spelling"}),
        # Of values that gold never has nothing is known, nor of times.
        (["west"] * 5 + ["north"] * 15, "north", "area", set()),
        (["05:21"] * 5 + ["09:00"] * 15, "09:00", "time", set()),
        (["09.00"] * 5 + ["09:00"] * 15, "09:00", "time", {"value_spelling"}),
        # What means nothing is absent in state tracking.
        (["none"] * 5 + ["north"] * 15, "north", "area", set()),
    ],
)
def test_a_trackers_own_gold_states_are_what_its_values_are_compared_with(
    values: Sequence[str], gold: str, slot: str, remarked: set[str]
) -> None:
    profile = profile_of(_tracked(values, gold, slot))
    beyond = {name for name in declared_features() if profile.exceeding(name)} - {"state_gold"}
    assert beyond == remarked


def test_the_gold_states_of_the_whole_file_are_the_vocabulary_of_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "SAMPLED", 3)
    part = _tracked(["far  north"] * 6, "elsewhere")
    assert not profile_of(part, sampled=True).exceeding("value_spelling")
    # Of each two dialogues the first is in the part.
    gold = _tracked(["Far North"] * 6, "Far North")
    turns = {**part.dialogues}
    turns.update((id_, gold.dialogues[id_]) for id_ in [*turns][1::2])
    whole = Content(turns, None, RULES, StateChecks(tracked=True))
    tallies = profile_of(whole, sampled=True).exceeding("value_spelling")
    # The part is odd, so that the whole file is measured.
    assert [(tally.odd, tally.items) for tally in tallies.values()] == [(3, 6)]


def test_states_that_no_score_uses_are_not_measured() -> None:
    content = _value("moon")(50)
    unused = Content(content.dialogues, content.benchmark, RULES, StateChecks(uses_states=False))
    assert _messages(content).keys() >= {"value_unknown"}
    assert not any(name.startswith(("value", "slot", "state")) for name in _messages(unused))


def test_plain_english_is_measured_for_placeholders_alone() -> None:
    content = _plain(0)
    assert profile_remarks(profile_of(content, sampled=True)) == ()
    # The same responses without placeholders, as delexicalised ones.
    delexicalised = Content(content.dialogues, content.benchmark, RULES)
    assert "response_plain" in _messages(delexicalised)


def test_gold_states_of_the_last_turn_count_once_whether_turns_share_them() -> None:
    # North is there in the last turn once, and south once: neither is more frequent.
    shared = dict(AREA)
    played = ([shared] * 3, [dict(SOUTH) for _ in range(3)])
    on = benchmark({f"d{n}": dialogue({}, 3, states=states) for n, states in enumerate(played)})
    counts = vocabulary_of(on, RULES).counts["restaurant", "area"]
    assert counts == {"north": 1, "south": 1}


def test_few_references_make_no_word_unusual(monkeypatch: pytest.MonkeyPatch) -> None:
    content = _of_responses("howdy you", "hello", NICE)(50)
    names = {"response_tokens", "response_pairs", "response_strange"}
    assert profile_of(content).tallies.keys() >= names
    monkeypatch.setattr(response_features, "FEWEST_REFERENCES", 101)
    assert names.isdisjoint(profile_of(content).tallies)


# --------------------------------------------------------------------------- the table


def test_limits_are_above_what_published_files_have() -> None:
    for name in declared_features().keys() - declared_flags().keys():
        feature = declared_features()[name]
        assert 0 <= feature.limit < 1
        # Nobody has published plain English.
        if name != "response_delexicalised":
            assert max(feature.honest) < feature.limit, name


def test_ranges_are_written_below_limits_and_all_else_stays(calibrate: Any) -> None:
    text = "# Why.\n[a]\nlimit = 0.3\nhonest = [0.1, 0.2]\nleast = 1\n\n[b]\nlimit = 0.5  # Half.\n"
    written = calibrate.with_honest_ranges(text, {"a": (0.0, 0.25), "b": (0.125, 0.25)})
    assert written == (
        "# Why.\n[a]\nlimit = 0.3\nhonest = [0.0, 0.25]\nleast = 1\n\n"
        "[b]\nlimit = 0.5  # Half.\nhonest = [0.125, 0.25]\n"
    )
    # Once more, it stays as it is; so do features that are not measured.
    assert calibrate.with_honest_ranges(written, {"a": (0.0, 0.25)}) == written

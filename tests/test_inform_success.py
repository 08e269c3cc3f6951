"""Inform and Success: each rule by hand, in every set-up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from helpers import RULES, database, goal
from hypothesis import given, settings, strategies as st
from stepped import State, play, rates_of, result_of

from mwz.harness.board.audit.setup_search import ALL_SETUPS, setup_rates
from mwz.harness.metrics import (
    COMPARISONS,
    SETUPS,
    UPDATES,
    DialogueResult,
    PlayedDialogue,
    Setup,
    Step,
    matched,
    steps as walk,
)
from mwz.harness.metrics.setups import CREDITS
from mwz.normalization import RuleSet

# The venues of helpers.py: r1 north greek cheap, r2 north thai cheap, r3 south greek (price not
# known), r4 south thai dear; trains at 6, 9, 12 and 15 o'clock, all on the same route.
DATABASE = database()

STRICT, OPTIMISTIC = (SETUPS[name].setup for name in ("strict", "optimistic"))


def _result(
    played: PlayedDialogue, setup: Setup = STRICT, rules: RuleSet = RULES
) -> DialogueResult:
    return result_of(played, DATABASE, rules, setup)


def _rates(
    dialogues: Sequence[PlayedDialogue], setup: Setup = STRICT
) -> dict[str, dict[str, float]]:
    return rates_of(dialogues, DATABASE, RULES, setup)


def _matches(played: PlayedDialogue, setup: Setup = STRICT) -> dict[str, float]:
    """Return goal domain -> the probability that it is matched."""
    return {domain: outcome.matched for domain, outcome in _result(played, setup).domains.items()}


def _matched(
    wanted: Mapping[str, str], *turns: tuple[str, State], setup: Setup = STRICT, **kwargs: Any
) -> float:
    """Return the probability that a dialogue about a restaurant is matched."""
    played = play({"restaurant": goal(wanted)}, *turns, **kwargs)
    return _matches(played, setup)["restaurant"]


def _restaurant(**slots: str) -> dict[str, dict[str, str]]:
    return {"restaurant": slots}


NORTH, SOUTH = _restaurant(area="north"), _restaurant(area="south")
NORTH_THAI = _restaurant(area="north", food="thai")
THAI = _restaurant(food="thai")


# What is offered.

NOWHERE = _restaurant(area="nowhere")
EVERYWHERE: State = {"restaurant": {}}


@pytest.mark.parametrize(
    ("wanted", "turns", "fits"),
    [
        # A name offers what the state finds; without one nothing is offered.
        ({"area": "north"}, [("NAME is nice", NORTH)], 1),
        ({"area": "north"}, [("NAME is nice", SOUTH)], 0),
        ({"area": "north"}, [("PHONE is its number", NORTH)], 0),
        ({"area": "north"}, [("TRAINID is nice", NORTH)], 0),
        # A mention is a plain substring.
        ({"area": "north"}, [("theNAMEs are", NORTH)], 1),
        ({"area": "north"}, [("the name is", NORTH)], 0),
        # A state without the domain finds no venues. Even those offered before are gone: none of
        # them is among no results.
        ({}, [("NAME", {"hotel": {"area": "north"}})], 0),
        ({}, [("NAME", NORTH), ("NAME", {})], 0),
        # A domain without slots finds all venues.
        ({}, [("NAME", EVERYWHERE)], 1),
        ({"area": "north"}, [("NAME", EVERYWHERE)], 0),
        # Every offered venue must fit: north finds r1 and r2, of which only r2 is Thai.
        ({"food": "thai"}, [("NAME", NORTH)], 0),
        ({"food": "thai"}, [("NAME", NORTH_THAI)], 1),
        # r2, then r1 and r2: the offer stays r2 while all of it is among the results.
        ({"food": "thai"}, [("NAME", NORTH_THAI), ("NAME", NORTH)], 1),
        # r1 and r2, then r2: the offer becomes r2.
        ({"food": "thai"}, [("NAME", NORTH), ("NAME", NORTH_THAI)], 1),
        # r2, then r3 and r4.
        ({"food": "thai"}, [("NAME", NORTH_THAI), ("NAME", SOUTH)], 0),
        # An offer of nothing is replaced by the next results.
        ({"area": "north"}, [("NAME", NOWHERE), ("NAME", NORTH)], 1),
        ({"area": "north"}, [("NAME", NOWHERE)], 0),
        ({"area": "north"}, [("NAME", NORTH), ("NAME", NOWHERE)], 0),
        # A goal that gives a name is matched outright.
        ({"name": "silver fork"}, [("bye", {})], 1),
        ({"name": "no such venue", "area": "north"}, [("NAME", SOUTH)], 1),
    ],
)
def test_what_is_offered_must_fit(
    wanted: Mapping[str, str], turns: Sequence[tuple[str, State]], fits: int
) -> None:
    assert _matched(wanted, *turns) == fits


def test_an_offer_of_nothing_is_set_anew_by_the_next_one() -> None:
    # Nothing is north and dear. The last turn decides why the domain is lost, not the first.
    dear = _restaurant(area="north", pricerange="expensive")
    played = play({"restaurant": goal()}, ("NAME", dear), ("NAME", dear))
    steps = list(walk(played, "restaurant", DATABASE, STRICT, RULES))
    assert [list(step.offered) for step in steps] == [[], []]
    assert [step.replaced for step in steps] == [True, True]


def test_only_turns_about_the_domain_count() -> None:
    turns = (("NAME", NORTH), ("NAME", SOUTH))
    assert _matched({"area": "north"}, *turns, active=[["restaurant"], ["hotel"]]) == 1
    assert _matched({"area": "north"}, *turns, active=[["hotel"], ["restaurant"]]) == 0
    assert _matched({"area": "north"}, *turns, active=[[], []]) == 0


# What is matched outright.


def test_domains_without_venues_are_matched() -> None:
    for domain in ("taxi", "police", "hospital"):
        assert _matches(play({domain: goal({"leave": "10:00"})}, ("ok", {}))) == {domain: 1}


def test_a_train_that_nobody_offers_is_matched_unless_its_id_is_asked_for() -> None:
    for requestable, fits in (((), 1), (("REFERENCE",), 1), (("TRAINID",), 0)):
        wanted = {"train": goal({"leave": "09:00"}, requestable)}
        assert _matches(play(wanted, ("NAME", {"train": {}}))) == {"train": fits}


def test_a_train_offered_must_fit() -> None:
    wanted = {"train": goal({"leave": "09:00"})}
    for leave, fits in (("12:00", 1), ("09:00", 1), ("06:00", 0)):
        played = play(wanted, ("TRAINID", {"train": {"leave": leave}}))
        assert _matches(played) == {"train": fits}
    # No train leaves on that day: a search without results counts as nothing offered.
    assert _matches(play(wanted, ("TRAINID", {"train": {"day": "sunday"}}))) == {"train": 1}


# What is provided.


_HOTEL, _RESTAURANT = ["hotel"], ["restaurant"]


@pytest.mark.parametrize(
    ("requestable", "responses", "facts", "provided"),
    [
        *((slot, [f"it is {slot}."], {}, True) for slot in ("PHONE", "ADDRESS", "POST", "TRAINID")),
        # A mention is a plain substring.
        ("PHONE", ["xPHONEx"], {}, True),
        ("PHONE", ["it is NAME."], {}, False),
        ("PHONE", ["phone"], {}, False),
        # Over several turns.
        ("PHONE POST", ["PHONE", "POST"], {}, True),
        ("PHONE POST", ["PHONE", "PHONE"], {}, False),
        # Only in a turn about the domain.
        ("PHONE", ["PHONE", "ok"], {"active": [_HOTEL, _RESTAURANT]}, False),
        ("PHONE", ["ok", "PHONE"], {"active": [_HOTEL, _HOTEL + _RESTAURANT]}, True),
        # A reference number only once the domain is booked.
        ("REFERENCE", ["ok", "REFERENCE"], {"booked": [[], _RESTAURANT]}, True),
        ("REFERENCE", ["REFERENCE", "ok"], {"booked": [[], _RESTAURANT]}, False),
        ("REFERENCE", ["ok", "REFERENCE"], {"booked": [_HOTEL, _HOTEL]}, False),
        # Nothing asked for is always provided, and what cannot be requested never.
        ("", ["ok"], {}, True),
        ("AREA", ["AREA"], {}, False),
    ],
)
def test_what_is_provided(
    requestable: str, responses: Sequence[str], facts: Mapping[str, Any], provided: bool
) -> None:
    turns = [(response, EVERYWHERE) for response in responses]
    played = play({"restaurant": goal({}, requestable.split())}, *turns, **facts)
    assert _result(played).domains["restaurant"].all_provided == provided


def test_what_is_provided_is_not_asked_of_the_other_domain() -> None:
    wanted = {"restaurant": goal({}, ["PHONE"]), "taxi": goal({}, ["PHONE"])}
    played = play(
        wanted,
        ("NAME, PHONE", {"restaurant": {}}),
        ("a taxi", {}),
        active=[["restaurant"], ["taxi"]],
    )
    result = _result(played)
    provided = {domain: outcome.all_provided for domain, outcome in result.domains.items()}
    assert provided == {"restaurant": True, "taxi": False}
    assert (result.inform, result.success) == (1, 0)


# Rates.


def test_rates_by_hand() -> None:
    asks = ["PHONE"]
    good = ("NAME at PHONE", NORTH)
    dialogues = [
        # Restaurant and taxi matched and provided.
        play({"restaurant": goal({"area": "north"}, asks), "taxi": goal()}, good),
        # The restaurant does not fit: the whole dialogue has no Success, the taxi neither.
        play({"restaurant": goal({"area": "south"}, asks), "taxi": goal()}, good),
        # Matched, but the telephone number is not provided; the taxi's Success counts.
        play({"restaurant": goal({"area": "north"}, asks), "taxi": goal()}, ("NAME", NORTH)),
        # Only a taxi.
        play({"taxi": goal({}, asks)}, ("PHONE", {})),
    ]
    rates = _rates(dialogues)
    assert rates["inform"] == pytest.approx({"total": 75, "restaurant": 200 / 3, "taxi": 100})
    assert rates["success"] == pytest.approx({"total": 50, "restaurant": 100 / 3, "taxi": 75})


def test_of_no_dialogue_the_rates_are_0() -> None:
    rates = _rates([])
    assert (rates["inform"], rates["success"]) == ({"total": 0}, {"total": 0})


# The set-ups of the paper's table 3.


# r4 is in the south; the strict search for it in the north finds nothing.
WRONG_AREA = _restaurant(area="north", name="iron pot")
# Were the name one constraint of many, nothing would be found; without it, r1 and r2.
ANY_NAME = _restaurant(area="north", name="dontcare")
FIRST, END = Setup(comparison="first"), Setup(updates="end")
SAMPLING = Setup(comparison="sampling")


@pytest.mark.parametrize(
    ("setup", "wanted", "turns", "chance"),
    [
        # Optimistic: one offered venue that fits is enough, and a name replaces the rest.
        (OPTIMISTIC, {"food": "thai"}, [("NAME", NORTH)], 1),
        (OPTIMISTIC, {"area": "south"}, [("NAME", NORTH)], 0),
        (OPTIMISTIC, {"area": "south"}, [("ok", SOUTH)], 0),
        (OPTIMISTIC, {"area": "south"}, [("NAME", WRONG_AREA)], 1),
        (STRICT, {"area": "south"}, [("NAME", WRONG_AREA)], 0),
        (OPTIMISTIC, {"area": "north"}, [("NAME", ANY_NAME)], 1),
        (OPTIMISTIC, {"area": "south"}, [("NAME", ANY_NAME)], 0),
        # The first result alone is offered. North: r1 (Greek), r2. South: r3 (Greek), r4.
        (FIRST, {"food": "greek"}, [("NAME", NORTH)], 1),
        (FIRST, {"food": "thai"}, [("NAME", NORTH)], 0),
        # r2 stays while it is a result, first or not; else the first result follows.
        (FIRST, {"food": "thai"}, [("NAME", NORTH_THAI), ("NAME", NORTH)], 1),
        (FIRST, {"food": "thai"}, [("NAME", NORTH_THAI), ("NAME", SOUTH)], 0),
        # What the last state finds, mentioned or not.
        (END, {"area": "south"}, [("NAME", NORTH), ("bye", SOUTH)], 1),
        (END, {"area": "north"}, [("NAME", NORTH), ("bye", SOUTH)], 0),
        (END, {"area": "south"}, [], 0),
        # At reference numbers, too.
        (Setup(updates="reference"), {"area": "north"}, [("booked, REFERENCE", NORTH)], 1),
        (STRICT, {"area": "north"}, [("booked, REFERENCE", NORTH)], 0),
        (Setup(updates="reference"), {"area": "north"}, [("NAME", NORTH)], 1),
        # One venue drawn of two fits by half.
        (SAMPLING, {"food": "thai"}, [("NAME", NORTH)], 1 / 2),
        (SAMPLING, {"area": "north"}, [("NAME", NORTH)], 1),
        (SAMPLING, {"area": "south"}, [("NAME", NORTH)], 0),
        (SAMPLING, {"area": "south"}, [("ok", SOUTH)], 0),
        # r1 or r2 by half. Then all Thai ones are results, r2 and r4: r2 stays, r1 is drawn anew,
        # a quarter each. So r2 by 3/4, r4 by 1/4.
        (SAMPLING, {"area": "north"}, [("NAME", NORTH), ("NAME", THAI)], 3 / 4),
        (SAMPLING, {"area": "south"}, [("NAME", NORTH), ("NAME", THAI)], 1 / 4),
        # Back in the north r2 stays by 3/4, and r4's 1/4 is drawn anew, 1/8 each: r1 1/8, r2 7/8.
        (SAMPLING, {"food": "greek"}, [("NAME", NORTH), ("NAME", THAI), ("NAME", NORTH)], 1 / 8),
        (SAMPLING, {"food": "thai"}, [("NAME", NORTH), ("NAME", THAI), ("NAME", NORTH)], 7 / 8),
        # A draw from nothing is no offer.
        (SAMPLING, {}, [("NAME", NORTH), ("NAME", NOWHERE)], 0),
        (SAMPLING, {"food": "thai"}, [("NAME", NOWHERE), ("NAME", NORTH)], 1 / 2),
    ],
)
def test_set_ups_offer_and_compare_in_their_own_ways(
    setup: Setup, wanted: Mapping[str, str], turns: Sequence[tuple[str, State]], chance: float
) -> None:
    assert _matched(wanted, *turns, setup=setup) == pytest.approx(chance)


def test_at_the_end_no_domain_need_be_active() -> None:
    turns = (("NAME", NORTH), ("bye", SOUTH))
    assert _matched({"area": "south"}, *turns, setup=END, active=[[], []]) == 1


def test_optimistic_searches_by_a_train_id_alone() -> None:
    wanted = {"train": goal({"leave": "09:00"})}
    state = {"train": {"trainid": "TR12", "leave": "23:00"}}
    # Strictly no train leaves so late: nothing is offered, and no id is asked for. A wrong id
    # is offered though.
    assert _matches(play(wanted, ("TRAINID", state)), OPTIMISTIC) == {"train": 1}
    early = {"train": {"trainid": "TR06", "leave": "12:00"}}
    assert _matches(play(wanted, ("TRAINID", early)), OPTIMISTIC) == {"train": 0}
    assert _matches(play(wanted, ("TRAINID", early)), Setup("subset")) == {"train": 1}
    # A train's departure is no name.
    named = {"train": {"name": "TR06", "leave": "12:00"}}
    assert _matches(play(wanted, ("TRAINID", named)), OPTIMISTIC) == {"train": 1}


def test_expected_rates_and_deviations_of_draws() -> None:
    # Dialogue 1: r1 or r2, Thai wanted, PHONE provided: Inform and Success 1/2. Dialogue 2: all
    # four restaurants, north wanted, 1/2, and one train of four, leaving at 9 or later, 3/4, both
    # by 3/8; its PHONE is missing. Dialogue 3 is certain.
    first = play({"restaurant": goal({"food": "thai"}, ["PHONE"])}, ("NAME, PHONE", NORTH))
    second = play(
        {"restaurant": goal({"area": "north"}, ["PHONE"]), "train": goal({"leave": "09:00"})},
        ("NAME and TRAINID", {"restaurant": {}, "train": {}}),
    )
    third = play({"taxi": goal()}, ("ok", {}))
    rates = _rates([first, second, third], SAMPLING)
    assert rates["inform"] == pytest.approx(
        {
            "total": 100 * (1 / 2 + 3 / 8 + 1) / 3,
            "restaurant": 100 * (1 / 2 + 1 / 2) / 2,
            "train": 75,
            "taxi": 100,
        }
    )
    # The train's slots are all provided, so its Success is the dialogue's Inform.
    assert rates["success"] == pytest.approx(
        {
            "total": 100 * (1 / 2 + 0 + 1) / 3,
            "restaurant": 100 * (1 / 2 + 0) / 2,
            "train": 100 * 3 / 8,
            "taxi": 100,
        }
    )
    # Variances p(1-p): 1/4, 15/64 and 0 for Inform; 1/4, 0 and 0 for Success. Of a mean of three
    # the deviation is the root of their sum over 3.
    [totals] = setup_rates([first, second, third], [SAMPLING], DATABASE, RULES).values()
    assert totals["inform_deviation"] == pytest.approx(100 * math.sqrt(1 / 4 + 15 / 64) / 3)
    assert totals["success_deviation"] == pytest.approx(100 * math.sqrt(1 / 4) / 3)


# The steps that the rule takes.


def _steps(played: PlayedDialogue, domain: str = "restaurant", setup: Setup = STRICT) -> list[Step]:
    return list(walk(played, domain, DATABASE, setup, RULES))


def test_each_turn_is_a_step_that_says_what_it_did() -> None:
    played = play(
        {"restaurant": goal({"food": "thai"}, ["PHONE", "REFERENCE"])},
        # Not about the restaurant: named, but nothing is asked.
        ("NAME at PHONE", NORTH_THAI),
        # r2 is offered.
        ("NAME", NORTH_THAI),
        # r1 and r2 are found, and r2 stays.
        ("NAME and PHONE", NORTH),
        # Nothing is named. The reference number is not booked yet.
        ("REFERENCE", NORTH),
        # r3 and r4 take its place.
        ("NAME, REFERENCE", SOUTH),
        # The state says nothing of restaurants.
        ("NAME", {"hotel": {}}),
        active=[["hotel"], *[["restaurant"]] * 5],
        booked=[[], [], [], [], ["restaurant"], []],
    )
    steps = _steps(played)
    assert [step.turn for step in steps] == [0, 1, 2, 3, 4, 5]
    assert [step.active for step in steps] == [False, True, True, True, True, True]
    assert [step.named for step in steps] == [True, True, True, False, True, True]
    asked = {"area": "north", "food": "thai"}
    assert [step.query for step in steps] == [
        *(None, asked, {"area": "north"}, None, {"area": "south"}, None)
    ]
    assert [step.venues if step.venues is None else list(step.venues) for step in steps] == [
        *(None, ["r2"], ["r1", "r2"], None, ["r3", "r4"], [])
    ]
    assert [step.offered if step.offered is None else list(step.offered) for step in steps] == [
        *(None, ["r2"], ["r2"], ["r2"], ["r3", "r4"], [])
    ]
    assert [step.replaced for step in steps] == [False, True, False, False, True, True]
    assert [step.slots for step in steps] == [
        *(("PHONE",), (), ("PHONE",), ("REFERENCE",), ("REFERENCE",), ())
    ]
    assert [step.provided for step in steps] == [(), (), ("PHONE",), (), ("REFERENCE",), ()]


def test_a_domain_without_venues_has_steps_without_offers() -> None:
    played = play({"taxi": goal({}, ["PHONE"])}, ("NAME, PHONE", {"taxi": {"leave": "09:00"}}))
    (step,) = _steps(played, "taxi")
    assert step == Step(0, True, False, None, None, None, False, ("PHONE",), ("PHONE",))


@pytest.mark.parametrize(
    ("comparison", "found"),
    [("subset", ["r1", "r2"]), ("intersection", ["r1", "r2"]), ("first", ["r1"])],
)
def test_equal_search_results_keep_the_offer(comparison: str, found: list[str]) -> None:
    # All that is north is cheap. Why the offer is lost, if it is, the first turn decides.
    cheap = _restaurant(area="north", pricerange="cheap")
    played = play({"restaurant": goal()}, ("NAME", NORTH), ("NAME", cheap))
    steps = list(walk(played, "restaurant", DATABASE, Setup(comparison), RULES))
    assert [list(step.offered) for step in steps] == [found] * 2
    assert [step.replaced for step in steps] == [True, False]


def test_the_rule_set_says_what_speaks_of_a_venue() -> None:
    """Under rules by which its kind of food does, a name does not."""
    domains = RULES.tables["domains"]
    by_food = {**domains, "restaurant": {**domains["restaurant"], "mention": "FOOD"}}
    rules = replace(RULES, name="own", tables={**RULES.tables, "domains": by_food})
    for response, inform in (("the FOOD one", (0, 1)), ("NAME", (1, 0)), ("NAME, FOOD", (1, 1))):
        played = play({"restaurant": goal({"area": "north"})}, (response, NORTH))
        assert (_result(played).inform, _result(played, rules=rules).inform) == inform


# Invariants.

_STATES = st.fixed_dictionaries(
    {},
    optional={
        "restaurant": st.fixed_dictionaries(
            {},
            optional={
                "area": st.sampled_from(["north", "south", "west"]),
                "food": st.sampled_from(["thai", "greek"]),
                "name": st.sampled_from(["iron pot", "golden spoon", "dontcare"]),
            },
        ),
        "train": st.fixed_dictionaries({}, optional={"leave": st.sampled_from(["09:00", "16:00"])}),
    },
)
_TURNS = st.lists(
    st.tuples(
        st.sampled_from(["ok", "NAME", "TRAINID", "NAME, PHONE, TRAINID", "REFERENCE and PHONE"]),
        _STATES,
        st.lists(st.sampled_from(["restaurant", "train", "taxi"]), max_size=2),
        st.dictionaries(
            st.sampled_from(["restaurant", "train", "taxi"]),
            st.sampled_from([("NAME",), ("TRAINID",), ("NAME", "PHONE"), ("REFERENCE",)]),
        ),
    ),
    max_size=5,
)
_GOALS = st.fixed_dictionaries(
    {},
    optional={
        "restaurant": st.builds(
            goal,
            st.fixed_dictionaries({}, optional={"area": st.sampled_from(["north", "south"])}),
            st.lists(st.sampled_from(["PHONE", "REFERENCE"])),
        ),
        "train": st.builds(goal, st.just({"leave": "09:00"}), st.lists(st.just("TRAINID"))),
        "taxi": st.builds(goal, st.just({}), st.lists(st.just("PHONE"))),
    },
).filter(bool)
_SETUPS = st.builds(
    Setup,
    st.sampled_from(sorted(COMPARISONS)),
    st.sampled_from(sorted(UPDATES)),
    st.booleans(),
    credits=st.sampled_from(sorted(CREDITS)),
    empty_replaces=st.booleans(),
    every_domain=st.booleans(),
    unbooked_train=st.booleans(),
)


@st.composite
def _dialogues(draw: st.DrawFn) -> PlayedDialogue:
    turns = draw(_TURNS)
    booked = [["restaurant"] if draw(st.booleans()) else [] for _ in turns]
    return play(
        draw(_GOALS),
        *((response, state) for response, state, _, _ in turns),
        active=[active for _, _, active, _ in turns],
        booked=booked,
        slots=[slots for *_, slots in turns],
    )


@settings(deadline=None, max_examples=100)
@given(_dialogues(), _SETUPS)
def test_steps_hold_together(played: PlayedDialogue, setup: Setup) -> None:
    for domain in played.gold.goal:
        steps = _steps(played, domain, setup)
        assert [step.turn for step in steps] == list(range(len(played.responses)))
        offered = None
        for step in steps:
            assert set(step.provided) <= set(step.slots)
            assert step.active or not step.provided
            # What is offered changes only where it is looked up anew.
            assert step.replaced <= (step.venues is not None)
            if not step.replaced and step.venues is None:
                assert step.offered is offered
            offered = step.offered
        # Scores are of what is offered last, and of what any turn provides.
        provided = {slot for step in steps for slot in step.provided}
        whole = _result(played, setup).domains[domain]
        assert whole.matched == matched(offered, played, domain, DATABASE, setup, RULES)
        assert whole.all_provided == (played.gold.goal[domain].requestable <= provided)


@settings(deadline=None, max_examples=50)
@given(st.lists(_dialogues(), max_size=4))
def test_many_set_ups_together_give_what_each_gives_alone(played: list[PlayedDialogue]) -> None:
    every = {*ALL_SETUPS, *(named.setup for named in SETUPS.values())}
    for setup, together in setup_rates(played, every, DATABASE, RULES).items():
        alone = _rates(played, setup)
        assert (together["inform"], together["success"]) == (
            alone["inform"]["total"],
            alone["success"]["total"],
        )
        assert 0 <= together["success"] <= together["inform"] + 1e-9 <= 100 + 2e-9
        if not COMPARISONS[setup.comparison].random:
            assert together["inform_deviation"] == together["success_deviation"] == 0

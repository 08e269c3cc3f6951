"""Grounded scores: each rule by hand on the sample's venues, and what the human responses get."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import pytest
from helpers import RULES, database, goal
from hypothesis import given, settings, strategies as st

from mwz.harness.benchmark import Goal
from mwz.harness.data import load_benchmark
from mwz.harness.grounding import GroundedDialogue, UserPart, told_shares
from mwz.harness.grounding.facts import count_facts, turn_domains
from mwz.harness.grounding.grounded import (
    ABOUT_ANOTHER_DOMAIN,
    GUESSED,
    IN_PART,
    NEVER_NAMED,
    NEVER_TOLD,
    NONE_FITS,
    NOT_RECORDED,
    NOWHERE,
    OF_ANOTHER,
    OF_UNNAMED,
    OTHER_LAST,
    OTHERWISE,
    REFUSED,
    TOO_EARLY,
    GroundedDomain,
    ground,
)
from mwz.harness.grounding.mentions import _Train
from mwz.harness.grounding.scores import (
    COUNTS,
    GroundedFigures,
    grounded_figures,
    rating,
    said_scores,
)
from mwz.harness.metrics import TOTAL
from mwz.harness.scoring import Scorer, database_of
from mwz.normalization.delexicaliser import Delexicaliser

SAMPLE = load_benchmark("sample")
VENUES = SAMPLE.venue_records(RULES)
DELEXICALISER = Delexicaliser(VENUES, RULES)
DATABASE = database_of(Scorer(SAMPLE))

# Italian restaurants of the sample: nonna's attic (id 5, centre, 01632960106) and two doves
# (id 11, north, 01632960112). Trains from ostley to brackwater on saturdays: see `_trains`.
ITALIAN = {"food": "italian"}
ITALIAN_CENTRE = {"food": "italian", "area": "centre"}


def _ground(
    texts: Sequence[str], goals: Mapping[str, Goal], booked: Sequence[Collection[str]] | None = None
) -> GroundedDialogue:
    return ground(texts, goals, DATABASE, DELEXICALISER, booked)


def _figures(dialogues: Iterable[GroundedDialogue]) -> GroundedFigures:
    return grounded_figures(map(rating, dialogues))


def _restaurant(
    *texts: str, wanted: Mapping[str, str] = ITALIAN_CENTRE, requested: Sequence[str] = ()
) -> GroundedDomain:
    return _ground(texts, {"restaurant": goal(wanted, requested)}).domains["restaurant"]


# Inform.


def test_the_last_response_with_venues_decides() -> None:
    went = _restaurant("Try Two Doves.", "Then Nonna's Attic.", "Shall I book it?")
    assert (went.matched, went.matched_all, went.venues, went.cause) == (True, True, ("5",), None)


def test_any_and_all_of_the_venues_named_last() -> None:
    went = _restaurant("There is Nonna's Attic, and Two Doves.")
    assert (went.matched, went.matched_all) == (True, False)
    assert set(went.venues) == {"5", "11"}
    # Both are Italian.
    went = _restaurant("There is Nonna's Attic, and Two Doves.", wanted=ITALIAN)
    assert (went.matched, went.matched_all) == (True, True)


@pytest.mark.parametrize(
    ("texts", "cause"),
    [
        (("I can help with that.", "The Marchmont has rooms."), NEVER_NAMED),
        (("Two Doves is Italian.",), NONE_FITS),
        (("Nonna's Attic, which is sadly closed for good.",), NEVER_NAMED),
        (("Nonna's Attic is Italian.", "So is Two Doves."), OTHER_LAST),
    ],
)
def test_causes_of_a_lost_match(texts: Sequence[str], cause: str) -> None:
    went = _restaurant(*texts)
    assert (went.matched, went.matched_all, went.cause) == (False, False, cause)


def test_domains_that_are_matched_outright() -> None:
    named = {"name": "nonna's attic"}
    goals = {"restaurant": goal(named), "taxi": goal({"leave": "10:00"}), "police": goal()}
    goals["train"] = goal({"day": "saturday"})
    went = _ground(["Certainly."], goals, booked=[()])
    assert all(domain.matched and domain.matched_all for domain in went.domains.values())
    # A train whose id is asked for is not.
    went = _ground(["Certainly."], {"train": goal({"day": "saturday"}, ("TRAINID",))})
    assert went.domains["train"].cause == NEVER_NAMED


def test_a_train_is_named_by_its_id() -> None:
    wanted = {"departure": "ostley", "destination": "brackwater", "day": "saturday"}
    fitting, *_ = DATABASE.query("train", wanted)
    other = next(record for record in VENUES["train"] if record["day"] != "saturday")
    goals = {"train": goal(wanted, ("TRAINID",))}
    went = _ground([f"{fitting} leaves early."], goals)
    assert went.success
    assert went.domains["train"].venues == (fitting,)
    # One that is named must fit, whether or not its id is requested.
    for requested in (("TRAINID",), ()):
        named = _ground([f"Take {other['trainID']}."], {"train": goal(wanted, requested)})
        train = named.domains["train"]
        assert (train.matched, train.matched_all, train.cause) == (False, False, NONE_FITS)
    # An id that no train has names a train, and none that fits.
    assert _ground([f"{fitting} is good.", "TR0000 as well."], goals).domains["train"].cause == (
        OTHER_LAST
    )


# Success.


def test_what_is_told_as_the_database_has_it_is_provided() -> None:
    went = _restaurant(
        "Nonna's Attic is at 17 Spindle Street, BW1 2SP.",
        "You reach them on (01632) 960 106.",
        requested=("PHONE", "POST", "ADDRESS"),
    )
    assert went.provided == {"ADDRESS": True, "PHONE": True, "POST": True}
    assert went.causes == {}


@pytest.mark.parametrize(
    ("texts", "cause"),
    [
        (("Nonna's Attic.",), NEVER_TOLD),
        (("Nonna's Attic. The number is 01632 960999.",), NOWHERE),
        # Two Doves'.
        (("Nonna's Attic. The number is 01632960112.",), OF_ANOTHER),
        (("It is Italian. The number is 01632960106.",), OF_UNNAMED),
    ],
)
def test_causes_of_a_telephone_number_not_told(texts: Sequence[str], cause: str) -> None:
    went = _restaurant(*texts, requested=("PHONE",))
    assert went.provided == {"PHONE": False}
    assert went.causes == {"PHONE": cause}


def test_a_street_is_a_part_of_an_address() -> None:
    went = _restaurant("Nonna's Attic is in Spindle Street.", requested=("ADDRESS",))
    assert went.causes == {"ADDRESS": IN_PART}


def test_what_the_database_does_not_know_cannot_be_told() -> None:
    venues = {"hotel": [{"id": "h1", "name": "the owl loft", "area": "north", "phone": "?"}]}
    delexicaliser = Delexicaliser(venues, RULES)
    wanted = {"hotel": goal({"area": "north"}, ("PHONE",))}
    said = "The Owl Loft, 01632 960123."
    went = ground([said], wanted, database(venues), delexicaliser)
    assert went.inform
    assert went.domains["hotel"].causes == {"PHONE": NOT_RECORDED}


def test_a_venue_that_the_goal_names_need_not_be_named_again() -> None:
    wanted = {"name": "nonna's attic"}
    went = _restaurant("Their number is 01632960106.", wanted=wanted, requested=("PHONE",))
    assert went.provided == {"PHONE": True}


def test_a_reference_number_belongs_to_the_domain_spoken_of() -> None:
    goals = {"hotel": goal({"area": "east"}, ("REFERENCE",))}
    room = "Your room at the Skylark Inn is booked, reference QX7P2M4K."
    assert _ground([room], goals).success
    # A response that tells no domain is about the one before; before any, about any.
    assert _ground(["Skylark Inn?", "Done, your reference is QX7P2M4K."], goals).success
    assert _ground(["Done, QX7P2M4K.", "The Skylark Inn!"], goals).success
    table = ["The Skylark Inn is nice.", "Your table at Brine is booked, reference QX7P2M4K."]
    causes = _ground(table, goals).domains["hotel"].causes
    assert causes == {"REFERENCE": ABOUT_ANOTHER_DOMAIN}
    assert _ground(["Skylark Inn."], goals).domains["hotel"].causes == {"REFERENCE": NEVER_TOLD}


def test_a_reference_number_is_of_its_sentence_where_numbers_are_fewer_than_domains() -> None:
    goals = {
        "hotel": goal({"area": "east"}, ("REFERENCE",)),
        "restaurant": goal({}, ("REFERENCE",)),
    }
    table = "Your table at Brine is booked. The reference is QX7P2M4K."
    hotel = "The Skylark Inn has rooms."
    went = _ground([f"{table} {hotel}"], goals).domains
    assert went["restaurant"].provided == {"REFERENCE": True}
    assert went["hotel"].causes == {"REFERENCE": ABOUT_ANOTHER_DOMAIN}
    both = [f"{table} {hotel} Yours is booked, too: AB3D5F7H.", f"{hotel} {table}"]
    for text, is_booked in zip(both, (True, False), strict=True):
        assert _ground([text], goals).domains["hotel"].provided == {"REFERENCE": is_booked}


def test_what_the_user_says_tells_what_a_turn_is_about() -> None:
    goals = {"taxi": goal({"leave": "10:00"}, ("PHONE",))}
    texts = ["Brine is lovely.", "Booked! It is a Tesla. Contact number: 69948451423."]
    assert not _ground(texts, goals).success
    users = ["Where can I eat?", "I also need a taxi at 10:00."]
    assert ground(texts, goals, DATABASE, DELEXICALISER, users=users).success
    assert _ground([texts[0], texts[1].replace("It", "Your car")], goals).success


def test_on_the_benchmarks_own_turns_a_reference_number_waits_for_the_booking() -> None:
    goals = {"hotel": goal({"area": "east"}, ("REFERENCE",))}
    texts = ["Skylark Inn, reference QX7P2M4K.", "Anything else?"]
    assert _ground(texts, goals, [["hotel"], ["hotel"]]).success
    early = _ground(texts, goals, [[], ["hotel"]]).domains["hotel"]
    assert early.causes == {"REFERENCE": TOO_EARLY}
    # Where bookings are not known, any turn will do.
    assert _ground(texts, goals, None).success
    # A number told early is not made good by another domain's, told once the hotel is booked.
    texts = ["Skylark Inn, reference QX7P2M4K.", "Your table at Brine is booked: AB3D5F7H."]
    early = _ground(texts, goals, [[], ["hotel", "restaurant"]]).domains["hotel"]
    assert early.causes == {"REFERENCE": TOO_EARLY}


def test_a_taxis_telephone_number_is_no_venues() -> None:
    goals = {"taxi": goal({"leave": "10:00"}, ("PHONE",))}
    assert _ground(["A red skoda comes for you. Call 07700 900123."], goals).success
    brine = _ground(["A red skoda takes you to Brine, 01632960110."], goals)
    assert brine.domains["taxi"].causes == {"PHONE": NEVER_TOLD}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Booked: QX7P2M4K.", None),
        ("That was full, so I booked another: QX7P2M4K.", None),
        ("I could not book it, it is sold out. Reference number QX7P2M4K.", REFUSED),
        ("There is no table left. Reference number: QX7P2M4K.", REFUSED),
        ("Reference number: QX7P2M4K is void.", REFUSED),
        ("I booked a table for 3 people on Monday at 18:30. Reference: QX7P2M4K.", None),
        ("They hold the table for 15 minutes until 18:45. Reference: QX7P2M4K.", None),
        ("I booked a table for 5 people. Reference: QX7P2M4K.", OTHERWISE),
        ("I booked a table on Sunday at 18:30. Reference: QX7P2M4K.", OTHERWISE),
        ("I booked a table for 12:00. Reference: QX7P2M4K.", OTHERWISE),
        ("18:30 was not free, so I booked a table at 12:00. Reference: QX7P2M4K.", OTHERWISE),
        ("I cancelled your booking. Reference: QX7P2M4K.", REFUSED),
        ("Had you booked, the reference number would be QX7P2M4K.", REFUSED),
        ("Booked: QX7P2M4K. They are closed on Sundays.", None),
        ("Booked: QX7P2M4K. You can cancel it until Sunday.", None),
        # What the goal asks for first is right, too.
        ("I booked a table for 19:30. Reference: QX7P2M4K.", None),
    ],
)
def test_a_reference_number_is_that_of_the_booking_wanted(text: str, cause: str | None) -> None:
    booking = {"people": "3", "day": "monday", "time": "18:30"}
    wanted = Goal(ITALIAN_CENTRE, frozenset({"REFERENCE"}), booking, first={"time": "19:30"})
    went = _ground(["Nonna's Attic.", text], {"restaurant": wanted}).domains["restaurant"]
    assert went.causes.get("REFERENCE") == cause


@pytest.mark.parametrize(
    ("later", "cause"),
    [
        ("I am sorry, the booking failed: QX7P2M4K is not valid.", REFUSED),
        ("I am sorry, your booking was declined.", REFUSED),
        ("Your table is for 5 people.", OTHERWISE),
        ("I could not book a train.", None),
    ],
)
def test_what_is_told_last_of_a_booking_holds(later: str, cause: str | None) -> None:
    wanted = Goal(ITALIAN_CENTRE, frozenset({"REFERENCE"}), {"people": "3"})
    texts = ["Nonna's Attic is booked: QX7P2M4K.", later]
    went = _ground(texts, {"restaurant": wanted}).domains["restaurant"]
    assert went.causes.get("REFERENCE") == cause


def test_a_taxi_that_is_refused_is_not_served() -> None:
    goals = {"taxi": Goal({"leave": "10:00"}, frozenset({"PHONE"}), {})}
    car = "a red Skoda, 07700900123."
    assert _ground([f"Your taxi is booked: {car}"], goals).success
    assert not _ground([f"I could not book your taxi. It would be {car}"], goals).inform


@pytest.mark.parametrize("text", ["01632960107, 01632960106 or 01632960108", "not 01632960106"])
def test_a_number_guessed_or_denied_is_not_told(text: str) -> None:
    went = _restaurant(f"Nonna's Attic: {text}.", requested=["PHONE"])
    assert went.causes == {"PHONE": GUESSED}


def test_success_takes_every_domain_and_every_slot() -> None:
    goals = {"restaurant": goal(ITALIAN_CENTRE, ("PHONE",)), "hotel": goal({"area": "east"})}
    response = "Nonna's Attic, 01632960106."
    went = _ground([response], goals)
    assert (went.inform, went.inform_all, went.success) == (False, False, False)
    assert _ground([response, "The Skylark Inn."], goals).success
    assert not _ground(["Nonna's Attic.", "The Skylark Inn."], goals).success


def test_rates_over_dialogues() -> None:
    def went(matched: bool, served: bool) -> GroundedDomain:
        return GroundedDomain(matched, False, (), {"PHONE": served}, None, {})

    outcomes = (
        {"hotel": went(True, True)},
        {"hotel": went(True, True), "train": went(False, True)},
        {"hotel": went(True, False)},
        {"train": went(True, True)},
    )
    nothing = dict.fromkeys(COUNTS, 0)
    rates = _figures(GroundedDialogue(domains, nothing) for domains in outcomes)
    # Matched: 1, 3, 4 of 4; hotel in 3 of 3; train in 1 of 2.
    assert rates["inform"] == {TOTAL: 75.0, "hotel": 100.0, "train": 50.0}
    assert rates["inform_all"] == {TOTAL: 0.0, "hotel": 0.0, "train": 0.0}
    # Success: 1 and 4. The second tells the hotel's slots but its dialogue does not match.
    assert rates["success"] == {TOTAL: 50.0, "hotel": pytest.approx(100 / 3), "train": 50.0}
    assert _figures([])["inform"] == {TOTAL: 0.0}


def test_a_domain_succeeds_as_said_only_where_the_whole_dialogue_matches() -> None:
    well = UserPart((), {}, (), (), True, True, "none")
    lost = replace(well, inform=False, success=False, fault="agent")
    scores = said_scores([{"hotel": well, "train": lost}, {"hotel": well}])
    assert scores.inform == {TOTAL: 50.0, "hotel": 100.0, "train": 0.0}
    assert scores.success == {TOTAL: 50.0, "hotel": 50.0, "train": 0.0}
    assert scores.lost_by["agent"] == 1


def test_turns_are_about_what_they_name_and_say() -> None:
    texts = ["Hello!", "Is a table for two all right?", "Certainly.", "The Skylark Inn, then."]
    domains = turn_domains([DELEXICALISER(text) for text in texts])
    assert domains == [set(), {"restaurant"}, {"restaurant"}, {"hotel"}]


# Faithfulness.


def _facts(*texts: str) -> tuple[int, ...]:
    """Return what texts tell of venues: how much, in the database, of a venue named by then."""
    return tuple(count_facts([DELEXICALISER(text) for text in texts]).values())


def test_what_is_told_is_in_the_database_and_of_a_named_venue_or_not() -> None:
    # Brine's number before and after it is named; a number of nobody; a train's id.
    counts = _facts("01632960110!", "Brine: 01632 960 110.", "Or 01632 960999.", "TR4017.")
    assert counts == (4, 3, 2)
    shares = told_shares(dict(zip(COUNTS, counts, strict=True)))
    assert shares == {"told": 4, "in_database": 75.0, "of_named_venue": 50.0}


def test_a_venue_that_a_taxi_goes_to_is_named() -> None:
    # "At Brine" is a placeholder of a place, not of a name.
    pick_up = "Your taxi will pick you up at Brine."
    assert "[destination]" in DELEXICALISER(pick_up).text
    assert _facts(pick_up, "Their number is 01632960110.") == (1, 1, 1)


def test_a_drivers_number_is_not_counted() -> None:
    assert _facts("Your taxi is booked, call 07700 900123.") == (0, 0, 0)
    assert told_shares({"told": 0}) == {"told": 0, "in_database": None, "of_named_venue": None}


# For any dialogue.

_SENTENCES = (
    *("Nonna's Attic is nice.", "Try Two Doves.", "The Skylark Inn has rooms.", "TR4017 it is."),
    *("The number is 01632960106.", "The number is 01632 960999.", "It is BW1 2SP.", "Hm?"),
    *("It is at 17 Spindle Street.", "The reference is QX7P2M4K.", "Your taxi is booked."),
)
_GOALS = st.dictionaries(
    st.sampled_from(("restaurant", "hotel", "train", "taxi")),
    st.builds(
        goal,
        st.dictionaries(st.sampled_from(("area", "day")), st.sampled_from(("centre", "saturday"))),
        st.lists(st.sampled_from(("PHONE", "ADDRESS", "POST", "REFERENCE", "TRAINID"))),
    ),
    min_size=1,
)


@given(st.lists(st.sampled_from(_SENTENCES), max_size=6), _GOALS)
@settings(max_examples=100, deadline=None)
def test_causes_and_outcomes_agree(texts: list[str], goals: dict[str, Goal]) -> None:
    went = _ground(texts, goals)
    assert list(went.domains) == list(goals)
    for domain, outcome in went.domains.items():
        assert outcome.matched == (outcome.cause is None)
        assert outcome.matched or not outcome.matched_all
        assert set(outcome.provided) == goals[domain].requestable
        lost = {slot for slot, is_provided in outcome.provided.items() if not is_provided}
        assert set(outcome.causes) == lost
    assert went.success <= went.inform
    assert went.inform_all <= went.inform
    details, in_database, of_named_venue = _facts(*texts)
    assert of_named_venue <= in_database <= details


def test_a_train_meets_a_goal_to_the_minute() -> None:
    train = _Train("TR4017", shares_id=True, times={"leave": 540, "arrive": 615}, record={})
    assert train.meets({"leave": "09:00", "arrive": "10:15"})
    assert not train.meets({"leave": "09:01"})
    assert not train.meets({"arrive": "10:14"})

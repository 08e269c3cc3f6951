"""Trains in dialogues of their own: which one is spoken of by times, and which ids are false."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from helpers import RULES

from mwz.harness import Scorer, load_benchmark
from mwz.harness.benchmark import Goal
from mwz.harness.grounding.grounded import (
    FALSE_TIMES,
    NEVER_NAMED,
    NEVER_TOLD,
    NONE_FITS,
    NOWHERE,
    OF_ANOTHER,
    OTHER_LAST,
    GroundedDomain,
    ground,
)
from mwz.harness.scoring import database_of
from mwz.normalization.delexicaliser import Delexicaliser

SAMPLE = load_benchmark("sample")
DELEXICALISER = Delexicaliser(SAMPLE.venue_records(RULES), RULES)
DATABASE = database_of(Scorer(SAMPLE))

# From brackwater to ostley on monday: TR4017 8:10 to 8:55, TR4078 11:10 to 11:55 and TR4139 15:40
# to 16:25, each for 9.80 pounds. On saturday trains leave at the same times.
MONDAY = {"departure": "brackwater", "destination": "ostley", "day": "monday"}
BY_NOON = {**MONDAY, "arrive": "12:00"}


def _train(
    *texts: str, wanted: dict[str, str] = BY_NOON, requested: Sequence[str] = (), further: str = ""
) -> GroundedDomain:
    goal = Goal(wanted, frozenset(requested), {}, frozenset(filter(None, [further])))
    return ground(texts, {"train": goal}, DATABASE, DELEXICALISER).domains["train"]


@pytest.mark.parametrize(
    "text",
    [
        "The train leaves at 11:10 and arrives at 11:55.",
        "A train leaves Brackwater at 8:10 am, arriving in Ostley by 8:55.",
        "I have the 11:10 train to Ostley.",
        "On Monday there are trains at 08:10 - 08:55 and 11:10 - 11:55.",
        "No train leaves at noon, but one gets in at 11:55.",
        "There are none after 12:00. The latest train arrives at 11:55.",
        "Your train from Brackwater to Ostley on Monday is booked, reference QX7P2M4K.",
    ],
)
def test_a_train_is_spoken_of_by_times_or_by_its_booking(text: str) -> None:
    assert _train(text).matched_all


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        # Too late; no such train; the other way; another day; both times are of different trains.
        ("The train leaves at 15:40 and arrives at 16:25.", NONE_FITS),
        ("I booked the 9:30 train for you, reference QX7P2M4K.", NONE_FITS),
        ("The train from Ostley to Brackwater leaves at 11:10.", NONE_FITS),
        ("On Saturday, the train leaves at 11:10.", NONE_FITS),
        ("The train leaves at 8:10 and arrives at 11:55.", NONE_FITS),
        # Nothing tells which train.
        ("The train takes 45 minutes and costs 9.80 pounds.", NEVER_NAMED),
        ("Your train ticket has the reference number QX7P2M4K.", NEVER_NAMED),
        ("Your table at Brine is booked, reference QX7P2M4K. There is no train.", NEVER_NAMED),
        ("There are trains to Ostley that arrive by 12:00.", NEVER_NAMED),
        ("I am sorry, there is no train that leaves at 11:10.", NEVER_NAMED),
        ("I booked a taxi to the station, leaving at 11:10.", NEVER_NAMED),
    ],
)
def test_a_train_is_not_won_by_anything_else(text: str, cause: str) -> None:
    went = _train(text)
    assert (went.matched, went.matched_all, went.cause) == (False, False, cause)


def test_stations_and_day_may_be_told_before_the_times() -> None:
    times = "It leaves at 11:10 and arrives at 11:55."
    assert _train("Trains from Brackwater to Ostley on Monday?", times).matched
    assert not _train("Trains from Brackwater to Ostley on Saturday?", times).matched


def test_every_train_of_a_list_counts() -> None:
    went = _train("Trains leave at 8:10 and 15:40, both from Brackwater.")
    assert (went.matched, went.matched_all) == (True, False)


def test_times_pick_out_one_of_the_ids_named_before() -> None:
    listed = "There are TR4017, TR4078 and TR4139."
    assert _train(listed, "I booked the 11:10 train.").venues == ("TR4078",)
    assert _train(listed, "I booked the 15:40 train.").cause == OTHER_LAST
    # A time that no train has is of something else.
    assert set(_train(listed, "I will book it at 9:30.").venues) == {"TR4017", "TR4078", "TR4139"}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("TR4078 leaves at 11:10 and arrives at 11:55.", None),
        ("TR4017 leaves at 8:10. TR4078 leaves at 11:10.", None),
        # Only some of the trains have times.
        ("There are TR4017 and TR4078, the first at 8:10.", None),
        ("TR4078 leaves at 11:10 a.m. and arrives at 11:55.", None),
        ("TR4078 leaves at 11:10 in the morning.", None),
        ("TR4078 leaves at 11:10 pm and arrives at 11:55.", FALSE_TIMES),
        ("TR4078 leaves at 11:40 and arrives at 12:15.", FALSE_TIMES),
        ("TR4078 leaves at 11:10. It arrives at 11:30.", FALSE_TIMES),
        ("TR4078 leaves at 11:10 and arrives by 11:30.", FALSE_TIMES),
        # People slip by minutes, and say one of the two for the other.
        ("TR4078 leaves at 11:15 and arrives at 11:50.", None),
        ("TR4078 leaves at 11:10 and arrives by 11:50.", None),
        ("TR4078 leaves at 11:10 and arrives at 11:55; be at the station by 10:50.", None),
        ("TR4078 leaves at 11:55.", None),
        ("The first train leaves at 9:40, but TR4078 arrives at 11:55.", None),
        ("TR0000 leaves at 11:10 and arrives at 11:55.", NONE_FITS),
        # One right time among guesses; another station, another day.
        ("TR4078 leaves at 5:00, 6:00, 11:10 or 21:00.", FALSE_TIMES),
        ("TR4078 leaves Ostley at 11:10.", FALSE_TIMES),
        ("TR4078 leaves at 11:10 on Sunday.", FALSE_TIMES),
        ("It is TR4078. It leaves on Sunday.", FALSE_TIMES),
        ("TR4078 is on Monday. Your room is from Sunday.", None),
    ],
)
def test_times_told_of_an_id_are_the_trains(text: str, cause: str | None) -> None:
    assert _train(text).cause == cause


@pytest.mark.parametrize(
    ("later", "cause"),
    [
        ("I booked TR4078, which leaves at 12:10.", OTHER_LAST),
        ("Your train leaves at 12:10 and arrives at 12:55.", OTHER_LAST),
        ("I booked TR4078. The total is 12.10.", None),
        ("I booked TR4078. Your table is for 12:10.", None),
    ],
)
def test_what_is_told_last_of_a_train_holds(later: str, cause: str | None) -> None:
    assert _train("TR4078 leaves at 11:10.", later).cause == cause


@pytest.mark.parametrize(
    ("text", "cause"),
    [("TR4078.", None), ("TR0000.", NOWHERE), ("TR4139.", OF_ANOTHER), ("11:10.", NEVER_TOLD)],
)
def test_an_id_is_told_if_it_is_of_a_train_that_fits(text: str, cause: str | None) -> None:
    assert _train(text, requested=["TRAINID"]).causes.get("TRAINID") == cause


def test_a_price_is_told_of_the_train_spoken_of() -> None:
    price = "It costs 9.80 pounds."
    assert _train(f"The train leaves at 11:10. {price}", further="price").further == {"price": True}
    went = _train(f"The train leaves at 15:40. {price}", further="price")
    assert went.causes == {"price": OF_ANOTHER}


@pytest.mark.parametrize(
    "sentence",
    [
        "TR4017 leaves Brackwater at 8:10 on monday, or 9:41. ",
        "A train to Ostley leaves at 8:10 or 11:10. ",
        "The train booking failed for AB12345X. ",
    ],
)
def test_long_responses_are_read_in_time_linear_in_their_length(sentence: str) -> None:
    began = time.process_time()
    _train((sentence * 2_500)[:100_000], requested=["REFERENCE"])
    # It takes two seconds; each pair of sentences once took minutes.
    assert time.process_time() - began < 15

"""What users choose from lists, in dialogues of their own."""

from __future__ import annotations

import pytest
from helpers import RULES, goal

from mwz.harness import Scorer, load_benchmark
from mwz.harness.grounding.grounded import GroundedDomain, ground
from mwz.harness.scoring import database_of
from mwz.normalization.delexicaliser import Delexicaliser

SAMPLE = load_benchmark("sample")
DELEXICALISER = Delexicaliser(SAMPLE.venue_records(RULES), RULES)
DATABASE = database_of(Scorer(SAMPLE))

# Nonna's attic (id 5) is Italian and in the centre; two doves (id 11) is Italian and in the north.
LISTED = "There are Nonna's Attic and Two Doves."
TRAINS = "TR4017 leaves at 8:10, TR4078 at 11:10 and TR4139 at 15:40."


def _restaurant(*turns: tuple[str, str]) -> GroundedDomain:
    goals = {"restaurant": goal({"food": "italian", "area": "centre"})}
    users, texts = zip(*turns, strict=True)
    return ground(texts, goals, DATABASE, DELEXICALISER, users=users).domains["restaurant"]


@pytest.mark.parametrize(
    ("user", "venues"),
    [
        ("I'll take Nonna's Attic.", {"5"}),
        ("Two Doves, please.", {"11"}),
        ("Can you book Two Doves for me?", {"11"}),
        ("Not Two Doves, but Nonna's Attic.", {"5"}),
        ("I don't like Two Doves, I prefer Nonna's Attic.", {"5"}),
        ("I want to try Nonna's Attic instead of Two Doves.", {"5"}),
        ("The first one.", {"5"}),
        ("I would go for the second.", {"11"}),
        ("Let's take the latter, please.", {"11"}),
        ("Option 1.", {"5"}),
        # Nothing is chosen.
        ("Is Two Doves expensive?", {"5", "11"}),
        ("What is the first thing to do there?", {"5", "11"}),
        ("Yes, please book it.", {"5", "11"}),
        ("Option 3.", {"5", "11"}),
    ],
)
def test_the_users_choice_decides(user: str, venues: set[str]) -> None:
    went = _restaurant(("Where can I eat?", LISTED), (user, "Certainly."))
    assert set(went.venues) == venues
    assert went.matched_all == (venues == {"5"})


def test_a_choice_stays_until_something_else_is_offered() -> None:
    chosen = ("I'll take Nonna's Attic.", f"Done. {LISTED}")
    assert _restaurant(("Italian?", LISTED), chosen).venues == ("5",)
    other = ("And another?", "Two Doves is Italian.")
    assert _restaurant(("Italian?", LISTED), chosen, other).venues == ("11",)
    # What no response has named is no choice from a list.
    assert set(_restaurant(("Italian?", LISTED), ("Book Brine.", "Done.")).venues) == {"5", "11"}


@pytest.mark.parametrize(
    "user", ["I'll take TR4078.", "The 11:10 train, please.", "The second one."]
)
def test_a_train_is_chosen_by_id_time_or_place(user: str) -> None:
    goals = {"train": goal({"day": "monday", "arrive": "12:00", "leave": "09:00"})}
    users = ["A train on Monday?", user]
    went = ground([TRAINS, "Booked."], goals, DATABASE, DELEXICALISER, users=users)
    assert (went.domains["train"].venues, went.inform_all) == (("TR4078",), True)

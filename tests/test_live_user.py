"""The scripted user of live dialogues: what it says to which responses."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers import PROJECT, Cli
from live_tasks import play_task

from mwz.harness import Benchmark
from mwz.harness.data import DomainTask, Task
from mwz.harness.data.goals import read_tasks
from mwz.harness.live.agents import Baseline
from mwz.harness.live.environment import Environment
from mwz.harness.live.users import ScriptedUser, behaviours, scripted_user
from mwz.harness.live.world import World
from mwz.harness.scoring import Options, Scorer


def _wanting(domain: str, info: Mapping[str, str], *asked: str, **book: str) -> Task:
    return Task("town002", {domain: DomainTask(info, asked, book)}, ("You are looking for it",))


def _answer(world: World, task: Task | str, *responses: str) -> str:
    """Return what the user says to the last of some responses."""
    user = ScriptedUser(world.tasks[task] if isinstance(task, str) else task, world, "1")
    user(None)
    return [user(response)[0] for response in responses][-1]


HEARS_NOTHING_IS_THERE = [
    ("town001", ["Unfortunately, there are no Ethiopian restaurants in the centre."], "italian"),
    ("town001", ["I couldn't find any matches. Would you like another cuisine?"], "italian food"),
    ("town001", ["We don't have that. There's Nonna's Attic, though."], "italian food"),
    ("town001", ["Sorry, nothing was found!"], "italian food"),
    ("town001", ["It doesn't appear that there are any like that."], "italian food"),
    ("town001", ["My search came back empty."], "italian food"),
    ("town001", ["Such a place doesn't exist in our listings."], "italian food"),
    ("town001", ["That isn't available, I'm afraid."], "italian food"),
    # In any words, after two answers without an offer.
    ("town001", ["Ethiopian is a rarity here."], "ethiopian"),
    ("town001", ["Ethiopian is a rarity here.", "Truly rare."], "italian food"),
]
IS_ASKED = [
    ("town026", ["Which part of town would you like?"], "in the south"),
    ("town026", ["What type of attraction are you interested in?"], "of the type museum"),
    ("town026", ["Please tell me what kind of place you have in mind."], "of the type museum"),
    ("town026", ["Do you have a price range in mind?"], "no preference|does not matter"),
    # A list belongs to its sentence, which is a question; another line is a sentence.
    ("town026", ["You want:\n \n - area\n\n2 type?"], "(?=.*in the south).*of the type museum"),
    ("town026", ["In every area \n\n what type?"], "^(?!.*in the south).*of the type museum"),
]
_SEAFOOD = "How about **Brine**?"
BOOKS = [
    ("town006", [_SEAFOOD], "19:00"),
    ("town006", [_SEAFOOD, "I'm sorry, that booking failed. Another time?"], "18:30"),
    ("town006", [_SEAFOOD, "They are fully booked then."], "18:30"),
    ("town006", [_SEAFOOD, "They have no tables left. What other time would you like?"], "18:30"),
    ("town006", [_SEAFOOD, "It didn’t go through."], "18:30"),
    ("town006", [_SEAFOOD, "They're booked up at 19:00."], "18:30"),
    ("town006", [_SEAFOOD, "Regrettably they turned us down."], "18:30"),
    ("town006", [_SEAFOOD, "The request did not go through. Any other idea?"], "18:30"),
    ("town006", [_SEAFOOD, "Is 19:00 fixed?", "Would it be fine later?"], "18:30"),
    ("town006", [_SEAFOOD, "How many people will be coming, and on what day?"], "6 people"),
    ("town006", [_SEAFOOD, "Your table is reserved!"], "reference number"),
    ("town006", [_SEAFOOD, "Booked. Your reference is **AB4D5FGH**."], "postcode"),
]
_STARS = "The Marchmont has 5 stars. Anything else?"
SMALL_TALK = [
    ("town007", [_STARS, "What name should I book under?"], "The name is Alex Miller. Please book"),
    ("town007", [_STARS, "Could I have your phone number or e-mail?"], "without it. Please book"),
    ("town007", [_STARS, "Shall I go ahead and book it?"], "Please book a room there"),
    ("town007", [_STARS, "One moment please."], "wait|take your time"),
    ("town007", [_STARS, "Great, let me check that for you."], "wait|take your time"),
    ("town007", [_STARS, "Is there anything else I can help with?"], "Please book a room there"),
    ("town007", [_STARS, ""], "did not get that"),
    # To wait three times is not held against the agent.
    ("town007", [_STARS, *["One moment please."] * 3, "It is booked."], "reference number"),
    ("town007", [_STARS, *["One moment please."] * 4], "Please book a room there"),
    ("town007", [_STARS, *["One moment please."] * 6], "(Never mind|leave it at that).*address"),
    # What asks for a confirmation, or brings anything new, asks for no patience.
    ("town007", [_STARS, "3 nights. Please confirm and I'll book it right away."], "book a room"),
    ("town007", [_STARS, "If that is right, I will book it right away."], "book a room"),
    ("town007", [_STARS, "Ref AB4D5FGH, please hold on to it."], "address"),
    ("town007", [_STARS, "Done a moment ago: AB4D5FGH. Let me see if you need more."], "address"),
    ("town007", [_STARS, "AB4D5FGH. They are looking forward to seeing you."], "address"),
]
_BOOKED = "I have booked The Marchmont in the centre, your reference is AB4D5FGH."
BOOKS_NOTHING_TWICE = [
    ("town007", [_BOOKED, "Anything else?"], "What is the address"),
    # A reference number that it knows is no new one.
    ("town007", [_BOOKED, "It is at 1 Mill Lane. Your reference is AB4D5FGH."], "hall of clocks"),
]


def _hotel(**info: str) -> Task:
    return _wanting("hotel", info, day="monday")


_ACCEPTS = "book"
_EAST = "^(?!.*book).*in the east"
OBJECTS = [
    (_hotel(area="east"), ["Skylark Inn is in the centre."], _EAST),
    (_hotel(area="east"), ["Skylark Inn, 1 Centre Road, is nice and central."], _EAST),
    (_hotel(area="east"), ["Skylark Inn is nice."], _ACCEPTS),
    (_hotel(stars="3"), ["Skylark Inn has 4 stars."], "^(?!.*book).*with 3 stars"),
    (_hotel(parking="yes"), ["Skylark Inn has wifi, but no parking."], "^(?!.*book).*free parking"),
    (_hotel(parking="yes"), ["Skylark Inn has parking, but no wifi."], _ACCEPTS),
    (_hotel(pricerange="cheap"), ["Skylark Inn is rather pricey."], "^(?!.*book).*cheap price"),
    (_hotel(type="hotel"), ["Skylark Inn is a guest house."], "^(?!.*book).*of the type hotel"),
    (_hotel(name="skylark inn"), ["How about Willow Bank?"], "^(?!.*book).*called skylark inn"),
    (_hotel(name="skylark inn"), ["The Skylark Inn hotel has rooms."], _ACCEPTS),
    (_hotel(area="east"), ["Try Skylark Inn in the east, or Fern Gate in the west."], _ACCEPTS),
    # It waits for nothing where there is an offer.
    (_hotel(area="east"), ["Skylark Inn is in the east. One moment please."], "^(?!.*(wait|time))"),
    (_hotel(area="east"), ["Skylark Inn: in the centre. One moment please."], "^(?!.*(wait|time))"),
]


def _train(slot: str) -> Task:
    return _wanting("train", {"destination": "ostley", slot: "09:00"}, people="1")


_REJECTS, _BOOKS_IT = "^(?!.*book that train)", "book that train"
TRAINS = [
    (_train("leaveAt"), ["TR4017 leaves at 08:10 and arrives at 08:55."], _REJECTS),
    (_train("leaveAt"), ["TR4017 leaves at 9:15 am and arrives at 10:00 am."], _BOOKS_IT),
    (_train("arriveBy"), ["TR4017 leaves at 08:10 and arrives at 09:55."], _REJECTS),
    (_train("arriveBy"), ["For 09:00, TR4017 goes at 08:10 and arrives at 08:55."], _BOOKS_IT),
    (
        _train("leaveAt"),
        ["You would leave after 09:00, let me look at 09:05."],
        "take your time|wait",
    ),
    (_train("leaveAt"), ["The ticket office opens at 09:30."], "^(?!.*book that train)"),
    (_train("leaveAt"), ["A train departs at 9.15 and gets in at 10.00 hrs."], _BOOKS_IT),
    (_train("leaveAt"), ["TR4017 leaves at 11 PM and arrives at 1 AM."], _BOOKS_IT),
    (_train("arriveBy"), ["There is one at 08:10 that arrives at 08:55. Book it?"], _BOOKS_IT),
]
_PHONE = _wanting("hotel", {"area": "east"}, "phone")
_SEVERAL = "1. Fern Gate, in the west, 01632960205; 2. Skylark Inn, in the east, {}; 3. Willow Bank"
_NUMBER_UNKNOWN = ["Skylark Inn?", "For Skylark Inn, the phone number is not known."]
_GOODBYE = "oodbye.$"
ASKS = [
    # Of several venues it takes the first that fits, whose number is beside it.
    (_PHONE, [_SEVERAL.format("cheap")], "Skylark Inn"),
    (_PHONE, [_SEVERAL.format("01632960207")], _GOODBYE),
    (_PHONE, ["Skylark Inn is full. I suggest Willow Bank."], "Willow Bank"),
    # It asks nothing of a venue before there is one.
    (_PHONE, ["Sorry, there is nothing like that."], "^(?!.*phone).*in the east"),
    # It asks for another venue where a number is not known, once.
    (_PHONE, _NUMBER_UNKNOWN, "another one whose phone number"),
    (_PHONE, ["Skylark Inn?", "Its phone number isn't listed."], "another one whose phone number"),
    (_PHONE, [*_NUMBER_UNKNOWN, "I am sorry, there are no others."], _GOODBYE),
    (_PHONE, [*_NUMBER_UNKNOWN, "Willow Bank: 01632960208."], _GOODBYE),
]
_SEVERAL_ASKED = _wanting("hotel", {"area": "east"}, "phone", "stars", "internet")
_TWO = "phone number and number of stars"
_BOTH = "Willow Bank has wifi, and Skylark Inn has 3 stars."
ASKS_FOR_NOTHING_TWICE = [
    (_SEVERAL_ASKED, ["Skylark Inn has 3 stars and wifi. Call 01632960207."], _GOODBYE),
    (_SEVERAL_ASKED, ["Skylark Inn has wifi. Shall I go on?"], f"^(?!.*internet).*{_TWO}"),
    (_wanting("hotel", {"area": "east"}, "internet"), ["Skylark Inn?", "Yes, it does."], _GOODBYE),
    # The number is Willow Bank's, and the user has not taken it.
    (_SEVERAL_ASKED, [_BOTH, "3 stars, and call 01632960208."], _GOODBYE),
]
_EAST_HOTEL = DomainTask({"area": "east"}, book={"day": "monday"})
_BRINE, _RIDE = DomainTask({"name": "brine"}), DomainTask({})
_TAXI = Task("town002", {"hotel": _EAST_HOTEL, "restaurant": _BRINE, "taxi": _RIDE}, ())
_NAMELESS = "I have booked one, reference AB4D5FGH."
RIDES = [
    (_TAXI, [_NAMELESS, "Brine?"], "(?=.*from the hotel).*to Brine"),
    (_TAXI, [f"Skylark Inn? {_NAMELESS}", "Brine?"], "(?=.*from Skylark Inn).*to Brine"),
]


@pytest.mark.parametrize(
    ("task", "responses", "answer"),
    [
        *(*HEARS_NOTHING_IS_THERE, *IS_ASKED, *BOOKS, *SMALL_TALK, *BOOKS_NOTHING_TWICE),
        *(*OBJECTS, *TRAINS, *ASKS, *ASKS_FOR_NOTHING_TWICE, *RIDES),
    ],
)
def test_the_user_answers(
    world: World, task: Task | str, responses: list[str], answer: str
) -> None:
    said = _answer(world, task, *responses)
    assert re.search(answer, said), said


@pytest.mark.parametrize("id_", ["town001", "town006"])
def test_the_user_goes_on_to_the_alternatives(world: World, id_: str) -> None:
    environment = Environment(world)
    assert play_task(environment, Baseline(), id_)["solved"]
    said = " ".join(turn["user"] for turn in environment.transcript)
    wanted = world.tasks[id_].domains["restaurant"]
    first = {**wanted.fail_info, **wanted.fail_book}
    for slot, value in first.items():
        later = {**wanted.info, **wanted.book}[slot]
        assert said.index(value) <= said.index(later)


@pytest.mark.parametrize(
    "response",
    [
        "12:30 . ? " * 100_000,
        "Where " * 10_000 + "?",
        # Lines that end before a list, with nothing in them.
        "See" + "\n" * 9_900 + "- this",
    ],
)
def test_the_user_hears_a_long_response_in_no_time(world: World, response: str) -> None:
    began = time.process_time()
    assert _answer(world, "town007", response)
    # The first takes a tenth of a second; before it was cut, it took minutes.
    assert time.process_time() - began < 10


def test_the_user_gives_up_on_an_agent_that_gets_nowhere(world: World) -> None:
    environment = Environment(world)
    outcome = play_task(environment, lambda said, call: "I see.", "town007")
    assert environment.transcript[-1]["user"].endswith("oodbye.")
    # Three turns without progress each for the hotel and the attraction, and the goodbye.
    assert outcome["turns"] == 7
    assert not outcome["inform"]


@pytest.mark.parametrize("behaviour", behaviours())
def test_the_baseline_bears_with_users_that_do_not_cooperate(world: World, behaviour: str) -> None:
    environment = Environment(world, scripted_user(behaviour))
    said: list[list[str]] = []
    for id_ in [*world.tasks, *world.tasks]:
        assert play_task(environment, Baseline(), id_)["solved"]
        said.append([turn["user"] for turn in environment.transcript])
    # The seed decides what is said.
    assert said[:30] == said[30:]
    asides = [*behaviours()[behaviour].before, *behaviours()[behaviour].after, " um "]
    text = str(said)
    assert any(aside in text for aside in asides)


@pytest.mark.parametrize(
    ("behaviour", "responses", "answer"),
    [
        ("impatient", [_STARS, "One moment please."], "Please book a room there"),
        ("impatient", [_STARS, "Hm.", "Hm."], "Never mind|leave it at that"),
        ("incomplete", [_STARS], "^(?!.*night).*book.* and …$"),
        ("incomplete", [_STARS, "For how long?"], "book.*night"),
        ("impatient", ["Good morning."], "5 stars"),
    ],
)
def test_a_behaviour_shows(world: World, behaviour: str, responses: list[str], answer: str) -> None:
    task = _wanting("hotel", {"stars": "5"}, people="2", stay="3")
    user = scripted_user(behaviour)(task, world, "1")
    user(None)
    said = [user(response)[0] for response in responses][-1]
    assert re.search(answer, said), said


def test_an_unknown_behaviour_is_refused(cli: Cli) -> None:
    for name in ("rude", ""):
        message = cli.refused("play", "--user", f"scripted:{name}")
        assert f"unknown behaviour '{name}'; choose from unavailable" in message


@pytest.mark.slow
@pytest.mark.real_data
def test_the_page_says_what_behaviours_cost(multiwoz: Benchmark, upstream: Path) -> None:
    page = (PROJECT / "docs/live.md").read_text("utf-8")
    scorer = Scorer(multiwoz, Options(lexicalised=True))
    world = World(scorer, read_tasks(upstream / "ConvLab-2"))
    for name, behaviour in behaviours().items():
        environment = Environment(world, scripted_user(name))
        outcomes = [play_task(environment, Baseline(), id_) for id_ in world.tasks]
        solved = 100 * sum(outcome["solved"] for outcome in outcomes) / len(outcomes)
        turns = sum(outcome["turns"] for outcome in outcomes) / len(outcomes)
        assert f"| `{name}` | {behaviour.meaning} | {solved:.1f} | {turns:.1f} |" in page

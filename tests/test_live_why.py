"""`mwz why` of plays: the causes of every task that is not solved, and whose fault it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Model, calling, chat_server, failing, saying
from helpers import Cli, Run
from live_tasks import ROOM

from mwz.harness import Benchmark
from mwz.harness.data.goals import read_tasks
from mwz.harness.glossary import glossary
from mwz.harness.live.agents import Baseline, Call
from mwz.harness.live.causes import Finding, findings
from mwz.harness.live.environment import Environment
from mwz.harness.live.plays import LiveRun, RunConfig, play_dialogue
from mwz.harness.live.world import BrokenOffError, User, World


def as_agent(model: Model) -> Callable[[str, Call], str]:
    """Return a model as an agent, without a server."""
    messages: list[dict[str, Any]] = []

    def reply(said: str, call: Call) -> str:
        messages.append({"role": "user", "content": said})
        while True:
            answer: Any = model(messages)
            if not answer.get("tool_calls"):
                return str(answer["content"])
            for made in answer["tool_calls"]:
                result = call(made["function"]["name"], made["function"]["arguments"])
                messages.append({"role": "tool", "content": json.dumps(result)})

    return reply


def _another_venue(name: str, slots: dict[str, Any]) -> dict[str, Any]:
    others = {"book_hotel": "the weather house", "book_restaurant": "the pewter ladle"}
    return {**slots, "name": others[name]} if name in others else slots


def _nine_people(name: str, slots: dict[str, Any]) -> dict[str, Any]:
    return {**slots, "people": 9} if name.startswith("book") and "people" in slots else slots


def _anywhere(name: str, slots: dict[str, Any]) -> dict[str, Any]:
    return {slot: value for slot, value in slots.items() if slot != "area"}


# The only cheap hotel in the east is Skylark Inn; The Weather House is in the north.
_WEATHER = "the weather house (area is 'north', wanted is 'east'); would fit: skylark inn"

FAILING: dict[str, tuple[Model, str, str]] = {
    "wrong venue booked": (failing(_another_venue), "town002", f"turn 2: {_WEATHER}"),
    "wrong booking": (failing(_nine_people), "town002", "turn 2: people is '9', wanted is '2'"),
    "unfit venue offered": (failing(_anywhere), "town002", f"turn 0: {_WEATHER}"),
    "request not answered": (
        failing(words=lambda text: re.sub("phone number is .*?[.,]", "", text)),
        "town001",
        "phone never told, asked for in turn",
    ),
    "number made up": (failing(skipped="book_"), "town002", "turn 1: no booking returned AB4D5FGH"),
    "not booked": (
        failing(words=lambda text: re.sub("AB4D5FGH", "on its way", text), skipped="book_"),
        "town002",
        "book_hotel is never called",
    ),
    "no tool called": (lambda _: saying("The Skylark Inn is a nice hotel."), "town002", "6 turns"),
    "no venue named": (
        failing(words=lambda text: "I have found several. Anything else?"),
        "town001",
        "would fit: nonna's attic",
    ),
}
"""What is wrong -> a model that does it, a task, and what is said of that."""


pytest.importorskip("openai", reason="needs the extra openai")


def _found(environment: Environment, agent: Callable[..., str], id_: str) -> Any:
    """Let an agent play a task, and return whether it is solved, and what went wrong."""
    environment.reset(id_)
    while (said := environment.user_turn()) is not None:
        environment.respond(agent(said, environment.call))
    outcome = environment.outcome()
    return outcome["solved"], _findings(environment)


def _findings(environment: Environment) -> list[Finding]:
    line = {"dialogue_id": environment.task.id, "turns": environment.transcript}
    return findings({**line, "outcome": environment.outcome()}, environment.world)


def _play(cli: Cli, model: Model, file: Path, *options: object) -> Run:
    """Let a model play tasks of the sample into a file."""
    with chat_server(model) as server:
        about = ("--agent", "model:m", "--base-url", server.url, "-o", file)
        return cli.done("play", "--benchmark", "sample", *about, *options)


@pytest.mark.parametrize(
    ("cause", "model", "id_", "words"),
    [
        *((cause, *facts) for cause, facts in FAILING.items()),
        (
            "error of the agent",
            lambda messages: calling("query_hotel", "{}"),
            "town001",
            "turn 0: the agent calls tools 15 times and does not respond",
        ),
    ],
)
def test_what_a_model_does_wrong_is_named(
    cli: Cli, tmp_path: Path, cause: str, model: Model, id_: str, words: str
) -> None:
    file = tmp_path / "p.jsonl"
    _play(cli, model, file, "--tasks", 2)
    why = cli.of("why", file, "--benchmark", "sample")
    table = why.done().out
    assert re.search(rf"(?m)^{cause}  .* \d+ +\d+$", table)
    assert f"{cause}: {glossary()['causes'][cause].meaning}" in table
    assert not re.search("(?m)^lost by (the user|both)", table)
    text = " ".join(why.done("--dialogue", id_).out.split())
    assert f"{cause}: {words}" in text
    assert f"{id_}, " in why.done("--cause", cause).out


def test_a_made_up_number_is_of_the_domain_that_its_sentence_is_about() -> None:
    environment = Environment(World.of("sample"), _saying("I need a hotel and a train.", "Bye."))
    environment.reset("town012")
    for response in ("Your room has the reference number AB4D5FGH.", "Bye."):
        environment.user_turn()
        environment.call("query_train", {})
        environment.respond(response)
    made_up = [finding for finding in _findings(environment) if finding.cause == "number made up"]
    assert [finding.domain for finding in made_up] == ["hotel"]


def _saying(*sentences: str) -> Callable[..., User]:
    """Return a user that says just this."""
    left = list(sentences)
    return lambda *_: lambda response: (left.pop(0), not left)


def _looks(said: str, call: Call) -> str:
    call("query_hotel", {})
    return "One moment please."


def test_a_dialogue_without_end_is_named(world: World) -> None:
    environment = Environment(world, _saying(*["I need a restaurant."] * 31))
    _, [lost, *others] = _found(environment, _looks, "town001")
    assert lost.cause == "no end"
    assert lost.words == "30 of 30 responses are 'One moment please.'"
    # All other causes stand beside it.
    assert [other.cause for other in others] == ["no venue named", "request not answered"]


def _talk(world: World, id_: str, user: Sequence[str], agent: Sequence[str]) -> LiveRun:
    """Return the run of one dialogue, of what a user that is no script and an agent say."""
    left = list(agent)

    def answer(said: str, call: Call) -> str:
        if not left:
            raise BrokenOffError("no answer")
        return left.pop(0)

    config = RunConfig(world, [id_], lambda: answer, "a", _saying(*user), "u")
    return LiveRun(config, [play_dialogue(config, 1, id_)])


def test_a_wrong_venue_is_named_where_the_goal_gives_the_name(world: World) -> None:
    # The goal is The Pewter Ladle, and the agent, which knows it, prefers another.
    agent = ("The Pewter Ladle is far. Pepper Moon is near.", "Pepper Moon: 8 Kiln Road, bw34rd.")
    run = _talk(world, "town008", ("I want The Pewter Ladle.", "Its address? Goodbye."), agent)
    [found] = [f for f in findings(run.lines[0], world) if f.cause == "unfit venue offered"]
    assert found.domain == "restaurant"
    wrong = "turn 1: pepper moon (name is 'pepper moon', wanted is 'the pewter ladle')"
    assert found.words == f"{wrong}; would fit: the pewter ladle"


OFFER = "Skylark Inn is cheap, and in the east."


@pytest.mark.parametrize(
    ("user", "agent", "fault", "words"),
    [
        # The goal is a cheap hotel in the east, which the user wants to book.
        (
            ("I need a cheap hotel.", "Great. That is all."),
            ("The Weather House is cheap.", "Goodbye."),
            "user",
            "never said: area, people, day, stay; never asked for: REFERENCE",
        ),
        # The agent says goodbye, has no answer, or goes on for ever: the user had no turn left.
        (
            ("A cheap hotel in the east.", "Oh. That is all."),
            (OFFER + " Goodbye!", "Bye"),
            "agent",
            "",
        ),
        (("A cheap hotel in the east.", "Two people."), (OFFER,), "none", ""),
        (("A cheap hotel in the east.",) * 31, (OFFER,) * 31, "agent", ""),
    ],
)
def test_what_the_user_had_no_turn_for_is_not_its_fault(
    world: World, user: Sequence[str], agent: Sequence[str], fault: str, words: str
) -> None:
    [parts] = _talk(world, "town002", user, agent).parts
    assert (parts["hotel"].fault, parts["hotel"].words) == (fault, words)


def test_what_was_objected_to_and_wrong_calls_are_summed_up(cli: Cli, tmp_path: Path) -> None:
    def model(messages: Sequence[Mapping[str, Any]]) -> Answer:
        called = messages[-1]["role"] == "tool"
        offer = saying("How about Nonna's Attic, in the north?")
        return offer if called else calling("query_restaurant", '{"colour": "red"}')

    file = tmp_path / "p.jsonl"
    _play(cli, model, file, "--tasks", 1)
    # A call in each turn.
    turns = len(json.loads(file.read_text(encoding="utf-8"))["turns"])
    summary = " ".join(cli.done("why", file, "--benchmark", "sample").out.split())
    assert f"calls answered by an error: {turns}; {turns} of them: unknown slot 'colour'" in summary
    assert "asked for in no turn; the user objected (area centre) and gave up" in summary


def test_a_user_that_breaks_off_is_to_blame(world: World) -> None:
    # It has nothing left to say.
    environment = Environment(world, lambda *_: lambda response: None if response else ("Hi", 0))
    environment.reset("town001").user_turn()
    environment.respond("Hello")
    environment.fail("the user says nothing")
    # Nothing else counts of what is broken off.
    [first] = _findings(environment)
    assert first == Finding("error of the user", "restaurant", "turn 1: the user says nothing")


def test_of_several_bookings_the_last_is_shown(world: World) -> None:
    environment = Environment(world).reset("town002")
    for slots in (ROOM, {**ROOM, "people": "7"}):
        environment.user_turn()
        environment.call("book_hotel", slots)
        environment.respond("It is booked.")
    [found] = [f for f in _findings(environment) if f.cause == "wrong booking"]
    assert found.words.startswith("turn 1: people is '7'")


def _check_causes(environment: Environment, ids: Sequence[str], *others: str) -> None:
    """Every task that is not solved has a cause."""
    for cause, (model, *_) in FAILING.items():
        if cause in others:
            continue
        every = [_found(environment, as_agent(model), id_) for id_ in ids]
        assert all(solved == (not causes) for solved, causes in every)
        assert cause in {found.cause for _, causes in every for found in causes}
    for id_ in ids:
        assert _found(environment, Baseline(), id_) == (True, [])


def test_every_task_that_is_not_solved_has_a_cause(world: World) -> None:
    _check_causes(Environment(world), list(world.tasks))


@pytest.mark.real_data
def test_every_real_task_that_is_not_solved_has_a_cause(
    upstream: Path, multiwoz: Benchmark, world: World
) -> None:
    tasks = read_tasks(upstream / "ConvLab-2")
    there = World(world.scorer.__class__(multiwoz, world.scorer.options), tasks)
    _check_causes(Environment(there), list(tasks)[:25], "wrong venue booked")


def test_pages_show_plays_beside_the_baseline(cli: Cli, tmp_path: Path) -> None:
    file, pages = tmp_path / "p.jsonl", tmp_path / "pages"
    about = ("--agent", "model:<b>m", "--tasks", 2, "--trials", 2)
    _play(cli, FAILING["wrong venue booked"][0], file, *about)
    both = (file, file.with_name("p.2.jsonl"), "--benchmark", "sample")
    assert "4 files" not in cli.done("why", *both, "--html", pages).out
    page = (pages / "dialogues" / "town002.html").read_text(encoding="utf-8")
    for words in ("Scripted baseline", "p.jsonl, trial 2", "✗ not solved", "✓ solved"):
        assert words in page
    assert '<a href="#turn-2">turn 2</a>: the weather house (area is &#39;north' in page
    assert "call: book_hotel(name the weather house" in page
    index = (pages / "index.html").read_text(encoding="utf-8")
    assert "hotel: wrong venue booked (2)" in index
    assert glossary()["causes"]["wrong venue booked"].meaning in index
    text = cli.done("why", *both, "--dialogue", "town002").out
    assert "| call      book_hotel(name skylark inn" in text
    assert text.count("not solved, wrong venue booked") == 2


def test_unknown_causes_dialogues_and_options_are_refused(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    cli.done("play", "-o", file, "--tasks", 1, "--benchmark", "sample")
    why = cli.of("why", file, "--benchmark", "sample")
    message = why.refused("--cause", "missing")
    assert "choose from not played, error of the user" in message
    assert message.endswith("lost by the agent, lost by the user, lost by both\n")
    assert "lost by the user" not in why.done("--cause", "lost by both").out
    assert "dialogue town009 is not played; the first" in why.refused("--dialogue", "town009")
    assert "--turn is not for plays" in why.refused("--dialogue", "town001", "--turn", 1)
    assert "--rules is not for plays" in why.refused("--rules", "next")


def test_a_run_that_solves_nothing_stops_and_can_be_continued(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    with chat_server(FAILING["no tool called"][0]) as server:
        options = ("--agent", "model:m", "--base-url", server.url, "-o", file, "--tasks", 12)
        play = cli.of("play", *options, "--benchmark", "sample")
        message = play.refused()
        assert "none of the first 10 dialogues is solved: " in message
        assert "no tool called (10)" in message
        assert len(file.read_text(encoding="utf-8").splitlines()) == 10
        run = play.done("--trials", 2, "--json", tmp_path / "all.json")
    files = f"{file}, {file.with_name('p.2.jsonl')}"
    assert f"dialogues go to {files}, figures to {tmp_path / 'all.json'}" in run.err
    assert files in run.out
    # Each request costs 10 tokens.
    texts = [Path(name).read_text(encoding="utf-8") for name in files.split(", ")]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    calls = sum(line["costs"]["agent"]["calls"] for line in lines)
    assert f"24 of 24 dialogues played: 0 solved, {10 * calls:,} tokens" in run.err


def test_a_booking_that_is_told_to_have_failed_is_named(world: World) -> None:
    baseline = Baseline()

    def failed(said: str, call: Call) -> str:
        return baseline(said, call).replace("is booked", "could not be booked")

    _, [found] = _found(Environment(world), failed, "town002")
    assert found.cause == "request not answered"
    assert found.words == "the reference number is told of a booking that is refused"

"""Dialogues to read: an index of who loses which and why, and systems side by side in each.

The index can be made of what entries store, which holds no text of the corpus. The pages of the
dialogues show what users, references and systems say, and are made only for who has the data and
the systems' outputs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from string import ascii_lowercase
from typing import Any

from ...benchmark import CANONICAL_STYLE, Benchmark
from ...data.fingerprints import pinned_fingerprints
from ...diagnosis.causes import (
    CAUSES,
    SLOT_CAUSES,
    DialogueOutcome,
    cause_words,
)
from ...diagnosis.diagnosing import Diagnosis, diagnose
from ...diagnosis.dialogue_text import Called, FollowedTurn, followed, goal_text
from ...diagnosis.losses import lost_by
from ...metrics.played import Played, PlayedDialogue
from ...submission import made_submission
from ..entries import Entry
from ..model import REFERENCE, Board

DIALOGUES = "dialogues"
"""The folder of the dialogues' pages; the index beside it has the same name."""

INDEX = f"{DIALOGUES}.html"
"""Where the index is on the site of a board."""

_SHOWN_CAUSES = 2
_SHOWN_VENUES = 3
_PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")
_TURN = re.compile(r"\bturn (\d+)")

Page = tuple[str, Callable[[], Mapping[str, Any]]]
"""A template, and what makes its content."""


@dataclass(frozen=True)
class Verdicts:
    """How the dialogues of a system came out, in the strict set-up.

    Attributes:
        name: What the system is called.
        turns: Dialogue played -> its turns.
        won: The dialogues with Success.
        lost: Dialogue without Success -> the domains that it is lost in, each with a cause, as far
            as that is known.
    """

    name: str
    turns: Mapping[str, int]
    won: Collection[str]
    lost: Mapping[str, Sequence[tuple[str, str]]]


def stored_verdicts(entry: Entry, ids: Sequence[str]) -> Verdicts | None:
    """Return how the dialogues of an entry came out by what it stores; None if it stores nothing.

    Args:
        entry: The entry.
        ids: The ids of the benchmark's dialogues, in order.
    """
    known = entry.scores.dialogues
    if known is None or len(known.outcomes.played) != len(ids):
        return None
    played = [ids[place] for place in known.outcomes.places]
    return Verdicts(
        entry.system.name,
        dict(zip(played, known.outcomes.turns, strict=True)),
        {id_ for id_, mark in zip(played, known.outcomes.success, strict=True) if mark == "1"},
        {played[place]: causes for place, causes in known.causes.lost.items()},
    )


def _diagnosed_verdicts(name: str, diagnosis: Diagnosis) -> Verdicts:
    turns = {dialogue.id: len(dialogue.responses) for dialogue in diagnosis.dialogues}
    lost = {one.id: lost_by(one) for one in diagnosis.outcomes if not one.success}
    return Verdicts(name, turns, turns.keys() - lost.keys(), lost)


# ------------------------------------------------------------------------------------ the index


@dataclass(frozen=True)
class IndexRow:
    """A dialogue in the index.

    Attributes:
        id: The dialogue's id.
        link: The address of its page from the index; empty if it has none.
        turns: Its turns.
        domains: The domains of its goal.
        won: How many systems succeed.
        of: How many play it.
        causes: The most frequent domains and causes, each with the number of systems.
        played: For the script, as all marks a hexadecimal number with a bit per system: which
            systems play it.
        won_by: Which succeed.
        lost_by: Which lose by what: place of a domain, letter of a cause, mark; for each cause.
    """

    id: str
    link: str
    turns: int
    domains: Sequence[str]
    won: int
    of: int
    causes: str
    played: str
    won_by: str
    lost_by: str


@dataclass(frozen=True)
class Index:
    """The index of dialogues.

    Attributes:
        rows: The dialogues, in the benchmark's order.
        played: The mark of the systems that play a dialogue, of most dialogues.
        systems: The systems' names.
        domains: All domains of goals.
        causes: Letter in the marks -> cause.
    """

    rows: Sequence[IndexRow]
    played: str
    systems: Sequence[str]
    domains: Sequence[str]
    causes: Mapping[str, str]


_LETTERS = dict(zip((*CAUSES, *SLOT_CAUSES), ascii_lowercase, strict=False))


def index(
    domains: Mapping[str, Sequence[str]], systems: Sequence[Verdicts], linked: bool = False
) -> Index:
    """Return the index of dialogues.

    Args:
        domains: Dialogue -> the domains of its goal, of all dialogues in order.
        systems: How they came out.
        linked: Whether the dialogues have pages.
    """
    every = sorted({domain for of_one in domains.values() for domain in of_one})
    rows = [_index_row(id_, of_one, every, systems, linked) for id_, of_one in domains.items()]
    return Index(
        rows,
        Counter(row.played for row in rows).most_common(1)[0][0],
        [one.name for one in systems],
        every,
        {letter: cause for cause, letter in _LETTERS.items()},
    )


def _index_page(made: Index) -> Page:
    return "dialogues.html", lambda: {"index": made, "linked": bool(made.rows[0].link)}


def _index_row(
    id_: str, domains: Sequence[str], every: Sequence[str], systems: Sequence[Verdicts], link: bool
) -> IndexRow:
    played = [id_ in one.turns for one in systems]
    won = [id_ in one.won for one in systems]
    lost = Counter(chain.from_iterable(one.lost.get(id_, ()) for one in systems))
    frequent = sorted(lost, key=lambda cause: (-lost[cause], cause))
    named = [f"{': '.join(cause)} ({lost[cause]})" for cause in frequent[:_SHOWN_CAUSES]]
    more = len(frequent) - len(named)
    codes = [
        f"{every.index(cause[0])}{_LETTERS[cause[1]]}"
        f"{_bits(cause in one.lost.get(id_, ()) for one in systems)}"
        for cause in frequent
    ]
    return IndexRow(
        id_,
        f"{DIALOGUES}/{id_}.html" if link else "",
        max(one.turns.get(id_, 0) for one in systems),
        domains,
        sum(won),
        sum(played),
        ", ".join([*named, *([f"{more} more"] if more > 0 else [])]),
        _bits(played),
        _bits(won),
        " ".join(codes),
    )


def _bits(marks: Iterable[bool]) -> str:
    return f"{sum(mark << place for place, mark in enumerate(marks)):x}"


def read_systems(board: Board) -> list[Entry]:
    """Return the entries whose dialogues can be read: those that respond with placeholders."""
    return [row.entry for row in board.rows if row.entry is not None and row.track != REFERENCE]


def stored_pages(board: Board) -> dict[str, Page]:
    """Return the index by what a board's systems store; nothing if nothing is stored."""
    entries = read_systems(board)
    pinned = {name: pinned_fingerprints(name) for name in {e.benchmark for e in entries} if name}
    known = {name: one for name, one in pinned.items() if one is not None}
    for name, one in sorted(known.items()):
        ids = list(one["dialogues"])
        own = [stored_verdicts(entry, ids) for entry in entries if entry.benchmark == name]
        if systems := [verdicts for verdicts in own if verdicts is not None]:
            goals = [goal.split() for goal in one["domains"]]
            made = index(dict(zip(ids, goals, strict=True)), systems)
            return {INDEX: _index_page(made)}
    return {}


# ------------------------------------------------------------------------------- the dialogues


def dialogue_pages(systems: Mapping[str, Diagnosis], home: str) -> dict[str, Page]:
    """Return path -> template and content of the index and of every dialogue that is played.

    Args:
        systems: What to call each system -> its diagnosis; at least one.
        home: The path of the index.
    """
    first = next(iter(systems.values())).played
    benchmark = first.benchmark
    diagnoses = [("Reference", _of_references(first)), *systems.items()]
    played = [
        {
            dialogue.id: (dialogue, outcome)
            for dialogue, outcome in zip(one.dialogues, one.outcomes, strict=True)
        }
        for _, one in diagnoses
    ]
    ids = [id_ for id_ in benchmark.dialogues if any(id_ in own for own in played[1:])]
    verdicts = [_diagnosed_verdicts(name, one) for name, one in systems.items()]
    domains = {id_: list(benchmark.dialogues[id_].goal) for id_ in ids}
    called = partial(_named, _venue_names(benchmark))

    def content(place: int) -> dict[str, Any]:
        id_ = ids[place]
        shown = [
            _shown(name, diagnosis, *own[id_], called)
            for (name, diagnosis), own in zip(diagnoses, played, strict=True)
            if id_ in own
        ]
        gold = benchmark.dialogues[id_]
        neighbours = (ids[place - 1] if place else None, *ids[place + 1 : place + 2], None)
        return {
            "id": id_,
            "home": home,
            "place": place + 1,
            "of": len(ids),
            "goal": {domain: goal_text(goal) for domain, goal in gold.goal.items()},
            "users": [gold.users[turn] if gold.users else "" for turn in range(gold.turns)],
            "systems": shown,
            "won": sum(one["success"] for one in shown[1:]),
            "neighbours": neighbours[:2],
        }

    return {
        home: _index_page(index(domains, verdicts, linked=True)),
        **{
            f"{DIALOGUES}/{id_}.html": ("dialogue.html", partial(content, place))
            for place, id_ in enumerate(ids)
        },
    }


def _of_references(played: Played) -> Diagnosis:
    """Return the diagnosis of the benchmark's own responses, with gold states."""
    made = made_submission(played.benchmark, CANONICAL_STYLE)
    return diagnose(replace(played, submission=made, states="gold", domains="states"))


def _shown(
    name: str,
    diagnosis: Diagnosis,
    dialogue: PlayedDialogue,
    outcome: DialogueOutcome,
    called: Called,
) -> dict[str, Any]:
    """Return what the page of a dialogue shows of a system."""
    predicted = diagnosis.played.states == "predicted"
    return {
        "name": name,
        "inform": outcome.inform,
        "success": outcome.success,
        "domains": {domain: list(_lost_in(outcome, domain)) for domain in outcome.domains},
        "turns": [
            _shown_turn(turn, dialogue.active_domains[number], outcome, number, predicted)
            for number, turn in enumerate(followed(diagnosis, dialogue, called))
        ],
    }


def _lost_in(outcome: DialogueOutcome, domain: str) -> Iterator[tuple[str, str]]:
    """Yield why a domain is lost: a cause, and what happened in words."""
    diagnosis = outcome.domains[domain]
    if diagnosis.cause is not None:
        yield diagnosis.cause, with_links(cause_words(domain, diagnosis))
    for slot, cause in diagnosis.provided.items():
        if cause is not None:
            yield f"{slot} {cause}", ""


def _shown_turn(
    turn: FollowedTurn,
    active: Collection[str],
    outcome: DialogueOutcome,
    number: int,
    predicted: bool,
) -> dict[str, Any]:
    """Return what is shown of a turn: of a domain that is not active, only what explains a loss."""
    domains = outcome.domains
    told = {d for d, one in domains.items() if d in active or one.cause or not one.all_provided}
    return {
        "response": marked(turn.response),
        "steps": [f"{domain}: {text}" for domain, text in turn.steps if domain in told],
        "changes": turn.changes if predicted else (),
        "lost": [
            f"{domain} is lost here: {one.cause}"
            for domain, one in domains.items()
            if one.turn == number
        ],
    }


def marked(response: str) -> str:
    """Return a normalised response as HTML, its placeholders marked."""
    return _within(_PLACEHOLDER, r"<b>\g<0></b>", response)


def with_links(words: str) -> str:
    """Return words as HTML, with a link to each turn that they name."""
    return _within(_TURN, r'<a href="#turn-\1">turn \1</a>', words)


def _within(pattern: re.Pattern[str], replacement: str, text: str) -> str:
    from markupsafe import Markup, escape

    # What escaping adds holds neither capital letters nor the word "turn".
    return Markup(pattern.sub(replacement, str(escape(text))))


def _venue_names(benchmark: Benchmark) -> dict[tuple[str, str], str]:
    """Return domain and id -> name of the venues that have a name."""
    return {
        (domain, str(record["id"])): str(record["name"])
        for domain, records in benchmark.venues.items()
        for record in records
        if "id" in record and "name" in record
    }


def _named(names: Mapping[tuple[str, str], str], domain: str, venues: Collection[str]) -> str:
    """Return the first venues' names, or their ids where they have none, and how many more."""
    shown = sorted(names.get((domain, id_), id_) for id_ in venues)
    more = len(shown) - _SHOWN_VENUES
    return ", ".join([*shown[:_SHOWN_VENUES], *([f"{more} more"] if more > 0 else [])])

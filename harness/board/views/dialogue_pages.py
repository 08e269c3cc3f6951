"""Dialogues to read: an index of who loses which and why, and systems side by side in each.

The index can be made of what entries store, which holds no text of the corpus. The pages of the
dialogues show what users, references and systems say, and are made only for who has the data and
the systems' outputs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from string import ascii_lowercase
from typing import TypeAlias

from markupsafe import Markup, escape

from ...benchmark import CANONICAL_STYLE, Benchmark
from ...data import declared_names, pinned_fingerprints
from ...diagnosis import (
    CAUSES,
    SLOT_CAUSES,
    Diagnosis,
    cause_words,
    diagnose,
    followed,
    goal_text,
    lost_by,
)
from ...submission import made_submission
from ..entries import Entry
from ..model import Board
from ..rows import REFERENCE
from .board_data import Data

DIALOGUES = "dialogues"
"""The folder of the dialogues' pages; the index beside it has the same name."""

START = "index.html"
"""The page that is shown where an address names none."""

INDEX = f"{DIALOGUES}.html"
"""Where the index is on the site of a board."""

_MISSED = ("Inform", "Success")
_PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")
_TURN = re.compile(r"\bturn (\d+)")

Page: TypeAlias = tuple[str, Callable[[], Data]]
"""A template, and what makes its content."""


Verdicts: TypeAlias = Mapping[str, tuple[int, Sequence[tuple[str, str]] | None]]
"""How a system's dialogues came out in the strict set-up: dialogue played -> its turns, and the
domains that it is lost in, each with a cause; None if it has Success."""


def stored_verdicts(entry: Entry, ids: Sequence[str]) -> Verdicts | None:
    """Return how the dialogues of an entry came out by what it stores; None if it stores nothing.

    Args:
        entry: The entry.
        ids: The ids of the benchmark's dialogues, in order.
    """
    dialogues = entry.scores.dialogues
    if dialogues is None or len(dialogues.played) != len(ids):
        return None
    lost: dict[int, list[tuple[str, str]]] = {}
    for domain, causes in dialogues.causes.dialogues.items():
        for cause, places in causes.items():
            for place in places:
                lost.setdefault(place, []).append((domain, cause))
    verdicts = {}
    for number, (place, turns) in enumerate(zip(dialogues.places, dialogues.turns, strict=True)):
        verdicts[ids[place]] = turns, lost.get(number)
    return verdicts


# ------------------------------------------------------------------------------------ the index


def index(
    goals: Mapping[str, Sequence[str]],
    systems: Sequence[tuple[str, Verdicts]],
    linked: bool = False,
    causes: Sequence[str] = (),
    kind: str = "responses",
) -> Data:
    """Return what the index of dialogues shows.

    Marks, which are for the script, are hexadecimal numbers with a bit per system. A row has `id`;
    `turns`; `domains` of the goal; `won`, how many systems succeed, and `of`, how many play it;
    `causes`, the most frequent ones in words; `played` and `won_by`, marks; `lost_by`, the place of
    a domain, the letter of a cause and a mark for each cause. The index has `systems`, their names;
    `domains`; `causes`, letter -> cause; and `played`, the mark of most rows.

    Args:
        goals: Dialogue -> the domains of its goal, of all dialogues in order.
        systems: The name of each system, and how its dialogues came out.
        linked: Whether the dialogues have pages.
        causes: The causes there are; empty for those of the strict set-up.
        kind: As of `pages_of`.
    """
    domains = sorted(set(chain.from_iterable(goals.values())))
    letters = dict(zip(causes or (*CAUSES, *SLOT_CAUSES), ascii_lowercase, strict=False))
    rows = []
    for id_, goal in goals.items():
        outcomes = [verdicts.get(id_) for _, verdicts in systems]
        rows.append(_index_row(id_, goal, domains, outcomes, letters))
    return {
        "rows": rows,
        "linked": linked,
        "systems": [name for name, _ in systems],
        "domains": domains,
        "causes": {letter: cause for cause, letter in letters.items()},
        "kind": kind,
        "played": Counter(row["played"] for row in rows).most_common(1)[0][0],
    }


def _index_row(
    id_: str,
    goal: Sequence[str],
    domains: list[str],
    outcomes: Sequence[tuple[int, Sequence[tuple[str, str]] | None] | None],
    letters: Mapping[str, str],
) -> Data:
    """Return the row of a dialogue, given how it came out for each system; None: not played."""
    all_turns = 0
    played = won = 0
    losers: dict[tuple[str, str], int] = defaultdict(int)
    for place, outcome in enumerate(outcomes):
        if outcome is None:
            continue
        turns, losses = outcome
        all_turns = max(all_turns, turns)
        played |= 1 << place
        if losses is None:
            won |= 1 << place
        for loss in losses or ():
            losers[loss] |= 1 << place
    causes, lost_by = [], []
    for loss in sorted(losers, key=lambda loss: (-losers[loss].bit_count(), loss)):
        domain, cause = loss
        causes.append(f"{domain}: {cause} ({losers[loss].bit_count()})")
        lost_by.append(f"{domains.index(domain)}{letters[cause]}{losers[loss]:x}")
    return {
        "id": id_,
        "turns": all_turns,
        "domains": goal,
        "won": won.bit_count(),
        "of": played.bit_count(),
        "causes": _first(causes, 2),
        "played": f"{played:x}",
        "won_by": f"{won:x}",
        "lost_by": " ".join(lost_by),
    }


def read_systems(board: Board) -> list[Entry]:
    """Return the entries whose dialogues can be read: those that respond with placeholders."""
    return [row.entry for row in board.rows if row.entry.system.track != REFERENCE]


def stored_pages(board: Board) -> dict[str, Page]:
    """Return the index by what systems store, of a declared data set; nothing if they do not."""
    entries = read_systems(board)
    for name in declared_names():
        pinned = pinned_fingerprints(name) or {"dialogues": (), "domains": ()}
        goals = dict(zip(pinned["dialogues"], map(str.split, pinned["domains"]), strict=True))
        systems = []
        for entry in entries:
            verdicts = stored_verdicts(entry, list(goals)) if entry.benchmark == name else None
            if verdicts is not None:
                systems.append((entry.system.name, verdicts))
        if systems:
            return {INDEX: ("dialogues.html", partial(index, goals, systems))}
    return {}


# ------------------------------------------------------------------------------- the dialogues


def pages_of(
    goals: Mapping[str, Sequence[str]],
    systems: Sequence[tuple[str, Verdicts]],
    content: Callable[[str], Data],
    home: str = START,
    causes: Sequence[str] = (),
    kind: str = "responses",
) -> dict[str, Page]:
    """Return path -> page, of the index and of every dialogue that is played.

    Args:
        goals: Dialogue -> the domains of its goal.
        systems: The name of each system, and how its dialogues came out.
        content: Returns what the page of a dialogue shows: `goal`, `users`, `words`, and `systems`,
            what they are compared with first.
        home: The path of the index.
        causes: The causes of live dialogues or of states; empty for those of the strict set-up.
        kind: What the systems are: "responses", "plays" or "states".
    """
    ids = list(goals)

    def page(place: int) -> Data:
        dialogue = content(ids[place])
        return dialogue | {
            "id": ids[place],
            "home": home,
            "place": place + 1,
            "of": len(ids),
            "won": sum(system["outcome"]["success"] for system in dialogue["systems"][1:]),
            "before": ids[place - 1] if place else None,
            "after": ids[place + 1] if place + 1 < len(ids) else None,
            "kind": kind,
        }

    pages: dict[str, Page] = {}
    pages[home] = ("dialogues.html", partial(index, goals, systems, True, causes, kind))
    for place, id_ in enumerate(ids):
        pages[f"{DIALOGUES}/{id_}.html"] = ("dialogue.html", partial(page, place))
    return pages


def pages_of_dialogues(systems: Mapping[str, Diagnosis], home: str = START) -> dict[str, Page]:
    """Return path -> page of the dialogues that systems play.

    Args:
        systems: What to call each system -> its diagnosis; at least one.
        home: The path of the index.
    """
    first = next(iter(systems.values())).played
    benchmark = first.benchmark
    responses = made_submission(benchmark, CANONICAL_STYLE)
    human = diagnose(replace(first, submission=responses, states="gold", domains="states"))
    names = _venue_names(benchmark)

    def called(domain: str, venues: Collection[str]) -> str:
        return _first(sorted(names.get((domain, id_), id_) for id_ in venues), 3)

    # Name of a column -> its diagnosis, and the place of each dialogue in it.
    diagnoses = {"Reference": human, **systems}
    places: dict[str, dict[str, int]] = {}
    verdicts: dict[str, Verdicts] = {}
    for name, diagnosis in diagnoses.items():
        places[name] = {}
        outcomes = {}
        for place, result in enumerate(diagnosis.results):
            places[name][result.id] = place
            outcomes[result.id] = result.turns, None if result.success else lost_by(result)
        if name in systems:
            verdicts[name] = outcomes

    def content(id_: str) -> Data:
        gold = benchmark.dialogues[id_]
        columns = []
        for name, diagnosis in diagnoses.items():
            if id_ in places[name]:
                columns.append(_outcome(name, diagnosis, places[name][id_], called))
        return {
            "goal": {domain: goal_text(goal) for domain, goal in gold.goal.items()},
            "users": list(gold.users) or [""] * gold.turns,
            "systems": columns,
            "words": cause_words,
        }

    played = set(chain.from_iterable(verdicts.values()))
    goals = {}
    for id_, gold in benchmark.dialogues.items():
        if id_ in played:
            goals[id_] = list(gold.goal)
    return pages_of(goals, list(verdicts.items()), content, home)


def _venue_names(benchmark: Benchmark) -> dict[tuple[str, str], str]:
    """Return (domain, id of a venue) -> its name, of the venues that have both."""
    names = {}
    for domain, venues in benchmark.venues.items():
        for venue in venues:
            if "id" in venue and "name" in venue:
                names[domain, str(venue["id"])] = str(venue["name"])
    return names


def _outcome(
    name: str, diagnosis: Diagnosis, place: int, called: Callable[[str, Collection[str]], str]
) -> Data:
    """Return how a dialogue came out for a system, and per turn the domains to be explained.

    Of a domain that is not active a turn shows only what explains a loss.
    """
    dialogue, result = diagnosis.dialogues[place], diagnosis.results[place]
    lost = set()
    for domain, outcome in result.domains.items():
        if outcome.cause or not outcome.all_provided:
            lost.add(domain)
    return {
        "name": name,
        "verdict": "✓ succeeds" if result.success else f"✗ no {_MISSED[result.inform]}",
        "outcome": {"success": result.success, "domains": result.domains},
        "turns": list(followed(diagnosis, dialogue, called)),
        "relevant": [lost.union(active) for active in dialogue.active_domains],
        "predicted": diagnosis.played.states == "predicted",
    }


def marked(response: str) -> str:
    """Return a normalised response as HTML, its placeholders marked."""
    return _within(_PLACEHOLDER, r"<b>\g<0></b>", response)


def with_links(words: str) -> str:
    """Return words as HTML, with a link to each turn that they name."""
    return _within(_TURN, r'<a href="#turn-\1">turn \1</a>', words)


def _within(pattern: re.Pattern[str], replacement: str, text: str) -> str:
    # What escaping adds holds neither capital letters nor the word "turn".
    return Markup(pattern.sub(replacement, str(escape(text))))


def _first(texts: Sequence[str], count: int) -> str:
    """Return the first of some texts, and how many more there are."""
    shown = list(texts[:count])
    if len(texts) > count:
        shown.append(f"{len(texts) - count} more")
    return ", ".join(shown)

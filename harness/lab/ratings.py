"""Human ratings of dialogues and turns, as their authors publish them.

A preference between the responses of two systems is a rating, too: 1 for the first system, -1 for
the second, 0 for neither.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from pathlib import Path
from typing import TypeAlias

from ..benchmark import Benchmark
from ..errors import Findings, InputError, cut_repr, refuse
from ..io import decoded, read_bytes, read_json, shown_name, validated
from ..submission import dialogue_id

Unit: TypeAlias = str | tuple[str, int]
"""What is rated: a dialogue, by its id, or a turn, by the dialogue's id and its number from 0."""

Ratings: TypeAlias = Mapping[Unit, Mapping[str, float]]
"""Dialogue or turn -> rater -> rating."""

COLUMNS = ("id", "rater", "rating")


_NUMBER = re.compile(r"[+-]?(\d+\.?|\d*\.\d+)", re.ASCII)

VERSUS = " vs. "
"""Stands between the names of two systems that are compared."""


def _json_object(path: str | Path) -> str:
    content = read_json(path)
    # TD-Eval's ratings of whole dialogues have turns beside them.
    has_votes = isinstance(content, Mapping) and "turns" in content and "whole" not in content
    return "votes" if has_votes else "criteria"


_BEGINNINGS: Mapping[str, Callable[[str | Path], str]] = {
    "[": lambda path: "preferences",
    "{": _json_object,
    "USER\t": lambda path: "satisfaction",
}
"""How a file of ratings begins -> the function that names its layout."""


def layout_of(path: str | Path) -> str:
    """Return the layout of a file of ratings: a key of `LAYOUTS` of `lab`.

    Raises:
        InputError: The file cannot be read, or is of no layout.
    """
    text = decoded(read_bytes(path), shown_name(path)).lstrip()
    for beginning, layout in _BEGINNINGS.items():
        if text.startswith(beginning):
            return layout(path)
    # Refuses what is no table either.
    read_ratings(path)
    return "ratings"


def read_ratings(path: str | Path) -> Ratings:
    """Return dialogue id -> rater -> rating, of a CSV file with the columns `COLUMNS`.

    Dialogues that a rater has not rated yet, without a rating, are left out.

    Raises:
        InputError: The file cannot be read, lacks a column, has a rating that is no number, or
            one twice.
    """
    source = shown_name(path)
    text = decoded(read_bytes(path), source)
    rows = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    if not set(COLUMNS).issubset(rows.fieldnames or ()):
        raise InputError(source, f"expected a CSV file with the columns {', '.join(COLUMNS)}")
    ratings: dict[Unit, dict[str, float]] = {}
    problems = Findings()
    for row in rows:
        id_, rater, rating = ((row[column] or "").strip() for column in COLUMNS)
        if not rating:
            continue
        place = f"line {rows.line_num}"
        by_rater = ratings.setdefault(dialogue_id(id_), {})
        if not _NUMBER.fullmatch(rating):
            problems.add(place, f"expected a number as rating, found {cut_repr(rating)}")
        elif not id_ or not rater:
            problems.add(place, "expected the id of a dialogue and the name of a rater")
        elif rater in by_rater:
            problems.add(place, "the rater has rated the dialogue before; keep one rating")
        else:
            by_rater[rater] = float(rating)
    refuse(source, problems)
    return ratings


def read_criteria(path: str | Path) -> dict[str, Ratings]:
    """Return criterion -> ratings of dialogues, of a JSON file.

    It has, under `whole`, dialogue id -> criterion -> what each rater says.

    Raises:
        InputError: The file cannot be read, or has another layout.
    """
    source = shown_name(path)
    content = read_json(path)
    whole = content.get("whole") if isinstance(content, Mapping) else None
    if whole is None:
        expected = "`whole`: dialogue id -> criterion -> ratings, or `turns` with votes"
        raise InputError(source, f"expected {expected}")
    by_dialogue = validated(dict[str, dict[str, list[float]]], whole, source, "whole")
    criteria: dict[str, dict[Unit, dict[str, float]]] = {}
    for id_, by_criterion in by_dialogue.items():
        for criterion, ratings in by_criterion.items():
            by_rater = {str(rater): rating for rater, rating in enumerate(ratings)}
            criteria.setdefault(criterion, {})[dialogue_id(id_)] = by_rater
    return dict(criteria)


_OVERALL = "overall"

_SHARED = 2 / 3
"""Which share of what a dialogue's user says a rated dialogue has at least, if it is the same:
raters saw dialogues with questions added, some without the last words."""


def read_satisfaction(path: str | Path, benchmark: Benchmark) -> tuple[Ratings, Ratings]:
    """Return how satisfied people are with a benchmark's dialogues, and with their system turns.

    A rated dialogue is the benchmark's dialogue with which it shares most of what users say. The
    rating that stands at what the user says is of the system's turn before. Dialogues and turns
    that only the file has are left out.

    Args:
        path: A file of blocks of lines: speaker, text, acts and, of the user, what each rater says
            (with commas), with tabs between; the last is `OVERALL`.
        benchmark: Knows what users and people in the system's place say.

    Raises:
        InputError: The file cannot be read, has another layout, or rates none of its dialogues.

    Source: dataset/MWOZ.txt of sunnweiwei/user-satisfaction-simulation (Sun et al., 2021).
    """
    speakers: dict[str, list[str]] = {}
    for id_, dialogue in benchmark.dialogues.items():
        for text in set(map(_words, dialogue.users)):
            speakers.setdefault(text, []).append(id_)
    dialogues: dict[Unit, Mapping[str, float]] = {}
    turns: dict[Unit, Mapping[str, float]] = {}
    for lines in _rated_blocks(path):
        texts = {text for text, _ in lines}
        shared = Counter(chain.from_iterable(speakers.get(text, ()) for text in texts))
        for id_, number in shared.most_common(1):
            dialogue = benchmark.dialogues[id_]
            if number < _SHARED * len(set(map(_words, dialogue.users))):
                continue
            numbers = {_words(text): turn for turn, text in enumerate(dialogue.responses)}
            for (said, _), (text, by_rater) in pairwise(lines):
                if text == _OVERALL:
                    dialogues[id_] = by_rater
                elif by_rater and said in numbers:
                    turns[id_, numbers[said]] = by_rater
    if not dialogues:
        raise InputError(shown_name(path), f"rates no dialogue of {benchmark.name}")
    return dialogues, turns


def _rated_blocks(path: str | Path) -> list[list[tuple[str, dict[str, float]]]]:
    """Return the lines of each block: the words, and rater -> rating, of the user's."""
    source = shown_name(path)
    blocks: list[list[tuple[str, dict[str, float]]]] = [[]]
    problems = Findings()
    for number, line in enumerate(decoded(read_bytes(path), source).split("\n"), start=1):
        if not line.strip():
            blocks.append([])
            continue
        speaker, *fields = line.split("\t")
        ratings = fields[-1].strip().split(",") if fields and speaker == "USER" else []
        if len(fields) != 3 or not all(map(_NUMBER.fullmatch, ratings)):
            problems.add(f"line {number}", "expected USER or SYSTEM, text, acts and ratings")
            continue
        by_rater = {str(rater): float(rating) for rater, rating in enumerate(ratings)}
        blocks[-1].append((_words(fields[0]), by_rater))
    refuse(source, problems)
    return blocks


def _words(text: str) -> str:
    """Return a text's words: copies differ in spaces and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


@dataclass(frozen=True)
class RatedDialogue:
    """A dialogue in a file of preferences.

    Attributes:
        file: Its id.
        info: Its turns, from the first: system -> response, and "A vs. B" -> criterion -> what each
            rater prefers, "A", "B" or "Tie".
    """

    file: str
    info: Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class VotedTurn:
    """A turn in a file of votes: the dialogue's id, its number from 0, and each voter's votes."""

    dialogue: str
    turn: int
    votes: Sequence[Mapping[str, object]]


def read_preferences(
    path: str | Path,
) -> tuple[dict[str, dict[str, list[object]]], Mapping[tuple[str, str, str], Ratings]]:
    """Return the responses of systems, and which of them people prefer.

    Returns:
        System -> dialogue id -> responses; and first system, second system and criterion -> the
        ratings of turns.

    Raises:
        InputError: The file cannot be read or has another layout, or a turn has a preference for
            another system.

    Source: human_evaluation/human_annotation.json of InitialBug/MarCo-Dialog (Wang et al., 2020).
    """
    source = shown_name(path)
    content = validated(list[RatedDialogue], read_json(path), source)
    turns: list[tuple[tuple[str, int], Mapping[str, object]]] = []
    systems: set[str] = set()
    for dialogue in content:
        for number, turn in enumerate(dialogue.info):
            turns.append(((dialogue_id(dialogue.file), number), turn))
            systems.update(*_pairs(turn))
    if not systems:
        raise InputError(source, f"expected preferences in its turns, under 'A{VERSUS}B'")
    responses: dict[str, dict[str, list[object]]] = {name: {} for name in sorted(systems)}
    preferences: dict[tuple[str, str, str], dict[Unit, dict[str, float]]] = {}
    problems = Findings()
    for (id_, number), turn in turns:
        place = f"dialogue {id_}, turn {number}"
        for name, by_dialogue in responses.items():
            by_dialogue.setdefault(id_, []).append(turn.get(name))
        for first, second in _pairs(turn):
            pair = f"{first}{VERSUS}{second}"
            criteria = validated(dict[str, list[str]], turn[pair], source, f"{place}: {pair}")
            for criterion, raters in criteria.items():
                by_unit = preferences.setdefault((first, second, criterion), {})
                by_unit[id_, number] = _signs(first, second, raters)
                if len(by_unit[id_, number]) < max(len(raters), 1):
                    expected = f"expected {first}, {second} or Tie of each rater"
                    problems.add(place, f"{criterion}: {expected}")
    refuse(source, problems)
    return responses, preferences


def read_votes(path: str | Path) -> tuple[list[str], dict[tuple[str, str, str], Ratings]]:
    """Return the systems that people voted for in turns, and which of two they prefer.

    Who votes for both of two systems, or for neither, prefers none. The file has `turns`, each with
    `dialogue`, `turn` (from 0) and `votes`: of each voter, criterion -> systems.

    Returns:
        The systems; and first system, second system and criterion -> the ratings of turns.

    Raises:
        InputError: The file cannot be read, or has another layout.
    """
    source = shown_name(path)
    content = read_json(path)
    listed = content.get("turns") if isinstance(content, Mapping) else None
    systems: set[str] = set()
    voted: list[tuple[Unit, str, str, list[str]]] = []
    for turn in validated(list[VotedTurn], listed, source, "turns"):
        for voter, votes in enumerate(turn.votes):
            for criterion, names in votes.items():
                if isinstance(names, list):
                    systems.update(names)
                    voted.append(
                        ((dialogue_id(turn.dialogue), turn.turn), criterion, str(voter), names)
                    )
    # "None" is a vote for no system.
    ordered = sorted(systems - {"None"})
    preferences: dict[tuple[str, str, str], dict[Unit, dict[str, float]]] = {}
    for unit, criterion, rater, names in voted:
        for first, second in combinations(ordered, 2):
            by_unit = preferences.setdefault((first, second, criterion), {})
            sign = float(first in names) - float(second in names)
            by_unit.setdefault(unit, {})[rater] = sign
    return ordered, dict(preferences)


def _pairs(turn: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the pairs of systems that a turn has preferences for."""
    pairs = []
    for key in turn:
        first, versus, second = key.partition(VERSUS)
        if versus:
            pairs.append((first, second))
    return pairs


def _signs(first: str, second: str, preferred: Sequence[str]) -> dict[str, float]:
    """Return rater -> rating of two systems, of the raters who prefer one of them or neither."""
    signs = {"tie": 0.0, first.casefold(): 1.0, second.casefold(): -1.0}
    ratings = {}
    for rater, name in enumerate(preferred):
        if name.casefold() in signs:
            ratings[str(rater)] = signs[name.casefold()]
    return ratings

"""Grounded Inform and Success, and faithfulness, of responses in plain English: the metric.

docs/lexicalised.md tells the rules; how a dialogue went is in `grounded.py`, which is loaded when
it is first needed: most scores do without. The ceiling is what the human responses get, beside
which every grounded score is shown: the database does not have everything that people told, and no
delexicaliser finds everything. The human responses are rated dialogue by dialogue, so that any
choice of dialogues has its ceiling from there; an installed benchmark keeps the ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import grounding, scoring
from ..errors import counted
from ..io import Cell, figure, text_table
from ..metrics import TOTAL, DialogueResult, Figure, Headline, Metric, Played, Statistics, percent
from ..submission import NormalizedSubmission

if TYPE_CHECKING:
    from mwz.normalization import Delexicalised, RuleSet

    from ..benchmark import Benchmark, Dialogue

_RATES = {
    "inform": "Inform any",
    "inform_all": "Inform all",
    "success": "Success any",
    "success_all": "Success all",
    "success_requested": "all requested",
}
OUTCOMES = tuple(_RATES)
"""What a dialogue in plain English can have, attributes of `GroundedDialogue`."""

SHARES = ("in_database", "of_named_venue")
COUNTS = ("told", *SHARES)
"""The facts given, those that the database has, and those of a venue named by then."""

FIGURES = (
    Figure("grounded.inform", "Grounded Inform", digits=1, main=True),
    Figure("grounded.inform_all", "Grounded Inform, all", digits=1),
    Figure("grounded.success", "Grounded Success", digits=1, main=True),
    Figure("grounded.success_all", "Grounded Success, all", digits=1, main=True),
    Figure("grounded.success_requested", "Grounded Success, all requested", digits=1, main=True),
    Figure("grounded.in_database", "Told, in database", digits=1),
    Figure("grounded.of_named_venue", "Told, of a named venue", digits=1),
)

ToldShares: TypeAlias = Mapping[str, "int | float | None"]
"""Of the facts that responses give of venues: `told`, how many there are, and each of `SHARES`, in
percent, None if none is told."""

Rating: TypeAlias = Mapping[str, Sequence["int | None"]]
"""`TOTAL` or a domain of a dialogue's goal -> whether it has each of `OUTCOMES`, None where that is
not known; `TOTAL` also has the `COUNTS`."""

BOOKED, FREE = "booked", "free"
"""When a reference number counts: once the domain is booked; or in any turn about the domain, as in
free-running dialogues."""

GroundedFigures: TypeAlias = Mapping[str, Any]
"""Grounded scores over dialogues: the attributes of `GroundedScores` but for `ceiling`, and
`dialogues`, the number of these."""


@dataclass(frozen=True)
class GroundedScores:
    """Grounded scores of a submission. Rates are "total" or domain -> percent.

    Attributes:
        inform: Inform, by one of the venues named last ("any").
        inform_all: Inform, by all venues named last.
        success: Success, with Inform "any".
        success_all: Success, with Inform "all"; the leaderboard ranks by it.
        faithfulness: Whether the values that responses give are in the database.
        ceiling: What the human responses get under the same signature; None where the benchmark
            does not have them.
        success_requested: Success, with Inform "all", over all that the goals request; empty where
            they do not say.
    """

    inform: Mapping[str, float]
    inform_all: Mapping[str, float]
    success: Mapping[str, float]
    success_all: Mapping[str, float]
    faithfulness: ToldShares
    ceiling: GroundedFigures | None
    success_requested: Mapping[str, float] = field(default_factory=dict)


def told_shares(counts: Mapping[str, int]) -> ToldShares:
    """Return the shares of `COUNTS`."""
    total = counts["told"]
    return {"told": total, **{one: 100 * counts[one] / total if total else None for one in SHARES}}


def rating(dialogue: grounding.GroundedDialogue) -> Rating:
    """Return what figures are made of: a domain succeeds only where the whole dialogue matches."""
    outcomes = [getattr(dialogue, name) for name in OUTCOMES]
    counts = [dialogue.faithfulness[name] for name in COUNTS]
    rows: dict[str, list[int | None]] = {TOTAL: [*outcomes, *counts]}
    for domain, part in dialogue.domains.items():
        success, success_all = dialogue.inform and part.tells, dialogue.inform_all and part.tells
        requested = success_all and part.tells_further
        rows[domain] = [part.matched, part.matched_all, success, success_all, requested]
    return rows


def grounded_figures(dialogues: Iterable[Rating]) -> GroundedFigures:
    """Return the grounded scores over dialogues; 0 of none at all.

    A domain's rates are over the dialogues with the domain in their goal.
    """
    rows: dict[str, list[Sequence[int | None]]] = {TOTAL: []}
    for dialogue in dialogues:
        for name, row in dialogue.items():
            rows.setdefault(name, []).append(row)
    rates = {
        outcome: {
            name: percent(sum(row[at] or 0 for row in of), len(of)) for name, of in rows.items()
        }
        for at, outcome in enumerate(OUTCOMES)
    }
    requested = rates.pop("success_requested")
    counts = enumerate(COUNTS, start=len(OUTCOMES))
    return {
        "dialogues": len(rows[TOTAL]),
        **rates,
        "faithfulness": told_shares(
            {name: sum(row[at] or 0 for row in rows[TOTAL]) for at, name in counts}
        ),
        "success_requested": {} if any(None in row for row in rows[TOTAL]) else requested,
    }


def grounded_scores(
    results: Iterable[DialogueResult], ceiling: GroundedFigures | None = None
) -> GroundedScores:
    """Return the scores of dialogues, beside those of the human responses."""
    figures = {**grounded_figures(rating(one.further["grounded"]) for one in results)}
    del figures["dialogues"]
    return GroundedScores(**figures, ceiling=ceiling)


def _statistics(results: Sequence[DialogueResult]) -> Statistics:
    """Return the statistics of the totals: dialogues that succeed, and values told."""
    totals = [rating(one.further["grounded"])[TOTAL] for one in results]
    unknown = any(None in one for one in totals)
    figures = [one for one in FIGURES if not (unknown and one.name == "grounded.success_requested")]
    wins = {f"grounded.{name}": at for at, name in enumerate(OUTCOMES, start=1)}
    rows = [(1, *(int(value or 0) for value in one)) for one in totals]
    return Statistics.of_rows(figures, rows, _values, wins, of_samples=True)


def _values(sums: Sequence[float]) -> dict[str, float]:
    """Return figure -> percent; a share of nothing told is 0."""
    dialogues, *won, total, in_database, of_named_venue = sums
    rates = [percent(one, dialogues) for one in won]
    values = [*rates, percent(in_database, total), percent(of_named_venue, total)]
    return {figure.name: value for figure, value in zip(FIGURES, values, strict=True)}


# -------------------------------------------------------------------- what was played, and people


def plain_responses(submission: NormalizedSubmission) -> dict[str, list[Delexicalised]]:
    """Return dialogue id -> its responses in plain English, in the submission's order."""
    return {
        id_: [plain for plain in dialogue.plain if plain is not None]
        for id_, dialogue in submission.dialogues.items()
    }


def grounded_dialogues(played: Played) -> list[grounding.GroundedDialogue]:
    """Return how each dialogue in plain English went, in the submission's order."""
    database, delexicalise = played.database(), played.delexicaliser()
    dialogues = []
    for id_, responses in plain_responses(played.submission).items():
        texts, gold = [one.original for one in responses], played.benchmark.dialogues[id_]
        outcome = grounding.ground(texts, gold.goal, database, delexicalise, gold.booked_domains)
        dialogues.append(outcome)
    return dialogues


def played_ceiling(played: Played) -> GroundedFigures | None:
    """Return what the human responses of the turns played get; None where they are not known."""
    dialogues = played.submission.dialogues.items()
    turns = ((id_, len(turns)) for id_, turns in dialogues)
    return ceiling(played.benchmark, played.rules, turns, BOOKED)


@lru_cache(maxsize=8)
def human_ratings(benchmark: Benchmark, rules: RuleSet, when: str) -> Mapping[str, Rating]:
    """Return dialogue id -> how the human responses of a benchmark went.

    Args:
        benchmark: The benchmark, which has them.
        rules: The rule set.
        when: `BOOKED` or `FREE`.
    """
    golds = benchmark.dialogues.items()
    kept: Mapping[str, Rating] = benchmark.kept(
        f"human-{when}-{rules.digest[:16]}-{rules.venues}",
        lambda: {id_: rated_human(gold, gold.turns, benchmark, rules, when) for id_, gold in golds},
    )
    return kept


def rated_human(
    dialogue: Dialogue, turns: int, benchmark: Benchmark, rules: RuleSet, when: str
) -> Rating:
    """Rate the human responses of a dialogue's first turns.

    Args:
        dialogue: The dialogue.
        turns: How many of its turns.
        benchmark: The benchmark, whose venues responses may name.
        rules: The rule set.
        when: `BOOKED` or `FREE`.
    """
    booked = dialogue.booked_domains if when == BOOKED else None
    texts = dialogue.responses[:turns]
    database = scoring.venue_database(benchmark, rules)
    delexicalise = grounding.delexicaliser(benchmark, rules)
    return rating(grounding.ground(texts, dialogue.goal, database, delexicalise, booked))


def ceiling(
    benchmark: Benchmark,
    rules: RuleSet,
    dialogues: Iterable[tuple[str, int]],
    when: str,
) -> GroundedFigures | None:
    """Return what the human responses of dialogues get; None where they are not known.

    Args:
        benchmark: The benchmark.
        rules: The rule set.
        dialogues: Dialogue id and the number of its turns that are played.
        when: `BOOKED` or `FREE`.
    """
    if not benchmark.dialogues or not benchmark.has_human_responses:
        return None

    def rated(id_: str, turns: int) -> Rating:
        dialogue = benchmark.dialogues[id_]
        if turns == dialogue.turns:
            return human_ratings(benchmark, rules, when)[id_]
        return rated_human(dialogue, turns, benchmark, rules, when)

    return grounded_figures(rated(*one) for one in dialogues)


# ------------------------------------------------------------------------------------------- text


def _text(scores: GroundedScores) -> str:
    """Show every figure with that of the human responses behind it."""
    system, human = vars(scores), scores.ceiling
    titles = {name: title for name, title in _RATES.items() if system[name]}
    headers = ["grounded", *(header for title in titles.values() for header in (title, "human"))]
    rates = [one.get(name, {}) for name in titles for one in (system, human or {})]
    domains = (TOTAL, *sorted(scores.inform.keys() - {TOTAL}))
    rows = [[domain, *(figure(one.get(domain)) for one in rates)] for domain in domains]
    remarks = [
        "Every other score is that of the responses delexicalised by the harness.\n"
        "Their BLEU does not compare with that of systems that delexicalise themselves."
    ]
    if human is not None:
        remarks.append(
            f"human: the human responses of {counted(human['dialogues'], 'dialogue')} under the "
            "same signature."
        )
    shares = faithfulness_table(system, human)
    return "\n\n".join([text_table(headers, rows), shares, "\n".join(remarks)])


def faithfulness_table(system: GroundedFigures, human: GroundedFigures | None) -> str:
    """Show what a system tells of venues, and what the human responses do."""
    by_source = {"this system": system, **({} if human is None else {"human responses": human})}
    rows: list[list[Cell]] = [
        [name, shares["told"], *(figure(shares[share]) for share in SHARES)]
        for name, shares in ((name, one["faithfulness"]) for name, one in by_source.items())
    ]
    return text_table(["faithfulness", "told", "in database %", "of a named venue %"], rows)


# ------------------------------------------------------------------------------------- the metric


def _headline(figure: Figure) -> Headline:
    name = figure.name.removeprefix("grounded.")

    def total(scores: Mapping[str, Any]) -> float | None:
        rates = scores.get(name, scores.get("faithfulness", {}))
        value: float | None = rates.get(name if name in SHARES else TOTAL)
        return value

    def value(results: Mapping[str, Any], setup: str) -> float | None:
        return total(vars(results["grounded"])) if "grounded" in results else None

    def human(results: Mapping[str, Any]) -> float | None:
        return total(getattr(results.get("grounded"), "ceiling", None) or {})

    return Headline(figure.name, figure.title, value, figure.digits, ceiling=human)


def _unfit(submission: NormalizedSubmission) -> str | None:
    if submission.lexicalised:
        return None
    return "`grounded` needs responses in plain English, scored as such; use --lexicalised"


METRIC = Metric(
    name="grounded",
    title="Grounded",
    states=False,
    description="Inform, Success and faithfulness of responses in plain English, from text, "
    "database and goal alone; needs --lexicalised, which adds it.",
    unit="percent",
    source="docs/lexicalised.md",
    per_dialogue=grounded_dialogues,
    compute=grounded_scores,
    overall=lambda played: grounded_scores(played.results, played_ceiling(played)),
    statistics=_statistics,
    result=GroundedScores,
    text=lambda metric, scores: _text(scores),
    headlines=(),
    further=tuple(map(_headline, FIGURES)),
    unfit=_unfit,
    default=False,
    rank=3,
)

"""Grounded Inform and Success, and faithfulness, of responses in plain English: the metric.

docs/lexicalised.md tells the rules; how a dialogue went is in `grounded.py`, which is loaded when
it is first needed: most scores do without. The ceiling is what the human responses get, beside
which every grounded score is shown: the database does not have everything that people told, and no
delexicaliser finds everything. The human responses are rated dialogue by dialogue, so that any
choice of dialogues has its ceiling from there; an installed benchmark keeps the ratings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from mwz.normalization import folder_of, sha256

from .. import grounding, scoring
from ..errors import counted
from ..io import Cell, figure, kept_part, text_table
from ..metrics import (
    HUMAN,
    TOTAL,
    Figure,
    Figures,
    Metric,
    Played,
    Presentation,
    Results,
    Rows,
    Sums,
    percent,
)
from ..submission import NormalizedSubmission

if TYPE_CHECKING:
    from mwz.normalization import RuleSet
    from mwz.normalization.delexicaliser import Delexicalised

    from ..benchmark import Benchmark, Dialogue

_RATES = {
    "inform": "Inform, any",
    "inform_all": "Inform, all",
    "success": "Success, any",
    "success_all": "Success, all",
    "success_requested": "all requested",
}
OUTCOMES = tuple(_RATES)
"""What a dialogue in plain English can have, attributes of `GroundedDialogue`."""

SHARES = ("in_database", "of_named_venue")
COUNTS = ("told", *SHARES)
"""The facts given, those that the database has, and those of a venue named by then."""

GROUNDED = "grounded."
"""What the names of the figures begin with."""


_figure = partial(Figure, digits=1, interval_digits=1, use="shown")

FIGURES = (
    _figure("grounded.inform", "Grounded Inform", main=True, won="inform"),
    _figure("grounded.inform_all", "Grounded Inform, all", won="inform_all"),
    _figure("grounded.success", "Grounded Success", main=True, won="success"),
    _figure("grounded.success_all", "Grounded Success, all", main=True, won="success_all"),
    _figure(
        "grounded.success_requested",
        "Grounded Success, all requested",
        main=True,
        won="success_requested",
    ),
    _figure("said.inform", "Inform, as said", main=True, won="said_inform"),
    _figure("said.success", "Success, as said", main=True, won="said_success"),
    _figure("grounded.in_database", "Told, in database"),
    _figure("grounded.of_named_venue", "Told, of a named venue"),
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

    @property
    def figures(self) -> Mapping[str, float]:
        """Total -> value; what the human responses get begins with `human.`."""
        figures = dict(_totals(vars(self)))
        if self.ceiling is not None:
            for name, value in _totals(self.ceiling).items():
                figures[HUMAN + name] = value
        return figures


@dataclass(frozen=True)
class SaidScores:
    """Scores of what users said and asked, whatever their goals are; "total" or domain -> percent.

    Attributes:
        inform: In every domain the venues named last fit what the user said ("any").
        success: Besides, all that it asked for is answered.
        lost_by: Who has a share in goal domains that are lost by their goals -> how many of these.
    """

    inform: Mapping[str, float]
    success: Mapping[str, float]
    lost_by: Mapping[str, int]

    @property
    def figures(self) -> Mapping[str, float]:
        """Total -> value."""
        return {"inform": self.inform[TOTAL], "success": self.success[TOTAL]}


def said_scores(dialogues: Iterable[Mapping[str, grounding.UserPart]]) -> SaidScores:
    """Return the scores of what users said, given what each did of its goal domains.

    As by the goal, a domain succeeds only where the whole dialogue matches.
    """
    informs: dict[str, list[bool]] = {TOTAL: []}
    successes: dict[str, list[bool]] = {TOTAL: []}
    faults: Counter[str] = Counter()
    for parts in dialogues:
        inform = all(part.inform for part in parts.values())
        informs[TOTAL].append(inform)
        successes[TOTAL].append(all(part.success for part in parts.values()))
        for domain, part in parts.items():
            informs.setdefault(domain, []).append(part.inform)
            successes.setdefault(domain, []).append(inform and part.success)
            faults[part.fault] += 1
    return SaidScores(
        inform={name: float(percent(sum(won), len(won))) for name, won in informs.items()},
        success={name: float(percent(sum(won), len(won))) for name, won in successes.items()},
        lost_by={name: faults[name] for name in grounding.AT_FAULT},
    )


def _totals(scores: GroundedFigures) -> dict[str, float]:
    """Return total -> value, of those that are known."""
    totals: dict[str, float | None] = {}
    for name in OUTCOMES:
        totals[name] = scores.get(name, {}).get(TOTAL)
    for name in SHARES:
        totals[name] = scores["faithfulness"][name]
    return {name: value for name, value in totals.items() if value is not None}


def told_shares(counts: Mapping[str, int]) -> ToldShares:
    """Return the shares of `COUNTS`."""
    total = counts["told"]
    shares: dict[str, int | float | None] = {"told": total}
    for name in SHARES:
        shares[name] = 100 * counts[name] / total if total else None
    return shares


def rating(dialogue: grounding.GroundedDialogue) -> Rating:
    """Return what figures are made of: a domain succeeds only where the whole dialogue matches."""
    total = [getattr(dialogue, name) for name in OUTCOMES]
    total += [dialogue.faithfulness[name] for name in COUNTS]
    rows: dict[str, list[int | None]] = {TOTAL: total}
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
    totals = rows[TOTAL]
    figures: dict[str, object] = {"dialogues": len(totals)}
    for column, outcome in enumerate(OUTCOMES):
        figures[outcome] = rates = {}
        for name, rows_of_name in rows.items():
            won = sum(row[column] or 0 for row in rows_of_name)
            rates[name] = float(percent(won, len(rows_of_name)))
    facts = {}
    for column, name in enumerate(COUNTS, start=len(OUTCOMES)):
        facts[name] = sum(row[column] or 0 for row in totals)
    requested = figures.pop("success_requested")
    figures["faithfulness"] = told_shares(facts)
    # A rate only where it is known of every dialogue.
    figures["success_requested"] = {} if any(None in row for row in totals) else requested
    return figures


def grounded_scores(
    dialogues: Iterable[Rating], ceiling: GroundedFigures | None = None
) -> GroundedScores:
    """Return the scores of dialogues, beside those of the human responses."""
    figures = dict(grounded_figures(dialogues))
    del figures["dialogues"]
    return GroundedScores(**figures, ceiling=ceiling)


def grounded_rows(played: Played) -> Rows:
    """Return the row of every dialogue: what succeeds in it, and what it tells of venues.

    Whether all that the goal requests is told is a column only if it is known of every dialogue.
    """
    return rows_of(grounded_dialogues(played))


def rows_of(
    dialogues: Mapping[str, grounding.GroundedDialogue],
    parts: Mapping[str, Mapping[str, grounding.UserPart]] | None = None,
) -> Rows:
    """Return the row of every dialogue, given how it went, and what its user did if that is known.

    Args:
        dialogues: Dialogue id -> how it went.
        parts: Dialogue id -> goal domain -> what the user did.
    """
    totals = {id_: rating(outcome)[TOTAL] for id_, outcome in dialogues.items()}
    columns = [*OUTCOMES, *COUNTS]
    unknown = any(None in total for total in totals.values())
    rows = {}
    for dialogue, total in totals.items():
        row: dict[str, float] = {"dialogues": 1}
        for column, value in zip(columns, total, strict=True):
            if not (unknown and column == "success_requested"):
                row[column] = int(value or 0)
        if parts:
            row["said_inform"] = all(part.inform for part in parts[dialogue].values())
            row["said_success"] = all(part.success for part in parts[dialogue].values())
        rows[dialogue] = row
    return rows


def formula(sums: Sums) -> Figures:
    """Return figure -> percent; a share of nothing told is 0."""
    columns = {name: GROUNDED + name for name in OUTCOMES}
    columns |= {"said_inform": "said.inform", "said_success": "said.success"}
    figures = {}
    for column, name in columns.items():
        if column in sums:
            figures[name] = percent(sums[column], sums["dialogues"])
    for name in SHARES:
        figures[GROUNDED + name] = percent(sums[name], sums["told"])
    return figures


def score_grounded(played: Played) -> Results:
    """Return the result: the grounded scores, beside those of the human responses."""
    ratings = [rating(dialogue) for dialogue in grounded_dialogues(played).values()]
    return {"grounded": grounded_scores(ratings, played_ceiling(played))}


# -------------------------------------------------------------------- what was played, and people


def plain_responses(submission: NormalizedSubmission) -> dict[str, list[Delexicalised]]:
    """Return dialogue id -> its responses in plain English, in the submission's order."""
    responses = {}
    for id_, dialogue in submission.dialogues.items():
        responses[id_] = [plain for plain in dialogue.plain if plain is not None]
    return responses


@lru_cache(maxsize=4)
def grounded_dialogues(played: Played) -> Mapping[str, grounding.GroundedDialogue]:
    """Return dialogue id -> how it went in plain English, in the submission's order."""
    dialogues = {}
    for id_, responses in plain_responses(played.submission).items():
        gold = played.benchmark.dialogues[id_]
        texts = (response.original for response in responses)
        dialogues[id_] = grounding.ground(
            texts, gold.goal, played.database, played.delexicalise, gold.booked_domains
        )
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

    def rate_all() -> Mapping[str, Rating]:
        ratings = {}
        for id_, dialogue in benchmark.dialogues.items():
            ratings[id_] = rated_human(dialogue, dialogue.turns, benchmark, rules, when)
        return ratings

    ratings: Mapping[str, Rating] = kept_part(
        benchmark.prepared,
        f"human-{when}-{rules.digest[:16]}-{rules.venues}-{_code_digest()[:16]}",
        rate_all,
    )
    return ratings


@cache
def _code_digest() -> str:
    """Return the digest of all that rates responses: ratings by other code are not used again."""
    # Imports late, as scores without plain English do without it.
    from mwz.normalization import delexicaliser

    digest = ""
    for package in (__package__, delexicaliser.__name__):
        for file in sorted(folder_of(package).iterdir(), key=lambda file: file.name):
            if file.name.endswith((".py", ".toml")):
                digest = sha256(digest + file.read_text(encoding="utf-8"))
    return sha256(digest + delexicaliser.Delexicaliser.version())


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
    users = dialogue.users[:turns] if when == FREE else ()
    texts = dialogue.responses[:turns]
    database = scoring.venue_database(benchmark, rules)
    delexicalise = grounding.delexicaliser(benchmark, rules)
    return rating(grounding.ground(texts, dialogue.goal, database, delexicalise, booked, users))


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
    ratings = []
    for id_, turns in dialogues:
        dialogue = benchmark.dialogues[id_]
        if turns == dialogue.turns:
            ratings.append(human_ratings(benchmark, rules, when)[id_])
        else:
            ratings.append(rated_human(dialogue, turns, benchmark, rules, when))
    return grounded_figures(ratings)


# ------------------------------------------------------------------------------------------- text


def _tables(results: Results) -> str:
    tables = [grounded_tables(results["grounded"])]
    if "said" in results:
        tables.append(said_table(results["said"]))
    return "\n\n".join(tables)


def grounded_tables(scores: GroundedScores) -> str:
    """Show every figure with that of the human responses behind it."""
    system, human = vars(scores), scores.ceiling
    headers = ["grounded"]
    columns = []
    for name, title in _RATES.items():
        if system[name]:
            headers += [title, "human"]
            columns += [system[name], {} if human is None else human.get(name, {})]
    rows = []
    for domain in (TOTAL, *sorted(scores.inform.keys() - {TOTAL})):
        rows.append([domain, *(figure(rates.get(domain)) for rates in columns)])
    remarks = (
        "Every other score is that of the responses delexicalised by the harness.\n"
        "Their BLEU does not compare with that of systems that delexicalise themselves."
    )
    if human is not None:
        dialogues = counted(human["dialogues"], "dialogue")
        remarks += f"\nhuman: the human responses of {dialogues} under the same signature."
    return f"{text_table(headers, rows)}\n\n{faithfulness_table(system, human)}\n\n{remarks}"


def said_table(scores: SaidScores) -> str:
    """Show the scores of what users said, and who loses goal domains."""
    rows: list[list[Cell]] = []
    for domain in (TOTAL, *sorted(scores.inform.keys() - {TOTAL})):
        rows.append([domain, figure(scores.inform[domain]), figure(scores.success[domain])])
    lost: list[list[Cell]] = [[name, number] for name, number in scores.lost_by.items()]
    scores_table = text_table(["of what users said", "Inform, any", "Success, any"], rows)
    return f"{scores_table}\n\n{text_table(['goal domains lost by', ''], lost)}"


def faithfulness_table(system: GroundedFigures, human: GroundedFigures | None) -> str:
    """Show what a system tells of venues, and what the human responses do."""
    by_source = {"this system": system}
    if human is not None:
        by_source["human responses"] = human
    rows: list[list[Cell]] = []
    for name, scores in by_source.items():
        shares = scores["faithfulness"]
        rows.append([name, shares["told"], *(figure(shares[share]) for share in SHARES)])
    return text_table(["faithfulness", "told", "in database %", "of a named venue %"], rows)


# ------------------------------------------------------------------------------------- the metric


def unfit(submission: NormalizedSubmission) -> str | None:
    """Say that responses are not in plain English, or not scored as such."""
    if submission.lexicalised:
        return None
    return "`grounded` needs responses in plain English, scored as such; use --lexicalised"


METRIC = Metric(
    name="grounded",
    presentation=Presentation(
        title="Grounded",
        figures=FIGURES,
        text=lambda _, results: _tables(results),
    ),
    rows=grounded_rows,
    formula=formula,
    value=score_grounded,
    result={"grounded": GroundedScores, "said": SaidScores},
    details=grounded_dialogues,
    unfit=unfit,
    needs=(),
    is_default=False,
    takes_samples=True,
)

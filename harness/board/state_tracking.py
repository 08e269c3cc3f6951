"""The track of state tracking: how trackers are scored, and a table for each set of gold states.

Systems of other tracks that predict states stand in its tables as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from mwz.normalization import DEFAULT_RULES, BeliefState, normalize_state, rule_set

from ..data import gold_versions, load_gold_states
from ..io import figure
from ..metrics import (
    GOLD_STATES,
    HEADLINE_LAMBDA,
    GoldStates,
    TrackedFile,
    lambda_label,
    parse_tracking_file,
    score_tracking,
    tracking_signature,
)
from ..scoring import Coverage
from ..submission import declared_flags, dialogue_id, empty_states, parse_predictions
from .columns import Column, named, rank_ranges
from .copied import Copies, fingerprints_of
from .entries import Entry
from .entry_scores import Outputs, Reading
from .model import Board
from .pairs import states_name
from .rows import Mark, Row, Value, as_played, completed, figure_of, ranked, words
from .scores import Scores, hashes_of
from .track import Track
from .tracked import (
    GoldSource,
    TrackedScores,
    tracker_against,
    tracker_scores,
)

_NAME = "state-tracking"

_FIGURES: Mapping[str, str] = {
    "JGA": "JGA",
    "Slot F1": "F1",
    "RSA": "RSA",
    "FGA (λ = 0.5)": f"FGA.{lambda_label(HEADLINE_LAMBDA)}",
    "GCA": "GCA",
    "Fuzzy joint acc.": "fuzzy.joint_accuracy",
}
"""Title of a column -> the figure, a key of `TrackingResult.figures`."""


# ------------------------------------------------------------------------ a tracker's outputs


def scored_states(
    read: object, file: TrackedFile, reading: Reading, golds: Sequence[GoldStates]
) -> Scores:
    """Score a tracker's states with every metric, and against further gold states.

    Args:
        read: What the file holds.
        file: Its dialogues, paired with gold states.
        reading: How it was read.
        golds: Further gold states.
    """
    benchmark, rules = reading.scorer.benchmark, rule_set(DEFAULT_RULES)
    own_version, _ = gold_versions(benchmark.name)
    signature = tracking_signature(file.dialogues, file.benchmark, gold=file.gold)
    gold: GoldSource = "version"
    if file.benchmark is None:
        gold = "file"
    elif file.gold is None or file.gold.version == own_version:
        gold = "benchmark"
        signature = replace(signature, data=benchmark.content_hash(rules))
    result = tracker_scores(
        file.dialogues,
        score_tracking(file.dialogues),
        file.benchmark,
        signature=signature,
        gold=gold,
        gold_version=reading.gold,
    )
    if file.gold is not None and gold == "version":
        # What a version lacks is nothing that the tracker leaves out.
        dialogues, turns = len(file.gold.states), file.gold.turns
        result = result.covering(Coverage(dialogues, dialogues, turns, turns))
        # Against the benchmark's own as well, and these without `dontcare`.
        own = [load_gold_states(own_version, benchmark)] if own_version else []
        versions = {states.version: states for states in (*own, file.gold, *golds)}
        golds = list(versions.values())
    states: dict[str, list[BeliefState]] = {}
    for dialogue in file.dialogues:
        id_ = dialogue_id(dialogue.id)
        if id_ in benchmark.dialogues:
            turns = benchmark.dialogues[id_].turns
            predicted = list(dialogue.predicted[:turns])
            # Turns that are not tracked have empty states.
            predicted += [{}] * (turns - len(predicted))
            states[id_] = [normalize_state(state, rules) for state in predicted]
    fingerprints = None
    if states:
        fingerprints = fingerprints_of(benchmark, None, states, file.dialogues)
    further_gold = tracker_against(read, file.source, benchmark, golds)
    return Scores(result=result, fingerprints=fingerprints, further_gold=further_gold)


def read_states(content: bytes | str, source: str, reading: Reading) -> Outputs:
    """Read a tracker's file.

    Args:
        content: The (unpacked) file: gold and predicted states, or predicted ones only; or the name
            of a submission that the harness makes.
        source: What messages call it.
        reading: How it is read.

    Raises:
        InputError: The content is no file of states, or the gold states cannot be loaded.
    """
    benchmark, predictions = reading.scorer.benchmark, None
    if isinstance(content, bytes):
        read = parse_predictions(content, source)
        predictions = hashes_of(content, read)
    else:
        read = empty_states(benchmark)
    states = reading.gold_states
    if reading.gold is not None and states is None:
        states = load_gold_states(reading.gold, benchmark)
    file = parse_tracking_file(read, source, lambda: benchmark, states)
    file.refuse_without_values("an entry")
    return Outputs(
        source=source,
        score=partial(scored_states, read, file, reading),
        content=content if isinstance(content, bytes) else None,
        predictions=predictions,
        benchmark=benchmark,
    )


# ---------------------------------------------------------------------------- rows and tables


def _rows(entries: Sequence[Entry], rules: str, copies: Copies) -> list[list[Row]]:
    """Return the rows, a list for each set of gold states, the best first.

    The benchmark's own gold states come first, then those of other versions, then those of files.
    An entry stands in the table of the gold states that it was entered with, and in those of the
    further versions that it was scored against. What the harness made stands in none.
    """
    tracked = _tracked(entries, rules)

    def place(gold: str) -> tuple[int, int, str]:
        _, last = tracked[gold][-1]
        return ("benchmark", "version", "file").index(last.gold), -len(tracked[gold]), gold

    tables = []
    on_benchmark: dict[str, Row] = {}
    for gold in sorted(tracked, key=place):
        scored = []
        for entry, scores in tracked[gold]:
            scored.append((_row(entry, scores, rules, copies.get(entry.key, {})), scores))
        table = _beside_benchmark(ranked(_with_alike(scored, list(copies))), on_benchmark)
        tables.append(table)
        for row in table:
            if row.signature.data:
                on_benchmark[row.key] = row
    return tables


def _tracked(entries: Sequence[Entry], rules: str) -> dict[str, list[tuple[Entry, TrackedScores]]]:
    """Return a digest of gold states -> the entries scored against them, and what they score."""
    tracked: dict[str, list[tuple[Entry, TrackedScores]]] = {}
    complete: dict[str, Coverage] = {}
    for entry in entries:
        if entry.system.predictions.by_harness and entry.scores.reports:
            continue
        covers_benchmark = False
        for scores in entry.scores.tracked(rules):
            tracked.setdefault(scores.gold_digest, []).append((entry, scores))
            if scores.gold == "benchmark":
                covers_benchmark = scores.coverage.complete
            elif covers_benchmark:
                # Versions may lack dialogues: this is all that one of them has.
                complete[scores.gold_digest] = scores.coverage
    for gold, coverage in complete.items():
        tracked[gold] = [(entry, scores.covering(coverage)) for entry, scores in tracked[gold]]
    return tracked


_AGAINST_BENCHMARK = ("JGA.benchmark", "difference", "gained")
"""What rows against gold states of another version have besides, where it is known."""


def _row(
    entry: Entry,
    scores: TrackedScores,
    rules: str,
    copies: Mapping[str, tuple[str, float]],
) -> Row:
    """Return the row of an entry's states.

    Args:
        entry: The entry.
        scores: What its states score against the gold states of the table.
        rules: The rule set.
        copies: As of `completed`.
    """
    every = list(entry.scores.tracked(rules))
    # The page of a system begins with the benchmark's own gold states, if it was scored on these.
    main = next((tracked for tracked in every if tracked.gold == "benchmark"), every[0])
    is_further = scores.gold_digest != main.gold_digest
    reasons = []
    if scores.gold == "file":
        reasons.append("its gold states are its own, not those of a known version")
    if entry.system.states_of is not None:
        reasons.append(f"its belief states are those of {entry.system.states_of}")
    dropped, coverage = scores.without_dontcare, scores.coverage
    figures = {name: Value(number, 2) for name, number in scores.result.figures.items()}
    for name, count in vars(coverage).items():
        figures[f"coverage.{name}"] = Value(count, 0)
    figures["JGA.without_dontcare"] = Value(None if dropped is None else dropped.jga, 2)
    figures["version"] = words(scores.version)
    figures["track"] = words(entry.system.track)
    figures["coverage"] = Value(coverage.percent, 2, unit=" %")
    if scores.gold == "file":
        figures["coverage"] = words(f"{coverage.dialogues} dialogues, {coverage.turns} turns")
    elif scores.gold == "version":
        figures |= dict.fromkeys(_AGAINST_BENCHMARK, Value())
    anchor = f"tracking-{entry.key}"
    row = Row(
        entry=entry,
        signature=scores.signature,
        # Turns that are not tracked count as wrong.
        ranking_key=(scores.jga_lower_bound,),
        figures=figures,
        reasons=tuple(reasons),
        flags={GOLD_STATES: max(tracked.gold_share for tracked in every)},
        table=scores.gold_title,
        pair_key=states_name(entry.key, scores),
        anchor=f"{anchor}-{scores.version}" if is_further else anchor,
        further=is_further,
    )
    bounds = {}
    if not coverage.complete:
        bounds["JGA"] = scores.jga_lower_bound
        if dropped is not None:
            bounds["JGA.without_dontcare"] = dropped.jga_lower_bound
    features = declared_flags()
    of_states = {name: copy for name, copy in copies.items() if features[name].of_states}
    whole, played = figure(scores.jga_lower_bound, 2), figure(scores.jga, 2)
    bound_words = f"≥ {whole} {{over}}; {played} {{submitted}}"
    # The note on a system of another track stands there.
    with_note = entry.system.track == _NAME and not is_further
    return completed(row, of_states, coverage, bounds, bound_words, with_note)


def _with_alike(scored: Sequence[tuple[Row, TrackedScores]], keys: Sequence[str]) -> Iterator[Row]:
    """Yield a table's rows; of those whose states, and so figures, are the same, the first stands.

    Args:
        scored: The rows with their scores.
        keys: Keys of entries, in the order of the board.
    """
    groups: dict[object, list[Row]] = {}
    order = {key: number for number, key in enumerate(keys)}
    for row, scores in sorted(scored, key=lambda pair: order.get(pair[0].key, len(keys))):
        fingerprints = row.entry.scores.fingerprints
        same: object = row.key
        if fingerprints is not None:
            figures = tuple(scores.result.figures.values())
            same = (fingerprints.states, fingerprints.exact, figures)
        groups.setdefault((same, scores.coverage, row.reasons[:1]), []).append(row)
    for group in groups.values():
        first = group[0]
        for row in group:
            others = ", ".join(other.name for other in group if other is not row)
            marks = list(row.marks)
            if others:
                # What an entry says of itself comes first.
                place = sum(mark.kind == "note" for mark in marks)
                marks.insert(place, Mark("same", "also {}: the same belief states", "", (others,)))
            yield replace(
                row,
                marks=tuple(marks),
                stands=row is first,
                pair_key=first.pair_key,
                anchor=first.anchor,
            )


def _beside_benchmark(table: Sequence[Row], on_benchmark: Mapping[str, Row]) -> list[Row]:
    """Return a table's rows with what they score against the benchmark's own gold states.

    That is their JGA there, the difference from it, and the places that they gain among the rows
    that are ranked in both tables.

    Args:
        table: The rows.
        on_benchmark: Key of an entry -> its row in the table of the benchmark's own states, if
            that is another table.
    """
    after, before = [], []
    for row in table:
        other = on_benchmark.get(row.key)
        if other is not None and not row.reasons and not other.reasons:
            after.append(row)
            before.append(replace(other, stands=row.stands))
    ranks = {row.key: row.rank or 0 for row in ranked(after)}
    ranks_before = {row.key: row.rank or 0 for row in ranked(before)}
    rows = []
    for row in table:
        figures = dict(row.figures)
        other = on_benchmark.get(row.key)
        if other is not None:
            jga = as_played(figure_of(other, "JGA"))
            if not row.reasons:
                # What ranks is compared with what ranks.
                is_bound = figure_of(row, "JGA").played is not None
                played = jga.number if is_bound else None
                jga = replace(jga, number=other.ranking_key[0], played=played)
            figures["JGA.benchmark"] = jga
            ours = figure_of(row, "JGA").number
            if ours is not None and jga.number is not None:
                figures["difference"] = Value(ours - jga.number, 2, signed=True)
        if row.key in ranks:
            gained = ranks_before[row.key] - ranks[row.key]
            figures["gained"] = Value(gained, 0, signed=True)
        rows.append(replace(row, figures=figures))
    return rows


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns of a table: of versions, those that say what changes.

    Args:
        board: The board.
        rows: The table's rows, which share their gold states.
    """
    first = rows[0]
    if "gained" not in first.figures:
        figures = dict(_FIGURES)
        figures["Coverage"] = "coverage"
    else:
        version, _ = gold_versions(first.signature.benchmark or "")
        figures = {
            f"JGA {figure_of(first, 'version').words}": "JGA",
            "without dontcare": "JGA.without_dontcare",
            f"JGA {version or 'of the benchmark'}": "JGA.benchmark",
            "Difference": "difference",
            "Places gained": "gained",
            "Slot F1": _FIGURES["Slot F1"],
            "GCA": _FIGURES["GCA"],
            "Turns": "coverage.turns",
        }
    figures |= {"Track": "track", "Flags": "flags"}
    listed = named(figures, texts=("Track", "Flags"))
    listed.append(rank_ranges(board))
    return listed


TRACKS = (
    Track(
        name=_NAME,
        kind="states only",
        read=read_states,
        rows=_rows,
        columns=_columns,
        ranks="jga",
        against="slot f1",
        leads=("slot f1", "fga (λ = 0.5)", "gca"),
        result=TrackedScores,
    ),
)

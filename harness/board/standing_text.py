"""What can be told apart: intervals and neighbours on the leaderboard, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..comparison.settings import INTERVAL_LEVEL, SIGNIFICANCE
from ..metrics.registry import headlines
from ..rendering import escaped, figure, markdown_table, p_text, signed
from .dialogue_scores import FIGURES
from .entries import Entry
from .pairs import RANKING, EntryPair, PairFigure, Standing

ABOVE = "row above"
BEST = "best"

STANDING_NOTES = f"""\
What can be told apart:

- **±**: half of the {INTERVAL_LEVEL} % interval, how much the figure would vary with other
  dialogues of the same kind. Inform and Success have Wilson's interval, BLEU and the combined
  score that of a bootstrap over dialogues. The first table of a track has that of the combined.
- **≈**: what a row cannot be told apart from by the combined score (p ≥ {p_text(SIGNIFICANCE)}):
  the row above it, or the best of the track. p is of approximate randomisation on the dialogues
  that both play, each comparison by itself. Rows that cannot be told apart need not be equal.
- **Seeds**: mean and standard deviation (n - 1) over several trainings of the system, where they
  were submitted. That is another question than that of other dialogues, and no part of ±.
"""


def half_width(entry: Entry, name: str) -> float | None:
    """Return half of an entry's interval of a figure; None where none is known."""
    kept = entry.scores.dialogues
    return None if kept is None else kept.intervals.scores[name].half


def alike(standing: Standing | None) -> str:
    """Return what a row cannot be told apart from, as the leaderboard's tables show it."""
    if standing is None:
        return ""
    both = {ABOVE: standing.above, BEST: standing.best}
    return ", ".join(
        name
        for name, pair in both.items()
        if pair is not None and not pair.figures[RANKING].distinct
    )


def standing_table(entries: Sequence[Entry], standings: Mapping[str, Standing]) -> str | None:
    """Return a track's intervals and p-values as a table; None if nothing is known of its entries.

    Args:
        entries: The entries of the track, as they are ranked.
        standings: Key -> how an entry with a rank compares with others.
    """
    if not any(entry.scores.dialogues for entry in entries):
        return None
    known = headlines()
    spread = any(entry.scores.seeds for entry in entries)
    titles = [known[name].title for name in FIGURES]
    headers = ["System", *titles, f"p, {ABOVE}", f"p, {BEST}", *(["Seeds"] if spread else [])]
    rows = []
    for entry in entries:
        standing = standings.get(entry.key, Standing())
        rows.append(
            [
                escaped(entry.system.name),
                *(_with_interval(entry, name, known[name].digits) for name in FIGURES),
                _p(standing.above),
                _p(standing.best),
                *([seeds_text(entry)] if spread else []),
            ]
        )
    return markdown_table(headers, rows)


def seeds_text(entry: Entry) -> str:
    """Return an entry's means and standard deviations over seeds, if it has several."""
    kept = entry.scores.seeds
    if kept is None:
        return ""
    known = headlines()
    told = [
        f"{known[name].title} {figure(one.mean, known[name].digits)} ({figure(one.deviation, 2)})"
        for name in FIGURES
        for one in [kept.spread[name]]
    ]
    return f"{len(kept.seeds) + 1} seeds: {', '.join(told)}"


def _with_interval(entry: Entry, name: str, digits: int) -> str:
    kept = entry.scores.dialogues
    if kept is None:
        return "–"
    one = kept.intervals.scores[name]
    return f"{figure(one.value, digits)} ± {figure(one.half, digits)}"


def _p(pair: EntryPair | None) -> str:
    return "–" if pair is None else p_text(pair.figures[RANKING].p)


def neighbours_text(
    others: Iterable[tuple[str, Entry, EntryPair | None]],
) -> Iterator[str]:
    """Yield in words what an entry differs from, a line for each figure.

    Args:
        others: Who the other is ("the row above"), the other, and the entry compared with it; None
            where the two do not compare.
    """
    for who, other, pair in others:
        name = other.system.name
        if pair is None:
            yield f"{who}, {name}: does not compare"
            continue
        ranking = pair.figures[RANKING]
        verdict = "differs from it" if ranking.distinct else "cannot be told apart from it"
        yield (
            f"{who}, {name}: {verdict} by the combined score, {signed(ranking.difference, 2)} on "
            f"{pair.dialogues} dialogues, p = {p_text(ranking.p)}"
        )
        for figure_name in FIGURES:
            if figure_name != RANKING:
                yield f"  {_in_words(figure_name, pair.figures[figure_name])}"


def _in_words(name: str, one: PairFigure) -> str:
    headline = headlines()[name]
    apart = signed(one.difference, headline.digits) if one.distinct else "not distinguishable"
    told = f"{headline.title}: {apart}, p = {p_text(one.p)}"
    if one.only_a is None:
        return told
    return f"{told}; dialogues won here only: {one.only_a}, there only: {one.only_b}"

"""What entries of live dialogues score: the board does not know how dialogues are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..board.entries import Predictions
from ..board.scores import LIVE_RATES, LiveScores, Scores, hashes_of
from ..comparison.interval import Interval
from ..errors import InputError
from ..io.files import encoded, to_json
from ..scoring import Scorer

if TYPE_CHECKING:
    from ..benchmark import Benchmark
    from ..live.replaying import Plays, Recorded


def score_live(content: bytes | Predictions, source: str, scorer: Scorer) -> Scores:
    """Play an entry's live dialogues again, and return what is stored of them.

    Args:
        content: The (unpacked) file of plays, of all trials; or how the harness plays.
        source: What messages call it.
        scorer: Has the benchmark.

    Raises:
        InputError: As `read_live`; or the file is none of plays.
    """
    from ..live.replaying import recorded

    if isinstance(content, bytes):
        return live_scores(read_live(recorded(content, source), scorer.benchmark), content)
    return live_scores(read_live(content, scorer.benchmark))


def read_live(plays: Sequence[Recorded] | Predictions, benchmark: Benchmark) -> Plays:
    """Play live dialogues again.

    Args:
        plays: The lines of files of plays; or how the harness plays.
        benchmark: The benchmark.

    Raises:
        InputError: They come out otherwise, or lack a trial; or the benchmark's tasks are not
            installed.
    """
    from ..live.replaying import play_scripts, replayed
    from ..live.world import World

    world = World.of(benchmark)
    if isinstance(plays, Predictions):
        return play_scripts(world, plays.trials or 1, plays.seed or 0)
    trials = {line.trial for line in plays}
    lacking = [number for number in range(1, 1 + max(trials, default=1)) if number not in trials]
    if lacking:
        told = f"trial {lacking[0]} is missing; give the files of all trials that were played"
        raise InputError(plays[0].source if plays else "plays", told)
    return replayed(plays, world)


def live_scores(plays: Plays, content: bytes | None = None) -> Scores:
    """Return what is stored of plays.

    Args:
        plays: The plays.
        content: The (unpacked) file of plays, of all trials; None where nobody keeps it.
    """
    from ..live.playing import figures

    what = plays.what
    found = figures(what, plays.lines)
    outcomes = {(one["trial"], one["dialogue_id"]): one["outcome"] for one in plays.lines}
    trials, tasks = sorted({trial for trial, _ in outcomes}), sorted(what.tasks)

    def mark(trial: int, id_: str, name: str) -> str:
        outcome = outcomes[trial, id_]
        return "-" if name == "books" and not outcome["booked"] else "01"[outcome[name]]

    live = LiveScores(
        signature=what.whole_signature(),
        agent=found.pop("agent"),
        user=found.pop("user"),
        played="".join("01"[id_ in what.tasks] for id_ in sorted(what.world.tasks.tasks)),
        marks={
            name: tuple("".join(mark(trial, id_, name) for id_ in tasks) for trial in trials)
            for name in LIVE_RATES
        },
        passes=tuple(Interval(**one) for one in found.pop("pass").values()),
        costs=found.pop("costs"),
        figures={name: one for name, one in found.items() if name != "signature"},
        missing=plays.missing,
    )
    said = plays.said
    kept = encoded(to_json(said)) if content is None else content
    return Scores(predictions=hashes_of(kept, said), live=live)

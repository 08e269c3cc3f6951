"""What entries of live dialogues score: the board does not know how dialogues are played."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mwz.normalization.rules.registry import digest_of_json

from ..board.entries import Predictions
from ..board.scores import LIVE_RATES, LiveScores, Scores, hashes_of
from ..comparison.interval import Interval
from ..errors import InputError
from ..io.files import encoded, to_json
from ..scoring import Scorer

if TYPE_CHECKING:
    from ..live.replaying import Plays


def score_live(content: bytes | Predictions, source: str, scorer: Scorer) -> Scores:
    """Play an entry's live dialogues again, and return what is stored of them.

    Args:
        content: The (unpacked) file of plays, of all trials; or how the harness plays.
        source: What messages call it.
        scorer: Has the benchmark.

    Raises:
        InputError: The file is none of plays, they come out otherwise than it says, or lack a
            trial; or the benchmark's tasks are not installed.
    """
    from ..live.replaying import play_scripts, recorded, replayed
    from ..live.world import World

    world = World.of(scorer.benchmark)
    if isinstance(content, bytes):
        return live_scores(replayed(recorded(content, source), world), content)
    return live_scores(play_scripts(world, content.trials or 1, content.seed or 0))


def live_scores(plays: Plays, content: bytes | None = None) -> Scores:
    """Return what is stored of plays.

    Args:
        plays: The plays.
        content: The (unpacked) file of plays, of all trials; None where nobody keeps it.

    Raises:
        InputError: A trial is missing.
    """
    from ..live.playing import figures
    from ..live.replaying import baseline_calls

    what = plays.what
    found = figures(what, plays.lines)
    outcomes = {(one["trial"], one["dialogue_id"]): one["outcome"] for one in plays.lines}
    trials, tasks = range(1, 1 + what.trials), sorted(what.tasks)
    if lacking := {*trials} - {trial for trial, _ in outcomes}:
        told = f"trial {min(lacking)} is missing; give the files of all trials that were played"
        raise InputError(f"agent {what.agent_name}", told)

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
        figures={key: one for key, one in found.items() if key not in ("signature", "errors")},
        lost=plays.lost,
        baseline_calls=None if plays.by_script else baseline_calls(plays),
    )
    said = plays.said
    if content is None:
        return Scores(predictions=hashes_of(encoded(to_json(said)), said), live=live)
    each = tuple(digest_of_json(one) for one in said.values())
    return Scores(predictions=replace(hashes_of(content, said), trials=each), live=live)

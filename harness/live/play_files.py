"""Files of plays as commands read them, and what the board stores of plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from mwz.normalization.rules.registry import digest_of_json

from ..board.entries import PREDICTIONS_FILE, Predictions
from ..board.scores import LIVE_RATES, LiveScores, Scores, hashes_of
from ..cli import notify, tell
from ..cli.reading import benchmark_chooser
from ..comparison.interval import Interval
from ..errors import InputError
from ..io.files import encoded, to_json
from ..scoring import Scorer
from .playing import Recorded, recorded
from .replaying import Plays, baseline_calls, play_scripts, replayed
from .world import BASELINE, World


def plays_again(
    files: Sequence[tuple[str, bytes]],
    name: str | None,
    doing: str,
    by: Literal["play", "file", "all"] = "play",
) -> list[tuple[str, Plays]]:
    """Play the dialogues of files of `mwz play` again, and return the trials of each play.

    Args:
        files: What messages call each file, and its content.
        name: The value of `--benchmark`.
        doing: What is done with the benchmark, for the remark: "scoring on".
        by: What belongs together: the trials of a "play", each "file", or "all" of them.

    Returns:
        What messages call each play, and the play.

    Raises:
        InputError: A file is none of `mwz play`, or its dialogues come out otherwise than it says.
    """
    groups: dict[object, list[Recorded]] = {}
    # Agent, signature and trial -> files that have it: another one is of another play.
    files_with: Counter[object] = Counter()
    for source, content in files:
        lines = recorded(content, source)
        trials = [(line.agent, line.signature.key, line.trial) for line in lines]
        for line, trial in zip(lines, trials, strict=True):
            keys = {"play": (*trial[:2], files_with[trial]), "file": source, "all": ""}
            groups.setdefault(keys[by], []).append(line)
        files_with.update(set(trials))
    choose = benchmark_chooser(name, doing)
    world = World.of(choose([line.dialogue_id for lines in groups.values() for line in lines]))
    plays = [(lines[0].source, replayed(lines, world)) for lines in groups.values()]
    for source, one in plays:
        tell(source, one.remarks)
    return plays


def submitted(
    files: Sequence[tuple[str, bytes]], name: str | None
) -> tuple[Scores, list[bytes], Predictions]:
    """Play the dialogues of an entry's files again, and score them.

    Args:
        files: What messages call the files of all trials, and their contents.
        name: The value of `--benchmark`.

    Returns:
        The scores; the file to be kept, of all trials; and where the plays are. What both scripts
        play is not kept: the harness plays it again.
    """
    notify("playing the dialogues again …")
    [(source, plays)] = plays_again(files, name, "scoring on", by="all")
    if not plays.by_script:
        content = b"".join(content.rstrip(b"\n") + b"\n" for _, content in files)
        return live_scores(plays, content), [content], Predictions(file=PREDICTIONS_FILE)
    what = plays.what
    again = play_scripts(what.world, what.trials, what.seed)
    if again.said != plays.said:
        told = "is not what the baseline plays of all tasks; play it again by `mwz play`"
        raise InputError(source, told)
    place = Predictions(played=BASELINE, trials=what.trials, seed=what.seed)
    return live_scores(again), [], place


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
    what = plays.what
    found = plays.figures
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

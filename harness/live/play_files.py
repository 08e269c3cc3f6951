"""Files of plays as commands read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from ..cli import tell
from ..cli.reading import benchmark_chooser
from .playing import Recorded, recorded
from .replaying import Plays, replayed
from .world import World


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

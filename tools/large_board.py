"""Make a board of many made-up entries, to measure how long commands take on it.

    python tools/large_board.py FOLDER [--entries N]
    cd FOLDER && time mwz leaderboard && time mwz leaderboard --check && time mwz site site

A made-up entry is one of the board, with figures, fingerprints and exact turns in another order: it
scores the same, and no two of one origin are copies of each other.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import re
from pathlib import Path
from typing import Any

from mwz.harness.board import ENTRY_FILE, read_entries
from mwz.harness.board.scores import SCORES_FILE
from mwz.harness.io import write_atomically

PROJECT = Path(__file__).parents[1]


def shuffled(scores: dict[str, Any], number: int) -> dict[str, Any]:
    """Return the stored scores of an entry for another one, the number of which is the seed."""
    generator = random.Random(number)
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    made = dict(scores)
    made["predictions"] = {"sha256": digest, "git_blob": digest[:40], "content": digest[::-1]}
    stored = made["dialogues"] = dict(scores["dialogues"])
    order = list(range(len(stored["inform"])))
    generator.shuffle(order)
    for name in ("inform", "success"):
        stored[name] = "".join(stored[name][place] for place in order)
    stored["bleu"] = [[column[place] for place in order] for column in stored["bleu"]]
    fingerprints = made["fingerprints"] = dict(scores["fingerprints"])
    for name in ("phrases", "states"):
        pairs = re.findall("..", fingerprints[name])
        generator.shuffle(pairs)
        fingerprints[name] = "".join(pairs)
    tracked = [fingerprints]
    further = made["further_gold"] = copy.deepcopy(scores["further_gold"])
    for by_choice in further.values():
        tracked += by_choice.values()
    for states in tracked:
        if "exact" in states:
            turns = re.findall("[01]", states["exact"])
            generator.shuffle(turns)
            marks = [turns.pop() if mark in "01" else mark for mark in states["exact"]]
            states["exact"] = "".join(marks)
    return made


def make(folder: Path, count: int) -> None:
    """Write a folder of submissions with so many entries."""
    originals = []
    for entry in read_entries(PROJECT / "submissions"):
        stored = entry.scores.dialogues
        is_whole = stored is not None and "0" not in stored.played
        if entry.system.track == "end-to-end" and is_whole and entry.system.predictions.path:
            originals.append(entry.folder)
    for number in range(count):
        original = originals[number % len(originals)]
        declared = (original / ENTRY_FILE).read_text(encoding="utf-8")
        digest = hashlib.sha256(str(number).encode()).hexdigest()
        for key, value in (("name", f"Made {number}"), ("git_blob", digest[:40])):
            declared = re.sub(f"(?m)^{key} = .*$", f'{key} = "{value}"', declared)
        declared = re.sub("(?m)^path = .*$", f'path = "outputs/{number}.json"', declared)
        entry_folder = folder / "submissions" / f"made-{number}"
        write_atomically(entry_folder / ENTRY_FILE, declared)
        scores = json.loads((original / SCORES_FILE).read_bytes())
        write_atomically(entry_folder / SCORES_FILE, json.dumps(shuffled(scores, number)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--entries", type=int, default=200)
    arguments = parser.parse_args()
    make(arguments.folder, arguments.entries)

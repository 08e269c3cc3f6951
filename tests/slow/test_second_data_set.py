"""A benchmark is a declaration and, for a new format, a reader: nothing knows a data set's name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from helpers import write_json

READER = '''
"""A format made up for a test: one file that holds everything."""

from __future__ import annotations

from ..benchmark import STYLES, Benchmark, Dialogue, Goal
from ..io.files import read_json


def read(data_set, folders, all_splits):
    content = read_json(folders["everything"] / "village.json")
    dialogues = {
        id_: Dialogue(
            goal={"hotel": Goal({"area": area}, frozenset({"PHONE"}), {})},
            references=dict.fromkeys(STYLES, ["the NAME has PHONE"]),
            states=[{"hotel": {"area": area}}],
            active_domains=[["hotel"]],
            booked_domains=[[]],
        )
        for id_, area in content["areas"].items()
    }
    return Benchmark("", dialogues, {"hotel": content["hotels"]}, {}), ["a village"], None
'''

VILLAGE = {
    "areas": {"v1": "north", "v2": "south"},
    "hotels": [
        {"id": "1", "name": "brook inn", "area": "north", "phone": "01"},
        {"id": "2", "name": "mill inn", "area": "south", "phone": "02"},
    ],
}

DECLARATION = """
title = "A village of two dialogues"
citation = "made up"
reader = "one_file"

[[sources]]
repository = "nobody/village"
commit = "{commit}"
role = "everything"
clone = "village"

[sources.test]
"village.json" = "{blob}"
"""


def test_a_second_data_set_works_like_the_first(copied: Path, mwz: Callable[..., str]) -> None:
    content = json.dumps(VILLAGE).encode()
    clone = copied / "mirror" / "village"
    clone.mkdir(parents=True)
    (clone / "village.json").write_bytes(content)
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    data = copied / "mwz" / "harness" / "data"
    (data / "one_file.py").write_text(READER, encoding="utf-8")
    declared = DECLARATION.format(commit="c" * 40, blob=blob)
    (data / "sets" / "village.toml").write_text(declared, encoding="utf-8")
    imported = mwz("data", "import", "village", "--village", str(clone))
    assert imported.splitlines()[0].startswith(
        "installed village: 2 dialogues, 2 system turns, in "
    )
    assert imported.splitlines()[1] == "a village"
    mirror = (copied / "mirror").as_uri()
    assert "installed village" in mwz("data", "fetch", "village", "--from", mirror)
    assert "village" in mwz("data", "list")
    assert "benchmark village: readable" in mwz("data", "verify")

    turn = {"response": "the [name] has [phone]", "state": {"hotel": {"area": "north"}}}
    predictions = write_json(copied / "predictions.json", {"v1": [turn], "v2": [turn]})
    options = ("--benchmark", "village", "--json", "-")
    report = json.loads(mwz("score", str(predictions), *options))
    # In v1 the hotel of the north is what was wanted, in v2 it is not. Both told a number.
    assert (report["inform"], report["success"]) == (50.0, 50.0)
    assert report["bleu"]["mwz22"] > 99.9

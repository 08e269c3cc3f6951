"""A package from outside brings a metric, a format, a set-up and a rule set by entry points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from helpers import write_json

FILES = {
    "made_up.dist-info/METADATA": "Metadata-Version: 2.1\nName: made-up\nVersion: 1\n",
    "made_up.dist-info/entry_points.txt": """
[mwz.metrics]
questions = made_up.questions:METRIC
[mwz.formats]
bare = made_up.bare:FORMAT
[mwz.setups]
lenient = made_up
[mwz.rules]
seafood = made_up
""",
    "made_up/__init__.py": "",
    "made_up/questions.py": """
from mwz.harness.metrics.metric import Metric

METRIC = Metric(
    name="questions",
    title="Questions",
    description="How many responses ask something.",
    unit="responses",
    source="made up for this test",
    overall=lambda played: sum("?" in one for d in played.responses.values() for one in d),
)
""",
    "made_up/bare.py": """
from mwz.harness.submission.formats import Format, Standard


def recognises(content):
    return isinstance(content, dict) and content.keys() == {"bare"}


def read(content, source):
    dialogues = content["bare"].items()
    return Standard({id_: [{"response": r} for r in turns] for id_, turns in dialogues}, "bare")


FORMAT = Format("bare", "An object `bare` of dialogue id -> responses.", recognises, read)
""",
    "made_up/lenient.toml": """
domains = "gold"
states = "gold"
description = "One venue that fits is enough."
source = "made up for this test"
[setup]
comparison = "intersection"
""",
    "made_up/seafood.toml": """
date = "2031-05"
change = "Fish is seafood."
tables = ["placeholders", "values", "venues"]
venues = "2021"
normalises_venues = false
[rules.food]
"fish" = "seafood"
""",
}


def test_a_package_from_outside_needs_no_copy_of_this_one(tmp_path: Path) -> None:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    # town001 has three turns, the first of which asks something, and a goal of restaurants alone.
    responses = ["where to?", "[restaurant_name] is nice", "bye"]
    predictions = write_json(tmp_path / "bare.json", {"bare": {"town001": responses}})

    command = ("score", predictions, "--benchmark", "sample", "--json", "-", "--rules", "seafood")
    options = ("--metrics", "questions,inform", "--setup", "lenient")
    done = subprocess.run(
        [sys.executable, "-m", "mwz", *map(str, command), *options],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["questions"] == 1
    assert report["lenient"]["inform"]["total"] == 100
    assert report["signature_fields"]["rules"] == "seafood"

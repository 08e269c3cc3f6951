"""Build the built-in sample benchmark from its hand-written sources.

    python tools/build_sample.py [FOLDER]

writes `town.json` and `tasks.json` to the folder, by default `harness/sample`. The sources are the
TOML files beside this script; the same sources give the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation import RULES, AnnotatedTurn, Annotator
from styles import Style, delexicalize, read_styles
from town import build_records

from mwz.harness.data.multiwoz22 import gold_active_domains
from mwz.harness.io import write_json
from mwz.normalization import normalized_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_SOURCES = Path(__file__).parent
_TARGET = _SOURCES.parent / "harness" / "sample"


def main(target: Path) -> None:
    """Write the sample to a folder."""
    for path, content in build().items():
        write_json(str(target / path), content)


def build() -> dict[str, Any]:
    """Return the sample's files: path within the folder -> content."""
    sources = _read("sample_dialogues.toml")
    styles = read_styles(_read("styles.toml"))
    venues = build_records(_read("sample_venues.toml"))
    annotator = Annotator(venues)
    dialogues = {id_: annotator.annotate(id_, entry["turns"]) for id_, entry in sources.items()}
    town = {
        "name": "sample",
        "dialogues": {
            id_: _dialogue(sources[id_]["goal"], turns, styles) for id_, turns in dialogues.items()
        },
        "venues": venues,
        "venue_versions": {},
    }
    return {"town.json": town, "tasks.json": _read("sample_tasks.toml")}


def _dialogue(
    goal: Mapping[str, Any], turns: Sequence[AnnotatedTurn], styles: Mapping[str, Style]
) -> dict[str, Any]:
    states = [turn.state for turn in turns]
    return {
        "goal": {
            domain: {
                "informable": wants.get("informable", {}),
                "requestable": wants.get("requestable", []),
                "booking": wants.get("booking", {}),
            }
            for domain, wants in goal.items()
        },
        "references": {
            name: [normalized_text(delexicalize(turn.system, style), RULES) for turn in turns]
            for name, style in styles.items()
        },
        "states": states,
        "active_domains": gold_active_domains(states, [turn.acts for turn in turns]),
        "booked_domains": [list(turn.booked) for turn in turns],
        "users": [turn.user.text for turn in turns],
        "responses": [turn.system.text for turn in turns],
    }


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_SOURCES / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _TARGET)

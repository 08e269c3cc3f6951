"""Pictures of trackers: every format, few turns drawn as few, many systems."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from helpers import run_cli, texts_drawn
from tracking_cases import FGA_FIGURE_1, belief, tracked

from mwz.harness.cli.tracked_files import FEW, plot_tracking
from mwz.harness.io.tables import SUFFIXES
from mwz.harness.metrics import TrackingResult, score_tracking

Capture = pytest.CaptureFixture[str]
MAGIC = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}

SMALL = score_tracking([tracked(*FGA_FIGURE_1)])
# Ten turns in each dialogue, so that as many turns lie in each part as there are dialogues.
TEN_TURNS = tuple((f"a.x={turn}", f"a.x={min(turn, 4)}") for turn in range(10))


def _many(dialogues: int) -> TrackingResult:
    return score_tracking([tracked(*TEN_TURNS, id_=f"d{number}") for number in range(dialogues)])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_picture_is_of_the_format_of_its_suffix_and_the_same_each_time(
    tmp_path: Path, suffix: str
) -> None:
    pictures = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.{suffix}"
        plot_tracking(["first", "second"], [SMALL, SMALL], str(path))
        pictures.append(path.read_bytes())
    assert pictures[0].startswith(MAGIC[suffix])
    assert pictures[0] == pictures[1]


NOTE = f"open or dotted: fewer than {FEW} turns or lost dialogues"


def test_every_system_is_named_and_what_few_turns_support_is_drawn_open(tmp_path: Path) -> None:
    names = ["one", "another"]
    pictures = []
    # Six turns, or 30 dialogues of which each part of the positions has 30 turns: not few.
    for report, few in ((SMALL, True), (_many(FEW), False)):
        path = tmp_path / f"{few}.svg"
        plot_tracking(names, [report] * 2, str(path))
        times = Counter(texts_drawn(path))
        # Beside its bars in both rows of figures, and above two panels.
        assert [times[name] for name in names] == [4] * 2
        assert (NOTE in times) == few
        pictures.append(path.read_text(encoding="utf-8"))
    assert "stroke-dasharray" in pictures[0]
    assert "stroke-dasharray" not in pictures[1]


def test_parts_with_few_turns_are_drawn_apart_from_the_others(tmp_path: Path) -> None:
    # Ninety dialogues of one turn, in the first part, and five of ten turns: 5 in every other part.
    short = [tracked(("a.x", "a.x"), id_=f"s{number}") for number in range(90)]
    long_ = [tracked(*TEN_TURNS, id_=f"d{number}") for number in range(5)]
    report = score_tracking(short + long_)
    assert [part["turns"] for part in report.positions] == [95, *[5] * 9]
    path = tmp_path / "picture.svg"
    plot_tracking(["one"], [report], str(path))
    picture = path.read_text(encoding="utf-8")
    # All nine lines lead to a part of few turns, and five lost dialogues are few in all ten bars.
    assert picture.count("stroke-dasharray") == 9 + 10
    assert NOTE in texts_drawn(path)


def test_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    names = ["$a^b$", "_hidden", "x" * 80]
    plot_tracking(names, [SMALL] * 3, str(path))
    texts = texts_drawn(path)
    assert any("a^b" in text for text in texts)
    assert "_hidden" in texts
    assert any(text.startswith("xxx") and len(text) < 30 for text in texts)


def test_the_command_draws_three_panels(capsys: Capture, tmp_path: Path) -> None:
    file, target = tmp_path / "system.json", tmp_path / "picture.svg"
    turns = [{"gt": belief(gold), "pr": belief(predicted)} for gold, predicted in FGA_FIGURE_1]
    file.write_text(json.dumps({"d": turns}), encoding="utf-8")
    assert run_cli(capsys, "dst", file, "--plot", target).status == 0
    parts = {"JGA (%)", "JGA of the turns there (%)", "dialogues first lost there (%)"}
    assert parts <= set(texts_drawn(target))

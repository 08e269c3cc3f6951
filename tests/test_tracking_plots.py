"""Pictures of trackers: every format, many systems."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from helpers import Cli, texts_drawn
from tracking_cases import FGA_FIGURE_1, tracked, write_states

from mwz.harness.cli.tracked_files import plot_tracking
from mwz.harness.io.tables import SUFFIXES
from mwz.harness.metrics import score_tracking

MAGIC = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}

SMALL = score_tracking([tracked(*FGA_FIGURE_1)])


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


def test_every_system_is_named_and_a_part_without_turns_is_left_out(tmp_path: Path) -> None:
    names, path = ["one", "another"], tmp_path / "picture.svg"
    # Six turns lie in six of ten parts.
    assert sum(part["jga"] is None for part in SMALL.positions) == 4
    plot_tracking(names, [SMALL] * 2, str(path))
    times = Counter(texts_drawn(path))
    # Beside its bars in both rows of figures, and above two panels.
    assert [times[name] for name in names] == [4] * 2
    # JGA, and fuzzy joint accuracy.
    assert times["33.3"] == 4


def test_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    names = ["$a^b$", "_hidden", "long"]
    plot_tracking(names, [SMALL] * 3, str(path))
    texts = texts_drawn(path)
    assert any("a^b" in text for text in texts)
    assert "_hidden" in texts


def test_the_command_draws_three_panels(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "picture.svg"
    cli.done("dst", write_states(tmp_path / "system.json", FGA_FIGURE_1), "--plot", target)
    parts = {"JGA (%)", "JGA of the turns there (%)", "dialogues first lost there (%)"}
    assert parts <= set(texts_drawn(target))

"""Tables of trackers: compact by default, and what cannot be read in one short message."""

from __future__ import annotations

from pathlib import Path

from helpers import Cli
from tracking_cases import FGA_FIGURE_1, GCA_SAMPLE_2, tracked, write_states

from mwz.harness.metrics import score_tracking


def test_main_figures_and_named_lambdas_are_shown(cli: Cli, tmp_path: Path) -> None:
    path = write_states(tmp_path / "one.json", FGA_FIGURE_1)
    compact = cli("dst", path).out
    full = score_tracking([tracked(*FGA_FIGURE_1)]).text()
    for main in ("JGA", "RSA", "FGA λ=0.5", "GCA", "F1", "fuzzy joint accuracy"):
        assert main in compact
        assert main in full
    for further in ("joint recall", "IAGA", "FGA λ=1", "missed", "tail orientation"):
        assert further not in compact
        assert further in full
    assert "FGA λ=2" in cli("dst", path, "--variant", "lambda=0.5,2").out


def test_files_with_different_gold_states_are_said_not_to_compare(cli: Cli, tmp_path: Path) -> None:
    one = write_states(tmp_path / "one.json", FGA_FIGURE_1)
    same = write_states(tmp_path / "same.json", [(gold, "") for gold, _ in FGA_FIGURE_1])
    other = write_states(tmp_path / "other.json", GCA_SAMPLE_2)
    alike = cli("dst", one, same).out
    assert "not comparable" not in alike
    assert len([line for line in alike.splitlines() if line.startswith("mwz:")]) == 1
    unlike = cli("dst", one, same, other).out
    assert "not comparable with one: other (different gold states" in unlike
    assert "one, same: mwz:" in unlike
    assert "other: mwz:" in unlike


# More digits than Python reads of a number.

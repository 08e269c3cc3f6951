"""Tables of trackers: compact by default, and what cannot be read in one short message."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import Cli
from tracking_cases import FGA_FIGURE_1, GCA_SAMPLE_2, tracked, write_states

from mwz.harness.metrics import score_tracking


def test_the_main_figures_are_shown_and_every_lambda_that_was_asked_for(
    cli: Cli, tmp_path: Path
) -> None:
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
DIGITS = "9" * 5000
BAD_FILES = [
    (
        f'{{"d": {{"{DIGITS}": {{"gt": {{}}, "pr": {{}}}}}}}}',
        "(the first is d)",
    ),
    (f'{{"d": {{"0": {{"gt": {DIGITS}, "pr": {{}}}}}}}}', "cannot be read as JSON"),
    (f'{{"d_{DIGITS}": [[], []]}}', "(the first is d_999"),
    (f'{{"{DIGITS}": {{"0": {{"gt": {{}}, "pr": 3}}}}}}', "`state`: expected a state"),
    (f'{{"d": [["{DIGITS}"]]}}', "(the first is d)"),
    ('{"d": {"turns": {}}}', "(the first is d)"),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_bad_files_are_told_in_one_short_message(
    cli: Cli, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content, encoding="utf-8")
    told = cli.refused("dst", path)
    assert message in told
    assert len(told) < 700

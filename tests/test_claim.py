"""`mwz claim`: what figures can be, whether they add up, and whose scripts give such ones."""

from __future__ import annotations

from decimal import Decimal

import pytest
from entered import REPOSITORY
from helpers import Cli

from mwz.harness.board.audit.claim import arithmetic, attainable


@pytest.fixture
def claim(cli: Cli) -> Cli:
    return cli.of("claim", "--submissions", REPOSITORY)


def test_a_rate_is_of_whole_dialogues() -> None:
    # 952 / 1000, 951 / 999 = 95.195, 899 / 944 = 95.23.
    words = attainable("inform", Decimal("95.2"))
    assert words == "inform 95.2 can be, in one run, 952 of 1000, 951 of 999, 899 of 944 dialogues."
    # 865 / 999 = 86.587; over 1000 dialogues and 7 runs 6061 / 7000 = 86.586.
    words = attainable("inform", Decimal("86.59"))
    assert "in one run, 865 of 999 dialogues; not of 1000 (but the mean of 7 runs or more)" in words


@pytest.mark.parametrize(
    ("combined", "words"),
    [
        ("95.5", "Combined 95.5 is (Inform + Success) / 2 + BLEU."),
        # (86.6 + 70.1) / 2 + 17.2 = 95.55, with .05 + .05 of rounding.
        ("96.0", "Combined 96.0 is not that of its parts, which give 95.45 to 95.65."),
    ],
)
def test_combined_is_held_against_its_parts(combined: str, words: str) -> None:
    parts = {"inform": "86.6", "success": "70.1", "bleu": "17.2", "combined": combined}
    assert arithmetic({name: Decimal(value) for name, value in parts.items()}) == words


def test_two_parts_and_combined_imply_the_third(claim: Cli) -> None:
    text = " ".join(claim("inform=95.2", "success=88.3", "combined=105.1").out.split())
    # 105.1 - (95.2 + 88.3) / 2 = 13.35, with .05 + .05 of rounding: 13.25 to 13.45.
    assert "Inform 95.2, Success 88.3 and Combined 105.1 imply BLEU 13.3 to 13.4." in text
    assert "Combined alone" not in text
    assert "what are" not in text
    # 2 * (105.1 - 13.3) - 95.2 = 88.4, with 2 * (.05 + .05) + .05: 88.15 to 88.65.
    parts = {"inform": "95.2", "bleu": "13.3", "combined": "105.1"}
    words = arithmetic({name: Decimal(value) for name, value in parts.items()})
    assert words == "Inform 95.2, BLEU 13.3 and Combined 105.1 imply Success 88.2 to 88.6."


def test_combined_alone_is_found_in_older_tables(claim: Cli) -> None:
    lines = [line.split() for line in claim("combined=105.1").out.splitlines()]
    # UBAR prints 95.4, 80.7 and 17.0: (95.4 + 80.7) / 2 + 17.0 = 105.05. It scores 94.4 here.
    [place] = [number for number, line in enumerate(lines) if "(2.0)" in line and "UBAR" in line]
    assert lines[place][-4:] == ["95.4", "80.7", "17.0", "105.1"]
    assert lines[place + 1] == ["scores", "here,", "strict", "83.4", "70.3", "17.6", "94.4"]
    assert "what are Inform, Success, BLEU; which references" in " ".join(
        claim("combined=105.1").out.split()
    )


def test_versions_and_gold_states_are_told_apart(claim: Cli) -> None:
    text = claim("jga=58.7", "--version", "2.2").out
    assert "D3ST (2.2)" in text
    assert "(2.1)" not in text
    assert "which gold states" in " ".join(text.split())


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ("informed=95", "unknown figure 'informed'"),
        ("inform=high", "'high' is no figure of inform; write inform=95.2"),
        ("inform=101", "'101' is no figure of inform"),
        ("inform", "'' is no figure of inform"),
    ],
)
def test_what_is_no_figure_is_refused(claim: Cli, figure: str, message: str) -> None:
    assert message in claim.refused(figure)


def test_a_figure_is_given_once(claim: Cli) -> None:
    assert "inform is there twice" in claim.refused("inform=95.2", "inform=95.3")

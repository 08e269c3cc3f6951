"""What a printed figure can be: worked cases, and what must hold of every rate there is."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from mwz.harness.board.verdicts import (
    RUNS,
    combined_holds,
    least_runs,
    possible_counts,
    possible_share,
)


@pytest.mark.parametrize(
    ("printed", "units", "runs", "possible"),
    [
        # One run over 1000 dialogues: multiples of 0.1 only.
        ("86.59", 1000, 1, False),
        ("86.60", 1000, 1, True),
        ("86.6", 1000, 1, True),
        # 865 / 999 = 86.5866 %.
        ("86.59", 999, 1, True),
        # 817 / 944 = 86.547 % and 818 / 944 = 86.653 %: neither is printed as 86.59.
        ("86.59", 944, 1, False),
        # 6061 / 7000 = 86.5857 %; with six runs, 86.5833 and 86.6 are next to it.
        ("86.59", 1000, 7, True),
        ("86.59", 1000, 6, False),
        # 3926 / 7372 = 53.26 %, and 3926 / 7368 = 53.28 %.
        ("53.26", 7372, 1, True),
        ("53.28", 7368, 1, True),
        ("0", 3, 1, True),
        ("33", 3, 1, True),
        ("34", 3, 1, False),
        ("100.0", 3, 1, True),
        # A half is rounded up by some and to even by others: 1 / 800 = 0.125 %.
        ("0.12", 800, 1, True),
        ("0.13", 800, 1, True),
        ("0.14", 800, 1, False),
        ("100.1", 1000, 1, False),
        ("-0.1", 1000, 1, False),
    ],
)
def test_printed_rates_are_of_their_units(
    printed: str, units: int, runs: int, possible: bool
) -> None:
    assert bool(possible_counts(Decimal(printed), units * runs)) is possible


@given(data=st.data(), units=st.integers(1, 8000), runs=st.integers(1, 10))
def test_every_rate_can_be_printed(data: st.DataObject, units: int, runs: int) -> None:
    right = data.draw(st.integers(0, units * runs))
    digits = data.draw(st.integers(0, 4))
    printed = Decimal(f"{100 * right / (units * runs):.{digits}f}")
    assert possible_counts(printed, units * runs)


@given(units=st.integers(1, 180), digits=st.integers(0, 1))
def test_the_share_is_that_of_all_values_that_are_printed_so(units: int, digits: int) -> None:
    # Enumerated: halves rounded up, in whole numbers of the last digit.
    scale = 10**digits
    values = {(2 * 100 * scale * k + units) // (2 * units) for k in range(units + 1)}
    assert possible_share(digits, units) == len(values) / (100 * scale + 1)
    for value in values:
        assert possible_counts(Decimal(value).scaleb(-digits), units)


def test_a_quarter_of_values_is_no_rate_of_turns() -> None:
    # 7373 rates, all further apart than 0.01, of 10001 values.
    assert possible_share(2, 7372) == 7373 / 10001
    assert possible_share(2, 1000) == 1001 / 10001
    assert possible_share(1, 1000) == 1.0


def test_a_mean_is_of_at_least_so_many_runs() -> None:
    # Of seven, 6061 / 7000 = 86.5857 %; with fewer none is nearer than 86.5833.
    assert least_runs(Decimal("86.59"), 1000) == 7
    assert least_runs(Decimal("86.59"), 999) == least_runs(Decimal("86.60"), 1000) == 1
    # Of three units, ten runs give multiples of 1 / 30: 3.33 and 6.67, not 5.00.
    assert least_runs(Decimal("5.00"), 3) == RUNS.stop


@pytest.mark.parametrize(
    ("combined", "inform", "success", "bleu", "holds"),
    [
        # (57.9 + 47.6) / 2 + 16.4 = 69.15: 84.8 is nowhere near.
        ("84.8", "57.9", "47.6", "16.4", False),
        ("69.1", "57.9", "47.6", "16.4", True),
        ("69.2", "57.9", "47.6", "16.4", True),
        # Each part and the whole may be off by 0.05: 69.15 + 0.05 + 0.05 + 0.05 = 69.3.
        ("69.3", "57.9", "47.6", "16.4", True),
        ("69.4", "57.9", "47.6", "16.4", False),
        ("69.0", "57.9", "47.6", "16.4", True),
        ("68.9", "57.9", "47.6", "16.4", False),
        # (85.4 + 75.7) / 2 + 19.64 = 100.19.
        ("100.2", "85.4", "75.7", "19.64", True),
        ("100.4", "85.4", "75.7", "19.64", False),
    ],
)
def test_a_combined_score_follows_from_its_parts_up_to_rounding(
    combined: str, inform: str, success: str, bleu: str, holds: bool
) -> None:
    printed = (Decimal(text) for text in (combined, inform, success, bleu))
    assert combined_holds(*printed) is holds


@given(
    inform=st.integers(0, 1000),
    success=st.integers(0, 1000),
    bleu=st.floats(0, 100),
    digits=st.integers(1, 2),
)
def test_real_scores_never_contradict(inform: int, success: int, bleu: float, digits: int) -> None:
    rates = inform / 10, success / 10
    figures = [sum(rates) / 2 + bleu, *rates, bleu]
    assert combined_holds(*(Decimal(f"{figure:.{digits}f}") for figure in figures))

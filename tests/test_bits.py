"""Places as the bits of an integer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mwz.database.bits import bits_at, bits_where, places_in


def test_bit_n_is_place_n() -> None:
    # 1 + 4 = 0b101.
    assert bits_where([True, False, True]) == bits_at([2, 0, 2]) == 5
    assert [*places_in(5)] == [0, 2]


def test_of_nothing_no_bit_is_set() -> None:
    assert bits_where([]) == bits_where([False]) == bits_at([]) == 0
    assert [*places_in(0)] == []


@given(st.sets(st.integers(0, 2000)))
def test_places_come_back_in_order(places: set[int]) -> None:
    bits = bits_at(places)
    assert [*places_in(bits)] == sorted(places)
    assert bits_where([place in places for place in range(2001)]) == bits

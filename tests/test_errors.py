"""The one message for bad input."""

from __future__ import annotations

import pickle

import pytest

from mwz.harness.errors import InputError


def test_one_problem_is_one_line() -> None:
    assert str(InputError("a.json", "no such file")) == "a.json: no such file"
    assert str(InputError("a.json", ["no such file"])) == "a.json: no such file"


@pytest.mark.parametrize(("problems", "more"), [(2, None), (10, None), (11, 1), (250, 240)])
def test_ten_problems_are_listed_and_more_counted(problems: int, more: int | None) -> None:
    message = str(InputError("a.json", [f"problem {n}" for n in range(problems)])).splitlines()
    shown = min(problems, 10)
    assert message[0] == f"a.json: {problems} problems"
    assert message[1 : shown + 1] == [f"  problem {n}" for n in range(shown)]
    assert message[shown + 1 :] == ([] if more is None else [f"  … and {more} more"])


def test_it_reaches_another_process_whole() -> None:
    error = pickle.loads(pickle.dumps(InputError("a.json", ["one", "two"])))
    assert (error.source, error.problems) == ("a.json", ("one", "two"))
    assert str(error) == str(InputError("a.json", ["one", "two"]))

"""The table of features: limits, and the ranges of published files that are beside them."""

from __future__ import annotations

from typing import Any

from mwz.harness.submission import declared_features, declared_flags


def test_limits_are_above_what_published_files_have() -> None:
    for name in declared_features().keys() - declared_flags().keys():
        feature = declared_features()[name]
        assert 0 <= feature.limit < 1
        # Nobody has published plain English.
        if name != "response_delexicalised":
            assert max(feature.honest) < feature.limit, name


def test_ranges_are_written_below_limits_and_all_else_stays(calibrate: Any) -> None:
    text = "# Why.\n[a]\nlimit = 0.3\nhonest = [0.1, 0.2]\nleast = 1\n\n[b]\nlimit = 0.5  # Half.\n"
    written = calibrate.with_honest_ranges(text, {"a": (0.0, 0.25), "b": (0.125, 0.25)})
    assert written == (
        "# Why.\n[a]\nlimit = 0.3\nhonest = [0.0, 0.25]\nleast = 1\n\n"
        "[b]\nlimit = 0.5  # Half.\nhonest = [0.125, 0.25]\n"
    )
    # Once more, it stays as it is; so do features that are not measured.
    assert calibrate.with_honest_ranges(written, {"a": (0.0, 0.25)}) == written

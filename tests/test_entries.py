"""The files of a submission: what they may hold, and what is said of what they may not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import BLOB, COMMIT, PIN, REPOSITORY, enter, made_system, system
from helpers import refusal
from hypothesis import given, settings, strategies as st

from mwz.harness.board import Scores, System, read_entries, tracks
from mwz.harness.board.entries import new_order, read_order
from mwz.harness.board.scores import hashes_of
from mwz.harness.board.systems import folder_name, read_system, stated_facts, system_text
from mwz.harness.errors import InputError
from mwz.harness.io import validated
from mwz.harness.metrics import Figure, reported_figures


def _refused(content: Mapping[str, Any], tmp_path: Path) -> str:
    path = tmp_path / "entry.toml"
    path.write_text(tomli_w.dumps(content), encoding="utf-8")
    error = refusal(read_system, path)
    assert error.source == str(path)
    assert len(error.problems) == 1
    return error.problems[0]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"papper": "https://a.b"}, "papper: unknown key"),
        ({"predictions": {"file": "p.json", "git_blop": BLOB}}, "predictions.git_blop: unknown"),
        ({"setup": {"comparson": "subset"}}, "setup.comparson: unknown key"),
        ({"reported": [{"source": "s", "infrom": 76.3}]}, "reported.0: infrom: unknown key"),
        ({"name": ""}, "name: "),
        ({"name": 3}, "name: "),
        ({"track": "chit-chat"}, "track: "),
        *[
            ({"paper": address}, "paper: expected a complete address such as https://example.org/")
            for address in [
                *("arxiv.org/abs/1911.10484", "https://…", "https://a", "https://a.b/c d"),
                *("https://a.b/c)", "https://a.b/<c>", "https://a.b/c\n", "https://a.b/\u202ec"),
                *("javascript:alert(1)", "https://user@a.b/", "https://\u0430rxiv.org/"),
            ]
        ],
        *[
            ({"name": name}, "name: ")
            for name in [
                *("DA\nMD", "DA\x1b[31mMD", "DA\u200bMD", "DA\u202eDM", " DAMD", "x" * 61),
                # A Cyrillic and a Greek A, a full-width D, a non-breaking blank, a ligature.
                *("D\u0410MD", "D\u0391MD", "\uff24AMD", "DA\u00a0MD", "\ufb01ne"),
            ]
        ],
        *[
            ({field: text}, f"{field}: control characters, line breaks and unusual blanks")
            for field in ("note", "multiwoz", "model", "training", "licence", "unranked")
            for text in ("two\nlines", "\x1b[2J", "a\u2028b", "a\u202eb", "a\u200bb")
        ],
        ({"note": "x" * 501}, "note: "),
        ({"unranked": ""}, "unranked: "),
        ({"year": 2017}, "year: "),
        ({"open_weights": "maybe"}, "open_weights: "),
        ({"test_in_training": "perhaps"}, "test_in_training: "),
        ({"prompts": "in the appendix"}, "prompts: expected a complete address"),
        ({"runs": 0}, "runs: "),
        ({"date": "31.12.2024"}, "date: '31.12.2024' is not a date such as 2024-12-31"),
        ({"date": "2024-02-30"}, "date: "),
        ({"date": datetime(2024, 12, 31, 8)}, "date: "),
        ({"predictions": {"file": "p.json", "unavailable": "lost"}}, "predictions: give either"),
        ({"predictions": {"unavailable": "lost\nall"}}, "predictions.unavailable: control"),
        ({"predictions": {}}, "predictions: give either `file`"),
        ({"predictions": {"file": "p.json", **PIN}}, "predictions: give either `file`"),
        ({"predictions": {"file": "p.json", "commit": COMMIT}}, "predictions: give either `file`"),
        ({"predictions": {**PIN, "commit": "main"}}, "predictions.commit: "),
        ({"predictions": {"file": "../p.json"}}, "predictions: `file` must be the name of a file"),
        ({"predictions": {"made": "mwz23"}}, "predictions.made: unknown made submission 'mwz23'"),
        ({"setup": {"comparison": "union"}}, "setup.comparison: "),
        ({"setup": {"reduced_search": "perhaps"}}, "setup.reduced_search: "),
        ({"reported": [{"inform": 76.3}]}, "reported.0.source: field required"),
        ({"reported": [{"source": "s", "inform": 101}]}, "reported.0: inform: 101 is not between"),
        ({"reported": [{"source": "s", "bleu": -0.1}]}, "reported.0: bleu: -0.1 is not between 0"),
        ({"reported": [{"source": "s", "bleu": float("nan")}]}, "reported.0.bleu: "),
        ({"reported": [{"source": "s", "success": "high"}]}, "reported.0.success: "),
        ({"reported": [{"source": "s", "setup": "lenient"}]}, "reported.0.setup: "),
        ({"reported": {"source": "s"}}, "reported: "),
    ],
)
def test_wrong_keys_and_values_are_refused(
    changes: dict[str, Any], place: str, tmp_path: Path
) -> None:
    assert _refused(system(**changes), tmp_path).startswith(place)


@pytest.mark.parametrize("content", [b"name = ", b'name = "\xff"', b"[[reported\n"])
def test_what_is_no_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "entry.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not TOML"):
        read_system(path)


def test_an_entry_without_what_it_is_is_refused(tmp_path: Path) -> None:
    path = enter(tmp_path, "system").folder / "entry.toml"
    path.unlink()
    assert refusal(read_entries, tmp_path).source == str(path)


def test_an_entry_without_scores_says_so_and_has_none(tmp_path: Path) -> None:
    (enter(tmp_path, "system").folder / "scores.json").unlink()
    [entry] = read_entries(tmp_path)
    assert entry.scores == Scores({}, None)
    assert entry.problems == ("scores.json: no such file",)


def test_figures_are_reported_in_their_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    # A made-up metric beside (100 + 100) / 2 + 100, the most that the combined score can be.
    known = dict(reported_figures())
    known["surprise"] = Figure("surprise", "Surprise", highest=float("inf"))
    monkeypatch.setattr("mwz.harness.board.systems.reported_figures", lambda: known)
    figures = {"combined": Decimal("200"), "surprise": Decimal("1234.5")}
    content = system(reported=[{"source": "table 1", **figures}])
    [reported] = validated(System, content, "system").reported
    assert reported.figures == figures
    assert made_system(reported=[{"source": "s"}]).reported[0].figures == {}


@pytest.mark.parametrize(
    "figure",
    [
        *("1e-100000000", "1e5", "7.63e1", "nan", "inf", "-inf", "1_0", "0x1f", "٧٦", " 76", "+76"),
        *("", ".5", "5.", "1" * 8, "0.1234567"),
    ],
)
def test_a_reported_figure_is_a_plain_number(figure: str, tmp_path: Path) -> None:
    problem = _refused(system(reported=[{"source": "s", "inform": figure}]), tmp_path)
    assert problem.startswith("reported.0.inform: ")
    assert "is not a plain number such as 83.4" in problem
    assert len(problem) < 100


_FIGURES = st.decimals(0, 100, allow_nan=False, places=2) | st.integers(0, 100).map(Decimal)
# Neither control nor format characters, and no blank but the usual one.
_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], include_characters=" "),
    min_size=1,
    max_size=500,
)
_NAME = st.text("aZ09é.,:;-_()[]<>|*`&\"'/\\", min_size=1, max_size=60)


@settings(deadline=None, max_examples=50)
@given(name=_NAME, source=_TEXT, note=_TEXT, figures=st.lists(_FIGURES, max_size=3))
def test_an_entry_written_and_read_is_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    source: str,
    note: str,
    figures: list[Decimal],
) -> None:
    reported = [{"source": source, "success": figure} for figure in figures]
    before = made_system(name, note=note, reported=reported)
    path = tmp_path_factory.mktemp("system") / "entry.toml"
    path.write_bytes(system_text(before).encode())
    assert read_system(path) == before


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("DAMD", "damd"),
        (" My  System 2 ", "my-system-2"),
        ("KRLS (policy)", "krls-policy"),
        ("a.b_c-d", "a.b_c-d"),
        ("-a", "a"),
        ("x" * 100,) * 2,
    ],
)
def test_folders_are_named_after_their_systems(name: str, folder: str) -> None:
    assert folder_name(name) == folder


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "()", ".", "..", ".git", "../x", "a/b", "a\\b", "Ünï", "x" * 101, "a\x1b[31m"),
        *("<script>alert(1)</script>", "](javascript:alert(1))", "a|b", "a\u0301", "a\u200bb"),
    ],
)
def test_a_name_that_would_lead_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="gives no folder name"):
        folder_name(name)


# ------------------------------------------------------------- the entries of the repository


def test_a_date_may_be_one_of_toml_and_prompts_may_be_none() -> None:
    about = {"date": date(2024, 12, 31), "prompts": "none"}
    read = made_system(**about)
    assert (read.date, read.prompts) == ("2024-12-31", "none")


def test_what_is_stated_has_the_year_that_the_paper_tells() -> None:
    about = {"paper": "https://arxiv.org/abs/2012.03539", "runs": 3, "model": ""}
    read = made_system(**about)
    stated = {name: value for name, value in stated_facts(read).items() if value is not None}
    assert stated == {"year": 2020, "runs": 3}


def test_entries_of_a_track_that_is_taken_away_are_left_out_with_one_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = ["lexicalised", "live"]
    for module in ("entries", "track"):
        monkeypatch.setattr(f"mwz.harness.board.{module}.absent_tracks", lambda: absent)
    assert {entry.system.track for entry in read_entries(REPOSITORY)} == {*tracks()} - {*absent}
    [warning] = capsys.readouterr().err.splitlines()
    assert re.search(r"leaves out \d+ entries of tracks .* \(lexicalised, live\)", warning)


def test_the_order_keeps_the_lines_of_entries_that_are_left_out() -> None:
    entries = [entry for entry in read_entries(REPOSITORY) if entry.key not in ("mintl", "hdno")]
    stored = read_order(REPOSITORY)
    assert {"mintl", "hdno"} <= stored.keys()
    assert list(new_order(REPOSITORY, entries)) == list(stored)


@pytest.mark.parametrize("edited", ["sha256", "git_blob"])
def test_either_hash_that_is_edited_tells_another_file(edited: str) -> None:
    hashes = hashes_of(b"content", "content")
    assert hashes.is_file(b"content")
    digits = getattr(hashes, edited)
    other = "0" if digits[0] != "0" else "1"
    assert not replace(hashes, **{edited: other + digits[1:]}).is_file(b"content")
